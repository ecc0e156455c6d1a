#include <ulna/sim/scenario.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sim/base_state.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

const std::vector<std::string>& reference_names() {
  static const std::vector<std::string> names{"hold", "rest-to-rest", "quintic", "trapezoidal", "waypoints"};
  return names;
}

std::string_view to_string(ReferenceKind kind) {
  return kind == ReferenceKind::none ? std::string_view("none") : std::string_view(reference_names()[static_cast<std::size_t>(kind) - 1]);
}

namespace {

void require_size(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) throw std::invalid_argument(cat("the reference's ", what, " has ", got, " entries, but the robot has ", wanted, " coordinates"));
}

/// How far along the way from 0 to 1, and its derivatives by s = (t - start) / duration.
struct Progress {
  double s, rate, acceleration;
};

Progress progress(ReferenceKind kind, double s, double blend) {
  if (s <= 0) return {0, 0, kind == ReferenceKind::trapezoidal && s == 0 ? 1 / (blend * (1 - blend)) : 0};
  if (s >= 1) return {1, 0, 0};
  constexpr double pi = std::numbers::pi;
  switch (kind) {
    case ReferenceKind::rest_to_rest: return {s - std::sin(2 * pi * s) / (2 * pi), 1 - std::cos(2 * pi * s), 2 * pi * std::sin(2 * pi * s)};
    case ReferenceKind::quintic: return {s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (1 - s) * (1 - s), 60 * s * (1 - s) * (1 - 2 * s)};
    case ReferenceKind::trapezoidal: {
      const double speed = 1 / (1 - blend), push = speed / blend;
      if (s < blend) return {push * s * s / 2, push * s, push};
      if (s < 1 - blend) return {speed * (s - blend / 2), speed, 0};
      return {1 - push * (1 - s) * (1 - s) / 2, push * (1 - s), -push};
    }
    default: return {1, 0, 0};
  }
}

class PointToPoint : public ReferenceMotion {
 public:
  PointToPoint(const ReferenceSettings& settings, std::size_t size) : s_(settings) {
    require_size("end", s_.to.size(), size);
    way_.assign(size, 0.0);
    if (s_.kind == ReferenceKind::hold) {
      s_.from = s_.to;
      return;
    }
    require_size("start", s_.from.size(), size);
    if (!s_.duration) throw std::invalid_argument("the reference's duration is missing");
    duration_ = *s_.duration;
    if (!(duration_ > 0) || !std::isfinite(duration_)) throw std::invalid_argument(cat("the reference's duration must be positive, but it is ", duration_));
    if (s_.kind == ReferenceKind::trapezoidal && !(s_.blend > 0 && s_.blend <= 0.5))
      throw std::invalid_argument(cat("the reference's blend must lie above 0 and up to 0.5, but it is ", s_.blend));
    for (std::size_t i = 0; i < size; ++i) way_[i] = s_.to[i] - s_.from[i];
  }

  void at(double t, double* q, double* v, double* a) const override {
    const Progress p = progress(s_.kind, (t - s_.start) / duration_, s_.blend);
    const double rate = p.rate / duration_, acceleration = p.acceleration / (duration_ * duration_);
    const double *way = way_.data(), *from = s_.from.data();
    const std::size_t size = way_.size();
    for (std::size_t i = 0; i < size; ++i) q[i] = from[i] + way[i] * p.s;
    for (std::size_t i = 0; i < size; ++i) v[i] = way[i] * rate;
    for (std::size_t i = 0; i < size; ++i) a[i] = way[i] * acceleration;
  }

  std::vector<double> breaks() const override {
    if (s_.kind == ReferenceKind::hold) return {};
    if (s_.kind != ReferenceKind::trapezoidal) return {s_.start, s_.start + duration_};
    return {s_.start, s_.start + s_.blend * duration_, s_.start + (1 - s_.blend) * duration_, s_.start + duration_};
  }
  double end() const override { return s_.kind == ReferenceKind::hold ? 0 : s_.start + duration_; }

 private:
  ReferenceSettings s_;
  std::vector<double> way_;
  double duration_ = 1;  // nothing moves where there is none
};

/// A cubic between every two points, with continuous accelerations. The speeds at the points solve a tridiagonal system, a row an inner point:
/// v[k-1]/h[k-1] + 2 (1/h[k-1] + 1/h[k]) v[k] + v[k+1]/h[k] = 3 ((q[k] - q[k-1]) / h[k-1]² + (q[k+1] - q[k]) / h[k]²).
class Waypoints : public ReferenceMotion {
 public:
  Waypoints(const ReferenceSettings& settings, std::size_t size) : points_(settings.waypoints), size_(size) {
    if (points_.size() < 2) throw std::invalid_argument(cat("a motion through waypoints needs 2 of them at least, but there are ", points_.size()));
    for (std::size_t k = 0; k < points_.size(); ++k) {
      require_size("waypoint", points_[k].q.size(), size);
      if (k > 0 && !(points_[k].t > points_[k - 1].t))
        throw std::invalid_argument(cat("waypoint ", k + 1, " is at t = ", points_[k].t, " s, which is not after the one before it"));
    }
    const std::size_t m = points_.size();
    v_.assign(m, std::vector<double>(size, 0.0));
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<double> diagonal(m, 1.0), right(m, 0.0);
      for (std::size_t k = 1; k + 1 < m; ++k) {
        const double before = points_[k].t - points_[k - 1].t, after = points_[k + 1].t - points_[k].t;
        diagonal[k] = 2 / before + 2 / after;
        right[k] = 3 * ((points_[k].q[i] - points_[k - 1].q[i]) / (before * before) + (points_[k + 1].q[i] - points_[k].q[i]) / (after * after));
        if (k == 1) continue;
        const double ratio = 1 / before / diagonal[k - 1];
        diagonal[k] -= ratio / before;
        right[k] -= ratio * right[k - 1];
      }
      for (std::size_t k = m - 2; k >= 1; --k) {
        const double after = points_[k + 1].t - points_[k].t;
        v_[k][i] = (right[k] - v_[k + 1][i] / after) / diagonal[k];
      }
    }
  }

  void at(double t, double* q, double* v, double* a) const override {
    std::size_t k = 0;
    while (k + 2 < points_.size() && t >= points_[k + 1].t) ++k;
    const Waypoint &from = points_[k], &to = points_[k + 1];
    const bool rests = t < from.t || t > to.t;
    const double h = to.t - from.t, s = std::clamp((t - from.t) / h, 0.0, 1.0);
    for (std::size_t i = 0; i < size_; ++i) {
      const double way = to.q[i] - from.q[i], v0 = v_[k][i] * h, v1 = v_[k + 1][i] * h;
      const double c2 = 3 * way - 2 * v0 - v1, c3 = v0 + v1 - 2 * way;
      q[i] = from.q[i] + s * (v0 + s * (c2 + s * c3));
      v[i] = rests ? 0 : (v0 + s * (2 * c2 + 3 * s * c3)) / h;
      a[i] = rests ? 0 : (2 * c2 + 6 * s * c3) / (h * h);
    }
  }

  std::vector<double> breaks() const override {
    std::vector<double> times;
    for (const Waypoint& point : points_) times.push_back(point.t);
    return times;
  }
  double end() const override { return points_.back().t; }

 private:
  std::vector<Waypoint> points_;
  std::vector<std::vector<double>> v_;
  std::size_t size_;
};

}  // namespace

std::unique_ptr<ReferenceMotion> make_reference(const ReferenceSettings& settings, std::size_t size) {
  if (settings.kind == ReferenceKind::none) return nullptr;
  if (settings.kind == ReferenceKind::waypoints) return std::make_unique<Waypoints>(settings, size);
  return std::make_unique<PointToPoint>(settings, size);
}

std::unique_ptr<ReferenceMotion> make_reference(const Scenario& scenario) {
  ReferenceSettings settings = scenario.reference;
  if (!settings.duration) settings.duration = scenario.duration - settings.start;
  const std::vector<std::size_t> driven = internal::sim::driven_positions(scenario.model);
  if (settings.from.empty() && scenario.q.size() == scenario.model.nq())
    for (const std::size_t k : driven) settings.from.push_back(scenario.q[k]);
  return make_reference(settings, driven.size());
}

}  // namespace ULNA_API
}  // namespace ulna
