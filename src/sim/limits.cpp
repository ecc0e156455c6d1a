#include "sim/limits.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::sim {

LimitWatch::LimitWatch(const Model& model, std::size_t lanes, std::size_t lane) : speeds_(static_cast<std::size_t>(model.nv()) * lanes) {
  const auto coordinate_of = [&](int joint) {
    const auto found = std::find(model.independent().begin(), model.independent().end(), joint);
    return static_cast<std::size_t>(found - model.independent().begin()) * lanes + lane;
  };
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed || joint.type == JointType::continuous || (std::isinf(joint.lower) && std::isinf(joint.upper))) continue;
    const int leader = joint.mimic ? joint.mimic->leader : static_cast<int>(j);
    watched_.push_back(
        {joint.name, coordinate_of(leader), joint.mimic ? joint.mimic->multiplier : 1, joint.mimic ? joint.mimic->offset : 0, joint.lower, joint.upper});
  }
}

LimitEvent LimitWatch::event(const Watched& w, double t, const double* v, int side) const {
  return {t, w.name, side > 0, side > 0 ? w.upper : w.lower, side * w.multiplier * v[w.coordinate]};
}

void LimitWatch::start(const double* q, const double* v, std::vector<LimitEvent>& events) {
  for (Watched& w : watched_) {
    w.side = w.side_of(q);
    if (w.side != 0) events.push_back(event(w, 0, v, w.side));
  }
}

void LimitWatch::after(Integrator& integrator, std::vector<LimitEvent>& events) {
  const std::size_t first = events.size();
  for (Watched& w : watched_) {
    const int side = w.side_of(integrator.state().data());
    if (side == w.side) continue;
    w.side = side;
    if (side == 0) continue;  // it came back
    double inside = integrator.begin(), outside = integrator.end();
    for (int round = 0; round < 60 && outside - inside > 1e-13 * std::max(1.0, outside); ++round) {
      const double middle = (inside + outside) / 2;
      integrator.at(middle, x_);
      (w.side_of(x_.data()) == side ? outside : inside) = middle;
    }
    integrator.at(outside, x_);
    events.push_back(event(w, outside, x_.data() + speeds_, side));
  }
  std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(first), events.end(), [](const LimitEvent& a, const LimitEvent& b) { return a.t < b.t; });
}

bool LimitWatch::crossed(const double* q) {
  bool any = false;
  for (Watched& w : watched_) {
    const int side = w.side_of(q);
    any = any || (side != 0 && side != w.side);
    w.side = side;
  }
  return any;
}

}  // namespace ulna::sim
