#include "identify/motion.hpp"

#include <array>
#include <numbers>

#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::string_view to_string(FindingKind kind) {
  constexpr std::string_view kNames[] = {"time",      "gap",          "repeated",    "cutoff",   "units",   "still",        "constant", "clipped",
                                         "quantised", "uncorrelated", "unexplained", "reversed", "delayed", "undetermined", "noise",    "heavy"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_string(const Finding& finding) { return finding.log.empty() ? finding.text : cat(finding.log, ": ", finding.text); }

namespace {

std::string errors_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings)
    if (one.severity == Severity::error) text += cat(text.empty() ? "" : "\n", to_string(one));
  return text;
}

}  // namespace

UnusableLog::UnusableLog(std::vector<Finding> findings) : std::invalid_argument(errors_of(findings)), findings_(std::move(findings)) {}

}  // namespace ULNA_API

namespace ulna::internal {

namespace {

constexpr double kStill = 1e-3;    // a joint that moves less counts as still, for any encoder noise [rad, m]
constexpr double kLargest = 1e12;  // no joint has such a position, rate or torque; squares of 1e155 are infinite
constexpr double kDegrees = 180 / std::numbers::pi;
constexpr std::size_t kFewClipped = 10;  // rows that may have the largest value by chance
/// Of a quantised wave, the outermost value has up to 2.4 times the rows of the next one: it stays longest at its extrema.
constexpr std::size_t kDwell = 4;
constexpr std::size_t kFewFrozen = 20;   // rows in which the torque of a joint that moves may have one value
constexpr std::size_t kFrozenPart = 50;  // a fiftieth of all rows, likewise

/// The two outermost values on one side, and their rows.
struct Outermost {
  double value = -HUGE_VAL, next = -HUGE_VAL;
  std::size_t rows = 0, next_rows = 0, first = 0;

  void see(double x, std::size_t row) {
    if (x > value)
      next = value, next_rows = rows, value = x, rows = 1, first = row;
    else if (x == value)
      ++rows;
    else if (x > next)
      next = x, next_rows = 1;
    else if (x == next)
      ++next_rows;
  }
};

struct Column {
  double low = HUGE_VAL, high = -HUGE_VAL, damaged = 0;
  std::size_t damaged_row = 0;  // the first one, from 1
  void see(double x, std::size_t row) {
    low = std::min(low, x), high = std::max(high, x);
    if (std::fabs(x) > kLargest && damaged_row == 0) damaged = x, damaged_row = row + 1;
  }
  double range() const { return high - low; }
  bool constant() const { return range() <= 1e-12 * std::max(std::fabs(low), std::fabs(high)); }
};

struct Seen {
  std::array<Column, 4> part;                                   // q, v, a, tau
  double vd = 0, dd = 0;                                        // of v and the differences of q: products
  std::array<Outermost, 2> side;                                // of tau, and of -tau, in rows where the robot moves
  std::vector<double> levels;                                   // of tau
  std::size_t run = 0, longest = 0, next = 0, longest_end = 0;  // rows in which tau stays and q changes: of this run, the longest and the next one
  double held = 0;                                              // in the longest one
  std::size_t beyond = 0, first_beyond = 0;                     // rows at the effort limit
};

}  // namespace

void refuse_errors(const std::vector<Finding>& findings) {
  for (const Finding& one : findings)
    if (one.severity == Severity::error) throw UnusableLog(findings);
}

std::vector<TorqueChannel> check_channels(const Log& log, const Model& model, std::vector<Finding>& findings) {
  const std::size_t n = log.nv(), width = 1 + 4 * n;
  const Log::Columns columns = log.columns();
  const std::vector<std::string> names = model.driven_names();
  const std::vector<std::size_t> driven = model.driven();
  std::vector<Seen> seen(n);
  std::vector<double> before(width, 0);
  std::size_t repeats = 0, first_repeat = 0, moving = 0;
  bool repeated = false;
  each_row(log, [&](std::size_t row, const double* x) {
    const bool same = row > 0 && std::equal(x + 1, x + width, before.data() + 1), moves = row > 0 && !std::equal(x + 1, x + 1 + n, before.data() + 1);
    if (same && !repeated && repeats++ == 0) first_repeat = row + 1;  // each run of them once: a robot at rest repeats its row, too
    repeated = same;
    moving += moves ? 1 : 0;
    for (std::size_t k = 0; k < n; ++k) {
      Seen& s = seen[k];
      for (std::size_t p = 0; p < 4; ++p) s.part[p].see(x[1 + p * n + k], row);
      const double tau = x[1 + 3 * n + k], limit = model.joints()[driven[k]].effort;
      const bool frozen = row > 0 && tau == before[1 + 3 * n + k] && x[1 + k] != before[1 + k];
      if (!frozen && s.run > 0 && s.longest_end != row) s.next = std::max(s.next, s.run);
      s.run = frozen ? s.run + 1 : 0;
      if (s.run > s.longest) {
        if (s.longest_end != row) s.next = s.longest;
        s.longest = s.run, s.longest_end = row + 1, s.held = tau;
      }
      if (moves) s.side[0].see(tau, row + 1), s.side[1].see(-tau, row + 1);
      if (s.levels.size() < kManyLevels && std::find(s.levels.begin(), s.levels.end(), tau) == s.levels.end()) s.levels.push_back(tau);
      if (std::isfinite(limit) && limit > 0 && std::fabs(tau) >= 0.999 * limit && s.beyond++ == 0) s.first_beyond = row + 1;
      if (row > 0 && columns.v) {
        const double d = (x[1 + k] - before[1 + k]) / (x[0] - before[0]);
        s.vd += x[1 + n + k] * d, s.dd += d * d;
      }
    }
    std::copy(x, x + width, before.begin());
  });
  if (repeats > log.rows() / 10)
    findings.push_back({.kind = FindingKind::repeated,
                        .severity = Severity::warning,
                        .log = log.name(),
                        .row = first_repeat,
                        .text = cat("rows repeat the row before ", repeats, " times, the first is row ", first_repeat,
                                    ": the log was written faster than the sensors were read; keep one row of each reading")});

  std::vector<TorqueChannel> out(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Joint& joint = model.joints()[driven[k]];
    const Seen& s = seen[k];
    const Column &q = s.part[0], &v = s.part[1], &a = s.part[2], &tau = s.part[3];
    const auto find = [&](FindingKind kind, Severity severity, const char* part, std::size_t row, const std::string& text) {
      findings.push_back({kind, severity, log.name(), names[k], *part == 0 ? "" : cat(part, ".", names[k]), row,
                          cat("joint ", in_quotes(names[k]), *part == 0 ? "" : cat(", column ", in_quotes(cat(part, ".", names[k]))), text)});
    };
    for (std::size_t p = 0; p < 4; ++p)
      if (const Column& part = s.part[p]; part.damaged_row > 0)
        find(FindingKind::units, Severity::error, std::array{"q", "v", "a", "tau"}[p], part.damaged_row,
             cat(": it is ", rounded(part.damaged), " in row ", part.damaged_row, ", which no joint has: the number is damaged; leave the row out"));
    const bool revolute = joint.type != JointType::prismatic,
               limited = revolute && joint.type != JointType::continuous && std::isfinite(joint.lower) && std::isfinite(joint.upper);
    const double farthest = std::max(std::fabs(q.low), std::fabs(q.high));
    const double reach = limited ? std::max(std::fabs(joint.lower), std::fabs(joint.upper)) : 4 * std::numbers::pi;
    TorqueChannel& channel = out[k];
    channel.low = tau.low, channel.high = tau.high, channel.constant = tau.constant(), channel.levels = s.levels.size();
    channel.still = q.range() < kStill;
    if (channel.still && columns.v && v.range() > 0.1)
      find(FindingKind::constant, Severity::error, "q", 0,
           cat(": it stays at ", rounded(q.low), " in all rows, but the velocity goes from ", rounded(v.low), " to ", rounded(v.high),
               ": the position was not logged; correct the log"));
    const double slope = s.dd > 0 ? s.vd / s.dd : 1;
    if (columns.v && v.constant() && q.range() > 0.01 && slope < 0.2)
      find(FindingKind::constant, Severity::error, "v", 0,
           cat(": it is ", rounded(v.low), " in all rows, but the position goes from ", rounded(q.low), " to ", rounded(q.high),
               ": the velocity was not logged; leave all columns of v out, or correct it"));
    else if (columns.v && s.dd > 0 && (slope > 5 || slope < 0.2)) {
      const bool degrees = std::fabs(slope / kDegrees - 1) < 0.05 || (std::fabs(slope * kDegrees - 1) < 0.05 && q.range() > 10);
      find(FindingKind::units, degrees && revolute ? Severity::error : Severity::warning, "v", 0,
           cat(": the velocity is ", rounded(slope),
               " times the change of its position: ", degrees && revolute ? "one of them is in degrees; logs are in radians" : "check its units"));
    }
    if (columns.a && columns.v && a.constant() && v.range() > 0.1)
      find(FindingKind::constant, Severity::error, "a", 0,
           cat(": it is ", rounded(a.low), " in all rows, but the velocity goes from ", rounded(v.low), " to ", rounded(v.high),
               ": the acceleration was not logged; leave all columns of a out, or correct it"));
    if (revolute && farthest > 3 * std::max(reach, std::numbers::pi))
      find(FindingKind::units, limited ? Severity::error : Severity::warning, "q", 0,
           cat(" is at up to ", rounded(farthest), ", beyond its ", rounded(reach), " rad: are these degrees? Logs are in radians",
               limited ? "; correct the log, or the limits of the joint in the model" : ""));
    if (!columns.tau || channel.constant) continue;
    for (const std::size_t side : {0u, 1u}) {
      const Outermost& end = s.side[side];
      if (s.levels.size() <= kFewLevels) continue;  // all of its values are outermost ones
      if (end.rows <= std::max(kFewClipped, log.rows() / 200) || end.rows <= kDwell * end.next_rows || std::fabs(end.value) < 1e-3 * tau.range()) continue;
      (side == 0 ? channel.clip_high : channel.clip_low) = side == 0 ? end.value : -end.value;
      channel.clipped_row = channel.clipped == 0 ? end.first : std::min(channel.clipped_row, end.first);
      channel.clipped += end.rows;
    }
    if (s.longest > std::max(kFewFrozen, log.rows() / kFrozenPart) && s.longest > kDwell * s.next && s.held != channel.clip_low && s.held != channel.clip_high)
      channel.frozen = s.longest + 1, channel.frozen_row = s.longest_end - s.longest, channel.frozen_at = s.held;
    if (channel.clipped == 0 && s.beyond > 0)
      find(FindingKind::clipped, Severity::note, "tau", s.first_beyond,
           cat(" reaches its effort limit in ", s.beyond, " rows, the first is row ", s.first_beyond, ": its drive may be saturated there"));
    if (channel.clipped > 0)
      find(FindingKind::clipped, 2 * channel.clipped > moving ? Severity::error : Severity::warning, "tau", channel.clipped_row,
           cat(": it has its ", channel.clip_high < HUGE_VAL ? cat("largest value, ", rounded(channel.clip_high)) : "",
               channel.clip_high < HUGE_VAL && channel.clip_low > -HUGE_VAL ? ", or its " : "",
               channel.clip_low > -HUGE_VAL ? cat("least value, ", rounded(channel.clip_low)) : "", ", in ", channel.clipped, " rows, the first is row ",
               channel.clipped_row, ": its drive or its sensor is saturated there; ",
               2 * channel.clipped > moving ? "most of the log is of no use: move with smaller torques, or leave the torque of this joint out"
                                            : "these rows are left out"));
  }
  return out;
}

}  // namespace ulna::internal
