#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <ulna/explain/explain.hpp>

#include "explain/suspects.hpp"
#include "identify/condensed.hpp"
#include "model/describe.hpp"
#include "model/motion.hpp"
#include "source/edit_urdf.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

using Vector = std::vector<double>;
using Channels = std::vector<Vector>;  // of each coordinate, sample by sample

constexpr double kHalfTurn = std::numbers::pi, kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMostSamples = 4000;  // that are looked at
constexpr std::size_t kBlocks = 10;         // of the time, fitted and held back in turn
constexpr double kOversampled = 10;         // samples in a period of the cut-off
constexpr double kEdge = 0.2;               // at the ends of a run, where filters have seen one side only [s]
constexpr double kPlateau = 0.02;           // growth of the accelerations' energy from one cut-off to its double: where the motion ends
constexpr double kFloor = 0.005;            // of a torque: an error below it is none
constexpr double kNeeded = 1.0;             // nats that a cause must be worth, summed over joints
constexpr double kNeededOfOne = 0.4;        // and in one joint
constexpr double kPrice = 0.1;              // of each number that is fitted [nats]
constexpr double kAsWell = 0.25;            // causes that near to the best fit as well [nats]
constexpr double kLittle = 0.1;             // of a torque
constexpr std::size_t kMostCauses = 6;
constexpr double kHeaviest = 3;        // link, in masses of the robot
constexpr double kLongestDelay = 0.5;  // [s]

/// Columns of torques as the log has them, and what they mean: torque k is gain[k] · (column order[k], delay[k] later) - offset[k]. By the log's order of
/// joints: Coordinates say which joint of the model that is.
struct Reading {
  explicit Reading(std::size_t n) : order(n), gain(n, 1.0), delay(n, 0.0), offset(n, 0.0) {
    for (std::size_t k = 0; k < n; ++k) order[k] = k;
  }
  std::vector<std::size_t> order;
  Vector gain, delay, offset;
};

struct Patient {
  Trial trial;
  Reading reading;
};

struct Suspicion {
  Cause cause;
  std::function<void(Patient&)> apply{};
  std::size_t numbers = 0;  // that were fitted
  bool in_log = false;
  double score = 0;
  double best_joint = 0;  // what the joint that gains most gains
  bool whole = false;     // counts only where it leaves little of every joint: so many numbers make anything a little better
  double worth() const { return score + kPrice * static_cast<double>(numbers); }
};

/// Of a cause among others: what it is about, whatever its numbers.
struct Key {
  std::string kind, where;
  std::size_t numbers = 0;
  bool in_log = false;
  explicit Key(const Suspicion& s) : kind(s.cause.kind), where(s.cause.where), numbers(s.numbers), in_log(s.in_log) {}
  bool of(const Suspicion& s) const { return kind == s.cause.kind && where == s.cause.where && numbers == s.numbers && in_log == s.in_log; }
};

/// As people write it, in so many digits.
double brief(double x, int count = 5) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double places = count - 1 - std::floor(std::log10(std::abs(x))), unit = std::pow(10.0, std::abs(places));
  return places >= 0 ? std::round(x * unit) / unit : std::round(x / unit) * unit;
}

/// A log without columns that are not used: accelerations, which are derived, and velocities unless they are wanted.
Log without_rates(const Log& log, bool velocities) {
  Log out(log.name(), log.nv(), {velocities, false, true});
  const std::size_t n = log.nv();
  each_row(log, [&](std::size_t, const double* x) { out.add(x[0], x + 1, x + 1 + n, nullptr, x + 1 + 3 * n); });
  return out;
}

/// Samples of all logs, filtered and thinned: torques, and q, v, a that a Comparison is asked for.
struct Series {
  struct Run {
    std::size_t first, last;
  };
  std::vector<Run> runs;
  double step = 0, cutoff = 0;
  Numbers numbers;
  Vector rate, side;      // rates and their signs, through the low-pass once more: what friction goes with
  std::vector<char> use;  // of each sample: 0 not at all, 1 fitted, 2 held back

  std::size_t count() const { return use.size(); }
  /// Each run through the low-pass.
  void filter(Vector& x) const {
    LowPass low_pass(cutoff, 1 / step);
    for (const Run& run : runs) low_pass(x.data() + run.first, run.last - run.first);
  }
  Vector channel(const Vector& rows, std::size_t n, std::size_t k) const {
    Vector out(count());
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = rows[s * n + k];
    return out;
  }
};

Series sampled(const std::vector<Motion>& motions, std::size_t n) {
  Series out;
  out.cutoff = motions.front().cutoff();
  std::size_t all = 0;
  double finest = 0;
  for (const Motion& motion : motions) {
    finest = std::max(finest, motion.step());
    for (const Motion::Stretch& s : motion.stretches())
      all += (s.last - s.first) / std::max<std::size_t>(1, static_cast<std::size_t>(1 / (kOversampled * out.cutoff * motion.step())));
  }
  out.step = std::max(finest, 1 / (kOversampled * out.cutoff));
  const double part = std::min(1.0, static_cast<double>(kMostSamples) / static_cast<double>(std::max<std::size_t>(all, 1)));
  Samples samples;
  for (const Motion& motion : motions) {
    const std::size_t every = std::max<std::size_t>(1, static_cast<std::size_t>(out.step / motion.step() + 1e-9));
    out.step = static_cast<double>(every) * motion.step();
    for (const Motion::Stretch& stretch : motion.stretches()) {
      const std::size_t cut = motion.filter_ends();
      if (stretch.last - stretch.first <= 2 * cut + 2) continue;
      const std::size_t low = stretch.first + cut, high = stretch.last - cut, pieces = part < 1 ? kBlocks : 1;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        const std::size_t first = low + (high - low) * piece / pieces, end = low + (high - low) * (piece + 1) / pieces;
        const std::size_t last = first + static_cast<std::size_t>(part * static_cast<double>(end - first));
        if (last < first + 4 * every) continue;
        motion.read(first, last, samples);
        // Signs before samples are left out: a jump that comes late by a part of a step is felt.
        Vector rate = samples.v, side = samples.v;
        for (double& x : side) x = x > 0 ? 1 : x < 0 ? -1 : 0;
        LowPass low_pass = motion.low_pass();
        for (std::size_t k = 0; k < n; ++k) low_pass(rate.data() + k, samples.count, n), low_pass(side.data() + k, samples.count, n);
        const std::size_t start = out.use.size();
        for (std::size_t s = 0; s < samples.count; s += every) {
          bool usable = true;
          for (std::size_t k = 0; k < n; ++k) usable = usable && samples.usable(s * n + k);
          out.use.push_back(usable ? 1 : 0);
          const auto take = [&](const Vector& from, Vector& to) {
            to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(s * n), from.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
          };
          take(samples.q, out.numbers.q), take(samples.v, out.numbers.v), take(samples.a, out.numbers.a), take(samples.tau, out.numbers.tau);
          take(rate, out.rate), take(side, out.side);
        }
        out.runs.push_back({start, out.use.size()});
        const std::size_t edge = std::min((out.use.size() - start) / 2, static_cast<std::size_t>(std::ceil(kEdge / out.step)));
        for (std::size_t s = 0; s < edge; ++s) out.use[start + s] = out.use[out.use.size() - 1 - s] = 0;
      }
    }
  }
  out.numbers.states = out.use.size();
  for (std::size_t s = 0; s < out.use.size(); ++s)
    if (out.use[s] != 0 && s * kBlocks / out.use.size() % 2 == 1) out.use[s] = 2;
  return out;
}

/// The cut-off where the energy of the accelerations ceases to grow: the motion ends there, and noise has not begun.
double quiet_cutoff(const Log& log, const Model& model) {
  constexpr std::size_t kMost = 20'000;
  std::vector<Vector> energy;
  std::vector<double> cutoffs;
  const std::size_t n = model.nv();
  for (double cutoff = 1;; cutoff *= 2) {
    std::vector<Finding> ignored;
    const Motion motion(log, model, cutoff, ignored);
    if (motion.cutoff() < cutoff || cutoff > 0.2 / motion.step()) break;
    Samples samples;
    Vector own(n, 0.0);
    for (const Motion::Stretch& stretch : motion.stretches()) {
      const std::size_t cut = motion.filter_ends();
      if (stretch.last - stretch.first <= 2 * cut + 2) continue;
      motion.read(stretch.first + cut, std::min(stretch.last - cut, stretch.first + cut + kMost), samples);
      for (std::size_t s = 0; s < samples.count; ++s)
        for (std::size_t k = 0; k < n; ++k)
          if (motion.speed()[k] > 0) own[k] += samples.a[s * n + k] * samples.a[s * n + k];
    }
    energy.push_back(own), cutoffs.push_back(cutoff);
  }
  if (cutoffs.size() < 2) return cutoffs.empty() ? 0 : cutoffs.back();
  std::size_t best = 0;
  double least = HUGE_VAL;
  for (std::size_t c = 0; c + 1 < cutoffs.size(); ++c) {
    double growth = 0, joints = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (energy[c][k] > 0) growth += std::log(energy[c + 1][k] / energy[c][k]), joints += 1;
    growth /= std::max(joints, 1.0);
    if (growth < least) least = growth, best = c;
    if (growth < kPlateau) {
      best = c + 1;  // nothing has come in up to there
      break;
    }
  }
  return cutoffs[best];
}

/// One robot and the samples of its logs.
class Doctor {
 public:
  Doctor(const Model& model, Series series)
      : model_(model), n_(model.nv()), series_(std::move(series)), comparison_(model, series_.numbers), suspects_(comparison_, model) {
    for (std::size_t k = 0; k < n_; ++k) {
      rate_.push_back(series_.channel(series_.rate, n_, k)), side_.push_back(series_.channel(series_.side, n_, k));
      column_.push_back(series_.channel(series_.numbers.tau, n_, k));  // has been through the low-pass
    }
  }

  /// The robot of the file, without friction, and the log as it is.
  Patient start() const {
    Patient out{{describe(model_), Coordinates(n_)}, Reading(n_)};
    for (Description::JointEntry& entry : out.trial.robot.joints) entry.joint.friction = {};
    return out;
  }

  /// Torques without friction, through the low-pass. Empty for what is no robot.
  Channels predicted(const Trial& trial) const { return channels(comparison_.predict(trial)); }

  Channels measured(const Reading& reading) const {
    Channels out;
    for (std::size_t k = 0; k < n_; ++k) {
      out.push_back(later(column_[reading.order[k]], reading.delay[k]));
      for (double& x : out.back()) x = reading.gain[k] * x - reading.offset[k];
    }
    return out;
  }

  /// Friction of each joint: a rate and its sign, through the low-pass.
  struct Rubs {
    Channels rate, side;
    std::vector<std::size_t> joint;  // whose torque it is
  };
  Rubs rubs(const Coordinates& c) const {
    Rubs out{rate_, side_, std::vector<std::size_t>(n_)};
    for (std::size_t joint = 0; joint < n_; ++joint) {
      const std::size_t k = c.order[joint];
      out.joint[k] = joint;
      for (double& x : out.rate[k]) x *= c.scale[joint] * c.v_scale;  // an axis that is reversed reverses the torque, too
      for (double& x : out.side[k]) x *= c.scale[joint] < 0 ? -1 : 1;
    }
    return out;
  }

  struct Drag {
    double viscous = 0, coulomb = 0;
  };
  /// Friction that leaves least of one joint in samples of this use (0: all of them); none negative.
  Drag drag(const Vector& left, const Vector& rate, const Vector& side, char use) const {
    double rr = 0, ss = 0, rs = 0, rl = 0, sl = 0;
    for (std::size_t s = 0; s < left.size(); ++s) {
      if (series_.use[s] == 0 || (use != 0 && series_.use[s] != use) || std::isnan(left[s])) continue;
      rr += rate[s] * rate[s], ss += side[s] * side[s], rs += rate[s] * side[s], rl += rate[s] * left[s], sl += side[s] * left[s];
    }
    const double det = rr * ss - rs * rs;
    Drag both{det > 1e-12 * rr * ss ? (ss * rl - rs * sl) / det : 0, det > 1e-12 * rr * ss ? (rr * sl - rs * rl) / det : 0};
    if (both.viscous >= 0 && both.coulomb >= 0 && det > 1e-12 * rr * ss) return both;
    const Drag one{rr > 0 ? std::max(0.0, rl / rr) : 0, 0}, other{0, ss > 0 ? std::max(0.0, sl / ss) : 0};
    return one.viscous * rl > other.coulomb * sl ? one : other;
  }

  /// Of each joint: logarithm of its relative squared error in samples that were held back, friction fitted to the others.
  Vector scores(const Channels& predicted, const Channels& measured, const Rubs& rubs) const {
    Vector out;
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector left = difference(measured[k], predicted[k]);
      const Drag own = drag(left, rubs.rate[k], rubs.side[k], 1);
      double off = 0, all = 0;
      for (std::size_t s = 0; s < left.size(); ++s) {
        if (series_.use[s] != 2 || std::isnan(left[s])) continue;
        const double d = left[s] - own.viscous * rubs.rate[k][s] - own.coulomb * rubs.side[k][s];
        off += d * d, all += measured[k][s] * measured[k][s];
      }
      const double relative = all > 0 ? off / all : off > 0 ? 1e6 : 0;
      out.push_back(std::log(std::min(1e12, relative) + kFloor * kFloor));
    }
    return out;
  }
  static double sum(const Vector& x) {
    double out = 0;
    for (const double e : x) out += e;
    return out;
  }

  /// Squared error and squared torques of all joints, with friction as it is given or (of `fitted` joints) fitted.
  double relative_error(const Patient& at, const std::vector<Drag>& given, const std::vector<char>& fitted) const {
    const Channels p = predicted(at.trial), m = measured(at.reading);
    if (p.empty()) return HUGE_VAL;
    const Rubs r = rubs(at.trial.coordinates);
    double off = 0, all = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector left = difference(m[k], p[k]);
      const Drag own = fitted[r.joint[k]] != 0 ? drag(left, r.rate[k], r.side[k], 0) : given[r.joint[k]];
      for (std::size_t s = 0; s < left.size(); ++s) {
        if (series_.use[s] == 0 || std::isnan(left[s])) continue;
        const double d = left[s] - own.viscous * r.rate[k][s] - own.coulomb * r.side[k][s];
        off += d * d, all += m[k][s] * m[k][s];
      }
    }
    return all > 0 ? std::sqrt(off / all) : 0;
  }

  /// Joints whose friction differs from what is given, by what it is worth; with the friction that they have.
  std::vector<Drag> friction(const Patient& at, const std::vector<Drag>& given, std::vector<char>& differs) const {
    constexpr double kWorse = 2, kChange = 0.25, kSeen = 0.02;
    const Channels p = predicted(at.trial), m = measured(at.reading);
    const Rubs r = rubs(at.trial.coordinates);
    std::vector<Drag> out(n_);
    differs.assign(n_, 0);
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector left = difference(m[k], p[k]);
      const std::size_t joint = r.joint[k];
      Drag& own = out[joint];
      own = drag(left, r.rate[k], r.side[k], 0);
      own.viscous = brief(own.viscous), own.coulomb = brief(own.coulomb);
      double as_given = 0, as_fitted = 0, change = 0, found = 0, all = 0;
      for (std::size_t s = 0; s < left.size(); ++s) {
        if (series_.use[s] == 0 || std::isnan(left[s])) continue;
        const double f = own.viscous * r.rate[k][s] + own.coulomb * r.side[k][s], g = given[joint].viscous * r.rate[k][s] + given[joint].coulomb * r.side[k][s];
        as_given += (left[s] - g) * (left[s] - g), as_fitted += (left[s] - f) * (left[s] - f), change += (f - g) * (f - g), found += std::max(f * f, g * g);
        all += m[k][s] * m[k][s];
      }
      if (as_given > kWorse * (as_fitted + kFloor * kFloor * all) && change > kChange * kChange * found && change > kSeen * kSeen * all) differs[joint] = 1;
    }
    return out;
  }

  /// Joints whose torques nothing explains: much is left of them, and it is no noise, because it is alike a period of the cut-off later.
  std::vector<std::string> unexplained(const Patient& at) const {
    constexpr double kMuch = 0.3, kSlow = 0.4;
    const Channels p = predicted(at.trial), m = measured(at.reading);
    const Rubs r = rubs(at.trial.coordinates);
    const std::size_t lag = static_cast<std::size_t>(std::ceil(1 / (series_.cutoff * series_.step)));
    std::vector<std::string> out;
    for (std::size_t k = 0; k < n_; ++k) {
      Vector left = difference(m[k], p[k]);
      const Drag own = drag(left, r.rate[k], r.side[k], 0);
      double off = 0, all = 0, alike = 0;
      for (std::size_t s = 0; s < left.size(); ++s) {
        left[s] -= own.viscous * r.rate[k][s] + own.coulomb * r.side[k][s];
        if (series_.use[s] == 0 || std::isnan(left[s])) continue;
        off += left[s] * left[s], all += m[k][s] * m[k][s];
        if (s >= lag && series_.use[s - lag] != 0 && !std::isnan(left[s - lag])) alike += left[s] * left[s - lag];
      }
      if (off > kMuch * kMuch * all && alike > kSlow * off) out.push_back(name_of(k));
    }
    return out;
  }

  /// All that may be wrong, with what it would leave; those alone that `only` means.
  std::vector<Suspicion> suspicions(const Patient& at, const Key* only = nullptr) const;

  const Model& model() const { return model_; }
  const Series& series() const { return series_; }

 private:
  struct Here {  // of a patient
    Channels predicted, measured;
    Rubs rubs;
    Vector flat, scores;
    double sum = 0;
  };

  static Vector difference(const Vector& a, const Vector& b) {
    Vector out(a.size());
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = a[s] - b[s];
    return out;
  }
  Channels channels(const Vector& flat) const {
    if (flat.size() != series_.count() * n_) return {};
    Channels out(n_, Vector(series_.count()));
    for (std::size_t i = 0; i < flat.size(); ++i) out[i % n_][i / n_] = flat[i] * comparison_.scale(i);
    for (Vector& x : out) {
      if (!std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); })) return {};
      series_.filter(x);
    }
    return out;
  }
  /// What stands `by` seconds later in the same run, by cubics; not a number where nothing does.
  Vector later(const Vector& x, double by) const {
    if (by == 0) return x;
    Vector out(x.size(), kMissing);
    for (const Series::Run& run : series_.runs)
      for (std::size_t s = run.first; s < run.last; ++s) {
        const double at = static_cast<double>(s - run.first) + by / series_.step;
        if (at < 1 || at + 3 > static_cast<double>(run.last - run.first)) continue;
        const std::size_t i = run.first + static_cast<std::size_t>(at);
        const double u = at - std::floor(at), a = x[i - 1], b = x[i], c = x[i + 1], d = x[i + 2];
        out[s] = b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
      }
    return out;
  }

  /// Numbers of columns that leave least, friction fitted besides; joints weighed by what is left of them.
  struct Fitted {
    Vector x;
    TallQr triangle{1};
  };
  Fitted fit(const std::vector<const Channels*>& columns, const Here& here) const;
  void judge(const Here& here, Suspicion suspicion, const Channels& predicted, const Channels& measured, const Rubs& rubs, std::vector<Suspicion>& out) const {
    if (predicted.empty()) return;
    const Vector found = scores(predicted, measured, rubs);
    if (suspicion.whole && *std::max_element(found.begin(), found.end()) > std::log(kLittle * kLittle)) return;
    suspicion.score = sum(found);
    for (std::size_t k = 0; k < n_; ++k) suspicion.best_joint = std::max(suspicion.best_joint, here.scores[k] - found[k]);
    out.push_back(std::move(suspicion));
  }
  void judge_torques(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_slips(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_families(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  void judge_positions(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const;
  const std::string& name_of(std::size_t k) const { return model_.joints()[model_.independent()[k]].name; }

  const Model& model_;
  std::size_t n_;
  Series series_;
  Comparison comparison_;
  Suspects suspects_;
  Channels rate_, side_, column_;
};

Doctor::Fitted Doctor::fit(const std::vector<const Channels*>& columns, const Here& here) const {
  const std::size_t count = columns.size();
  Fitted out;
  std::vector<TallQr> own;
  Vector weight(n_, 0.0), size(n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    std::vector<Vector> rows;
    for (const Channels* column : columns) rows.push_back((*column)[k]);
    rows.push_back(difference(here.measured[k], here.predicted[k]));
    std::vector<std::size_t> taken;
    for (std::size_t s = 0; s < series_.count(); ++s)
      if (series_.use[s] == 1 && !std::isnan(rows.back()[s])) taken.push_back(s);
    // Friction is taken out of all of them, so that what it explains counts for nothing.
    std::vector<Vector> basis;
    for (const Vector* rub : {&here.rubs.rate[k], &here.rubs.side[k]}) {
      Vector b = *rub;
      const auto product = [&](const Vector& x, const Vector& y) {
        double sum = 0;
        for (const std::size_t s : taken) sum += x[s] * y[s];
        return sum;
      };
      const double before = product(b, b);
      const auto take_out = [&](Vector& from, const Vector& unit) {
        const double c = product(from, unit);
        for (const std::size_t s : taken) from[s] -= c * unit[s];
      };
      for (const Vector& unit : basis) take_out(b, unit);
      const double left = product(b, b);
      if (!(left > 1e-12 * before)) continue;
      for (double& x : b) x /= std::sqrt(left);
      for (Vector& row : rows) take_out(row, b);
      basis.push_back(std::move(b));
    }
    TallQr triangle(count + 1);
    for (const std::size_t s : taken) {
      double* row = triangle.next();
      for (std::size_t c = 0; c <= count; ++c) row[c * TallQr::kRows] = rows[c][s];
      triangle.take();
      size[k] += here.measured[k][s] * here.measured[k][s];
    }
    own.push_back(std::move(triangle));
  }
  for (std::size_t k = 0; k < n_; ++k) weight[k] = size[k] > 0 ? 1 / std::sqrt(size[k]) : 0;
  for (int round = 0; round < 4; ++round) {
    out.triangle = TallQr(count + 1);
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector& R = own[k].triangle();
      for (std::size_t r = 0; r <= count; ++r) {
        double* row = out.triangle.next();
        for (std::size_t c = 0; c <= count; ++c) row[c * TallQr::kRows] = c < r ? 0 : weight[k] * R[r + c * (count + 1)];
        out.triangle.take();
      }
    }
    out.x = least_squares(out.triangle, Vector(count, 0.0)).x;
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector& R = own[k].triangle();
      double left = kFloor * kFloor * size[k];
      for (std::size_t r = 0; r <= count; ++r) {
        double d = -R[r + count * (count + 1)];
        for (std::size_t c = r; c < count; ++c) d += R[r + c * (count + 1)] * out.x[c];
        left += d * d;
      }
      weight[k] = size[k] > 0 ? 1 / std::sqrt(left) : 0;
    }
  }
  return out;
}

/// Factors that units are confused by.
struct UnitRow {
  double factor;  // of the number that stands in the log, to make it right
  const char *is, *should;
};
constexpr UnitRow kTorqueUnits[] = {{1e-3, "thousandths (mN m, mA)", "N m"},
                                    {1e3, "kN m", "N m"},
                                    {9.80665, "kgf m", "N m"},
                                    {0.0980665, "kgf cm", "N m"},
                                    {1e-2, "N cm", "N m"},
                                    {0.112985, "lbf in", "N m"},
                                    {1.355818, "lbf ft", "N m"}};
constexpr UnitRow kRateUnits[] = {{kHalfTurn / 180, "degrees", "radians"},
                                  {180 / kHalfTurn, "radians", "degrees"},
                                  {kHalfTurn / 30, "revolutions per minute", "rad/s"},
                                  {2 * kHalfTurn, "revolutions", "radians"},
                                  {1e-3, "thousandths", "units"}};

template <std::size_t N>
const UnitRow* unit_of(const UnitRow (&rows)[N], double factor, double within) {
  for (const UnitRow& row : rows)
    if (std::abs(factor / row.factor - 1) < within) return &row;
  return nullptr;
}

/// Torques alone: nothing has to be computed anew.
void Doctor::judge_torques(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const {
  const auto consider = [&](Suspicion s) {
    if (only != nullptr && !only->of(s)) return;
    Patient next = at;
    s.in_log = true;
    s.apply(next);
    judge(here, s, here.predicted, measured(next.reading), here.rubs, out);
  };
  const auto make = [&](const char* kind, std::string where, double from, double to, std::string words, std::function<void(Patient&)> apply,
                        std::size_t numbers) {
    Suspicion s;
    s.cause = {kind, std::move(where), 0, {{from}, {}}, {{to}, {}}, std::move(words), {}};
    s.apply = std::move(apply), s.numbers = numbers, s.in_log = true;
    return s;
  };
  for (std::size_t k = 0; k < n_; ++k)
    consider(make(
        "torque-sign", name_of(k), 1, -1, cat("negate the column tau.", name_of(k), " of the log"), [k](Patient& p) { p.reading.gain[k] *= -1; }, 0));
  if (n_ > 1)
    consider(make(
        "torque-sign", "all joints", 1, -1, "negate all torques of the log",
        [](Patient& p) {
          for (double& g : p.reading.gain) g *= -1;
        },
        0));
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t j = k + 1; j < n_; ++j) {
      Suspicion s = make(
          "joint-order", cat(name_of(k), ", ", name_of(j)), 0, 0, cat("exchange the columns tau.", name_of(k), " and tau.", name_of(j), " of the log"),
          [k, j](Patient& p) { std::swap(p.reading.order[k], p.reading.order[j]); }, 0);
      s.cause.from = {{}, "as the header has it"}, s.cause.to = {{}, "exchanged"};
      consider(std::move(s));
    }
  // Gains: 1 / gain is what the robot's torque is multiplied with, friction besides.
  const auto gain_of = [&](std::size_t k) {
    Channels torque(n_, Vector(series_.count(), 0.0));
    torque[k] = here.predicted[k];
    const double more = fit({&torque}, here).x[0];  // m = (1 + more) p + friction
    return 1 / (1 + more);
  };
  // Of one column, or of all: by units that are confused, or by a number.
  const auto consider_gain = [&](double gain, std::size_t joint) {
    const std::string where = joint == kNone ? std::string("all joints") : name_of(joint);
    const std::string column = joint == kNone ? std::string("every column of torques") : cat("the column tau.", where);
    const auto by = [joint](double g) {
      return [joint, g](Patient& p) {
        for (std::size_t k = 0; k < p.reading.gain.size(); ++k)
          if (joint == kNone || k == joint) p.reading.gain[k] *= g;
      };
    };
    for (const UnitRow& unit : kTorqueUnits)  // another fault may hide how well it fits
      if (std::abs(std::log(gain / unit.factor)) < std::log(3))
        consider(
            make("units", where, 1, unit.factor, cat(column, " of the log is in ", unit.is, ": multiply it by ", rounded(unit.factor)), by(unit.factor), 0));
    if (std::abs(gain - 1) <= 0.01) return;
    Suspicion s = make("torque-constant", where, 1, gain,
                       cat("multiply ", column, " of the log by ", rounded(gain), ": the torque constant or the gear ratio is off by it"), by(gain), 1);
    s.whole = joint == kNone;
    consider(std::move(s));
  };
  Vector gains(n_), sorted;
  for (std::size_t k = 0; k < n_; ++k) {
    gains[k] = brief(gain_of(k), 4);
    const bool good = gains[k] > 0 && std::isfinite(gains[k]);
    if (!good) continue;
    sorted.push_back(gains[k]);
    consider_gain(gains[k], k);
  }
  std::sort(sorted.begin(), sorted.end());
  if (n_ > 1 && 2 * sorted.size() > n_) consider_gain(sorted[sorted.size() / 2], kNone);
  if (n_ > 1 && sorted.size() == n_) {
    std::string list;
    for (std::size_t k = 0; k < n_; ++k) list += cat(k == 0 ? "" : ", ", rounded(gains[k]));
    const bool currents = sorted.back() < 0.5 || sorted.front() > 2;
    Suspicion s = make(
        currents ? "units" : "torque-constant", "all joints", 1, 1,
        cat("multiply the columns of torques by ", list, currents ? ": they are currents or counts, not torques" : ": torque constants or gear ratios are off"),
        [gains](Patient& p) {
          for (std::size_t k = 0; k < gains.size(); ++k) p.reading.gain[k] *= gains[k];
        },
        n_);
    s.cause.to = {gains, {}}, s.whole = true;
    consider(std::move(s));
  }
  // Offsets of sensors.
  for (std::size_t k = 0; k < n_; ++k) {
    Channels one(n_, Vector(series_.count(), 0.0));
    one[k].assign(series_.count(), 1.0);
    if (only != nullptr && only->kind != "torque-offset") break;
    const double offset = brief(fit({&one}, here).x[0], 4);
    consider(make(
        "torque-offset", name_of(k), 0, -offset, cat("take ", rounded(offset), " off the column tau.", name_of(k), " of the log"),
        [k, offset](Patient& p) { p.reading.offset[k] += offset; }, 1));
  }
  // Delays: of all torques, and of each.
  double shortest_run = HUGE_VAL;
  for (const Series::Run& run : series_.runs) shortest_run = std::min(shortest_run, static_cast<double>(run.last - run.first) * series_.step);
  const double most = std::min(kLongestDelay, shortest_run / 8);
  const auto cost = [&](double by, std::size_t which) {
    double total = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      if (which != kNone && k != which) continue;
      Vector m = later(column_[at.reading.order[k]], at.reading.delay[k] + by);
      for (double& x : m) x = at.reading.gain[k] * x - at.reading.offset[k];
      const Vector left = difference(m, here.predicted[k]);
      const Drag own = drag(left, here.rubs.rate[k], here.rubs.side[k], 1);
      double off = 0, size = 0;
      for (std::size_t s = 0; s < left.size(); ++s) {
        if (series_.use[s] != 1 || std::isnan(left[s])) continue;
        const double d = left[s] - own.viscous * here.rubs.rate[k][s] - own.coulomb * here.rubs.side[k][s];
        off += d * d, size += m[s] * m[s];
      }
      total += std::log((size > 0 ? off / size : 1) + kFloor * kFloor);
    }
    return total;
  };
  for (std::size_t which = 0; which <= n_; ++which) {
    const std::size_t joint = which == 0 ? kNone : which - 1;
    if (n_ == 1 && which == 0) continue;
    if (only != nullptr && (only->kind != "delay" || only->where != (which == 0 ? std::string("all joints") : name_of(joint)))) continue;
    double best = 0, least = cost(0, joint);
    const double grid = std::max(series_.step / 2, most / 40);
    for (double by = -most; by <= most; by += grid)
      if (const double c = cost(by, joint); c < least) least = c, best = by;
    for (double width = grid / 2; best != 0 && width > 1e-4; width /= 2)
      for (const double by : {best - width, best + width})
        if (const double c = cost(by, joint); c < least) least = c, best = by;
    best = brief(best, 3);
    if (std::abs(best) < 5e-4 || std::abs(best) > 0.95 * most) continue;
    consider(make(
        "delay", which == 0 ? std::string("all joints") : name_of(joint), 0, best,
        cat(which == 0 ? "torques come " : cat("torques of joint ", in_quotes(name_of(joint)), " come "), rounded(std::abs(best)), " s ",
            best > 0 ? "later" : "earlier", " than the motion: shift ", which == 0 ? "their columns" : "the column", " in the log by it"),
        [best, joint](Patient& p) {
          for (std::size_t k = 0; k < p.reading.delay.size(); ++k)
            if (joint == kNone || k == joint) p.reading.delay[k] += best;
        },
        1));
  }
}

/// Whether the placement of a joint in its parent is a rotation about its own axis.
bool about_axis(const Description& robot, const std::string& name) {
  for (const Description::JointEntry& entry : robot.joints)
    if (entry.joint.name == name) return entry.joint.type != JointType::prismatic && length(entry.joint.X_PF.R * entry.joint.axis - entry.joint.axis) < 1e-6;
  return false;
}

/// What either happened or not: those of explain, and columns of positions alone.
void Doctor::judge_slips(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const {
  const auto consider = [&](Suspicion s) {
    if (only != nullptr && !only->of(s)) return;
    Patient next = at;
    s.apply(next);
    judge(here, s, predicted(next.trial), measured(next.reading), rubs(next.trial.coordinates), out);
  };
  for (Edit& edit : suspects_.slips(at.trial)) {
    Cause& cause = edit.cause;
    if (cause.kind == "coriolis" || (cause.kind == "units" && cause.where != "q, v, a")) continue;
    if (cause.kind == "joint-frame" && about_axis(at.trial.robot, cause.where)) continue;  // that is its zero
    Suspicion s;
    const std::size_t bracket = cause.edit.find(" of B");
    if (bracket != std::string::npos) cause.edit.replace(bracket, 5, " of the log");
    if (const std::size_t a = cause.edit.find(", where A has"); a != std::string::npos) cause.edit.erase(a);
    if (const std::size_t b = cause.edit.find(" in B:"); b != std::string::npos) cause.edit.replace(b, 6, " on the robot:");
    if (cause.kind == "units") cause.where = "all joints";
    s.in_log = cause.kind == "units";
    s.apply = [apply = edit.apply](Patient& p) { apply(p.trial); };
    if (cause.kind == "joint-order" && cause.edit.starts_with("exchange joints"))
      cause.edit = cat("exchange the names of joints ", cause.where, " in the file, or their columns in the log");
    s.cause = cause;
    consider(s);
    if (cause.kind == "joint-order" && cause.edit.starts_with("exchange")) {  // positions alone
      s.in_log = true;
      s.cause.edit = cat("exchange the columns q of joints ", cause.where, " in the log");
      s.apply = [apply = edit.apply](Patient& p) {
        const std::vector<std::size_t> before = p.trial.coordinates.order, &after = p.trial.coordinates.order;
        apply(p.trial);
        const Reading r = p.reading;
        for (std::size_t joint = 0; joint < after.size(); ++joint) {
          const std::size_t to = after[joint], from = before[joint];
          p.reading.order[to] = r.order[from], p.reading.gain[to] = r.gain[from], p.reading.delay[to] = r.delay[from], p.reading.offset[to] = r.offset[from];
        }
      };
      consider(std::move(s));
    }
  }
  for (std::size_t k = 0; k < n_; ++k) {
    const bool slides = model_.joints()[model_.independent()[k]].type == JointType::prismatic;
    const auto scaled = [&](const char* kind, double factor, const std::string& words) {
      Suspicion s;
      s.cause = {kind, name_of(k), 0, {{1.0}, {}}, {{factor}, {}}, words, {}};
      s.in_log = true;
      s.apply = [k, factor](Patient& p) { p.trial.coordinates.scale[k] *= factor; };
      consider(std::move(s));
    };
    scaled("joint-sign", -1, cat("negate the column q.", name_of(k), " of the log"));
    if (slides) {
      scaled("units", 1e-3, cat("the column q.", name_of(k), " of the log is in mm: multiply it by 0.001"));
      continue;
    }
    scaled("units", kHalfTurn / 180, cat("the column q.", name_of(k), " of the log is in degrees: multiply it by pi/180"));
    scaled("units", 2 * kHalfTurn, cat("the column q.", name_of(k), " of the log is in revolutions: multiply it by 2 pi"));
  }
}

/// Whether a body has this tensor: six numbers.
bool can_be(const Vector& tensor) {
  if (tensor.size() != 6) return true;
  const Vec3<double> moments = principal_moments({tensor[0], tensor[1], tensor[2], tensor[3], tensor[4], tensor[5]});
  return moments.x >= 0 && moments.x + moments.y >= moments.z * (1 - 1e-3);
}

/// Numbers that torques are linear in.
void Doctor::judge_families(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const {
  std::vector<Family> families = suspects_.families(at.trial);
  for (std::size_t i = 0; i < model_.links().size(); ++i) {  // density: mass and inertia in proportion
    const Link& link = at.trial.robot.links[i];
    if (link.mass == 0 || link.inertia == Sym3<double>{}) continue;
    const auto change = [i, link](Trial& t, const Vector& x) {
      t.robot.links[i].mass += x[0] * link.mass;
      t.robot.links[i].inertia = t.robot.links[i].inertia + x[0] * link.inertia;
    };
    families.push_back({"mass", link.name, 1, change, [i, link](const Trial&, const Vector& x) {
                          const double times = brief(1 + x[0]);
                          return std::vector<Edit>{make_edit("mass", link.name, {{link.mass}, {}}, {{times * link.mass}, {}},
                                                             cat("multiply the mass of link ", in_quotes(link.name), " and its inertia by ", rounded(times)),
                                                             [i, link, times](Trial& t) {
                                                               t.robot.links[i].mass = times * link.mass;
                                                               t.robot.links[i].inertia = times * link.inertia;
                                                             })};
                        }});
  }
  for (const Family& family : families) {
    // Drives have friction by every fit, and rotors are those of one joint.
    if (family.kind == "coriolis" || family.kind == "damping" || family.kind == "friction" || (family.kind == "armature" && family.where == "all joints"))
      continue;
    if (only != nullptr && (only->where != family.where && family.kind != "gravity")) continue;
    std::vector<Channels> columns;
    for (const Vector& flat : columns_of(comparison_, family, at.trial, here.flat)) columns.push_back(channels(flat));
    if (columns.empty() || columns.front().empty()) continue;
    const auto consider = [&](const Vector& x, std::size_t numbers) {
      for (Edit& edit : family.edits(at.trial, x)) {
        Suspicion s;
        s.cause = std::move(edit.cause), s.numbers = numbers;
        s.apply = [apply = std::move(edit.apply)](Patient& p) { apply(p.trial); };
        if (only != nullptr && !only->of(s)) continue;
        Patient next = at;
        s.apply(next);
        const auto& links = next.trial.robot.links;
        const auto& joints = next.trial.robot.joints;
        if (std::any_of(links.begin(), links.end(), [&](const Link& l) { return l.mass < 0 || l.mass > kHeaviest * model_.mass(); }) ||
            (family.kind == "inertia" && !can_be(s.cause.to.numbers)) ||
            std::any_of(joints.begin(), joints.end(), [](const auto& e) { return e.joint.rotor < 0; }))
          continue;
        judge(here, std::move(s), predicted(next.trial), here.measured, here.rubs, out);
        break;
      }
    };
    std::vector<const Channels*> some;
    if (family.count == 10) {
      // A load: by its moments about the origin as fit_body() has them, and as a body can have them. S = tr(J)/2 E - J.
      std::vector<Channels> of_j = columns;
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t s = 0; s < series_.count(); ++s) {
          const double xx = columns[4][k][s], yy = columns[5][k][s], zz = columns[6][k][s];
          of_j[4][k][s] = 0.5 * (yy + zz - xx), of_j[5][k][s] = 0.5 * (xx + zz - yy), of_j[6][k][s] = 0.5 * (xx + yy - zz);
          for (std::size_t c = 7; c < 10; ++c) of_j[c][k][s] = -columns[c][k][s];
        }
      for (const Channels& column : of_j) some.push_back(&column);
      const Fitted found = fit(some, here);
      const double mass = found.x[0];
      if (!(mass > 1e-3) || mass > kHeaviest * model_.mass()) continue;
      Vector begin(10, 0.0);
      begin[0] = mass;
      double far = 0;
      for (std::size_t c = 1; c < 4; ++c) begin[c] = found.x[c], far += found.x[c] * found.x[c] / mass;
      for (std::size_t c = 4; c < 7; ++c) begin[c] = mass * 0.0025 + far;
      Vector body = fit_body(found.triangle, begin);
      for (double& x : body) x = brief(x, 6);
      const PseudoInertia<double> b = body_of(body.data());
      consider({b.m, b.h.x, b.h.y, b.h.z, b.S.xx, b.S.yy, b.S.zz, b.S.xy, b.S.xz, b.S.yz}, 10);
      continue;
    }
    for (const Channels& column : columns) some.push_back(&column);
    Vector x = fit(some, here).x;
    if (family.kind == "gravity") {
      const Vec3<double> from = at.trial.robot.gravity, to = from + Vec3<double>{x[0], x[1], x[2]};
      const double before = std::hypot(from.x, from.y, from.z), after = std::hypot(to.x, to.y, to.z),
                   near = std::abs(after / before - 1) < 0.05 ? before / after : 1;
      x = {brief(near * to.x) - from.x, brief(near * to.y) - from.y, brief(near * to.z) - from.z};
    }
    if (family.count == 1) x[0] = brief(x[0], 6);
    consider(x, family.count);
  }
}

/// Zeros and gears of joints: torques are not linear in them.
void Doctor::judge_positions(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const {
  std::vector<Curved> all;
  for (Curved& c : suspects_.curved(at.trial))
    if (c.kind == "joint-offset") all.push_back(std::move(c));
  for (std::size_t k = 0; k < n_; ++k) {
    const double now = at.trial.coordinates.scale[k];
    all.push_back({"gear",
                   name_of(k),
                   {{0.5}, {0.8}, {1.25}, {2}},
                   [k, now](Trial& t, const Vector& x) { t.coordinates.scale[k] = now * x[0]; },
                   [this, k, now](const Vector& x) {
                     return make_edit("gear", name_of(k), {{1.0}, {}}, {x, {}},
                                      cat("multiply the column q.", name_of(k), " of the log by ", rounded(x[0]), ": the gear ratio is off by it"),
                                      [k, to = now * x[0]](Trial& t) { t.coordinates.scale[k] = to; });
                   }});
  }
  for (const Curved& c : all) {
    if (only != nullptr && (only->kind != c.kind || only->where != c.where)) continue;
    const auto with = [&](double x) {
      Patient next = at;
      c.set(next.trial, {x});
      return next;
    };
    const auto seen = [&](double x) {
      const Patient next = with(x);
      Here there = here;
      there.predicted = predicted(next.trial);
      if (there.predicted.empty()) return std::pair(HUGE_VAL, there);
      there.rubs = rubs(next.trial.coordinates);
      return std::pair(sum(scores(there.predicted, here.measured, there.rubs)), there);
    };
    double best = 0, least = HUGE_VAL;
    for (const Vector& start : c.starts)
      if (const double s = seen(start[0]).first; s < least) least = s, best = start[0];
    double x = best;
    for (int round = 0; round < 6; ++round) {
      constexpr double kStep = 1e-4;
      Here there = seen(x).second;
      const Channels up = predicted(with(x + kStep).trial), down = predicted(with(x - kStep).trial);
      if (there.predicted.empty() || up.empty() || down.empty()) break;
      Channels slope = up;
      for (std::size_t k = 0; k < n_; ++k)
        for (std::size_t s = 0; s < slope[k].size(); ++s) slope[k][s] = (up[k][s] - down[k][s]) / (2 * kStep);
      const double step = std::clamp(fit({&slope}, there).x[0], -0.4, 0.4);
      x += step;
      if (const double s = seen(x).first; s < least) least = s, best = x;
      if (std::abs(step) < 1e-5) break;
    }
    if (c.kind == "gear" && !(best > 0.02)) continue;
    if (c.kind == "joint-offset") {
      const double quarter = kHalfTurn / 4, near = std::round(best / quarter) * quarter;
      best = std::abs(best - near) < 0.005 && near != 0 ? near : brief(best, 4);
    } else {
      best = brief(best, 4);
    }
    Suspicion s;
    Edit edit = c.edit({best});
    s.cause = std::move(edit.cause), s.numbers = 1, s.in_log = c.kind == "gear";
    if (const std::size_t b = s.cause.edit.find(" of B"); b != std::string::npos) s.cause.edit.replace(b, 5, " of the log, or to its zero in the file");
    s.apply = [apply = std::move(edit.apply)](Patient& p) { apply(p.trial); };
    Patient next = at;
    s.apply(next);
    judge(here, std::move(s), predicted(next.trial), here.measured, rubs(next.trial.coordinates), out);
  }
}

std::vector<Suspicion> Doctor::suspicions(const Patient& at, const Key* only) const {
  Here here;
  here.flat = comparison_.predict(at.trial);
  here.predicted = channels(here.flat);
  here.measured = measured(at.reading);
  here.rubs = rubs(at.trial.coordinates);
  here.scores = scores(here.predicted, here.measured, here.rubs);
  here.sum = sum(here.scores);
  std::vector<Suspicion> out;
  judge_torques(at, here, only, out);
  judge_slips(at, here, only, out);
  judge_families(at, here, only, out);
  judge_positions(at, here, only, out);
  return out;
}

/// Findings that a doctor cannot treat: what is dead is dead. Units are a cause.
void refuse_dead(const std::vector<Finding>& findings) {
  std::vector<Finding> dead;
  for (const Finding& one : findings)
    if (one.severity != Severity::error || one.kind != FindingKind::units || one.row > 0) dead.push_back(one);
  refuse_errors(dead);
}

/// The robot with the coordinates' edits in its joints: signs in the axes, zeros in the origins, orders in the names.
Description folded(const Model& model, const Patient& patient) {
  Description out = patient.trial.robot;
  const Coordinates& c = patient.trial.coordinates;
  const Description given = describe(model);
  for (std::size_t j = 0; j < out.joints.size(); ++j) out.joints[j].joint.friction = given.joints[j].joint.friction;
  for (std::size_t k = 0; k < model.nv(); ++k) {
    Joint& joint = out.joints[model.independent()[k]].joint;
    if (c.offset[k] != 0) joint.X_PF = joint.X_PF * joint_motion(joint, c.offset[k]);
    if (c.sign[k] < 0) joint.axis = -joint.axis;
  }
  for (std::size_t i = 0; i < out.links.size(); ++i) {  // digits that a fit does not have
    Link& link = out.links[i];
    const Link& own = given.links[i];
    if (link.mass != own.mass) link.mass = brief(link.mass, 6);
    if (link.com != own.com)
      for (double* x : {&link.com.x, &link.com.y, &link.com.z}) *x = std::round(*x * 1e6) / 1e6;
    if (!(link.inertia == own.inertia))
      for (double* x : {&link.inertia.xx, &link.inertia.yy, &link.inertia.zz, &link.inertia.xy, &link.inertia.xz, &link.inertia.yz}) *x = brief(*x, 7);
  }
  for (std::size_t k = 0; k < model.nv(); ++k) {
    if (c.order[k] == k) continue;
    const std::string from = given.joints[model.independent()[k]].joint.name, to = given.joints[model.independent()[c.order[k]]].joint.name;
    out.joints[model.independent()[k]].joint.name = to;
    for (std::size_t j = 0; j < out.joints.size(); ++j)
      if (given.joints[j].leader == from) out.joints[j].leader = to;
  }
  return out;
}

/// The log as it should have been.
Log repaired_log(const Log& log, const Patient& patient, bool velocities) {
  const std::size_t n = log.nv(), width = 1 + 4 * n;
  const Coordinates& c = patient.trial.coordinates;
  const Reading& r = patient.reading;
  std::vector<double> rows(log.rows() * width);
  log.read(0, log.rows(), rows.data());
  Log out(log.name(), n, {velocities, false, true});
  Vector q(n), v(n), tau(n);
  Vector::size_type at = 0;
  for (std::size_t s = 0; s < log.rows(); ++s) {
    const double* x = rows.data() + s * width;
    bool known = true;
    for (std::size_t k = 0; k < n && known; ++k) {
      const double own = c.sign[k] * c.scale[k];
      q[k] = own * c.q_scale * x[1 + c.order[k]] + c.offset[k];
      v[k] = own * c.v_scale * x[1 + n + c.order[k]];
      const std::size_t of = c.order[k];
      const double t = x[0] + r.delay[of];
      at = s;
      while (at + 1 < log.rows() && rows[at * width] < t) ++at;
      while (at > 0 && rows[at * width] > t) --at;
      known = rows[at * width] <= t && at + 1 < log.rows();
      if (r.delay[of] == 0) known = true, at = std::min(s, log.rows() - 2);
      if (!known) break;
      const double *a = rows.data() + at * width, *b = a + width;
      const std::size_t column = 1 + 3 * n + r.order[of];
      tau[k] = c.sign[k] * (r.gain[of] * (a[column] + (t - a[0]) / (b[0] - a[0]) * (b[column] - a[column])) - r.offset[of]);
    }
    if (known) out.add(x[0], q.data(), v.data(), nullptr, tau.data());
  }
  return out;
}

/// Findings for people who cannot leave a torque out.
void as_doctor(std::vector<Finding>& findings) {
  for (Finding& one : findings)
    if (const std::size_t at = one.text.find(", or leave the torque"); at != std::string::npos) one.text.erase(at);
}

/// A robot, its logs, and what identification needs of them.
struct Refit {
  Refit(const Model& robot, const std::vector<Motion>& all, const DoctorOptions& options)
      : model(robot),
        motions(all),
        threads(options.threads),
        regressors(robot, options.snap),
        structure(base_parameters(robot, options.snap)),
        columns(robot, regressors.plan(), structure, {friction}, false, Vector(robot.nv(), 1.0)) {
    for (std::size_t c = 0; c < columns.size(); ++c) given.push_back(columns.named(c).given);
  }
  Compared compare(const Motion& motion) const { return compare_with(motion, regressors, columns, given); }

  /// Channels that are constant, whatever else is wrong.
  void judge_dead(std::vector<Finding>& findings) const {
    std::vector<Finding> found;
    std::vector<char> without(model.nv(), 0);
    for (const Motion& motion : motions) judge_torques(motion, model, compare(motion), {}, without, found);
    std::erase_if(found, [](const Finding& one) { return one.kind == FindingKind::reversed; });
    as_doctor(found);
    refuse_errors(found);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  /// What is left of torques that were held back when all parameters are fitted to the others. Torques that have nothing to do with the motion are refused.
  double error(std::vector<Finding>& findings) const {
    constexpr std::size_t kHeld = 4;  // of kParts
    Condensed data(regressors, columns);
    Condensed::Pass pass;
    pass.threads = threads;
    Vector visible(model.nv(), 0.0);
    for (const Motion& motion : motions) {
      data.add(motion, pass);
      const Compared compared = compare(motion);
      for (std::size_t k = 0; k < visible.size(); ++k) visible[k] = std::max(visible[k], compared.visible[k]);
    }
    std::vector<Finding> found;
    std::vector<char> without(model.nv(), 0);
    judge_fit(motions, data, visible, model, {}, without, found);
    std::erase_if(found, [](const Finding& one) { return one.kind == FindingKind::quantised && one.severity != Severity::error; });
    as_doctor(found);
    refuse_errors(found);
    findings.insert(findings.end(), found.begin(), found.end());
    const Vector none;
    Prediction prediction(regressors, columns, {fit(data, columns, kAllParts >> kHeld, friction, given, model.nv()).x}, none, none);
    for (const Motion& motion : motions) prediction.add(motion, kParts - kHeld, kParts, threads);
    return prediction.score().relative_error;
  }

  const Model& model;
  const std::vector<Motion>& motions;
  std::size_t threads;
  FrictionModel friction = *friction_model("coulomb");
  Regressors regressors;
  BaseParameters structure;
  Columns columns;
  Vector given;
};

/// Columns of velocities against the rates of positions, joint by joint: by what factor, and how alike (1: but for a factor).
struct Rates {
  Vector slope, alike;
};
Rates compare_rates(const Series& given, const Series& derived, std::size_t n) {
  Rates out{Vector(n, 1.0), Vector(n, 1.0)};
  for (std::size_t k = 0; k < n; ++k) {
    double gd = 0, gg = 0, dd = 0;
    for (std::size_t s = 0; s < std::min(given.count(), derived.count()); ++s) {
      const double g = given.numbers.v[s * n + k], d = derived.numbers.v[s * n + k];
      gd += g * d, gg += g * g, dd += d * d;
    }
    if (dd > 0 && gg > 0) out.slope[k] = gd / dd, out.alike[k] = std::abs(gd) / std::sqrt(gg * dd);
  }
  return out;
}
constexpr double kAlike = 0.9, kSlope = 0.05;

/// Units of velocities that do not belong to the positions, whose own are known by now.
std::vector<Cause> wrong_rates(const Rates& rates, const Coordinates& c, const Model& model) {
  std::vector<std::pair<std::string, double>> found;  // what is to be done, and the factor
  std::vector<std::vector<std::string>> joints;
  const std::size_t n = model.nv();
  for (std::size_t joint = 0; joint < n; ++joint) {
    const std::size_t k = c.order[joint];
    const double off = rates.slope[k] / (c.scale[joint] * c.q_scale);
    if (rates.alike[k] < kAlike || std::abs(off - 1) < kSlope) continue;
    const UnitRow* unit = unit_of(kRateUnits, 1 / off, kSlope);
    const std::string words = unit != nullptr              ? cat("in ", unit->is, ": multiply by ", rounded(unit->factor))
                              : std::abs(off + 1) < kSlope ? std::string("of the opposite sign: negate")
                                                           : cat(rounded(off), " times the rates of the positions: divide by it");
    std::size_t at = 0;
    while (at < found.size() && found[at].first != words) ++at;
    if (at == found.size()) found.emplace_back(words, unit != nullptr ? unit->factor : 1 / off), joints.emplace_back();
    joints[at].push_back(model.joints()[model.independent()[k]].name);
  }
  std::vector<Cause> out;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool all = joints[i].size() == n && n > 1;
    out.push_back({"units",
                   all ? std::string("all joints") : joined(joints[i]),
                   0,
                   {{1.0}, {}},
                   {{found[i].second}, {}},
                   cat(all ? std::string("the columns v") : cat("v of ", joined(joints[i])), " of the log: ", found[i].first),
                   {}});
  }
  return out;
}

}  // namespace

Diagnosis doctor(const Model& model, std::span<const Log> logs, const DoctorOptions& options) {
  if (logs.empty()) throw std::invalid_argument("there is no log to compare the robot with");
  if (model.base() != RootJoint::fixed)
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " moves; logs are compared with robots that are bolted down"));
  if (model.closed())
    throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has loops, and logs are compared with trees only: open the loops (--loops ignore)"));
  const std::size_t n = model.nv();
  if (n == 0) throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no joint that moves"));
  Diagnosis out(model);
  bool velocities = true;
  for (const Log& log : logs) {
    if (!log.columns().tau) throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has no torques"));
    velocities = velocities && log.columns().v;
  }
  const auto motions_of = [&](bool with_v, double cutoff, std::vector<Finding>& findings) {
    std::vector<Motion> motions;
    for (const Log& log : logs) motions.emplace_back(without_rates(log, with_v), model, cutoff, findings);
    return motions;
  };
  for (const Log& log : logs) {
    const Motion whole(log, model, 1, out.findings);
    refuse_dead(out.findings);
  }
  out.cutoff = options.cutoff > 0 ? options.cutoff : quiet_cutoff(without_rates(logs[0], velocities), model);
  std::vector<Finding> ignored;
  std::vector<Motion> motions = motions_of(false, out.cutoff, ignored);
  Series series = sampled(motions, n);
  constexpr std::size_t kFewest = 100;
  if (series.count() < kFewest)
    throw std::invalid_argument(cat("logs are too short: ", series.count(), " samples are left at a cut-off of ", rounded(out.cutoff), " Hz, and ", kFewest,
                                    " are needed; log some seconds of motion"));
  bool moves = false;
  for (const Motion& motion : motions)
    for (std::size_t k = 0; k < n; ++k) moves = moves || !motion.torque(k).still;
  if (!moves) throw std::invalid_argument("no joint moves in the logs: torques at rest tell next to nothing; log a motion ('ulna excite' makes one)");
  Refit(model, motions, options).judge_dead(out.findings);
  std::erase_if(out.findings, [](const Finding& one) {
    return one.kind == FindingKind::units || one.kind == FindingKind::cutoff || (one.kind == FindingKind::clipped && one.severity == Severity::note);
  });

  std::vector<Doctor::Drag> given(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Friction& friction = model.joints()[model.independent()[k]].friction;
    given[k] = {friction.viscous, friction.coulomb};
  }
  const std::vector<char> none(n, 0);
  Rates rates{Vector(n, 1.0), Vector(n, 1.0)};
  double as_given = 0;  // error with velocities of the log
  bool rates_off = false;
  if (velocities) {
    Series with_v = sampled(motions_of(true, out.cutoff, ignored), n);
    rates = compare_rates(with_v, series, n);
    for (std::size_t k = 0; k < n; ++k) rates_off = rates_off || std::abs(rates.slope[k] - 1) > kSlope || rates.alike[k] < kAlike;
    if (rates_off) {
      const Doctor before(model, std::move(with_v));
      as_given = before.relative_error(before.start(), given, none);
      velocities = false;
    } else {
      series = std::move(with_v);
    }
  }
  const Doctor doctor(model, std::move(series));

  // One cause after the other, each the one that is worth most.
  const auto score_of = [&](const Patient& at) {
    return Doctor::sum(doctor.scores(doctor.predicted(at.trial), doctor.measured(at.reading), doctor.rubs(at.trial.coordinates)));
  };
  const auto with = [&](const std::vector<Suspicion>& causes, std::size_t but) {
    Patient at = doctor.start();
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (i != but) causes[i].apply(at);
    return at;
  };
  std::vector<Suspicion> found;
  Patient at = doctor.start();
  double score = score_of(at);
  while (found.size() < kMostCauses) {
    std::vector<Suspicion> all = doctor.suspicions(at);
    std::erase_if(all, [&](const Suspicion& s) { return !(score - s.worth() > kNeeded) || !(s.best_joint > kNeededOfOne); });
    if (all.empty()) break;
    std::stable_sort(all.begin(), all.end(), [](const Suspicion& a, const Suspicion& b) { return a.worth() < b.worth(); });
    Suspicion best = all.front();
    for (std::size_t i = 1; i < all.size() && best.cause.also.size() < 3; ++i)
      if (all[i].worth() < best.worth() + kAsWell && all[i].cause.edit != best.cause.edit)
        best.cause.also.push_back(cat(all[i].cause.kind, " of ", all[i].cause.where, ": ", all[i].cause.edit));
    best.apply(at);
    score = score_of(at);
    found.push_back(std::move(best));
    // Numbers that were found beside a fault are found again without it, and causes that stood for others go.
    for (std::size_t i = 0; found.size() > 1 && i < found.size(); ++i) {
      const Patient others = with(found, i);
      const double without = score_of(others);
      if (without - score < kNeeded) {
        found.erase(found.begin() + static_cast<std::ptrdiff_t>(i--));
        at = others, score = without;
        continue;
      }
      if (found[i].numbers == 0) continue;
      const Key key(found[i]);
      std::vector<Suspicion> again = doctor.suspicions(others, &key);
      for (Suspicion& s : again)
        if (s.score < score) {
          s.cause.also = found[i].cause.also;
          found[i] = std::move(s);
          at = with(found, kNone), score = score_of(at);
        }
    }
  }

  // Friction last: it was fitted besides all along.
  std::vector<char> differs;
  const std::vector<Doctor::Drag> friction = doctor.friction(at, given, differs);
  std::vector<std::string> rubbing;
  for (std::size_t k = 0; k < n; ++k)
    if (differs[k] != 0) rubbing.push_back(model.joints()[model.independent()[k]].name);

  // In the order of what they take of the error.
  const bool rub = !rubbing.empty();
  const double start_error = doctor.relative_error(doctor.start(), given, none);
  out.before = rates_off ? as_given : start_error;
  const double squared = std::max({out.before * out.before, start_error * start_error, 1e-300});
  if (rates_off) {
    for (Cause& cause : wrong_rates(rates, at.trial.coordinates, model)) {
      cause.share = std::max(0.0, (as_given * as_given - start_error * start_error) / squared), cause.residual_after = start_error;
      out.causes.push_back(std::move(cause)), out.in_log.push_back(true);
    }
    if (out.causes.empty() && found.empty())
      out.findings.push_back({.kind = FindingKind::units,
                              .severity = Severity::warning,
                              .text = "velocities are not the rates of the positions, and are not used: check their columns"});
  }
  // Alone, or as the last one that is missing: what it takes then.
  const std::size_t count = found.size() + (rub ? 1 : 0);
  const auto error_of = [&](const std::vector<char>& taken) {
    Patient some = doctor.start();
    for (std::size_t i = 0; i < found.size(); ++i)
      if (taken[i] != 0) found[i].apply(some);
    const double e = doctor.relative_error(some, given, rub && taken[found.size()] != 0 ? differs : none);
    return e * e;
  };
  const double nothing = start_error * start_error, everything = error_of(std::vector<char>(count, 1));
  Vector effect(count);
  std::vector<std::size_t> order(count);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<char> alone(count, 0), others(count, 1);
    alone[i] = 1, others[i] = 0;
    effect[i] = std::max({0.0, nothing - error_of(alone), count > 1 ? error_of(others) - everything : 0.0});
    sum += effect[i], order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return effect[a] > effect[b]; });
  Patient step = doctor.start();
  std::vector<char> fitted = none;
  double error = start_error;
  for (const std::size_t i : order) {
    Cause cause;
    const bool in_log = i < found.size() && found[i].in_log;
    if (i == found.size()) {
      fitted = differs;
      Vector from, to;
      std::string values;
      for (std::size_t k = 0; k < n; ++k)
        if (differs[k] != 0) {
          from.insert(from.end(), {given[k].viscous, given[k].coulomb}), to.insert(to.end(), {friction[k].viscous, friction[k].coulomb});
          values += cat(values.empty() ? "" : "; ", "joint ", in_quotes(model.joints()[model.independent()[k]].name), " <dynamics damping=\"",
                        rounded(friction[k].viscous), "\" friction=\"", rounded(friction[k].coulomb), "\"/>");
        }
      cause = {"friction", joined(rubbing), 0, {from, {}}, {to, {}}, cat("set the friction of ", values), {}};
    } else {
      const Description before = folded(model, step);
      found[i].apply(step);
      cause = found[i].cause;
      if (!in_log && model.file().ends_with(".urdf"))
        for (const UrdfChange& change : urdf_changes(before, folded(model, step))) cause.edit += cat("; ", to_string(change));
    }
    cause.share = sum > 0 ? effect[i] / sum * std::max(0.0, nothing - everything) / squared : 0;
    cause.residual_after = error = doctor.relative_error(step, given, fitted);
    out.causes.push_back(std::move(cause)), out.in_log.push_back(in_log);
  }
  out.after = error;

  // The model with the edits that are its own, and a fit of what remains.
  Patient own = doctor.start();
  for (const Suspicion& s : found)
    if (!s.in_log) s.apply(own);
  Description robot = folded(model, own);
  for (std::size_t k = 0; k < n; ++k)
    if (differs[k] != 0) {
      Friction& f = robot.joints[model.independent()[k]].joint.friction;
      f.viscous = friction[k].viscous, f.coulomb = friction[k].coulomb;
    }
  Diagnostics problems(model.file());
  if (std::optional<Model> built = build(robot, problems)) out.repaired = *std::move(built);
  const std::optional<Model> treated = build(at.trial.robot, problems);
  const Model& plain = treated ? *treated : model;
  std::vector<Motion> right;
  for (const Log& log : logs) right.emplace_back(repaired_log(log, at, velocities), plain, out.cutoff, ignored);
  out.fitted = Refit(plain, right, options).error(out.findings);
  // What no edit explains.
  constexpr double kFarAbove = 3, kSeen = 0.03;
  const double rest = out.after * out.after / squared;
  const std::vector<std::string> unexplained = doctor.unexplained(at);
  if (out.after > kSeen && out.after > kFarAbove * out.fitted)
    out.causes.push_back({"parameters", "all joints", rest, {}, {}, "no single edit explains it: fit all parameters ('ulna identify')", {}, out.fitted});
  else if (!unexplained.empty())
    out.causes.push_back({"unexplained",
                          joined(unexplained),
                          rest,
                          {},
                          {},
                          "the motion does not explain these torques: is it this robot, was it free of contact, is a channel dead or that of another joint?",
                          {},
                          out.after});
  out.in_log.resize(out.causes.size(), false);
  return out;
}

std::optional<std::string> repaired_urdf(std::string_view urdf, const Model& from, const Model& to, Diagnostics& diagnostics, const ReadLimits& limits) {
  return edit_urdf(urdf, urdf_changes(describe(from), describe(to)), diagnostics, limits);
}

}  // namespace ULNA_API
