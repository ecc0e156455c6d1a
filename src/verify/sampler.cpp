#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

StateSampler::StateSampler(const Model& model, std::uint64_t seed) : state_(seed) {
  constexpr double kFastest = 3;  // rad/s or m/s: what arms reach
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
}

}  // namespace ULNA_API
