// The plan search: frames and parameters that give the same torques with the fewest operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ulna/trace/best.hpp>

#include "plan/reframe.hpp"
#include "trace/digits.hpp"
#include "trace/goal.hpp"
#include "trace/recipe.hpp"

namespace ulna::internal {

/// What a search found.
struct Searched {
  Plan plan;                       // lumped, in its length unit
  Recipe recipe;                   // what was done to the plan that was given
  Digits::Question question;       // of the search
  OperationCounts counts;          // before common factors are taken out
  std::vector<SearchStep> steps;   // from the parameters as they are
  std::vector<std::string> words;  // what was done to each body, in plain words
  std::optional<Refused> refused;  // the cheapest variant that would have cost digits, if it is cheaper
};

/// Greedy, one body after the other, from the base to the tips, and again until a round gains nothing. Deterministic. A candidate is traced and counted
/// unless a rough estimate rules it out. O(n²), up to a limit: robots of hundreds of joints are searched in part.
class PlanSearch {
 public:
  /// Runs the search. Digits are checked in one configuration a move, and in more at the end; if some are lost then, it is repeated with more.
  /// `framed`: frames of links matter, as those of loops do; so bodies keep their axes, and lengths are metres.
  static Searched done(const Plan& plan, Tracer& tracer, Precision precision, bool framed = false);

 private:
  PlanSearch(const Plan& plan, Tracer& tracer, Precision precision, std::size_t configurations, bool framed);
  void run();
  Searched found() const;
  std::vector<std::string> words() const;

  struct Variant {
    Plan plan;
    std::vector<LumpChoice> choices;
    double unit = 1;
    DerivativeForm form{};
  };
  enum Move { move_slide, move_turn, move_lumping, move_balance, move_count };

  // The moves; each leaves the plan at least as good as it was.
  void choose_lumping();
  void slide_origins();
  void turn_frames();
  void hold_axes();
  void choose_lumping_by_link();
  void balance_links();
  void choose_length_unit();
  void choose_form();

  OperationCounts measure(const Variant& variant);
  static Plan in_unit(const Variant& variant) { return variant.unit == 1 ? variant.plan : in_length_unit(variant.plan, variant.unit); }
  bool keeps_digits(const Variant& variant, const OperationCounts& counts);
  bool take_if_better(Variant&& variant, long slack);
  bool take_if_better(Variant&& variant, Move move, std::size_t body);
  /// Changes a frame if that is better.
  bool take_if_better(Reframing&& step, Move move);
  /// Whether the body or one next to it has changed since the last call for the same kind of move.
  bool worth_trying(Move move, std::size_t body);
  /// A line of the report; a repeated one is updated.
  void note(const char* what);

  bool framed_;
  Tracer* tracer_;
  Plan given_;
  Variant best_;
  Digits digits_;
  OperationCounts counts_;
  std::vector<SearchStep> steps_;
  std::optional<Refused> refused_;
  const char* doing_ = "";  // the kind of move at hand, in words
  std::vector<Reframing> steps_taken_;
  std::vector<Vec3<double>> slid_;
  std::vector<double> turned_;
  // Moves are local: what they gain depends on a body and its neighbours. So a candidate that failed is tried again only after a change nearby.
  long version_ = 1;
  std::vector<long> changed_;             // per body: version of the last change to it or next to it
  std::vector<std::vector<long>> tried_;  // per move and body
  long unit_version_ = 0;                 // when the length unit was last chosen
  long still_version_ = 0;                // when axes were last held still
  long form_version_ = 0;                 // and the form of the derivatives
  long work_ = 0;                         // operations written down so far
};

}  // namespace ulna::internal
