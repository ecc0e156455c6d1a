// What rounding may do to the results of the kernels on a plan, at one state.
#pragma once

#include <memory>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>

namespace ulna::internal {

/// In which numbers equations are run.
enum class Precision { full, single };  // double, float

double unit_roundoff(Precision precision);

/// Runs the kernels on Rounded numbers (src/scalar/rounded.hpp). A result is a value and a bound of its absolute error, to first order, for the kernel as it is
/// written. Costs about three times the kernel on doubles. Memory is kept between calls.
class Rounding {
 public:
  Rounding(const Plan& plan, Precision precision, bool rotor = true);
  /// In doubles, of inputs that were rounded, as pi/2 is, and with what acts on the robot.
  Rounding(const Plan& plan, const Effects& effects);
  ~Rounding();
  Rounding(Rounding&&) noexcept;

  struct Results {
    std::vector<double> value;
    std::vector<double> error;
  };

  /// `plan` has the joints of the first one; one that is not lumped for quantities that lumping changes. Empty vectors are zeros; `last` is a of inverse and
  /// tau of forward dynamics.
  const Results& of(Quantity quantity, const Plan& plan, const std::vector<double>& q, const std::vector<double>& v = {}, const std::vector<double>& last = {},
                    std::size_t link = kNone);

 private:
  struct Kernels;
  std::unique_ptr<Kernels> kernels_;
  Results results_;
};

}  // namespace ulna::internal
