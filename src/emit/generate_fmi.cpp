// A robot as a unit of FMI 2.0 or 3.0 for co-simulation: torques in, motion out, with its own integrator; or a scenario, a robot with its law. NAME.fmu is a
// ZIP file with modelDescription.xml, the C source and, where there is a compiler, the library that it makes. The standard: fmi-standard.org, versions 2.0.4
// and 3.0.1.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include <ulna/model/model.hpp>
#include <ulna/version.hpp>
#include "dynamics/joint-inl.hpp"

#include "emit/c_compiler.hpp"
#include "emit/fmi.hpp"
#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "model/link_named.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"
#include "trace/run_time.hpp"

namespace ulna::internal {

namespace {

// NAME.fmu is a ZIP file: PKWARE's APPNOTE 6.3, of which this is method 0 (stored): a header and the bytes of each file, then a directory of all of them.

/// CRC-32 of ISO 3309, bits reversed: polynomial 0xedb88320.
std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> all{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      all[n] = n;
      for (int bit = 0; bit < 8; ++bit) all[n] = (all[n] >> 1) ^ ((all[n] & 1) != 0 ? 0xedb88320u : 0);
    }
    return all;
  }();
  std::uint32_t sum = 0xffffffffu;
  for (const char c : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 255];
  return ~sum;
}

void add(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
}

/// What a file's header and its row of the directory have in common.
void add_facts(std::string& out, const std::string& name, std::string_view bytes) {
  add(out, 20, 2);      // version 2.0 reads it
  add(out, 0x0800, 2);  // names are UTF-8
  add(out, 0, 2);       // stored
  add(out, 0, 2);       // midnight
  add(out, 0x21, 2);    // of 1 January 1980, the first day there is
  add(out, checksum(bytes), 4);
  add(out, bytes.size(), 4);
  add(out, bytes.size(), 4);
  add(out, name.size(), 2);
  add(out, 0, 2);
}

/// An archive of these files, name and bytes each, as they are and not compressed; of no date, so that the same files give the same bytes.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out, directory;
  for (const auto& [name, bytes] : files) {
    const std::size_t at = out.size();
    add(out, 0x04034b50, 4);
    add_facts(out, name, bytes);
    out += name;
    out += bytes;
    add(directory, 0x02014b50, 4);
    add(directory, 0x0314, 2);  // written by Unix, version 2.0
    add_facts(directory, name, bytes);
    add(directory, 0, 2);               // no comment
    add(directory, 0, 2);               // first disk
    add(directory, 0, 2);               // bytes
    add(directory, 0100644u << 16, 4);  // a file that all may read
    add(directory, at, 4);
    directory += name;
  }
  const std::size_t at = out.size();
  out += directory;
  add(out, 0x06054b50, 4);
  add(out, 0, 4);
  add(out, files.size(), 2);
  add(out, files.size(), 2);
  add(out, directory.size(), 4);
  add(out, at, 4);
  add(out, 0, 2);
  return out;
}

// The unit.

constexpr double kTolerance = 1e-9;  // of `ulna simulate`, too
constexpr double kSmooth = 1e-3;

class UnitSyntax : public Syntax {
 public:
  using Syntax::Syntax;
  std::string called(const std::string& function, const std::string& x) const override { return cat(function, "(", x, ")"); }
  std::string power(const std::string& x, const std::string& exponent) const override { return cat("pow(", x, ", ", exponent, ")"); }
  std::string sign(const std::string& x) const override { return cat("(", x, " > 0) - (", x, " < 0)"); }
};

struct Variable {
  enum Kind { fixed, tunable, input, state, result } kind;
  std::string name, unit, meaning;
  double start = 0;
};

/// Units by their powers of kg, m, s and rad.
struct UnitRow {
  const char *name, *powers;
};
constexpr UnitRow kUnits[] = {{"s", "s=\"1\""},
                              {"rad", "rad=\"1\""},
                              {"rad/s", "rad=\"1\" s=\"-1\""},
                              {"rad/s2", "rad=\"1\" s=\"-2\""},
                              {"m", "m=\"1\""},
                              {"m/s", "m=\"1\" s=\"-1\""},
                              {"m/s2", "m=\"1\" s=\"-2\""},
                              {"kg", "kg=\"1\""},
                              {"kg.m2", "kg=\"1\" m=\"2\""},
                              {"N", "kg=\"1\" m=\"1\" s=\"-2\""},
                              {"N.m", "kg=\"1\" m=\"2\" s=\"-2\""},
                              {"N.s/m", "kg=\"1\" s=\"-1\""},
                              {"N.m.s/rad", "kg=\"1\" m=\"2\" s=\"-1\" rad=\"-1\""}};

class Unit {
 public:
  /// `scenario` is null for the robot alone; else its robot, with its payloads, is what is analysed.
  Unit(const Analysis& analysis, const GenerateOptions& options, const sim::Scenario* scenario)
      : model_(analysis.model()), options_(options), scenario_(scenario), version_(options.target == "fmi3" ? 3 : 2) {
    GenerateOptions forward = options;
    forward.what = {"forward"};
    for (const Joint& joint : model_.joints())
      if (options.friction && joint.friction.load != 0)
        throw std::invalid_argument(cat("joint ", in_quotes(joint.name), " has friction that depends on its load, which units of FMI do not have"));
    forward.friction = false;  // it is smooth in a simulation, and the unit takes it from the torques itself
    forward.single_file = true;
    robot_ = prepare(analysis, forward);
    prefix_ = robot_.prefix_or(robot_.name + "_");
    if (!options.parameters.empty()) {
      const std::size_t link = options.parameters_link.empty() ? model_.links().size() - 1 : link_named(model_, options.parameters_link);
      run_time_ = run_time_inputs(model_, options.parameters, link);
    }
    if (scenario_ != nullptr && !law_function(scenario_->law).empty()) {
      GenerateOptions own;
      own.what = {law_function(scenario_->law)};
      own.single_file = true;
      own.name = robot_.name + "_law";
      own.snap = options.snap;
      law_ = prepare(sim::believed(scenario_->model, scenario_->law), own);
    }
    list_variables();
  }

  std::vector<GeneratedFile> files() const {
    const std::string guid = cat("{", robot_.hash, "-", fingerprint(), "}");
    std::vector<std::string> sources{c_source(guid)};
    std::vector<std::pair<std::string, std::string>> contents{{"modelDescription.xml", description(guid)}, {cat("sources/", robot_.name, ".c"), sources[0]}};
    if (law_) {
      sources.push_back(files_in_c(*law_).front().text);
      contents.emplace_back(cat("sources/", law_->name, ".c"), sources[1]);
    }
    if (version_ == 3)
      contents.emplace_back(
          "sources/buildDescription.xml",
          cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"", robot_.name,
              "\">\n    <SourceFileSet language=\"C99\">\n", source_list("SourceFile"),
              "    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n"));
    if (const char* platform = this_platform(); platform == nullptr)
      warn(cat("FMI ", version_, " has no name for the platform of this computer: the FMU contains source code only"));
    else if (std::string library = compiled(sources); !library.empty())
      contents.emplace_back(cat("binaries/", platform, "/", robot_.name, this_ending()), std::move(library));
    return {{robot_.name + ".fmu", zipped(contents)}};
  }

 private:
  const char* this_platform() const {
#if defined(__linux__) && defined(__x86_64__)
    return version_ == 3 ? "x86_64-linux" : "linux64";
#elif defined(__linux__) && defined(__aarch64__)
    return version_ == 3 ? "aarch64-linux" : nullptr;
#elif defined(__APPLE__) && defined(__aarch64__)
    return version_ == 3 ? "aarch64-darwin" : "darwin64";
#elif defined(__APPLE__)
    return version_ == 3 ? "x86_64-darwin" : "darwin64";
#else
    return nullptr;
#endif
  }
  static const char* this_ending() {
#if defined(__APPLE__)
    return ".dylib";
#else
    return ".so";
#endif
  }
  void warn(const std::string& message) const {
    if (options_.warning) options_.warning(message);
  }

  std::size_t add(Variable variable) {
    variable.name = xml_text(variable.name);  // and the replaced characters may have distinguished two names
    while (!names_.insert(variable.name).second) variable.name += "_";
    variables_.push_back(std::move(variable));
    return variables_.size() - 1;
  }
  void list_variables() {
    if (scenario_ != nullptr)
      add({Variable::fixed, "step", "s", "step of the integrator, Runge and Kutta's of order four", scenario_->integrator.step});
    else
      add({Variable::fixed, "tolerance", "", "error of an integrator's step, absolute and relative", kTolerance});
    if (options_.friction)
      smooth_ = add({Variable::fixed, "friction.smooth", "", "speed that the jump of Coulomb friction is spread over",
                     scenario_ != nullptr ? scenario_->friction.smooth : kSmooth});
    tunable_ = variables_.size();
    if (options_.friction) list_friction();
    list_parameters();
    gains_ = variables_.size();
    if (scenario_ != nullptr) list_gains();
    inputs_ = variables_.size();
    const std::vector<std::string> q = model_.position_names(), v = model_.velocity_names(), tau = model_.effort_names();
    const std::size_t base = base_nv(model_.base());
    // Of a free base angles come first in v, of a planar one last.
    const auto slides_among = [&](const std::vector<std::size_t>& joints, std::size_t k) {
      if (k >= base) return model_.joints()[joints[k - base]].type == JointType::prismatic;
      return robot_.free ? k >= 3 : k < 2;
    };
    const std::vector<std::size_t> driven = model_.driven();
    const auto slides = [&](std::size_t k) { return slides_among(driven, k); };
    const std::vector<double> zero = scenario_ != nullptr ? scenario_->q : model_.reference();
    const char* const given = scenario_ != nullptr ? "added to what the law gives, held within a step" : "what the drive gives, held within a step";
    for (std::size_t k = 0; k < tau.size(); ++k) add({Variable::input, "tau." + tau[k], slides(k) ? "N" : "N.m", given});
    if (!options_.wrench_at.empty())
      for (const char* x : {"fx", "fy", "fz", "nx", "ny", "nz"})
        add({Variable::input, cat("wrench.", x), x[0] == 'f' ? "N" : "N.m", cat("on link '", options_.wrench_at, "' at its origin, in its axes")});
    q_ = variables_.size();
    for (std::size_t k = 0; k < q.size(); ++k) {
      const bool quaternion = robot_.free && k >= 3 && k < 7, place = robot_.free && k < 3;
      const std::size_t rate = robot_.free && k >= 7 ? k - 1 : k;
      add({Variable::state, "q." + q[k], quaternion ? "" : place || slides_among(model_.independent(), rate) ? "m" : "rad", "position", zero[k]});
    }
    for (std::size_t k = 0; k < v.size(); ++k)
      add({Variable::state, "v." + v[k], slides(k) ? "m/s" : "rad/s", "velocity", scenario_ != nullptr ? scenario_->v[k] : 0});
    for (std::size_t k = 0; k < v.size(); ++k) add({Variable::result, "a." + v[k], slides(k) ? "m/s2" : "rad/s2", "acceleration"});
    for (std::size_t k = 0; k < tau.size() && scenario_ != nullptr; ++k)
      add({Variable::result, "law." + tau[k], slides(k) ? "N" : "N.m", "what the law gives"});
  }
  /// In the order of law_in_c().
  void list_gains() {
    const std::vector<std::size_t> driven = model_.driven();
    const sim::LawSettings& law = scenario_->law;
    for (const auto& [name, gains] : {std::pair{"kp.", &law.kp}, std::pair{"kd.", &law.kd}, std::pair{"ki.", &law.ki}})
      for (std::size_t k = 0; k < gains->size(); ++k) add({Variable::tunable, name + model_.joints()[driven[k]].name, "", "gain of the law", (*gains)[k]});
  }
  void list_friction() {
    for (const Joint& joint : model_.joints()) {
      if (joint.type == JointType::fixed) continue;
      const bool slides = joint.type == JointType::prismatic;
      add({Variable::tunable, "viscous." + joint.name, slides ? "N.s/m" : "N.m.s/rad", "viscous friction", joint.friction.viscous});
      add({Variable::tunable, "coulomb." + joint.name, slides ? "N" : "N.m", "Coulomb friction", joint.friction.coulomb});
    }
  }
  void list_parameters() {
    parameters_ = variables_.size();
    for (const RunTimeInput& input : run_time_) {
      const Link& link = model_.links()[input.link];
      const bool load = input.kind == RunTimeInput::payload;
      const std::string name = load ? "payload" : "link." + link.name, meaning = cat(load ? "of a load on link '" : "of link '", link.name, "'");
      add({Variable::tunable, name + ".mass", "kg", "mass " + meaning, load ? 0 : link.mass});
      if (input.kind == RunTimeInput::mass) continue;
      const Vec3<double> c = load ? Vec3<double>{} : link.com;
      const Sym3<double> I = load ? Sym3<double>{} : link.inertia;
      add({Variable::tunable, name + ".com.x", "m", "mass centre " + meaning, c.x});
      add({Variable::tunable, name + ".com.y", "m", "mass centre " + meaning, c.y});
      add({Variable::tunable, name + ".com.z", "m", "mass centre " + meaning, c.z});
      const std::pair<const char*, double> moments[] = {{"xx", I.xx}, {"yy", I.yy}, {"zz", I.zz}, {"xy", I.xy}, {"xz", I.xz}, {"yz", I.yz}};
      for (const auto& [axes, moment] : moments)
        add({Variable::tunable, cat(name, ".inertia.", axes), "kg.m2", cat("inertia about the mass centre ", meaning), moment});
    }
  }

  /// Of the variables: units of one robot with other options have different identifiers.
  std::string fingerprint() const {
    std::uint64_t state = 0xcbf29ce484222325u;  // FNV-1a
    const auto take = [&](const std::string& text) {
      for (const char c : text + '\n') state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    };
    take(ULNA_VERSION);
    for (const Variable& v : variables_) take(cat(v.name, " ", to_text(v.start)));
    std::string out(16, '0');
    for (std::size_t i = 0; i < 16; ++i) out[i] = "0123456789abcdef"[(state >> (60 - 4 * i)) & 15];
    return out;
  }

  std::string source_list(const char* element) const {
    return cat("      <", element, " name=\"", robot_.name, ".c\"/>\n", law_ ? cat("      <", element, " name=\"", law_->name, ".c\"/>\n") : "");
  }

  /// Versions 2 and 3 differ in names, and in that the latter lists variables by their references and has time among them.
  std::string description(const std::string& guid) const {
    const bool old = version_ == 2;
    const char* const state = old ? "FMUstate" : "FMUState";
    std::string out = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"", version_, ".0\" modelName=\"",
                          xml_text(robot_.robot), "\" ", old ? "guid" : "instantiationToken", "=\"", guid, "\" description=\"",
                          scenario_ != nullptr ? xml_text(cat("Scenario ", scenario_->name)) : "Equations of motion; torques in, motion out",
                          "\" generationTool=\"Ulna " ULNA_VERSION "\" variableNamingConvention=\"flat\">\n");
    out += cat("  <CoSimulation modelIdentifier=\"", robot_.name, "\" canHandleVariableCommunicationStepSize=\"true\" canGetAndSet", state,
               "=\"true\" canSerialize", state, "=\"true\"",
               old ? cat(">\n    <SourceFiles>\n", source_list("File"), "    </SourceFiles>\n  </CoSimulation>") : "/>", "\n  <UnitDefinitions>\n");
    for (const UnitRow& unit : kUnits) out += cat("    <Unit name=\"", unit.name, "\"><BaseUnit ", unit.powers, "/></Unit>\n");
    out +=
        cat("  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n",
            "  <DefaultExperiment startTime=\"0\" stopTime=\"",
            scenario_ != nullptr ? cat(to_text(scenario_->duration), "\" stepSize=\"", to_text(scenario_->output_step))
                                 : cat("1\" tolerance=\"", to_text(kTolerance), "\" stepSize=\"0.01"),
            "\"/>\n  <ModelVariables>\n");
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const Variable& v = variables_[i];
      static constexpr const char* kFacts[] = {
          "causality=\"parameter\" variability=\"fixed\" initial=\"exact\"", "causality=\"parameter\" variability=\"tunable\" initial=\"exact\"",
          "causality=\"input\" variability=\"continuous\"", "causality=\"output\" variability=\"continuous\" initial=\"exact\"",
          "causality=\"output\" variability=\"continuous\" initial=\"calculated\""};
      const std::string numbers =
          cat(v.unit.empty() ? "" : cat(" unit=\"", v.unit, "\""), v.kind == Variable::result ? "" : cat(" start=\"", to_text(v.start), "\""));
      out += cat("    <", old ? "ScalarVariable" : "Float64", " name=\"", v.name, "\" valueReference=\"", i, "\" description=\"", xml_text(v.meaning), "\" ",
                 kFacts[v.kind], old ? "><Real" : "", numbers, old ? "/></ScalarVariable>\n" : "/>\n");
    }
    if (!old)
      out += cat("    <Float64 name=\"time\" valueReference=\"", variables_.size(), "\" causality=\"independent\" variability=\"continuous\" unit=\"s\"/>\n");
    std::string outputs, unknowns;
    for (std::size_t i = q_; i < variables_.size(); ++i) {
      const auto row = [&](const char* name) { return cat("    <", name, " valueReference=\"", i, "\"/>\n"); };
      const std::string unknown = cat("      <Unknown index=\"", i + 1, "\"/>\n");
      outputs += old ? unknown : row("Output");
      if (variables_[i].kind == Variable::result) unknowns += old ? unknown : row("InitialUnknown");
    }
    if (old) outputs = cat("    <Outputs>\n", outputs, "    </Outputs>\n"), unknowns = cat("    <InitialUnknowns>\n", unknowns, "    </InitialUnknowns>\n");
    return out + cat("  </ModelVariables>\n  <ModelStructure>\n", outputs, unknowns, "  </ModelStructure>\n</fmiModelDescription>\n");
  }

  std::string c_source(const std::string& guid) const {
    const bool tabled = !run_time_.empty();
    const std::size_t table = tabled ? robot_.functions.front().program.results.size() : 0;
    std::string out = files_in_c(robot_).front().text;
    out += "\n/* --- this robot for the unit below: every variable has its number in x, by its value reference --------------------------------------- */\n";
    out += "#include <string.h>\n";
    const auto define = [&](const char* name, const std::string& value) { out += cat("#define UNIT_", name, " ", value, "\n"); };
    define("GUID", cat("\"", guid, "\""));
    define("NQ", cat(model_.nq()));
    define("NV", cat(model_.nv()));
    define("FREE", robot_.free ? "1" : "0");
    define("TABLE", cat(table));
    define("VARIABLES", cat(variables_.size()));
    define(scenario_ != nullptr ? "STEP" : "TOLERANCE", "0");
    define("SMOOTH", smooth_ == kNone ? "-1" : cat(smooth_));
    define("FIXED", cat(tunable_));
    define("INPUTS", cat(inputs_));
    define("Q", cat(q_));
    out += "static void unit_start(double *x)\n{\n  static const double start[UNIT_VARIABLES] = {\n";
    for (const Variable& v : variables_) out += cat("    ", signed_literal(v.start, Real::double_precision), ", /* ", comment_text(v.name), " */\n");
    out += "  };\n  memcpy(x, start, sizeof start);\n}\n";
    out += "static void unit_fold(const double *x, double *table)\n{\n";
    if (tabled) {
      out += cat("  ", prefix_, "fold(");
      std::size_t at = parameters_;
      for (const RunTimeInput& input : run_time_) out += cat("x + ", at, ", "), at += input.size();
      out += "table);\n}\n";
    } else {
      out += "  (void)x;\n  (void)table;\n}\n";
    }
    if (model_.closed()) {
      define("CLOSED", "1e-9");
      out += cat("static void unit_speeds(const double *q, const double *v, double *speeds) { ", prefix_, Generated::kSpeeds, "(q, v, speeds); }\n",
                 "static double unit_close(double *q, int steps) { return ", prefix_, "close(q, steps); }\n");
    }
    out +=
        cat("static void unit_friction(const double *x, ", model_.closed() ? "const double *q, " : "", "const double *v, double *tau)\n{\n", friction(), "}\n");
    out += cat("static void unit_forward(const double *x, const double *table, const double *q, const double *v, const double *tau, double *a)\n{\n",
               options_.wrench_at.empty() ? "  (void)x;\n" : "", tabled ? "" : "  (void)table;\n", "  ", prefix_, to_string(Quantity::forward), "(q, v, tau",
               options_.wrench_at.empty() ? "" : cat(", x + ", inputs_ + model_.nv()), tabled ? ", table" : "", ", a);\n}\n");
    if (scenario_ != nullptr) out += law_in_c(*scenario_, gains_, law_ ? law_->prefix_or(law_->name + "_") : "");
    return out + fmi_source(version_, model_.closed(), scenario_ != nullptr);
  }
  /// In the order of list_friction().
  std::string friction() const {
    if (!options_.friction) return cat("  (void)x;\n", model_.closed() ? "  (void)q;\n" : "", "  (void)v;\n  (void)tau;\n");
    std::string out;
    std::size_t at = tunable_;
    const std::size_t base = base_nv(model_.base());
    // Of a robot with loops `lost` is of the tree's coordinates; column k of G is what they do while coordinate k moves alone.
    const char *const rates = model_.closed() ? "speeds" : "v", *const from = model_.closed() ? "lost" : "tau";
    if (model_.closed())
      out +=
          cat("  double speeds[", model_.nv_tree(), "], lost[", model_.nv_tree(), "] = {0}, unit[UNIT_NV] = {0};\n  int i, k;\n  unit_speeds(q, v, speeds);\n");
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      if (joint.type == JointType::fixed) continue;
      const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
      const auto& independent = model_.independent();
      const auto k = base + static_cast<std::size_t>(std::find(independent.begin(), independent.end(), leader) - independent.begin());
      const std::string times = joint.mimic ? signed_literal(joint.mimic->multiplier, Real::double_precision) : "1.0",
                        rate = cat("(", times, " * ", rates, "[", k, "])");
      // Viscous and Coulomb friction are variables of the unit, what there is besides is numbers. A joint's own smoothing speed goes before the unit's.
      const UnitSyntax c(Real::double_precision);
      FrictionOf<Text> numbers = joint.friction.cast<Text>();
      const FrictionOf<Text> usual{Text(cat("x[", at, "]"), c), Text(cat("x[", at + 1, "]"), c), {}};
      if (joint.friction.smoothing_speed == 0) numbers.smoothing_speed = Text("x[UNIT_SMOOTH]", c);
      const Text v(rate, c);
      const Text side = kernel::side_of(numbers, v);
      const Text taken = kernel::friction(usual, v, side) + (joint.friction.plain() ? Text() : kernel::further_friction(numbers, v, side));
      out += cat("  ", from, "[", k, "] -= ", times, " * (", taken.text(c), ");\n");
      at += 2;
    }
    if (model_.closed())
      out += cat("  for (k = 0; k < UNIT_NV; ++k) {\n    unit[k] = 1;\n    unit_speeds(q, unit, speeds);\n    unit[k] = 0;\n    for (i = 0; i < ",
                 model_.nv_tree(), "; ++i) tau[k] += speeds[i] * lost[i];\n  }\n");
    return out;
  }

  /// The shared library; nothing, and a warning, where it cannot be made.
  std::string compiled(const std::vector<std::string>& sources) const {
    if (options_.progress) options_.progress("the compiler");
    const OwnFolder folder;
    const std::optional<std::string> compiler = folder.path().empty() ? std::nullopt : find_c_compiler(folder);
    if (!compiler) {
      warn(cat(kNoCompiler, ": the FMU contains source code only, which the program that loads it must compile"));
      return {};
    }
    std::vector<std::string> call{*compiler};
    for (std::size_t k = 0; k < sources.size(); ++k) {
      call.push_back(folder.file(cat("unit", k, ".c")));
      std::ofstream(call.back(), std::ios::binary) << sources[k];
    }
    const char* const level = model_.joints().size() > kMostGeneratedJoints ? "-O1" : "-O2";
    const std::string library = folder.file("unit");
    for (const std::string& word : {std::string("-std=c99"), std::string(level), std::string("-shared"), std::string("-fPIC"),
                                    std::string("-fvisibility=hidden"), std::string("-lm"), std::string("-o"), library})
      call.push_back(word);
    if (run_program(call, folder.file("said")) != 0) {
      warn(cat("the C compiler ", *compiler, " failed or took too long: the FMU contains source code only. The compiler said: ",
               visible(beginning_of_file(folder.file("said")).substr(0, 300))));
      return {};
    }
    std::ifstream in(library, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const Model& model_;
  const GenerateOptions& options_;
  const sim::Scenario* scenario_;
  int version_;  // of FMI
  GeneratedRobot robot_;
  std::optional<GeneratedRobot> law_;  // the law's model of the robot, where it has one
  std::string prefix_;
  std::vector<RunTimeInput> run_time_;
  std::vector<Variable> variables_;
  std::set<std::string> names_;
  std::size_t smooth_ = kNone, tunable_ = 0, parameters_ = 0, gains_ = 0, inputs_ = 0, q_ = 0;  // value references
};

}  // namespace

std::vector<GeneratedFile> files_for_fmi(const Analysis& analysis, const GenerateOptions& options, const sim::Scenario* scenario) {
  if (options.language != "c" || options.real != Real::double_precision)
    throw std::invalid_argument("an FMU is in C and in double precision: generate it without another language or precision");
  if (options.batch) throw std::invalid_argument("an FMU simulates one robot: generate it without batch entries");
  if (options.what != GenerateOptions{}.what && options.what != std::vector<std::string>{"forward"})
    throw std::invalid_argument("--what cannot be combined with --for fmi: an FMU maps torques to the motion");
  return Unit(analysis, options, scenario).files();
}

}  // namespace ulna::internal
