// Accelerations, and where it gives them torques, by any formulation of the registry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "formulation/own_speeds.hpp"

namespace ulna::internal::sim {

/// By what the formulation gives, the first that applies:
///   acceleration      as it is
///   mass, bias        a = M⁻¹ (tau - bias) by LDLᵀ, which is Lin's way
///   torque            bias = torque(a = 0), columns of M = torque(v = 0, a = e_j) less gravity, then LDLᵀ: Turney, Mudge and Lee's strobing
///   mass alone        the bias comes from the production recursion
/// Torques by the first of torque, mass and bias, mass alone.
class FormulationForward {
 public:
  /// Throws std::invalid_argument when there is no such formulation or it does not take the model.
  FormulationForward(const std::string& id, const Model& model, bool rotor, std::shared_ptr<const Speeds> speeds = {});
  /// `bias` is read where the formulation gives a matrix alone; see needs_bias(). Of the effects wrenches and the motion of the base.
  void accelerations(const double* q, const double* v, const double* tau, const double* bias, double* a, const Effects& effects);
  bool needs_bias() const { return way_ == Way::mass; }
  /// M a + bias. Throws std::logic_error where why_no_torques() says why.
  void torques(const double* q, const double* v, const double* a, const double* bias, double* tau, const Effects& effects);
  std::string why_no_torques() const;

  const Formulation& row() const { return row_; }
  /// Null where the row has none.
  OwnSpeeds* speeds() { return speeds_.get(); }
  /// Why it has no answer in a configuration; empty where it has one.
  std::string why_not_here(const double* q) { return formulation_->why_not_here(q); }
  /// How it computes, for people: "M and bias by lin, then LDLᵀ".
  std::string equations(bool torques) const;

 private:
  enum class Way { acceleration, mass_and_bias, torque, mass };
  /// Wrenches and the motion of the base, and the rotors of this robot.
  Effects with_loads(const Effects& effects) const;

  const Formulation& row_;
  Way way_;
  bool rotor_;
  std::size_t n_;
  std::unique_ptr<FormulationOnModel> formulation_;
  std::unique_ptr<OwnSpeeds> speeds_;
  std::vector<double> M_, bias_, gravity_, unit_;
};

/// Torques of a prescribed motion.
inline bool gives_torques(const Formulation& row) { return row.gives(Quantity::inverse) || row.gives(Quantity::mass); }

/// Why runs by a formulation do not take these effects; empty when they do, or when the formulation takes the robot in no case.
std::string why_no_loads(const std::string& id, const Model& model, const Effects& effects);

/// M x = b for a symmetric positive definite M, row by row, by M = L D Lᵀ in place; b becomes x. n³/6 multiplications.
void solve_ldl(std::vector<double>& M, std::size_t n, double* b);

}  // namespace ulna::internal::sim
