#include "identify/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "identify/prediction.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kCompared = 4000;  // samples
constexpr double kUncorrelated = 0.9;    // unexplained part of a torque: this and more is what noise leaves
constexpr double kPoor = 0.5;            // unexplained part from which on it is told
/// Variance of the model's torque over that of the measured one: below it, noise may hide what the motion explains, as that of a slide that carries a weight.
constexpr double kHidden = 0.15;
constexpr double kVisible = 1e-4;       // of the robot's largest torque: a torque that changes by less may be rounded to a constant
constexpr double kReversed = -0.7;      // correlation
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

std::string column_of(const Model& model, const IdentifyOptions& options, std::size_t k) {
  return cat(options.gains.empty() ? "tau." : "i.", model.coordinate_names()[k]);
}
std::string cure(const std::string& joint) {
  return cat("correct the log, or leave the torque of this joint out: --without ", joint, " (IdentifyOptions::without, without= in Python)");
}

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

}  // namespace

Compared compare_with(const Motion& motion, const Regressors& regressors, const Columns& columns, const std::vector<double>& values) {
  const std::size_t n = regressors.plan().nv, pieces = 8, length = std::min(kCompared / pieces, std::max<std::size_t>(1, motion.size() / pieces));
  Compared out{std::vector<double>(n, HUGE_VAL), std::vector<double>(n, -HUGE_VAL), std::vector<double>(n, 0), std::vector<double>(n, 0)};
  std::vector<double> tau, sums(n * 5, 0);  // of m, p, m², p², m p
  std::vector<double> count(n, 0);
  Samples samples;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = motion.size() * piece / pieces, last = std::min(first + length, motion.stretch_of(first).last);
    if (first >= last) continue;
    motion.read(first, last, samples);
    torques(regressors, columns, values, {}, samples, tau);
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
  const std::string& log = motion.log().name();
  double largest = 0;
  for (std::size_t k = 0; k < without.size(); ++k) largest = std::max({largest, std::fabs(compared.low[k]), std::fabs(compared.high[k])});
  for (std::size_t k = 0; k < without.size(); ++k) {
    if (without[k] != 0) continue;
    const TorqueChannel& channel = motion.torque(k);
    const std::string joint = model.coordinate_names()[k], column = column_of(model, options, k),
                      who = cat("joint ", in_quotes(joint), ", column ", in_quotes(column));
    if (channel.constant && compared.high[k] - compared.low[k] > kVisible * largest) {
      findings.push_back({FindingKind::constant, channel.still ? Severity::warning : Severity::error, log, joint, column, 1,
                          cat(who, ": it is ", rounded(channel.low), " in all ", motion.log().rows(), " rows, where the model's torque goes from ",
                              rounded(compared.low[k]), " to ", rounded(compared.high[k]), ": the channel is dead; ",
                              channel.still ? "the joint stands still, and its torque is left out" : cure(joint))});
      if (channel.still) without[k] = 1;
    } else if (channel.frozen > 0 && channel.levels >= kManyLevels) {
      findings.push_back(
          {FindingKind::constant, Severity::error, log, joint, column, channel.frozen_row,
           cat(who, ": it stays at ", rounded(channel.frozen_at), " in rows ", channel.frozen_row, " to ", channel.frozen_row + channel.frozen - 1,
               " while the joint moves: the channel is dead there; cut these rows from the log, or leave the torque of this joint out: --without ", joint,
               " (IdentifyOptions::without, without= in Python)")});
    } else if (options.gains.empty() && compared.correlation[k] < kReversed) {
      findings.push_back(
          {FindingKind::reversed, Severity::warning, log, joint, column, 0,
           cat(who, ": it has the sign opposite to the model's torque (correlation ", rounded(compared.correlation[k]),
               "): logs have the torque that acts on the link behind the joint, positive along the joint's axis; check the sign of the column")});
    }
  }
}

void judge_fit(const std::vector<Motion>& motions, const Condensed& data, const std::vector<double>& visible, const Model& model,
               const IdentifyOptions& options, std::vector<char>& without, std::vector<Finding>& findings) {
  for (std::size_t k = 0; k < without.size(); ++k) {
    if (without[k] != 0) continue;
    const std::string joint = model.coordinate_names()[k], column = column_of(model, options, k),
                      who = cat("joint ", in_quotes(joint), ", column ", in_quotes(column));
    bool still = true;
    std::size_t levels = 0;
    for (const Motion& motion : motions) still = still && motion.torque(k).still, levels = std::max(levels, motion.torque(k).levels);
    const double left = data.unexplained(k);
    const std::string explained = cat("the motion explains ", percent(std::max(0.0, 1 - left)), " of it");
    if (still)
      findings.push_back({FindingKind::still,
                          Severity::warning,
                          {},
                          joint,
                          cat("q.", joint),
                          0,
                          cat("joint ", in_quotes(joint), ", column ", in_quotes(cat("q.", joint)),
                              ": it does not move: its friction, and what only its motion reveals, is not determined by these logs")});
    const bool few = levels > 1 && levels <= kFewLevels && left > kOfFewLevels;
    if ((left > kUncorrelated && (visible[k] > kHidden || still)) || few) {
      if (still) without[k] = 1;
      findings.push_back({few ? FindingKind::quantised : FindingKind::uncorrelated,
                          still ? Severity::warning : Severity::error,
                          {},
                          joint,
                          column,
                          0,
                          cat(who, few ? cat(": it has ", levels, " values only, and ") : ": ", explained, few ? "" : ": it has nothing to do with the motion",
                              "; ", still ? "the joint stands still, and its torque is left out" : cure(joint))});
    } else if (left > kPoor) {
      findings.push_back(
          {FindingKind::unexplained,
           Severity::warning,
           {},
           joint,
           column,
           0,
           cat(who, ": ", explained, "; the rest is noise, friction of another kind (--friction auto), or a channel that is not this joint's torque")});
    } else if (levels > 1 && levels < kManyLevels && left > 0.25 / static_cast<double>(levels * levels)) {  // a quarter of the error of rounding
      findings.push_back(
          {FindingKind::quantised, Severity::warning, {}, joint, column, 0, cat(who, ": it has ", levels, " values only: it is rounded coarsely")});
    }
  }
}

void judge_validation(const std::vector<Motion>& motions, const Identification& found, const std::vector<double>& misfit, const IdentifyOptions& options,
                      const std::vector<char>& without, std::vector<Finding>& findings) {
  const Model& model = found.model;
  for (std::size_t k = 0; k < found.validation.by_joint.size(); ++k) {
    if (without[k] != 0) continue;
    const double off = std::min(found.plain.by_joint[k], found.validation.by_joint[k]);
    const std::string joint = model.coordinate_names()[k], column = column_of(model, options, k),
                      who = cat("joint ", in_quotes(joint), ", column ", in_quotes(column), ": torques that were not fitted are missed by ", percent(off));
    // A prediction that has nothing to do with a torque misses it by more than there is of it. So does one of a motion unlike those that were fitted; but a fit
    // to all rows then leaves little.
    if (off > 1 && misfit[k] > kPoor) {
      const bool still = std::all_of(motions.begin(), motions.end(), [&](const Motion& motion) { return motion.torque(k).still; });
      findings.push_back({FindingKind::uncorrelated,
                          still ? Severity::warning : Severity::error,
                          {},
                          joint,
                          column,
                          0,
                          cat(who, ", and those that were fitted by ", percent(misfit[k]), ": this channel, or a position, has nothing to do with the motion; ",
                              cure(joint))});
    } else if (off > std::sqrt(kPoor) && std::none_of(findings.begin(), findings.end(), [&](const Finding& one) { return one.column == column; })) {
      findings.push_back(
          {FindingKind::unexplained,
           Severity::warning,
           {},
           joint,
           column,
           0,
           cat(who,
               ": this is noise, another motion than was fitted, friction of another kind (--friction auto), or a channel that is not this joint's torque")});
    }
  }
  if (found.validation.relative_error > std::max(kPoor * kPoor, found.before.relative_error))
    findings.push_back({FindingKind::unexplained,
                        Severity::warning,
                        {},
                        {},
                        {},
                        0,
                        cat("the identified robot predicts torques that were not fitted worse (", percent(found.validation.relative_error),
                            " off) than the file does (", percent(found.before.relative_error), "): check the columns and their order")});
}

void judge_delay(const Motion& motion, const Model& model, const Regressors& regressors, const Columns& columns, const Condensed::Pass& pass,
                 std::vector<Finding>& findings) {
  const Motion::Stretch& longest = *std::max_element(motion.stretches().begin(), motion.stretches().end(),
                                                     [](const auto& a, const auto& b) { return a.end_row - a.row < b.end_row - b.row; });
  const std::size_t all = longest.end_row - longest.row, n = regressors.plan().nv;
  const long most = std::min(static_cast<long>(kLongestDelay / motion.step()), static_cast<long>(all / 20));
  if (most < 1 || all < kFewest) return;
  const std::size_t count = std::min(kShifted, all - 2 * static_cast<std::size_t>(most)), first = longest.row + static_cast<std::size_t>(most);
  const auto left_at = [&](long shift) {
    std::vector<Finding> ignored;
    Condensed data(regressors, columns);
    data.add(Motion(shifted(motion, first, count, shift), model, motion.cutoff(), ignored), pass);
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
  if (std::none_of(zero.begin(), zero.end(), [](double left) { return left > kExact; })) return;
  for (const long side : {1L, -1L}) {
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
  for (std::size_t k = 0; k < n; ++k) {
    if (best[k].left > kExplains * best[k].at_zero || best[k].shift == 0 || std::labs(best[k].shift) == most)
      continue;  // at the end of the range it is no minimum
    const std::string joint = model.coordinate_names()[k], column = cat(pass.gains.empty() ? "tau." : "i.", joint);
    const double late = static_cast<double>(best[k].shift) * motion.step();
    findings.push_back({FindingKind::delayed, Severity::warning, motion.log().name(), joint, column, 0,
                        cat("joint ", in_quotes(joint), ", column ", in_quotes(column), ": its torque comes about ", rounded(std::fabs(late)), " s (",
                            std::labs(best[k].shift), " rows) ", late > 0 ? "later" : "earlier", " than the motion: shifted by that, the motion leaves ",
                            percent(best[k].left), " of it unexplained, not ", percent(best[k].at_zero), "; shift the column in the log")});
  }
}

void judge_masses(const Identification& found, const Model& given, const std::vector<char>& without, std::vector<Finding>& findings) {
  std::vector<std::string> left_out;
  for (std::size_t k = 0; k < without.size(); ++k)
    if (without[k] != 0) left_out.push_back(found.model.coordinate_names()[k]);
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
    findings.push_back({FindingKind::heavy,
                        Severity::warning,
                        {},
                        {},
                        {},
                        0,
                        cat("link ", in_quotes(mass.name.substr(2)), " has ", rounded(found.parameters[k]), " kg, more than ", kHeavy, " times the ",
                            rounded(given.mass()), " kg of the whole robot in the file: ", why)});
  }
}

}  // namespace ulna::internal
