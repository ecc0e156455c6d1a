// Generalized speeds of a paper's own: what its equations of motion are integrated in, in place of the rates of the coordinates.
#pragma once

namespace ulna::internal {

/// On one robot, one entry of every vector per moving joint; u in the paper's order. Not for several threads at once. Calls throw std::domain_error where
/// the speeds are singular.
class OwnSpeeds {
 public:
  virtual ~OwnSpeeds() = default;
  virtual void from_rates(const double* q, const double* v, double* u) = 0;
  virtual void to_rates(const double* q, const double* u, double* v) = 0;
  /// du/dt under the forces of the drives, and the accelerations of the joints that belong to it.
  virtual void derivatives(const double* q, const double* u, const double* tau, double* u_dot, double* a) = 0;
  /// Formulation::constant.
  virtual double constant(const double* q, const double* u) = 0;
};

}  // namespace ulna::internal
