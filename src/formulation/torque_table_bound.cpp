// How far a torque that was interpolated may be off: docs/formulations/horn-raibert.md has the derivation. In short: interpolating joint by joint errs by at
// most the sum of the joints' own errors, t (1 - t) h² / 2 times the second derivative each. As a function of one joint's angle alone, a torque is a sum of
// products in which vectors on one side of the joint meet vectors on the other; a product with one such meeting goes through one cycle a turn, one with two
// through two, and the second derivative of such a function is at most 1 or 4 times its size (Bernstein). Sizes are bounded by lengths, masses and speeds. In a
// velocity a torque is a polynomial of degree two, in an acceleration it is linear: the one errs by t (1 - t) h² C_kjj, the other not at all.
#include "formulation/torque_table.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::internal {

namespace {

double norm_of(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

/// Largest principal moment: no sum of magnitudes in a row is below it.
double largest_moment(const Sym3<double>& I) {
  return std::max(
      {std::abs(I.xx) + std::abs(I.xy) + std::abs(I.xz), std::abs(I.xy) + std::abs(I.yy) + std::abs(I.yz), std::abs(I.xz) + std::abs(I.yz) + std::abs(I.zz)});
}

/// Of one link, in every configuration of the grid.
struct Lengths {
  double axis;  // from its joint to the next: |o_l - o_l-1|
  double com;   // from its joint to its mass centre
};

Lengths lengths_of(const DhRow<double>& row, const GridAxis& axis) {
  Lengths most{0, 0};
  for (const double d : {row.d + (row.prismatic ? axis.lower : 0), row.d + (row.prismatic ? axis.upper : 0)}) {
    const Vec3<double> p{row.a, d * row.sin_alpha, d * row.cos_alpha};
    most.axis = std::max(most.axis, norm_of(p));
    most.com = std::max(most.com, norm_of(p + row.com));
  }
  return most;
}

/// Largest magnitudes of a motion, seen from one frame: angular velocity and acceleration, and of a point its distance, velocity and acceleration.
struct Motion {
  double w = 0, alpha = 0, r = 0, v = 0, a = 0;

  /// Over a joint with speed v_j and acceleration a_j, to a point at this distance behind it.
  Motion over(bool prismatic, double v_j, double a_j, double distance) const {
    Motion next = *this;
    if (!prismatic) {
      next.alpha += std::abs(a_j) + w * std::abs(v_j);
      next.w += std::abs(v_j);
    }
    next.r += distance;
    next.v += next.w * distance + (prismatic ? std::abs(v_j) : 0);
    next.a += (next.alpha + next.w * next.w) * distance + (prismatic ? std::abs(a_j) + 2 * w * std::abs(v_j) : 0);
    return next;
  }
};

/// Sizes of the parts of a torque that vary with one joint's angle: those of one cycle a turn, and of two.
struct Cycles {
  double one = 0, two = 0;
};

/// A link behind joint i, at a joint behind it or at i itself: `arm` is its lever there, or 1 for a slide. `base` is the motion in front of joint i, `own`
/// that of the mass centre against the frame in front of joint i.
Cycles cycles_behind(const Motion& base, double base_acceleration, const Motion& own, double mass, double moment, double arm, bool revolute) {
  Cycles c;
  c.one = mass * arm * (base_acceleration + base.alpha * own.r + 2 * base.w * own.v);
  c.two = mass * arm * base.w * base.w * own.r;
  if (revolute) {
    c.one += moment * (base.alpha + 3 * base.w * own.w);
    c.two += moment * base.w * base.w;
  }
  return c;
}

/// The same, at a joint in front of i that is `ahead` away from it.
Cycles cycles_in_front(const Motion& base, double base_acceleration, const Motion& own, double mass, double moment, double ahead, bool revolute) {
  const double rate = base.alpha + base.w * base.w;
  Cycles c;
  c.one = mass * (revolute ? ahead : 1) * (own.a + rate * own.r + 2 * base.w * own.v);
  if (revolute) {
    c.one += mass * own.r * (base_acceleration + own.a) + moment * (own.alpha + own.w * own.w);
    c.two += mass * own.r * (rate * own.r + 2 * base.w * own.v) + moment * (rate + 3 * base.w * own.w);
  }
  return c;
}

/// No C_kjj of the chain is larger, in any configuration of the grid: the torque at joint k when joint j alone moves, at unit speed.
double largest_centrifugal(const std::vector<DhRow<double>>& rows, const std::vector<Lengths>& length, std::size_t k, std::size_t j) {
  if (rows[j].prismatic || k == j) return 0;  // its own inertia does not depend on its own coordinate
  double sum = 0;
  for (std::size_t l = std::max(j, k); l < rows.size(); ++l) {
    const auto reach = [&](std::size_t from) {  // from a joint to the mass centre
      double distance = length[l].com;
      for (std::size_t i = from; i < l; ++i) distance += length[i].axis;
      return distance;
    };
    const bool revolute = !rows[k].prismatic;
    sum += std::abs(rows[l].mass) * reach(j) * (revolute ? reach(k) : 1) + (revolute ? largest_moment(rows[l].inertia) : 0);
  }
  return sum;
}

}  // namespace

void TorqueTable::error_bound(const double* q, const double* v, const double* a, double* bound, double rounding) const {
  const std::size_t n = joints();
  const std::vector<Place> place = places(q, v, a, rounding);
  const std::vector<DhRow<double>>& rows = chain_.rows;
  std::vector<Lengths> length;
  for (std::size_t l = 0; l < n; ++l) length.push_back(lengths_of(rows[l], grid_[l]));
  std::fill(bound, bound + n, 0.0);
  const Vec3<double>& g = chain_.gravity_0;
  Motion base;  // in front of joint i; its acceleration has gravity in it
  base.a = norm_of(g);
  for (std::size_t i = 0; i < n; ++i) {
    const double h = grid_[i].spacing(), t = place[i].part, share = t * (1 - t) * h * h / 2;
    // Only gravity across its axis acts at the first joint and varies with its angle.
    const double base_across = base.a - norm_of(g) + std::hypot(g.x, g.y);
    Motion relative;  // of the frame of link l, against that in front of joint i
    for (std::size_t l = i; l < n && share > 0; ++l) {
      const Motion com = relative.over(rows[l].prismatic, v[l], a[l], length[l].com);
      relative = relative.over(rows[l].prismatic, v[l], a[l], length[l].axis);
      const double mass = std::abs(rows[l].mass), moment = largest_moment(rows[l].inertia);
      double arm = 0;  // from joint k to the mass centre
      for (std::size_t k = l + 1; k-- > 0;) {
        arm += k == l ? length[l].com : length[k].axis;
        const bool revolute = !rows[k].prismatic;
        if (rows[i].prismatic) {  // only m (ω x (ω x r)) · (z x r) and its like have the joint's coordinate squared
          if (k < i && revolute) bound[k] += share * 2 * mass * (base.alpha + base.w * base.w);
          continue;
        }
        double ahead = 0;
        for (std::size_t j = k; j < i; ++j) ahead += length[j].axis;
        const double base_acceleration = i == 0 || k == 0 ? base_across : base.a;
        const Cycles c = k >= i ? cycles_behind(base, base_acceleration, com, mass, moment, revolute ? arm : 1, revolute)
                                : cycles_in_front(base, base_acceleration, com, mass, moment, ahead, revolute);
        // No function is farther from its interpolation than twice its size.
        bound[k] += std::min(share, 2.0) * c.one + std::min(4 * share, 2.0) * c.two;
      }
    }
    base = base.over(rows[i].prismatic, v[i], a[i], length[i].axis);
  }
  for (std::size_t j = 0; j < n && method_->groups() > 1; ++j) {
    const double h = grid_[n + j].spacing(), t = place[n + j].part;
    for (std::size_t k = 0; k < n && t * (1 - t) > 0; ++k) bound[k] += t * (1 - t) * h * h * largest_centrifugal(rows, length, k, j);
  }
}

}  // namespace ulna::internal
