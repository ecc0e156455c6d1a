#include <ulna/sim/scenario.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include <ulna/formulation/formulation.hpp>
#include <ulna/formulation/speeds.hpp>
#include <ulna/loop/mechanism.hpp>

#include "model/unit_quaternion.hpp"
#include "sim/scenario_fields.hpp"
#include "sim/side_law.hpp"
#include "sim/system.hpp"
#include "source/embedded_models.hpp"
#include "source/source_text.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

namespace {

namespace fs = std::filesystem;

struct Row {
  std::string_view id;
  std::string_view summary;
};
constexpr std::array kRows{
    Row{"kane-figure-1", "torques of the Stanford arm along eq. 127 (Kane & Levinson 1983, fig. 1)"},
    Row{"kane-figure-3", "the Stanford arm under feedback, eqs 128-133 (Kane & Levinson 1983, fig. 3)"},
    Row{"kane-momentum", "the same with tau1 = 0: the momentum about the vertical must stay zero"},
    Row{"turney-rk4", "a PUMA 560 under given torques, by Runge-Kutta of four points (Turney, Mudge & Lee 1980)"},
    Row{"lin-adams", "the same, by Lin's algorithm and Adams-Bashforth of order four (Lin 1991)"},
    Row{"nasser-space-arm", "a space arm under control on a base that moves, by Nasser's two passes (Nasser 1990)"},
    Row{"double-pendulum", "two links that swing freely for a minute: does the energy stay?"},
    Row{"space-arm-push", "a seven-joint arm in orbit, its base held: pushed once and left to itself"},
    Row{"payload-drop", "a Panda under PD control releases three kilograms"},
    Row{"law-race", "computed torque on a fast motion: what leaving out Coriolis terms costs (Hollerbach 1980)"},
    Row{"servicer-turn", "a free-flying satellite turns itself by moving its arm round a closed path"},
    Row{"satellite-capture", "a servicing satellite catches another and locks its joints: momentum is kept"},
    Row{"four-bar-spin", "a motor spins the crank of a four-bar linkage, and holds its speed"},
    Row{"five-bar-pick", "a five-bar picks up 50 grams, places it and returns, under computed torque"},
    Row{"delta-pick", "a Delta robot moves a load aside under PD control with gravity compensation"},
    Row{"palletizer-lift", "a palletizer with two parallelograms lifts 60 kg: do its hand's axes stay level?"},
    Row{"quadruped-fall", "a quadruped falls freely while it draws in its legs"},
};

/// Old names of scenarios: the new ones, and why.
struct Renamed {
  std::string_view was, is, why;
};
constexpr std::array kRenamed{Renamed{"space-arm-free", "space-arm-push", "the base of its robot is held"}};

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys{"scenario",    "description",  "model",       "gravity",      "lock",     "mimic",  "duration",
                                             "initial",     "integrator",   "formulation", "rotor",        "friction", "limits", "law",
                                             "reference",   "disturbances", "payloads",    "brakes",       "base",     "output", "loops",
                                             "independent", "control",      "speeds",      "friction_file"};
  return keys;
}

/// Reads one file; `folder` is where its paths start.
class Reader {
 public:
  Reader(Diagnostics& diagnostics, std::string folder, const ReadLimits& limits, std::optional<RootJoint> base, const LoadOptions& robot)
      : diagnostics_(diagnostics), folder_(std::move(folder)), limits_(limits), base_(base), robot_(robot) {}

  std::optional<Scenario> read(const YamlNode& root) {
    YamlFields top(root, "", top_keys(), diagnostics_);
    top.require("duration");
    std::optional<Model> model = read_model(top);
    const double duration = positive(top, "duration", 1);
    if (!model) return {};
    Scenario scenario(*std::move(model));
    scenario.name = top.word("scenario", "scenario");
    scenario.description = top.word("description", "");
    scenario.duration = duration;
    const ReadContext context{diagnostics_, scenario.model, folder_, limits_};
    read_initial(top, context, scenario);
    read_integrator(top, scenario);
    scenario.rotor = rotor_;
    // Objects that are made here as a test use the templates: the machine code is compiled when the scenario runs.
    scenario.dynamics = std::make_shared<const Dynamics>(scenario.model, DynamicsOptions{.rotor = scenario.rotor, .threads = 1, .most = InstructionSet::none});
    read_friction(top, scenario);
    scenario.limits = static_cast<LimitPolicy>(choice(top, "limits", {"ignore", "report", "stop"}, 1));
    read_output(top, scenario);
    read_reference(top, context, scenario);
    read_law(top, context, scenario);
    read_disturbances(top, context, scenario);
    read_payloads(top, context, scenario);
    read_brakes(top, context, scenario);
    read_base(top, context, scenario);
    read_control(top, diagnostics_, scenario);
    scenario.formulation = top.word("formulation", std::string(production_path().id));
    read_speeds(top, scenario);
    if (diagnostics_.has_errors()) return scenario;
    if (scenario.model.closed() && scenario.formulation != production_path().id)
      top.error("formulation", cat("the robot has loops, which ", in_quotes(scenario.formulation), " does not simulate"), "remove the key");
    else if (scenario.formulation != production_path().id) {
      if (find_formulation(scenario.formulation) != nullptr && !why_no_loads(scenario).empty())
        top.error("formulation", cat(in_quotes(scenario.formulation), ": ", why_no_loads(scenario)), "take one of these, or remove the key");
      else
        check_by_making(top, "formulation", "'ulna formulations' lists what each one supports", [&] {
          ForwardModel robot(scenario.model, scenario.formulation, scenario.rotor, nullptr, scenario.speeds);
          check_formulation(scenario, robot, make_reference(scenario).get());
        });
    }
    if (const std::string why = why_no_sticking(scenario); !why.empty()) top.error("friction", cat("friction is dry, but ", why), "see docs/simulate.md");
    // Remaining errors are found by making the system itself.
    if (!diagnostics_.has_errors()) check_by_making(top, top.has("law") ? "law" : "duration", "see docs/simulate.md", [&] { System system(scenario); });
    scenario.dynamics.reset();
    return scenario;
  }

  const std::vector<Diagnostic>& of_model() const { return of_model_; }

 private:
  /// A name, a text or a file.
  void read_speeds(YamlFields& top, Scenario& scenario) {
    if (!top.has("speeds")) return;
    std::string choice = top.word("speeds", "");
    const std::vector<std::string>& named = named_speeds();
    if (choice.find('=') == std::string::npos && std::find(named.begin(), named.end(), choice) == named.end() && fs::path(choice).is_relative())
      choice = (fs::path(folder_) / choice).string();
    check_by_making(top, "speeds", "see docs/formulations/kane.md",
                    [&] { scenario.speeds = std::make_shared<const Speeds>(choose_speeds(scenario.model, choice)); });
  }

  std::optional<Model> read_model(YamlFields& top) {
    LoadOptions options;
    read_loops(top, options);
    options.limits = limits_;
    options.rotor = rotor_ = yes_no(top, "rotor", true);
    if (top.has("gravity")) options.gravity = top.vector("gravity", {});
    if (choice(top, "mimic", {"honour", "ignore"}, 0) == 1) options.mimic = MimicPolicy::ignore;
    if (const YamlNode* locks = mapping(top, "lock", "{joint: value}")) {
      const std::vector<std::string> names = names_of(locks->entries, &YamlNode::Entry::key);
      YamlFields lock(*locks, "lock", names, diagnostics_);
      for (const std::string& name : names) options.locks.push_back({name, lock.angle(name, 0)});
    }
    // A word is the kind of base; a mapping is the motion of a fixed base.
    if (const YamlNode* base = top.find("base"); base != nullptr && base->kind == YamlNode::Kind::scalar)
      options.base = static_cast<RootJoint>(choice(top, "base", {"fixed", "planar", "free"}, 0));
    if (base_) options.base = base_;
    return named_model(top, folder_, options, of_model_);
  }

  /// `loops: FILE`, or `ignore`, which opens those of the robot; `independent: [NAME, …]`. The caller's options take precedence.
  void read_loops(YamlFields& top, LoadOptions& options) {
    if (top.has("loops")) {
      const std::string word = top.word("loops", "ignore");
      if (word == "ignore")
        options.loops = LoopPolicy::ignore;
      else
        options.loop_file = fs::path(word).is_relative() ? (fs::path(folder_) / word).string() : word;
    }
    if (top.has("friction_file")) {
      const std::string file = top.word("friction_file", "");
      options.friction_file = fs::path(file).is_relative() ? (fs::path(folder_) / file).string() : file;
    }
    if (!robot_.friction_file.empty()) options.friction_file = robot_.friction_file;
    if (const YamlNode* names = top.find("independent")) {
      const bool list = names->kind == YamlNode::Kind::sequence;
      if (list)
        for (const YamlNode& item : names->items) options.independent.push_back(item.text);
      else if (names->kind == YamlNode::Kind::scalar)
        options.independent.push_back(names->text);
      else
        top.error("independent", cat("a list of joints belongs here, not ", describe(*names)), "write '[NAME, NAME]'");
    }
    if (robot_.loops == LoopPolicy::ignore) options.loops = LoopPolicy::ignore, options.loop_file.clear(), options.independent.clear();
    if (!robot_.loop_file.empty()) options.loop_file = robot_.loop_file;
    if (!robot_.independent.empty()) options.independent = robot_.independent;
  }

  void read_initial(YamlFields& top, const ReadContext& context, Scenario& scenario) {
    const YamlNode* node = mapping(top, "initial", "{q: [...], v: [...]}");
    if (node == nullptr) return;
    YamlFields initial(*node, "initial", {"q", "v"}, diagnostics_);
    scenario.q = state_values(initial, "q", scenario.model.position_names(), scenario.q, context);
    if (scenario.model.closed()) close_initial(initial, scenario);
    scenario.v = state_values(initial, "v", scenario.model.velocity_names(), scenario.v, context);
    for (const std::size_t at : scenario.model.quaternions()) {
      const double length = quaternion_length(&scenario.q[at]), off = std::abs(length - 1);
      const std::string owner = quaternion_owner(scenario.model, at);
      if (!(off <= kWrittenQuaternion))
        initial.error("q", quaternion_problem(length, owner),
                      at < base_nq(scenario.model.base()) ? "divide base.qx, .qy, .qz and .qw by it" : "divide its x, y, z and w by it");
      else if (off > kDirectionRounding)
        initial.warning("q", quaternion_normalised(off, 1, owner), "write more digits");
    }
    normalize(scenario.model, scenario.q);
    const std::vector<double> rates = turning_rates(make_plan(scenario.model));
    for (std::size_t i = 0; i < scenario.q.size(); ++i)
      if (rates[i] * std::abs(scenario.q[i]) > kLargestAngle)
        initial.error("q",
                      cat("the initial angle of joint ", in_quotes(scenario.model.position_names()[i]), " is ", scenario.q[i],
                          " rad, but sine and cosine are exact up to ", kLargestAngle, " rad"),
                      "take off whole turns");
  }

  /// Positions of dependent joints that the file gives are guesses; without any, the robot is moved there from its reference assembly.
  static void close_initial(YamlFields& initial, Scenario& scenario) {
    const Mechanism robot = Mechanism::of(scenario.model);
    const YamlNode* node = initial.find("q");
    bool guessed = false;
    if (node != nullptr && node->kind == YamlNode::Kind::mapping)
      for (const std::string& name : robot.dependent_names())
        guessed = guessed || std::any_of(node->entries.begin(), node->entries.end(), [&](const YamlNode::Entry& entry) { return entry.key == name; });
    if (node != nullptr && node->kind == YamlNode::Kind::sequence) guessed = node->items.size() > scenario.model.driven().size();
    const Closure closure = guessed ? robot.close(scenario.q) : robot.assemble(scenario.q);
    if (const ClosureProblem wrong = problem(closure, robot.loops()); !wrong.what.empty()) initial.error("q", wrong.what, wrong.cure);
  }

  void read_integrator(YamlFields& top, Scenario& scenario) {
    const YamlNode* node = mapping(top, "integrator", "{type: rk4, step: 0.001}");
    if (node == nullptr) return;
    YamlFields integrator(*node, "integrator", {"type", "step", "change", "fastest", "tolerance"}, diagnostics_);
    IntegratorSettings& s = scenario.integrator;
    s.kind = static_cast<IntegratorKind>(choice(integrator, "type", integrator_names(), static_cast<std::size_t>(s.kind)));
    s.step = positive(integrator, "step", s.step);
    if (integrator.has("change"))
      s.step = step_of_change(integrator, scenario);
    else if (integrator.has("fastest"))
      integrator.error("fastest", "a largest speed makes a step only together with the largest change in one", "write change, too, or remove it");
    s.tolerance = positive(integrator, "tolerance", s.tolerance);
    if (integrator.has("tolerance") && s.kind != IntegratorKind::dormand_prince_5)
      integrator.error("tolerance", cat(to_string(s.kind), " has steps of one length and no error control"), "remove it, or use dormand-prince-5");
    if (s.step > scenario.duration)
      integrator.error("step", cat(s.step, " s is longer than the whole run of ", scenario.duration, " s"), "write a shorter step");
    constexpr double kMostSteps = 1e9;  // minutes of work
    if (s.kind != IntegratorKind::dormand_prince_5 && scenario.duration / s.step > kMostSteps)
      integrator.error("step", cat("a run of ", scenario.duration, " s would take ", scenario.duration / s.step, " steps, more than ", kMostSteps),
                       "write a longer step");
    if (integrator.has("tolerance") && s.tolerance < 1e-14)
      integrator.error("tolerance", cat(s.tolerance, " is less than rounding errors"), "write 1e-14 or more");
  }

  /// The step in which no joint at its largest speed moves by more than `change` (Turney, Mudge & Lee 1980, sec. 7).
  double step_of_change(YamlFields& integrator, const Scenario& scenario) {
    const double otherwise = scenario.integrator.step, change = positive(integrator, "change", otherwise);
    if (scenario.integrator.kind == IntegratorKind::dormand_prince_5)
      integrator.error("change", "dormand-prince-5 chooses its steps by their errors", "remove it, or use rk4");
    if (integrator.has("step")) integrator.error("step", "step cannot be combined with change", "write one of the two");
    double fastest = 0;
    if (integrator.has("fastest")) {
      fastest = positive(integrator, "fastest", 1);
    } else {
      for (const std::size_t j : scenario.model.independent()) {
        const Joint& joint = scenario.model.joints()[j];
        fastest = std::max(fastest, joint.velocity > 0 ? joint.velocity : std::numeric_limits<double>::infinity());
      }
      if (!std::isfinite(fastest)) {
        integrator.error("change", "not every joint of the robot has a velocity limit, so how fast it can be is not known",
                         "write fastest: the largest speed [rad/s or m/s]");
        return otherwise;
      }
    }
    return change / fastest;
  }

  void read_friction(YamlFields& top, Scenario& scenario) {
    const YamlNode* node = top.find("friction");
    if (node == nullptr) return;
    if (node->kind != YamlNode::Kind::mapping) {
      scenario.friction.on = yes_no(top, "friction", false);
      return;
    }
    YamlFields friction(*node, "friction", {"smooth", "static"}, diagnostics_);
    scenario.friction = {true, friction.not_negative("smooth", 0), friction.not_negative("static", 0)};
    if (!friction.has("static")) return;
    if (scenario.friction.static_factor < 1)
      friction.error("static", cat("the static level is ", scenario.friction.static_factor, " times Coulomb friction, but must not be below it"),
                     "write a factor of at least 1, such as 'static: 1.5'");
    if (scenario.friction.smooth > 0) friction.error("static", "smooth friction has no static level", "remove one of 'static' and 'smooth'");
  }

  void read_output(YamlFields& top, Scenario& scenario) {
    const YamlNode* node = mapping(top, "output", "{step: 0.01}");
    if (node == nullptr) return;
    YamlFields output(*node, "output", {"step", "paper_columns"}, diagnostics_);
    scenario.output_step = positive(output, "step", scenario.output_step);
    if (scenario.output_step > scenario.duration)
      output.error("step", cat(scenario.output_step, " s is longer than the whole run of ", scenario.duration, " s"), "write a shorter step");
    constexpr double kMostRows = 2e6;  // they are held in memory: 35 numbers a row for seven joints
    if (scenario.duration / scenario.output_step > kMostRows) output.error("step", "that makes more than two million rows", "write a longer step");
    scenario.paper_columns = yes_no(output, "paper_columns", false);
    if (scenario.paper_columns)
      if (const std::string reason = why_no_stanford(scenario.model); !reason.empty())
        output.error("paper_columns", cat("the paper's columns are for the Stanford arm: ", reason), "remove it");
  }

  Diagnostics& diagnostics_;
  std::string folder_;
  const ReadLimits& limits_;
  std::optional<RootJoint> base_;
  const LoadOptions& robot_;
  bool rotor_ = true;
  std::vector<Diagnostic> of_model_;
};

ScenarioResult not_found(const std::string& source, const std::string& problem, const std::string& cure) {
  Diagnostics diagnostics(source);
  diagnostics.error(0, "scenario", problem, cure);
  return {{}, diagnostics.all(), false};
}

}  // namespace

const std::vector<BuiltinScenario>& builtin_scenarios() {
  static const std::vector<BuiltinScenario> scenarios = [] {
    std::vector<BuiltinScenario> list;
    for (const Row& row : kRows)
      for (const EmbeddedModel& file : embedded_scenarios())
        if (file.file.substr(0, file.file.rfind('.')) == row.id) list.push_back({row.id, row.summary, file.file, file.text});
    return list;
  }();
  return scenarios;
}

ScenarioResult try_parse_scenario(std::string_view text, const std::string& file, const ReadLimits& limits, std::optional<RootJoint> base,
                                  const LoadOptions& robot) {
  Diagnostics diagnostics(file);
  ScenarioResult result;
  Reader reader(diagnostics, fs::path(file).parent_path().string(), limits, base, robot);
  if (const auto root = read_yaml_mapping(text, diagnostics, "a scenario", "'model: ...' and 'duration: ...'", limits, "give a scenario in YAML"))
    result.scenario = reader.read(*root);
  if (diagnostics.has_errors()) result.scenario.reset();
  diagnostics.sort_by_line();
  result.diagnostics = diagnostics.all();
  result.diagnostics.insert(result.diagnostics.end(), reader.of_model().begin(), reader.of_model().end());
  return result;
}

ScenarioResult try_load_scenario(const std::string& source, const ReadLimits& limits, std::optional<RootJoint> base, const LoadOptions& robot) {
  const bool is_name = !source.empty() && source.find_first_of(std::string_view("/.\0", 3)) == std::string::npos;
  std::error_code ignored;
  if (is_name && !fs::is_regular_file(source, ignored)) {
    for (const Renamed& renamed : kRenamed) {
      if (renamed.was != source) continue;
      ScenarioResult result = try_load_scenario(std::string(renamed.is), limits, base, robot);
      Diagnostics note(source);
      note.warning(0, "scenario", cat("it is called ", in_quotes(renamed.is), " now, because ", renamed.why), "use that name");
      result.diagnostics.insert(result.diagnostics.begin(), note.all().begin(), note.all().end());
      return result;
    }
    for (const BuiltinScenario& scenario : builtin_scenarios())
      if (scenario.id == source) return try_parse_scenario(scenario.text, std::string(scenario.file), limits, base, robot);
    return not_found(source, "there is no such file and no built-in scenario of this name",
                     hint(source, names_of(builtin_scenarios(), &BuiltinScenario::id), "'ulna simulate --list' lists the built-in ones"));
  }
  if (source.empty() || source.find('\0') != std::string::npos) return not_found(source, "this is no name of a file", "give a file or a built-in scenario");
  if (fs::is_directory(source, ignored)) return not_found(source, "this is a folder", "give a YAML file in it");
  if (!fs::exists(source, ignored))
    return not_found(source, "the file cannot be opened", "check the path; 'ulna simulate --list' lists the built-in scenarios");
  Diagnostics problems(source);
  const std::optional<std::string> text = read_whole(source, &ReadLimits::yaml_bytes, limits, problems);
  return text ? try_parse_scenario(*text, source, limits, base, robot) : ScenarioResult{{}, problems.all(), false};
}

Scenario load_scenario(const std::string& source) {
  ScenarioResult result = try_load_scenario(source);
  if (!result.scenario) throw SourceError(std::move(result.diagnostics));
  return *std::move(result.scenario);
}

}  // namespace ULNA_API
}  // namespace ulna

namespace ulna::internal::sim {

std::optional<Scenario> read_scenario(const YamlNode& root, Diagnostics& diagnostics, const std::string& folder, const ReadLimits& limits,
                                      std::vector<Diagnostic>& of_model) {
  const LoadOptions robot;
  Reader reader(diagnostics, folder, limits, {}, robot);
  std::optional<Scenario> scenario = reader.read(root);
  of_model = reader.of_model();
  return scenario;
}

}  // namespace ulna::internal::sim
