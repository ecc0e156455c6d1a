#include <algorithm>
#include <cmath>
#include <limits>

#include <ulna/campaign/campaign.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/draw_states.hpp"
#include "campaign/spec.hpp"
#include "sim/random.hpp"

namespace ulna {
namespace campaign ULNA_API {

using namespace internal;
using namespace internal::campaign;
using namespace ulna::internal::sim;

namespace {

constexpr std::size_t kPostures = 40'000, kColumns = 48, kRows = 48;

/// The link with the most joints before it; of several, the last.
std::size_t tip_of(const Model& model) {
  std::vector<std::size_t> depth(model.links().size());
  std::size_t tip = 0;
  for (const Joint& joint : model.joints()) {
    depth[joint.child] = depth[joint.parent] + 1;
    if (depth[joint.child] >= depth[tip]) tip = joint.child;
  }
  return tip;
}

}  // namespace

std::optional<TorqueMap> torque_map(const Campaign& campaign, std::uint64_t run) {
  const Spec& spec = campaign.spec();
  const ulna::sim::Scenario s = numbers_of(spec, drawn(spec, run)).scenario;
  Model model = s.model;
  for (const ulna::sim::Payload& p : s.payloads) model = ulna::sim::with_payload(model, p);
  const std::size_t n = model.nv();
  const auto joint = [&](std::size_t i) -> const Joint& { return model.joints()[model.independent()[i]]; };
  TorqueMap map{.run = run, .columns = kColumns, .rows = kRows};
  // Postures of a robot with loops are few of those that are drawn.
  for (std::size_t i = 0; i < n && model.base() == RootJoint::fixed && !model.closed(); ++i) map.joints.push_back({joint(i).name, 1, 0});
  if (std::none_of(map.joints.begin(), map.joints.end(),
                   [&](const TorqueMap::OfJoint& j) { return std::isfinite(joint(static_cast<std::size_t>(&j - map.joints.data())).effort); }))
    return {};
  const std::size_t tip = tip_of(model);
  map.tip = model.links()[tip].name;
  const Dynamics dynamics(model, {.rotor = s.rotor, .quantities = {Quantity::gravity, Quantity::pose}, .links = {map.tip}, .threads = 1});
  std::vector<double> q(n * kPostures), tau(n * kPostures), poses(12 * kPostures);
  for (std::size_t k = 0; k < kPostures; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const Pair u = unit_pair(spec.seed, Stream::states, k, i / 2);
      const PositionRange range = position_range(joint(i));
      q[k * n + i] = range.from + (range.to - range.from) * (i % 2 == 0 ? u.first : u.second);
    }
  dynamics.compute_batch(Quantity::gravity, {{q.data(), n, kPostures}}, {tau.data(), n, kPostures});
  dynamics.compute_batch(Quantity::pose, {{q.data(), n, kPostures}}, {poses.data(), 12, kPostures}, tip);

  // Height is against gravity, the distance is that from the vertical through the base.
  const Vec3<double> g = model.gravity();
  const double weight = std::sqrt(dot(g, g));
  const Vec3<double> up = weight > 0 ? (-1 / weight) * g : Vec3<double>{0, 0, 1};
  std::vector<double> far(kPostures), high(kPostures), margin(kPostures, 1.0);
  double overloaded = 0;
  for (std::size_t k = 0; k < kPostures; ++k) {
    const Vec3<double> p{poses[12 * k + 9], poses[12 * k + 10], poses[12 * k + 11]};
    high[k] = dot(up, p);
    const Vec3<double> aside = p - high[k] * up;
    far[k] = std::sqrt(dot(aside, aside));
    std::size_t weakest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double left = 1 - std::fabs(tau[k * n + i]) / joint(i).effort;  // 1 where there is no limit
      map.joints[i].least = std::min(map.joints[i].least, left);
      if (left < margin[k]) margin[k] = left, weakest = i;
    }
    map.joints[weakest].weakest += 1.0 / kPostures;
    overloaded += margin[k] < 0 ? 1.0 / kPostures : 0;
  }
  map.overloaded = overloaded;
  map.distance = *std::max_element(far.begin(), far.end());
  map.low = *std::min_element(high.begin(), high.end());
  map.high = *std::max_element(high.begin(), high.end());
  map.margin.assign(kColumns * kRows, std::numeric_limits<double>::quiet_NaN());
  const auto cell = [](double share, std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(std::max(0.0, share) * static_cast<double>(count)));
  };
  for (std::size_t k = 0; k < kPostures; ++k) {
    const std::size_t column = cell(map.distance > 0 ? far[k] / map.distance : 0, kColumns);
    const std::size_t row = cell(map.high > map.low ? (high[k] - map.low) / (map.high - map.low) : 0, kRows);
    double& least = map.margin[row * kColumns + column];
    least = std::isnan(least) ? margin[k] : std::min(least, margin[k]);
  }
  return map;
}

}  // namespace ULNA_API
}  // namespace ulna
