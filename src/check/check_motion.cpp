#include <ulna/check/check.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include "dynamics/joint-inl.hpp"

#include "model/require_fixed_base.hpp"
#include "spatial/curve.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

using internal::Curve;

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

struct Point {
  double q, v, a;
};

Curve cubic(double h, const Point& p0, const Point& p1) { return {3, {p0.q, p0.q + h / 3 * p0.v, p1.q - h / 3 * p1.v, p1.q}}; }
Curve quintic(double h, const Point& p0, const Point& p1) {
  return {5, {p0.q, p0.q + h / 5 * p0.v, p0.q + 2 * h / 5 * p0.v + h * h / 20 * p0.a, p1.q - 2 * h / 5 * p1.v + h * h / 20 * p1.a, p1.q - h / 5 * p1.v, p1.q}};
}

/// One side of a limit, and the values that came nearest to it.
class Watch {
 public:
  Watch(std::size_t joint, LimitKind kind, double limit, int side) : use_{joint, kind, limit, side, -side * HUGE_VAL, 0, kNever} {}
  const LimitUse& use() const { return use_; }

  void see(double t, double x) {
    if (!(use_.side * x > use_.side * use_.value)) return;
    use_.value = x, use_.t = t;
    if (!use_.broken() && use_.side * (x - use_.limit) > 1e-9 * (1 + std::fabs(use_.limit))) use_.first = t;
  }
  /// The largest value of a polynomial, by bisection: halves whose coefficients are all below the largest value found are skipped.
  void see(double t, double h, const Curve& p, int depth = 0) {
    constexpr int kDeepest = 24;
    double hull = use_.side * p.b[0];
    for (std::size_t i = 1; i <= p.degree; ++i) hull = std::max(hull, use_.side * p.b[i]);
    if (!(hull > use_.side * use_.value + 1e-12 * (1 + std::fabs(hull)))) return;
    if (depth == kDeepest) return see(t, use_.side * hull);
    Curve low{p.degree, {}}, high = p;  // de Casteljau
    for (std::size_t k = 0; k <= p.degree; ++k) {
      low.b[k] = high.b[0];
      for (std::size_t i = 0; i + k < p.degree; ++i) high.b[i] = 0.5 * (high.b[i] + high.b[i + 1]);
    }
    see(t + 0.5 * h, high.b[0]);
    see(t, 0.5 * h, low, depth + 1);
    see(t + 0.5 * h, 0.5 * h, high, depth + 1);
  }

 private:
  LimitUse use_;
};

/// A joint that moves: x = multiplier * coordinate + offset.
struct Moving {
  std::size_t joint, coordinate;  // coordinate among the independent joints
  double multiplier, offset;
  std::vector<Watch> watches;
};

std::vector<Moving> moving_joints(const Model& model, const MotionCheckOptions& options) {
  std::vector<Moving> out;
  std::vector<std::size_t> passive;  // nothing drives joints that loops move
  for (const std::size_t k : model.dependent())
    if (k >= base_nv(model.base())) passive.push_back(model.independent()[k - base_nv(model.base())]);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed || joint.type == JointType::ball) continue;  // a ball joint has no limits
    const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
    const auto found = std::find(model.independent().begin(), model.independent().end(), leader);
    Moving one{
        j, static_cast<std::size_t>(found - model.independent().begin()), joint.mimic ? joint.mimic->multiplier : 1, joint.mimic ? joint.mimic->offset : 0, {}};
    if (joint.type != JointType::continuous) {
      if (std::isfinite(joint.lower)) one.watches.emplace_back(j, LimitKind::position, joint.lower, -1);
      if (std::isfinite(joint.upper)) one.watches.emplace_back(j, LimitKind::position, joint.upper, 1);
    }
    const auto both = [&](LimitKind kind, double limit) {
      if (!(limit > 0) || std::isinf(limit)) return;
      one.watches.emplace_back(j, kind, -limit, -1);
      one.watches.emplace_back(j, kind, limit, 1);
    };
    const bool spins = joint.mimic && joint.type == JointType::continuous;  // a rotor or a wheel: the common limits are its leader's
    both(LimitKind::velocity, joint.velocity > 0 && std::isfinite(joint.velocity) ? joint.velocity : spins ? HUGE_VAL : options.speed);
    both(LimitKind::acceleration, std::min(options.acceleration > 0 && !spins ? options.acceleration : HUGE_VAL, acceleration_limit(joint)));
    if (std::find(passive.begin(), passive.end(), leader) == passive.end()) both(LimitKind::effort, joint.effort);
    out.push_back(std::move(one));
  }
  return out;
}

class Checker {
 public:
  Checker(const Model& model, const MotionRows& rows, const MotionCheckOptions& options)
      : model_(model), rows_(rows), nq_(model.nq()), nv_(model.nv()), base_v_(base_nv(model.base())), places_(model.places()) {
    const auto require = [&](const char* name, std::span<const double> part, std::size_t width, bool may_be_empty) {
      if (part.size() != rows.t.size() * width && !(may_be_empty && part.empty()))
        throw std::invalid_argument(cat(name, " has ", part.size(), " numbers, but ", rows.t.size(), " rows of ", width, " make ", rows.t.size() * width));
      for (std::size_t k = 0; k < part.size(); ++k)
        if (options.between && !std::isfinite(part[k])) throw std::invalid_argument(cat(name, " of row ", k / width + 1, " is not finite: ", part[k]));
    };
    require("t", rows.t, 1, false), require("q", rows.q, nq_, false), require("v", rows.v, nv_, true), require("a", rows.a, nv_, true);
    require("tau", rows.tau, nv_, true);
    for (std::size_t r = 1; r < rows.t.size(); ++r)
      if (!(rows.t[r] > rows.t[r - 1])) throw std::invalid_argument(cat("time ", rows.t[r], " s of row ", r + 1, " does not come after ", rows.t[r - 1], " s"));
    if (model.closed()) complete(options.snap);
    moving_ = moving_joints(model, options);
    for (Moving& one : moving_) along_rows(one);
    if (!options.between) return;
    require_no_balls(model, "the check of a motion between its rows");
    for (Moving& one : moving_) between_rows(one);
    if (model.base() == RootJoint::fixed && !rows.t.empty()) model.closed() ? loop_torques(options.snap) : torques(options.snap);
  }

  std::vector<LimitUse> found() const {
    std::vector<LimitUse> out;
    for (const Moving& one : moving_)
      for (const Watch& watch : one.watches)
        if (std::isfinite(watch.use().value)) out.push_back(watch.use());
    return out;
  }

 private:
  /// Rows of a robot with loops as rows of all its joints: nothing drives the dependent ones.
  void complete(double snap) {
    const Plan plan = make_plan(model_, {.snap = snap});
    Workspace ws(plan);
    const std::size_t m = nv_, n = plan.nv, count = rows_.t.size();
    std::vector<double> motion(row_of(Quantity::loop_motion).size(plan.sizes()));
    const std::vector<std::size_t>& independent = plan.order.independent;
    if (!rows_.v.empty()) v_.resize(n * count);
    if (!rows_.v.empty() && !rows_.a.empty()) a_.resize(n * count);
    if (!rows_.tau.empty()) tau_.resize(n * count, 0.0);
    for (std::size_t r = 0; r < count; ++r) {
      const double* v = rows_.v.empty() ? nullptr : &rows_.v[r * m];
      ulna::compute(Quantity::loop_motion, plan, ws, {&rows_.q[r * nq_], v, rows_.a.empty() ? nullptr : &rows_.a[r * m]}, motion.data());
      if (!v_.empty()) std::copy_n(motion.begin(), n, &v_[r * n]);
      if (!a_.empty()) std::copy_n(motion.begin() + static_cast<std::ptrdiff_t>(n), n, &a_[r * n]);
      for (std::size_t k = 0; !tau_.empty() && k < m; ++k) tau_[r * n + independent[k]] = rows_.tau[r * m + k];
    }
    rows_.v = v_, rows_.a = a_, rows_.tau = tau_;
    nv_ = n;
  }

  /// Friction less Coulomb friction, which jumps.
  static double without_jump(const Friction& f, double v) { return f.plain() ? f.viscous * v : kernel::friction(f, v) - f.coulomb * sign(v); }

  /// As torques(), at the drives of a robot with loops; friction of all joints counts, that of dependent ones with both signs.
  void loop_torques(double snap) {
    const Plan plan = make_plan(model_, {.snap = snap});
    Workspace ws(plan);
    const std::size_t n = plan.nv, m = plan.sizes().nv, points = (rows_.t.size() - 1) * kBetween + 1;
    std::vector<double> q(nq_), v(m), a(m), tree_v(n), time(points), smooth(points * m), jumps(points * m), rate(points * m), tau(m);
    std::vector<double> closure(row_of(Quantity::closure).size(plan.sizes())), motion(row_of(Quantity::loop_motion).size(plan.sizes()));
    std::vector<Moving*> drives(m, nullptr);
    for (std::size_t k = 0; k < m; ++k)
      for (Moving& one : moving_)
        if (one.coordinate == plan.order.independent[k] && !model_.joints()[one.joint].mimic) drives[k] = &one;
    for (std::size_t p = 0; p < points; ++p) {
      time[p] = at_point(p, [&](const Moving& one, const Point& x) {
        if (model_.joints()[one.joint].mimic) return;
        q[one.coordinate] = x.q;
        for (std::size_t k = 0; k < m; ++k)
          if (drives[k] == &one) v[k] = x.v, a[k] = x.a;
      });
      for (int step = 0; step < 3; ++step) {  // interpolated positions are closed up to the interpolation error
        ulna::compute(Quantity::closure, plan, ws, {q.data()}, closure.data());
        std::copy_n(closure.begin(), nq_, q.begin());
      }
      ulna::compute(Quantity::loop_motion, plan, ws, {q.data(), v.data(), a.data()}, motion.data());
      std::copy_n(motion.begin(), n, tree_v.begin());
      inverse_dynamics(plan, ws, q.data(), v.data(), a.data(), &smooth[p * m]);
      for (std::size_t k = 0; k < m; ++k) {  // column k of G: maps a dependent joint's friction to drive k
        std::vector<double> unit(m, 0.0);
        unit[k] = 1;
        ulna::compute(Quantity::loop_motion, plan, ws, {q.data(), unit.data()}, motion.data());
        rate[p * m + k] = v[k];
        for (const Moving& one : moving_) {
          const double g = one.multiplier * motion[one.coordinate];
          smooth[p * m + k] += g * without_jump(model_.joints()[one.joint].friction, one.multiplier * tree_v[one.coordinate]);
          if (&one != drives[k]) jumps[p * m + k] += std::fabs(g) * model_.joints()[one.joint].friction.coulomb;
        }
      }
    }
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t p = 0; p < points; ++p)
        see_torque(*drives[k], time[p], smooth, rate, m, k, p, points, model_.joints()[drives[k]->joint].friction.coulomb, jumps[p * m + k]);
  }

  /// A sample of a smooth torque, with a bound between samples, under Coulomb friction of the joint and of others.
  static void see_torque(Moving& shown, double time, const std::vector<double>& smooth, const std::vector<double>& rate, std::size_t width, std::size_t column,
                         std::size_t p, std::size_t points, double coulomb, double others) {
    const std::size_t before = p == 0 ? 0 : p - 1, after = std::min(points - 1, p + 1);
    const auto of = [&](const std::vector<double>& x, std::size_t at) { return x[at * width + column]; };
    const double middle = of(smooth, p), more = others + (before < p && p < after ? 0.25 * std::fabs(of(smooth, before) - 2 * middle + of(smooth, after)) : 0);
    const double fastest = std::max({of(rate, before), of(rate, p), of(rate, after)}), slowest = std::min({of(rate, before), of(rate, p), of(rate, after)});
    const double high = fastest > 0 ? 1 : slowest < 0 ? -1 : 0, low = slowest < 0 ? -1 : high;
    for (Watch& watch : shown.watches) {
      if (watch.use().kind != LimitKind::effort) continue;
      watch.see(time, watch.use().side > 0 ? middle + more + high * coulomb : middle - more + low * coulomb);
    }
  }

  /// Motion of a joint in a row. What was not given follows from differences between rows.
  Point point(const Moving& one, std::size_t r) const {
    const std::size_t k = base_v_ + one.coordinate, last = rows_.t.size() - 1, before = r == 0 ? 0 : r - 1, after = std::min(last, r + 1);
    const auto q = [&](std::size_t row) { return rows_.q[row * nq_ + places_[one.coordinate]]; };
    const double span = after > before ? rows_.t[after] - rows_.t[before] : 1;
    double v = 0, a = 0;
    if (!rows_.v.empty())
      v = rows_.v[r * nv_ + k];
    else if (after > before)
      v = (q(after) - q(before)) / span;
    if (!rows_.a.empty())
      a = rows_.a[r * nv_ + k];
    else if (!rows_.v.empty())
      a = (rows_.v[after * nv_ + k] - rows_.v[before * nv_ + k]) / span;
    else if (before < r && r < after)
      a = 2 / span * ((q(after) - q(r)) / (rows_.t[after] - rows_.t[r]) - (q(r) - q(before)) / (rows_.t[r] - rows_.t[before]));
    return {one.multiplier * q(r) + one.offset, one.multiplier * v, one.multiplier * a};
  }

  /// Calls `see` with every joint and its motion at a point: rows are every fourth, three lie between two of them. Returns the time.
  template <class See>
  double at_point(std::size_t p, const See& see) const {
    const std::size_t r = std::min(p / kBetween, rows_.t.size() - 1), next = std::min(r + 1, rows_.t.size() - 1);
    const double h = rows_.t[next] - rows_.t[r], s = static_cast<double>(p - r * kBetween) / kBetween;
    for (const Moving& one : moving_) {
      Point x = point(one, r);
      if (s > 0) {
        const Curve curve = quintic(h, x, point(one, next)), speed = curve.slope(h);
        x = {curve.at(s), speed.at(s), speed.slope(h).at(s)};
      }
      see(one, x);
    }
    return rows_.t[r] + s * h;
  }

  void along_rows(Moving& one) {
    const bool drives = !rows_.tau.empty() && !model_.joints()[one.joint].mimic;
    for (std::size_t r = 0; r < rows_.t.size(); ++r) {
      const Point p = point(one, r);
      for (Watch& watch : one.watches) {
        const LimitKind kind = watch.use().kind;
        if (kind == LimitKind::effort && !drives) continue;
        watch.see(rows_.t[r], kind == LimitKind::position       ? p.q
                              : kind == LimitKind::velocity     ? p.v
                              : kind == LimitKind::acceleration ? p.a
                                                                : rows_.tau[r * nv_ + base_v_ + one.coordinate]);
      }
    }
  }

  void between_rows(Moving& one) {
    for (std::size_t r = 0; r + 1 < rows_.t.size(); ++r) {
      const double t = rows_.t[r], h = rows_.t[r + 1] - t;
      const Point p0 = point(one, r), p1 = point(one, r + 1);
      std::vector<std::array<Curve, 3>> curves;  // position, velocity, acceleration
      const auto add = [&](const Curve& q) { curves.push_back({q, q.slope(h), q.slope(h).slope(h)}); };
      if (!rows_.v.empty()) add(cubic(h, p0, p1));
      if (!rows_.a.empty()) add(quintic(h, p0, p1));
      for (Watch& watch : one.watches) {
        const LimitKind kind = watch.use().kind;
        if (kind == LimitKind::effort) continue;
        if (kind == LimitKind::velocity) watch.see(t, (p1.q - p0.q) / h);
        for (const auto& curve : curves) watch.see(t, h, curve[static_cast<std::size_t>(kind)]);
      }
    }
  }

  /// Torques of the joints without couplings, three points between two rows. The torque of a drive is the sum over its joints of multiplier * torque. A smooth
  /// function exceeds its samples by h² |f''| / 8 at most: second differences over 4 leave a factor of two for a changing f''. Coulomb friction, which jumps,
  /// counts with both signs where the velocity changes its own.
  void torques(double snap) {
    const Plan plan = make_plan(with_free_mimics(model_), {.snap = snap});
    Workspace ws(plan);
    const std::size_t m = moving_.size(), points = (rows_.t.size() - 1) * kBetween + 1;
    struct Load {
      Moving* shown;                                          // whose limit it is compared with
      std::vector<std::pair<std::size_t, double>> members{};  // joints among the moving ones, and multipliers
      double coulomb = 0;
    };
    std::vector<Load> loads;
    const auto add = [&](std::size_t i, double factor) {
      loads.back().members.emplace_back(i, factor);
      loads.back().coulomb += std::fabs(factor) * model_.joints()[moving_[i].joint].friction.coulomb;
    };
    for (std::size_t i = 0; i < m; ++i) {
      loads.push_back({&moving_[i]});
      add(i, 1);
      if (model_.joints()[moving_[i].joint].mimic) continue;
      loads.push_back({&moving_[i]});
      for (std::size_t j = 0; j < m; ++j)
        if (moving_[j].coordinate == moving_[i].coordinate) add(j, moving_[j].multiplier);
      if (loads.back().members.size() == 1) loads.pop_back();
    }
    std::vector<double> q(m), v(m), a(m), tau(m), time(points), smooth(points * loads.size()), rate(points * loads.size());
    for (std::size_t p = 0; p < points; ++p) {
      time[p] = at_point(p, [&](const Moving& one, const Point& x) {
        const std::size_t i = static_cast<std::size_t>(&one - moving_.data());
        q[i] = x.q, v[i] = x.v, a[i] = x.a;
      });
      inverse_dynamics(plan, ws, q.data(), v.data(), a.data(), tau.data());
      for (std::size_t i = 0; i < m; ++i) {
        const Joint& joint = model_.joints()[moving_[i].joint];
        const double passed = tau[i] - joint.gear * joint.gear * joint.rotor * a[i];
        tau[i] += without_jump(joint.friction, v[i]) + joint.friction.load * sign(v[i]) * std::fabs(passed);
      }
      for (std::size_t l = 0; l < loads.size(); ++l) {
        double& sum = smooth[p * loads.size() + l];
        for (const auto& [i, factor] : loads[l].members) sum += factor * tau[i];
        rate[p * loads.size() + l] = v[static_cast<std::size_t>(loads[l].shown - moving_.data())];
      }
    }
    for (std::size_t l = 0; l < loads.size(); ++l)
      for (std::size_t p = 0; p < points; ++p) see_torque(*loads[l].shown, time[p], smooth, rate, loads.size(), l, p, points, loads[l].coulomb, 0);
  }

  static constexpr std::size_t kBetween = 4;
  const Model& model_;
  MotionRows rows_;
  std::vector<double> v_, a_, tau_;  // of all joints, where loops leave fewer
  std::size_t nq_, nv_, base_v_;
  std::vector<std::size_t> places_;  // in q, of the coordinates
  std::vector<Moving> moving_;
};

}  // namespace

std::string_view to_string(LimitKind kind) {
  constexpr std::string_view kNames[] = {"position", "speed", "acceleration", "effort"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view unit_of(const Model& model, const LimitUse& use) {
  constexpr std::string_view kUnits[][2] = {{"rad", "m"}, {"rad/s", "m/s"}, {"rad/s^2", "m/s^2"}, {"N m", "N"}};
  return kUnits[static_cast<std::size_t>(use.kind)][model.joints()[use.joint].type == JointType::prismatic ? 1 : 0];
}

std::string to_string(const Model& model, const LimitUse& use) {
  const bool position = use.kind == LimitKind::position;
  const std::string_view unit = unit_of(model, use);
  return cat("joint ", in_quotes(model.joints()[use.joint].name), " reaches ", rounded(use.value), " ", unit, " at t = ", rounded(use.t), " s",
             use.broken() ? ", beyond its " : "; its ", position ? (use.side > 0 ? "upper position" : "lower position") : to_string(use.kind), " limit",
             use.broken() ? " of " : " is ", rounded(position ? use.limit : std::fabs(use.limit)), " ", unit);
}

std::vector<LimitUse> limits_used(const Model& model, const MotionRows& rows, const MotionCheckOptions& options) {
  return Checker(model, rows, options).found();
}

std::vector<LimitUse> check_motion(const Model& model, const MotionRows& rows, const MotionCheckOptions& options) {
  std::vector<LimitUse> broken;
  for (const LimitUse& use : limits_used(model, rows, options))
    if (use.broken()) broken.push_back(use);
  return broken;
}

}  // namespace ULNA_API
