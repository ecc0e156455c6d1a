#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include <ulna/identify/identify.hpp>

#include "identify/condensed.hpp"
#include "model/describe.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr double kNoisy = 0.02;        // noise of accelerations over these, from where on its square is a bias to be corrected
constexpr double kMostLoad = 0.99;     // with more a joint never moves
constexpr std::uint64_t kNoisier = 4;  // fits with more noise
constexpr double kPull = 8;            // of fits to parts of the logs
constexpr double kHeavyTails = 1.2;    // standard deviation over that of the middle of the distribution: 1 for a normal one
constexpr double kLastDigits = 1e-6;
constexpr double kHuber = 2.5;         // standard deviations from where on a row counts less
constexpr std::size_t kLooked = 4000;  // samples of a log that are checked for outliers

std::vector<FrictionModel> candidates() {
  struct Low {  // at low speeds
    double stribeck, smooth;
  };
  std::vector<FrictionModel> out;
  for (const bool asymmetric : {false, true})
    for (const bool load : {false, true})
      for (const auto& [stribeck, smooth] : {Low{0, 0}, Low{0.03, 0}, Low{0.1, 0}, Low{0.3, 0}, Low{0, 0.01}, Low{0, 0.03}, Low{0, 0.1}, Low{0, 0.3}}) {
        FrictionModel one = *friction_model("coulomb");
        one.asymmetric = asymmetric, one.load = load, one.stribeck = stribeck, one.smooth = smooth;
        if (asymmetric) one.name += "+asymmetric";
        if (stribeck > 0) one.name += cat("+stribeck(", stribeck, ")");
        if (smooth > 0) one.name += cat("+smooth(", smooth, ")");
        if (load) one.name += "+load";
        out.push_back(one);
      }
  return out;
}

/// Whether one predicts the held-out parts as well as another, within so many standard errors of their differences.
bool no_worse(const std::vector<double>& one, const std::vector<double>& other, double errors = 1) {
  const double count = static_cast<double>(one.size());
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < one.size(); ++k) sum += one[k] - other[k], squares += (one[k] - other[k]) * (one[k] - other[k]);
  return sum <= errors * std::sqrt(std::max(0.0, squares - sum * sum / count) * count / std::max(1.0, count - 1));
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

/// Squared residuals of these values of the columns, of all torques in parts.
double left(const Condensed& data, Parts parts, const std::vector<double>& x, std::size_t n) {
  double all = 0;
  for (std::size_t k = 0; k < n; ++k) all += data.left(parts, k, x);
  return all;
}

/// The identification of one robot from its logs.
class Fitter {
 public:
  Fitter(const Model& model, std::span<const Log> logs, const IdentifyOptions& options, Identification& out)
      : model_(model), options_(options), out_(out), n_(model.nv()), regressors_(model, options.snap) {
    for (const Log& log : logs) {
      if (!log.columns().tau) throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has no torques"));
      motions_.emplace_back(log, model, options.cutoff, out.findings);
    }
    without_.assign(n_, 0);
    for (const std::string& joint : options.without) {
      const std::vector<std::string> names = model.driven_names();
      const auto found = std::find(names.begin(), names.end(), joint);
      if (found == names.end()) throw std::invalid_argument(cat("torques to leave out: ", there_is_no("joint", joint, names)));
      without_[static_cast<std::size_t>(found - names.begin())] = 1;
    }
    if (std::find(without_.begin(), without_.end(), 0) == without_.end())
      throw std::invalid_argument("the torques of all joints are left out: none is left to fit");
    known_.resize(logs.size());
    for (const KnownLoad& load : options.loads) {
      if (load.log >= logs.size()) throw std::invalid_argument(cat("a load is said to be in log ", load.log + 1, ", but there are ", logs.size()));
      const std::vector<Parameter> with = body_parameters(with_payload(model, load.link, load.payload), options.snap);
      std::vector<double> more;
      for (std::size_t k = 0; k < with.size(); ++k) more.push_back(with[k].value - out.structure.parameters[k].value);
      const std::vector<double> base = out.structure.of(more);
      std::vector<double>& known = known_[load.log];
      known.resize(base.size(), 0);
      for (std::size_t k = 0; k < base.size(); ++k) known[k] += base[k];
    }
    out.speed.assign(n_, 0);
    for (const Motion& motion : motions_)
      for (std::size_t k = 0; k < n_; ++k) out.speed[k] = std::max(out.speed[k], motion.speed()[k]);
    bodies_ = known_bodies(model, regressors_.plan(), out.structure.parameters, options);
  }

  const std::vector<Motion>& motions() const { return motions_; }
  const Regressors& regressors() const { return regressors_; }
  const Bodies& bodies() const { return bodies_; }

  bool derived() const {
    return std::any_of(motions_.begin(), motions_.end(), [](const Motion& motion) { return motion.derived(); });
  }
  double rate() const { return 1 / motions_.front().step(); }
  double noise_of_accelerations() const {
    double worst = 0;
    for (const Motion& motion : motions_)
      if (motion.derived()) worst = std::max(worst, motion.noise_of_accelerations());
    return worst;
  }
  void through(double cutoff) {
    for (Motion& motion : motions_) motion = motion.through(cutoff);
  }
  /// Torques of each of these parts by a fit to the others: squares of the errors, and of all.
  std::vector<std::pair<double, double>> held_back(Parts parts, const FrictionModel& friction) const {
    const Columns columns = this->columns({friction});
    const std::vector<double> given = this->given(columns);
    const Condensed data = condense(columns);
    const LinearFit all = fit(data, columns, parts, friction, given, n_);
    const Pull pull = pull_to(out_.structure, bodies_, kPull);
    std::vector<std::pair<double, double>> out;
    for (std::size_t part = 0; part < kParts; ++part) {
      const Parts held = Parts{1} << part;
      if ((parts & held) == 0 || parts == held) continue;
      Prediction prediction(regressors_, columns, {fit(data, columns, parts & ~held, friction, given, n_, &all.noise, &pull).x}, options_.gains, without_);
      for (const Motion& motion : motions_) prediction.add(motion, part, part + 1, options_.threads);
      out.push_back(prediction.squares());
    }
    return out;
  }

  Columns columns(const std::vector<FrictionModel>& models) const {
    return {model_, regressors_.plan(), out_.structure, models, options_.fit_rotors, out_.speed, options_.gains};
  }
  std::vector<double> given(const Columns& columns) const {
    std::vector<double> values;
    for (std::size_t c = 0; c < columns.size(); ++c) values.push_back(columns.named(c).given);
    return values;
  }
  const std::vector<char>& without() const { return without_; }
  Condensed::Pass pass(std::size_t log) const {
    Condensed::Pass pass;
    pass.gains = options_.gains;
    pass.known = known_[log];
    pass.without = without_;
    pass.threads = options_.threads;
    if (!out_.load_base.empty()) pass.load_base = &out_.load_base;
    return pass;
  }
  /// Refuses logs whose torques cannot be right, before they are fitted.
  void judge(std::span<const Motion> validating) {
    const Columns columns = this->columns({*friction_model("coulomb")});
    visible_.assign(n_, 0);
    for (const std::span<const Motion> motions : {std::span<const Motion>(motions_), validating})
      for (const Motion& motion : motions) {
        const Compared compared = compare_with(motion, regressors_, columns, given(columns));
        for (std::size_t k = 0; k < n_; ++k) visible_[k] = std::max(visible_[k], compared.visible[k]);
        judge_torques(motion, model_, compared, options_, without_, out_.findings);
      }
    std::erase_if(out_.findings, [&](const Finding& one) {  // of a channel that is left out
      return one.kind == FindingKind::clipped && std::find(options_.without.begin(), options_.without.end(), one.joint) != options_.without.end();
    });
    refuse_errors(out_.findings);
  }
  /// The rows condensed, torques that are uncorrelated with the motion refused or left out.
  Condensed judged(const Columns& columns) {
    Condensed data = condense(columns);
    const std::vector<char> before = without_;
    judge_fit(motions_, data, visible_, model_, options_, without_, out_.findings);
    refuse_errors(out_.findings);
    return without_ == before ? std::move(data) : condense(columns);
  }
  /// Of every joint: the mean of the logs', by their errors.
  std::vector<Estimate> judge_delays(const Columns& columns) const {
    std::vector<Estimate> out;
    for (const std::string& joint : model_.driven_names()) out.push_back({joint, "s", 0, std::numeric_limits<double>::infinity(), 0});
    for (std::size_t l = 0; l < motions_.size(); ++l) {
      const std::vector<Estimate> own = judge_delay(motions_[l], model_, regressors_, columns, pass(l), out_.findings);
      for (std::size_t k = 0; k < own.size(); ++k) {
        const double before = 1 / (out[k].sigma * out[k].sigma), more = 1 / (own[k].sigma * own[k].sigma);
        if (!(more > 0)) continue;
        out[k].value = (before * out[k].value + more * own[k].value) / (before + more), out[k].sigma = 1 / std::sqrt(before + more);
      }
    }
    return out;
  }
  Condensed condense(const Columns& columns, const LinearFit* weighed = nullptr, const LinearFit* scored = nullptr,
                     std::vector<std::vector<double>>* scores = nullptr) const {
    Condensed data(regressors_, columns);
    for (std::size_t l = 0; l < motions_.size(); ++l) {
      Condensed::Pass pass = this->pass(l);
      if (scored != nullptr) {
        pass.values = &scored->x, pass.weights = &scored->weight, pass.scores = scores;
        pass.weight = [](std::size_t, double) { return 1.0; };
      }
      if (weighed != nullptr) {
        if (scored == nullptr) pass.values = &weighed->x;
        pass.weight = [this](std::size_t k, double left) {
          const double size = std::fabs(left) / (kHuber * middle_[k]);
          if (!(size > 1)) return 1.0;
          ++outliers_;
          return 1 / std::sqrt(size);
        };
      }
      data.add(motions_[l], pass);
    }
    return data;
  }
  std::size_t outliers() const { return outliers_; }
  /// What enters the columns as noise: of each coordinate's velocities where they were measured, else of its positions; the most of all logs.
  std::vector<double> noise_floor(bool velocities) const {
    std::vector<double> out(n_, 0);
    for (const Motion& motion : motions_) {
      const std::vector<double> own = motion.noise_floor(velocities);
      for (std::size_t k = 0; k < n_; ++k) out[k] = std::max(out[k], own[k]);
    }
    return out;
  }
  /// As condense(), with as much noise again.
  Condensed noisier(const Columns& columns, const LinearFit* weighed, std::uint64_t seed) {
    std::vector<Motion> own = motions_;
    for (Motion& motion : motions_)
      if (motion.derived()) motion = motion.noisier(motion.noise_floor(motion.from_velocities()), seed);
    Condensed data = condense(columns, weighed);
    motions_ = std::move(own);
    return data;
  }

  /// Whether there are outliers that should count less: then the width of the distribution's middle is known.
  bool has_outliers(const Columns& columns, const LinearFit& fit) {
    std::vector<std::vector<double>> left(n_);
    std::vector<double> squares(n_, 0);
    for (const Motion& motion : motions_) {
      const std::size_t pieces = 8, length = std::min<std::size_t>(kLooked / pieces, motion.size() / pieces);
      Samples samples;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        const std::size_t first = motion.size() * piece / pieces;
        const std::size_t last = std::min(first + length, motion.stretch_of(first).last);
        if (first >= last) continue;
        motion.read(first, last, samples);
        std::vector<double> tau(samples.count * n_);
        torques(regressors_, columns, fit.x, samples, tau);
        for (std::size_t s = 0; s < samples.count; ++s)
          for (std::size_t k = 0; k < n_; ++k) {
            if (!samples.usable(s * n_ + k)) continue;
            const double gain = options_.gains.empty() || std::isnan(options_.gains[k]) ? 1 : options_.gains[k];
            left[k].push_back(std::fabs(gain * samples.tau[s * n_ + k] - tau[s * n_ + k]));
            squares[k] += samples.tau[s * n_ + k] * samples.tau[s * n_ + k];
          }
      }
    }
    middle_.assign(n_, 0);
    bool heavy = false;
    for (std::size_t k = 0; k < n_; ++k) {
      if (left[k].empty()) continue;
      std::nth_element(left[k].begin(), left[k].begin() + static_cast<long>(left[k].size() / 2), left[k].end());
      middle_[k] = 1.4826 * left[k][left[k].size() / 2];
      // What is left of exact numbers is their last digit, which has any distribution.
      const bool noisy = fit.noise[k] > kLastDigits * std::sqrt(squares[k] / static_cast<double>(left[k].size()));
      heavy = heavy || (noisy && fit.noise[k] > kHeavyTails * middle_[k] && middle_[k] > 0);
    }
    return heavy;
  }

 private:
  const Model& model_;
  const IdentifyOptions& options_;
  Identification& out_;
  std::size_t n_;
  Regressors regressors_;
  std::vector<Motion> motions_;
  std::vector<std::vector<double>> known_;  // of each log: base parameters of its load
  Bodies bodies_;
  std::vector<double> middle_;
  std::vector<char> without_;    // coordinates whose torques are left out
  std::vector<double> visible_;  // of each torque: Compared
  mutable std::atomic<std::size_t> outliers_{0};
};

/// The cut-off that predicts held-out torques best, from the one on up to which noise of the positions adds next to nothing: below it, the
/// low-pass takes from the motion, and torques that the columns do not explain may fit better by chance. Lower ones are taken where they are far better. Of
/// those that predict as well, it is the middle one.
double chosen_cutoff(Fitter& fitter, Parts parts) {
  constexpr double kFactor = std::numbers::sqrt2, kHighest = 25, kOfRate = 0.4, kNextToNothing = 0.01, kFarBetter = 0.75;
  const FrictionModel friction = *friction_model("coulomb");
  const double rate = fitter.rate(), start = std::min(kHighest, 0.5 * kOfRate * rate);
  std::map<int, std::vector<std::pair<double, double>>> tried;  // by steps from the start
  const auto cutoff = [&](int step) { return start * std::pow(kFactor, step); };
  const auto missed = [&](int step) {
    std::vector<double> out;
    for (const auto& [off, all] : tried[step]) out.push_back(off);
    return out;
  };
  const auto error = [&](int step) {
    const auto [at, is_new] = tried.try_emplace(step);
    if (is_new) {
      fitter.through(cutoff(step));
      at->second = fitter.held_back(parts, friction);
    }
    double off = 0, all = 0;
    for (const auto& [miss, measured] : at->second) off += miss, all += measured;
    return all > 0 ? off / all : std::numeric_limits<double>::infinity();
  };
  int least = 0;
  constexpr int kMostSteps = 14;  // 128 times
  for (; least > -kMostSteps; --least) {
    fitter.through(cutoff(least));
    if (fitter.noise_of_accelerations() <= kNextToNothing) break;
  }
  int best = least;
  const auto search = [&](int side, int last, double factor) {
    for (const int stride : {2, 1})
      for (int misses = 0, step = best + side * stride; misses < 2 && side * step <= side * last && cutoff(step) <= kOfRate * rate; step += side * stride)
        if (error(step) < factor * error(best))
          best = step, misses = 0;
        else
          ++misses;
  };
  search(1, 64, 1);
  if (error(best - 4) < kFarBetter * error(best)) best -= 4, search(-1, -kMostSteps, 1), least = best;
  const auto as_good = [&](int step) { return tried.contains(step) && no_worse(missed(step), missed(best)); };
  int low = best, high = best;
  while (low > least && (as_good(low - 1) || as_good(low - 2))) --low;
  while (as_good(high + 1) || as_good(high + 2)) ++high;
  return std::round(1e3 * cutoff(0) * std::pow(kFactor, 0.5 * (low + high))) / 1e3;
}

/// The model that predicts held-out parts best, each part held out once: Coulomb's unless another is better beyond the scatter of the parts, and
/// of others the one of fewer terms unless more gain two per cent.
FrictionModel chosen(const Condensed& data, const Columns& columns, Parts parts, const std::vector<double>& given, std::size_t n, const Pull& pull,
                     std::size_t threads) {
  constexpr double kGain = 0.98;
  const std::vector<FrictionModel> models = candidates();
  const LinearFit plain = fit(data, columns, parts, models[0], given, n);
  std::vector<std::vector<double>> missed(models.size(), std::vector<double>(kParts, 0));
  const std::size_t sides = models.size() / 2;  // without and with a term in |v|, in the same order
  const auto try_models = [&](std::size_t first, std::size_t last) {
    in_parallel((last - first) * kParts, threads, [&](std::size_t job) {
      const std::size_t model = first + job / kParts;
      if (const Parts held = Parts{1} << job % kParts; (parts & held) != 0)
        missed[model][job % kParts] = left(data, held, fit(data, columns, parts & ~held, models[model], given, n, &plain.noise, &pull).x, n);
    });
  };
  std::size_t best = 0;
  try_models(0, sides);
  for (std::size_t k = 1; k < sides; ++k)
    if (sum(missed[k]) < kGain * sum(missed[best])) best = k;
  try_models(sides + best, sides + best + 1);
  if (sum(missed[sides + best]) < kGain * sum(missed[best])) best += sides;
  return models[no_worse(missed[0], missed[best], 2) ? 0 : best];
}

/// How far bodies are pulled to those of the file: the largest pull that predicts held-out parts as well as the best one, within the scatter.
double chosen_pull(const Condensed& data, const Columns& columns, Parts parts, const LinearFit& all, const FrictionModel& friction,
                   const std::vector<double>& given, const BaseParameters& structure, const Bodies& bodies, std::size_t threads) {
  constexpr double kPulls[] = {0.5, 2, 8, 32};
  constexpr std::size_t kCount = std::size(kPulls), kFolds = 3;
  std::vector<std::size_t> there;
  for (std::size_t part = 0; part < kParts; ++part)
    if ((parts >> part & 1) != 0) there.push_back(part);
  if (there.size() < kFolds) return kPulls[1];
  const std::size_t n = all.noise.size();
  std::vector<std::vector<double>> missed(kCount, std::vector<double>(kFolds, 0));
  in_parallel(kCount * kFolds, threads, [&](std::size_t job) {
    const std::size_t fold = job % kFolds;
    Parts held = 0;
    for (std::size_t k = there.size() * fold / kFolds; k < there.size() * (fold + 1) / kFolds; ++k) held |= Parts{1} << there[k];
    const LinearFit others = fit(data, columns, parts & ~held, friction, given, n, &all.noise);
    missed[job / kFolds][fold] = left(data, held, fit_consistent(others, columns, structure, bodies, kPulls[job / kFolds], true).x, n);
  });
  std::size_t best = 0;
  for (std::size_t k = 1; k < kCount; ++k)
    if (sum(missed[k]) < sum(missed[best])) best = k;
  for (std::size_t k = kCount; k-- > best;)
    if (no_worse(missed[k], missed[best])) return kPulls[k];
  return kPulls[best];
}

void bound_loads(const Columns& columns, std::vector<double>& x) {
  for (std::size_t c = 0; c < columns.friction().size(); ++c)
    if (double& value = x[columns.base() + c]; columns.friction()[c].term == FrictionTerm::load) value = std::min(value, kMostLoad);
}

/// The robot with these bodies and this friction. Each body's mass stands in the link behind its joint.
Model with_found(const Model& model, const Plan& plan, const Columns& columns, const FrictionModel& friction, const ConsistentFit& found) {
  Description d = describe(model);
  for (std::size_t l = 0; l < d.links.size(); ++l) {
    const std::size_t body = plan.links[l].body;
    if (body == kNone) continue;
    Link& link = d.links[l];
    link.partial = false;
    if (plan.bodies[body].link != l) {
      link.mass = 0, link.com = {}, link.inertia = {}, link.inertial = false;
      continue;
    }
    const PseudoInertia<double> own = body_of(found.bodies.data() + 10 * body);
    link.mass = own.m;
    link.com = (1 / own.m) * own.h;
    link.inertia = inertia_about_com(own);
    link.inertial = true;
  }
  for (Description::JointEntry& entry : d.joints) entry.joint.friction = {};
  for (const std::size_t c : columns.of(friction)) {
    if (c < columns.base()) continue;
    const FrictionColumn& column = columns.friction()[c - columns.base()];
    const std::size_t j = model.driven()[column.coordinate];
    const double value = found.x[c];
    Joint& joint = d.joints[j].joint;
    const double fastest = columns.speed()[column.coordinate];
    if (column.smooth > 0) joint.friction.smoothing_speed = column.smooth * fastest;
    switch (column.term) {
      case FrictionTerm::rotor: joint.rotor = value, joint.gear = 1; break;
      case FrictionTerm::viscous: joint.friction.viscous = value; break;
      case FrictionTerm::coulomb: joint.friction.coulomb = value; break;
      case FrictionTerm::offset: joint.friction.offset = value; break;
      case FrictionTerm::asymmetric: joint.friction.viscous_asymmetry = value; break;
      case FrictionTerm::stribeck: joint.friction.static_level = value, joint.friction.stribeck_speed = column.part * fastest; break;
      case FrictionTerm::load: joint.friction.load = value; break;
      case FrictionTerm::gain: break;
    }
  }
  for (Description::JointEntry& entry : d.joints)
    if (entry.joint.friction.stribeck_speed > 0) entry.joint.friction.static_level += entry.joint.friction.coulomb;
  Diagnostics problems(model.file());
  std::optional<Model> built = build(d, problems);
  if (!built) throw std::logic_error("the identified robot cannot be built");
  return model.closed() ? with_closed(*built, {model.loops(), model.order(), model.reference(), model.singularity()}) : *std::move(built);
}

void require_scale(const IdentifyOptions& options, std::size_t n) {
  if (options.gains.empty()) return;
  if (options.gains.size() != n) throw std::invalid_argument(cat("there are ", options.gains.size(), " gains for ", n, " joints"));
  const bool all_unknown = std::all_of(options.gains.begin(), options.gains.end(), [](double gain) { return std::isnan(gain); });
  if (all_unknown && options.loads.empty())
    throw std::invalid_argument(
        "no drive's gain is known, and no log has a known load: twice the masses and twice the gains would fit as well, so the scale is undetermined; "
        "give one gain [N m/A] or a log with a load of known mass");
}

}  // namespace

Identification identify(const Model& model, std::span<const Log> logs, const IdentifyOptions& options, std::span<const Log> validating) {
  require_no_balls(model, "identification");
  if (logs.empty()) throw std::invalid_argument("there is no log to identify the robot from");
  if (model.base() != RootJoint::fixed)
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " moves; identification takes robots with a fixed base"));
  require_scale(options, model.nv());
  const std::size_t n = model.nv();
  Identification out(model);
  out.structure = base_parameters(model, options.snap);
  Fitter fitter(model, logs, options, out);
  std::vector<Motion> others;
  for (const Log& log : validating) {
    if (!log.columns().tau) throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has no torques"));
    others.emplace_back(log, model, options.cutoff, out.findings);
  }
  fitter.judge(others);
  out.errors_below = fitter.motions().front().errors_below();
  const std::size_t held = validating.empty() ? kParts - std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(options.train * kParts)), 1, kParts) : 0;
  const Parts train = kAllParts >> held;

  out.cutoff_chosen_by = !fitter.derived() ? "none" : options.cutoff > 0 ? "option" : "prediction";
  if (fitter.derived() && options.cutoff == 0) {
    fitter.through(chosen_cutoff(fitter, train));
  }
  out.cutoff = fitter.motions().front().cutoff();
  for (Motion& motion : others) motion = motion.through(out.cutoff);

  // What loads friction depends on, by a first fit without it.
  const bool any_load = !options.friction || options.friction->load;
  if (any_load) {
    const Columns plain = fitter.columns({*friction_model("coulomb")});
    const LinearFit first = fit(fitter.judged(plain), plain, train, *friction_model("coulomb"), fitter.given(plain), n);
    out.load_base.assign(first.x.begin(), first.x.begin() + static_cast<long>(plain.base()));
  }
  const Columns columns = fitter.columns(options.friction ? std::vector{*options.friction} : candidates());
  const std::vector<double> given = fitter.given(columns);
  Condensed data = any_load ? fitter.condense(columns) : fitter.judged(columns);
  out.friction_model =
      options.friction ? *options.friction : chosen(data, columns, train, given, n, pull_to(out.structure, fitter.bodies(), kPull), options.threads);

  LinearFit seen = fit(data, columns, train, out.friction_model, given, n);
  if (out.friction_model.load) {  // by the loads of what was found
    out.load_base.assign(seen.x.begin(), seen.x.begin() + static_cast<long>(columns.base()));
    data = fitter.condense(columns);
    seen = fit(data, columns, train, out.friction_model, given, n);
  }
  for (int round = 0; options.robust && round < 2 && fitter.has_outliers(columns, seen); ++round) {
    const std::size_t before = fitter.outliers();
    data = fitter.condense(columns, &seen);
    out.outliers = fitter.outliers() - before;
    seen = fit(data, columns, train, out.friction_model, given, n);
  }

  out.pull =
      options.pull > 0 ? options.pull : chosen_pull(data, columns, train, seen, out.friction_model, given, out.structure, fitter.bodies(), options.threads);

  // Validation: with the parameters of the first part.
  if (held > 0 || !validating.empty()) {
    ConsistentFit consistent = fit_consistent(seen, columns, out.structure, fitter.bodies(), out.pull);
    bound_loads(columns, consistent.x);
    Prediction prediction(fitter.regressors(), columns, {seen.x, consistent.x, given}, options.gains, fitter.without());
    for (const Motion& motion : others) prediction.add(motion, 0, kParts, options.threads);
    if (others.empty())
      for (const Motion& motion : fitter.motions()) prediction.add(motion, kParts - held, kParts, options.threads);
    out.plain = prediction.score(0);
    out.validation = prediction.score(1);
    out.before = prediction.score(2);
    out.consistency_price = out.validation.relative_error - out.plain.relative_error;
  }

  // What is written: by all rows.
  LinearFit all = fit(data, columns, kAllParts, out.friction_model, given, n);
  std::vector<std::vector<double>> scores;
  fitter.condense(columns, out.outliers > 0 ? &seen : nullptr, &all, &scores);
  widen(all, scores, fitter.derived());
  if (fitter.derived() && fitter.noise_of_accelerations() > kNoisy) {
    std::vector<LinearFit> noisier;
    for (std::uint64_t seed = 1; seed <= kNoisier; ++seed)
      noisier.push_back(fit(fitter.noisier(columns, out.outliers > 0 ? &seen : nullptr, seed), columns, kAllParts, out.friction_model, given, n, &all.noise));
    judge_noise(correct_bias(all, noisier, columns.base()), fitter.noise_of_accelerations(), out, options, out.findings);
  }
  judge_validation(fitter.motions(), out, data, columns, all, given, options, fitter.without(), out.findings);
  refuse_errors(out.findings);
  ConsistentFit consistent = fit_consistent(all, columns, out.structure, fitter.bodies(), out.pull);
  bound_loads(columns, consistent.x);
  const std::size_t p = all.columns.size();
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < p; ++c) {
    Estimate one = columns.named(all.columns[c]);
    one.value = all.x[all.columns[c]];
    one.sigma = std::sqrt(all.covariance[c * p + c]);
    if (all.determined[c] == 0 && !columns.is_gain(all.columns[c])) out.untold.push_back(one.name);
    if (columns.is_gain(all.columns[c])) {
      out.gains.push_back(one);
      continue;
    }
    kept.push_back(c);
    (all.columns[c] < columns.base() ? out.base : out.friction).push_back(one);
    if (all.columns[c] < columns.base()) continue;
    out.consistent_friction.push_back(consistent.x[all.columns[c]]);
    if (const std::string term = one.name.substr(0, one.name.find('.')); std::find(out.written.begin(), out.written.end(), term) == out.written.end())
      out.written.push_back(term);
  }
  for (const std::size_t i : kept)
    for (const std::size_t j : kept) out.covariance.push_back(all.covariance[i * p + j]);
  out.noise = all.noise;
  out.condition = all.condition;
  out.parameters = consistent.bodies;
  out.model = with_found(model, fitter.regressors().plan(), columns, out.friction_model, consistent);
  for (std::size_t k = 0; k < n; ++k) out.rows = std::max(out.rows, static_cast<std::size_t>(data.rows(kAllParts, k)));
  if (!out.untold.empty()) {
    std::vector<std::string> some(out.untold.begin(), out.untold.begin() + static_cast<long>(std::min<std::size_t>(out.untold.size(), 6)));
    std::vector<std::string> still;
    for (std::size_t k = 0; k < n; ++k)
      if (out.speed[k] < 1e-3) still.push_back(model.driven_names()[k]);
    out.findings.push_back({.kind = FindingKind::undetermined,
                            .severity = Severity::warning,
                            .text = cat("the motion does not determine ", out.untold.size(), " parameters (", joined(some),
                                        some.size() < out.untold.size() ? ", …" : "", "): they keep the model's values",
                                        still.empty() ? "; move more joints at once, faster, and over more of their range ('ulna excite')"
                                                      : cat("; nearly still: ", joined(still)))});
  }
  out.encoder_noise = fitter.noise_floor(false);
  out.delay = fitter.judge_delays(columns);
  judge_masses(out, model, fitter.without(), out.findings);
  return out;
}

Validation validate(const Identification& found, const Log& log, const IdentifyOptions& options) {
  const Found known(found, options);
  Prediction prediction(known.regressors, known.columns, {known.x}, options.gains);
  std::vector<Finding> ignored;
  prediction.add(Motion(log, found.model, options.cutoff > 0 ? options.cutoff : found.cutoff, ignored), 0, kParts, options.threads);
  return prediction.score();
}

void predict(const Identification& found, const Log& log, const IdentifyOptions& options, const std::function<void(double, const double*)>& row) {
  const Found known(found, options);
  std::vector<Finding> ignored;
  predict_rows(known.regressors, known.columns, known.x, Motion(log, found.model, options.cutoff > 0 ? options.cutoff : found.cutoff, ignored, true), row);
}

}  // namespace ULNA_API
