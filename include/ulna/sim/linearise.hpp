// Linearised motion: derivatives by the state, the torques and the robot's parameters.
//
// Deviations are x = (δq, δv), nv numbers each, and then those of the law's memory where it has one. δq of a free base is a rotation and a translation in its
// own axes, as its velocities are. The robot's derivatives are exact (Quantity::forward_derivatives). Those of a torque law are differences of order six,
// because a law may be any function; their accuracy depends on the smoothness of the law on steps of kLawStep.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>

namespace ulna {
namespace sim ULNA_API {

inline constexpr double kLawStep = 4e-3;  // rad, m, rad/s, m/s: truncation and rounding of the differences are both about 1e-13 of what a law returns

/// ẋ = A x + B u, u = δtau. A is 2 nv × 2 nv, B is 2 nv × nv; both column by column.
struct LinearMotion {
  std::vector<double> A, B;
};
/// At q, v under tau. Throws std::invalid_argument with both numbers where a size is wrong.
LinearMotion linearise(const Dynamics& dynamics, VectorView<const double> q, VectorView<const double> v, VectorView<const double> tau,
                       const Effects& effects = {});

/// Of a square matrix, column by column: by the real part, the largest first; of a pair the one with positive imaginary part.
std::vector<std::complex<double>> eigenvalues(const std::vector<double>& matrix);

/// Along a run, at its output rows.
struct LinearRow {
  double t = 0;
  std::vector<double> q, v, tau;
  LinearMotion open;      // open loop: the torques are held
  std::vector<double> A;  // closed loop: square, with its memory; empty where the motion is prescribed
};
/// Throws as simulate() does, for a run that brakes or catches something (its deviations jump), and Diverged.
std::vector<LinearRow> linearise(const Scenario& scenario, const RunOptions& options = {});

/// Names of deviations of positions: those of the joints; of a planar base its positions', of a free one its velocities'.
std::vector<std::string> tangent_names(const Model& model);

/// Derivatives of a run's motion by its initial state and parameters, from the variational equations: integrated with the motion, by its integrator
/// (dormand-prince-5 in place of the implicit midpoint rule).
struct Sensitivity {
  std::vector<std::string> rows;     // q.NAME … and v.NAME …
  std::vector<std::string> columns;  // the variables of differentiation
  std::vector<double> t;             // multiples of the output step, and the end
  std::vector<double> q, v;          // one row after the other
  std::vector<double> S;             // rows × columns of each time, column by column

  const double* at(std::size_t time) const { return &S[time * rows.size() * columns.size()]; }  // The matrix at that time.
};
/// `by`: q.NAME and v.NAME of the beginning, "q" and "v" for all of them; tau.NAME, a constant torque besides the law's; kp, kd, ki, an increment of all gains;
/// payload.mass of the first one; gravity.x and so on. A reference that begins where the run does moves with q. Throws as simulate() does, for names that
/// the scenario does not have, for a run of another formulation, a prescribed motion, one that brakes or catches something, or has friction with a jump; and
/// Diverged.
Sensitivity sensitivity(const Scenario& scenario, const std::vector<std::string>& by = {"q", "v"}, const RunOptions& options = {});

}  // namespace ULNA_API
}  // namespace ulna
