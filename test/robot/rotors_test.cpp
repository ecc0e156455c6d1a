// Rotors that spin about axes of their own: against robots whose rotors are bodies on mimic joints, closed forms of a gyroscope, and the conservation of
// energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "support/folder.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/random_model.hpp"

namespace ulna::test {
namespace {

/// Two bodies that turn about crossing axes, z and then x; `motor` is the drive of the second joint.
std::string gyroscope(const std::string& motor, const std::string& dynamics = "") {
  return R"(<robot name="gyroscope" xmlns:drake="http://drake.mit.edu" xmlns:ulna="urn:ulna">
  <link name="base"/>
  <link name="yoke"><inertial><mass value="2"/><inertia ixx="0.5" iyy="0.4" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="head"><inertial><mass value="1"/><inertia ixx="0.07" iyy="0.09" izz="0.11" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="yoke"/><axis xyz="0 0 1"/></joint>
  <joint name="tilt" type="continuous"><parent link="yoke"/><child link="head"/><axis xyz="1 0 0"/>)" +
         dynamics + R"(</joint>
  <transmission name="t"><joint name="tilt"/><actuator name="m">)" +
         motor + "</actuator></transmission>\n</robot>\n";
}
const std::string kRotor = R"(<drake:rotor_inertia value="2e-3"/><drake:gear_ratio value="-50"/>)";

std::string problem_of(const std::string& text, const LoadOptions& options = {}) {
  const LoadResult result = try_parse(text, "r.urdf", options);
  std::string all;
  for (const Diagnostic& one : result.diagnostics)
    if (one.severity == Severity::error) all += (all.empty() ? "" : "\n") + to_string(one);
  return all;
}

// With the head's rates and the rotor's along y of the head, T = ½ A v1² + ½ Bx v2² + ½ (By sin² q2 + Bz cos² q2) v1² + ½ I n² v2² + I n v1 v2 sin q2.
TEST(Rotors, GyroscopeInClosedForm) {
  constexpr double I = 2e-3, n = -50, A = 0.3, Bx = 0.07, By = 0.09, Bz = 0.11;
  const Model model = parse(gyroscope(kRotor + R"(<ulna:rotor_axis xyz="0 1 0" link="head"/>)"), "r.urdf");
  EXPECT_EQ(model.nv(), 2u);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"turn", "tilt"}));
  const Dynamics dynamics(model);
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> q = random.numbers(2, -3, 3), v = random.numbers(2, -3, 3), a = random.numbers(2, -3, 3);
    const double s = std::sin(q[1]), c = std::cos(q[1]), spin = I * n;
    const double first = (A + By * s * s + Bz * c * c) * a[0] + 2 * (By - Bz) * s * c * v[0] * v[1] + spin * (a[1] * s + v[1] * v[1] * c);
    const double second = (Bx + I * n * n) * a[1] - (By - Bz) * s * c * v[0] * v[0] + spin * a[0] * s;
    std::vector<double> tau(2), back(2);
    dynamics.inverse(q, v, a, tau);
    EXPECT_NEAR(tau[0], first, 1e-13 * 100);
    EXPECT_NEAR(tau[1], second, 1e-13 * 100);
    dynamics.forward(q, v, tau, back);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(back[i], a[i], 1e-12 * 100);
    const double kinetic = 0.5 * (A + By * s * s + Bz * c * c) * v[0] * v[0] + 0.5 * (Bx + I * n * n) * v[1] * v[1] + spin * v[0] * v[1] * s;
    EXPECT_NEAR(dynamics.energy(q, v).kinetic, kinetic, 1e-12);
  }
}

// A wheel that spins along its yoke's axis of turn adds to what turns it: T = ½ I ((v1 + n v2)² - v1²).
TEST(Rotors, TheJointsParentHoldsThemUnlessAnotherIsNamed) {
  const Dynamics dynamics(parse(gyroscope(kRotor + R"(<ulna:rotor_axis xyz="0 0 2"/>)"), "r.urdf"));
  const std::vector<double> q{0.4, 0.7}, v{0, 0}, a{1, 2};
  std::vector<double> tau(2);
  dynamics.inverse(q, v, a, tau);
  const double s = std::sin(0.7), c = std::cos(0.7);
  EXPECT_NEAR(tau[0], 0.3 + 0.09 * s * s + 0.11 * c * c - 0.1 * 2, 1e-13);
  EXPECT_NEAR(tau[1], (0.07 + 5) * 2 - 0.1, 1e-12);
}

/// The robot as bodies: rotors of their own masses and inertias, somewhere on links, on joints that follow. And as its file has it: links that hold their
/// rotors.
struct TwoForms {
  Model apart;
  std::string file;
};

TwoForms two_forms(std::uint64_t seed) {
  Random random(seed);
  Description apart = random_description(seed, {.fewest = 3, .most = 7, .massless = false, .rotor = false, .identity_MB = true});
  apart.gravity = {0, 0, -9.81};  // URDF has no other
  Description whole = apart;
  std::vector<std::string> axes;
  const std::size_t joints = apart.joints.size();
  for (std::size_t j = 0; j < joints; ++j) {
    const Joint& driven = apart.joints[j].joint;
    if (driven.type == JointType::fixed || (axes.size() > 0 && random.uniform(0, 1) < 0.2)) continue;
    const std::size_t holder = static_cast<std::size_t>(random.uniform(0, 0.999) * static_cast<double>(apart.links.size() - axes.size()));
    const bool usual = random.uniform(0, 1) < 0.5;
    Description::JointEntry spin;
    const std::string name = driven.name + "_rotor", on = usual ? apart.joints[j].parent : apart.links[holder].name;
    const Vec3<double> direction = random.vector(1), u = (1 / std::sqrt(dot(direction, direction))) * direction;
    const double I = random.uniform(1e-4, 1e-2), across = random.uniform(0.55, 2) * I, mass = random.uniform(0.1, 1), gear = random.uniform(-120, 120);
    Link rotor;
    rotor.name = name, rotor.mass = mass, rotor.inertial = true;
    const double more = I - across;
    rotor.inertia = {across + more * u.x * u.x, across + more * u.y * u.y, across + more * u.z * u.z, more * u.x * u.y, more * u.x * u.z, more * u.y * u.z};
    spin.joint.name = name, spin.joint.type = JointType::continuous, spin.joint.axis = u, spin.joint.X_PF.p = random.vector(0.2);
    spin.joint.mimic = Mimic{kNone, gear, 0}, spin.leader = driven.name, spin.parent = on, spin.child = name;
    for (Link& link : whole.links) {
      if (link.name != on) continue;
      // Two bodies as one, by the parallel axis theorem.
      const double sum = link.mass + mass;
      const Vec3<double> centre = (1 / sum) * (link.mass * link.com + mass * spin.joint.X_PF.p);
      const auto about = [&](double m, const Vec3<double>& p) {
        const Vec3<double> d = p - centre;
        const double square = dot(d, d);
        return m * Sym3<double>{square - d.x * d.x, square - d.y * d.y, square - d.z * d.z, -d.x * d.y, -d.x * d.z, -d.y * d.z};
      };
      link.inertia = link.inertia + about(link.mass, link.com) + rotor.inertia + about(mass, spin.joint.X_PF.p);
      link.mass = sum, link.com = centre, link.inertial = true;
    }
    whole.joints[j].joint.rotor = I, whole.joints[j].joint.gear = gear;
    char axis[200];
    std::snprintf(axis, sizeof axis, R"(<ulna:rotor_axis xyz="%.17g %.17g %.17g" link="%s"/>)", u.x, u.y, u.z, on.c_str());
    axes.emplace_back(axis);
    apart.links.push_back(rotor), apart.joints.push_back(spin);
  }
  Diagnostics problems, others;
  const Model of_links = *build(whole, problems);
  std::string text = write_urdf(of_links, others).value();
  // Transmissions stand in the order of the model's joints.
  std::size_t at = 0;
  for (const Joint& joint : of_links.joints()) {
    if (joint.rotor == 0) continue;
    std::size_t k = 0;
    for (std::size_t j = 0; j < joints; ++j) {
      if (whole.joints[j].joint.rotor == 0) continue;
      if (whole.joints[j].joint.name == joint.name) break;
      ++k;
    }
    at = text.find("</actuator>", at);
    text.insert(at, axes[k]);
    at += axes[k].size() + 1;
  }
  return {*build(apart, problems), text};
}

TEST(Rotors, AreTheSameAsBodiesOfTheirOwn) {
  std::size_t rotors = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const TwoForms forms = two_forms(seed);
    const Model whole = parse(forms.file, "whole.urdf");
    ASSERT_EQ(whole.nv(), forms.apart.nv());
    ASSERT_EQ(whole.joints().size(), forms.apart.joints().size());
    rotors += static_cast<std::size_t>(std::count_if(whole.joints().begin(), whole.joints().end(), [](const Joint& joint) { return joint.mimic.has_value(); }));
    const Dynamics dynamics(whole);
    const std::size_t n = whole.nv();
    Random random(seed + 100);
    for (int k = 0; k < 5; ++k) {
      const State at = random_state(whole, random);
      const Oracle oracle(forms.apart, at.q, at.v, at.a);
      const std::vector<double> wanted = doubles(oracle.torques());
      std::vector<double> tau(n), back(n), M(n * n);
      dynamics.inverse(at.q, at.v, at.a, tau);
      // Speeds of the rotors, up to 120 times those of the joints, are squared in terms that cancel.
      const double size = oracle.torque_size();
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(tau[i], wanted[i], 1e-12 * size);
      const Eigen::MatrixXd mass = doubles(oracle.mass_matrix());
      dynamics.mass(at.q, {M.data(), n, n});
      for (std::size_t i = 0; i < n * n; ++i) EXPECT_NEAR(M[i], mass(static_cast<long>(i % n), static_cast<long>(i / n)), 1e-12 * mass.cwiseAbs().maxCoeff());
      dynamics.forward(at.q, at.v, wanted, back);
      const RealVector residual = Oracle(forms.apart, at.q, at.v, back).torques();
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(static_cast<double>(residual[static_cast<long>(i)]), wanted[i], 1e-11 * size);
      const auto energy = dynamics.energy(at.q, at.v);
      EXPECT_NEAR(energy.kinetic, static_cast<double>(oracle.kinetic()), 1e-12 * (1 + energy.kinetic));
      EXPECT_NEAR(energy.potential, static_cast<double>(oracle.potential()), 1e-12 * (1 + std::fabs(energy.potential)));
    }
  }
  EXPECT_GT(rotors, 80u);
}

// An arm that swings freely while its rotors spin: fourth-order Runge-Kutta.
TEST(Rotors, KeepTheEnergy) {
  const support::Folder folder;
  folder.write("drives.yaml", R"(rotors:
  shoulder_pan: {inertia: 1e-3, gear: 101, axis: [0, 0, 1]}
  shoulder_lift: {inertia: 1e-3, gear: 101, axis: [0, 1, 0]}
  elbow: {inertia: 5e-4, gear: -101, axis: [0, 1, 1]}
  wrist_1: {inertia: 1e-4, gear: 101, axis: [0, 1, 0], link: forearm}
)");
  const Model model = load("ur5", {.friction_file = folder.at("drives.yaml")});
  const Dynamics dynamics(model);
  const std::size_t n = model.nv();
  std::vector<double> x(2 * n, 0.0), none(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) x[k] = 0.3 * static_cast<double>(k) - 0.7, x[n + k] = k % 2 == 0 ? 1.0 : -0.5;
  const auto rate = [&](const std::vector<double>& at) {
    const std::vector<double> q(at.begin(), at.begin() + static_cast<long>(n)), v(at.begin() + static_cast<long>(n), at.end());
    std::vector<double> a(n), out = v;
    dynamics.forward(q, v, none, a);
    out.insert(out.end(), a.begin(), a.end());
    return out;
  };
  const auto energy = [&] {
    const auto both = dynamics.energy({x.data(), n}, {x.data() + n, n});
    return both.kinetic + both.potential;
  };
  const auto stepped = [&](const std::vector<double>& by, double h) {
    std::vector<double> out = x;
    for (std::size_t k = 0; k < 2 * n; ++k) out[k] += h * by[k];
    return out;
  };
  const double before = energy(), h = 1e-3;
  for (int step = 0; step < 2000; ++step) {
    const std::vector<double> k1 = rate(x), k2 = rate(stepped(k1, h / 2)), k3 = rate(stepped(k2, h / 2)), k4 = rate(stepped(k3, h));
    for (std::size_t k = 0; k < 2 * n; ++k) x[k] += h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]);
  }
  EXPECT_NEAR(energy(), before, 1e-8 * std::fabs(before));
}

// The same drive in URDF, in a DH table, and in a file beside the model.
TEST(Rotors, EveryFormatHasThem) {
  const auto torques = [](const Model& model) {
    const std::size_t n = model.nv();
    const std::vector<double> q{0.3, -0.8}, v{1.1, 0.9}, a{-0.6, 2};
    std::vector<double> tau(n);
    Dynamics(model).inverse(q, v, a, tau);
    return tau;
  };
  const std::string axis = R"(<ulna:rotor_axis xyz="0.6 0 0.8"/>)";
  const std::vector<double> wanted = torques(parse(gyroscope(kRotor + axis), "r.urdf"));
  EXPECT_GT(std::fabs(wanted[0] - torques(parse(gyroscope(kRotor), "r.urdf"))[0]), 0.1);  // what the diagonal alone lacks
  const support::Folder folder;
  folder.write("drives.yaml", "rotors: {tilt: {inertia: 2e-3, gear: -50, axis: [0.6, 0, 0.8]}}\n");
  for (const std::string& given : {gyroscope("<drake:rotor_inertia value=\"9\"/>"), gyroscope(kRotor + R"(<ulna:rotor_axis xyz="1 0 0"/>)")})
    EXPECT_EQ(torques(parse(given, "r.urdf", {.friction_file = folder.at("drives.yaml")})), wanted);
  const std::string table = R"(robot: gyroscope
convention: modified
links:
  - {joint: continuous, name: turn, link: yoke, a: 0, alpha: 0, d: 0, theta: 0, mass: 2, com: [0, 0, 0], inertia: [0.5, 0.4, 0.3]}
  - {joint: continuous, name: tilt, a: 0, alpha: pi/2, d: 0, theta: 0, mass: 1, com: [0, 0, 0], inertia: [0.07, 0.09, 0.11],
     rotor: 2e-3, gear: -50, rotor_axis: [0.6, 0, 0.8], rotor_link: yoke}
)";
  const Model dh = parse(table, "r.yaml");
  const Joint& rotor = dh.joints()[dh.find_joint("tilt_rotor").value()];
  EXPECT_EQ(rotor.axis, (Vec3<double>{0.6, 0, 0.8}));
  EXPECT_EQ(rotor.mimic->multiplier, -50);
  EXPECT_EQ(dh.links()[rotor.parent].name, "yoke");
  EXPECT_NEAR(dh.mass(), 3, 1e-15);
  // What is written loads again.
  Diagnostics diagnostics;
  const Model model = parse(gyroscope(kRotor + axis), "r.urdf");
  EXPECT_EQ(torques(parse(write_urdf(model, diagnostics).value(), "again.urdf")), wanted);
}

TEST(Rotors, OffTheyStandAndLocksHoldThem) {
  const std::string text = gyroscope(kRotor + R"(<ulna:rotor_axis xyz="0 0 1"/>)");
  const Model still = parse(text, "r.urdf", {.rotor = false}), ignored = parse(text, "r.urdf", {.mimic = MimicPolicy::ignore});
  EXPECT_EQ(still.joints().size(), 2u);
  EXPECT_EQ(ignored.nv(), 2u);
  const LoadResult loud = try_parse(text, "r.urdf");
  EXPECT_TRUE(loud.mimics.empty());
  for (const Diagnostic& one : loud.diagnostics) EXPECT_NE(one.severity, Severity::warning) << to_string(one);
  const Model locked = parse(text, "r.urdf", {.locks = {{"tilt", 0.5}}});
  const Model without = parse(gyroscope(""), "r.urdf", {.locks = {{"tilt", 0.5}}});
  std::vector<double> tau(1), wanted(1);
  const std::vector<double> q{0.1}, v{0.2}, a{0.3};
  Dynamics(locked).inverse(q, v, a, tau);
  Dynamics(without).inverse(q, v, a, wanted);
  EXPECT_NEAR(tau[0], wanted[0], 1e-15);
}

TEST(Rotors, ProblemsNameLineElementAndCure) {
  const auto of = [](const std::string& motor, const std::string& dynamics = "") { return problem_of(gyroscope(motor, dynamics)); };
  EXPECT_EQ(
      of(kRotor + R"(<ulna:rotor_axis xyz="0 0 0"/>)"),
      "r.urdf:7: error: joint 'tilt': the axis of its rotor is zero; write the direction of the rotor's axis, such as 0 0 1, in the axes of the link that "
      "holds it");
  EXPECT_NE(of(kRotor + R"(<ulna:rotor_axis/>)").find("'xyz' is missing"), std::string::npos);
  EXPECT_NE(of(kRotor + R"(<ulna:rotor_axis xyz="0 0 1" link="yok"/>)").find("did you mean 'yoke'"), std::string::npos);
  EXPECT_EQ(of(kRotor + R"(<ulna:rotor_axis xyz="0 0 1" link="base"/>)"), "");  // bolted down: it holds any rotor
  EXPECT_NE(of(R"(<ulna:rotor_axis xyz="0 0 1"/>)").find("an axis and no inertia"), std::string::npos);
  EXPECT_NE(of(R"(<drake:rotor_inertia value="0.2"/><ulna:rotor_axis xyz="0 0 1" link="head"/>)").find("does not hold its rotor"), std::string::npos);
  EXPECT_NE(of(kRotor + R"(<ulna:rotor_axis xyz="0 0 1"/>)", R"(<dynamics><ulna:friction load="0.1"/></dynamics>)").find("depends on the load"),
            std::string::npos);
  EXPECT_NE(problem_of(gyroscope(kRotor + R"(<ulna:rotor_axis xyz="0 0 1" link="base"/>)"), {.base = RootJoint::free}).find("has no mass"), std::string::npos);
  const support::Folder folder;
  const auto beside = [&](const std::string& text) {
    folder.write("drives.yaml", text);
    return problem_of(gyroscope(""), {.friction_file = folder.at("drives.yaml")});
  };
  const std::string file = folder.at("drives.yaml");
  EXPECT_EQ(beside("rotors:\n  tilt:\n    {inertia: 1e-3, gear: 50,\n     axis: [0, 0, 0]}\n").find(file + ":4: error: joint 'tilt': the axis of its rotor"),
            0u);
  EXPECT_NE(beside("rotors: {tild: {inertia: 1e-3}}\n").find("did you mean 'tilt'"), std::string::npos);
  EXPECT_NE(beside("rotors: {tilt: {gear: 3}}\n").find("inertia"), std::string::npos);
  EXPECT_NE(beside("rotors: {tilt: {inertia: 1, gear: 0}}\n").find("uncouple"), std::string::npos);
  EXPECT_NE(beside("rotors: {tilt: {inertia: 1, link: yoke}}\n").find("the rotor has no axis"), std::string::npos);
  EXPECT_EQ(beside("rotors: {tilt: {inertia: 1, gear: 3}}\n"), "");
}

}  // namespace
}  // namespace ulna::test
