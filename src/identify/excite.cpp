// The search is a separable evolution strategy (R. Ros & N. Hansen 2008, A simple modification in CMA-ES achieving linear time and space complexity): forty
// lines that need no gradient, no library, and give the same motion for the same seed on every machine. Candidates are scaled into the limits before they are
// judged.
#include <ulna/identify/excite.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>

#include <Eigen/Dense>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/parameters.hpp>

#include "identify/columns.hpp"
#include "identify/regressors.hpp"
#include "identify/tall_qr.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

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

namespace {

struct Limits {
  double lower, upper, speed, acceleration, effort;
};

class Problem {
 public:
  Problem(const Model& model, const ExciteOptions& options)
      : model_(model),
        options_(options),
        n_(model.nv()),
        regressors_(model, options.snap),
        structure_(base_parameters(model, options.snap)),
        columns_(model, regressors_.plan(), structure_, {*friction_model("coulomb")}, false, std::vector<double>(model.nv(), 1.0)),
        ws_(regressors_.plan()) {
    for (const std::size_t j : model.independent()) {
      const Joint& joint = model.joints()[j];
      const bool bounded = std::isfinite(joint.lower) && std::isfinite(joint.upper) && joint.upper - joint.lower < 1e6;
      const double free = joint.type == JointType::prismatic ? 0.5 : std::numbers::pi,
                   speed = std::isfinite(joint.velocity) && joint.velocity > 0 && joint.velocity < 1e6 ? joint.velocity : options.speed;
      limits_.push_back({bounded ? joint.lower : -free, bounded ? joint.upper : free, speed, options.acceleration > 0 ? options.acceleration : 2 * speed,
                         joint.effort > 0 && joint.effort < 1e6 ? joint.effort : std::numeric_limits<double>::infinity()});
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
      double low = 0, high = 0, fast = 1e-12, hard = 1e-12;
      for (std::size_t s = 0; s < kFine; ++s) {
        double q = 0, v = 0, acc = 0;
        const double t = options_.period * static_cast<double>(s) / kFine;
        for (std::size_t l = 0; l < m; ++l) {
          const double f = w * static_cast<double>(l + 1), sn = std::sin(f * t), cs = std::cos(f * t);
          q += (a[l] * sn - b[l] * cs) / f, v += a[l] * cs + b[l] * sn, acc += f * (b[l] * cs - a[l] * sn);
        }
        low = s == 0 ? q : std::min(low, q), high = s == 0 ? q : std::max(high, q), fast = std::max(fast, std::fabs(v)), hard = std::max(hard, std::fabs(acc));
      }
      const Limits& limit = limits_[k];
      const double room = options_.part * (limit.upper - limit.lower), middle = 0.5 * (limit.upper + limit.lower);
      const double factor = std::min({room / std::max(high - low, 1e-12), options_.part * limit.speed / fast, options_.part * limit.acceleration / hard});
      for (std::size_t l = 0; l < m; ++l) a[l] *= factor, b[l] *= factor;
      const double slack = 0.5 * (room - factor * (high - low));
      e.offset[k] = middle - 0.5 * factor * (high + low) + slack * std::tanh(own[0]);
    }
    weaken(e);
    return e;
  }

  /// Smaller is better; infinite where a motion is not within the limits.
  double judge(const Excitation& e, Excitation* told = nullptr) {
    sample(e);
    double worst = 0;
    for (std::size_t k = 0; k < n_; ++k) worst = std::max(worst, effort_[k] / limits_[k].effort);
    if (worst > options_.part * (1 + 1e-9)) return 1e6 * worst;
    regressors_(samples_, Y_);
    TallQr triangle(columns_.size());
    for (std::size_t s = 0; s < samples_.count; ++s)
      for (std::size_t k = 0; k < n_; ++k) {
        double* row = triangle.next();
        for (std::size_t c = 0; c < columns_.size(); ++c) row[c * TallQr::kRows] = 0;
        for (const std::size_t c : columns_.felt(k))
          row[c * TallQr::kRows] = columns_.entry(c, k, Y_.data() + s * regressors_.size(), samples_.v.data() + s * n_, samples_.a.data() + s * n_, nullptr);
        triangle.take();
      }
    const long p = static_cast<long>(columns_.size());
    const Eigen::Map<const Eigen::MatrixXd> R(triangle.triangle().data(), p, p);
    double log_det = 0;
    const double rows = std::sqrt(static_cast<double>(samples_.count * n_));
    for (long c = 0; c < p; ++c) log_det += std::log(std::max(std::fabs(R(c, c)) / rows, 1e-30));
    double condition = 0;
    if (told != nullptr || options_.condition) {
      Eigen::MatrixXd scaled = R.triangularView<Eigen::Upper>();
      for (long c = 0; c < p; ++c) scaled.col(c) /= std::max(scaled.col(c).norm(), 1e-300);
      const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(scaled).singularValues();
      condition = s[0] / std::max(s[p - 1], 1e-300);
    }
    if (told != nullptr) told->condition = condition, told->log_det = log_det, told->limit = used(e);
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
      sample(still);
      bool holds = true;
      for (std::size_t k = 0; k < n_; ++k) holds = holds && effort_[k] <= options_.part * limits_[k].effort;
      if (holds) return;
    }
    throw std::invalid_argument(cat("the joints of robot ", in_quotes(model_.name()),
                                    " cannot hold its weight within their effort limits: check the limits and the masses of the file"));
  }

 private:
  static constexpr std::size_t kFine = 200;

  void sample(const Excitation& e) {
    samples_.count = times_.size();
    for (std::vector<double>* part : {&samples_.q, &samples_.v, &samples_.a}) part->resize(times_.size() * n_);
    effort_.assign(n_, 0);
    tau_.resize(n_);
    for (std::size_t s = 0; s < times_.size(); ++s) {
      double *q = samples_.q.data() + s * n_, *v = samples_.v.data() + s * n_, *a = samples_.a.data() + s * n_;
      e.at(times_[s], q, v, a);
      inverse_dynamics(regressors_.plan(), ws_, q, v, a, tau_.data(), Effects{.friction = true});
      for (std::size_t k = 0; k < n_; ++k) effort_[k] = std::max(effort_[k], std::fabs(tau_[k]));
    }
  }

  /// Smaller, until the efforts are within their limits; a weight that is beyond them is judged.
  void weaken(Excitation& e) {
    for (int tries = 0; tries < 12; ++tries) {
      sample(e);
      bool within = true;
      for (std::size_t k = 0; k < n_; ++k) within = within && effort_[k] <= options_.part * limits_[k].effort;
      if (within) return;
      for (std::vector<double>* list : {&e.a, &e.b})
        for (double& x : *list) x *= 0.8;
    }
  }

  std::vector<double> used(const Excitation& e) {
    std::vector<double> out(n_, 0), q(n_), v(n_), a(n_);
    for (std::size_t s = 0; s < 4 * kFine; ++s) {
      e.at(options_.period * static_cast<double>(s) / (4 * kFine), q.data(), v.data(), a.data());
      inverse_dynamics(regressors_.plan(), ws_, q.data(), v.data(), a.data(), tau_.data(), Effects{.friction = true});
      for (std::size_t k = 0; k < n_; ++k) {
        const Limits& l = limits_[k];
        const double middle = 0.5 * (l.upper + l.lower), half = 0.5 * (l.upper - l.lower);
        out[k] =
            std::max({out[k], std::fabs(q[k] - middle) / half, std::fabs(v[k]) / l.speed, std::fabs(a[k]) / l.acceleration, std::fabs(tau_[k]) / l.effort});
      }
    }
    return out;
  }

  const Model& model_;
  const ExciteOptions& options_;
  std::size_t n_;
  Regressors regressors_;
  BaseParameters structure_;
  Columns columns_;
  Workspace ws_;
  std::vector<Limits> limits_;
  std::vector<double> times_, effort_, tau_, Y_;
  Samples samples_;
};

}  // namespace

Excitation excite(const Model& model, const ExciteOptions& options) {
  if (model.nv() == 0) throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no joint that moves"));
  if (model.base() != RootJoint::fixed)
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " moves; a motion is found for robots that are bolted down"));
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

  // What random motions reach, and the best of them to begin with.
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
  // Candidates are scaled by their extremes among coarse samples; the motion that is given stays within the limits at the fine ones, too.
  constexpr int kTries = 50;
  const auto largest = [&] { return *std::max_element(out.limit.begin(), out.limit.end()); };
  for (int k = 0; k < kTries && largest() > options.part; ++k) {
    const double factor = (1 - 1e-9) * options.part / largest();
    for (std::vector<double>* x : {&out.a, &out.b})
      for (double& amplitude : *x) amplitude *= factor;
    problem.judge(out, &out);
  }
  out.random_condition = median(conditions), out.random_log_det = median(dets);
  out.evaluations = used;
  return out;
}

}  // namespace ULNA_API
