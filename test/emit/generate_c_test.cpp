// Generated C: it compiles without a word, computes what the library computes, tests itself, and carries no name that could do harm.
#include <ulna/emit/generate.hpp>

#include <regex>
#include <sstream>

#include <ulna/emit/equations.hpp>
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "emit/generated.hpp"
#include "emit/quantities.hpp"
#include "support/builtin.hpp"
#include "support/cases.hpp"
#include "support/folder.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using support::Folder;
using support::installed;

const std::vector<std::string>& kAll = generated_quantities();

/// Reads states (q, v, a or tau) from standard input and writes results of the function with the number of the first argument; without one it runs the
/// self-test.
std::string driver(const std::string& name, const Sizes& sizes, const std::vector<std::string>& quantities) {
  const std::size_t n = sizes.nv, nq = sizes.nq;
  std::string out = "#include \"" + name + ".h\"\n#include <stdio.h>\n#include <stdlib.h>\nstatic double in[" + std::to_string(nq + 2 * n) + "], out[" +
                    std::to_string(10 * n * sizes.bodies + 6 * n + nq + sizes.tests + 12) +
                    "];\nint main(int argc, char** argv)\n{\n  const int what = argc > 1 ? atoi(argv[1]) : 0;\n  if (argc == 1) return " + name +
                    "_selftest();\n";
  out += "  while (fread(in, sizeof in, 1, stdin) == 1) {\n    size_t results = 0;\n";
  for (std::size_t what = 0; what < quantities.size(); ++what) {
    const QuantityRow& row = *find_quantity(quantities[what]);
    out += cat("    if (what == ", what, ") { ", name, "_", row.id, "(in");
    for (std::size_t k = 1; k < row.inputs.size(); ++k) out += cat(", in + ", nq + (k - 1) * n);
    out += cat(", out); results = ", row.size(sizes), "; }\n");
  }
  return out + "    fwrite(out, sizeof(double), results, stdout);\n  }\n  return 0;\n}\n";
}

class GeneratedC : public ::testing::TestWithParam<std::string> {};

// One robot and, in `make soak`, all: 1000 states, both compilers, without and with optimisation, and once with sanitizers. Other robots: 100 states, one
// build; large ones without derivatives, which take a compiler minutes.
TEST_P(GeneratedC, EqualsTheLibrary) {
  const Model model = load(GetParam());
  const bool large = model.nv() > 12, every_build = soaks() || GetParam() == "stanford";
  std::vector<std::string> quantities = kAll;
  if (model.closed()) quantities.emplace_back("closure");
  if (large && !every_build) std::erase_if(quantities, [](const std::string& id) { return id.ends_with("derivatives"); });
  GenerateOptions options;
  options.what = quantities;
  const Folder folder;
  const std::vector<GeneratedFile> files = generate(model, options);
  folder.write(files);
  const std::string name = identifier(model.name());
  const std::size_t n = model.nv();
  folder.write("driver.c", driver(name, model.sizes(), quantities));

  const int runs = every_build ? 1000 : 100;
  Random random(77);
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::size_t last = model.links().size() - 1;
  std::vector<std::vector<double>> expected(quantities.size()), inputs(quantities.size());
  std::vector<Eigen::MatrixXd> M;
  double condition = 1;
  StateSampler closed(model, 77);
  for (int k = 0; k < runs; ++k) {
    State s = model.closed() ? State{} : random_state(model, random);
    if (model.closed()) closed.next(s.q, s.v, s.a);
    std::vector<double> tau(n);
    compute(Quantity::inverse, plan, ws, {s.q.data(), s.v.data(), s.a.data()}, tau.data());
    M.emplace_back(n, n);
    compute(Quantity::mass, plan, ws, {s.q.data()}, M.back().data());
    condition = std::max(condition, condition_number(M.back()));
    for (std::size_t what = 0; what < quantities.size(); ++what) {
      const QuantityRow& row = *find_quantity(quantities[what]);
      const std::vector<double>& third = row.takes("tau") ? tau : s.a;
      std::vector<double> out(row.size(model.sizes()));
      compute(row.quantity, plan, ws, {s.q.data(), s.v.data(), third.data(), row.of_link ? last : kNone}, out.data());
      const auto append = [](std::vector<double>& to, const std::vector<double>& more) { to.insert(to.end(), more.begin(), more.end()); };
      append(expected[what], out);
      append(inputs[what], s.q), append(inputs[what], s.v), append(inputs[what], third);
    }
  }
  for (std::size_t what = 0; what < quantities.size(); ++what)
    folder.write("in" + std::to_string(what), {reinterpret_cast<const char*>(inputs[what].data()), inputs[what].size() * sizeof(double)});

  std::vector<std::string> builds{"gcc -O0"};
  if (every_build) builds.insert(builds.end(), {"gcc -O2", "gcc -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all"});
  if (every_build && installed("clang")) builds.insert(builds.end(), {"clang -O0", "clang -O2"});
  for (const std::string& build : builds) {
    SCOPED_TRACE(build);
    std::string output;
    ASSERT_EQ(folder.run(build + kStrict + name + ".c driver.c -lm -o driver", &output), 0) << output;
    EXPECT_EQ(output, "");
    EXPECT_EQ(folder.run("./driver", &output), 0) << "self-test: " << output;
    for (std::size_t what = 0; what < quantities.size(); ++what) {
      SCOPED_TRACE(quantities[what]);
      ASSERT_EQ(folder.run("./driver " + std::to_string(what) + " < in" + std::to_string(what), &output), 0) << output;
      ASSERT_EQ(output.size(), expected[what].size() * sizeof(double));
      const double* got = reinterpret_cast<const double*>(output.data());
      double worst = 0;
      if (quantities[what] != "forward") {
        for (std::size_t k = 0; k < expected[what].size(); ++k) worst = std::max(worst, std::fabs(got[k] - expected[what][k]));
        if (worst > 0) worst /= largest(expected[what]);  // without gravity, both are 0
      } else {                                            // what is left over of the equations of motion, against the torques
        for (std::size_t k = 0; k < M.size(); ++k) {
          const auto size = static_cast<Eigen::Index>(n);
          const Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(got + k * n, size) - Eigen::Map<const Eigen::VectorXd>(&expected[what][k * n], size);
          worst = std::max(worst, largest(Eigen::VectorXd(M[k] * gap)));
        }
        if (worst > 0) worst /= largest(expected[0]);
      }
      // Derivatives of accelerations are products with M⁻¹, whose digits are those of its condition.
      EXPECT_LT(worst, quantities[what] == "forward_derivatives" ? std::max(1e-12, 2.3e-16 * condition) : 1e-12);
    }
  }
  if (!every_build) return;
  // As a program of its own; without optimisation, because it ran with it above, and gcc -O1 takes as long as all other builds of a large robot together.
  const std::string test = "gcc -O0" + std::string(kStrict) + "-D" + upper(name) + "_SELFTEST_MAIN " + name + ".c -lm -o selftest && ./selftest";
  std::string output;
  EXPECT_EQ(folder.run(test, &output), 0);
  EXPECT_EQ(output, cat(name, ": all ", 4 * (quantities.size() + (model.closed() ? 1 : 0)), " checks passed\n"));  // of speeds, too
}

std::vector<std::string> robots() {
  std::vector<std::string> ids;
  for (const BuiltinRobot& robot : builtin_robots()) ids.emplace_back(robot.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Builtin, GeneratedC, ::testing::ValuesIn(robots()), [](const auto& p) { return identifier(p.param); });

/// Every number of the equations, one after the other, made a tenth larger. Those of the guard stand before them; they have tests of their own.
TEST(GenerateC, SelfTestSeesEveryConstant) {
  const Folder folder;
  const std::vector<GeneratedFile> files = generate(load("stanford"), {.what = {"inverse"}});
  folder.write(files);
  const std::string& text = files[1].text;
  const std::size_t end = text.find("self-test");
  int changed = 0;
  for (std::size_t at = text.find(';', text.find("const double guard")); at < end; ++at) {
    const char before = text[at - 1];
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0 || !(before == ' ' || before == '(')) continue;
    std::size_t length = 0;
    const double value = std::stod(text.substr(at, 30), &length);
    if (text.substr(at, length).find_first_of(".e") == std::string::npos || value == 0) continue;  // zeros fill up tables of angles
    folder.write("stanford.c", text.substr(0, at) + std::to_string(1.1 * value) + text.substr(at + length));
    std::string output;
    ASSERT_EQ(folder.run("gcc -std=c99 -O0 -DSTANFORD_SELFTEST_MAIN stanford.c -lm -o selftest", &output), 0) << output;
    EXPECT_EQ(folder.run("./selftest", &output), 1) << text.substr(at - 30, 60);
    EXPECT_NE(output.find("FAILED"), std::string::npos);
    ++changed;
    at += length;
    if (changed == 40) break;
  }
  EXPECT_GE(changed, 20);
}

TEST(GenerateC, SinglePrecision) {
  for (const char* robot : {"stanford", "panda", "scara", "five-bar", "delta"}) {
    SCOPED_TRACE(robot);
    const std::string name = identifier(robot);
    const std::string level = soaks() || robot == std::string("scara") ? "-O2" : "-O0";
    const Folder folder;
    const std::vector<GeneratedFile> files = generate(load(robot), {.what = kAll, .real = ulna::Real::single_precision});
    folder.write(files);
    // Sines of floats are made in doubles; after them there are doubles nowhere but in comments on errors.
    const std::string after = files[1].text.substr(files[1].text.find("_turned("));
    EXPECT_EQ(after.find("double "), after.find("double precision"));
    EXPECT_NE(files[1].text.find("sinf("), std::string::npos);
    std::string output;
    ASSERT_EQ(
        folder.run("gcc " + level + " -Wdouble-promotion -Wfloat-conversion" + kStrict + "-D" + upper(name) + "_SELFTEST_MAIN " + name + ".c -lm -o selftest",
                   &output),
        0)
        << output;
    EXPECT_EQ(output, "");
    EXPECT_EQ(folder.run("./selftest", &output), 0) << output;
  }
}

// The torques of forward dynamics are those of the sampled motions: then the results are the sampled accelerations, and the largest one is known.
TEST(GenerateC, SinglePrecisionOfForwardDynamicsIsMeasuredOnMotionsOfTheRobot) {
  for (const char* robot : {"planar-2r", "scara", "stanford"}) {
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    StateSampler sampler(model, kErrorSeed);
    const Plan plan = make_plan(model);
    double most = 0, condition = 0;
    for (int k = 0; k < kErrorStates; ++k) {
      State s;
      sampler.next(s.q, s.v, s.a);
      most = std::max(most, largest(s.a));
      condition = std::max(condition, condition_number(mass_of(plan, s.q)));
    }
    const GeneratedRobot made = prepare(model, {.what = {"forward"}, .real = ulna::Real::single_precision});
    const double rounding = condition * static_cast<double>(std::numeric_limits<float>::epsilon());
    ASSERT_LT(rounding, 0.01);
    EXPECT_NEAR(made.functions.at(0).single_scale / most, 1, 10 * rounding);
    EXPECT_GT(made.functions[0].single_error, 0);
    EXPECT_LT(made.functions[0].single_error, 10 * rounding);
  }
}

TEST(GenerateC, IsCppToo) {
  const Folder folder;
  folder.write(generate(load("panda"), {.what = kAll}));
  folder.write("user.cpp", "#include \"panda.h\"\nint main() { return panda_selftest(); }\n");
  std::string output;
  EXPECT_EQ(folder.run("gcc -std=c99 -c panda.c && g++ -Wall -Wextra -Werror user.cpp panda.o -o user && ./user", &output), 0) << output;
  EXPECT_EQ(folder.run("g++ -Wall -Wextra -Werror -x c++ -c panda.c -o both.o", &output), 0) << output;
}

// Nothing but sin and cos is left to be linked: it goes into firmware.
// What the pages say of the functions: two headers, no branch on data, no memory of its own. The self-test, which follows them, is another matter.
TEST(GenerateC, IncludesAndBranchesAreThoseOfThePage) {
  for (const char* robot : {"ur5", "stanford", "mini-cheetah"})
    for (const ::ulna::Real real : {::ulna::Real::double_precision, ::ulna::Real::single_precision}) {
      SCOPED_TRACE(::testing::Message() << robot << " " << static_cast<int>(real));
      GenerateOptions options;
      options.what = std::string(robot) == "mini-cheetah" ? std::vector<std::string>{"inverse"} : kAll;
      options.real = real;
      std::string code;
      for (const GeneratedFile& file : generate(load(robot), options))
        if (file.name.ends_with(".c")) code = file.text;
      const std::size_t test = code.find("static int ");
      ASSERT_NE(test, std::string::npos);
      ASSERT_NE(code.find("_test_inverse(void)", test), std::string::npos);
      std::istringstream lines(std::regex_replace(code.substr(0, test), std::regex("/\\*[^]*?\\*/|\\\\\n"), ""));
      std::vector<std::string> included;
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#include <")) included.push_back(line.substr(9));
        if (line.starts_with("#")) continue;
        EXPECT_FALSE(std::regex_search(line, std::regex("\\b(if|while|switch|goto|do|malloc|calloc|alloca)\\b|\\?|&&|\\|\\|"))) << line;
        EXPECT_TRUE(!std::regex_search(line, std::regex("\\bfor\\b")) || std::regex_search(line, std::regex("for \\(\\w = 0; \\w < \\d+; \\+\\+\\w\\)")))
            << line;
        EXPECT_TRUE(line.find("static ") == std::string::npos || line.find("const") != std::string::npos || line.find('(') != std::string::npos) << line;
      }
      EXPECT_EQ(included, (std::vector<std::string>{"<float.h>", "<math.h>"}));
    }
}

TEST(GenerateC, NeedsNothingButSinAndCos) {
  const Folder folder;
  folder.write(generate(load(soaks() ? "ur5" : "scara"), {.what = kAll, .name = "robot"}));
  std::string output;
  ASSERT_EQ(folder.run("gcc -std=c99 -O2 -ffreestanding -fno-builtin -c robot.c && nm -u robot.o", &output), 0) << output;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::string symbol = line.substr(line.find_last_of(' ') + 1);
    EXPECT_TRUE(symbol == "sin" || symbol == "cos" || symbol == "fabs" || symbol == "_GLOBAL_OFFSET_TABLE_") << symbol;
  }
}

TEST(GenerateC, SameBytesEveryTime) {
  for (const char* robot : {"panda", "torso", "delta"}) {
    const std::vector<GeneratedFile> one = generate(load(robot), {.what = kAll}), two = generate(load(robot), {.what = kAll});
    ASSERT_EQ(one.size(), 2u);
    EXPECT_EQ(one[0].text, two[0].text);
    EXPECT_EQ(one[1].text, two[1].text);
  }
}

TEST(GenerateC, Formulations) {
  const Folder folder;
  for (const char* id : {"newton-euler", "kane-stanford", "lagrange"}) {
    SCOPED_TRACE(id);
    folder.write(generate(load("stanford"), {.formulation = id}));
    std::string output;
    ASSERT_EQ(folder.run(std::string("gcc -O1") + kStrict + "-DSTANFORD_SELFTEST_MAIN stanford.c -lm -o selftest", &output), 0) << output;
    EXPECT_EQ(folder.run("./selftest", &output), 0) << output;
  }
}

// Angles that mean a quarter turn become one; the self-test's values are those of the file, and may differ by what that turned, but by no more.
TEST(GenerateC, SelfTestAllowsForSnappedAnglesAlone) {
  const auto arm = [](const char* angle) {
    std::string text = "<robot name='arm'><link name='base'/>";
    for (const char* link : {"a", "b"})
      text += cat("<link name='", link, "'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='1'/>",
                  "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>");
    const auto joint = [&](const char* name, const char* parent, const char* child) {
      text += cat("<joint name='", name, "' type='continuous'><parent link='", parent, "'/><child link='", child, "'/><origin xyz='1 2 3' rpy='", angle,
                  " 0 0'/><axis xyz='0 0 1'/></joint>");
    };
    joint("j", "base", "a"), joint("k", "a", "b");
    return parse(text + "</robot>", "arm.urdf");
  };
  const GeneratedRobot exact = prepare(arm("1.5707963267948966"), {.what = kAll}), rough = prepare(arm("1.570796326"), {.what = kAll});
  for (std::size_t f = 0; f < kAll.size(); ++f) {
    SCOPED_TRACE(kAll[f]);
    EXPECT_EQ(exact.functions[f].program.counts(), rough.functions[f].program.counts());
    EXPECT_LT(1e5 * exact.functions[f].tests[0].tolerance, rough.functions[f].tests[0].tolerance);
    EXPECT_GT(2e7 * exact.functions[f].tests[0].tolerance, rough.functions[f].tests[0].tolerance);
  }
  const Folder folder;
  folder.write(generate(arm("1.570796326"), {.what = kAll}));
  std::string output;
  ASSERT_EQ(folder.run(std::string("gcc -O1") + kStrict + "-DARM_SELFTEST_MAIN arm.c -lm -o selftest", &output), 0) << output;
  EXPECT_EQ(folder.run("./selftest", &output), 0) << output;
}

// A last link without inertia: M cannot be inverted, but the torques are there, and the code for them must be sound. The potential energy is that of a heavy
// base, all but a gram: its rounding is that of the base's.
TEST(GenerateC, SingularRobotsHaveNoForwardDynamics) {
  const std::string text =
      "<robot name='odd'><link name='base'><inertial><origin xyz='0 0 30'/><mass value='1000'/><inertia ixx='9' iyy='9' izz='9' ixy='0' ixz='0' "
      "iyz='0'/></inertial>"
      "</link><link name='a'><inertial><origin xyz='0.1 0.2 0.3'/><mass value='0.001'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial></link>"
      "<link name='tip'/><joint name='j' type='continuous'><parent link='base'/><child link='a'/><axis xyz='1 0 0'/></joint>"
      "<joint name='k' type='continuous'><parent link='a'/><child link='tip'/><origin rpy='1 0 0'/><axis xyz='0 0 1'/></joint></robot>";
  LoadOptions unchecked;
  unchecked.unchecked = true;
  const LoadResult loaded = try_parse(text, "odd.urdf", unchecked);
  ASSERT_TRUE(loaded.model);
  try {
    generate(*loaded.model, {.what = {"inverse", "forward"}});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("the equations of forward for robot 'odd' contain a number that is not finite"), std::string::npos) << e.what();
  }
  EXPECT_THROW(make_equations(*loaded.model, Quantity::forward), std::invalid_argument);
  EXPECT_NO_THROW(make_equations(*loaded.model, Quantity::inverse));
  const GeneratedRobot energy = prepare(*loaded.model, {.what = {"energy"}});
  for (const TestState& state : energy.functions[0].tests)  // what the nearest double may be off by must be allowed
    EXPECT_GT(state.tolerance, std::numeric_limits<double>::epsilon() * static_cast<double>(std::fabs(state.expected[1])));
  const Folder folder;
  folder.write(generate(*loaded.model, {.what = {"inverse", "mass", "bias", "gravity", "coriolis", "energy", "pose", "jacobian"}}));
  std::string output;
  ASSERT_EQ(folder.run(std::string("gcc -O1") + kStrict + "-DODD_SELFTEST_MAIN odd.c -lm -o selftest", &output), 0) << output;
  EXPECT_EQ(folder.run("./selftest", &output), 0) << output;
}

TEST(GenerateC, NamesCanDoNoHarm) {
  Description evil = random_description(4, {.fewest = 3, .most = 3, .fixed = false});
  const std::string name = "a*/ system(\"x\"); /*";
  evil.name = name;
  for (std::size_t k = 0; k < evil.joints.size(); ++k)
    evil.joints[k].joint.name = name +
                                "\\\n?"
                                "?/" +
                                std::string(k, ' ');
  const Folder folder;
  const std::vector<GeneratedFile> files = generate(build(evil), {.what = kAll});
  folder.write(files);
  for (const GeneratedFile& file : files) EXPECT_EQ(file.text.find("system(\""), std::string::npos);
  const std::string own = identifier(name);
  EXPECT_EQ(files[0].name, own + ".h");
  std::string output;
  ASSERT_EQ(folder.run(std::string("gcc -O1") + kStrict + "-D" + upper(own) + "_SELFTEST_MAIN " + own + ".c -lm -o selftest", &output), 0) << output;
  EXPECT_EQ(output, "");
  EXPECT_EQ(folder.run("./selftest", &output), 0) << output;
}

TEST(Identifier, IsOneWhateverTheText) {
  EXPECT_EQ(identifier("panda"), "panda");
  EXPECT_EQ(identifier("humanoid-38"), "humanoid_38");
  EXPECT_EQ(identifier("  my arm (v2)!"), "my_arm_v2");
  EXPECT_EQ(identifier("7dof"), "robot_7dof");
  EXPECT_EQ(identifier("int"), "robot_int");
  EXPECT_EQ(identifier(""), "robot");
  EXPECT_EQ(identifier("\xc3\xa4*/"), "robot");
  EXPECT_EQ(identifier("__reserved__"), "reserved");
  EXPECT_EQ(comment_text("a*/b\\\n"), "a__b__");
}

void expect_refused(const char* robot, const GenerateOptions& options, const std::string& part) {
  try {
    generate(load(robot), options);
    FAIL() << "not refused: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}
TEST(GenerateC, WrongOptionsSayWhy) {
  expect_refused("panda", {.what = {"invers"}}, "did you mean 'inverse'?");
  expect_refused("panda", {.what = {}}, "no quantity is named");
  expect_refused("panda", {.what = {"mass", "mass"}}, "named twice");
  expect_refused("panda", {.name = "7up"}, "robot_7up would be one");
  expect_refused("panda", {.formulation = "newton-oiler"}, "did you mean 'newton-euler'?");
  expect_refused("panda", {.formulation = "lin"}, "lin");
  expect_refused("puma560", {.formulation = "newton-euler"}, "has a rotor");
  expect_refused("panda", {.what = {"closure"}}, "there is no quantity 'closure'");
  expect_refused("delta", {.formulation = "newton-euler"}, "has loops");
}

}  // namespace
}  // namespace ulna::test
