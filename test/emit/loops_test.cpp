// Generated code and equations of robots with loops, beside the tests that take every robot: random loops of every type on every base, golden values of another
// program, what closes positions, and units of FMI.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/emit/equations.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "emit/generated.hpp"
#include "emit/unit.hpp"
#include "loop/machines.hpp"
#include "support/cases.hpp"
#include "support/folder.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"
#include "verify/reference.hpp"

namespace ulna::test {
namespace {

using support::Folder;
using support::installed;

/// With friction in every joint and one that follows another.
Model random_closed(int n) {
  const LoopType types[] = {LoopType::spherical, LoopType::revolute, LoopType::planar, LoopType::fixed, LoopType::cylindrical, LoopType::prismatic};
  const LoopType type = types[static_cast<std::size_t>(n) % std::size(types)];
  RandomLoop loop = random_loop(type, loop_rows(type) + 2 + static_cast<std::size_t>(n) % 2, 100u + static_cast<unsigned>(n));
  for (Description::JointEntry& entry : loop.robot.joints) entry.joint.friction.viscous = 0.2, entry.joint.friction.coulomb = 0.1, entry.joint.rotor = 1e-3;
  const std::size_t count = loop.robot.joints.size(), leader = static_cast<std::size_t>(n) % 2, follower = count - 1 - static_cast<std::size_t>(n) % 2;
  Description::JointEntry& entry = loop.robot.joints[follower];
  entry.leader = loop.robot.joints[leader].joint.name;
  entry.joint.mimic = Mimic{.multiplier = 0.5 + 0.3 * n};
  Diagnostics diagnostics;
  const RootJoint bases[] = {RootJoint::fixed, RootJoint::planar, RootJoint::free};
  const std::optional<Model> robot = with_loops(with_base(build(loop.robot, diagnostics).value(), bases[n % 3]), loop.loops, diagnostics);
  return robot ? *robot : load("five-bar");
}

// All quantities, friction and a wrench against the recursion along the loops; the number of a sign changed is seen.
TEST(LoopsInC, PassTheirOwnTestOnEveryBase) {
  if (!installed("cc")) GTEST_SKIP() << "no C compiler";
  for (int n = 0; n < so_many(4, 120); ++n) {
    SCOPED_TRACE(n);
    const Model model = random_closed(n);
    GenerateOptions options{.what = generated_quantities(), .name = "robot"};
    if (!soaks() && n > 0) std::erase_if(options.what, [](const std::string& id) { return id.ends_with("derivatives") || id == "regressor"; });
    options.friction = true;
    options.wrench_at = model.links().back().name;
    options.test_states = 2;
    options.batch = soaks() || n == 2;
    if (n % 3 == 1) options.real = ulna::Real::single_precision;
    const Folder folder;
    const std::vector<GeneratedFile> files = generate(model, options);
    folder.write(files);
    std::string output;
    const std::string build = cat("cc -O0", kStrict, "-DROBOT_SELFTEST_MAIN robot.c -lm -o t && ./t");
    EXPECT_EQ(folder.run(build, &output), 0) << output;
    EXPECT_EQ(output, cat("robot: all ", 2 * (options.what.size() + 2), " checks passed\n"));
    std::string wrong = files[1].text;
    const std::size_t body = wrong.find("robot_inverse_turned("), at = wrong.find(" - ", body);
    wrong[at + 1] = '+';
    folder.write("robot.c", wrong);
    EXPECT_NE(folder.run(build, &output), 0) << wrong.substr(at - 40, 80);
  }
}

// The parallelogram of github.com/ROAM-Lab-ND/generalized_rbda (MIT) in other words: cranks of 0.5 m a metre apart, and a rod. Torques and inertia by Pinocchio
// 4.1 of the tree and a projection.
TEST(LoopsInC, EqualAnotherProgram) {
  if (!installed("cc")) GTEST_SKIP() << "no C compiler";
  std::string text = "<robot name='bars'><link name='base'/>";
  for (const char* link : {"link1", "link2", "link3"})
    text += cat("<link name='", link,
                "'><inertial><mass value='3.3'/><inertia ixx='0.011253' iyy='0.036203' izz='0.042673' ixy='0' ixz='0' iyz='0'/></inertial></link>");
  const auto joint = [&](const char* name, const char* parent, const char* child, const char* x) {
    text += cat("<joint name='", name, "' type='continuous'><parent link='", parent, "'/><child link='", child, "'/><origin xyz='", x,
                " 0 0'/><axis xyz='0 0 1'/></joint>");
  };
  joint("joint1", "base", "link1", "0"), joint("joint2", "link1", "link2", "0.5"), joint("joint3", "base", "link3", "1");
  text +=
      "<loop name='pin' type='revolute'><predecessor link='link2'><origin xyz='1 0 0'/></predecessor><successor link='link3'><origin xyz='0.5 0 "
      "0'/></successor>"
      "<axis xyz='0 0 1'/></loop></robot>";
  const Folder folder;
  folder.write("bars.urdf", text);
  const Model model = load(folder.at("bars.urdf"), {.independent = {"joint1"}});
  for (const bool single : {false, true}) {
    GenerateOptions options{.what = {"inverse", "mass", "forward"}, .name = "robot"};
    options.real = single ? ulna::Real::single_precision : ulna::Real::double_precision;
    folder.write(generate(model, options));
    folder.write("main.c", cat("#include \"robot.h\"\n#include <math.h>\ntypedef ", single ? "float" : "double", R"( real;
int main(void) {
  static const double states[3][4] = {{0.8025014618726904, 0.6158815794729875, 0.061302244168568, 0.055806252769879175},
                                      {0.5429006900440706, -0.8921385952366871, -0.4665244768579271, -0.4246986914097066},
                                      {0.6042366027099997, -0.9094496121951097, -1.8049691570913278, -1.6431464522814614}};
  int k;
  for (k = 0; k < 3; ++k) {
    const real u = (real)states[k][1], u_dot = (real)states[k][2], tau = (real)states[k][3];
    real q[3], out, M, a;
    q[0] = (real)states[k][0], q[1] = -q[0] + (real)0.02, q[2] = q[0] - (real)0.03;
    if (!(robot_close(q, 6) < (real))",
                               single ? "1e-6" : "1e-14", R"()) return 1;
    if (!(fabs((double)(q[1] + q[0])) + fabs((double)(q[2] - q[0])) < )",
                               single ? "1e-6" : "1e-14", R"()) return 2;
    robot_inverse(q, &u, &u_dot, &out), robot_mass(q, &M), robot_forward(q, &u, &tau, &a);
    if (!(fabs((double)out - states[k][3]) < )",
                               single ? "2e-5" : "1e-12", R"()) return 3;
    if (!(fabs((double)M - 0.910346) < )",
                               single ? "2e-5" : "1e-12", R"()) return 4;
    if (!(fabs((double)a - states[k][2]) < )",
                               single ? "2e-5" : "1e-12", R"()) return 5;
  }
  return 0;
}
)"));
    std::string output;
    EXPECT_EQ(folder.run("cc -std=c99 -O1 -Wall -Wextra main.c robot.c -lm -o t && ./t", &output), 0) << output;
  }
}

/// A guess from which steps of Newton's method close the five-bar on the other side of a singular assembly.
std::vector<double> crossing_guess(const Model& model) {
  const Plan plan = make_plan(model);
  const std::size_t nq = plan.nq, pivots = plan.pivots();
  const auto side = [&](const std::vector<double>& closure) {
    double sign = 1;
    for (std::size_t k = closure.size() - pivots; k < closure.size(); ++k) sign *= closure[k] < 0 ? -1 : 1;
    return sign;
  };
  for (double left = -3; left < 3; left += 0.25)
    for (double right = -3; right < 3; right += 0.25) {
      std::vector<double> q = model.reference();
      q[model.dependent()[0]] = left, q[model.dependent()[1]] = right;
      std::vector<double> at = numbers_of(Quantity::closure, plan, {q, {}, {}});
      const double before = side(at);
      for (int k = 0; k < 30; ++k) at = numbers_of(Quantity::closure, plan, {{at.begin(), at.begin() + static_cast<std::ptrdiff_t>(nq)}, {}, {}});
      double off = 0;
      for (std::size_t k = nq; k + pivots < at.size(); ++k) off = std::fmax(off, std::fabs(at[k]));
      if (off < 1e-14 && side(at) != before) return q;
    }
  return {};
}

TEST(LoopsInC, CloseTellsAnotherBranchAndNaNSpreads) {
  if (!installed("cc")) GTEST_SKIP() << "no C compiler";
  const Model robot = load("five-bar");
  const Folder folder;
  folder.write(generate(robot, {.what = {"inverse", "forward", "mass", "bias", "gravity", "energy"}, .name = "closed"}));
  std::string guess;
  for (const double x : crossing_guess(robot)) guess += cat(guess.empty() ? "" : ", ", x);
  ASSERT_FALSE(guess.empty());
  folder.write("main.c", cat(R"(#include "closed.h"
#include <math.h>
#include <stdio.h>
static double out[16];
static int all_nan(int n) { int i; for (i = 0; i < n; ++i) if (!isnan(out[i])) return 0; return 1; }
int main(void) {
  double guess[] = {)",
                             guess, R"(}, q[4] = {0}, bad[4];
  const double v[] = {0.3, 0.2}, nan_second[] = {0.3, NAN};
  int i, k;
  if (!isinf(closed_close(guess, 30))) return 1;
  if (!(closed_close(q, 10) < 1e-12)) return 2;
  closed_inverse(q, v, nan_second, out);
  if (!all_nan(2)) return 4;
  closed_inverse(q, nan_second, v, out);
  if (!all_nan(2)) return 5;
  closed_forward(q, v, nan_second, out);
  if (!all_nan(2)) return 6;
  closed_energy(q, nan_second, out);
  if (!all_nan(2)) return 7;
  closed_speeds(q, nan_second, out);
  if (!all_nan(4)) return 8;
  for (k = 0; k < 4; ++k) {
    for (i = 0; i < 4; ++i) bad[i] = i == k ? NAN : q[i];
    closed_mass(bad, out);
    if (!all_nan(4)) return 9;
    closed_gravity(bad, out);
    if (!all_nan(2)) return 10;
    if (!isnan(closed_close(bad, 2))) return 12;
  }
  q[0] += 20 * 3.14159265358979323846;
  if (!(closed_close(q, 5) < 1e-12)) return 13;
  return 0;
}
)"));
  std::string output;
  EXPECT_EQ(folder.run("cc -std=c99 -O0 -Wall -Wextra -Werror main.c closed.c -lm -o test && ./test", &output), 0) << output;
}

// `close` of every language that can be run here: from positions that are open by some hundredths to the assembly that Mechanism finds.
TEST(LoopsInLanguages, ClosePositions) {
  const Model model = load("palletizer");
  StateSampler states(model, 3);
  std::vector<double> q, v, a;
  states.next(q, v, a);
  std::vector<double> open = q;
  for (const std::size_t k : model.dependent()) open[k] += 0.02;
  const auto list = [](const std::vector<double>& x) {
    std::string out;
    for (const double number : x) out += cat(out.empty() ? "" : ", ", number);
    return out;
  };
  const std::size_t n = q.size();
  const auto files = [&](const char* language) { return generate(model, {.what = {"gravity"}, .language = language, .name = "robot"}); };
  const Folder folder;
  std::string output;
  if (succeeds("c++ --version")) {
    folder.write(files("cpp"));
    folder.write("main.cpp", cat("#include \"robot.hpp\"\nint main() {\n  double q[] = {", list(open), "}, wanted[] = {", list(q),
                                 "};\n  if (!(robot::close(q, 8) < 1e-12)) return 1;\n  for (int k = 0; k < ", n,
                                 "; ++k)\n    if (!(std::fabs(q[k] - wanted[k]) < 1e-11)) return 2;\n  q[0] = std::nan(\"\");\n"
                                 "  return robot::close(q, 1) != robot::close(q, 1) ? 0 : 3;\n}\n"));
    EXPECT_EQ(folder.run("c++ -std=c++11 -O0 -Wall -Wextra -pedantic -Werror main.cpp -o t && ./t", &output), 0) << output;
  }
  if (succeeds("python3 -c 'import numpy'")) {
    folder.write(files("python"));
    folder.write("main.py", cat("import numpy as np\nimport robot\nopen_, wanted = np.array([", list(open), "]), np.array([", list(q),
                                "])\nq, left = robot.close(open_, 8)\nassert left < 1e-12 and np.abs(q - wanted).max() < 1e-11\n"
                                "q, left = robot.close(np.stack([open_, np.full(",
                                n, ", np.nan), wanted], axis=1), 8)\n",
                                "assert left[0] < 1e-12 and np.isnan(left[1]) and left[2] < 1e-12 and np.abs(q[:, 0] - wanted).max() < 1e-11\n"));
    EXPECT_EQ(folder.run("python3 main.py", &output), 0) << output;
  }
  if (!rustc().empty()) {
    folder.write(files("rust"));
    folder.write("main.rs", cat("mod robot;\nfn main() {\n    let mut q = [", list(open), "];\n    let wanted = [", list(q),
                                "];\n    assert!(robot::close(&mut q, 8) < 1e-12);\n    for k in 0..", n,
                                " {\n        assert!((q[k] - wanted[k] as f64).abs() < 1e-11);\n    }\n    q[0] = f64::NAN;\n"
                                "    assert!(robot::close(&mut q, 1).is_nan());\n}\n"));
    EXPECT_EQ(folder.run(rustc() + " -D warnings main.rs -o t && ./t", &output), 0) << output;
  }
}

// Friction of dependent joints has the signs of their own rates, which another function gives.
TEST(LoopsInLanguages, PassTheirOwnTestWithFriction) {
  const Model model = random_closed(0);
  GenerateOptions options{.what = {"inverse", "forward", "inverse_derivatives"}, .name = "robot"};
  options.friction = true;
  const auto run = [&](const char* language, const std::string& command) {
    SCOPED_TRACE(language);
    options.language = language;
    const Folder folder;
    const std::vector<GeneratedFile> files = generate(model, options);
    folder.write(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const GeneratedFile& file) {
      return file.text.find("speeds(q, v)") != std::string::npos || file.text.find("speeds<T>(q, v, rates);") != std::string::npos;
    }));
    std::string output;
    EXPECT_EQ(folder.run(command, &output), 0) << output;
  };
  const std::string emit = ULNA_MODELS_DIR "/../test/emit/";
  if (succeeds("c++ --version")) run("cpp", "c++ -O0 -std=c++11 -Wall -Wextra -pedantic -Werror -x c++ -DROBOT_SELFTEST_MAIN robot.hpp -o t && ./t");
  if (!rustc().empty()) run("rust", rustc() + " -D warnings --test robot.rs -o t && ./t");
  if (!succeeds("python3 --version")) GTEST_SKIP() << "no Python";
  run("python", succeeds("python3 -c 'import numpy'") ? "python3 robot.py" : cat("PYTHONPATH='", emit, "fake_numpy' python3 robot.py"));
  run("matlab", cat("python3 '", emit, "run_matlab.py' robot speeds inverse forward inverse_derivatives closure"));
}

TEST(LoopsForCasadi, CompileAndHaveDerivativesOfAllPositions) {
  if (!installed("cc")) GTEST_SKIP() << "no C compiler";
  const Model model = load("five-bar");
  GenerateOptions options{.what = {"inverse", "forward"}, .name = "robot"};
  options.target = "casadi";
  options.friction = true;
  const Folder folder;
  folder.write(generate(model, options));
  // Column 3 of ∂tau/∂q, by a dependent position, against differences.
  folder.write("main.c", R"(#include "robot.h"
#include <math.h>
int main(void) {
  double q[4] = {0.1, -0.2, 0.3, 0.2}, v[2] = {0.4, -0.3}, a[2] = {1, 2}, by_q[8], by_v[4], by_a[4], up[2], down[2], work[64];
  const double *arg[4] = {q, v, a, 0};
  double *res[3] = {by_q, by_v, by_a};
  if (robot_selftest() != 0) return 1;
  jac_robot_inverse(arg, res, 0, work, 0);
  res[0] = up, q[2] += 1e-5, robot_inverse(arg, res, 0, work, 0);
  res[0] = down, q[2] -= 2e-5, robot_inverse(arg, res, 0, work, 0);
  return fabs((up[0] - down[0]) / 2e-5 - by_q[4]) < 1e-6 && fabs((up[1] - down[1]) / 2e-5 - by_q[5]) < 1e-6 ? 0 : 2;
}
)");
  std::string output;
  EXPECT_EQ(folder.run("cc -std=c99 -O0 -Wall -Wextra main.c robot.c -lm -o t && ./t", &output), 0) << output;
}

TEST(LoopsInEquations, AreThoseOfTheLibraryWithGWrittenOut) {
  std::vector<Model> robots;
  for (const char* id : {"four-bar", "five-bar", "palletizer", "delta"}) robots.push_back(load(id));
  robots.push_back(random_closed(1)), robots.push_back(random_closed(2));  // a planar base and a free one
  for (const Model& model : robots) {
    SCOPED_TRACE(model.name());
    const Plan plan = make_plan(model);
    StateSampler states(model, 9);
    std::vector<double> q, v, a;
    states.next(q, v, a);
    for (const Quantity quantity : equation_quantities()) {
      if (!row_of(quantity).parts.empty() && model.nq() > 8) continue;
      SCOPED_TRACE(to_string(quantity));
      const std::size_t link = row_of(quantity).of_link ? model.links().size() - 1 : kNone;
      const std::vector<double> right = numbers_of(quantity, plan, {q, v, a}, link), got = evaluate(make_equations(model, quantity), q, v, a);
      ASSERT_EQ(got.size(), right.size());
      double size = 0, worst = 0;
      for (std::size_t i = 0; i < got.size(); ++i) size = std::fmax(size, std::fabs(right[i])), worst = std::fmax(worst, std::fabs(got[i] - right[i]));
      EXPECT_LE(worst, 1e-11 * size);
    }
  }
  const auto lines = lines_of(make_equations(load("four-bar"), Quantity::gravity));
  EXPECT_TRUE(lines.contains("G2_1") && lines.contains("G3_1"));
  EXPECT_NE(lines.at("G1").find("G3_1"), std::string::npos);
  EXPECT_NE(write_equations(load("four-bar"), std::vector{make_equations(load("four-bar"), Quantity::mass)}, EquationFormat::text).find("q1 is independent"),
            std::string::npos);
  EXPECT_THROW(make_equations(load("four-bar"), Quantity::mass, {.formulation = "newton-euler"}), std::invalid_argument);
}

// Against Runge's and Kutta's rule with small steps in the independent coordinates alone, positions closed in every evaluation.
TEST(LoopsInFmi, FollowTheMotion) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const Model model = random_closed(3);
  ASSERT_EQ(model.base(), RootJoint::fixed);
  const std::size_t m = model.nv();
  const Mechanism loops = Mechanism::of(model);
  const internal::Reference reference(model);
  const Plan plan = make_plan(model), tree = make_plan(without_loops(model));
  const std::vector<std::size_t> independent = model.order().independent;
  GenerateOptions options;
  options.friction = true;
  const Folder folder;
  const Unit unit(folder, model, options);
  const double smooth = 0.1;
  std::vector<double> x(2 * m), tau(m);
  const std::vector<std::string> names = model.position_names(), rates = model.velocity_names();
  for (std::size_t k = 0; k < m; ++k) {
    x[k] = model.reference()[independent[k]] + 0.05, x[m + k] = 0.3 - 0.2 * static_cast<double>(k), tau[k] = 0.4;
    EXPECT_EQ(unit.set("q." + names[independent[k]], x[k]), 0);  // dependent positions are the unit's affair
    EXPECT_EQ(unit.set("v." + rates[k], x[m + k]), 0);
    EXPECT_EQ(unit.set("tau." + rates[k], tau[k]), 0);
  }
  EXPECT_EQ(unit.set("friction.smooth", smooth), 0);
  EXPECT_EQ(unit.set("tolerance", 1e-11), 0);
  EXPECT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  const auto positions = [&](const std::vector<double>& y) {
    std::vector<double> q = model.reference();
    for (std::size_t k = 0; k < m; ++k) q[independent[k]] = y[k];
    EXPECT_TRUE(loops.close(q).closed);
    return q;
  };
  const auto derivative = [&](const std::vector<double>& y) {
    const std::vector<double> q = positions(y), v(y.begin() + static_cast<std::ptrdiff_t>(m), y.end());
    // Friction of the tree's coordinates does the work that its share of tau does.
    const std::vector<long double> at(q.begin(), q.end()), speeds = reference.speeds(at, {v.begin(), v.end()});
    std::vector<long double> lost(model.nv_tree(), 0);
    for (const PlanBody<double>& body : tree.bodies) {
      const double rate = body.multiplier * static_cast<double>(speeds[body.v]);
      lost[body.v] += body.multiplier * (body.friction.viscous * rate + body.friction.coulomb * std::tanh(rate / smooth));
    }
    std::vector<double> torques = tau;
    for (std::size_t k = 0; k < m; ++k) {
      const std::vector<long double> way = reference.moved_by(at, k);
      for (std::size_t i = 0; i < lost.size(); ++i) torques[k] -= static_cast<double>(way[i] * lost[i]);
    }
    std::vector<double> out(v);
    const std::vector<double> a = numbers_of(Quantity::forward, plan, {q, v, torques});
    out.insert(out.end(), a.begin(), a.end());
    return out;
  };
  const double h = 1e-3;
  for (int step = 0; step < 10; ++step) {
    ASSERT_EQ(unit.step(0.02 * step, 0.02), 0);
    for (int k = 0; k < 20; ++k) x = runge_kutta(derivative, x, h);
  }
  const std::vector<double> q = positions(x), last = derivative(x);
  std::vector<double> reached(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(reached[k] = unit.get("q." + names[k]), q[k], 1e-8) << names[k];
  EXPECT_LT(loops.residual(reached).residual, 1e-12);
  for (std::size_t k = 0; k < m; ++k) {
    EXPECT_NEAR(unit.get("v." + rates[k]), x[m + k], 1e-7);
    EXPECT_NEAR(unit.get("a." + rates[k]), last[m + k], 1e-5);
  }
  // A free base.
  const Folder third;
  const Model craft = random_closed(2);
  ASSERT_EQ(craft.base(), RootJoint::free);
  const Unit floats(third, craft, options);
  EXPECT_EQ(floats.set("v.base.wx", 0.3), 0);
  EXPECT_EQ(floats.call("fmi2ExitInitializationMode"), 0);
  EXPECT_EQ(floats.step(0, 0.02), 0);
  std::vector<double> there;
  for (const std::string& name : craft.position_names()) there.push_back(floats.get("q." + name));
  EXPECT_LT(Mechanism::of(craft).residual(there).residual, 1e-12);
  // Positions that no motion closes are refused.
  const Folder other;
  const Model bars = load("four-bar");
  const Unit open(other, bars, {});
  for (const std::string& name : bars.position_names()) EXPECT_EQ(open.set("q." + name, std::nan("")), 0);
  EXPECT_NE(open.call("fmi2ExitInitializationMode"), 0);
}

}  // namespace
}  // namespace ulna::test
