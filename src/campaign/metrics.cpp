#include "campaign/spec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ulna/model/model.hpp>
#include <ulna/sim/simulate.hpp>

#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;

namespace {

bool any(const std::vector<bool>& flags, bool what) { return std::find(flags.begin(), flags.end(), what) != flags.end(); }
bool any_finite(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

std::vector<double> of_joints(const Model& model, double Joint::*number) {
  std::vector<double> out;
  for (const std::size_t j : model.driven()) out.push_back(model.joints()[j].*number);
  return out;
}
std::vector<bool> slides(const Model& model) {
  std::vector<bool> out;
  for (const std::size_t j : model.driven()) out.push_back(model.joints()[j].type == JointType::prismatic);
  return out;
}
/// Largest magnitude and sum of squares of numbers that come one after the other, in lanes.
void add(const double* x, std::size_t lanes, double* __restrict peak, double* __restrict square) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double size = std::fabs(x[l]);
    peak[l] = size > peak[l] ? size : peak[l];
    square[l] += size * size;
  }
}
bool follows(const Spec& spec) { return spec.nominal.scenario.reference.kind != sim::ReferenceKind::none; }

}  // namespace

std::vector<std::string> leading_columns(const Spec& spec) {
  std::vector<std::string> names{"run", "status", "reason"};
  for (const Variation& v : spec.variations)
    names.push_back(cat(v.parameter.name, v.use == Use::offset ? " offset" : v.use == Use::factor ? " factor" : "", " [", v.unit, "]"));
  return names;
}

std::vector<std::string> metric_names(const Spec& spec) {
  const Model& model = spec.nominal.scenario.model;
  const std::vector<bool> linear = slides(model);
  std::vector<std::string> names;
  if (follows(spec)) {
    for (const bool along : {false, true}) {
      if (!any(linear, along)) continue;
      names.push_back(along ? "tracking_peak.linear [m]" : "tracking_peak [rad]");
      names.push_back(along ? "tracking_rms.linear [m]" : "tracking_rms [rad]");
    }
    names.emplace_back("settling_time [s]");
  }
  if (any_finite(of_joints(model, &Joint::effort))) names.insert(names.end(), {"torque_peak_of_limit [1]", "torque_rms_of_limit [1]"});
  if (any_finite(of_joints(model, &Joint::velocity))) names.emplace_back("speed_peak_of_limit [1]");
  const std::vector<std::size_t> joints = model.driven();
  for (const char* what : {"torque_peak.", "torque_rms."})
    for (std::size_t i = 0; i < joints.size(); ++i) names.push_back(cat(what, model.joints()[joints[i]].name, linear[i] ? " [N]" : " [Nm]"));
  names.insert(names.end(), {"energy [J]", "limit_violations [1]"});
  if (any_finite(of_joints(model, &Joint::effort))) names.emplace_back("torque_violations [1]");
  return names;
}

Metrics::Metrics(const Spec& spec, std::size_t lanes)
    : spec_(spec),
      n_(spec.nominal.scenario.model.driven().size()),
      lanes_(lanes),
      follows_(follows(spec)),
      lower_(of_joints(spec.nominal.scenario.model, &Joint::lower)),
      upper_(of_joints(spec.nominal.scenario.model, &Joint::upper)),
      speed_(of_joints(spec.nominal.scenario.model, &Joint::velocity)),
      effort_(of_joints(spec.nominal.scenario.model, &Joint::effort)),
      slides_(slides(spec.nominal.scenario.model)) {
  for (std::vector<double>* of_each : {&peak_error_, &square_error_, &peak_tau_, &square_tau_, &peak_speed_}) of_each->assign(n_ * lanes_, 0.0);
  energy_.assign(lanes_, 0.0);
  violations_.assign(lanes_, 0.0);
  overloads_.assign(lanes_, 0.0);
  outside_.assign(lanes_, -1.0);
}

void Metrics::state(std::uint64_t k, const double* error, const double* q, const double* v) {
  const double now = static_cast<double>(k), band = spec_.settle;
  double* __restrict outside = outside_.data();
  double* __restrict violations = violations_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    const double lower = lower_[i], upper = upper_[i], fastest = speed_[i];
    const double* qi = q + i * lanes_;
    const double* vi = v + i * lanes_;
    double* __restrict peak_speed = &peak_speed_[i * lanes_];
    for (std::size_t l = 0; l < lanes_; ++l) {
      const double speed = std::fabs(vi[l]);
      peak_speed[l] = speed > peak_speed[l] ? speed : peak_speed[l];
      violations[l] += qi[l] < lower || qi[l] > upper || speed > fastest ? 1.0 : 0.0;
    }
    if (error == nullptr) continue;
    const double* ei = error + i * lanes_;
    add(ei, lanes_, &peak_error_[i * lanes_], &square_error_[i * lanes_]);
    for (std::size_t l = 0; l < lanes_; ++l) outside[l] = std::fabs(ei[l]) > band ? now : outside[l];
  }
}

void Metrics::drive(const double* tau, const double* moved) {
  double* __restrict energy = energy_.data();
  double* __restrict overloads = overloads_.data();
  for (std::size_t i = 0; i < n_; ++i) {
    const double* ti = tau + i * lanes_;
    const double* mi = moved + i * lanes_;
    const double most = effort_[i];
    add(ti, lanes_, &peak_tau_[i * lanes_], &square_tau_[i * lanes_]);
    for (std::size_t l = 0; l < lanes_; ++l) {
      energy[l] += std::fabs(ti[l] * mi[l]);  // the work of a torque that is held is exactly this
      overloads[l] += std::fabs(ti[l]) > most ? 1.0 : 0.0;
    }
  }
}

std::vector<double> Metrics::of(std::size_t lane, double reference_end) const {
  const double samples = static_cast<double>(spec_.samples);
  const auto at = [&](const std::vector<double>& x, std::size_t i) { return x[i * lanes_ + lane]; };
  std::vector<double> out;
  if (follows_) {
    for (const bool along : {false, true}) {
      if (!any(slides_, along)) continue;
      double peak = 0, square = 0, count = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        if (slides_[i] != along) continue;
        peak = std::max(peak, at(peak_error_, i));
        square += at(square_error_, i);
        ++count;
      }
      out.push_back(peak);
      out.push_back(std::sqrt(square / (count * (samples + 1))));
    }
    const double settled = (outside_[lane] + 1) * spec_.nominal.scenario.control.period - reference_end;
    out.push_back(outside_[lane] >= samples ? std::numeric_limits<double>::quiet_NaN() : std::max(0.0, settled));
  }
  const auto share = [&](const std::vector<double>& x, const std::vector<double>& limit, bool squared) {
    double most = 0;
    for (std::size_t i = 0; i < n_; ++i) most = std::max(most, (squared ? std::sqrt(at(x, i) / samples) : at(x, i)) / limit[i]);
    return most;
  };
  if (any_finite(effort_)) {
    out.push_back(share(peak_tau_, effort_, false));
    out.push_back(share(square_tau_, effort_, true));
  }
  if (any_finite(speed_)) out.push_back(share(peak_speed_, speed_, false));
  for (std::size_t i = 0; i < n_; ++i) out.push_back(at(peak_tau_, i));
  for (std::size_t i = 0; i < n_; ++i) out.push_back(std::sqrt(at(square_tau_, i) / samples));
  out.push_back(energy_[lane]);
  out.push_back(violations_[lane]);
  if (any_finite(effort_)) out.push_back(overloads_[lane]);
  return out;
}

}  // namespace ulna::internal::campaign
