#include "explain/patient.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/describe.hpp"

namespace ulna::internal {

namespace {

constexpr double kErrorFloor = 0.005;  // of a torque: an error below it is none
constexpr double kLittle = 0.1;        // of a torque

Vector apart(const Vector& a, const Vector& b) {
  Vector out(a.size());
  for (std::size_t s = 0; s < out.size(); ++s) out[s] = a[s] - b[s];
  return out;
}

}  // namespace

Doctor::Doctor(const Model& model, Series series)
    : model_(model), n_(model.nv()), series_(std::move(series)), comparison_(model, series_.numbers), suspects_(comparison_, model) {
  for (std::size_t k = 0; k < n_; ++k) {
    rate_.push_back(series_.channel(series_.rate, n_, k)), side_.push_back(series_.channel(series_.side, n_, k));
    if (series_.still[k] != 0)  // what is left of its rate is noise
      for (Vector* rub : {&rate_.back(), &side_.back()}) rub->assign(series_.count(), 0.0);
    column_.push_back(series_.channel(series_.numbers.tau, n_, k));  // has been through the low-pass
  }
}

Patient Doctor::start() const {
  Patient out{{describe(model_), Coordinates(n_)}, Reading(n_)};
  for (Description::JointEntry& entry : out.trial.robot.joints) entry.joint.friction = {};
  return out;
}

Channels Doctor::measured(const Reading& reading) const {
  Channels out;
  for (std::size_t k = 0; k < n_; ++k) {
    out.push_back(later(column_[reading.order[k]], reading.delay[k]));
    for (double& x : out.back()) x = reading.gain[k] * x - reading.offset[k];
  }
  return out;
}

Doctor::Rubs Doctor::rubs(const Coordinates& c) const {
  Rubs out{rate_, side_, std::vector<std::size_t>(n_)};
  for (std::size_t joint = 0; joint < n_; ++joint) {
    const std::size_t k = c.order[joint];
    out.joint[k] = joint;
    for (double& x : out.rate[k]) x *= c.scale[joint] * c.v_scale;  // a reversed axis reverses the torque, too
    for (double& x : out.side[k]) x *= c.scale[joint] < 0 ? -1 : 1;
  }
  return out;
}

Doctor::Drag Doctor::drag(const Vector& left, const Rubs& rubs, std::size_t k, Use use) const {
  const Vector &rate = rubs.rate[k], &side = rubs.side[k];
  double rr = 0, ss = 0, rs = 0, rl = 0, sl = 0;
  for (std::size_t s = 0; s < left.size(); ++s) {
    if (!counts(s, use) || std::isnan(left[s])) continue;
    rr += rate[s] * rate[s], ss += side[s] * side[s], rs += rate[s] * side[s], rl += rate[s] * left[s], sl += side[s] * left[s];
  }
  const double det = rr * ss - rs * rs;
  const bool two = det > 1e-12 * rr * ss;
  const Drag both{two ? (ss * rl - rs * sl) / det : -1, two ? (rr * sl - rs * rl) / det : -1};
  if (both.viscous >= 0 && both.coulomb >= 0) return both;
  const Drag one{rr > 0 ? std::max(0.0, rl / rr) : 0, 0}, other{0, ss > 0 ? std::max(0.0, sl / ss) : 0};
  return one.viscous * rl > other.coulomb * sl ? one : other;
}

Doctor::Squares Doctor::squares(const Vector& left, const Vector& measured, const Rubs& rubs, std::size_t k, const Drag& drag, Use use) const {
  Squares out;
  for (std::size_t s = 0; s < left.size(); ++s) {
    if (!counts(s, use) || std::isnan(left[s])) continue;
    const double d = left[s] - drag.viscous * rubs.rate[k][s] - drag.coulomb * rubs.side[k][s];
    out.off += d * d, out.all += measured[s] * measured[s];
  }
  return out;
}

Vector Doctor::scores(const Channels& predicted, const Channels& measured, const Rubs& rubs) const {
  Vector out;
  for (std::size_t k = 0; k < n_; ++k) {
    const Vector left = apart(measured[k], predicted[k]);
    const Squares found = squares(left, measured[k], rubs, k, drag(left, rubs, k, fitting), held);
    const double relative = found.all > 0 ? found.off / found.all : found.off > 0 ? 1e6 : 0;
    out.push_back(std::log(std::min(1e12, relative) + kErrorFloor * kErrorFloor));
  }
  return out;
}

double Doctor::relative_error(const Patient& at, const std::vector<Drag>& given, const std::vector<char>& fitted) const {
  const Channels p = predicted(at.trial), m = measured(at.reading);
  if (p.empty()) return HUGE_VAL;
  const Rubs r = rubs(at.trial.coordinates);
  Squares sum;
  for (std::size_t k = 0; k < n_; ++k) {
    const Vector left = apart(m[k], p[k]);
    const Squares own = squares(left, m[k], r, k, fitted[r.joint[k]] != 0 ? drag(left, r, k, any) : given[r.joint[k]], any);
    sum.off += own.off, sum.all += own.all;
  }
  return sum.all > 0 ? std::sqrt(sum.off / sum.all) : 0;
}

std::vector<Doctor::Drag> Doctor::friction(const Patient& at, const std::vector<Drag>& given, std::vector<char>& differs) const {
  constexpr double kWorse = 2, kChange = 0.25, kSeen = 0.02;
  const Channels p = predicted(at.trial), m = measured(at.reading);
  const Rubs r = rubs(at.trial.coordinates);
  std::vector<Drag> out(n_);
  differs.assign(n_, 0);
  for (std::size_t k = 0; k < n_; ++k) {
    const Vector left = apart(m[k], p[k]), nothing(left.size(), 0.0);
    const std::size_t joint = r.joint[k];
    Drag& own = out[joint];
    own = drag(left, r, k, any);
    own.viscous = brief(own.viscous), own.coulomb = brief(own.coulomb);
    const auto size = [&](double viscous, double coulomb) { return squares(nothing, nothing, r, k, {viscous, coulomb}, any).off; };
    const double change = size(own.viscous - given[joint].viscous, own.coulomb - given[joint].coulomb);
    const double larger = std::max(size(own.viscous, own.coulomb), size(given[joint].viscous, given[joint].coulomb));
    const Squares as_given = squares(left, m[k], r, k, given[joint], any), as_fitted = squares(left, m[k], r, k, own, any);
    const bool worse = as_given.off > kWorse * (as_fitted.off + kErrorFloor * kErrorFloor * as_fitted.all);
    if (worse && change > kChange * kChange * larger && change > kSeen * kSeen * as_given.all) differs[joint] = 1;
  }
  return out;
}

std::vector<std::string> Doctor::unexplained(const Patient& at) const {
  constexpr double kMuch = 0.3, kSlow = 0.4, kOfRest = 0.3;
  const Channels p = predicted(at.trial), m = measured(at.reading);
  const Rubs r = rubs(at.trial.coordinates);
  const std::size_t lag = static_cast<std::size_t>(std::ceil(1 / (series_.cutoff * series_.step)));
  std::vector<std::string> out;
  Vector off(n_, 0.0);
  double rest = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    Vector left = apart(m[k], p[k]);
    const Drag own = drag(left, r, k, any);
    const Squares found = squares(left, m[k], r, k, own, any);
    double alike = 0;
    for (std::size_t s = 0; s < left.size(); ++s) {
      left[s] -= own.viscous * r.rate[k][s] + own.coulomb * r.side[k][s];
      if (s >= lag && counts(s, any) && counts(s - lag, any) && !std::isnan(left[s]) && !std::isnan(left[s - lag])) alike += left[s] * left[s - lag];
    }
    rest += found.off;
    if (found.off > kMuch * kMuch * found.all && alike > kSlow * found.off) off[k] = found.off;
  }
  for (std::size_t k = 0; k < n_; ++k)
    if (off[k] > kOfRest * rest) out.push_back(name_of(k));
  return out;
}

Channels Doctor::channels(const Vector& flat) const {
  if (flat.size() != series_.count() * n_) return {};
  Channels out(n_, Vector(series_.count()));
  for (std::size_t i = 0; i < flat.size(); ++i) out[i % n_][i / n_] = flat[i] * comparison_.scale(i);
  for (Vector& x : out) {
    if (!std::all_of(x.begin(), x.end(), [](double e) { return std::isfinite(e); })) return {};
    series_.filter(x);
  }
  return out;
}

Vector Doctor::later(const Vector& x, double by) const {
  if (by == 0) return x;
  Vector out(x.size(), std::numeric_limits<double>::quiet_NaN());
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

void Doctor::judge(const Here& here, Suspicion suspicion, const Channels& predicted, const Channels& measured, const Rubs& rubs,
                   std::vector<Suspicion>& out) const {
  if (predicted.empty()) return;
  const Vector found = scores(predicted, measured, rubs);
  if (suspicion.whole && *std::max_element(found.begin(), found.end()) > std::log(kLittle * kLittle)) return;
  suspicion.score = sum_of(found);
  for (std::size_t k = 0; k < n_; ++k) suspicion.best_joint = std::max(suspicion.best_joint, here.scores[k] - found[k]);
  out.push_back(std::move(suspicion));
}

Doctor::Fitted Doctor::fit(const std::vector<const Channels*>& columns, const Here& here) const {
  const std::size_t count = columns.size();
  Fitted out;
  std::vector<TallQr> own;
  Vector weight(n_, 0.0), size(n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    std::vector<Vector> rows;
    for (const Channels* column : columns) rows.push_back((*column)[k]);
    rows.push_back(apart(here.measured[k], here.predicted[k]));
    std::vector<std::size_t> taken;
    for (std::size_t s = 0; s < series_.count(); ++s)
      if (counts(s, fitting) && !std::isnan(rows.back()[s])) taken.push_back(s);
    // All are projected orthogonally to friction, so that what friction explains does not count.
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
      double left = kErrorFloor * kErrorFloor * size[k];
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

}  // namespace ulna::internal
