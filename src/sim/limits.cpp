#include "sim/limits.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::internal::sim {

LimitWatch::LimitWatch(const Model& model, std::size_t lanes, std::size_t lane, std::function<const double*(const double*)> rates) : rates_(std::move(rates)) {
  const auto coordinate_of = [&](std::size_t joint) {
    const auto found = std::find(model.independent().begin(), model.independent().end(), joint);
    return static_cast<std::size_t>(found - model.independent().begin());
  };
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed || joint.type == JointType::continuous || (std::isinf(joint.lower) && std::isinf(joint.upper))) continue;
    const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
    watched_.push_back({joint.name, (base_nq(model.base()) + coordinate_of(leader)) * lanes + lane,
                        (base_nv(model.base()) + coordinate_of(leader)) * lanes + lane, joint.mimic ? joint.mimic->multiplier : 1,
                        joint.mimic ? joint.mimic->offset : 0, joint.lower, joint.upper});
  }
}

LimitEvent LimitWatch::event(const Watched& w, double t, const double* v, int side) const {
  return {t, w.name, side > 0, side > 0 ? w.upper : w.lower, side * w.multiplier * v[w.at_v]};
}

void LimitWatch::start(const double* q, const double* v, std::vector<LimitEvent>& events) {
  for (Watched& w : watched_) {
    w.value = w.value_at(q[w.at_q]);
    w.rate = w.multiplier * v[w.at_v];
    w.side = w.side_of(w.value);
    if (w.side != 0) events.push_back(event(w, 0, v, w.side));
  }
}

const std::vector<LimitWatch::Crossing>& LimitWatch::find(Integrator& integrator) {
  crossings_.clear();
  const double *q = integrator.state().data(), *v = rates_(q), h = integrator.end() - integrator.begin();
  if (!integrator.cubic()) integrator.at(integrator.begin() + h / 2, x_);
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    Watched& w = watched_[k];
    const double value = w.value_at(q[w.at_q]), rate = w.multiplier * v[w.at_v];
    const double more = integrator.cubic() ? 0 : w.value_at(x_[w.at_q]) - ((w.value + value) / 2 + h * (w.rate - rate) / 8);
    const Curve curve = Curve::between(w.value, h * w.rate, value, h * rate, more);
    const auto [least, most] = std::minmax_element(curve.b.begin(), curve.b.end());
    if (w.side != 0 || w.side_of(*least) != 0 || w.side_of(*most) != 0) find_on(curve, k);
    w.value = value;
    w.rate = rate;
  }
  return crossings_;
}

/// Between turning points the joint goes one way, so that it crosses a limit once at most.
void LimitWatch::find_on(const Curve& curve, std::size_t watched) {
  Watched& w = watched_[watched];
  std::vector<double> turns = curve.slope().roots();
  turns.push_back(1);
  double inside = 0;
  for (const double turn : turns) {
    const int side = w.side_of(curve.at(turn));
    if (side != w.side && side != 0) {
      double low = inside, high = turn;
      for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
        (w.side_of(curve.at(middle)) == side ? high : low) = middle;
      crossings_.push_back({watched, side, high});
    }
    w.side = side;
    inside = turn;
  }
}

void LimitWatch::after(Integrator& integrator, std::vector<LimitEvent>& events) {
  const std::size_t first = events.size();
  for (const Crossing& crossing : find(integrator)) {
    const double begin = integrator.begin(), end = integrator.end();
    const double t = crossing.s == 1 ? end : std::min(begin + crossing.s * (end - begin), end);
    integrator.at(t, x_);
    events.push_back(event(watched_[crossing.watched], t, rates_(x_.data()), crossing.side));
  }
  std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(first), events.end(), [](const LimitEvent& a, const LimitEvent& b) { return a.t < b.t; });
}

bool LimitWatch::crossed(Integrator& integrator) { return !find(integrator).empty(); }

}  // namespace ulna::internal::sim
