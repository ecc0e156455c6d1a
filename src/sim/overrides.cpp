#include <ulna/sim/simulate.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/model/model.hpp>

#include "model/unit_quaternion.hpp"
#include "sim/number_table.hpp"
#include "sim/system.hpp"
#include "source/source_text.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

namespace {

/// Replaces one number. Empty when it could; else why not.
std::string replace(Scenario& s, const std::string& name, double value) {
  const std::size_t point = name.find('.');
  const std::string head = name.substr(0, point), tail = point == std::string::npos ? std::string() : name.substr(point + 1);
  if (head == "q" || head == "v" || head == "tau") {
    const std::vector<std::string> joints = head == "q" ? s.model.position_names() : head == "v" ? s.model.velocity_names() : s.model.effort_names();
    const auto found = std::find(joints.begin(), joints.end(), tail);
    if (found == joints.end()) return cat("robot ", in_quotes(s.model.name()), " has no free joint ", in_quotes(tail), did_you_mean(tail, joints));
    if (head == "tau" && s.law.kind != LawKind::constant) return "torques can be replaced where the law is constant only";
    if (head == "tau" && s.law.tau.size() < s.model.nv()) s.law.tau.insert(s.law.tau.begin(), s.model.nv() - s.law.tau.size(), 0.0);  // of the joints alone
    (head == "q" ? s.q : head == "v" ? s.v : s.law.tau)[static_cast<std::size_t>(found - joints.begin())] = value;
    return {};
  }
  if (name == "duration") return s.duration = value, std::string();
  if (name == "step") return s.integrator.step = value, std::string();
  if (name == "tolerance") return s.integrator.tolerance = value, std::string();
  if (name == "kp" || name == "kd" || name == "ki") {
    std::vector<double>& gains = name == "kp" ? s.law.kp : name == "kd" ? s.law.kd : s.law.ki;
    if (gains.empty()) return cat("the law ", to_string(s.law.kind), " has no ", name);
    std::fill(gains.begin(), gains.end(), value);
    return {};
  }
  if (name == "payload.mass") {
    if (s.payloads.empty()) return "the scenario has no payload";
    s.payloads.front().mass = value;
    return {};
  }
  if (head == "law") {
    const bool models = s.law.kind == LawKind::computed_torque || s.law.kind == LawKind::feedforward;
    if (models && tail == "coriolis") return s.law.coriolis = value, std::string();
    if (models && tail == "inertia") return s.law.inertia = value, std::string();
    if (tail == "payload.mass" && s.law.payload) return s.law.payload->body.mass = value, std::string();
    return cat("the law ", to_string(s.law.kind), " has nothing of this name",
               tail == "payload.mass" ? "; add its payload, 'payload: {link: ..., mass: ...}'" : "");
  }
  if (head == "gravity" && (tail == "x" || tail == "y" || tail == "z")) {
    Vec3<double> g = s.model.gravity();
    (tail == "x" ? g.x : tail == "y" ? g.y : g.z) = value;
    s.model = with_gravity(s.model, g);
    return {};
  }
  std::vector<std::string> known{"duration",     "step",        "tolerance",        "kp",        "kd",        "ki",       "payload.mass",
                                 "law.coriolis", "law.inertia", "law.payload.mass", "gravity.x", "gravity.y", "gravity.z"};
  for (const std::string& joint : s.model.position_names()) known.push_back("q." + joint);
  for (const std::string& joint : s.model.velocity_names()) known.push_back("v." + joint);
  for (const std::string& joint : s.model.effort_names()) known.push_back("tau." + joint);
  const std::string hint = did_you_mean(name, known);
  return cat("a scenario has nothing of this name", hint.empty() ? "; columns are q.JOINT, v.JOINT, tau.JOINT, duration, step, tolerance, kp, kd, ki, "
                                                                   "payload.mass, law.coriolis, law.inertia, law.payload.mass, gravity.x"
                                                                 : hint);
}

std::optional<Overrides> checked(NumberTable table, const Scenario& scenario, Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) return {};
  Scenario scratch = scenario;
  for (const std::string& name : table.names) {
    if (too_many_problems(1, diagnostics)) break;
    if (const std::string reason = replace(scratch, name, 1); !reason.empty())
      diagnostics.error(1, Element::column(name), reason, "correct or remove the column");
  }
  if (diagnostics.has_errors()) return {};
  // A run that cannot begin is bad input, not one that diverged.
  for (std::size_t k = 0; k < table.rows.size() && !too_many_problems(table.lines[k], diagnostics); ++k) try {
      Scenario changed = with_overrides(scenario, table.names, table.rows[k]);
      check(changed);
      if (const double off = std::abs(normalize(changed.model, changed.q) - 1); off > kDirectionRounding)
        diagnostics.warning(table.lines[k], cat("row ", k + 1), quaternion_normalised(off), "write more digits");
    } catch (const std::invalid_argument& problem) {
      diagnostics.error(table.lines[k], cat("row ", k + 1), problem.what(), "correct or remove the row");
    }
  if (diagnostics.has_errors()) return {};
  return Overrides{std::move(table.names), std::move(table.rows), std::move(table.lines)};
}

}  // namespace

std::optional<Overrides> parse_overrides(std::string_view text, const Scenario& scenario, Diagnostics& diagnostics) {
  return checked(read_number_table(text, diagnostics), scenario, diagnostics);
}
std::optional<Overrides> load_overrides(const std::string& path, const Scenario& scenario, Diagnostics& diagnostics, const ReadLimits& limits) {
  return checked(load_number_table(path, diagnostics, limits), scenario, diagnostics);
}

Scenario with_overrides(const Scenario& scenario, const std::vector<std::string>& names, const std::vector<double>& values) {
  if (names.size() != values.size()) throw std::invalid_argument(cat("there are ", names.size(), " names, but ", values.size(), " values"));
  Scenario changed = scenario;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string reason = replace(changed, names[i], values[i]); !reason.empty()) throw std::invalid_argument(cat(in_quotes(names[i]), ": ", reason));
  return changed;
}

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  Spread s{values.front(), 0, values.front(), 0};
  for (const double x : values) {
    s.least = std::min(s.least, x);
    s.most = std::max(s.most, x);
    s.mean += x / static_cast<double>(values.size());
  }
  for (const double x : values) s.deviation += (x - s.mean) * (x - s.mean);
  s.deviation = values.size() > 1 ? std::sqrt(s.deviation / static_cast<double>(values.size() - 1)) : 0;
  return s;
}

}  // namespace ULNA_API
}  // namespace ulna
