#include "samples.hpp"

#include <fstream>

#include "../simulated.hpp"

namespace ulna::cli {

namespace {

/// q and v, one after the other, after bench::kSimulatedSteps steps under torques that stay as they are, by the rule of Runge and Kutta as it stands in books,
/// on the plain templates: neither machine code nor the simulation library is in it.
std::vector<double> simulated(const Plan& plan, std::vector<double> q, std::vector<double> v, const std::vector<double>& tau) {
  constexpr double h = bench::kSimulatedStep;
  const std::size_t n = q.size();
  Workspace workspace(plan);
  std::vector<double> speed[4], slope[4], place(n);
  for (int step = 0; step < bench::kSimulatedSteps; ++step) {
    for (std::size_t stage = 0; stage < 4; ++stage) {
      const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      place = q;
      speed[stage] = v;
      if (stage > 0)
        for (std::size_t i = 0; i < n; ++i) {
          place[i] += part * speed[stage - 1][i];
          speed[stage][i] += part * slope[stage - 1][i];
        }
      slope[stage].resize(n);
      forward_dynamics(plan, workspace, place, speed[stage], tau, slope[stage]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      q[i] += h / 6 * (speed[0][i] + 2 * speed[1][i] + 2 * speed[2][i] + speed[3][i]);
      v[i] += h / 6 * (slope[0][i] + 2 * slope[1][i] + 2 * slope[2][i] + slope[3][i]);
    }
  }
  q.insert(q.end(), v.begin(), v.end());
  return q;
}

/// The largest difference of a position and of a speed, in parts of the largest one there is (of 1 rad or 1 rad/s where that is more).
double simulated_difference(const std::vector<double>& result, const std::vector<double>& exact) {
  double worst = 0;
  const std::size_t n = exact.size() / 2;
  for (const std::size_t begin : {std::size_t{0}, n}) {
    double scale = 1, off = 0;
    for (std::size_t i = begin; i < begin + n; ++i) {
      scale = std::max(scale, std::abs(exact[i]));
      const double difference = std::abs(result[i] - exact[i]);
      if (!(difference <= off)) off = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
    worst = std::max(worst, off / scale);
  }
  return worst;
}

}  // namespace

Samples::Samples(const Model& model, std::size_t count) : model_(model), plan_(make_plan(model)), reference_(model), n_(model.nv()), count_(count) {
  StateSampler sampler(model, 1);
  std::vector<double> q, v, a;
  for (std::size_t k = 0; k < count; ++k) {
    sampler.next(q, v, a);
    const auto wide = [](const std::vector<double>& x) { return std::vector<long double>(x.begin(), x.end()); };
    std::vector<long double> tau(n_);
    reference_.torque(wide(q), wide(v), wide(a), tau);
    q_.insert(q_.end(), q.begin(), q.end());
    v_.insert(v_.end(), v.begin(), v.end());
    a_.insert(a_.end(), a.begin(), a.end());
    for (const long double t : tau) tau_.push_back(static_cast<double>(t));
  }
}

void Samples::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  const std::uint64_t sizes[3] = {model_.nq(), n_, count_};
  file.write(reinterpret_cast<const char*>(sizes), sizeof sizes);
  for (const std::vector<double>* part : {&q_, &v_, &a_, &tau_})
    file.write(reinterpret_cast<const char*>(part->data()), static_cast<std::streamsize>(part->size() * sizeof(double)));
  file.close();
  if (!file) throw std::runtime_error(cat("cannot write ", in_quotes(path)));
}

std::optional<Quantity> Samples::quantity_of(const std::string& task) {
  if (task == "derivatives") return Quantity::inverse_derivatives;
  if (task == "forward-derivatives") return Quantity::forward_derivatives;
  const QuantityRow* row = find_quantity(task);
  return row == nullptr ? std::nullopt : std::optional(row->quantity);
}

double Samples::difference(const std::string& task, std::size_t k, const std::vector<double>& result) {
  if (task == "simulate") return simulated_difference(result, end_of(k));
  const Bounds::Exact exact = bounds(k).of(*quantity_of(task));
  // An entry that is zero whatever the state (a torque does not change with a base's position) has no bound of its own; other libraries compute it with the
  // rounding of the rest, so the largest bound is its measure.
  const double largest = *std::max_element(exact.bound.begin(), exact.bound.end());
  double worst = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double off = static_cast<double>(std::abs(result[i] - exact.value[i]));
    if (off == 0) continue;
    const double relative = off / (exact.bound[i] > 0 ? exact.bound[i] : largest);
    worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(worst, relative);
  }
  return worst;
}

std::vector<double> Samples::at(const std::vector<double>& x, std::size_t k) const {
  const std::size_t n = &x == &q_ ? model_.nq() : n_;
  return {x.begin() + static_cast<std::ptrdiff_t>(k * n), x.begin() + static_cast<std::ptrdiff_t>((k + 1) * n)};
}

const Bounds& Samples::bounds(std::size_t k) {
  std::unique_ptr<Bounds>& known = bounds_[k];
  if (!known) known = std::make_unique<Bounds>(reference_, model_, at(q_, k), at(v_, k), at(a_, k));
  return *known;
}

const std::vector<double>& Samples::end_of(std::size_t k) {
  std::vector<double>& known = ends_[k];
  if (known.empty()) known = simulated(plan_, at(q_, k), at(v_, k), at(tau_, k));
  return known;
}

}  // namespace ulna::cli
