// Compares kernels with the templates when a Dynamics object is made: a kernel that differs is not used.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "dynamics/rounding.hpp"
#include "dynamics/terms.hpp"
#include "jit/routine.hpp"
#include "robot/dual_derivative.hpp"

namespace ulna::internal::robot {

/// A few fixed states, with what the templates give there in doubles, on the robot's own frames and parameters, and how far rounding may take the kernels from
/// that: the bound of the templates' own rounding in the kernels' precision (dynamics/rounding.hpp), times what the search may add to it, and no more than the
/// terms of a result allow (dynamics/terms.hpp), because such a bound grows with every frame that a vector is rotated into. Accelerations and the
/// inverse of M are put back into the equations, and what is left is held to the bound of these: the bound of a solution is too wide to show an error.
///
/// That machine code gives the bits of its program is known (jit/bits.hpp). What rounding explains hides some errors of programs among floats: so theirs are
/// compared in doubles, too.
class SelfCheck {
 public:
  /// States; one for robots of more than kFewJoints.
  static constexpr std::size_t kStates = 3, kFewJoints = 64;

  struct State {
    std::vector<double> q, v, a;
    std::vector<double> tau{};    // in the kernels' precision
    Rounding::Results torques{};  // of it, in doubles; empty before the first use
  };
  /// Those of a robot; other ones than the search has measured digits in.
  static std::vector<State> trial_states(const Plan& plan, std::size_t count = kStates);
  /// Of a robot with loops: states that are nearly closed.
  static std::vector<State> closed_states(const Model& model, bool single, std::size_t count = kStates);

  /// `plan`: the model's, not lumped. `passed`: programs that gave the right results with other numbers. One state is enough for them: their equations are
  /// right, and a number that is wrong shows in any state but one of chance, in which its factor vanishes. So are the terms of torques and matrices, which are
  /// found sooner than the templates' own rounding.
  SelfCheck(const Model& model, Plan plan, const DynamicsOptions& options, Precision precision, bool passed = false);

  /// The largest difference of a result from what it should be, over what rounding explains: up to 1 is right. NaN counts as infinite. A block has all
  /// states that there are, again and again.
  template <class T>
  double difference(Quantity quantity, std::size_t link, const jit::Trial& trial);

 private:
  /// In extended precision; what is allowed is measured, by what the templates lose in the kernels' precision.
  Rounding::Results closed_results(Quantity quantity, std::size_t link, State& state);

  /// Results of a quantity in one state; errors are what is allowed, but for kAllowed.
  using Results = Rounding::Results;
  /// That of a kernel's program in doubles.
  double share_of_program(Quantity quantity, std::size_t link, const jit::Trial& trial);
  const std::vector<Results>& expected(Quantity quantity, std::size_t link);
  Results results(Quantity quantity, std::size_t link, State& state);
  /// What the templates give, and the bound of its rounding; `templates`: none where terms are to say.
  Results rounded(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v = {}, const std::vector<double>& a = {},
                  std::size_t link = kNone);
  Results templates(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a = {});
  Results torque(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);
  /// Torques of the state's accelerations, computed once.
  const Results& effort(State& state);
  /// The same as a kernel can be given them.
  Results rounded_effort(State& state);
  Results derivatives(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);
  Results matrix(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v);
  /// What coordinate i may lose of terms of this size, but for kAllowed.
  double of_terms(const Terms::Size& size, std::size_t i, double rotor) const;
  /// Results that are not finite say nothing where the templates' equations leave the range of numbers, or have no result either: inertias of 1e-40 have no
  /// inverse among floats.
  bool beyond_numbers(Quantity quantity, std::size_t k, const std::vector<double>& got);
  /// The largest share of what is allowed, of state k. Lanes give the bits of one state, whose share is known.
  double share(Quantity quantity, std::size_t k, const std::vector<double>& got);
  double share_of(Quantity quantity, std::size_t k, const std::vector<double>& got);

  Plan plan_;  // not lumped
  bool by_terms_;
  std::optional<Rounding> rounding_;  // from the first use on
  Precision precision_;
  DynamicsOptions options_;
  Terms terms_;
  double roundings_;  // what of its terms a result may lose
  std::vector<double> units_;
  std::vector<State> states_;
  Quantity quantity_{};  // of the last call
  std::size_t link_ = kNone;
  std::vector<Results> expected_;                              // of it, in every state
  std::vector<std::pair<std::vector<double>, double>> known_;  // results and their share, of the quantity and of each state
  std::unique_ptr<SelfCheck> doubles_;                         // of floats: that of their programs,
  double of_program_ = -1;                                     // and what it found
};

/// Masses, moments and lengths changed by some roundings.
Plan with_rounded_numbers(Plan plan);

/// Results of a kernel for derivatives against those of dual numbers: the largest difference over what rounding explains, which is measured: by what some
/// roundings of all inputs do, on a robot whose numbers are rounded likewise, `other`. Infinite where the results are not numbers.
double share_of_rounding(DualDerivative& right, DualDerivative& other, const std::vector<double>& numbers, const std::vector<double>& got);

}  // namespace ulna::internal::robot
