#include <algorithm>
#include <cmath>

#include "explain/patient.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kHeaviest = 3;        // link, in masses of the robot
constexpr double kLongestDelay = 0.5;  // [s]
constexpr double kHalfTurn = std::numbers::pi;
constexpr double kFarGain = 0.05;  // no torque constant has such an error

constexpr UnitRow kTorqueUnits[] = {
    {1e-3, "thousandths (mN m, mA)"}, {1e3, "kN m"}, {9.80665, "kgf m"}, {0.0980665, "kgf cm"}, {1e-2, "N cm"}, {0.112985, "lbf in"}, {1.355818, "lbf ft"}};
constexpr UnitRow kRateUnits[] = {{kHalfTurn / 180, "degrees"},
                                  {180 / kHalfTurn, "radians, but the positions in degrees"},
                                  {kHalfTurn / 30, "revolutions per minute"},
                                  {2 * kHalfTurn, "revolutions"},
                                  {1e-3, "thousandths"}};

}  // namespace

const UnitRow* rate_unit(double factor, double within) {
  for (const UnitRow& row : kRateUnits)
    if (std::abs(factor / row.factor - 1) < within) return &row;
  return nullptr;
}

/// Torques alone: predictions stay the same.
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
  // Gains: the robot's torque is multiplied by 1 / gain, with friction fitted.
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
    for (const UnitRow& unit : kTorqueUnits)  // another fault may hide its fit
      if (std::abs(std::log(gain / unit.factor)) < std::log(3))
        consider(
            make("units", where, 1, unit.factor, cat(column, " of the log is in ", unit.is, ": multiply it by ", rounded(unit.factor)), by(unit.factor), 0));
    if (std::abs(gain - 1) <= 0.01) return;
    const bool far = gain < kFarGain || gain > 1 / kFarGain;
    Suspicion s = make(far ? "units" : "torque-constant", where, 1, gain,
                       cat("multiply ", column, " of the log by ", rounded(gain),
                           far ? ": it is a current or a count, not a torque" : ": the torque constant or the gear ratio is off by it"),
                       by(gain), 1);
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
    Reading next = at.reading;
    for (std::size_t k = 0; k < n_; ++k)
      if (which == kNone || k == which) next.delay[k] += by;
    const Vector found = scores(here.predicted, measured(next), here.rubs);
    return which == kNone ? sum_of(found) : found[which];
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

/// Faults without parameters: those of explain, and columns of positions alone.
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
    if (series_.still[k] != 0) continue;  // a factor would be another zero
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
    consider(x, family.kind == "gravity" ? 2 : family.count);  // a direction
  }
}

/// Zeros and gears of joints: torques are not linear in them.
void Doctor::judge_positions(const Patient& at, const Here& here, const Key* only, std::vector<Suspicion>& out) const {
  std::vector<Curved> curved;
  for (Curved& c : suspects_.curved(at.trial))
    if (c.kind == "joint-offset") curved.push_back(std::move(c));
  for (std::size_t k = 0; k < n_; ++k) {
    if (series_.still[k] != 0) continue;
    const double now = at.trial.coordinates.scale[k];
    curved.push_back({"gear",
                      name_of(k),
                      {{0.5}, {0.8}, {1.25}, {2}},
                      [k, now](Trial& t, const Vector& x) { t.coordinates.scale[k] = now * x[0]; },
                      [this, k, now](const Vector& x) {
                        return make_edit("gear", name_of(k), {{1.0}, {}}, {x, {}},
                                         cat("multiply the column q.", name_of(k), " of the log by ", rounded(x[0]), ": the gear ratio is off by it"),
                                         [k, to = now * x[0]](Trial& t) { t.coordinates.scale[k] = to; });
                      }});
  }
  for (const Curved& c : curved) {
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
      return std::pair(sum_of(scores(there.predicted, here.measured, there.rubs)), there);
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
  std::vector<Suspicion> out;
  judge_torques(at, here, only, out);
  judge_slips(at, here, only, out);
  judge_families(at, here, only, out);
  judge_positions(at, here, only, out);
  return out;
}

}  // namespace ulna::internal
