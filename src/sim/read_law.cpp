#include <algorithm>
#include <filesystem>

#include "sim/number_table.hpp"
#include "sim/quantities.hpp"
#include "sim/scenario_fields.hpp"
#include "sim/side_law.hpp"
#include "sim/system.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

namespace {

/// Which keys each kind of law takes besides `type` and `saturate`.
std::vector<std::string> keys_of(LawKind kind) {
  switch (kind) {
    case LawKind::constant: return {"tau"};
    case LawKind::table: return {"rows", "file", "interpolate"};
    case LawKind::pd: return {"kp", "kd", "gravity", "payload"};
    case LawKind::pid: return {"kp", "kd", "ki", "gravity", "payload"};
    case LawKind::computed_torque: return {"kp", "kd", "coriolis", "inertia", "payload"};
    case LawKind::feedforward: return {"coriolis", "inertia", "payload"};
    case LawKind::kane_levinson: return {"gains", "target", "first_drive"};
    default: return {};
  }
}

void read_table_rows(const YamlNode& rows, const ReadContext& context, TorqueTable& table) {
  const std::size_t n = context.drives().size();
  if (rows.kind != YamlNode::Kind::sequence) {
    context.diagnostics.error(rows.line, "law rows", cat("a list belongs here, not ", describe(rows)), "write one list [t, torques] a line");
    return;
  }
  for (std::size_t k = 0; k < rows.items.size(); ++k) {
    // Each row is read as a field of a mapping of its own, which is what the readers of lists take.
    YamlNode holder;
    holder.kind = YamlNode::Kind::mapping;
    holder.line = rows.items[k].line;
    holder.entries.push_back({cat("row ", k + 1), rows.items[k].line, rows.items[k]});
    YamlFields row(holder, "law", {cat("row ", k + 1)}, context.diagnostics);
    const std::size_t count = rows.items[k].items.size() == context.model.nv() + 1 ? context.model.nv() : n;
    const std::vector<double> numbers = number_list(row, cat("row ", k + 1), std::vector<double>(count + 1, 0.0), context);
    table.t.push_back(numbers.front());
    table.tau.emplace_back(numbers.begin() + 1, numbers.end());
  }
}

/// Columns t and tau.NAME for every joint, in any order; those of a base that moves are zero where they are not there.
void read_table_file(YamlFields& law, const ReadContext& context, TorqueTable& table) {
  const std::string path = (std::filesystem::path(context.folder) / law.word("file", "")).string();
  Diagnostics problems(path);
  const NumberTable read = load_number_table(path, problems, context.limits);
  if (problems.has_errors()) {
    law.error("file", to_string(problems.all().front()), "give a CSV file with the columns t and tau.NAME");
    return;
  }
  std::vector<std::string> wanted{"t"};
  for (const std::string& name : context.model.effort_names()) wanted.push_back("tau." + name);
  const std::size_t base = base_nv(context.model.base());
  std::vector<std::size_t> column;
  for (const std::string& name : wanted) {
    const auto found = std::find(read.names.begin(), read.names.end(), name);
    const bool driven = column.empty() || column.size() > base;
    if (found == read.names.end() && driven)
      law.error("file", cat(in_quotes(path), " has no column ", in_quotes(name)), "one column for each joint is needed, and t");
    column.push_back(static_cast<std::size_t>(found - read.names.begin()));
  }
  for (const std::string& name : read.names)
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end())
      law.error("file", cat(in_quotes(path), " has a column ", in_quotes(name), " that no joint answers to"), cat("remove it", did_you_mean(name, wanted)));
  if (context.diagnostics.has_errors()) return;
  for (const std::vector<double>& row : read.rows) {
    table.t.push_back(row[column[0]]);
    table.tau.emplace_back();
    for (std::size_t i = 1; i < column.size(); ++i) table.tau.back().push_back(column[i] < row.size() ? row[column[i]] : 0);
  }
}

void read_gains(YamlFields& law, const ReadContext& context, LawSettings& settings) {
  const auto gain = [&](const char* key) {
    law.require(key);
    std::vector<double> values = joint_values(law, key, 0, context);
    if (std::any_of(values.begin(), values.end(), [](double x) { return x < 0; }))
      law.error(key, "a gain is negative", "a negative gain drives the joint away; write it positive");
    return values;
  };
  settings.kp = gain("kp");
  settings.kd = gain("kd");
  if (settings.kind == LawKind::pid) settings.ki = gain("ki");
  settings.gravity = yes_no(law, "gravity", true);
}

/// The law's model of the dynamics: shares of torques, as yes, no or a number, and a payload.
void read_belief(YamlFields& law, const ReadContext& context, LawSettings& settings) {
  for (const auto& [key, share] : {std::pair{"coriolis", &settings.coriolis}, std::pair{"inertia", &settings.inertia}}) {
    if (!law.has(key)) continue;
    const std::string text = law.word(key, "");
    const bool number = text.find_first_of("0123456789") != std::string::npos;
    *share = number ? law.not_negative(key, 1) : yes_no(law, key, true);
  }
  const YamlNode* node = mapping(law, "payload", "{link: hand, mass: 2}");
  if (node == nullptr) return;
  YamlFields entry(*node, "law's payload", {"link", "mass", "com", "inertia"}, context.diagnostics);
  settings.payload = BelievedPayload{link_named(entry, "link", context), read_body(entry, context, true)};
}

void read_kane_levinson(YamlFields& law, const ReadContext& context, KaneLevinsonSettings& settings) {
  const std::vector<double> gains = number_list(law, "gains", {settings.gains.begin(), settings.gains.end()}, context);
  const std::vector<double> target = number_list(law, "target", {settings.target.begin(), settings.target.end()}, context);
  std::copy(gains.begin(), gains.end(), settings.gains.begin());
  std::copy(target.begin(), target.end(), settings.target.begin());
  settings.first_drive = yes_no(law, "first_drive", true);
}

}  // namespace

void read_law(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  const YamlNode* node = mapping(top, "law", "{type: pd, kp: 100, kd: 10}");
  if (node == nullptr) return;
  LawSettings& settings = scenario.law;
  // The known keys depend on the type, so it is read before the others.
  for (const YamlNode::Entry& entry : node->entries) {
    const auto found = std::find(law_names().begin(), law_names().end(), entry.value.text);
    if (entry.key == "type" && found != law_names().end()) settings.kind = static_cast<LawKind>(found - law_names().begin());
  }
  std::vector<std::string> known = keys_of(settings.kind);
  known.insert(known.begin(), {"type", "saturate"});
  YamlFields law(*node, "law", known, context.diagnostics);
  if (law.require("type") == nullptr) return;
  settings.kind = static_cast<LawKind>(choice(law, "type", law_names(), 0));
  settings.saturate = yes_no(law, "saturate", false);
  if (settings.kind == LawKind::prescribed && law.has("saturate")) law.error("saturate", "torques of a prescribed motion cannot be saturated", "remove it");
  switch (settings.kind) {
    case LawKind::constant:
      law.require("tau");
      settings.tau = state_values(law, "tau", context.model.effort_names(), std::vector<double>(context.model.nv(), 0.0), context);
      break;
    case LawKind::table:
      settings.table.hold = choice(law, "interpolate", {"linear", "hold"}, 0) == 1;
      if (law.has("rows") == law.has("file"))
        law.error("type", law.has("rows") ? "both rows and file are given" : "neither rows nor file is given", "give one of them");
      else if (law.has("file"))
        read_table_file(law, context, settings.table);
      else
        read_table_rows(*law.find("rows"), context, settings.table);
      break;
    case LawKind::pd:
    case LawKind::pid:
    case LawKind::computed_torque: read_gains(law, context, settings); [[fallthrough]];
    case LawKind::feedforward: read_belief(law, context, settings); break;
    case LawKind::kane_levinson: read_kane_levinson(law, context, settings.kane_levinson); break;
    default: break;
  }
  if (context.diagnostics.has_errors()) return;
  check_by_making(top, "law", "see the keys of this law in docs/simulate.md", [&] {
    const auto reference = make_reference(scenario);
    make_law(settings, context.model, scenario.rotor, reference.get(), scenario.dynamics.get());
  });
}

void read_reference(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  const YamlNode* node = mapping(top, "reference", "{type: quintic, to: [...], duration: 2}");
  if (node == nullptr) return;
  YamlFields reference(*node, "reference", {"type", "from", "to", "start", "duration", "blend", "points"}, context.diagnostics);
  if (reference.require("type") == nullptr) return;
  ReferenceSettings& r = scenario.reference;
  r.kind = static_cast<ReferenceKind>(1 + choice(reference, "type", reference_names(), 0));
  const bool points = r.kind == ReferenceKind::waypoints;
  for (const char* key : {"from", "to", "start", "duration", "blend"})
    if (points && reference.has(key)) reference.error(key, "waypoints have times and positions of their own", "remove it");
  if (!points && reference.has("points")) reference.error("points", cat("a ", to_string(r.kind), " motion has no points"), "write 'type: waypoints'");
  if (reference.has("blend") && r.kind != ReferenceKind::trapezoidal) reference.error("blend", "only a trapezoidal motion has it", "remove it");
  if (points) {
    reference.require("points");
    each_mapping(reference, "points", "point", {"t", "q"}, context, [&](YamlFields& point) {
      point.require("t");
      point.require("q");
      r.waypoints.push_back({point.number("t", 0), joint_values(point, "q", 0, context)});
    });
  } else {
    reference.require("to");
    r.to = joint_values(reference, "to", 0, context);
    if (reference.has("from")) r.from = joint_values(reference, "from", 0, context);
    r.start = reference.not_negative("start", 0);
    if (reference.has("duration")) r.duration = positive(reference, "duration", 1);
    r.blend = reference.number("blend", r.blend);
  }
  if (context.diagnostics.has_errors()) return;
  check_by_making(top, "reference", "see docs/simulate.md", [&] { make_reference(scenario); });
}

void read_control(YamlFields& top, Diagnostics& diagnostics, Scenario& s) {
  const YamlNode* node = mapping(top, "control", "{rate: 1 kHz}");
  if (node == nullptr) return;
  YamlFields control(*node, "control", {"rate", "delay", "noise", "quantisation", "seed"}, diagnostics);
  ControlSettings& c = s.control;
  const double before = c.period > 0 ? c.period : s.integrator.step, rate = quantity(control, "rate", 1 / before, "Hz", 0);
  if (!(rate > 0)) control.error("rate", "it must be positive", "write 'rate: 1 kHz'");
  c.period = rate > 0 ? 1 / rate : before;
  if (c.period > s.duration) control.error("rate", cat("a period of ", c.period, " s is longer than the run of ", s.duration, " s"), "write a higher rate");
  if (s.duration / c.period > kMostLawSamples)
    control.error("rate",
                  cat("a run of ", s.duration, " s would have ", rounded(s.duration / c.period), " samples of the law, more than ", rounded(kMostLawSamples)),
                  "write a lower rate");
  if (s.integrator.kind == IntegratorKind::implicit_midpoint)
    top.error("control", "the implicit midpoint rule is for smooth motions, not for torques that jump", "use rk4 or dormand-prince-5");
  c.delay = quantity(control, "delay", c.delay, "s", 0);
  if (c.delay / c.period > kMostLawDelay)
    control.error("delay", cat("it is ", rounded(c.delay / c.period), " samples, more than ", rounded(kMostLawDelay)), "write a shorter one, or a lower rate");
  if (c.delay > s.duration) control.error("delay", "the delay is longer than the run", "write a shorter one, or its unit: ms");
  c.seed = whole(control, "seed", c.seed, 0, std::numeric_limits<std::uint32_t>::max());
  const auto pair = [&](const char* key, const char* example, std::vector<double>& q, std::vector<double>& v) {
    const YamlNode* of = mapping(control, key, example);
    if (of == nullptr) return;
    YamlFields both(*of, cat("control ", key), {"q", "v"}, diagnostics);
    if (both.has("q")) q = of_joints(both, "q", "rad", "m", s.model, s.model.driven());
    if (both.has("v")) v = of_joints(both, "v", "rad/s", "m/s", s.model, s.model.driven());
  };
  pair("noise", "{q: 0.1 mrad, v: 1 mrad/s}", c.noise_q, c.noise_v);
  pair("quantisation", "{q: 0.1 mrad}", c.step_q, c.step_v);
}

}  // namespace ulna::internal::sim
