// The searches of one robot, each done once and shared: by programs to count and to write, and by machine code.
#pragma once

#include <ulna/model/model.hpp>

#include "trace/memo.hpp"
#include "trace/search.hpp"

namespace ulna::internal {

/// For several threads at once.
class Searches {
 public:
  explicit Searches(Model model) : model_(std::move(model)) {}

  const Model& model() const { return model_; }
  const Plan& plan(const PlanOptions& options);
  /// Not lumped: what searches begin with.
  const Plan& bare(double snap) { return plan({.snap = snap, .lumping = Lumping::none}); }
  const Searched& operator()(Quantity quantity, const SearchOptions& options, ForwardMethod method = ForwardMethod::mass_matrix);

 private:
  struct Key {
    Quantity quantity;
    SearchOptions options;
    ForwardMethod method;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Model model_;
  Memo<PlanOptions, Plan> plans_;
  Memo<Key, Searched> done_;
};

/// find_best(), from the kept search or a new one.
Best find_best(Searches& searches, Quantity quantity, const SearchOptions& options);

/// The program of `best`, which find_best() found with these options, under friction and a wrench: in the same frames, with inputs behind its own.
Program with_extras(Searches& searches, const Best& best, const SearchOptions& options, const Extras& extras);

}  // namespace ulna::internal
