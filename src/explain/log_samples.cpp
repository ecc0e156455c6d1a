#include <algorithm>
#include <cmath>

#include "explain/patient.hpp"
#include "model/describe.hpp"
#include "model/motion.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kMostSamples = 4000;  // that are used
constexpr std::size_t kBlocks = 10;         // of the time, alternately fitted and held out
constexpr double kOversampled = 10;         // samples in a period of the cut-off
constexpr double kEdge = 0.2;               // at the ends of a run, where filters have seen one side only [s]
constexpr double kPlateau = 0.02;           // growth of the accelerations' energy from one cut-off to its double: where the motion ends

}  // namespace

double brief(double x, int count) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double places = count - 1 - std::floor(std::log10(std::abs(x))), unit = std::pow(10.0, std::abs(places));
  return places >= 0 ? std::round(x * unit) / unit : std::round(x / unit) * unit;
}

Log without_rates(const Log& log, bool velocities) {
  Log out(log.name(), log.nv(), {velocities, false, true});
  const std::size_t n = log.nv();
  each_row(log, [&](std::size_t, const double* x) { out.add(x[0], x + 1, x + 1 + n, nullptr, x + 1 + 3 * n); });
  return out;
}

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
        // Signs before samples are left out: a jump that is late by a part of a step has an effect.
        Vector rate = samples.v, side = samples.v;
        for (double& x : side) x = x > 0 ? 1 : x < 0 ? -1 : 0;
        LowPass low_pass = motion.low_pass();
        low_pass(rate.data(), samples.count, n), low_pass(side.data(), samples.count, n);
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
  out.still.assign(n, 1);
  for (const Motion& motion : motions)
    for (std::size_t k = 0; k < n; ++k)
      if (!motion.torque(k).still) out.still[k] = 0;
  for (std::size_t s = 0; s < out.use.size(); ++s)
    if (out.use[s] != 0 && s * kBlocks / out.use.size() % 2 == 1) out.use[s] = 2;
  return out;
}

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

Log repaired_log(const Log& log, const Patient& patient, bool velocities) {
  const std::size_t n = log.nv(), width = 1 + 4 * n;
  const Coordinates& c = patient.trial.coordinates;
  const Reading& r = patient.reading;
  Log out(log.name(), n, {velocities, false, true});
  Vector q(n), v(n), tau(n);
  const auto add = [&](const double* x, const auto& column) {
    for (std::size_t k = 0; k < n; ++k) {
      const double own = c.sign[k] * c.scale[k];
      const std::size_t of = c.order[k];
      q[k] = own * c.q_scale * x[1 + of] + c.offset[k];
      v[k] = own * c.v_scale * x[1 + n + of];
      tau[k] = c.sign[k] * (r.gain[of] * column(of) - r.offset[of]);
    }
    out.add(x[0], q.data(), v.data(), nullptr, tau.data());
  };
  if (std::all_of(r.delay.begin(), r.delay.end(), [](double d) { return d == 0; })) {
    each_row(log, [&](std::size_t, const double* x) { add(x, [&](std::size_t of) { return x[1 + 3 * n + r.order[of]]; }); });
    return out;
  }
  // Torques between two rows, interpolated; rows whose torques lie beyond the ends are left out.
  Vector rows(log.rows() * width);
  log.read(0, log.rows(), rows.data());
  const auto time = [&](std::size_t row) { return rows[row * width]; };
  std::vector<std::size_t> at(n, 0);  // of each column: the row before
  for (std::size_t s = 0; s < log.rows(); ++s) {
    bool known = true;
    for (std::size_t k = 0; k < n; ++k) {
      const double t = time(s) + r.delay[k];
      while (at[k] + 2 < log.rows() && time(at[k] + 1) <= t) ++at[k];
      known = known && time(at[k]) <= t && t <= time(at[k] + 1);
    }
    if (!known) continue;
    add(&rows[s * width], [&](std::size_t of) {
      const double *a = &rows[at[of] * width], *b = a + width;
      const std::size_t column = 1 + 3 * n + r.order[of];
      return a[column] + (time(s) + r.delay[of] - a[0]) / (b[0] - a[0]) * (b[column] - a[column]);
    });
  }
  return out;
}

}  // namespace ulna::internal
