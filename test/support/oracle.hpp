// Slow, plain and independent: dynamics of a Model by d'Alembert's principle in world axes, in long double and with Eigen. It shares no code
// with the library's kernels, plans or spatial algebra; it walks every link, fixed ones included.
#pragma once

#include <vector>

#include <Eigen/Dense>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/model/model.hpp>

namespace ulna::test {

using Real = long double;
using Reals = std::vector<Real>;
using RealVector3 = Eigen::Matrix<Real, 3, 1>;
using RealMatrix3 = Eigen::Matrix<Real, 3, 3>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

Reals reals(const std::vector<double>& numbers);
std::vector<double> doubles(const RealVector& numbers);
Eigen::MatrixXd doubles(const RealMatrix& numbers);

/// One link at one instant. W is the root link's frame; the root link itself moves as BaseMotion says.
struct OracleLink {
  RealMatrix3 R_WL;
  RealVector3 p_WL;
  RealVector3 w, alpha;                         // angular velocity and acceleration, in W
  RealVector3 v, a;                             // of the origin, in W
  RealMatrix J_angular;                         // 3 x nv: partial angular velocities
  RealMatrix J_origin;                          // 3 x nv: partial velocities of the origin
  Real w_size = 0, alpha_size = 0, a_size = 0;  // sums of the sizes of all terms that make up w, alpha and a
};

class Oracle {
 public:
  Oracle(const Model& model, const Reals& q, const Reals& v, const Reals& a, const Effects& effects = {});
  Oracle(const Model& model, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a, const Effects& effects = {})
      : Oracle(model, reals(q), reals(v), reals(a), effects) {}

  const OracleLink& link(std::size_t i) const { return links_[i]; }
  RealVector torques() const;
  /// Largest sum of absolute terms that a torque is made of: torques of this size may cancel, so rounding is relative to it.
  double torque_size() const;
  RealMatrix mass_matrix() const;
  Real kinetic() const;
  Real potential() const;
  RealVector3 linear_momentum() const;
  RealVector3 angular_momentum() const;  // about the root link's origin
  RealVector3 mass_centre() const;
  RealMatrix jacobian(std::size_t link) const;  // 6 x nv, angular rows first

 private:
  RealMatrix J_com(std::size_t i) const;
  RealVector3 com_arm(std::size_t i) const;  // from the link's origin, in W
  RealMatrix3 inertia_W(std::size_t i) const;

  const Model& model_;
  Effects effects_;
  std::vector<OracleLink> links_;
  // of each joint
  Reals rate_, acceleration_, multiplier_;
  std::vector<RealVector3> ball_rate_, ball_acceleration_;  // of ball joints, in the axes of their children
  std::vector<std::size_t> coordinate_;
};

/// The matrix G of q_all = G r + q0, from the independent coordinates to all moving joints in the order of Model::joints().
Eigen::MatrixXd coupling_matrix(const Model& model);

}  // namespace ulna::test
