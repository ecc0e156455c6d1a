// What people check is what they ship: results come by machine code, and are those of the templates but for rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/program.hpp"

namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<double>>;

void flatten(const json& value, std::vector<double>& out) {
  if (value.is_array())
    for (const json& element : value) flatten(element, out);
  else
    out.push_back(value.get<double>());
}

Rows rows_of(const json& field) {
  Rows rows;
  for (const json& row : field) flatten(row, rows.emplace_back());
  return rows;
}

double largest(const std::vector<double>& row) {
  double most = 0;
  for (const double x : row) most = std::max(most, std::abs(x));
  return most;
}

/// 37 random states: more than one block of lanes, and one that is not full.
std::string random_states(const std::string& robot) {
  const json info = ulna_json("info " + robot);
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  std::string csv;
  for (const char* part : {"q.", "v.", "a.", "tau."})
    for (const json& joint : info["joints"]) csv += (csv.empty() ? "" : ",") + std::string(part) + joint["name"].get<std::string>();
  csv += "\n";
  for (int k = 0; k < 37; ++k) {
    for (std::size_t i = 0; i < 4 * info["joints"].size(); ++i) csv += (i == 0 ? "" : ",") + std::to_string(uniform(engine));
    csv += "\n";
  }
  return csv;
}

/// With one way and the other: as far apart as rounding puts sums of this size.
void expect_same(const std::string& call, const std::string& field, double tolerance = 1e-12) {
  SCOPED_TRACE(call);
  const json on = ulna_json(call), off = ulna_json(call + " --compiled off");
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_EQ(on["computed_by"], "compiled-double");
#endif
  EXPECT_EQ(off["computed_by"], "templates");
  const Rows a = rows_of(on[field]), b = rows_of(off[field]);
  ASSERT_EQ(a.size(), 37u);
  ASSERT_EQ(b.size(), 37u);
  double most = 0;  // of all states: what a result of one of them may be zero by chance
  for (const std::vector<double>& row : b) most = std::max(most, largest(row));
  EXPECT_GT(most, 0);
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].size(), b[k].size());
    for (std::size_t i = 0; i < a[k].size(); ++i) ASSERT_NEAR(a[k][i], b[k][i], tolerance * most) << "state " << k << ", number " << i;
  }
}

/// Accelerations differ by what M⁻¹ makes of rounding: the torques that belong to them must be those that were given.
void expect_same_forward(const std::string& robot, const std::string& options, const std::string& states, const std::string& csv) {
  SCOPED_TRACE("forward " + robot + options);
  const json result = ulna_json("forward " + robot + options + " --states " + states);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_EQ(result["computed_by"], "compiled-double");
#endif
  const Rows a = rows_of(result["a"]);
  const std::size_t n = a[0].size();
  // The same states with the accelerations that came out.
  std::string again = csv.substr(0, csv.find('\n') + 1);
  std::vector<std::vector<double>> tau;
  std::size_t at = again.size();
  for (const std::vector<double>& row : a) {
    std::vector<std::string> cells(1);
    for (; csv[at] != '\n'; ++at) {
      if (csv[at] == ',')
        cells.emplace_back();
      else
        cells.back() += csv[at];
    }
    ++at;
    tau.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      tau.back().push_back(std::stod(cells[3 * n + i]));
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", row[i]);
      cells[2 * n + i] = text;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) again += (i == 0 ? "" : ",") + cells[i];
    again += "\n";
  }
  const TemporaryFile file("again.csv", again);
  const std::string by_templates = " --compiled off --states '" + file.path() + "'";
  const Rows back = rows_of(ulna_json("inverse " + robot + options + by_templates)["tau"]), M = rows_of(ulna_json("mass " + robot + by_templates)["M"]);
  for (std::size_t k = 0; k < a.size(); ++k) {
    double terms = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) terms = std::max(terms, std::abs(M[k][i * n + j] * a[k][j]));
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(back[k][i], tau[k][i], 1e-11 * std::max(terms, largest(tau[k]))) << "state " << k << ", joint " << i + 1;
  }
}

const char* const kMimic = R"(<robot name="gripper"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
<link name="left"><inertial><origin xyz="0 0.1 0"/><mass value="0.3"/><inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="right"><inertial><origin xyz="0 -0.1 0.02"/><mass value="0.4"/><inertia ixx="0.002" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><dynamics damping="0.3" friction="0.2"/></joint>
<joint name="grip" type="continuous"><origin xyz="0.4 0 0" rpy="0.3 0 0"/><parent link="arm"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="follow" type="continuous"><origin xyz="0.4 0 0"/><parent link="arm"/><child link="right"/><axis xyz="1 0 1"/><mimic joint="grip" multiplier="-1.5" offset="0.2"/></joint>
</robot>)";

// Asked for by name, an instruction set is the one that computes, and one that the computer lacks is refused.
TEST(Compiled, TakesAnInstructionSet) {
#if defined(__x86_64__)
  const std::string here = "sse2", absent = "neon";
#elif defined(__aarch64__)
  const std::string here = "neon", absent = "avx2";
#else
  GTEST_SKIP() << "no machine code here";
#endif
  const std::string call = "inverse panda --q 0.1,0.2,0.3,-1,0.5,0.6,0.7 --v 1,2,3,4,5,6,7 --instruction-set ";
  const json by = ulna_json(call + here), templates = ulna_json(call + "none");
  EXPECT_EQ(by["computed_by"], "compiled-double");
  EXPECT_EQ(templates["computed_by"], "templates");
  const Rows a = rows_of(by["tau"]), b = rows_of(templates["tau"]);
  ASSERT_EQ(a.at(0).size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(a[0][i], b.at(0)[i], 1e-12 * largest(b[0]));
  for (const char* command : {"inverse panda --q 0,0,0,0,0,0,0", "verify panda", "bench panda", "simulate pendulum"})
    expect_refused(std::string(command) + " --instruction-set " + absent,
                   "option --instruction-set: this computer does not have " + absent + "; it has none, " + here);
  expect_refused("bench panda --instruction-set neom", "did you mean 'neon'");
}

TEST(Compiled, GivesWhatTheTemplatesGive) {
  const TemporaryFile mimic("gripper.urdf", kMimic);
  for (const std::string& robot : {std::string("stanford"), std::string("panda"), std::string("puma560"), std::string("scara"), std::string("torso"),
                                   std::string("humanoid-38"), "'" + mimic.path() + "'"}) {
    const std::string csv = random_states(robot);
    const TemporaryFile file("states.csv", csv);
    const std::string states = "'" + file.path() + "'", call = " " + robot + " --states " + states;
    expect_same("inverse" + call, "tau");
    expect_same("inverse" + call + " --rotor off --friction on --gravity 1,2,-3", "tau");
    expect_same("inverse" + call + " --snap 0", "tau");
    expect_same("mass" + call, "M");
    expect_same("mass" + call + " --rotor off", "M");
    expect_same("bias" + call + " --friction on", "bias");
    if (robot != "scara") expect_same("gravity" + call, "gravity");
    expect_same("coriolis" + call, "C");
    expect_same("pose" + call, "pose");
    const json links = ulna_json("info " + robot)["links"];
    expect_same("jacobian" + call + " --link " + links.back()["name"].get<std::string>(), "J");
    expect_same_forward(robot, "", states, csv);
    expect_same_forward(robot, " --friction on", states, csv);
  }
}

// A robot that no rule of mechanics allows is computed as it is, by both ways.
TEST(Compiled, TakesModelsThatAreUnchecked) {
  std::string text = kMimic;
  text.replace(text.find("value=\"0.3\""), 11, "value=\"-0.3\"");
  const TemporaryFile broken("broken.urdf", text);
  const std::string robot = "'" + broken.path() + "' --unchecked";
  const TemporaryFile file("states.csv", random_states(robot));
  for (const auto& [command, field] : {std::pair("inverse", "tau"), std::pair("mass", "M"), std::pair("bias", "bias"), std::pair("gravity", "gravity")})
    expect_same(std::string(command) + " " + robot + " --states '" + file.path() + "'", field, 1e-11);
}

TEST(Compiled, SaysByWhatAResultWasComputed) {
  EXPECT_EQ(ulna_json("inverse panda --compiled off")["computed_by"], "templates");
  EXPECT_EQ(ulna_json("inverse panda --wrench hand:1,0,0,0,0,0@link")["computed_by"], "templates");
  EXPECT_EQ(ulna_json("forward panda --method articulated")["computed_by"], "templates");
  EXPECT_EQ(ulna_json("energy panda")["computed_by"], "templates");
  EXPECT_EQ(ulna_json("inverse panda --formulation lagrange")["computed_by"], "lagrange");
  EXPECT_NE(ulna("inverse panda --base-velocity 0,0,1,0,0,0").out.find("Computed by the precompiled C++ algorithms: machine code has no --base-velocity."),
            std::string::npos);
  EXPECT_EQ(ulna("inverse panda").out.find("Computed by"), std::string::npos);
  EXPECT_EQ(ulna("inverse panda --compiled off").out.find("Computed by"), std::string::npos);
  expect_refused("inverse panda --compiled maybe", "takes on or off, not 'maybe'");
  expect_refused("energy panda --compiled on", "has no option '--compiled'");
  // Hundreds of joints: machine code only for whoever asks for it.
  const TemporaryFile chain("chain.urdf", chain_of(201));
  const json large = ulna_json("inverse '" + chain.path() + "'");
  EXPECT_EQ(large["computed_by"], "templates");
}

TEST(Compiled, CoriolisAndGravityByAPapersFormulation) {
  const std::string state = " puma560 --q 0.1,-0.5,0.7,0.2,0.3,-0.4", gravity = "gravity" + state,
                    coriolis = "coriolis" + state + " --v 1,-0.5,0.3,0.8,-0.2,0.6";
  const auto of = [](const std::string& call, const char* field) {
    std::vector<double> flat;
    const json all = ulna_json(call);
    for (const json& row : all[field][0])
      for (const json& x : row.is_array() ? row : json::array({row})) flat.push_back(x.get<double>());
    return flat;
  };
  const std::vector<double> G = of(gravity, "gravity"), C = of(coriolis, "C");
  ASSERT_EQ(G.size() + C.size(), 42u);
  for (const char* id : {"lagrange", "strobing", "lin", "renaud"}) {
    const std::vector<double> own_G = of(gravity + " --formulation " + id, "gravity"), own_C = of(coriolis + " --formulation " + id, "C");
    for (std::size_t k = 0; k < G.size(); ++k) EXPECT_NEAR(own_G[k], G[k], 1e-12) << id;
    for (std::size_t k = 0; k < C.size(); ++k) EXPECT_NEAR(own_C[k], C[k], 1e-12) << id;
  }
  expect_refused("coriolis puma560 --formulation kane", "it gives torque, mass, bias, not coriolis");
}

// --q as in the report of the fault: 0 was printed for q2, which needs -21.16 N m.
TEST(HornRaibertCommand, RefusesOrBoundsWhatLiesBetweenTheNodes) {
  const std::string call = "inverse stanford --formulation horn-raibert --q ", between = "0.3,1.1,0.15,-0.4,0.7,0.2";
  expect_refused(call + between, "this state lies between them; the nearest node is ");
  const std::string message = ulna(call + between).err;
  const std::size_t start = message.find("nearest node is ") + 16;
  const std::string node = message.substr(start, message.find(';', start) - start);
  const json at_node = ulna_json(call + node), exact = ulna_json("inverse stanford --q " + node);
  double most = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(at_node["tau"][0][i].get<double>(), exact["tau"][0][i].get<double>(), 1e-12);
    most = std::max(most, std::abs(exact["tau"][0][i].get<double>()));
  }
  EXPECT_GT(most, 1);  // no pose in which all sines vanish
  const json accepted = ulna_json(call + between + " --accept-interpolation"), right = ulna_json("inverse stanford --q " + between);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_LE(std::abs(accepted["tau"][0][i].get<double>() - right["tau"][0][i].get<double>()), accepted["error_bound"][0][i].get<double>() + 1e-12);
  EXPECT_GT(accepted["error_bound"][0][1].get<double>(), 1);
  EXPECT_LT(accepted["error_bound"][0][1].get<double>(), 100);
  EXPECT_NE(ulna(call + between + " --accept-interpolation").out.find("off by at most"), std::string::npos);
  EXPECT_EQ(ulna(call + between + " --accept-interpolation --csv").out.rfind("tau.q1,tau.q2,tau.q6,tau.q3,tau.q4,tau.q5,error_bound.q1", 0), 0u);
  // In a file, a state between the nodes is told with its line before anything is written.
  const Outcome file = ulna("inverse stanford --formulation horn-raibert --csv --states -", "q.q1,q.q2,q.q6,q.q3,q.q4,q.q5\n" + node + "\n" + between + "\n");
  EXPECT_EQ(file.status, 2);
  EXPECT_EQ(file.out, "");
  EXPECT_EQ(file.err.rfind("standard input:3: error: formulation horn-raibert", 0), 0u) << file.err;
  expect_refused("inverse stanford --accept-interpolation", "needs --formulation horn-raibert");
  expect_refused("inverse stanford --formulation kane --accept-interpolation", "kane computes them");
}

// What a formulation cannot compute is told before the first byte of a result, in every format, and with a cure that can help.
TEST(FormulationCommand, RefusesAStateBeforeAnythingIsWritten) {
  const std::string header = "q.q1,q.q2,q.q6,q.q3,q.q4,q.q5\n", good = "0,1,0.1,0,0,0\n";
  struct Case {
    const char *options, *state, *why;
  };
  for (const Case& c : {Case{"--formulation kane-stanford", "0,0,0.1,0,0,0", "singular where q2 is 0 or 180 degrees"},
                        Case{"--formulation horn-raibert --accept-interpolation", "0,1,50,0,0,0", "lies outside its table"},
                        Case{"--formulation horn-raibert", "0,1,50,0,0,0", "lies outside its table"}}) {
    const std::string call = std::string("inverse stanford ") + c.options;
    SCOPED_TRACE(call);
    for (const char* format : {"", " --json", " --csv"}) {
      const Outcome one = ulna(call + format + " --q " + c.state);
      EXPECT_EQ(one.status, 2);
      EXPECT_EQ(one.out, "");
      EXPECT_NE(one.err.find(c.why), std::string::npos) << one.err;
      EXPECT_NE(one.err.find("take another state, or another formulation"), std::string::npos) << one.err;
      EXPECT_EQ(one.err.find("--accept-interpolation"), std::string::npos) << one.err;
      const Outcome file = ulna(call + format + " --states -", header + c.state + "\n");
      EXPECT_EQ(file.status, 2);
      EXPECT_EQ(file.out, "");
      EXPECT_EQ(file.err.rfind("standard input:2: error: formulation ", 0), 0u) << file.err;
    }
  }
  const Outcome forward = ulna("forward stanford --formulation kane-stanford --csv --states -", header + good + "0,0,0.1,0,0,0\n");
  EXPECT_EQ(forward.status, 2);
  EXPECT_EQ(forward.out, "");
  EXPECT_EQ(forward.err.rfind("standard input:3: error: formulation kane-stanford", 0), 0u) << forward.err;
}

// A gap in a state is a gap in its results, also by formulations that cannot look NaN up or divide by its sine.
TEST(FormulationCommand, AGapIsAGap) {
  for (const char* options : {"--formulation horn-raibert", "--formulation horn-raibert --accept-interpolation", "--formulation kane-stanford"})
    for (const char* state : {"nan,0,0,0,0,0", "0,nan,0.1,0,0,0", "0,1,nan,0,0,0", "0,2e6,0.1,0,0,0"}) {
      SCOPED_TRACE(std::string(options) + " " + state);
      const Outcome file = ulna(std::string("inverse stanford --csv --states - ") + options, std::string("q.q1,q.q2,q.q6,q.q3,q.q4,q.q5\n") + state + "\n");
      EXPECT_EQ(file.status, 0) << file.err;
      const std::string row = file.out.substr(file.out.find('\n') + 1);
      EXPECT_EQ(row.rfind("nan,nan,nan,nan,nan,nan", 0), 0u) << row;
      EXPECT_EQ(row.find_first_of("0123456789"), std::string::npos) << row;
      EXPECT_EQ(ulna_json(std::string("inverse stanford ") + options + " --q " + state)["tau"].dump(), "[[null,null,null,null,null,null]]");
    }
}

}  // namespace
