#include <array>
#include <cmath>
#include <stdexcept>

#include <ulna/identify/identify.hpp>

#include "identify/condensed.hpp"
#include "model/link_named.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr std::size_t kSamplesAtOnce = 2048;

using Ten = std::array<double, 10>;

Ten numbers_of(const PseudoInertia<double>& body) {
  const Sym3<double> J = body.J();
  return {body.m, body.h.x, body.h.y, body.h.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
}

/// Parameters in the frame of one link as those in the frame of another, fixed to it: column k is the k-th unit's.
std::array<Ten, 10> carried(const Pose<double>& X) {
  std::array<Ten, 10> out;
  for (std::size_t k = 0; k < 10; ++k) {
    Ten unit{};
    unit[k] = 1;
    out[k] = numbers_of(moved(body_of(unit.data()), X.R, X.p));
  }
  return out;
}

}  // namespace

PayloadEstimate identify_payload(const Identification& found, std::span<const Log> logs, const std::string& link_name, const IdentifyOptions& options) {
  if (logs.empty()) throw std::invalid_argument("there is no log with the load");
  const Found known(found, options);
  const Plan& plan = known.regressors.plan();
  const std::size_t n = plan.sizes().nv, link = link_named(found.model, link_name), body = plan.links[link].body;
  if (body == kNone) throw std::invalid_argument(cat("link ", in_quotes(link_name), " does not move: no torque depends on what it carries"));
  const Pose<double> X = plan.links[plan.bodies[body].link].X_BL.inverse() * plan.links[link].X_BL;
  const std::array<Ten, 10> T = carried(X);
  PayloadEstimate out;
  TallQr triangle(11);
  std::vector<Motion> motions;
  std::vector<char> without(n, 0);
  for (std::size_t k = 0; k < n; ++k) without[k] = found.noise[k] > 0 ? 0 : 1;
  double correlated = 1;
  for (const Log& log : logs) {
    motions.emplace_back(log, found.model, options.cutoff > 0 ? options.cutoff : found.cutoff, out.findings);
    const Motion& motion = motions.back();
    judge_torques(motion, found.model, compare_with(motion, known.regressors, known.columns, known.x), options, without, out.findings);
    refuse_errors(out.findings);
    LowPass filter = motion.low_pass();
    const bool filtered = motion.derived();
    const std::size_t cut = motion.cut(), every = motion.every();
    correlated = std::max(correlated, motion.correlated());
    Samples samples;
    std::vector<double> Y, tau, signal;
    for (const Motion::Stretch& stretch : motion.stretches()) {
      if (stretch.last - stretch.first <= 2 * cut) continue;
      for (std::size_t at = stretch.first + cut; at < stretch.last - cut; at += kSamplesAtOnce) {
        const std::size_t end = std::min(stretch.last - cut, at + kSamplesAtOnce), around = filtered ? filter.reach() : 0;
        const std::size_t from = std::max(stretch.first + around, at) - around, to = std::min(stretch.last, end + around);
        motion.read(from, to, samples);
        known.regressors(samples, Y);
        torques(known.regressors, known.columns, known.x, samples, tau);
        for (std::size_t k = 0; k < n; ++k) {
          if (without[k] != 0) continue;
          signal.resize(samples.count * 11);
          for (std::size_t s = 0; s < samples.count; ++s) {
            const double* column = Y.data() + s * known.regressors.size() + k + n * kBodyParameters * body;
            double* x = signal.data() + s * 11;
            for (std::size_t c = 0; c < 10; ++c) {
              x[c] = 0;
              for (std::size_t i = 0; i < 10; ++i) x[c] += column[n * i] * T[c][i];
            }
            x[10] = tau[s * n + k];
          }
          if (filtered) filter(signal.data(), samples.count, 11);
          const double gain = options.gains.empty() ? 1 : options.gains[k];
          for (std::size_t s = 0; s < samples.count; ++s) signal[s * 11 + 10] = gain * samples.tau[s * n + k] - signal[s * 11 + 10];
          for (std::size_t s = at - from; s < end - from; s += every) {
            if (!samples.usable(s * n + k)) continue;
            double* row = triangle.next();
            for (std::size_t c = 0; c < 11; ++c) row[c * TallQr::kRows] = signal[s * 11 + c] / found.noise[k];
            triangle.take();
          }
        }
      }
    }
  }
  // The noise is the residual, in units of that of the robot alone.
  const Solution solution = least_squares(triangle, std::vector<double>(10, 0.0));
  const std::vector<double>& R = triangle.triangle();
  double rest = 0;
  for (std::size_t r = 0; r < 11; ++r) {
    double sum = -R[r + 10 * 11];
    for (std::size_t c = r; c < 10; ++c) sum += R[r + c * 11] * solution.x[c];
    rest += sum * sum;
  }
  const double scale = rest / static_cast<double>(std::max<std::size_t>(triangle.rows(), 11) - 10) * correlated;
  const auto error = [&](std::size_t i, std::size_t j) { return scale * solution.covariance[i * 10 + j]; };
  constexpr const char* kNames[] = {"m", "h_x", "h_y", "h_z", "J_xx", "J_yy", "J_zz", "J_xy", "J_xz", "J_yz"};
  constexpr const char* kUnits[] = {"kg", "kg m", "kg m", "kg m", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2", "kg m^2"};
  for (std::size_t k = 0; k < 10; ++k)
    out.parameters.push_back(
        {kNames[k], kUnits[k], solution.x[k], solution.determined[k] != 0 ? std::sqrt(error(k, k)) : std::numeric_limits<double>::infinity(), 0});
  const double mass = std::max(solution.x[0], 1e-3), size = 0.05;
  std::vector<double> start{mass, 0, 0, 0, mass * size * size, mass * size * size, mass * size * size, 0, 0, 0};
  for (std::size_t k = 1; k < 4; ++k) start[k] = solution.determined[k] != 0 ? solution.x[k] : 0;
  const double far = (start[1] * start[1] + start[2] * start[2] + start[3] * start[3]) / mass;
  for (std::size_t k = 4; k < 7; ++k) start[k] += far;
  const std::vector<double> can_be = fit_body(triangle, start);
  const PseudoInertia<double> load = body_of(can_be.data());
  out.payload.mass = load.m;
  out.payload.com = (1 / load.m) * load.h;
  out.payload.inertia = inertia_about_com(load);
  out.mass = out.parameters[0];
  out.mass.name = "mass";
  for (std::size_t k = 1; k < 4; ++k) {  // h / m, and its error to first order
    const double c = solution.x[k] / solution.x[0], variance = (error(k, k) - 2 * c * error(0, k) + c * c * error(0, 0)) / (solution.x[0] * solution.x[0]);
    out.com.push_back(
        {std::string(1, " xyz"[k]), "m", c,
         solution.determined[k] != 0 && solution.determined[0] != 0 ? std::sqrt(std::max(0.0, variance)) : std::numeric_limits<double>::infinity(), 0});
  }
  std::vector<double> with = found.parameters;
  const Ten more = numbers_of(moved(load, X.R, X.p));
  for (std::size_t k = 0; k < 10; ++k) with[10 * body + k] += more[k];
  std::vector<double> x = found.structure.of(with);
  x.insert(x.end(), known.x.begin() + static_cast<long>(x.size()), known.x.end());
  Prediction prediction(known.regressors, known.columns, {x, known.x}, options.gains, without);
  for (const Motion& motion : motions) prediction.add(motion, 0, kParts, options.threads);
  out.with = prediction.score(0);
  out.without = prediction.score(1);
  return out;
}

}  // namespace ULNA_API
