#include <boost/numeric/odeint/stepper/adams_bashforth.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "sim/integrator.hpp"

namespace ulna::internal::sim {

namespace {

/// Odeint's arithmetic on std::vector<double>, as plain loops that a compiler can vectorise. Its own code uses iterators, which keeps gcc
/// from doing so. Number by number the operations are the same.
struct FlatAlgebra {
  // `op` works on one number of each. The results may be one of the operands, number by number, which is all that "ivdep" has to know.
#if defined(__clang__)
#define ULNA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ULNA_INDEPENDENT _Pragma("GCC ivdep")
#endif
  static void for_each2(auto& a, auto& b, auto op) { run(a.size(), op, a.data(), b.data()); }
  static void for_each3(auto& a, auto& b, auto& c, auto op) { run(a.size(), op, a.data(), b.data(), c.data()); }
  static void for_each4(auto& a, auto& b, auto& c, auto& d, auto op) { run(a.size(), op, a.data(), b.data(), c.data(), d.data()); }
  static void for_each5(auto& a, auto& b, auto& c, auto& d, auto& e, auto op) { run(a.size(), op, a.data(), b.data(), c.data(), d.data(), e.data()); }
  static void for_each6(auto& a, auto& b, auto& c, auto& d, auto& e, auto& f, auto op) {
    run(a.size(), op, a.data(), b.data(), c.data(), d.data(), e.data(), f.data());
  }

 private:
  template <class Op, class... Numbers>
  static void run(std::size_t size, Op op, Numbers*... x) {
    ULNA_INDEPENDENT
    for (std::size_t i = 0; i < size; ++i) op(x[i]...);
  }
#undef ULNA_INDEPENDENT
};

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

std::unique_ptr<Stepper> make_rk4(const Derivative& f) { return std::make_unique<Rk4>(f); }
std::unique_ptr<Stepper> make_adams_bashforth(const Derivative& f, double step) { return std::make_unique<AdamsBashforth>(f, step); }

}  // namespace ulna::internal::sim
