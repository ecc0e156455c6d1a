#include "identify/condensed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kCompared = 4000;  // samples
constexpr double kUncorrelated = 0.9;    // unexplained part of a torque: this and more is noise
constexpr double kPoor = 0.5;            // unexplained part from which on it is reported
/// Variance of the model's torque over that of the measured one: below it, noise may hide what the motion explains, as that of a slide that carries a weight.
constexpr double kHidden = 0.15;
constexpr double kVisible = 1e-4;       // of the robot's largest torque: a torque that changes by less may be rounded to a constant
constexpr double kReversed = -0.7;      // correlation
constexpr double kAgrees = 0.3;         // least correlation of a torque with the right sign
constexpr double kImpossible = 0.1;     // part of the torques that parameters explain, but no bodies of positive mass do
constexpr double kOfFewLevels = 0.1;    // unexplained part that shows it; a joint with nothing but Coulomb friction has two levels, and all is explained
constexpr double kHeavy = 3;            // times the robot's mass
constexpr std::size_t kShifted = 5000;  // rows that are shifted in time
constexpr std::size_t kFewest = 100;    // rows
constexpr double kLongestDelay = 0.5;   // [s]
/// A delay counts where it explains a fifth of what is left of a torque: less does no more harm than the noise does. What is left of exact numbers is rounding.
constexpr double kExplains = 0.8, kExact = 1e-9;

std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g %%", 100 * part);
  return text;
}

std::string cure(const std::string& joint) {
  return cat("correct the log, or leave the torque of this joint out: --without ", joint, " (IdentifyOptions::without, without= in Python)");
}
constexpr const char* kLeftOut = "the joint stands still, and its torque is left out";

/// Findings about columns of logs.
struct Report {
  const Model& model;
  std::string_view part;  // "tau" or "i"
  std::vector<Finding>& findings;
  std::string log{};

  Report(const Model& robot, const std::vector<double>& gains, std::vector<Finding>& to) : model(robot), part(gains.empty() ? "tau" : "i"), findings(to) {}
  std::string joint(std::size_t k) const { return model.driven_names()[k]; }
  std::string column(std::size_t k) const { return cat(part, ".", joint(k)); }
  void operator()(FindingKind kind, Severity severity, const std::string& text) const {
    findings.push_back({.kind = kind, .severity = severity, .log = log, .text = text});
  }
  void operator()(FindingKind kind, Severity severity, std::size_t k, const std::string& text, std::size_t row = 0) const {
    const std::string of = kind == FindingKind::still ? cat("q.", joint(k)) : column(k);
    findings.push_back({kind, severity, log, joint(k), of, row, cat("joint ", in_quotes(joint(k)), ", column ", in_quotes(of), ": ", text)});
  }
};

/// Rows of a log from `first` on, torques of `shift` rows later.
Log shifted(const Motion& motion, std::size_t first, std::size_t count, long shift) {
  const Log& log = motion.log();
  const std::size_t n = log.nv(), width = 1 + 4 * n;
  std::vector<double> rows(count * width), torques(count * width);
  log.read(first, count, rows.data());
  log.read(static_cast<std::size_t>(static_cast<long>(first) + shift), count, torques.data());
  Log out(log.name(), n, log.columns());
  for (std::size_t r = 0; r < count; ++r) {
    const double* x = rows.data() + r * width;
    out.add(x[0], x + 1, x + 1 + n, x + 1 + 2 * n, torques.data() + r * width + 1 + 3 * n);
  }
  return out;
}

/// The coordinate without whose torque those of all others are those of one robot; kNone where there is none, or where any of several will do.
std::size_t contradicting(const Condensed& data, const Columns& columns, const FrictionModel& friction, const std::vector<double>& given,
                          const std::vector<char>& without) {
  const std::size_t n = without.size();
  std::vector<double> size(n, HUGE_VAL);  // an infinite one has no weight
  for (std::size_t k = 0; k < n; ++k)
    if (without[k] == 0 && data.rms(k) > 0) size[k] = data.rms(k);
  std::size_t best = kNone;
  double least = HUGE_VAL, next = HUGE_VAL;
  for (std::size_t j = 0; j < n; ++j) {
    if (size[j] == HUGE_VAL) continue;
    std::vector<double> others = size;
    others[j] = HUGE_VAL;
    const LinearFit rest = fit(data, columns, kAllParts, friction, given, n, &others);
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (others[k] != HUGE_VAL) worst = std::max(worst, std::sqrt(data.left(kAllParts, k, rest.x) / std::max(1.0, data.rows(kAllParts, k))) / size[k]);
    if (worst < least)
      next = least, least = worst, best = j;
    else
      next = std::min(next, worst);
  }
  return least < kPoor && least < 0.5 * next ? best : kNone;
}

}  // namespace

Compared compare_with(const Motion& motion, const Regressors& regressors, const Columns& columns, const std::vector<double>& values) {
  const std::size_t n = regressors.rows(), pieces = 8, length = std::min(kCompared / pieces, std::max<std::size_t>(1, motion.size() / pieces));
  Compared out{std::vector<double>(n, HUGE_VAL), std::vector<double>(n, -HUGE_VAL), std::vector<double>(n, 0), std::vector<double>(n, 0)};
  std::vector<double> tau, sums(n * 5, 0);  // of m, p, m², p², m p
  std::vector<double> count(n, 0);
  Samples samples;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = motion.size() * piece / pieces, last = std::min(first + length, motion.stretch_of(first).last);
    if (first >= last) continue;
    motion.read(first, last, samples);
    torques(regressors, columns, values, samples, tau);
    for (std::size_t s = 0; s < samples.count; ++s)
      for (std::size_t k = 0; k < n; ++k) {
        const double m = samples.tau[s * n + k], p = tau[s * n + k];
        out.low[k] = std::min(out.low[k], p), out.high[k] = std::max(out.high[k], p);
        double* sum = sums.data() + 5 * k;
        sum[0] += m, sum[1] += p, sum[2] += m * m, sum[3] += p * p, sum[4] += m * p, count[k] += 1;
      }
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double* sum = sums.data() + 5 * k;
    const double mm = sum[2] - sum[0] * sum[0] / count[k], pp = sum[3] - sum[1] * sum[1] / count[k], mp = sum[4] - sum[0] * sum[1] / count[k];
    out.correlation[k] = mm > 0 && pp > 0 ? mp / std::sqrt(mm * pp) : 0;
    out.visible[k] = mm > 0 ? pp / mm : 0;
  }
  return out;
}

void judge_torques(const Motion& motion, const Model& model, const Compared& compared, const IdentifyOptions& options, std::vector<char>& without,
                   std::vector<Finding>& findings) {
  Report report(model, options.gains, findings);
  report.log = motion.log().name();
  double largest = 0;
  std::vector<std::size_t> reversed;
  for (std::size_t k = 0; k < without.size(); ++k) largest = std::max({largest, std::fabs(compared.low[k]), std::fabs(compared.high[k])});
  for (std::size_t k = 0; k < without.size(); ++k) {
    if (without[k] != 0) continue;
    const TorqueChannel& channel = motion.torque(k);
    if (channel.constant && compared.high[k] - compared.low[k] > kVisible * largest) {
      report(FindingKind::constant, channel.still ? Severity::warning : Severity::error, k,
             cat("it is ", rounded(channel.low), " in all ", motion.log().rows(), " rows, where the model's torque goes from ", rounded(compared.low[k]),
                 " to ", rounded(compared.high[k]), ": the channel is dead; ", channel.still ? kLeftOut : cure(report.joint(k))),
             1);
      if (channel.still) without[k] = 1;
    } else if (channel.frozen > 0 && channel.levels >= kManyLevels) {
      report(FindingKind::constant, Severity::error, k,
             cat("it stays at ", rounded(channel.frozen_at), " in rows ", channel.frozen_row, " to ", channel.frozen_row + channel.frozen - 1,
                 " while the joint moves: the channel is dead there; cut these rows, ", cure(report.joint(k))),
             channel.frozen_row);
    } else if (options.gains.empty() && compared.correlation[k] < kReversed) {
      reversed.push_back(k);
    }
  }
  const bool all = without.size() > 1 && std::none_of(compared.correlation.begin(), compared.correlation.end(), [](double c) { return c > kAgrees; });
  const std::string convention = "logs have the torque that acts on the link behind the joint, positive along the joint's axis; ";
  for (const std::size_t k : reversed) {
    if (!all) {
      report(FindingKind::reversed, Severity::warning, k,
             cat("it has the sign opposite to the model's torque (correlation ", rounded(compared.correlation[k]), "): ", convention,
                 "check the sign of the column"));
      continue;
    }
    report(FindingKind::reversed, Severity::warning, cat("all torques have the sign opposite to the model's: ", convention, "negate the columns"));
    break;
  }
}

void judge_fit(const std::vector<Motion>& motions, const Condensed& data, const std::vector<double>& visible, const Model& model,
               const IdentifyOptions& options, std::vector<char>& without, std::vector<Finding>& findings) {
  const Report report(model, options.gains, findings);
  for (std::size_t k = 0; k < without.size(); ++k) {
    if (without[k] != 0) continue;
    bool still = true;
    std::size_t levels = 0;
    for (const Motion& motion : motions) still = still && motion.torque(k).still, levels = std::max(levels, motion.torque(k).levels);
    const double left = data.unexplained(k);
    const std::string explained = cat("the motion explains ", percent(std::max(0.0, 1 - left)), " of it");
    if (still)
      report(FindingKind::still, Severity::warning, k, "it does not move: its friction, and what only its motion reveals, is not determined by these logs");
    const bool few = levels > 1 && levels <= kFewLevels && left > kOfFewLevels;
    if ((left > kUncorrelated && (visible[k] > kHidden || still)) || few) {
      if (still) without[k] = 1;
      report(few ? FindingKind::quantised : FindingKind::uncorrelated, still ? Severity::warning : Severity::error, k,
             cat(few ? cat("it has ", levels, " values only, and ") : "", explained, few ? "" : ": it is uncorrelated with the motion", "; ",
                 still ? kLeftOut : cure(report.joint(k))));
    } else if (left > kPoor) {
      report(FindingKind::unexplained, Severity::warning, k,
             cat(explained, "; the rest is noise, friction of another kind (--friction auto), or a channel that is not this joint's torque"));
    } else if (levels > 1 && levels < kManyLevels && left > 0.25 / static_cast<double>(levels * levels)) {  // a quarter of the error of rounding
      report(FindingKind::quantised, Severity::warning, k, cat("it has ", levels, " values only: it is rounded coarsely"));
    }
  }
}

void judge_validation(const std::vector<Motion>& motions, const Identification& found, const Condensed& data, const Columns& columns, const LinearFit& all,
                      const std::vector<double>& given, const IdentifyOptions& options, const std::vector<char>& without, std::vector<Finding>& findings) {
  const std::size_t n = found.validation.by_joint.size();
  const Report report(found.model, options.gains, findings);
  std::vector<char> suspect(n, 0);  // by what was found before
  for (const Finding& one : findings)
    for (std::size_t k = 0; k < n; ++k)
      if (without[k] == 0 && one.severity != Severity::note && one.kind != FindingKind::clipped && one.column == report.column(k)) suspect[k] = 1;
  // A prediction that is uncorrelated with a torque misses it by more than its size. So does one of a motion unlike those that were fitted; but a fit
  // to all rows then leaves little.
  enum Miss : char { no, hardly, badly };
  std::vector<Miss> miss(n, no);
  std::vector<std::string> by(n);
  bool refused = false;
  for (std::size_t k = 0; k < n; ++k) {
    if (without[k] != 0) continue;
    const double off = found.plain.by_joint[k], misfit = data.rms(k) > 0 ? all.noise[k] / data.rms(k) : 0;
    miss[k] = off > 1 && misfit > kPoor ? badly : off > std::sqrt(kPoor) && suspect[k] == 0 ? hardly : no;
    by[k] = cat("torques that were not fitted are missed by ", percent(off), miss[k] == badly ? cat(", and those that were fitted by ", percent(misfit)) : "");
    refused = refused || (miss[k] == badly && std::any_of(motions.begin(), motions.end(), [&](const Motion& motion) { return !motion.torque(k).still; }));
  }
  // One wrong torque spoils the fit of its neighbours, too.
  if (std::any_of(miss.begin(), miss.end(), [](Miss one) { return one != no; }))
    if (const std::size_t wrong = contradicting(data, columns, found.friction_model, given, without); wrong != kNone) suspect.assign(n, 0), suspect[wrong] = 1;
  const bool known = std::find(suspect.begin(), suspect.end(), 1) != suspect.end();
  std::vector<std::string> spoilt;
  for (std::size_t k = 0; k < n; ++k)
    if (suspect[k] == 0 && (miss[k] == badly || (miss[k] == hardly && known))) spoilt.push_back(cat(in_quotes(report.joint(k)), ": ", by[k]));
  const FindingKind kind = refused ? FindingKind::uncorrelated : FindingKind::unexplained;
  const Severity severity = refused ? Severity::error : Severity::warning;
  for (std::size_t k = 0; k < n; ++k) {
    if (suspect[k] != 0 && miss[k] == badly)
      report(kind, severity, k, cat(by[k], ": this channel, or a position, is uncorrelated with the motion; ", cure(report.joint(k))));
    else if (suspect[k] != 0 && !spoilt.empty())
      report(kind, severity, k,
             cat("it contradicts the torques of other joints (", joined(spoilt, "; "), "): it has another sign or unit, or is of another joint; ",
                 cure(report.joint(k))));
    else if (miss[k] == hardly && spoilt.empty())
      report(FindingKind::unexplained, Severity::warning, k,
             cat(by[k],
                 ": this is noise, another motion than was fitted, friction of another kind (--friction auto), or a channel that is not this joint's torque"));
  }
  if (!known && !spoilt.empty())
    report(kind, severity,
           cat("torques contradict each other (", joined(spoilt, "; "),
               "): a channel has another sign or unit, or is of another joint, and the logs do not determine which; check the columns, their order and signs"));
  if (found.consistency_price > kImpossible && found.validation.relative_error > 2 * found.plain.relative_error)
    for (Finding& one : findings)
      if (one.kind == FindingKind::reversed) one.severity = Severity::error, one.text += "; no bodies of positive mass have these torques";
  if (found.validation.relative_error > std::max(kPoor * kPoor, found.before.relative_error))
    report(FindingKind::unexplained, Severity::warning,
           cat("the identified robot predicts torques that were not fitted worse (", percent(found.validation.relative_error), " off) than the file does (",
               percent(found.before.relative_error), "): check the columns and their order"));
}

void judge_noise(double bias, double part, const Identification& found, const IdentifyOptions& options, std::vector<Finding>& findings) {
  constexpr double kMost = 0.2;  // beyond, a bias is not what its first term says
  if (!(bias > 1 || part > kMost)) return;
  findings.push_back(
      {.kind = FindingKind::noise,
       .severity = Severity::warning,
       .text = cat("noise of the positions, through a low-pass of ", rounded(found.cutoff), " Hz, is ", percent(part),
                   " of the accelerations and shifts parameters by up to ", rounded(std::round(10 * bias) / 10),
                   " standard errors: ", part > kMost ? "the stated errors do not cover that; " : "this is corrected, and the errors are widened; ",
                   options.cutoff > 0 ? "leave out --cutoff, or give a lower one" : "log faster motions, more rows a second, or finer positions")});
}

std::vector<Estimate> judge_delay(const Motion& motion, const Model& model, const Regressors& regressors, const Columns& columns, const Condensed::Pass& pass,
                                  std::vector<Finding>& findings) {
  const Motion::Stretch& longest = *std::max_element(motion.stretches().begin(), motion.stretches().end(),
                                                     [](const auto& a, const auto& b) { return a.end_row - a.row < b.end_row - b.row; });
  const std::size_t all = longest.end_row - longest.row, n = regressors.rows();
  const long most = std::min(static_cast<long>(kLongestDelay / motion.step()), static_cast<long>(all / 20));
  if (most < 1 || all < kFewest) return {};
  const std::size_t count = std::min(kShifted, all - 2 * static_cast<std::size_t>(most)), first = longest.row + static_cast<std::size_t>(most);
  // Each row is explained by others only where these are many more than the columns.
  std::size_t most_columns = 0;
  for (std::size_t k = 0; k < n; ++k) most_columns = std::max(most_columns, columns.entering(k).size());
  const double cutoff = std::max(motion.cutoff(), 2 * static_cast<double>(most_columns) / (static_cast<double>(count) * motion.step()));
  const auto left_at = [&](long shift) {
    std::vector<Finding> ignored;
    Condensed data(regressors, columns);
    data.add(Motion(shifted(motion, first, count, shift), model, cutoff, ignored), pass);
    std::vector<double> out;
    for (std::size_t k = 0; k < n; ++k) out.push_back(pass.without[k] != 0 ? std::numeric_limits<double>::quiet_NaN() : data.unexplained(k));
    return out;
  };
  // Downhill from no shift, every joint for itself, in steps that double and then halve. A delay of 20 first steps that explains a fifth of what is left shows
  // itself by 2 % of it at the first one.
  struct Best {
    long shift = 0;
    double left = 0, at_zero = 0;
  };
  std::vector<Best> best(n);
  const std::vector<double> zero = left_at(0);
  for (std::size_t k = 0; k < n; ++k) best[k] = {0, zero[k], zero[k]};
  const auto try_shift = [&](long shift) {
    if (std::labs(shift) > most) return false;
    const std::vector<double> left = left_at(shift);
    bool better = false;
    for (std::size_t k = 0; k < n; ++k)
      if (best[k].at_zero > kExact && left[k] < best[k].left - 0.01 * best[k].at_zero) best[k].shift = shift, best[k].left = left[k], better = true;
    return better;
  };
  const bool exact = std::none_of(zero.begin(), zero.end(), [](double left) { return left > kExact; });
  for (const long side : {1L, -1L}) {
    if (exact) break;
    long step = std::max(1L, most / 20);
    bool better = false;
    while (try_shift(side * step)) better = true, step *= 2;
    if (!better) continue;
    for (step /= 2; step > 0; step /= 2) {
      std::vector<long> tried;
      for (std::size_t k = 0; k < n; ++k)
        for (const long next : {best[k].shift - step, best[k].shift + step})
          if (best[k].shift != 0 && std::find(tried.begin(), tried.end(), next) == tried.end()) tried.push_back(next), try_shift(next);
    }
  }
  Report report(model, pass.gains, findings);
  report.log = motion.log().name();
  for (std::size_t k = 0; k < n; ++k) {
    if (best[k].left > kExplains * best[k].at_zero || best[k].shift == 0 || std::labs(best[k].shift) == most)
      continue;  // at the end of the range it is no minimum
    const double late = static_cast<double>(best[k].shift) * motion.step();
    report(FindingKind::delayed, Severity::warning, k,
           cat("its torque comes about ", rounded(std::fabs(late)), " s (", std::labs(best[k].shift), " rows) ", late > 0 ? "later" : "earlier",
               " than the motion: shifted by that, the motion leaves ", percent(best[k].left), " of it unexplained, not ", percent(best[k].at_zero),
               "; shift the column in the log"));
  }
  // The parabola through what is left one row before and behind.
  std::vector<Estimate> out;
  std::map<long, std::vector<double>> tried;
  const auto left_of = [&](std::size_t k, long shift) {
    const auto [at, is_new] = tried.try_emplace(shift);
    if (is_new) at->second = left_at(shift);
    return at->second[k];
  };
  constexpr double kFarthest = 20;  // rows, where a parabola ends to be one
  const double independent = 2 * cutoff * motion.step() * static_cast<double>(count);
  for (std::size_t k = 0; k < n; ++k) {
    const long middle = best[k].left > kExplains * best[k].at_zero || std::labs(best[k].shift) == most ? 0 : best[k].shift;
    const double low = left_of(k, middle - 1), at = left_of(k, middle), high = left_of(k, middle + 1), bend = low - 2 * at + high;
    const bool known = bend > 0 && pass.without[k] == 0 && std::fabs(0.5 * (low - high)) < kFarthest * bend;
    const double rows = known ? static_cast<double>(middle) + 0.5 * (low - high) / bend : 0;
    out.push_back({report.joint(k), "s", rows * motion.step(),
                   known ? motion.step() * std::sqrt(2 * at / (bend * independent)) : std::numeric_limits<double>::infinity(), 0});
  }
  return out;
}

void judge_masses(const Identification& found, const Model& given, const std::vector<char>& without, std::vector<Finding>& findings) {
  const Report report(found.model, {}, findings);
  std::vector<std::string> left_out;
  for (std::size_t k = 0; k < without.size(); ++k)
    if (without[k] != 0) left_out.push_back(found.model.driven_names()[k]);
  for (std::size_t k = 0; k < found.parameters.size(); k += kBodyParameters) {
    const Parameter& mass = found.structure.parameters[k];
    if (!(found.parameters[k] > kHeavy * given.mass())) continue;
    const auto in = [&](const std::vector<std::size_t>& list) { return std::find(list.begin(), list.end(), k) != list.end(); };
    std::string why = "the logs determine it so: the torques are larger than the model's masses make them; check their units, gains and channels";
    for (const Estimate& one : found.base)
      if (one.name == mass.name && !(one.sigma < 0.3 * std::fabs(one.value)))
        why = cat("its standard error is ", rounded(one.sigma), " kg: the motion hardly determines it");
    if (in(found.structure.no_effect) || in(found.structure.only_in_sums))
      why = "joint torques determine only sums that it is part of, and these demand it: check units, gains and channels of the torques";
    if (!left_out.empty()) why += cat("; the torques of ", joined(left_out), " were left out");
    report(FindingKind::heavy, Severity::warning,
           cat("link ", in_quotes(mass.name.substr(2)), " has ", rounded(found.parameters[k]), " kg, more than ", kHeavy, " times the ", rounded(given.mass()),
               " kg of the whole robot in the file: ", why));
  }
}

}  // namespace ulna::internal
