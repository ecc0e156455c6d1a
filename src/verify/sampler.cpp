#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

StateSampler::StateSampler(const Model& model, std::uint64_t seed) : free_(model.base() == RootJoint::free), state_(seed) {
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

void StateSampler::next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
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

}  // namespace ULNA_API
