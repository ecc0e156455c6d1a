// Whether other frames and parameters of a robot keep the digits that its own have.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <ulna/plan/plan.hpp>

#include "dynamics/rounding.hpp"

namespace ulna::internal {

/// A parameter that is next to nothing can be made to vanish, too: by a slide of 1e13 metres, or second moments of 1e13 times the robot's, after which nothing
/// of the results is left. So the search for frames, and the replay of what it found with other numbers, take a plan only if it gives the results of the plan
/// that was given, and if the equations on it bound the rounding of every result nearly as tightly, in the precision that will run them.
///
/// Torques are run on Rounded numbers in fixed configurations, separately for their parts: gravity, accelerations, velocities. If each of these keeps its
/// digits in every joint, so does any sum of them. For accelerations such bounds are too wide to compare (they grow with every joint that is eliminated), so
/// what rounding does to them is measured: floats against doubles.
class Digits {
 public:
  struct Question {
    Quantity quantity = Quantity::inverse;
    bool rotor = true;
    ForwardMethod method = ForwardMethod::mass_matrix;  // of the acceleration
    DerivativeForm form{};                              // of derivatives
  };
  static constexpr std::size_t kQuick = 1, kThorough = 3;  // configurations
  static constexpr std::size_t kLargestFactored = 64;      // joints of a chain whose inertia matrix is taken apart

  /// Whether accelerations of this robot are computed this way.
  static bool takes(ForwardMethod method, const Plan& plan);

  /// `given`: not lumped, in metres. `repeats`: a loss of accelerations in the first configuration, with which rounding of the given plan may be small by
  /// chance, counts only if it is one over up to eight motions, added up: for a replay, whose refusal costs a compilation.
  Digits(const Plan& given, Precision precision, bool rotor, std::size_t configurations, bool repeats = false);

  /// Of a lumped plan of the same robot, in its length unit. O(n). What questions need of the given plan is computed once.
  bool keep(const Plan& plan, const Question& question);
  /// How many times larger than on the given plan the bound of some result was in the last call, or the result's difference; infinite for numbers that leave
  /// the precision's range.
  double growth() const { return growth_; }

  /// The growth that is taken.
  static constexpr double kMost = 2;

 private:
  /// Torques of what makes them up, one each.
  struct State {
    std::vector<double> q, v, a;
    std::vector<double> value{};    // of each result; empty before the first use
    std::vector<double> allowed{};  // what rounding may do to it
    bool gravity() const { return v.empty() && a.empty(); }
  };
  struct Motion {
    std::vector<double> q, v, tau;
    std::vector<double> a{};  // as doubles have it
    double loss = 0;          // of floats
  };
  const Rounding::Results& torques(const Plan& plan, const State& state);
  const State& known(State& state);
  /// Of configuration k, by the method that rounds less; where motions repeat, of the first with other torques, by the one that the replayed program has.
  const Motion& motion(std::size_t k, ForwardMethod method);
  /// The largest difference between accelerations by floats and by doubles, which go to `a`.
  double forward_loss(const Plan& plan, const PlanOf<float>& floats, const Motion& motion, ForwardMethod method, std::vector<double>& a);

  static constexpr std::size_t kMotions = 8;  // that repeat
  bool rotor_, repeats_;
  double doubles_;  // how many times the unit roundoff of doubles
  Rounding rounding_;
  Plan given_, scratch_;
  std::optional<WorkspaceOf<double>> doubles_space_;
  std::optional<WorkspaceOf<float>> floats_space_;
  std::vector<double> unit_;                    // of each coordinate: 1 for radians, else a length
  std::vector<State> states_;                   // three a configuration: at rest, by velocities, by accelerations
  std::array<std::vector<Motion>, 3> motions_;  // made when they are needed; where they repeat, of every method
  double growth_ = 0;
};

}  // namespace ulna::internal
