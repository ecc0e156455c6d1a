// The search is a separable evolution strategy (R. Ros & N. Hansen 2008, A simple modification in CMA-ES achieving linear time and space complexity): forty
// lines that need no gradient, no library, and give the same motion for the same seed on every machine. Candidates are scaled into the limits before they are
// judged.
#include <ulna/identify/excite.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Dense>

#include <ulna/check/check.hpp>
#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/dynamics.hpp>

#include "identify/condensed.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

void Excitation::at(double t, double* q, double* v, double* acc) const {
  const double w = 2 * std::numbers::pi / period;
  for (std::size_t k = 0; k < offset.size(); ++k) {
    q[k] = offset[k], v[k] = 0, acc[k] = 0;
    for (std::size_t l = 0; l < waves; ++l) {
      const double f = w * static_cast<double>(l + 1), s = std::sin(f * t), c = std::cos(f * t), al = a[k * waves + l], bl = b[k * waves + l];
      q[k] += al / f * s - bl / f * c;
      v[k] += al * c + bl * s;
      acc[k] += f * (bl * c - al * s);
    }
  }
}

double Excitation::jerk(std::size_t k, double t) const {
  double out = 0;
  for (std::size_t l = 0; l < waves; ++l) {
    const double f = 2 * std::numbers::pi / period * static_cast<double>(l + 1);
    out -= f * f * (a[k * waves + l] * std::cos(f * t) + b[k * waves + l] * std::sin(f * t));
  }
  return out;
}

namespace {

constexpr double kUnlimited = 1e6;  // larger limits in files mean none

/// A joint that a coordinate moves: its own (multiplier 1, offset 0) or one that follows it.
struct Member {
  const Joint* joint;
  double multiplier, offset;

  explicit Member(const Joint& of) : joint(&of), multiplier(of.mimic ? of.mimic->multiplier : 1), offset(of.mimic ? of.mimic->offset : 0) {}
  bool bounded(double limit) const { return joint->type != JointType::continuous && std::isfinite(limit); }
  /// Rotors and wheels that follow a joint: the common limits are that joint's.
  bool spins() const { return joint->mimic && joint->type == JointType::continuous; }
  /// The limit of speed: of the file, or where it has none, that of the options.
  double speed(const ExciteOptions& options) const {
    if (std::isfinite(joint->velocity) && joint->velocity > 0 && joint->velocity < kUnlimited) return joint->velocity;
    return spins() ? HUGE_VAL : options.speed;
  }
  /// Of the file and the options; where neither has one, what reaches the fastest speed in half a second.
  double acceleration(const ExciteOptions& options) const {
    const double own = acceleration_limit(*joint), common = options.acceleration > 0 && !spins() ? options.acceleration : HUGE_VAL;
    const double least = std::min(own > 0 && own < kUnlimited ? own : HUGE_VAL, common);
    return std::isfinite(least) ? least : 2 * speed(options);
  }
  double jerk() const { return joint->jerk > 0 ? joint->jerk : HUGE_VAL; }
};

/// Limits of a coordinate from those of its joints, each times the part that is used.
struct Limits {
  double lower = -HUGE_VAL, upper = HUGE_VAL, speed = HUGE_VAL, acceleration = HUGE_VAL, jerk = HUGE_VAL;
};

Limits limits_of(const Model& model, const std::vector<Member>& members, const ExciteOptions& options) {
  Limits out;
  const Member *lowest = nullptr, *highest = nullptr;
  for (const Member& one : members) {
    const Joint& joint = *one.joint;
    const bool low = one.bounded(joint.lower), high = one.bounded(joint.upper);
    // A part of a range lies about its middle; a limit on one side stays where it is.
    const double margin = low && high ? 0.5 * (1 - options.part) * (joint.upper - joint.lower) : 0;
    double from = low ? joint.lower + margin : -HUGE_VAL, to = high ? joint.upper - margin : HUGE_VAL;
    if (one.multiplier == 0) {
      if (one.offset < from || one.offset > to)
        throw std::invalid_argument(cat("joint ", in_quotes(joint.name), " stays at its mimic offset ", rounded(one.offset), ", which is not within ",
                                        rounded(100 * options.part), " % of its limits, ", rounded(joint.lower), " to ", rounded(joint.upper)));
      continue;
    }
    from = (from - one.offset) / one.multiplier, to = (to - one.offset) / one.multiplier;
    if (from > to) std::swap(from, to);
    if (from > out.lower) out.lower = from, lowest = &one;
    if (to < out.upper) out.upper = to, highest = &one;
    const double factor = options.part / std::fabs(one.multiplier);
    out.speed = std::min(out.speed, factor * one.speed(options));
    out.acceleration = std::min(out.acceleration, factor * one.acceleration(options));
    out.jerk = std::min(out.jerk, factor * one.jerk());
  }
  if (out.lower > out.upper)
    throw std::invalid_argument(cat("no motion of robot ", in_quotes(model.name()), " is within ", rounded(100 * options.part), " % of its limits: joints ",
                                    in_quotes(lowest->joint->name), " and ", in_quotes(highest->joint->name),
                                    ", which move together, have no position in common (", in_quotes(members[0].joint->name), " would be above ",
                                    rounded(out.lower), " and below ", rounded(out.upper), "); check their limits, multipliers and offsets"));
  if (!(out.upper - out.lower < kUnlimited)) {  // a window of what is usual, where the limits allow it
    const double far = members[0].joint->type == JointType::prismatic ? 0.5 : std::numbers::pi;
    out.lower = std::min(std::max(out.lower, -far), out.upper - 2 * far);
    out.upper = out.lower + 2 * far;
  }
  return out;
}

/// A torque with a limit: of a drive (sum over the joints that it moves), or of one joint among several that move together, which its transmission carries.
struct Load {
  std::size_t coordinate;
  std::size_t joint;      // of the plan without couplings; kNone: of the drive
  std::size_t shown;      // whose share of the limits it counts to: coordinate, or coordinates + follower
  double multiplier = 1;  // of the joint
  double limit = 0, viscous = 0, coulomb = 0;
};

class Problem {
 public:
  Problem(const Model& model, const ExciteOptions& options)
      : model_(model),
        options_(options),
        n_(model.nv()),
        fine_(std::max<std::size_t>(200, 40 * options.waves)),
        regressors_(model, options.snap),
        structure_(base_parameters(model, options.snap)),
        columns_(model, regressors_.plan(), structure_, {*friction_model("coulomb")}, false, std::vector<double>(model.nv(), 1.0)),
        ws_(regressors_.plan()),
        free_(make_plan(with_free_mimics(without_loops(model)), {.snap = options.snap})),
        free_ws_(free_),
        members_(model.nv()) {
    const std::vector<std::size_t> driven = model.driven();
    const auto coordinate_of = [&](std::size_t leader) {  // n_ for those that loops move
      return static_cast<std::size_t>(std::find(driven.begin(), driven.end(), leader) - driven.begin());
    };
    for (std::size_t k = 0; k < n_; ++k) members_[k].emplace_back(model.joints()[driven[k]]);
    for (const Joint& joint : model.joints())
      if (joint.mimic && joint.type != JointType::fixed && coordinate_of(joint.mimic->leader) < n_) {
        members_[coordinate_of(joint.mimic->leader)].emplace_back(joint);
        followers_.emplace_back(joint), follows_.push_back(coordinate_of(joint.mimic->leader));
      }
    for (const std::vector<Member>& members : members_) limits_.push_back(limits_of(model, members, options));
    std::size_t moving = 0, follower = 0;
    for (const Joint& joint : model.joints()) {
      if (joint.type == JointType::fixed) continue;
      const std::size_t leader = joint.mimic ? joint.mimic->leader : static_cast<std::size_t>(&joint - model.joints().data());
      const std::size_t at = moving++, k = coordinate_of(leader);
      const Member own(joint);
      if (k == n_) {
        const auto found = std::find(model.independent().begin(), model.independent().end(), leader);
        passive_.emplace_back(own, static_cast<std::size_t>(found - model.independent().begin()));
        continue;
      }
      places_.push_back({k, own.multiplier, own.offset});
      const std::size_t shown = joint.mimic ? n_ + follower++ : k;
      if (!(joint.effort > 0 && joint.effort < kUnlimited)) continue;
      if (members_[k].size() > 1 && !model.closed())
        loads_.push_back({k, at, shown, places_.back().multiplier, joint.effort, joint.friction.viscous, joint.friction.coulomb});
      if (joint.mimic) continue;
      Load drive{k, kNone, shown, 1, joint.effort, 0, 0};
      for (const Member& one : members_[k])
        drive.viscous += one.multiplier * one.multiplier * one.joint->friction.viscous,
            drive.coulomb += std::fabs(one.multiplier) * one.joint->friction.coulomb;
      loads_.push_back(drive);
    }
    const std::size_t count = std::max<std::size_t>(60, std::min<std::size_t>(400, 8 * columns_.size() / n_));
    for (std::size_t s = 0; s < count; ++s) times_.push_back(options.period * (static_cast<double>(s) + 0.37) / static_cast<double>(count));
  }

  /// Numbers of a candidate: offset, then waves - 1 of a and of b, of each coordinate.
  std::size_t size() const { return n_ * (2 * options_.waves - 1); }

  /// Inside the limits, as large as they let it be.
  Excitation motion(const std::vector<double>& x) {
    const std::size_t m = options_.waves;
    Excitation e;
    e.period = options_.period, e.waves = m;
    e.offset.assign(n_, 0), e.a.assign(n_ * m, 0), e.b.assign(n_ * m, 0);
    const double w = 2 * std::numbers::pi / options_.period;
    for (std::size_t k = 0; k < n_; ++k) {
      const double* own = x.data() + k * (2 * m - 1);
      double *a = e.a.data() + k * m, *b = e.b.data() + k * m, sum_a = 0, sum_b = 0;
      for (std::size_t l = 0; l + 1 < m; ++l) a[l] = own[1 + l], b[l] = own[m + l], sum_a += a[l], sum_b += b[l] * static_cast<double>(l + 1);
      a[m - 1] = -sum_a;                           // v(0) = 0
      b[m - 1] = -sum_b / static_cast<double>(m);  // a(0) = 0
      // Its extent without offset, then the largest factor, then an offset that keeps it between the limits.
      double low = 0, high = 0, fast = 1e-12, hard = 1e-12, abrupt = 1e-12;
      for (std::size_t s = 0; s < fine_; ++s) {
        double q = 0, v = 0, acc = 0, jerk = 0;
        const double t = options_.period * static_cast<double>(s) / static_cast<double>(fine_);
        for (std::size_t l = 0; l < m; ++l) {
          const double f = w * static_cast<double>(l + 1), sn = std::sin(f * t), cs = std::cos(f * t);
          q += (a[l] * sn - b[l] * cs) / f, v += a[l] * cs + b[l] * sn, acc += f * (b[l] * cs - a[l] * sn), jerk -= f * f * (a[l] * cs + b[l] * sn);
        }
        low = s == 0 ? q : std::min(low, q), high = s == 0 ? q : std::max(high, q), fast = std::max(fast, std::fabs(v)), hard = std::max(hard, std::fabs(acc));
        abrupt = std::max(abrupt, std::fabs(jerk));
      }
      // Of the motion, and of what measure() bounds it by.
      const double over = over_samples(fine_) * over_samples(kFiner * fine_), middle = 0.5 * (low + high), half = over * std::max(0.5 * (high - low), 1e-12);
      const Limits& limit = limits_[k];
      const double room = 0.5 * (limit.upper - limit.lower);
      const double factor = std::min({room / half, limit.speed / (over * fast), limit.acceleration / (over * hard), limit.jerk / (over * abrupt)});
      for (std::size_t l = 0; l < m; ++l) a[l] *= factor, b[l] *= factor;
      e.offset[k] = 0.5 * (limit.upper + limit.lower) - factor * middle + (room - factor * half) * std::tanh(own[0]);
    }
    weaken(e);
    return e;
  }

  /// Smaller is better; infinite where a motion is not within the limits.
  double judge(const Excitation& e, Excitation* report = nullptr) {
    sample(e);
    if (effort_ > options_.part * (1 + 1e-9)) return 1e6 * std::min(effort_, 1e6);
    regressors_(samples_, Y_);
    TallQr triangle(columns_.size());
    for (std::size_t s = 0; s < samples_.count; ++s)
      for (std::size_t k = 0; k < n_; ++k) {
        double* row = triangle.next();
        for (std::size_t c = 0; c < columns_.size(); ++c) row[c * TallQr::kRows] = 0;
        for (const std::size_t c : columns_.entering(k))
          row[c * TallQr::kRows] = columns_.entry(c, k, Y_.data() + s * regressors_.size(), samples_.v.data() + s * n_, samples_.a.data() + s * n_, nullptr);
        triangle.take();
      }
    const long p = static_cast<long>(columns_.size());
    const Eigen::Map<const Eigen::MatrixXd> R(triangle.triangle().data(), p, p);
    double log_det = 0;
    const double rows = std::sqrt(static_cast<double>(samples_.count * n_));
    for (long c = 0; c < p; ++c) log_det += std::log(std::max(std::fabs(R(c, c)) / rows, 1e-30));
    double condition = 0;
    if (report != nullptr || options_.condition) {
      Eigen::MatrixXd scaled = R.triangularView<Eigen::Upper>();
      for (long c = 0; c < p; ++c) scaled.col(c) /= std::max(scaled.col(c).norm(), 1e-300);
      const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(scaled).singularValues();
      condition = s[0] / std::max(s[p - 1], 1e-300);
    }
    if (report != nullptr) report->condition = condition, report->log_det = log_det;
    return options_.condition ? std::log(condition) : -log_det;
  }

  void require_effort() {
    Excitation still;
    still.period = options_.period, still.waves = 1;
    still.a.assign(n_, 0), still.b.assign(n_, 0);
    // Somewhere within the limits the joints hold the robot.
    std::mt19937_64 random(options_.seed);
    for (int tries = 0; tries < 300; ++tries) {
      still.offset.clear();
      for (const Limits& limit : limits_) still.offset.push_back(limit.lower + (limit.upper - limit.lower) * static_cast<double>(random() >> 11) * 0x1p-53);
      pull(still, 1 - static_cast<double>(tries) / 300);
      sample(still);
      if (effort_ <= options_.part) return;
    }
    throw std::invalid_argument(cat("the joints of robot ", in_quotes(model_.name()),
                                    " cannot hold its weight within their effort limits: check the limits and the masses of the file"));
  }

  /// Fills in how much of its limits every joint uses, and returns the largest share of an effort limit.
  double measure(Excitation& e) {
    e.limit.assign(n_, 0), e.followers.clear(), e.still.clear();
    for (const Member& one : followers_) e.followers.push_back({one.joint->name, 0});
    const auto shown = [&](std::size_t i) -> double& { return i < n_ ? e.limit[i] : e.followers[i - n_].limit; };
    const std::size_t count = kFiner * fine_;
    std::vector<double> low(n_, HUGE_VAL), high(n_, -HUGE_VAL), fast(n_, 0), hard(n_, 0), abrupt(n_, 0), smooth(count * loads_.size()), rate(count * n_);
    std::vector<double> q(n_), v(n_), a(n_);
    double worst = 0;
    for (std::size_t s = 0; s < count; ++s) {
      e.at(options_.period * static_cast<double>(s) / static_cast<double>(count), q.data(), v.data(), a.data());
      for (std::size_t k = 0; k < n_; ++k) {
        low[k] = std::min(low[k], q[k]), high[k] = std::max(high[k], q[k]), fast[k] = std::max(fast[k], std::fabs(v[k])),
        hard[k] = std::max(hard[k], std::fabs(a[k])),
        abrupt[k] = std::max(abrupt[k], std::fabs(e.jerk(k, options_.period * static_cast<double>(s) / static_cast<double>(count))));
        rate[s * n_ + k] = v[k];
      }
      worst = std::max(worst, torques(q.data(), v.data(), a.data(), smooth.data() + s * loads_.size()));
    }
    for (std::size_t i = 0; i < n_ + followers_.size(); ++i) {
      const std::size_t k = i < n_ ? i : follows_[i - n_];
      const Member& one = i < n_ ? members_[i][0] : followers_[i - n_];
      const double size = over_samples(count) * std::fabs(one.multiplier), middle = one.multiplier * 0.5 * (low[k] + high[k]) + one.offset;
      shown(i) = std::max({size * fast[k] / one.speed(options_), size * hard[k] / one.acceleration(options_), size * abrupt[k] / one.jerk()});
      const double half = 0.5 * (one.joint->upper - one.joint->lower);
      if (one.bounded(one.joint->lower) && one.bounded(one.joint->upper) && half > 0)
        shown(i) = std::max(shown(i), (std::fabs(middle - 0.5 * (one.joint->upper + one.joint->lower)) + size * 0.5 * (high[k] - low[k])) / half);
      if (!(fast[k] > 1e-9 * members_[k][0].speed(options_))) e.still.push_back(one.joint->name);
    }
    // A smooth torque exceeds its samples by h² |f''| / 8 at most; second differences over 4 leave a factor of two for a changing f''. Coulomb friction jumps.
    for (std::size_t l = 0; l < loads_.size(); ++l)
      for (std::size_t s = 0; s < count; ++s) {
        const Load& load = loads_[l];
        const std::size_t before = (s + count - 1) % count, after = (s + 1) % count;
        const auto f = [&](std::size_t at) { return smooth[at * loads_.size() + l]; };
        const auto side = [&](std::size_t at) { return load.multiplier * rate[at * n_ + load.coordinate]; };
        const double more = 0.25 * std::fabs(f(before) - 2 * f(s) + f(after));
        double most = 0;
        for (const double v_side : {side(before), side(s), side(after)})
          most = std::max(most, std::fabs(f(s) + load.coulomb * (v_side > 0 ? 1 : v_side < 0 ? -1 : 0)));
        const double share = (most + more) / load.limit;
        worst = std::max(worst, share), shown(load.shown) = std::max(shown(load.shown), share);
      }
    return worst;
  }

 private:
  static constexpr std::size_t kFiner = 4;
  struct Place {  // of a joint of the plan without couplings
    std::size_t coordinate;
    double multiplier, offset;
  };

  /// A trigonometric polynomial of degree m exceeds its largest size among N > 2 m even samples by 1 / cos(pi m / N) at most (Ehlich & Zeller 1964, Math. Z.
  /// 86).
  double over_samples(std::size_t samples) const { return 1 / std::cos(std::numbers::pi * static_cast<double>(options_.waves) / static_cast<double>(samples)); }

  /// Independent positions of a robot with loops, nearer to its reference assembly: all of them can be far from where its loops close.
  void pull(Excitation& e, double part) const {
    if (!model_.closed()) return;
    const std::vector<double> reference = model_.reference();
    const std::vector<std::size_t> at = model_.independent_positions();
    for (std::size_t k = 0; k < n_; ++k) {
      const double near = std::clamp(reference[at[k]], limits_[k].lower, limits_[k].upper);
      e.offset[k] = near + part * (e.offset[k] - near);
    }
  }

  /// Of every load, without Coulomb friction. Returns how much of their limits joints that loops move use; infinite where the loops do not close.
  double torques(const double* q, const double* v, const double* a, double* out) {
    tau_.resize(n_), own_.resize(places_.size());
    double passive = 0;
    if (model_.closed()) {
      one_.count = 1;
      one_.q.assign(q, q + n_), one_.v.assign(v, v + n_), one_.a.assign(a, a + n_);
      std::size_t bad = 0;
      q = regressors_.configurations(one_, closed_, bad);
      if (bad == 0) {
        std::fill_n(out, loads_.size(), HUGE_VAL);
        return HUGE_VAL;
      }
      const std::size_t n = regressors_.plan().nv;
      motion_.resize(row_of(Quantity::loop_motion).size(regressors_.plan().sizes()));
      compute(Quantity::loop_motion, regressors_.plan(), ws_, {q, v, a}, motion_.data());
      for (const auto& [one, k] : passive_) {
        const double size = std::fabs(one.multiplier), half = 0.5 * (one.joint->upper - one.joint->lower);
        passive = std::max({passive, size * std::fabs(motion_[k]) / one.speed(options_), size * std::fabs(motion_[n + k]) / one.acceleration(options_)});
        if (one.bounded(one.joint->lower) && one.bounded(one.joint->upper) && half > 0)
          passive = std::max(passive, std::fabs(one.multiplier * q[k] + one.offset - 0.5 * (one.joint->upper + one.joint->lower)) / half);
      }
    }
    inverse_dynamics(regressors_.plan(), ws_, q, v, a, tau_.data());
    if (!followers_.empty() && !model_.closed()) {
      state_.resize(3 * places_.size());
      double *qf = state_.data(), *vf = qf + places_.size(), *af = vf + places_.size();
      for (std::size_t i = 0; i < places_.size(); ++i) {
        const Place& at = places_[i];
        qf[i] = at.multiplier * q[at.coordinate] + at.offset, vf[i] = at.multiplier * v[at.coordinate], af[i] = at.multiplier * a[at.coordinate];
      }
      inverse_dynamics(free_, free_ws_, qf, vf, af, own_.data());
    }
    for (std::size_t l = 0; l < loads_.size(); ++l) {
      const Load& load = loads_[l];
      out[l] = (load.joint == kNone ? tau_[load.coordinate] : own_[load.joint]) + load.viscous * load.multiplier * v[load.coordinate];
    }
    return passive;
  }

  void sample(const Excitation& e) {
    samples_.count = times_.size();
    for (std::vector<double>* part : {&samples_.q, &samples_.v, &samples_.a}) part->resize(times_.size() * n_);
    effort_ = 0;
    smooth_.resize(loads_.size());
    for (std::size_t s = 0; s < times_.size(); ++s) {
      double *q = samples_.q.data() + s * n_, *v = samples_.v.data() + s * n_, *a = samples_.a.data() + s * n_;
      e.at(times_[s], q, v, a);
      if (loads_.empty() && !model_.closed()) continue;
      effort_ = std::max(effort_, torques(q, v, a, smooth_.data()));
      if (std::isinf(effort_)) return;
      for (std::size_t l = 0; l < loads_.size(); ++l) {
        const double rate = loads_[l].multiplier * v[loads_[l].coordinate], side = rate > 0 ? 1 : rate < 0 ? -1 : 0;
        effort_ = std::max(effort_, std::fabs(smooth_[l] + side * loads_[l].coulomb) / loads_[l].limit);
      }
    }
  }

  /// Smaller, until the efforts are within their limits; a weight that is beyond them is judged.
  void weaken(Excitation& e) {
    for (int tries = 0; tries < 12; ++tries) {
      sample(e);
      if (effort_ <= options_.part) return;
      for (std::vector<double>* list : {&e.a, &e.b})
        for (double& x : *list) x *= 0.8;
      pull(e, 0.8);
    }
  }

  const Model& model_;
  const ExciteOptions& options_;
  std::size_t n_, fine_;  // coordinates; samples that extremes are found among
  Regressors regressors_;
  BaseParameters structure_;
  Columns columns_;
  Workspace ws_;
  Plan free_;  // without couplings
  Workspace free_ws_;
  std::vector<std::vector<Member>> members_;  // of each coordinate; the joint itself comes first
  std::vector<Member> followers_;
  std::vector<std::size_t> follows_;  // the coordinate of each
  std::vector<Place> places_;
  std::vector<Limits> limits_;
  std::vector<Load> loads_;
  std::vector<std::pair<Member, std::size_t>> passive_;  // joints that loops move, and their coordinates of the tree
  std::vector<double> times_, tau_, own_, state_, smooth_, Y_, closed_, motion_;
  Samples one_;
  double effort_ = 0;  // the largest share of a limit in the last samples
  Samples samples_;
};

}  // namespace

Excitation excite(const Model& model, const ExciteOptions& options) {
  require_no_balls(model, "an exciting motion");
  if (model.nv() == 0) throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no joint that moves"));
  if (model.base() != RootJoint::fixed)
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " moves; a motion is found for robots with a fixed base"));
  if (options.waves < 2) throw std::invalid_argument("at least 2 waves are needed: one to move, one to begin at rest");
  if (!(options.period > 0)) throw std::invalid_argument("the period must be above 0 s");
  Problem problem(model, options);
  problem.require_effort();
  std::mt19937_64 random(options.seed);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); };
  const std::size_t d = problem.size();
  const auto draw = [&] {
    std::vector<double> x(d);
    for (double& e : x) e = normal();
    return x;
  };

  // The results of random motions, and the best of them to begin with.
  constexpr std::size_t kRandom = 25;
  std::vector<double> conditions, dets, best_x = draw();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < kRandom; ++k) {
    const std::vector<double> x = k == 0 ? best_x : draw();
    Excitation e = problem.motion(x);
    const double value = problem.judge(e, &e);
    if (e.condition > 0) conditions.push_back(e.condition), dets.push_back(e.log_det);
    if (value < best) best = value, best_x = x;
  }
  const auto median = [](std::vector<double>& x) {
    if (x.empty()) return 0.0;
    std::nth_element(x.begin(), x.begin() + static_cast<long>(x.size() / 2), x.end());
    return x[x.size() / 2];
  };

  // sep-CMA-ES, weights and rates as its authors have them.
  const std::size_t lambda = 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(d))), mu = lambda / 2;
  std::vector<double> weight(mu);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < mu; ++i) sum += weight[i] = std::log(static_cast<double>(mu) + 0.5) - std::log(static_cast<double>(i) + 1);
  for (double& w : weight) w /= sum, squares += w * w;
  const double dim = static_cast<double>(d), mueff = 1 / squares, cs = (mueff + 2) / (dim + mueff + 5),
               ds = 1 + 2 * std::max(0.0, std::sqrt((mueff - 1) / (dim + 1)) - 1) + cs;
  const double cc = (4 + mueff / dim) / (dim + 4 + 2 * mueff / dim), chi = std::sqrt(dim) * (1 - 1 / (4 * dim) + 1 / (21 * dim * dim));
  const double ccov = std::min(1.0, (dim + 2) / 3 * (2 / ((dim + 1.3) * (dim + 1.3) + mueff))),
               cmu = std::min(1 - ccov, (dim + 2) / 3 * 2 * (mueff - 2 + 1 / mueff) / ((dim + 2) * (dim + 2) + mueff));
  std::vector<double> mean = best_x, C(d, 1), ps(d, 0), pc(d, 0);
  double sigma = 0.5;
  std::size_t used = kRandom;
  while (used < options.evaluations) {
    if (options.progress && !options.progress(static_cast<double>(used) / static_cast<double>(options.evaluations))) break;
    std::vector<std::pair<double, std::vector<double>>> children;
    for (std::size_t i = 0; i < lambda; ++i, ++used) {
      std::vector<double> x(d);
      for (std::size_t k = 0; k < d; ++k) x[k] = mean[k] + sigma * std::sqrt(C[k]) * normal();
      const double value = problem.judge(problem.motion(x));
      if (value < best) best = value, best_x = x;
      children.emplace_back(value, std::move(x));
    }
    std::sort(children.begin(), children.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double length = 0;
    std::vector<double> next(d, 0), rank(d, 0);
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t i = 0; i < mu; ++i) {
        const double z = (children[i].second[k] - mean[k]) / sigma;
        next[k] += weight[i] * children[i].second[k];
        rank[k] += weight[i] * z * z;
      }
      const double step = (next[k] - mean[k]) / sigma;
      ps[k] = (1 - cs) * ps[k] + std::sqrt(cs * (2 - cs) * mueff) * step / std::sqrt(C[k]);
      pc[k] = (1 - cc) * pc[k] + std::sqrt(cc * (2 - cc) * mueff) * step;
      length += ps[k] * ps[k];
    }
    for (std::size_t k = 0; k < d; ++k) C[k] = (1 - ccov - cmu) * C[k] + ccov * pc[k] * pc[k] + cmu * rank[k];
    mean = next;
    sigma *= std::exp(std::min(1.0, cs / ds * (std::sqrt(length) / chi - 1)));
  }
  Excitation out = problem.motion(best_x);
  if (const double value = problem.judge(out, &out); value >= 1e6)
    throw std::invalid_argument(
        cat("no motion was found within the effort limits of robot ", in_quotes(model.name()), "; raise --evaluations, or check the limits"));
  // Candidates are judged by the torques of some samples. The motion that is returned keeps the effort limits throughout.
  constexpr int kTries = 50;
  double effort = problem.measure(out);
  for (int k = 0; k < kTries && effort > options.part; ++k) {
    for (std::vector<double>* x : {&out.a, &out.b})
      for (double& amplitude : *x) amplitude *= std::min(0.99, options.part / effort);
    effort = problem.measure(out);
  }
  problem.judge(out, &out);
  if (effort > options.part)
    throw std::invalid_argument(cat("no motion was found within ", rounded(100 * options.part), " % of the effort limits of robot ", in_quotes(model.name()),
                                    " at every time; raise --evaluations or --part, or check the limits"));
  out.random_condition = median(conditions), out.random_log_det = median(dets);
  out.evaluations = used;
  return out;
}

namespace {

/// Of all joints: rows of a robot with loops have the driven ones alone.
std::vector<double> configurations(const Model& model, const ExcitationRows& rows) {
  if (!model.closed()) return rows.q;
  const Dynamics dynamics(model, {.most = InstructionSet::none});
  std::vector<double> q(rows.t.size() * model.nq());
  Closure worst;
  const std::size_t bad = dynamics.close_batch({rows.q.data(), model.nv(), rows.t.size()}, {q.data(), model.nq(), rows.t.size()}, &worst);
  if (bad == rows.t.size()) return q;
  const ClosureProblem wrong = problem(worst, model.loops());
  throw std::invalid_argument(cat("row ", bad + 1, " of the motion: ", wrong.what, "; ", wrong.cure));
}

}  // namespace

ExcitationRows sampled(const Model& model, const Excitation& motion, double rate, const ExciteOptions& options) {
  if (!(rate > 0)) throw std::invalid_argument(cat("rows need a rate above 0 Hz, not ", rate));
  const std::size_t n = model.nv();
  ExcitationRows rows;
  for (std::size_t s = 0; s <= static_cast<std::size_t>(std::floor(motion.period * rate + 1e-9)); ++s) rows.t.push_back(static_cast<double>(s) / rate);
  if (motion.period - rows.t.back() > 1e-9 * motion.period) rows.t.push_back(motion.period);  // it ends at rest
  for (std::vector<double>* part : {&rows.q, &rows.v, &rows.a, &rows.tau}) part->resize(rows.t.size() * n);
  const Plan plan = make_plan(model, {.snap = options.snap});
  Workspace ws(plan);
  for (std::size_t s = 0; s < rows.t.size(); ++s) motion.at(rows.t[s], &rows.q[s * n], &rows.v[s * n], &rows.a[s * n]);
  const std::vector<double> closed = configurations(model, rows);
  for (std::size_t s = 0; s < rows.t.size(); ++s)
    inverse_dynamics(plan, ws, &closed[s * plan.nq], &rows.v[s * n], &rows.a[s * n], &rows.tau[s * n], Effects{.friction = true});
  require_limits(model, rows, options);
  return rows;
}

void require_limits(const Model& model, const ExcitationRows& rows, const ExciteOptions& options) {
  const std::vector<LimitUse> broken = check_motion(model, {rows.t, configurations(model, rows), rows.v, rows.a, rows.tau},
                                                    {.speed = options.speed, .acceleration = options.acceleration, .snap = options.snap});
  if (broken.empty()) return;
  std::string text = cat("the rows of the motion leave the limits of robot ", in_quotes(model.name()), ": ");
  constexpr std::size_t kMost = 5;
  for (std::size_t k = 0; k < broken.size() && k < kMost; ++k) text += cat(k == 0 ? "" : "; ", to_string(model, broken[k]));
  throw std::invalid_argument(cat(text, broken.size() > kMost ? cat("; and ", broken.size() - kMost, " more") : "",
                                  ". What a controller interpolates between two rows counts: raise the rate of the rows, or lower the part of the limits"));
}

}  // namespace ULNA_API
