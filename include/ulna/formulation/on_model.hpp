// A formulation on a whole model: couplings, rotors and friction around the rigid bodies that the papers treat.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/dynamics/effects.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna {

/// Why a formulation does not give a quantity of a model; empty when it does.
std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

/// One formulation on one model, in the model's independent coordinates: q = G r + q0, tau = Gᵀ tau, M = Gᵀ M G. Rotor inertia and friction are added as in the
/// production path, and bad inputs make every result NaN as there. Not for several threads at once.
class FormulationOnModel {
 public:
  /// Throws std::invalid_argument with why_not().
  FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

  /// A quantity that the formulation gives; null inputs are zeros. Of the effects rotor and friction; accelerations always have rotors.
  void compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects = {});

  /// Why it has no right answer in this configuration; empty where it has one, and where a bad input makes every result NaN. See Evaluator::why_not_here().
  std::string why_not_here(const double* q);
  /// How far each torque may be off in this state, rounding aside; zeros but for a formulation that interpolates.
  void error_bound(const double* q, const double* v, const double* a, double* bound);

  /// Of the last call: see Formulation::amplification.
  double amplification() const { return amplification_ == nullptr ? 1 : amplification_(q_.data()); }

 private:
  /// The state of the moving joints. False when it is bad: then results are NaN, and the formulation, which may refuse NaN, is not asked.
  bool expand(const double* q, const double* v, const double* a);

  struct Coupling {
    std::size_t coordinate;
    bool prismatic;
    double multiplier, offset, rotor, viscous, coulomb;
  };
  Plan plan_;
  std::vector<Coupling> couplings_;  // one per moving joint
  std::size_t nv_ = 0;
  double (*amplification_)(const double*) = nullptr;
  std::unique_ptr<Evaluator<double>> evaluator_;
  std::vector<double> q_, v_, a_, out_;
};

}  // namespace ulna
