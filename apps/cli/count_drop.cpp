#include <charconv>

#include "command.hpp"
#include "count.hpp"
#include "model_options.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

/// "1%", "0.5 %" or "0.01" to a share.
double parse_share(const std::string& text) {
  const std::string takes = "; it takes a percentage from 0% to 100% (1%, 0.5%) or a fraction below 1 (0.01)";
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(value))
    throw UsageError(cat("option --drop: ", in_quotes(text), " is no percentage", takes));
  if (percent && value >= 0 && value <= 100) return value / 100;
  if (!percent && value >= 1 && value <= 100) throw UsageError(cat("option --drop: is ", in_quotes(text), " meant as ", text, "%?", takes));
  if (!percent && value >= 0 && value < 1) return value;
  throw UsageError(cat("option --drop: ", in_quotes(text), " is out of range", takes));
}

/// What one joint's state is drawn from.
struct Range {
  std::string joint;
  double low = 0, high = 0, speed = 0, acceleration = 0;
  bool position_assumed = false, speed_assumed = false;
  bool slides = false;
};

std::vector<Range> ranges_of(const Model& model, double acceleration) {
  constexpr double kTurn = std::numbers::pi, kStroke = 1;  // rad, m
  constexpr double kTurningSpeed = 3, kSlidingSpeed = 1;   // rad/s, m/s
  std::vector<Range> ranges;
  for (const std::size_t j : model.driven()) {
    const Joint& joint = model.joints()[j];
    Range r;
    r.joint = joint.name;
    r.slides = joint.type == JointType::prismatic;
    const double reach = r.slides ? kStroke : kTurn;
    const bool low = std::isfinite(joint.lower), high = std::isfinite(joint.upper);
    r.position_assumed = !low || !high;
    r.low = low ? joint.lower : high ? joint.upper - 2 * reach : -reach;
    r.high = high ? joint.upper : low ? joint.lower + 2 * reach : reach;
    r.speed_assumed = !(std::isfinite(joint.velocity) && joint.velocity > 0);
    r.speed = !r.speed_assumed ? joint.velocity : r.slides ? kSlidingSpeed : kTurningSpeed;
    r.acceleration = acceleration;
    ranges.push_back(std::move(r));
  }
  return ranges;
}

/// States within the ranges, alternately all uniform, and with every velocity and acceleration at one of its ends, where torques are largest.
class StatesWithin {
 public:
  StatesWithin(const std::vector<Range>& ranges, const Model& model) : ranges_(ranges), order_(model.order().independent) {
    if (model.closed()) loops_.emplace(Mechanism::of(model));
  }

  void operator()(std::span<double> x) {
    const std::size_t n = ranges_.size(), positions = x.size() - 2 * n;
    const bool extreme = odd_;
    odd_ = !odd_;
    for (std::size_t i = 0; i < n; ++i) {
      const Range& r = ranges_[i];
      const auto rate = [&](double most) { return extreme ? (uniform() < 0.5 ? -most : most) : most * (2 * uniform() - 1); };
      x[order_[i]] = r.low + (r.high - r.low) * uniform();
      x[positions + i] = rate(r.speed);
      x[positions + n + i] = rate(r.acceleration);
    }
    if (loops_) close(x.subspan(0, positions));
  }

 private:
  /// Dependent positions on the reference's circuit; other independent ones where they cannot be closed, and the reference after many.
  void close(std::span<double> q) {
    constexpr int kMostTrials = 100;
    constexpr double kNearSingular = 0.02;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      const Closure closure = loops_->assemble({q.data(), q.size()});
      if (closure.closed && !closure.crossed && closure.singularity > kNearSingular) return;
      for (std::size_t i = 0; i < ranges_.size(); ++i) q[order_[i]] = ranges_[i].low + (ranges_[i].high - ranges_[i].low) * uniform();
    }
    std::copy(loops_->reference().begin(), loops_->reference().end(), q.begin());
  }
  /// splitmix64 (Steele, Lea & Flood 2014): the same states on every machine.
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<double>(z >> 11) * 0x1p-53;
  }
  std::vector<Range> ranges_;
  std::vector<std::size_t> order_;  // where their positions stand in q
  std::optional<Mechanism> loops_;
  std::uint64_t state_ = 1;
  bool odd_ = false;
};

/// In a program link by link, quantities of link k on the way out depend on joints up to k, forces of link k on the way in reach torques up to k. Joints are
/// in depth-first order, so this holds for trees, too. kNone: before the first joint.
std::size_t joint_of(const DroppedTerm& term) { return std::min(term.last_input + 1, term.last_output + 1) - 1; }

std::string share_percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share != 0 && share < 1e-5 ? "%.1e %%" : "%.4f %%", 100 * share);
  return text;
}

struct Report {
  std::string robot;
  bool closed = false;  // any term may be of any joint
  double share = 0;
  std::size_t samples = 0;
  std::vector<Range> ranges;
  Best best;
  Dropped dropped;
  OperationCounts after;
  double worst_change() const { return dropped.changed.empty() ? 0 : *std::max_element(dropped.changed.begin(), dropped.changed.end()); }
};

std::string where(const Report& report, const DroppedTerm& term) {
  const std::size_t joint = joint_of(term);
  if (report.closed) return "loops";
  return joint == kNone ? "base" : report.ranges[joint].joint;
}

void print_json(const Report& report) {
  JsonOutput json;
  json.line_fields(
      "robot", report.robot, "share", report.share, "samples", report.samples, "before", [&] { write_counts(json, report.best.counts); }, "after",
      [&] { write_counts(json, report.after); });
  json.line().key("saved");
  const OperationCounts& b = report.best.counts;
  write_counts(json, {b.mul - report.after.mul, b.add - report.after.add, b.div - report.after.div, b.sincos - report.after.sincos});
  json.line_fields("within_share", report.worst_change() <= report.share).line().key("joints").begin_array();
  for (std::size_t i = 0; i < report.ranges.size(); ++i) {
    const Range& r = report.ranges[i];
    json.line().object("joint", r.joint, "lower", r.low, "upper", r.high, "position_assumed", r.position_assumed, "velocity", r.speed, "velocity_assumed",
                       r.speed_assumed, "acceleration", r.acceleration, "largest_torque", report.dropped.largest[i], "expected_change",
                       report.dropped.expected[i], "largest_change", report.dropped.changed[i]);
  }
  json.end_array();
  json.list("terms", report.dropped.terms, [&](const DroppedTerm& term) {
    json.object("sum", cat("t", term.sum), "term", formula(report.best.program, term, 200), "joint", where(report, term), "largest_effect", term.worst, "on",
                report.ranges[term.output].joint);
  });
  json.end();
}

void print_text(const Report& report) {
  const OperationCounts &b = report.best.counts, &a = report.after;
  const std::size_t terms = report.dropped.terms.size();
  std::string text = cat("Best program for the inverse dynamics of ", report.robot, ": ", counts_text(b), ".\n");
  if (terms == 0)
    text += cat("No term can go if every torque may change by ", rounded(100 * report.share), " % of its largest.\n");
  else
    text += cat("Without ", terms, terms == 1 ? " term: " : " terms: ", counts_text(a), ". Saved: ", b.mul - a.mul, " mul, ", b.add - a.add,
                " add. In the states they were chosen by, no torque changed by more than ", rounded(100 * report.share), " % of its largest.\n");
  text += cat("\nTerms are chosen by ", report.samples, " states and checked on ", report.samples,
              " others, half of them with all velocities and accelerations at an end of their range.\nSamples are no proof: a rare state may change more.\n\n");
  Table table("lrrrrrr");
  table.row({"joint", "position", "velocity", "acceleration", "largest torque", "expected change", "largest change seen"});
  bool assumed = false;
  for (std::size_t i = 0; i < report.ranges.size(); ++i) {
    const Range& r = report.ranges[i];
    assumed = assumed || r.position_assumed || r.speed_assumed;
    table.row({r.joint, cat(rounded(r.low), " to ", rounded(r.high), r.position_assumed ? " *" : ""), cat("±", rounded(r.speed), r.speed_assumed ? " *" : ""),
               cat("±", rounded(r.acceleration)), cat(rounded(report.dropped.largest[i]), r.slides ? " N" : " N m"), share_percent(report.dropped.expected[i]),
               share_percent(report.dropped.changed[i])});
  }
  text += table.text();
  if (assumed) text += "  * assumed, because the model has no limit there\n";
  if (report.worst_change() > report.share)
    text += cat("On the states for checking, a torque changed by more than allowed: ", share_percent(report.worst_change()),
                ". More --samples find such states.\n");
  if (terms > 0) {
    constexpr std::size_t kMost = 12;
    text += cat("\nTerms, the largest first", terms > kMost ? cat(" (", kMost, " of ", terms, "; --json lists all)") : "", ":\n");
    Table list("llllrl");
    list.row({"sum", "link of", "without the term", "", "effect", "on"});
    for (std::size_t k = 0; k < std::min(kMost, terms); ++k) {
      const DroppedTerm& term = report.dropped.terms[terms - 1 - k];
      list.row({cat("t", term.sum), where(report, term), formula(report.best.program, term), "", share_percent(term.worst), report.ranges[term.output].joint});
    }
    text += list.text();
    text += cat("t-numbers are those of 'ulna count ", report.robot, " --program'.\n");
  }
  std::fputs(text.c_str(), stdout);
}

}  // namespace

int count_without_small_terms(const Arguments& arguments) {
  const double share = parse_share(*arguments.value("--drop"));
  const double samples = arguments.number("--samples").value_or(1000);
  if (!(samples >= 1 && samples <= 1e6 && samples == std::floor(samples))) throw UsageError("option --samples takes a whole number from 1 to 1000000");
  const double acceleration = arguments.number("--acceleration").value_or(5);
  if (!(acceleration >= 0 && acceleration <= 1e6)) throw UsageError(cat("option --acceleration takes a number from 0 to 1000000, not ", acceleration));
  const bool rotor = arguments.on_off("--rotor", true);
  SearchOptions options;
  options.snap = snap_of(arguments);
  options.rotor = rotor;
  const Robot robot = load_robot(arguments, rotor);
  require_fixed_base(robot.model, "the search for terms that never matter");
  require_no_balls(robot.model, "the search for terms that never matter");
  if (robot.model.nv() == 0) throw UsageError(cat("robot ", in_quotes(robot.model.name()), " has no joint that moves: there is no term to drop"));

  Report report;
  report.robot = robot.model.name();
  report.closed = robot.model.closed();
  report.share = share;
  report.samples = static_cast<std::size_t>(samples);
  report.ranges = ranges_of(robot.model, acceleration);
  report.best = find_best(robot.model, Quantity::inverse, options);
  report.dropped = drop_insignificant(report.best.program, StatesWithin(report.ranges, robot.model), {.share = share, .samples = report.samples});
  report.after = report.dropped.program.counts();
  arguments.has("--json") ? print_json(report) : print_text(report);
  return kDone;
}

}  // namespace ulna::cli
