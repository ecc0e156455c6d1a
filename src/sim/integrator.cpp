#include "sim/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "sim/same_time.hpp"
#include "sim/steppers.hpp"
#include "text/cat.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"rk4", "adams-bashforth-4", "dormand-prince-5", "implicit-midpoint"};
  return names;
}

std::string_view to_string(IntegratorKind kind) { return integrator_names()[static_cast<std::size_t>(kind)]; }

}  // namespace ULNA_API
}  // namespace ulna

namespace ulna::internal::sim {

namespace {

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
    return make_dormand_prince(settings, std::move(f), std::move(restore));
  }
  auto fixed = std::make_unique<FixedStep>(settings.step, std::move(f), size, std::move(restore));
  switch (settings.kind) {
    case IntegratorKind::rk4: fixed->set(make_rk4(size, fixed->derivative())); break;
    case IntegratorKind::adams_bashforth_4: fixed->set(make_adams_bashforth(size, fixed->derivative(), settings.step)); break;
    default:
      if (momenta == nullptr) throw std::invalid_argument("the implicit midpoint rule needs the system's momenta");
      fixed->set(make_implicit_midpoint(size, fixed->derivative(), *momenta));
  }
  return fixed;
}

}  // namespace ulna::internal::sim
