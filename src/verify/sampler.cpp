#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <ulna/verify/verify.hpp>

#include "verify/loop_states.hpp"

namespace ulna ULNA_API {

/// Makes states of the tree those of a robot with loops.
struct StateSampler::Loops {
  explicit Loops(const Model& model)
      : robot(model), closer(Mechanism::of(model)), plan(make_plan(model)), ws(plan), pivots(internal::pivots_at(plan, ws, model.reference())) {}

  /// On the circuit of the reference, away from singular assemblies, and where the order of elimination that kernels have loses no digits.
  bool close(std::vector<double>& q) {
    constexpr double kClear = 0.05, kSound = 0.25;  // Closure::singularity; pivots, of what they are at the reference
    const Closure closure = closer.assemble(q);
    if (!closure.closed || closure.crossed || !(closure.singularity > std::min(kClear, robot.singularity() / 2))) return false;
    const std::vector<double> here = internal::pivots_at(plan, ws, q);
    for (std::size_t k = 0; k < here.size(); ++k)
      if (!(here[k] * pivots[k] > kSound * pivots[k] * pivots[k])) return false;
    return true;
  }

  void close(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
    constexpr double kLeast = 1e-6;  // of the way
    const std::vector<double> drawn = q, reference = robot.reference();
    for (double part = 1;; part = part > kLeast ? part / 2 : 0) {
      for (std::size_t i = base_nq(robot.base()); i < q.size(); ++i) q[i] = reference[i];
      for (const std::size_t i : robot.independent_positions()) q[i] += part * (drawn[i] - q[i]);
      if (part == 0 || close(q)) break;  // the reference is closed
    }
    for (std::vector<double>* x : {&v, &a}) {
      std::vector<double> independent;
      for (const std::size_t k : plan.order.independent) independent.push_back((*x)[k]);
      *x = std::move(independent);
    }
  }

  Model robot;
  Mechanism closer;
  Plan plan;
  Workspace ws;
  std::vector<double> pivots;  // of the reference
};

StateSampler::StateSampler(const Model& model, std::uint64_t seed)
    : free_(model.base() == RootJoint::free), state_(seed), loops_(model.closed() ? std::make_shared<Loops>(model) : nullptr) {
  constexpr double kFastest = 3;  // rad/s or m/s: what arms reach
  if (model.base() == RootJoint::planar) {
    lower_ = {-1, -1, -std::numbers::pi};
    upper_ = {1, 1, std::numbers::pi};
    speed_.assign(3, kFastest);
  }
  for (const std::size_t j : model.independent()) {
    const Joint& joint = model.joints()[j];
    const double reach = joint.type == JointType::prismatic ? 1 : std::numbers::pi;
    lower_.push_back(std::isfinite(joint.lower) ? joint.lower : -reach);
    upper_.push_back(std::isfinite(joint.upper) ? joint.upper : reach);
    speed_.push_back(joint.velocity > 0 ? std::min(kFastest, joint.velocity) : kFastest);  // a limit of 0 is one that nobody knew: such a joint moves, too
  }
}

/// splitmix64 (Steele, Lea & Flood 2014): the same states on every machine.
double StateSampler::uniform(double low, double high) {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return low + (high - low) * (static_cast<double>(z >> 11) * 0x1p-53);
}

void StateSampler::draw(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
  constexpr double kAcceleration = 5;  // rad/s² or m/s²
  const std::size_t n = lower_.size();
  q.resize(n);
  v.resize(n);
  a.resize(n);
  for (std::size_t i = 0; i < n; ++i) q[i] = uniform(lower_[i], upper_[i]);
  for (std::size_t i = 0; i < n; ++i) v[i] = uniform(-speed_[i], speed_[i]);
  for (std::size_t i = 0; i < n; ++i) a[i] = uniform(-kAcceleration, kAcceleration);
  if (!free_) return;
  // Any attitude with the same chance (K. Shoemake, Uniform random rotations, in D. Kirk (ed.), Graphics Gems III, 1992).
  const double part = uniform(0, 1), first = uniform(0, 2 * std::numbers::pi), second = uniform(0, 2 * std::numbers::pi);
  const double base[7] = {uniform(-1, 1),
                          uniform(-1, 1),
                          uniform(-1, 1),
                          std::sqrt(1 - part) * std::sin(first),
                          std::sqrt(1 - part) * std::cos(first),
                          std::sqrt(part) * std::sin(second),
                          std::sqrt(part) * std::cos(second)};
  q.insert(q.begin(), std::begin(base), std::end(base));
  constexpr double kBase = 2;  // rad/s or m/s
  for (std::vector<double>* x : {&v, &a}) {
    double six[6];
    for (double& number : six) number = uniform(-kBase, kBase);
    x->insert(x->begin(), std::begin(six), std::end(six));
  }
}

void StateSampler::next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
  draw(q, v, a);
  if (loops_ != nullptr) loops_->close(q, v, a);
}

}  // namespace ULNA_API
