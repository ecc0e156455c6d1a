// Forward dynamics by any formulation of the registry, whatever it gives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>

namespace ulna::sim::internal {

/// By what the formulation gives, the first that applies:
///   acceleration      as it is
///   mass, bias        a = M⁻¹ (tau - bias) by LDLᵀ, which is Lin's way
///   torque            bias = torque(a = 0), columns of M = torque(v = 0, a = e_j) less gravity, then LDLᵀ: Turney, Mudge and Lee's strobing
///   mass alone        the bias comes from the production recursion
class FormulationForward {
 public:
  /// Throws std::invalid_argument when there is no such formulation or it does not take the model.
  FormulationForward(const std::string& id, const Model& model, bool rotor);
  /// `bias` is read where the formulation gives a matrix alone; see needs_bias(). Of the effects wrenches and the motion of the base.
  void accelerations(const double* q, const double* v, const double* tau, const double* bias, double* a, const Effects& effects);
  bool needs_bias() const { return way_ == Way::mass; }

 private:
  enum class Way { acceleration, mass_and_bias, torque, mass };
  Way way_;
  bool rotor_;
  std::size_t n_;
  std::unique_ptr<FormulationOnModel> formulation_;
  std::vector<double> M_, bias_, gravity_, unit_, zero_;
};

/// Why runs by a formulation do not take these effects; empty when they do, or when the formulation takes the robot in no case.
std::string why_no_loads(const std::string& id, const Model& model, const Effects& effects);

/// M x = b for a symmetric positive definite M, row by row, by M = L D Lᵀ in place; b becomes x. n³/6 multiplications.
void solve_ldl(std::vector<double>& M, std::size_t n, double* b);

}  // namespace ulna::sim::internal
