#include <boost/numeric/odeint/stepper/adams_bashforth.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <cmath>

#include "sim/flat_algebra.hpp"
#include "sim/same_time.hpp"
#include "sim/steppers.hpp"

namespace ulna::internal::sim {

namespace {

using State = std::vector<double>;
namespace odeint = boost::numeric::odeint;
using Classic = odeint::runge_kutta4<State, double, State, double, FlatAlgebra, odeint::default_operations, odeint::initially_resizer>;

/// f as Odeint calls it.
auto system_of(const Derivative& f) {
  return [&f](const State& x, State& dxdt, double t) { f(t, x.data(), dxdt.data()); };
}

class Rk4 : public Stepper {
 public:
  explicit Rk4(const Derivative& f) : f_(f) {}
  void step(double t, double h, State& x, bool) override { stepper_.do_step(system_of(f_), x, t, h); }

 private:
  const Derivative& f_;
  Classic stepper_;
};

/// Its formula holds for equal steps: a step of another length is made by rk4, and what was known before it is dropped.
class AdamsBashforth : public Stepper {
 public:
  AdamsBashforth(const Derivative& f, double step) : f_(f), step_(step) {}

  void step(double t, double h, State& x, bool fresh) override {
    const bool whole = same_time(h, step_, step_);
    if (fresh || !whole) stepper_.reset();
    if (whole)
      stepper_.do_step(system_of(f_), x, t, h);
    else
      short_.do_step(system_of(f_), x, t, h);
  }

 private:
  const Derivative& f_;
  double step_;
  odeint::adams_bashforth<4, State, double, State, double, FlatAlgebra, odeint::default_operations, odeint::initially_resizer, Classic> stepper_;
  Classic short_;
};

}  // namespace

std::unique_ptr<Stepper> make_rk4(std::size_t, const Derivative& f) { return std::make_unique<Rk4>(f); }
std::unique_ptr<Stepper> make_adams_bashforth(std::size_t, const Derivative& f, double step) { return std::make_unique<AdamsBashforth>(f, step); }

}  // namespace ulna::internal::sim
