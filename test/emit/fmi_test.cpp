// Units of FMI, loaded as a simulator would load them, against a Runge-Kutta rule of small steps on the library's accelerations. FMPy checks and runs them in
// the tests of the Python package.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/unit.hpp"
#include "support/rubbing.hpp"

namespace ulna::test {
namespace {

using support::Folder;
using support::installed;

TEST(Fmi, FollowsTheMotion) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const Model bare = load("scara");
  const std::size_t n = bare.nv();
  const Payload load_on_it{0.7, {0.02, 0.01, -0.05}, {0.002, 0.003, 0.001, 0, 0, 0}};
  const Model model = with_payload(bare, bare.links().back().name, load_on_it);
  const Folder folder;
  GenerateOptions options;
  options.friction = true;
  options.parameters = {"payload"};
  options.wrench_at = bare.links().back().name;
  const Unit unit(folder, bare, options);
  const double smooth = 0.1;
  std::vector<double> x(2 * n), tau(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = 0.2 + 0.1 * static_cast<double>(k), x[n + k] = 0.5 - 0.3 * static_cast<double>(k), tau[k] = 0.2 + 0.1 * static_cast<double>(k);
    const std::string joint = bare.coordinate_names()[k];
    EXPECT_EQ(unit.set("q." + joint, x[k]), 0);
    EXPECT_EQ(unit.set("v." + joint, x[n + k]), 0);
    EXPECT_EQ(unit.set("tau." + joint, tau[k]), 0);
  }
  const std::pair<const char*, double> numbers[] = {
      {"payload.mass", 0.7},         {"payload.com.x", 0.02},       {"payload.com.y", 0.01},       {"payload.com.z", -0.05},
      {"payload.inertia.xx", 0.002}, {"payload.inertia.yy", 0.003}, {"payload.inertia.zz", 0.001}, {"wrench.fx", 0.3},
      {"wrench.nz", -0.02},          {"friction.smooth", smooth},   {"tolerance", 1e-11}};
  for (const auto& [name, value] : numbers) EXPECT_EQ(unit.set(name, value), 0) << name;
  EXPECT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  EXPECT_NE(unit.set("q." + bare.coordinate_names()[0], 0), 0);  // too late

  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::vector<Wrench> wrenches{{model.links().size() - 1, Axes::link, {0.3, 0, 0}, {0, 0, -0.02}}};
  Effects effects;
  effects.wrenches = wrenches;
  const auto rates = [&](const std::vector<double>& y) {
    std::vector<double> out(2 * n), torques = tau;
    for (std::size_t k = 0; k < n; ++k) {
      const Joint& joint = model.joints()[model.independent()[k]];
      out[k] = y[n + k];
      torques[k] -= joint.friction.viscous * y[n + k] + joint.friction.coulomb * std::tanh(y[n + k] / smooth);
    }
    forward_dynamics(plan, ws, y.data(), y.data() + n, torques.data(), out.data() + n, effects);
    return out;
  };
  const double h = 1e-4;
  for (int step = 0; step < 10; ++step) {
    ASSERT_EQ(unit.step(0.02 * step, 0.02), 0);
    for (int k = 0; k < 200; ++k) x = runge_kutta(rates, x, h);
  }
  const std::vector<double> last = rates(x);
  for (std::size_t k = 0; k < n; ++k) {
    const std::string joint = bare.coordinate_names()[k];
    EXPECT_NEAR(unit.get("q." + joint), x[k], 1e-8);
    EXPECT_NEAR(unit.get("v." + joint), x[n + k], 1e-7);
    EXPECT_NEAR(unit.get("a." + joint), last[n + k], 1e-5);
  }
}

// Every term of friction but loads: joints that have no smoothing speed of their own take the unit's.
TEST(Fmi, RubsByTheWholeLaw) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const Model model = with_whole_friction(load("scara"), 2, {.load = false});
  const std::size_t n = model.nv();
  const Folder folder;
  const Unit unit(folder, model, {.friction = true});
  std::vector<Friction> smooth;
  for (const Joint& joint : model.joints()) {
    smooth.push_back(joint.friction);
    if (smooth.back().smoothing_speed == 0) smooth.back().smoothing_speed = 0.1;
  }
  const Plan plan = make_plan(with_friction(model, smooth));
  Workspace ws(plan);
  std::vector<double> x(2 * n), tau(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = 0.2 + 0.1 * static_cast<double>(k), x[n + k] = 0.5 - 0.3 * static_cast<double>(k), tau[k] = 0.2 + 0.1 * static_cast<double>(k);
    const std::string joint = model.coordinate_names()[k];
    EXPECT_EQ(unit.set("q." + joint, x[k]) + unit.set("v." + joint, x[n + k]) + unit.set("tau." + joint, tau[k]), 0);
  }
  EXPECT_EQ(unit.set("friction.smooth", 0.1) + unit.set("tolerance", 1e-11), 0);
  EXPECT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  const auto rates = [&](const std::vector<double>& y) {
    std::vector<double> out(y.begin() + static_cast<std::ptrdiff_t>(n), y.end());
    out.resize(2 * n);
    forward_dynamics(plan, ws, y.data(), y.data() + n, tau.data(), out.data() + n, {.friction = true});
    return out;
  };
  for (int step = 0; step < 5; ++step) {
    ASSERT_EQ(unit.step(0.02 * step, 0.02), 0);
    for (int k = 0; k < 200; ++k) x = runge_kutta(rates, x, 1e-4);
  }
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_NEAR(unit.get("q." + model.coordinate_names()[k]), x[k], 1e-8);
    EXPECT_NEAR(unit.get("v." + model.coordinate_names()[k]), x[n + k], 1e-7);
  }
}

TEST(Fmi, TellsWhatItCannotFollow) {
  if (!can_load_units()) GTEST_SKIP() << "no C compiler, or a platform that FMI 2 has no name for";
  const Folder folder;
  const Model model = load("planar-2r");
  const Unit unit(folder, model, {});
  EXPECT_NE(unit.step(0, 0.1), 0);  // not yet
  EXPECT_EQ(unit.set("tau." + model.coordinate_names()[0], std::nan("")), 0);
  EXPECT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  EXPECT_NE(unit.step(0, -0.1), 0);
  EXPECT_NE(unit.step(0, 0.1), 0);
  EXPECT_EQ(unit.call("fmi2Reset"), 0);
  EXPECT_EQ(unit.call("fmi2EnterInitializationMode"), 0);
  EXPECT_EQ(unit.call("fmi2ExitInitializationMode"), 0);
  EXPECT_EQ(unit.step(0, 0.1), 0);
  // A quaternion of another length is refused; one that is nearly right begins with unit length.
  const Folder other;
  const Unit craft(other, with_base(load("servicer"), RootJoint::free), {});
  EXPECT_EQ(craft.set("q.base.qw", 1.01), 0);
  EXPECT_NE(craft.call("fmi2ExitInitializationMode"), 0);
  EXPECT_EQ(craft.set("q.base.qw", 1.0000005), 0);
  EXPECT_EQ(craft.call("fmi2ExitInitializationMode"), 0);
  EXPECT_EQ(craft.get("q.base.qw"), 1);
  EXPECT_EQ(craft.step(0, 0.01), 0);
}

// The archive is what other programs take for one, names are what XML takes, and the source compiles without a warning.
TEST(Fmi, AnyProgramReadsIt) {
  const Folder folder;
  folder.write("robot.urdf", R"(<robot name="a &lt;b&gt; &quot;c&quot;"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="x &amp; &quot;y&quot; */" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)");
  GenerateOptions options;
  options.target = "fmi";
  options.name = "robot";
  options.friction = true;
  options.parameters = {"all"};
  const std::vector<GeneratedFile> made = generate(load(folder.at("robot.urdf")), options);
  folder.write(made);
  EXPECT_EQ(generate(load(folder.at("robot.urdf")), options)[0].text, made[0].text);  // to the byte
  const auto files = unzipped(made[0].text);
  EXPECT_NE(files.at("modelDescription.xml").find("name=\"q.x &amp; &quot;y&quot; */\""), std::string::npos);
  folder.write("robot.c", files.at("sources/robot.c"));
  std::string output;
  if (installed("gcc")) {
    EXPECT_EQ(folder.run("gcc -std=c99 -O1 -Wall -Wextra -pedantic -Werror -Wshadow -DROBOT_SELFTEST_MAIN robot.c -lm -o t && ./t", &output), 0) << output;
  }
  if (installed("python3")) {
    EXPECT_EQ(folder.run("python3 -c \"import zipfile, xml.dom.minidom as x; z = zipfile.ZipFile('robot.fmu'); assert z.testzip() is None; "
                         "x.parseString(z.read('modelDescription.xml'))\"",
                         &output),
              0)
        << output;
  }
}

}  // namespace
}  // namespace ulna::test
