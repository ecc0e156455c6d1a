#include <algorithm>
#include <cmath>

// In this order: the second does not include all that it uses.
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include <boost/numeric/odeint/stepper/dense_output_runge_kutta.hpp>

#include <boost/numeric/odeint/stepper/generation.hpp>

#include "sim/same_time.hpp"
#include "sim/steppers.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna::internal::sim {

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
    // NaN passes Odeint's test of the error, so it is looked for here.
    for (const double value : dense_.current_state())
      if (!std::isfinite(value)) throw Diverged(cat("the state is no longer finite at t = ", rounded(span.second), " s"));
    const bool reached = std::abs(span.second - limit) <= kRunRounding * std::max(std::abs(limit), left);
    begin_ = span.first;
    end_ = reached ? limit : span.second;
    dense_end_ = span.second;
    if (!reached && end_ - begin_ <= 1e-14 * std::max(1.0, std::abs(end_))) fail();
    x_ = dense_.current_state();
    if (restore_) restore_(x_.data());  // a copy: the stepper goes on from its own, whose last slope it knows
    const double proposed = dense_.current_time_step();
    fresh_ = cut;
    // A step that was cut short and went well says little about the next one.
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
  [[noreturn]] void fail() const {
    throw Diverged(cat("the step became too short to go on at t = ", rounded(end_), " s: the forces jump or grow without bound"));
  }

  Derivative f_;
  Restore restore_;
  double next_;
  Dense dense_;
  double begin_ = 0, end_ = 0, dense_end_ = 0;
  State x_;
  bool fresh_ = true;
};

}  // namespace

std::unique_ptr<Integrator> make_dormand_prince(const IntegratorSettings& settings, Derivative f, Restore restore) {
  return std::make_unique<DormandPrince>(settings, std::move(f), std::move(restore));
}

}  // namespace ulna::internal::sim
