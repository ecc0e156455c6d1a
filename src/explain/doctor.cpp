#include <algorithm>
#include <cmath>

#include <ulna/explain/explain.hpp>

#include "explain/patient.hpp"
#include "model/describe.hpp"
#include "source/edit_urdf.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr double kNeeded = 1.0;       // gain of likelihood that a cause needs, summed over joints [nats]
constexpr double kNeededOfOne = 0.4;  // and in one joint
constexpr double kAsWell = 0.25;      // causes that near to the best fit as well [nats]
constexpr std::size_t kMostCauses = 6;

/// Findings without a repair: dead channels. Wrong units are a cause.
void refuse_dead(const std::vector<Finding>& findings) {
  std::vector<Finding> dead;
  for (const Finding& one : findings)
    if (one.severity != Severity::error || one.kind != FindingKind::units || one.row > 0) dead.push_back(one);
  refuse_errors(dead);
}

/// Findings where no torque can be left out.
void as_doctor(std::vector<Finding>& findings) {
  for (Finding& one : findings)
    if (const std::size_t at = one.text.find(", or leave the torque"); at != std::string::npos) one.text.erase(at);
}

/// A robot, its logs, and their data for identification.
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

  /// Constant channels, independent of other faults.
  void judge_dead(std::vector<Finding>& findings) const {
    std::vector<Finding> found;
    std::vector<char> without(model.nv(), 0);
    for (const Motion& motion : motions) judge_torques(motion, model, compare(motion), {}, without, found);
    std::erase_if(found, [](const Finding& one) { return one.kind == FindingKind::reversed; });
    as_doctor(found);
    refuse_errors(found);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  /// Residual of held-out torques when all parameters are fitted to the others. Torques uncorrelated with the motion are refused.
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
    Prediction prediction(regressors, columns, {fit(data, columns, kAllParts >> kHeld, friction, given, model.nv()).x}, none);
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

constexpr double kAlike = 0.9, kSlope = 0.05;

/// Wrong units of velocities; those of positions are known by now.
std::vector<Cause> wrong_rates(const Rates& rates, const Coordinates& c, const Model& model) {
  std::vector<std::pair<std::string, double>> found;  // the correction, and its factor
  std::vector<std::vector<std::string>> joints;
  const std::size_t n = model.nv();
  for (std::size_t joint = 0; joint < n; ++joint) {
    const std::size_t k = c.order[joint];
    const double off = rates.slope[k] / (c.scale[joint] * c.q_scale);
    if (rates.alike[k] < kAlike || std::abs(off - 1) < kSlope) continue;
    const UnitRow* unit = rate_unit(1 / off, kSlope);
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
    throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " moves; logs are compared with robots with a fixed base"));
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
  if (!moves) throw std::invalid_argument("no joint moves in the logs: torques at rest determine next to nothing; log a motion ('ulna excite' makes one)");
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

  // Greedy: one cause after the other, each with the largest gain.
  const auto with = [&](const std::vector<Suspicion>& causes, std::size_t but) {
    Patient at = doctor.start();
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (i != but) causes[i].apply(at);
    return at;
  };
  std::vector<Suspicion> found;
  Patient at = doctor.start();
  double score = doctor.score(at);
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
    score = doctor.score(at);
    found.push_back(std::move(best));
    // Parameters fitted together with a fault are fitted again without it, and causes that substituted for others are removed.
    for (std::size_t i = 0; found.size() > 1 && i < found.size(); ++i) {
      const Patient others = with(found, i);
      const double without = doctor.score(others);
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
          at = with(found, kNone), score = doctor.score(at);
        }
    }
  }

  // Friction last: it was fitted together with all others.
  std::vector<char> differs;
  const std::vector<Doctor::Drag> friction = doctor.friction(at, given, differs);
  std::vector<std::string> rubbing;
  for (std::size_t k = 0; k < n; ++k)
    if (differs[k] != 0) rubbing.push_back(model.joints()[model.independent()[k]].name);

  // In the order of their share of the error.
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
  // Its share alone, or as the last one.
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
    if (cause.kind == "gravity") cause.where = model.links().front().name;
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

bool is_of_link(const Cause& cause) {
  constexpr std::string_view kOfLinks[] = {"mass", "mass-centre", "inertia", "inertia-frame", "missing-link", "gravity"};
  return std::find(std::begin(kOfLinks), std::end(kOfLinks), cause.kind) != std::end(kOfLinks);
}

std::optional<std::string> repaired_urdf(std::string_view urdf, const Model& from, const Model& to, Diagnostics& diagnostics, const ReadLimits& limits) {
  return edit_urdf(urdf, urdf_changes(describe(from), describe(to)), diagnostics, limits);
}

}  // namespace ULNA_API
