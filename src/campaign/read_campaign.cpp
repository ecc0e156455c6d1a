#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <ulna/campaign/campaign.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/version.hpp>

#include "campaign/bytes.hpp"
#include "campaign/draw_states.hpp"
#include "campaign/spec.hpp"
#include "sim/number_table.hpp"
#include "sim/quantities.hpp"
#include "sim/scenario_fields.hpp"
#include "sim/system.hpp"
#include "source/source_text.hpp"
#include "text/message.hpp"

namespace ulna {
namespace campaign ULNA_API {

using namespace internal;
using namespace internal::campaign;
using namespace ulna::internal::sim;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRuns = 1'000'000'000'000;
constexpr double kMostSamples = 1e8;  // of a run: a minute's work
constexpr double kBase = 64e6;        // bytes of the program, its machine code and the robot

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys{"campaign", "description", "seed", "runs",       "sampling", "scenario",
                                             "control",  "friction",    "vary", "identified", "metrics",  "memory"};
  return keys;
}

RunNumbers nominal_of(const ulna::sim::Scenario& scenario) {
  RunNumbers run{.scenario = scenario, .friction = {}, .mass = {}, .com = {}, .more = {}};
  const Model& model = scenario.model;
  for (const std::size_t j : rubbing_joints(model)) run.friction.push_back(scenario.friction.on ? model.joints()[j].friction : Friction{});
  for (std::vector<double>* noise : {&run.scenario.control.noise_q, &run.scenario.control.noise_v}) noise->resize(model.driven().size());
  for (const Link& link : model.links()) {
    run.mass.push_back(link.mass);
    run.com.push_back(link.com);
  }
  run.more.resize(model.links().size());
  run.gravity = model.gravity();
  return run;
}

class CampaignReader {
 public:
  CampaignReader(Diagnostics& diagnostics, const std::string& file, const ReadLimits& limits, std::optional<std::uint64_t> runs)
      : diagnostics_(diagnostics), folder_(fs::path(file).parent_path().string()), limits_(limits), runs_(runs) {}

  std::shared_ptr<Spec> read(const YamlNode& root, std::string_view text) {
    YamlFields top(root, "", top_keys(), diagnostics_);
    std::optional<ulna::sim::Scenario> scenario = read_template(top);
    if (!scenario) return {};
    if (scenario->model.has_balls()) {
      top.error("scenario", cat("robot ", in_quotes(scenario->model.name()), " has ball joints, which no campaign varies or measures"),
                "write three hinges in the place of each");
      return {};
    }
    auto spec = std::make_shared<Spec>(nominal_of(*scenario));
    spec->name = top.word("campaign", "campaign");
    spec->description = top.word("description", "");
    spec->seed = whole(top, "seed", 1, 0, std::numeric_limits<std::uint32_t>::max());
    spec->sobol = choice(top, "sampling", {"random", "sobol"}, 0) == 1;
    check_template(top, *scenario);
    read_sampling(top, *spec);
    read_friction(top, *spec);
    read_variations(top, *spec);
    read_identified(top, *spec);
    // Of all runs or of none: runs in lanes have one law of friction.
    const auto rubs = [](const Variation& v) {
      for (const FrictionField& field : kFrictionFields)
        if (v.parameter.name.rfind(cat(field.name, "."), 0) == 0) return true;
      return false;
    };
    spec->nominal.scenario.friction.on =
        std::any_of(spec->nominal.friction.begin(), spec->nominal.friction.end(), [](const Friction& f) { return f.rubs(); }) ||
        std::any_of(spec->variations.begin(), spec->variations.end(), rubs);
    read_runs(top, *spec);
    if (const YamlNode* node = mapping(top, "metrics", "{settle: 0.01}")) {
      YamlFields metrics(*node, "metrics", {"settle"}, diagnostics_);
      spec->settle = quantity(metrics, "settle", spec->settle, "rad", 0);
    }
    if (diagnostics_.has_errors()) return {};
    spec->columns = leading_columns(*spec);
    const std::vector<std::string> metrics = metric_names(*spec);
    spec->columns.insert(spec->columns.end(), metrics.begin(), metrics.end());
    check_memory(top, *spec);
    check_first_run(top, *spec);
    if (diagnostics_.has_errors()) return {};
    spec->text = with_runs(text, top, spec->runs);
    spec->hash = hash_of(*spec);
    return spec;
  }

  const std::vector<Diagnostic>& of_others() const { return of_others_; }

 private:
  std::optional<ulna::sim::Scenario> read_template(YamlFields& top) {
    const YamlNode* node = top.require("scenario");
    if (node == nullptr) return {};
    if (node->kind == YamlNode::Kind::mapping) return read_scenario(*node, diagnostics_, folder_, limits_, of_others_);
    std::string source = top.word("scenario", "");
    if (source.empty()) return {};
    if (source.find_first_of("/.") != std::string::npos && fs::path(source).is_relative()) source = (fs::path(folder_) / source).string();
    ulna::sim::ScenarioResult loaded = ulna::sim::try_load_scenario(source, limits_);
    of_others_ = std::move(loaded.diagnostics);
    if (!loaded.scenario)
      top.error("scenario", loaded.found ? cat(in_quotes(source), " has errors") : cat("there is no scenario ", in_quotes(source)),
                loaded.found ? "correct them; they are listed below" : "give a file, a name that 'ulna simulate --list' lists, or the scenario itself");
    std::error_code ignored;
    if (fs::is_regular_file(source, ignored)) {
      Diagnostics unused(source);
      template_text_ = read_whole(source, &ReadLimits::yaml_bytes, limits_, unused).value_or("");
    } else {
      template_text_ = source;
    }
    return std::move(loaded.scenario);
  }

  /// Conditions of a sampled law.
  void check_template(YamlFields& top, const ulna::sim::Scenario& s) {
    const auto refuse = [&](const std::string& why, const std::string& cure) { top.error("scenario", why, cure); };
    if (s.formulation != production_path().id) refuse(cat("a campaign computes by 'ulna', not by ", in_quotes(s.formulation)), "remove the formulation");
    if (s.law.kind == ulna::sim::LawKind::prescribed) refuse("its motion is prescribed, so that there is nothing to run", "use the law computed-torque");
  }

  void read_sampling(YamlFields& top, Spec& spec) {
    ulna::sim::Scenario& s = spec.nominal.scenario;
    if (s.control.period == 0) s.control.period = s.integrator.step;
    internal::sim::read_control(top, diagnostics_, s);
    if (const YamlNode* node = top.find("control"); node != nullptr && node->kind == YamlNode::Kind::mapping)
      for (const YamlNode::Entry& entry : node->entries)
        if (entry.key == "seed") top.error("control", "the campaign's own seed is that of all its numbers", "write 'seed: …' next to control, not in it");
    s.control.seed = spec.seed;
    const double period = s.control.period, samples = s.duration / period;
    const double substeps = s.integrator.kind == ulna::sim::IntegratorKind::dormand_prince_5 ? 1 : std::max(1.0, std::ceil(period / s.integrator.step - 1e-9));
    const std::string_view at = top.has("control") ? "control" : "scenario";
    s.integrator.step = period / substeps;
    spec.samples = static_cast<std::uint64_t>(std::clamp(std::round(samples), 1.0, kMostSamples));
    if (!(samples * substeps <= kMostSamples))
      top.error(at,
                cat("a run of ", s.duration, " s would have ", rounded(samples), " samples of the law with ", substeps, " steps each, in all more than ",
                    rounded(kMostSamples)),
                "write a lower rate, a longer step of the integrator, or a shorter duration");
    if (std::abs(samples - std::round(samples)) > 1e-6)
      top.error(at, cat("the run of ", s.duration, " s is ", samples, " periods of ", period, " s, which is no whole number"),
                "change the duration or the rate");
  }

  void read_friction(YamlFields& top, Spec& spec) {
    const YamlNode* node = mapping(top, "friction", "{viscous: 1, coulomb: 0.5, smooth: 0.05}");
    if (node == nullptr) return;
    YamlFields friction(*node, "friction", {"viscous", "coulomb", "smooth"}, diagnostics_);
    const Model& model = spec.nominal.scenario.model;
    const std::vector<double> viscous = of_joints(friction, "viscous", "Nms/rad", "Ns/m", model, model.independent());
    const std::vector<double> coulomb = of_joints(friction, "coulomb", "Nm", "N", model, model.independent());
    spec.nominal.friction.assign(spec.nominal.friction.size(), {});
    for (std::size_t i = 0; i < viscous.size(); ++i) spec.nominal.friction[i] = {viscous[i], coulomb[i], 0};
    double& smooth = spec.nominal.scenario.friction.smooth;
    smooth = quantity(friction, "smooth", 0.05, "rad/s", 0);
    if (!(smooth > 0)) friction.error("smooth", "Coulomb friction needs a speed that its jump is spread over", "write 'smooth: 0.05'");
  }

  void read_variations(YamlFields& top, Spec& spec) {
    const YamlNode* node = mapping(top, "vary", "{payload.mass: {uniform: [0, 3 kg]}}");
    if (node == nullptr) return;
    const std::vector<Parameter> known = parameters_of(spec.nominal);
    const std::vector<std::string> names = names_of(known, &Parameter::name);
    YamlFields vary(*node, "vary", names, diagnostics_);
    for (const YamlNode::Entry& entry : node->entries) {
      const auto found = std::find(names.begin(), names.end(), entry.key);
      if (found == names.end()) continue;  // reported already
      read_variation(vary, entry, known[static_cast<std::size_t>(found - names.begin())], spec);
    }
  }

  void check_sobol(YamlFields& top, const Spec& spec) {
    if (spec.sobol && spec.variations.size() > kMostSobol)
      top.error("sampling", cat("Sobol's sequence is kept for ", kMostSobol, " variations, but there are ", spec.variations.size()),
                "write 'sampling: random'");
  }

  /// covariance.csv of `ulna identify --out`: names, and a row for each. Values are normal about the robot's own, which is the identified one.
  void read_identified(YamlFields& top, Spec& spec) {
    std::string path = top.has("identified") ? top.word("identified", "") : "";
    if (path.empty()) return check_sobol(top, spec);
    if (fs::path(path).is_relative()) path = (fs::path(folder_) / path).string();
    Diagnostics of_table(path);
    const NumberTable table = load_number_table(path, of_table, limits_);
    of_others_.insert(of_others_.end(), of_table.all().begin(), of_table.all().end());
    if (of_table.has_errors() || table.names.empty() || table.rows.size() != table.names.size()) {
      top.error("identified", cat(in_quotes(path), " is no covariance: it has ", table.names.size(), " columns and ", table.rows.size(), " rows"),
                "give covariance.csv of 'ulna identify --out DIR'");
      return;
    }
    const std::optional<std::vector<std::vector<double>>> L = factor(top, table);
    if (!L) return;
    const std::vector<Parameter> known = parameters_of(spec.nominal);
    const std::vector<std::string> names = names_of(known, &Parameter::name);
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), table.names[i]);
      Variation v{.parameter = {}, .kind = VariationKind::identified, .use = Use::offset, .values = (*L)[i], .unit = {}};
      if (found != names.end()) {
        v.parameter = known[static_cast<std::size_t>(found - names.begin())];
      } else if (table.names[i].rfind("offset.", 0) == 0) {  // of a torque: models have none, but others depend on it
        v.parameter = {table.names[i], "Nm", 0, {}, [](RunNumbers&) { return std::vector<double*>{}; }};
      } else {
        top.error("identified", cat("the robot has no parameter ", in_quotes(table.names[i]), did_you_mean(table.names[i], names)),
                  "take the robot that was identified");
        return;
      }
      v.unit = v.parameter.unit;
      spec.variations.push_back(std::move(v));
    }
    check_sobol(top, spec);
  }

  /// L of a covariance L Lᵀ, rows up to the diagonal. Undetermined parameters have no variance, and are not varied.
  std::optional<std::vector<std::vector<double>>> factor(YamlFields& top, const NumberTable& table) {
    const std::size_t n = table.names.size();
    std::vector<std::vector<double>> L;
    for (std::size_t i = 0; i < n; ++i) {
      const double own = table.rows[i][i];
      L.emplace_back(i + 1, 0.0);
      if (!std::isfinite(own) || own <= 0) continue;
      double left = own;
      for (std::size_t j = 0; j < i; ++j) {
        if (L[j][j] == 0) continue;
        double sum = table.rows[i][j];
        for (std::size_t k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
        L[i][j] = sum / L[j][j];
        left -= L[i][j] * L[i][j];
      }
      if (!(left >= -1e-6 * own)) {
        top.error("identified", cat("the covariance is not positive at ", in_quotes(table.names[i])), "give the file as 'ulna identify' wrote it");
        return {};
      }
      L[i][i] = left > 1e-12 * own ? std::sqrt(left) : 0;  // else it follows from those before it
    }
    return L;
  }

  void read_variation(YamlFields& vary, const YamlNode::Entry& entry, const Parameter& parameter, Spec& spec) {
    if (entry.value.kind != YamlNode::Kind::mapping) {
      vary.error(entry.key, cat("a distribution belongs here, not ", describe(entry.value)),
                 "write {uniform: [from, to]}, {normal: [mean, deviation]} or {grid: [...]}");
      return;
    }
    YamlFields fields(entry.value, vary.label(entry.key), {"uniform", "normal", "grid", "as"}, diagnostics_);
    Variation v{.parameter = parameter, .values = {}, .unit = {}};
    v.use = static_cast<Use>(choice(fields, "as", {"value", "factor", "offset"}, static_cast<std::size_t>(parameter.only.value_or(Use::value))));
    if (parameter.only && v.use != *parameter.only)
      fields.error("as", cat(in_quotes(parameter.name), *parameter.only == Use::factor ? " stands for several numbers" : " is added to what the robot has"),
                   *parameter.only == Use::factor ? "write 'as: factor'" : "write 'as: offset'");
    v.unit = v.use == Use::factor ? "1" : parameter.unit;
    std::size_t kinds = 0;
    std::string kind;
    for (const char* name : {"uniform", "normal", "grid"})
      if (fields.has(name)) kind = name, ++kinds;
    if (kinds != 1) {
      vary.error(entry.key, cat("it has ", kinds, " distributions"), "write one of uniform, normal and grid");
      return;
    }
    const std::vector<double> numbers = quantities(fields, kind, v.unit);
    if (numbers.empty()) return;
    // The scenario's number plus the offset must be possible.
    const auto sum_least = [&] {
      double least_number = std::numeric_limits<double>::infinity();
      for (const double* number : parameter.numbers(spec.nominal)) least_number = std::min(least_number, *number);
      return parameter.least - least_number;
    };
    const double least = v.use == Use::offset ? sum_least() : parameter.least;
    const auto below = [&](double x, const std::string& what) {
      if (x < least)
        fields.error(kind,
                     cat(what, " is ", in_unit(x, v.unit), ", but ", v.use == Use::offset ? "what is added to " : "", parameter.name, " cannot be below ",
                         in_unit(least, v.unit)),
                     "narrow the distribution");
    };
    if (kind == "grid") {
      v.kind = VariationKind::grid;
      v.values = numbers;
      for (const double x : numbers) below(x, "a value of the grid");
    } else {
      if (numbers.size() != 2) {
        fields.error(kind, cat("it takes 2 numbers, not ", numbers.size()), kind == "uniform" ? "write [from, to]" : "write [mean, standard deviation]");
        return;
      }
      v.a = numbers[0], v.b = numbers[1];
      if (kind == "uniform") {
        v.kind = VariationKind::uniform;
        if (!(v.a < v.b)) fields.error(kind, cat("from ", rounded(v.a), " to ", rounded(v.b), " is no interval"), "write the smaller number first");
        if (!std::isfinite(v.b - v.a)) fields.error(kind, cat("from ", rounded(v.a), " to ", rounded(v.b), " is too wide"), "narrow the distribution");
        below(v.a, "its lower end");
      } else {
        v.kind = VariationKind::normal;
        if (!(v.b > 0)) fields.error(kind, cat("the standard deviation is ", rounded(v.b)), "write [mean, standard deviation], the latter above 0");
        below(v.a - 6 * v.b, "six standard deviations below the mean");
      }
    }
    check_reach(fields, kind, v, spec);
    spec.variations.push_back(std::move(v));
  }

  static std::string in_unit(double x, const std::string& unit) { return unit == "1" ? rounded(x) : cat(rounded(x), " ", unit); }

  /// Warns of possible numbers that are most likely in a wrong unit.
  void check_reach(YamlFields& fields, const std::string& kind, const Variation& v, const Spec& spec) {
    const ulna::sim::Scenario& s = spec.nominal.scenario;
    const auto [low, high] = v.reach();
    const double now = spec_number(v.parameter, spec.nominal);
    const auto reached = [&](double x) { return v.use == Use::value ? x : v.use == Use::factor ? x * now : x + now; };
    if (v.parameter.name == "delay" && reached(high) > s.duration)
      fields.error(kind, cat("the delay reaches ", rounded(reached(high)), " s, but the run has ", rounded(s.duration), " s"),
                   "write shorter ones, or their unit: ms");
    if (v.use == Use::factor && low >= 10)
      diagnostics_.warning(fields.line(kind), fields.label(kind), cat("factors from ", rounded(low), " on are large"),
                           "write % behind the last one where per cent is meant");
    if (v.parameter.name.rfind("q.", 0) != 0 || s.limits == ulna::sim::LimitPolicy::ignore) return;
    for (const std::size_t j : s.model.independent()) {
      const Joint& joint = s.model.joints()[j];
      const double a = std::min(reached(low), reached(high)), b = std::max(reached(low), reached(high));
      if (v.parameter.name.substr(2) != joint.name || (a >= joint.lower && b <= joint.upper)) continue;
      fields.error(kind,
                   cat("it goes from ", rounded(a), " to ", in_unit(b, v.parameter.unit), ", beyond the limits of ", in_quotes(joint.name), ", ",
                       rounded(joint.lower), " and ", rounded(joint.upper)),
                   v.parameter.unit == "rad" ? "narrow it, write deg where degrees are meant, or write 'limits: ignore' in the scenario"
                                             : "narrow it, or write 'limits: ignore' in the scenario");
    }
  }
  static double spec_number(const Parameter& parameter, const RunNumbers& nominal) {
    RunNumbers numbers = nominal;
    const std::vector<double*> all = parameter.numbers(numbers);
    return all.empty() ? 0 : *all.front();
  }

  void read_runs(YamlFields& top, Spec& spec) {
    std::uint64_t grid = 1;
    bool grids = false;
    for (const Variation& v : spec.variations)
      if (v.kind == VariationKind::grid) {
        grids = true;
        grid = grid > kMostRuns / v.values.size() ? kMostRuns + 1 : grid * v.values.size();
      }
    if (grid > kMostRuns) top.error("vary", cat("the grids make more than ", kMostRuns, " runs"), "make them coarser");
    if (!top.has("runs") && !runs_ && !grids) {
      top.require("runs");
      return;
    }
    spec.runs = runs_ ? *runs_ : whole(top, "runs", grid, 1, kMostRuns);
    if (spec.runs > kMostRuns) top.error("runs", cat(spec.runs, " is more than ", kMostRuns), "make fewer");
    if (spec.sobol && spec.runs > std::uint64_t{1} << 32) top.error("runs", "Sobol's sequence is kept to 32 binary places", "write 'sampling: random'");
  }

  /// Largest number of samples that torques are late by.
  static double most_delay(const Spec& spec) {
    const ulna::sim::ControlSettings& control = spec.nominal.scenario.control;
    double most = control.delay;
    for (const Variation& v : spec.variations)
      if (const double most_drawn = v.reach().second; v.parameter.name == "delay")
        most = v.use == Use::value ? most_drawn : v.use == Use::factor ? most * most_drawn : most + most_drawn;
    return std::min(std::ceil(most / control.period + 1), static_cast<double>(spec.samples));
  }

  void check_memory(YamlFields& top, Spec& spec) {
    if (!top.has("memory")) return;
    const double stated = quantity(top, "memory", 1e9, "B", 0);
    const double n = static_cast<double>(spec.nominal.scenario.model.nv()), lanes = 8;
    const double each = 1000 * static_cast<double>(spec.columns.size()) * 25 + 8 * n * lanes * (60 + most_delay(spec));
    const double summary = static_cast<double>(spec.columns.size()) * 65536 * 8;
    spec.memory = stated;
    spec.memory_at_least = kBase + summary;
    spec.memory_of_thread = each;
    const double needed = kBase + 2 * each + summary;
    if (needed > stated)
      top.error("memory", cat("two threads would take ", rounded(needed / 1e6), " MB, more than the ", rounded(stated / 1e6), " MB that are stated"),
                cat("state ", std::ceil(needed / 1e6), " MB"));
  }

  /// Remaining errors are found by making the first run.
  void check_first_run(YamlFields& top, const Spec& spec) {
    if (diagnostics_.has_errors()) return;
    check_by_making(top, top.has("vary") ? "vary" : "scenario", "see docs/campaign.md", [&] {
      RunNumbers run = numbers_of(spec, drawn(spec, 0));
      ulna::sim::Scenario s = run.scenario;
      s.dynamics = std::make_shared<const Dynamics>(s.model, DynamicsOptions{.rotor = s.rotor, .threads = 1, .most = InstructionSet::none});
      internal::sim::System system(s);
    });
  }

  std::string with_runs(std::string_view text, const YamlFields& top, std::uint64_t runs) const {
    if (!runs_) return std::string(text);
    std::string out;
    const int line = top.has("runs") ? top.line("runs") : 0;
    if (line == 0) out = cat("runs: ", runs, "\n");
    int number = 0;
    bool replaced = line == 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string row(text.substr(at, end - at));
      if (++number == line && row.rfind("runs:", 0) == 0) {
        const std::size_t comment = row.find(" #");
        row = cat("runs: ", runs, comment == std::string::npos ? "" : row.substr(comment));
        replaced = true;
      }
      out += row;
      if (end < text.size()) out += '\n';
      at = end + 1;
    }
    // In a flow mapping the number is within a line: a comment next to it states the requested one.
    return replaced ? out : cat("# --runs ", runs, "\n", text);
  }

  std::string hash_of(const Spec& spec) const {
    const ulna::sim::Scenario& s = spec.nominal.scenario;
    std::string all = cat(spec.text, "\n", template_text_, "\n", std::to_string(spec.runs), "\n");
    const auto add = [&](std::initializer_list<double> numbers) {
      for (const double x : numbers) all += ulna::internal::to_text(x) + ' ';
    };
    const auto pose = [&](const Pose<double>& X) { add({X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z}); };
    for (const Link& link : s.model.links()) {
      all += link.name + ' ';
      add({link.mass, link.com.x, link.com.y, link.com.z, link.inertia.xx, link.inertia.yy, link.inertia.zz, link.inertia.xy, link.inertia.xz,
           link.inertia.yz});
    }
    for (const Joint& j : s.model.joints()) {
      all += cat(j.name, " ", to_string(j.type), " ");
      pose(j.X_PF), pose(j.X_MB);
      add({j.axis.x, j.axis.y, j.axis.z, j.lower, j.upper, j.effort, j.velocity, j.rotor, j.gear, j.friction.viscous, j.friction.coulomb});
      if (j.friction.static_level != 0) add({j.friction.static_level});
      for (const FrictionField& field : further_friction())
        if (field.given(j.friction)) all += cat(field.name, " "), add({j.friction.*field.number});
      for (const RateLimit& limit : kRateLimits)
        if (std::isfinite(j.*limit.number)) add({j.*limit.number});
      if (j.mimic) add({static_cast<double>(j.mimic->leader), j.mimic->multiplier, j.mimic->offset});
    }
    for (const Variation& v : spec.variations)
      for (const double x : v.values) add({x});
    for (const std::vector<double>& row : s.law.table.tau)
      for (const double x : row) add({x});
    return to_hex(checksum(all));
  }

  Diagnostics& diagnostics_;
  std::string folder_, template_text_;
  const ReadLimits& limits_;
  std::optional<std::uint64_t> runs_;
  std::vector<Diagnostic> of_others_;
};

}  // namespace

std::uint64_t Campaign::runs() const { return spec_->runs; }
const std::string& Campaign::text() const { return spec_->text; }
const std::string& Campaign::hash() const { return spec_->hash; }
const std::vector<std::string>& Campaign::columns() const { return spec_->columns; }
const Model& Campaign::model() const { return spec_->nominal.scenario.model; }

CampaignResult try_parse_campaign(std::string_view text, const std::string& file, std::optional<std::uint64_t> runs, const ReadLimits& limits) {
  Diagnostics diagnostics(file);
  CampaignResult result;
  CampaignReader reader(diagnostics, file, limits, runs);
  std::shared_ptr<Spec> spec;
  if (const auto root = read_yaml_mapping(text, diagnostics, "a campaign", "'scenario: ...' and 'runs: ...'", limits, "give a campaign in YAML"))
    spec = reader.read(*root, without_mark(text));
  if (spec != nullptr && !diagnostics.has_errors()) result.campaign.emplace(std::move(spec));
  diagnostics.sort_by_line();
  result.diagnostics = diagnostics.all();
  result.diagnostics.insert(result.diagnostics.end(), reader.of_others().begin(), reader.of_others().end());
  return result;
}

CampaignResult try_load_campaign(const std::string& path, std::optional<std::uint64_t> runs, const ReadLimits& limits) {
  Diagnostics problems(path);
  const std::optional<std::string> text = internal::campaign::read_spec(path, "campaign", limits, problems);
  return text ? try_parse_campaign(*text, path, runs, limits) : CampaignResult{{}, problems.all()};
}

Campaign load_campaign(const std::string& path, std::optional<std::uint64_t> runs) {
  CampaignResult result = try_load_campaign(path, runs);
  if (!result.campaign) throw SourceError(std::move(result.diagnostics));
  return *std::move(result.campaign);
}

}  // namespace ULNA_API
}  // namespace ulna
