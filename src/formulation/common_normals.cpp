#include "formulation/common_normals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

namespace {

constexpr double kPi = std::numbers::pi;

/// From a cosine and a sine that are right up to rounding and a common factor; within `tolerance` of a right angle it is one.
KnownAngle known_angle(double c, double s, double tolerance) {
  const double length = std::hypot(c, s);
  c /= length;
  s /= length;
  if (std::abs(s) <= tolerance) return c > 0 ? KnownAngle{0, 1, 0} : KnownAngle{kPi, -1, 0};
  if (std::abs(c) <= tolerance) return s > 0 ? KnownAngle{kPi / 2, 0, 1} : KnownAngle{-kPi / 2, 0, -1};
  return {std::atan2(s, c), c, s};
}

/// Lies in the plane across z; a component that is rounding becomes 0 and the other ±1.
Vec3<double> unit_across_z(const Vec3<double>& x) {
  const KnownAngle direction = known_angle(x.x, x.y, kDirectionRounding);
  return {direction.c, direction.s, 0};
}

double norm(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }
double cross_z(const Vec3<double>& a, const Vec3<double>& b) { return a.x * b.y - a.y * b.x; }

/// Walks from the base to the tip. In body k, axis k is parallel to z and passes through start_, the point reached (and through Bo when joint k is
/// revolute).
class Walk {
 public:
  Walk(const Model& model, const MovingTree& tree, double snap, End keep)
      : model_(model), tree_(tree), tolerance_(std::max(snap, kDirectionRounding)), keep_(keep) {}

  /// Empty when the model's own frames are not of the convention. The last one is free and does not count.
  std::optional<std::vector<CommonNormal>> own() {
    std::vector<CommonNormal> normals;
    for (std::size_t k = 0; k < tree_.bodies.size(); ++k) {
      measure(k);
      const std::optional<CommonNormal> normal = last(k) ? own_last(k) : own_normal(tree_.bodies[k + 1]);
      if (!normal && !last(k)) return {};
      normals.push_back(go_on(k, normal ? *normal : plain_last()));
    }
    return normals;
  }

  std::vector<CommonNormal> chosen() {
    std::vector<CommonNormal> normals;
    for (std::size_t k = 0; k < tree_.bodies.size(); ++k) {
      measure(k);
      const CommonNormal normal = best_normal(k);
      begin(k, normal);
      normals.push_back(go_on(k, normal));
    }
    return normals;
  }

 private:
  bool last(std::size_t k) const { return k + 1 == tree_.bodies.size(); }
  /// What the lengths of normal k are made of: the point that was reached, the next joint, and the one after it (see best_normal); the last link's frame.
  void measure(std::size_t k) {
    double sum = norm(start_);
    if (last(k)) sum += norm(tree_.X_BL[model_.joints()[tree_.bodies[k].joint].child].p);
    for (std::size_t next = k + 1; next < std::min(k + 3, tree_.bodies.size()); ++next) sum += norm(tree_.bodies[next].X_PB.p);
    length_ = kLengthRounding * sum;
  }

  bool is_prismatic(std::size_t k) const { return model_.joints()[tree_.bodies[k].joint].type == JointType::prismatic; }

  /// The normal that the model's own frames hold, where they are of the convention.
  std::optional<CommonNormal> own_normal(const MovingBody& next) const { return keep_ == End::far ? own_far(next.X_PB) : own_near(next.X_PB); }

  /// Standard: x and origin of the frame behind the normal belong to it when x is across z and its line meets axis k.
  std::optional<CommonNormal> own_far(const Pose<double>& X_BN) const {
    const Vec3<double> x{X_BN.R.xx, X_BN.R.yx, X_BN.R.zx};
    if (std::abs(x.z) > kDirectionRounding) return {};
    CommonNormal normal;
    normal.x = unit_across_z(x);
    const Vec3<double> w = X_BN.p - start_;
    if (std::abs(cross_z(normal.x, w)) > length_) return {};
    normal.a = dot(w, normal.x);
    normal.far = X_BN.p;
    normal.near = {start_.x, start_.y, X_BN.p.z};
    set_alpha(normal, X_BN.R.column_z());
    return normal;
  }

  /// Modified: x and origin of B_k itself belong to it when x is across axis k+1 and its line meets it.
  std::optional<CommonNormal> own_near(const Pose<double>& X_BN) const {
    const Vec3<double> u = X_BN.R.column_z();
    if (std::hypot(start_.x, start_.y) > length_ || std::abs(u.x) > kDirectionRounding) return {};
    if (std::abs(X_BN.p.y * u.z - X_BN.p.z * u.y) > length_) return {};
    CommonNormal normal;
    normal.a = X_BN.p.x;
    normal.far = {X_BN.p.x, 0, 0};
    set_alpha(normal, u);
    return normal;
  }

  std::optional<CommonNormal> own_last(std::size_t k) const {
    if (keep_ == End::far) return own_far(tree_.X_BL[model_.joints()[tree_.bodies[k].joint].child]);
    if (std::hypot(start_.x, start_.y) > length_) return {};
    return CommonNormal{};
  }

  /// Frame n is free but for its axis: it begins where the frame before it is, so that d and theta vanish.
  CommonNormal plain_last() const {
    CommonNormal normal;
    normal.near = normal.far = start_;
    normal.x = x_start_;
    return normal;
  }

  /// The axis of a prismatic joint has a direction and no place. It is put through the point that was reached, through its own origin in the model or
  /// through the next joint's, whichever leaves the fewest parameters in this row and the next.
  CommonNormal best_normal(std::size_t k) const {
    CommonNormal best = plain_normal(k);
    if (last(k) || !is_prismatic(k + 1) || last(k + 1)) return best;
    const Pose<double>& X_PB = tree_.bodies[k + 1].X_PB;
    int fewest = parameters(k, best);
    for (const Vec3<double>& place : {X_PB.p, X_PB.p + X_PB.R * tree_.bodies[k + 2].X_PB.p}) {
      const CommonNormal other = to_line(k, place, X_PB.R.column_z());
      const int count = parameters(k, other);
      if (count >= fewest) continue;
      fewest = count;
      best = other;
    }
    return best;
  }

  /// How many of a, d and theta do not vanish in rows k and k+1 when row k is this.
  int parameters(std::size_t k, const CommonNormal& normal) const {
    const auto count = [](const CommonNormal& n) { return (n.a != 0 ? 1 : 0) + (n.d != 0 ? 1 : 0) + (n.theta.angle != 0 ? 1 : 0); };
    Walk trial(*this);
    trial.begin(k, normal);
    const int first = count(trial.go_on(k, normal));
    trial.measure(k + 1);
    return first + count(trial.go_on(k + 1, trial.plain_normal(k + 1)));
  }

  CommonNormal plain_normal(std::size_t k) const {
    if (last(k)) return plain_last();
    const Pose<double>& X_PB = tree_.bodies[k + 1].X_PB;
    return is_prismatic(k + 1) ? to_direction(k, X_PB.R.column_z()) : to_line(k, X_PB.p, X_PB.R.column_z());
  }

  /// To an axis u through the point that was reached: a and d vanish.
  CommonNormal to_direction(std::size_t k, const Vec3<double>& u) const {
    CommonNormal normal;
    normal.near = normal.far = start_;
    normal.x = std::hypot(u.x, u.y) <= tolerance_ ? x_start_ : along_start(k, unit_across_z({-u.y, u.x, 0}), {});
    set_alpha(normal, u);
    return normal;
  }

  /// To the axis u through p.
  CommonNormal to_line(std::size_t k, const Vec3<double>& p, const Vec3<double>& u) const {
    const bool parallel = std::hypot(u.x, u.y) <= tolerance_;
    Vec3<double> start = start_;
    if (k == 0 && parallel) start.z = p.z;
    if (k == 0 && is_prismatic(0)) start = p;  // its axis is free, too
    const Vec3<double> w = p - start;
    CommonNormal normal;
    if (parallel) {
      normal.near = start;  // any height will do: the one reached, so that d vanishes
      const bool coincident = std::hypot(w.x, w.y) <= length_;
      normal.x = coincident ? x_start_ : along_start(k, unit_across_z(w), w);
    } else {
      normal.x = along_start(k, unit_across_z({-u.y, u.x, 0}), w);  // ± z × u
      // From p along u by t until nothing of the way to axis k is left across x.
      const Vec3<double> across{-normal.x.y, normal.x.x, 0};
      const double t = -dot(w, across) / dot(u, across);
      normal.near = {start.x, start.y, p.z + t * u.z};
      if (std::abs(normal.near.z - start.z) <= length_) normal.near.z = start.z;
    }
    normal.a = dot(w, normal.x);
    if (std::abs(normal.a) <= length_) normal.a = 0;
    normal.far = normal.near + normal.a * normal.x;
    set_alpha(normal, u);
    return normal;
  }

  /// Of the two directions of a normal the one that keeps theta small, so that theta vanishes more often; `a` takes the sign. Where that does not
  /// decide, `way` does, and `a` is a length: always for the first normal, because frame 0 rotates with it.
  Vec3<double> along_start(std::size_t k, const Vec3<double>& x, const Vec3<double>& way) const {
    const double along = k == 0 ? 0 : dot(x, x_start_);
    const double decides = std::abs(along) > kDirectionRounding ? along : std::abs(dot(way, x)) > length_ ? dot(way, x) : x.x + x.y;
    return decides < 0 ? -x : x;
  }

  /// Rx(alpha) takes z to (0, -sin, cos) in the axes x, y = z × x, z.
  void set_alpha(CommonNormal& normal, const Vec3<double>& u) const {
    const double sine = u.x * normal.x.y - u.y * normal.x.x;
    normal.alpha = known_angle(u.z, sine, tolerance_);
  }

  /// Frame 0 is free: it begins where the first normal does.
  void begin(std::size_t k, const CommonNormal& normal) {
    if (k != 0) return;
    start_ = normal.near;
    x_start_ = normal.x;
  }

  /// Completes the normal of body k by the way to it, and goes on to the next body.
  CommonNormal go_on(std::size_t k, CommonNormal normal) {
    normal.start = start_;
    normal.x_start = x_start_;
    normal.d = normal.near.z - start_.z;
    normal.theta = known_angle(dot(x_start_, normal.x), cross_z(x_start_, normal.x), kDirectionRounding);
    if (std::abs(normal.d) <= length_) normal.d = 0;
    if (std::abs(normal.a) <= length_) normal.a = 0;
    if (last(k)) return normal;
    const Pose<double>& X_PB = tree_.bodies[k + 1].X_PB;
    start_ = tmul(X_PB.R, normal.far - X_PB.p);
    x_start_ = unit_across_z(tmul(X_PB.R, normal.x));
    const double rounding = kLengthRounding * (norm(normal.far) + norm(X_PB.p));
    for (double* entry : {&start_.x, &start_.y, &start_.z})
      if (std::abs(*entry) <= rounding) *entry = 0;
    if (!is_prismatic(k + 1)) start_.x = start_.y = 0;  // on the axis: the rest is rounding
    return normal;
  }

  const Model& model_;
  const MovingTree& tree_;
  double tolerance_;   // sines below this are 0
  double length_ = 0;  // lengths below this are 0
  End keep_;
  Vec3<double> start_;
  Vec3<double> x_start_{1, 0, 0};
};

}  // namespace

std::vector<CommonNormal> common_normals(const Model& model, const MovingTree& tree, double snap, End keep) {
  if (std::optional<std::vector<CommonNormal>> own = Walk(model, tree, snap, keep).own()) return *std::move(own);
  return Walk(model, tree, snap, keep).chosen();
}

}  // namespace ulna::internal
