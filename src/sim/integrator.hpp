// Integrators for dx/dt = f(t, x) behind one small interface: a step at a time, and the state anywhere within the last step.
// The kinds stand in <ulna/sim/scenario.hpp>; the first three are Boost.Odeint's. Its symplectic steppers need T(p) + V(q), which a robot's energy is not: M
// depends on q.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <ulna/sim/scenario.hpp>

namespace ulna::internal::sim {

using Derivative = std::function<void(double t, const double* x, double* dxdt)>;

/// The interface of the implicit midpoint rule to the system, besides f: x begins with q and v, and momenta are p = M(q) v; of a free base, those of the whole
/// robot in the world, angular about its origin and linear.
struct Momenta {
  std::size_t nq = 0;                                                                              // of q
  std::size_t n = 0;                                                                               // of v and of p
  std::function<void(const double* q, const double* v, double dt, double* to)> move;               // q after dt at constant v
  std::function<void(const double* q, const double* v, double* p)> p;                              // M v
  std::function<void(const double* q, const double* p, double* v)> v;                              // M⁻¹ p
  std::function<void(const double* q, const double* v, const double* v_dot, double* p_dot)> rate;  // M v̇ + Ṁ v; in the world, of a free base
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Begins at (t, x) and forgets all that came before: to be called after every jump of f.
  virtual void restart(double t, const std::vector<double>& x) = 0;
  /// One step, not beyond `limit`. Steps of fixed length end at multiples of it, so a step is shorter after a restart between them and before a limit.
  virtual void step(double limit) = 0;
  virtual double begin() const = 0;  // of the last step
  virtual double end() const = 0;
  virtual const std::vector<double>& state() const = 0;  // at end()
  /// Between begin() and end(): dormand-prince-5 by its own interpolant, the others by cubic Hermite interpolation (an error of order four).
  virtual void at(double t, std::vector<double>& x) = 0;
  /// Whether at() is that cubic; else it is of degree four, with the same values and slopes at both ends.
  virtual bool cubic() const = 0;
};

/// Projects x to valid states: unit quaternions. The motion must not depend on the deviation (see IntegratorKind).
using Restore = std::function<void(double* x)>;

/// `size` is that of x. `momenta` is needed by the implicit midpoint rule only. States that it gives have been restored. Throws std::invalid_argument for a
/// step or tolerance that is not positive.
std::unique_ptr<Integrator> make_integrator(const IntegratorSettings& settings, std::size_t size, Derivative f, const Momenta* momenta = nullptr,
                                            Restore restore = {});

/// One step of a fixed-length method, from (t, x) to t + h in place. `fresh`: nothing is known of earlier steps. Its makers take f by reference: it lives in
/// the object that make_integrator() returns.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void step(double t, double h, std::vector<double>& x, bool fresh) = 0;
};
std::unique_ptr<Stepper> make_rk4(const Derivative& f);
std::unique_ptr<Stepper> make_adams_bashforth(const Derivative& f, double step);

/// Exact multiples of a period: k / 100 for 0.01, so that 0.07 is the number that people write.
class Multiples {
 public:
  explicit Multiples(double period);
  double operator()(long k) const;
  /// The first multiple after t; one nearer than a billionth of the period counts as reached.
  long next(double t) const;

 private:
  double period_;
  double per_second_;  // 0 when it is no whole number
};

/// Of a step, and of a run: sums of steps round, and nothing that happens is so short.
inline constexpr double kTimeRounding = 1e-9, kRunRounding = 1e-12;

inline bool same_time(double a, double b, double step) { return std::abs(a - b) <= kTimeRounding * step; }

}  // namespace ulna::internal::sim
