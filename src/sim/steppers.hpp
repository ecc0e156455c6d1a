// The integrators' makers, one file each. All take f by reference: it lives in the object that make_integrator() returns.
#pragma once

#include "sim/integrator.hpp"

namespace ulna::internal::sim {

/// One step of a fixed-length method, from (t, x) to t + h in place. `fresh`: nothing is known of earlier steps.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void step(double t, double h, std::vector<double>& x, bool fresh) = 0;
};

std::unique_ptr<Stepper> make_rk4(std::size_t size, const Derivative& f);
std::unique_ptr<Stepper> make_adams_bashforth(std::size_t size, const Derivative& f, double step);
std::unique_ptr<Stepper> make_implicit_midpoint(std::size_t size, const Derivative& f, const Momenta& momenta);

std::unique_ptr<Integrator> make_dormand_prince(const IntegratorSettings& settings, Derivative f, Restore restore);

}  // namespace ulna::internal::sim
