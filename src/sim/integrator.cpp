#include "sim/integrator.hpp"

#include <algorithm>

// In this order: the second does not include all that it uses.
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>

#include <boost/numeric/odeint/stepper/generation.hpp>

#include "text/message.hpp"

namespace ulna::internal::sim {

Multiples::Multiples(double period) : period_(period), per_second_(0) {
  const double inverse = 1 / period, whole = std::round(inverse);
  if (whole >= 1 && same_time(inverse, whole, whole)) per_second_ = whole;
}

double Multiples::operator()(long k) const { return per_second_ > 0 ? static_cast<double>(k) / per_second_ : static_cast<double>(k) * period_; }

long Multiples::next(double t) const {
  long k = static_cast<long>(std::floor(t / period_)) - 1;
  while ((*this)(k) <= t + kTimeRounding * period_) ++k;
  return k;
}

namespace {

namespace odeint = boost::numeric::odeint;
using State = std::vector<double>;
using Dense = odeint::result_of::make_dense_output<odeint::runge_kutta_dopri5<State>>::type;

class DormandPrince : public Integrator {
 public:
  DormandPrince(const IntegratorSettings& settings, Derivative f, Restore restore)
      : f_(std::move(f)),
        restore_(std::move(restore)),
        next_(settings.step),
        dense_(odeint::make_dense_output(settings.tolerance, settings.tolerance, odeint::runge_kutta_dopri5<State>())) {}

  void restart(double t, const State& x) override {
    begin_ = end_ = t;
    x_ = x;
    fresh_ = true;
  }

  void step(double limit) override {
    // The stepper goes as far as it likes: where that is beyond the limit, it starts anew with the length that is left. Its own choice is kept for later.
    const double left = limit - end_;
    const bool cut = next_ >= left * (1 - kRunRounding);
    if (fresh_ || cut) dense_.initialize(x_, end_, cut ? left : next_);
    const auto system = [this](const State& x, State& dxdt, double t) { f_(t, x.data(), dxdt.data()); };
    std::pair<double, double> span;
    try {
      span = dense_.do_step(system);
    } catch (const odeint::odeint_error&) {
      fail();
    }
    // NaN passes Odeint's test of the error, so it is tested here.
    for (const double value : dense_.current_state())
      if (!std::isfinite(value)) throw Diverged(cat("the state is no longer finite at t = ", rounded(span.second), " s"));
    const bool reached = std::abs(span.second - limit) <= kRunRounding * std::max(std::abs(limit), left);
    begin_ = span.first;
    end_ = reached ? limit : span.second;
    dense_end_ = span.second;
    if (!reached && end_ - begin_ <= 1e-14 * std::max(1.0, std::abs(end_))) fail();
    x_ = dense_.current_state();
    if (restore_) restore_(x_.data());  // a copy: the stepper continues from its own state and last slope
    const double proposed = dense_.current_time_step();
    fresh_ = cut;
    // A step that was cut short says little about the next one.
    next_ = cut && reached ? std::max(next_, proposed) : proposed;
  }

  double begin() const override { return begin_; }
  double end() const override { return end_; }
  const State& state() const override { return x_; }
  bool cubic() const override { return false; }

  void at(double t, State& x) override {
    x.resize(x_.size());
    if (t == end_) {
      x = x_;
      return;
    }
    dense_.calc_state(std::min(t, dense_end_), x);
    if (restore_) restore_(x.data());
  }

 private:
  [[noreturn]] void fail() const { throw Diverged(cat("the step became too short at t = ", rounded(end_), " s: the forces jump or grow without bound")); }

  Derivative f_;
  Restore restore_;
  double next_;
  Dense dense_;
  double begin_ = 0, end_ = 0, dense_end_ = 0;
  State x_;
  bool fresh_ = true;
};

/// The implicit midpoint rule in q and p = M(q) v, and by plain midpoints for what else the state holds:
///
///   q1 = q0 + h v,   p1 = p0 + h ṗ(q̄, v),   q̄ = (q0 + q1) / 2,   M(q̄) v = (p0 + p1) / 2 = p0 + h/2 ṗ(q̄, v)
///
/// A free base moves along the screw of its velocity: q1 = q0 exp(h v), q̄ = q0 exp(h/2 v), and its part of p is the robot's momentum in the world, which is
/// rotated into the base's axes where M is (the midpoint rule on a Lie group, as in P. Krysl, "Explicit momentum-conserving integrator for dynamics of rigid
/// bodies approximating the midpoint Lie algorithm", Int. J. Numer. Meth. Engng 63, 2005).
///
/// On a fixed base it is symplectic; on any base it is symmetric in time, of order two, and keeps every momentum that is conserved (they are linear in p). The
/// midpoint's v is found by fixed-point iteration: each round halves the error at least where h is small against the fastest oscillation, and costs one f and
/// one M⁻¹.
class ImplicitMidpoint : public Stepper {
 public:
  ImplicitMidpoint(std::size_t size, const Derivative& f, const Momenta& momenta)
      : f_(f), momenta_(momenta), middle_(size), slope_(size), before_(momenta.nq), p_(momenta.n), rate_(momenta.n), v_(momenta.n), right_(momenta.n) {}

  void step(double t, double h, State& x, bool) override {
    const std::size_t nq = momenta_.nq, n = momenta_.n, size = x.size();
    momenta_.p(x.data(), x.data() + nq, p_.data());
    std::copy_n(x.data(), nq, before_.begin());
    std::copy_n(x.data() + nq, n, v_.begin());
    middle_ = x;
    double change = 0, last = INFINITY;
    int round = 0;
    do {
      if (++round > kMostRounds) throw Diverged(cat("the implicit midpoint rule does not converge at t = ", rounded(t), " s: make the step smaller"));
      momenta_.move(before_.data(), v_.data(), h / 2, middle_.data());
      std::copy_n(v_.data(), n, middle_.data() + nq);
      f_(t + h / 2, middle_.data(), slope_.data());
      momenta_.rate(middle_.data(), v_.data(), slope_.data() + nq, rate_.data());
      for (std::size_t i = 0; i < n; ++i) right_[i] = p_[i] + h / 2 * rate_[i];
      momenta_.v(middle_.data(), right_.data(), v_.data());
      last = change > 0 ? change : INFINITY;
      change = 0;
      double size_of_v = 1e-3;
      for (std::size_t i = 0; i < n; ++i) {
        change = std::max(change, std::abs(v_[i] - middle_[nq + i]));
        size_of_v = std::max(size_of_v, std::abs(v_[i]));
      }
      if (!std::isfinite(change)) throw Diverged(cat("the state is no longer finite at t = ", rounded(t), " s"));
      for (std::size_t i = nq + n; i < size; ++i) middle_[i] = x[i] + h / 2 * slope_[i];
      // Rounding ends the iteration where the changes no longer shrink.
      if (change <= 1e-15 * size_of_v || (change <= 1e-12 * size_of_v && change >= last)) break;
    } while (true);
    momenta_.move(before_.data(), v_.data(), h, x.data());
    for (std::size_t i = 0; i < n; ++i) p_[i] += h * rate_[i];
    momenta_.v(x.data(), p_.data(), x.data() + nq);
    for (std::size_t i = nq + n; i < size; ++i) x[i] += h * slope_[i];
  }

 private:
  static constexpr int kMostRounds = 100;
  const Derivative& f_;
  Momenta momenta_;
  std::vector<double> middle_, slope_, before_, p_, rate_, v_, right_;
};

/// Steps of one length, on the grid of its multiples.
class FixedStep : public Integrator {
 public:
  FixedStep(double step, Derivative f, std::size_t size, Restore restore)
      : grid_(step), step_(step), f_(std::move(f)), restore_(std::move(restore)), slope_begin_(size), slope_end_(size) {}
  void set(std::unique_ptr<Stepper> stepper) { stepper_ = std::move(stepper); }
  const Derivative& derivative() const { return f_; }

  void restart(double t, const std::vector<double>& x) override {
    begin_ = end_ = t;
    x_ = before_ = x;
    fresh_ = true;
    next_ = grid_.next(t);
  }

  void step(double limit) override {
    begin_ = end_;
    before_ = x_;
    const double target = grid_(next_);
    end_ = target < limit && !same_time(target, limit, step_) ? target : limit;  // no step is as short as rounding
    next_ = end_ == target ? next_ + 1 : grid_.next(end_);
    stepper_->step(begin_, end_ - begin_, x_, fresh_);
    if (restore_) restore_(x_.data());
    fresh_ = false;
    slopes_known_ = false;
  }

  double begin() const override { return begin_; }
  double end() const override { return end_; }
  const std::vector<double>& state() const override { return x_; }
  bool cubic() const override { return true; }

  void at(double t, std::vector<double>& x) override {
    if (t == end_) {
      x = x_;
      return;
    }
    if (!slopes_known_) {
      f_(begin_, before_.data(), slope_begin_.data());
      f_(end_, x_.data(), slope_end_.data());
      slopes_known_ = true;
    }
    const double h = end_ - begin_, s = (t - begin_) / h;
    const double h10 = s * (1 - s) * (1 - s), h01 = s * s * (3 - 2 * s), h11 = s * s * (s - 1);
    x.resize(x_.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = before_[i] + (h01 * (x_[i] - before_[i]) + h * (h10 * slope_begin_[i] + h11 * slope_end_[i]));  // what stands, stands
    if (restore_) restore_(x.data());
  }

 private:
  Multiples grid_;
  double step_;
  Derivative f_;
  Restore restore_;
  std::unique_ptr<Stepper> stepper_;
  double begin_ = 0, end_ = 0;
  std::vector<double> x_, before_, slope_begin_, slope_end_;
  long next_ = 1;  // multiple of the step that comes after end_
  bool fresh_ = true, slopes_known_ = false;
};

}  // namespace

std::unique_ptr<Integrator> make_integrator(const IntegratorSettings& settings, std::size_t size, Derivative f, const Momenta* momenta, Restore restore) {
  if (!(settings.step > 0) || !std::isfinite(settings.step)) throw std::invalid_argument(cat("the step must be positive, but it is ", settings.step));
  if (settings.kind == IntegratorKind::dormand_prince_5) {
    if (!(settings.tolerance > 0) || !std::isfinite(settings.tolerance))
      throw std::invalid_argument(cat("the tolerance must be positive, but it is ", settings.tolerance));
    return std::make_unique<DormandPrince>(settings, std::move(f), std::move(restore));
  }
  auto fixed = std::make_unique<FixedStep>(settings.step, std::move(f), size, std::move(restore));
  switch (settings.kind) {
    case IntegratorKind::rk4: fixed->set(make_rk4(fixed->derivative())); break;
    case IntegratorKind::adams_bashforth_4: fixed->set(make_adams_bashforth(fixed->derivative(), settings.step)); break;
    default:
      if (momenta == nullptr) throw std::invalid_argument("the implicit midpoint rule needs the system's momenta");
      fixed->set(std::make_unique<ImplicitMidpoint>(size, fixed->derivative(), *momenta));
  }
  return fixed;
}

}  // namespace ulna::internal::sim
