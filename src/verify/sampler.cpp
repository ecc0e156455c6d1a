#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

/// Makes states of the tree those of a robot with loops.
struct StateSampler::Loops {
  explicit Loops(const Model& model) : robot(model), plan(make_plan(model)), ws(plan), at(row_of(Quantity::closure).size(plan.sizes())) {
    compute(Quantity::closure, plan, ws, {model.reference().data()}, at.data());
    pivots.assign(at.end() - static_cast<std::ptrdiff_t>(plan.pivots()), at.end());
  }

  /// Newton's method. False where it does not close the loops, or the kernels' elimination is not as reliable as at the reference.
  bool close(std::vector<double>& q) {
    constexpr double kClosed = 1e-12, kSound = 0.25;  // [m, rad]; pivots, of the reference's
    double off = std::numeric_limits<double>::infinity(), before = off;
    do {
      before = std::exchange(off, 0.0);
      compute(Quantity::closure, plan, ws, {q.data()}, at.data());
      for (std::size_t i = plan.nq; i + pivots.size() < at.size(); ++i) off = std::max(off, std::fabs(at[i]));
      std::copy_n(at.begin(), plan.nq, q.begin());
    } while (off < before / 2);
    for (std::size_t k = 0; k < pivots.size(); ++k)
      if (!(at[at.size() - pivots.size() + k] / pivots[k] > kSound)) return false;
    return off <= kClosed;
  }

  void close(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a) {
    constexpr double kStep = 0.2;  // [rad, m]
    const std::vector<double> drawn = q, reference = robot.reference();
    std::copy(reference.begin() + static_cast<std::ptrdiff_t>(base_nq(robot.base())), reference.end(),
              q.begin() + static_cast<std::ptrdiff_t>(base_nq(robot.base())));
    const std::vector<double> from = q;
    double longest = 0;
    for (const std::size_t i : robot.independent_positions()) longest = std::max(longest, std::fabs(drawn[i] - from[i]));
    const auto steps = 1 + static_cast<std::size_t>(longest / kStep);
    std::vector<std::vector<double>> way{from};
    for (std::size_t step = 1; step <= steps; ++step) {
      for (const std::size_t i : robot.independent_positions()) q[i] = from[i] + (drawn[i] - from[i]) * static_cast<double>(step) / static_cast<double>(steps);
      if (!close(q)) break;
      way.push_back(q);
    }
    q = way.size() > steps ? way.back() : way[way.size() / 2];
    for (std::vector<double>* x : {&v, &a}) {
      std::vector<double> independent;
      for (const std::size_t k : plan.order.independent) independent.push_back((*x)[k]);
      *x = std::move(independent);
    }
  }

  Model robot;
  Plan plan;
  Workspace ws;
  std::vector<double> at, pivots;  // Quantity::closure; of the reference
};

StateSampler::StateSampler(const Model& model, std::uint64_t seed)
    : free_(model.base() == RootJoint::free), state_(seed), loops_(model.closed() ? std::make_shared<Loops>(model) : nullptr) {
  constexpr double kFastest = 3;  // rad/s or m/s: what arms reach
  if (model.base() == RootJoint::planar) {
    lower_ = {-1, -1, -std::numbers::pi};
    upper_ = {1, 1, std::numbers::pi};
    speed_.assign(3, kFastest);
  }
  for (const std::size_t at : model.quaternions())
    if (at >= base_nq(model.base())) balls_.push_back(at - (free_ ? base_nq(model.base()) : 0));
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
  // Any attitude with the same chance (K. Shoemake, Uniform random rotations, in D. Kirk (ed.), Graphics Gems III, 1992).
  const auto attitude = [&] {
    const double part = uniform(0, 1), first = uniform(0, 2 * std::numbers::pi), second = uniform(0, 2 * std::numbers::pi);
    return std::array<double, 4>{std::sqrt(1 - part) * std::sin(first), std::sqrt(1 - part) * std::cos(first), std::sqrt(part) * std::sin(second),
                                 std::sqrt(part) * std::cos(second)};
  };
  for (const std::size_t at : balls_) {
    const std::array<double, 4> ball = attitude();
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(at) + 3, 0.0);
    std::copy(ball.begin(), ball.end(), q.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (!free_) return;
  const std::array<double, 4> rotated = attitude();
  const double base[7] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), rotated[0], rotated[1], rotated[2], rotated[3]};
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
