// What is wrong with a model or a log: faults that are put in on purpose must be named first, and sound ones left alone. Torques of the logs are those of the
// oracle, which shares no code with the library, with friction, noise and rounding of encoders.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include <ulna/explain/explain.hpp>

#include "explain/faults.hpp"
#include "model/motion.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

constexpr double kTurnedBack = std::numbers::pi;
using Row = std::vector<double>;

/// A robot, its motion and its log, and what is wrong with the model or the log of it.
struct Ailing {
  std::string robot, kind, where;                       // where: a part of it; empty for any
  std::function<void(Description&)> model{};            // what is wrong with the file
  std::function<Model(const Model&)> real{};            // or how the robot differs from it
  std::function<void(Row& q, Row& v, Row& tau)> row{};  // or what is wrong with a row of the log
  double late = 0;                                      // torques come late [s]
  bool velocities = false;
};

/// The robot with friction of some per cent of its torques.
Model with_rubbing_joints(const Model& model, Random& random) {
  std::vector<double> size(model.nv(), 0.0);
  for (int s = 0; s < 20; ++s) {
    const RealVector tau = Oracle(model, random.numbers(model.nv(), -1.5, 1.5), random.numbers(model.nv(), -1, 1), random.numbers(model.nv(), -2, 2)).torques();
    for (std::size_t k = 0; k < size.size(); ++k) size[k] += static_cast<double>(std::abs(tau[static_cast<long>(k)])) / 20;
  }
  const double largest = *std::max_element(size.begin(), size.end());
  std::vector<Friction> friction(model.joints().size());
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double own = std::max(size[k], 0.05 * largest);
    friction[model.independent()[k]] = {own * random.uniform(0.03, 0.1), own * random.uniform(0.05, 0.15), 0};
  }
  return with_friction(model, friction);
}

struct Examined {
  Model given, real;
  Log log;
};

Examined made(const Ailing& patient, std::uint64_t seed, int bits, double rate) {
  Random random(seed);
  const Model truth = with_rubbing_joints(load(patient.robot), random);
  const Model real = patient.real ? patient.real(truth) : truth;
  Description given = describe(truth);
  if (patient.model) patient.model(given);
  Diagnostics problems;
  const Model file = *build(given, problems);
  const std::size_t n = truth.nv();
  std::vector<std::size_t> column;  // of the log, by name: whose joint of the robot it is
  for (const std::string& name : file.coordinate_names()) {
    const std::vector<std::string> names = truth.coordinate_names();
    column.push_back(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  const auto by_name = [&](Row& x) {
    const Row own = x;
    for (std::size_t k = 0; k < n; ++k) x[k] = own[column[k]];
  };
  constexpr int kWaves = 5;
  const Row frequency = random.numbers(n * kWaves, 0.3, 3.5), phase = random.numbers(n * kWaves, 0, 6.28), amplitude = random.numbers(n * kWaves, 0.1, 0.35);
  Row middle = random.numbers(n, -0.5, 0.5), scale(n, 1.0);
  std::vector<bool> slides(n);
  for (std::size_t k = 0; k < n; ++k)
    if (real.joints()[real.independent()[k]].type == JointType::prismatic) slides[k] = true, scale[k] = 0.2;
  const auto motion = [&](double t, Row& q, Row& v, Row& a) {
    for (std::size_t k = 0; k < n; ++k) {
      q[k] = middle[k], v[k] = a[k] = 0;
      for (std::size_t i = k * kWaves; i < (k + 1) * kWaves; ++i) {
        const double w = frequency[i], x = w * t + phase[i], c = scale[k] * amplitude[i];
        q[k] += c * std::sin(x), v[k] += c * w * std::cos(x), a[k] -= c * w * w * std::sin(x);
      }
    }
  };
  Log log("log.csv", n, {patient.velocities, false, true});
  Row q(n), v(n), a(n), tau(n);
  const double step = 2 * kTurnedBack / std::exp2(bits);
  for (int r = 0; r < static_cast<int>(15 * rate); ++r) {
    const double t = r / rate;
    motion(t - patient.late, q, v, a);
    const RealVector of_links = Oracle(real, q, v, a).torques();
    for (std::size_t k = 0; k < n; ++k) {
      const Friction& f = real.joints()[real.independent()[k]].friction;
      const double side = v[k] > 0 ? 1 : v[k] < 0 ? -1 : 0;
      tau[k] = (static_cast<double>(of_links[static_cast<long>(k)]) + f.viscous * v[k] + f.coulomb * side) * (1 + random.uniform(-0.01, 0.01));
    }
    motion(t, q, v, a);
    for (std::size_t k = 0; k < n; ++k) q[k] = step * (slides[k] ? 0.1 : 1) * std::round(q[k] / (step * (slides[k] ? 0.1 : 1)));
    for (Row* x : {&q, &v, &tau}) by_name(*x);
    if (patient.row) patient.row(q, v, tau);
    log.add(t, q.data(), v.data(), a.data(), tau.data());
  }
  return {file, real, log};
}

std::function<void(Row&, Row&, Row&)> torque_times(std::size_t k, double factor) {
  return [k, factor](Row&, Row&, Row& tau) {
    for (std::size_t j = 0; j < tau.size(); ++j)
      if (k == kNone || j == k) tau[j] *= factor;
  };
}
std::function<void(Description&)> axis_of(const std::string& joint) {
  return [joint](Description& d) { joint_of(d, joint).axis = -joint_of(d, joint).axis; };
}
std::function<void(Description&)> zero_of(const std::string& joint, double by) {
  return [joint, by](Description& d) { joint_of(d, joint).X_PF = joint_of(d, joint).X_PF * joint_motion(joint_of(d, joint), by); };
}
std::function<void(Description&)> mass_of(const std::string& link, double times) {
  return [link, times](Description& d) { link_of(d, link).mass *= times; };
}
std::function<Model(const Model&)> loaded(const std::string& link, double mass) {
  return [link, mass](const Model& m) { return with_payload(m, link, {mass, {0.03, -0.02, 0.08}, {mass * 0.003, mass * 0.002, mass * 0.001, 0, 0, 0}}); };
}
std::function<Model(const Model&)> tilted(double x, double y) {
  return [x, y](const Model& m) { return with_gravity(m, rotation_rpy(x, y, 0) * Vec3<double>{0, 0, -9.81}); };
}
std::function<void(Row&, Row&, Row&)> torques_exchanged(std::size_t i, std::size_t j) {
  return [i, j](Row&, Row&, Row& tau) { std::swap(tau[i], tau[j]); };
}
void without_friction(Description& d) {
  for (Description::JointEntry& entry : d.joints) entry.joint.friction = {};
}
std::function<void(Description&)> names_exchanged(const std::string& one, const std::string& two) {
  return [one, two](Description& d) {
    Joint &a = joint_of(d, one), &b = joint_of(d, two);
    std::swap(a.name, b.name);
  };
}

/// Thirty of them. The first of each kind come first.
std::vector<Ailing> sick() {
  std::vector<Ailing> out;
  const auto file = [&](const char* robot, const char* kind, const char* where, std::function<void(Description&)> what) {
    out.push_back({robot, kind, where, std::move(what)});
  };
  const auto robot = [&](const char* id, const char* kind, const char* where, std::function<Model(const Model&)> what) {
    out.push_back({id, kind, where, {}, std::move(what)});
  };
  const auto log = [&](const char* id, const char* kind, const char* where, std::function<void(Row&, Row&, Row&)> what, bool velocities = false) {
    out.push_back({id, kind, where, {}, {}, std::move(what), 0, velocities});
  };
  file("ur5", "joint-sign", "elbow", axis_of("elbow"));
  file("ur5", "mass", "forearm", mass_of("forearm", 10));
  robot("ur5", "gravity", "", tilted(0.2, -0.1));
  log("scara", "torque-constant", "elbow", torque_times(1, 1.4));
  out.push_back({"ur5", "delay", "all joints", {}, {}, {}, 0.03});
  file("stanford", "friction", "", without_friction);
  file("iiwa14", "joint-offset", "joint4", zero_of("joint4", 0.2));
  robot("ur5", "missing-link", "wrist3", loaded("wrist3", 1.5));
  log("iiwa14", "units", "all joints", [](Row& q, Row&, Row&) {
    for (double& x : q) x *= 180 / kTurnedBack;
  });
  file("iiwa14", "joint-order", "joint2", names_exchanged("joint2", "joint4"));
  log(
      "ur5", "units", "all joints",
      [](Row&, Row& v, Row&) {
        for (double& x : v) x *= 30 / kTurnedBack;
      },
      true);
  log("ur5", "units", "wrist_1", torque_times(3, 1000));
  log("ur5", "torque-sign", "shoulder_lift", torque_times(1, -1));
  // Others.
  log("iiwa14", "units", "all joints", torque_times(kNone, 1000));
  log("panda", "units", "joint3", [](Row& q, Row&, Row&) { q[2] *= 180 / kTurnedBack; });
  log("panda", "joint-order", "joint2", torques_exchanged(1, 3));
  log("iiwa14", "joint-sign", "joint6", [](Row& q, Row&, Row&) { q[5] *= -1; });
  file("panda", "joint-sign", "joint5", axis_of("joint5"));
  file("planar-3r", "joint-sign", "elbow", axis_of("elbow"));
  file("stanford", "joint-offset", "q4", zero_of("q4", 0.4));
  file("panda", "joint-offset", "joint6", zero_of("joint6", -kTurnedBack / 2));
  file("iiwa14", "mass", "link5", mass_of("link5", 0.1));
  file("scara", "mass", "outer_arm", mass_of("outer_arm", 10));
  file("panda", "mass", "link4", mass_of("link4", 0.1));
  robot("panda", "gravity", "", tilted(kTurnedBack / 2, 0));
  robot("iiwa14", "gravity", "", tilted(kTurnedBack, 0));
  robot("panda", "missing-link", "link7", loaded("hand", 0.8));
  robot("stanford", "missing-link", "", loaded("F", 2));
  log("panda", "torque-constant", "joint2", torque_times(1, 0.7));
  file("iiwa14", "friction", "", without_friction);
  return out;
}

std::string listed(const Diagnosis& found) {
  std::string out;
  for (const Cause& cause : found.causes) out += cat(cause.kind, " of ", cause.where, " (", rounded(cause.share), "): ", cause.edit, "\n");
  return out;
}

int bits_of(std::size_t k) { return 15 + static_cast<int>(k % 4); }
double rate_of(std::size_t k) { return k % 3 == 0 ? 100 : k % 3 == 1 ? 200 : 125; }

}  // namespace

TEST(Doctor, NamesWhatIsWrong) {
  const std::vector<Ailing> all = sick();
  ASSERT_EQ(all.size(), 30u);
  const std::size_t count = so_many<std::size_t>(6, all.size());
  std::size_t named = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Examined one = made(all[k], 100 + k, bits_of(k), rate_of(k));
    const Diagnosis found = doctor(one.given, {&one.log, 1});
    const bool right = !found.sound() && found.causes[0].kind == all[k].kind && found.causes[0].where.find(all[k].where) != std::string::npos;
    named += right ? 1 : 0;
    if (!right) ADD_FAILURE() << all[k].robot << ": " << all[k].kind << " of " << all[k].where << " is called\n" << listed(found);
    EXPECT_GT(found.before, found.after) << all[k].robot << ' ' << all[k].kind;
    EXPECT_LT(found.after, 0.03) << all[k].robot << ' ' << all[k].kind;  // noise is 0.6 %
  }
  std::printf("%zu of %zu named first\n", named, count);
}

TEST(Doctor, FindsNothingInSoundLogs) {
  const char* const robots[] = {"ur5", "scara", "panda", "iiwa14", "stanford", "planar-3r", "ur5", "panda", "iiwa14", "planar-2r"};
  const std::size_t count = so_many<std::size_t>(2, std::size(robots));
  for (std::size_t k = 0; k < count; ++k) {
    const Examined one = made({robots[k], "", "", {}, {}, {}, 0, k % 2 == 1}, 500 + k, k < 6 ? bits_of(k) : 12, rate_of(k));
    const Diagnosis found = doctor(one.given, {&one.log, 1});
    EXPECT_TRUE(found.sound()) << robots[k] << '\n' << listed(found);
    EXPECT_EQ(found.before, found.after);
    EXPECT_LT(found.before, 0.03);
  }
}

TEST(Doctor, FindsTwoThings) {
  Ailing both{"ur5", "joint-offset", "elbow", zero_of("elbow", 0.3)};
  both.row = torque_times(3, 1.5);
  const Examined one = made(both, 7, 16, 125);
  const Diagnosis found = doctor(one.given, {&one.log, 1});
  ASSERT_EQ(found.causes.size(), 2u) << listed(found);
  for (std::size_t k = 0; k < 2; ++k) {
    const bool offset = found.causes[k].kind == "joint-offset";
    EXPECT_EQ(found.causes[k].where, offset ? "elbow" : "wrist_1") << listed(found);
    EXPECT_EQ(found.in_log[k], !offset);
    EXPECT_NEAR(found.causes[k].to.numbers[0], offset ? -0.3 : 1 / 1.5, 0.02);
  }
  // The file's part of it is repaired: its origin is the robot's again.
  const Joint &repaired = found.repaired.joints()[*found.repaired.find_joint("elbow")], &real = one.real.joints()[*one.real.find_joint("elbow")];
  EXPECT_NEAR(repaired.X_PF.R.xx, real.X_PF.R.xx, 0.01);
  EXPECT_NEAR(repaired.X_PF.R.zx, real.X_PF.R.zx, 0.01);
}

TEST(Doctor, RefusesWhatTellsNothing) {
  const Examined one = made({"planar-2r", "", ""}, 3, 16, 100);
  const auto altered = [&](std::size_t rows, const std::function<void(std::size_t, Row&)>& change) {
    Log log("log.csv", 2, {false, false, true});
    Row x(9);
    for (std::size_t r = 0; r < rows; ++r) {
      one.log.read(r, 1, x.data());
      change(r, x);
      log.add(x[0], &x[1], nullptr, nullptr, &x[7]);
    }
    return log;
  };
  const Log dead = altered(1500, [](std::size_t, Row& x) { x[7] = 3; });
  EXPECT_THROW((void)doctor(one.given, {&dead, 1}), UnusableLog);
  Random random(1);
  const Log noise = altered(1500, [&](std::size_t, Row& x) { x[7] = random.uniform(-30, 30); });
  EXPECT_THROW((void)doctor(one.given, {&noise, 1}), UnusableLog);
  const Log still = altered(1500, [](std::size_t, Row& x) { x[1] = x[2] = 0.4; });
  EXPECT_THROW((void)doctor(one.given, {&still, 1}), std::invalid_argument);
  const Log brief = altered(100, [](std::size_t, Row&) {});
  EXPECT_THROW((void)doctor(one.given, {&brief, 1}), std::invalid_argument);
  EXPECT_THROW((void)doctor(one.given, {}), std::invalid_argument);
  EXPECT_THROW((void)doctor(load("ur5"), {&one.log, 1}), std::invalid_argument);
  EXPECT_THROW((void)doctor(load("four-bar"), {&one.log, 1}), std::invalid_argument);
  EXPECT_THROW((void)doctor(with_base(one.given, RootJoint::free), {&one.log, 1}), std::invalid_argument);
  const Log lost = altered(1500, [](std::size_t r, Row& x) { x[7] = r < 300 ? x[7] : 5; });
  EXPECT_THROW((void)doctor(one.given, {&lost, 1}), UnusableLog);
}

// Of a joint whose positions are one number a factor would be another zero: units and gears are not to blame.
TEST(Doctor, BlamesNoUnitsOfAJointThatStands) {
  const Examined one = made({"ur5", "", ""}, 3, 16, 100);
  Log dead("log.csv", 6, {false, false, true});
  Row x(25);
  for (std::size_t r = 0; r < one.log.rows(); ++r) {
    one.log.read(r, 1, x.data());
    x[3] = 0.4;
    dead.add(x[0], &x[1], nullptr, nullptr, &x[19]);
  }
  const Diagnosis found = doctor(one.given, {&dead, 1});
  EXPECT_GT(found.before, 0.05);
  for (const Cause& cause : found.causes) EXPECT_FALSE(cause.where == "elbow" && (cause.kind == "units" || cause.kind == "gear")) << listed(found);
}

// --- Edits of a file in place.

constexpr const char* kArm = R"(<?xml version="1.0"?>
<!-- <mass value="7"/> -->
<robot name="arm">
  <link name='base'><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="upper">
    <inertial><origin xyz="0 0 .1" rpy="0.1 0 0"/><mass value = "2.0" /><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
  </link>
  <link name="lower"/>
  <joint name="a > b" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
  <joint name="elbow" type="continuous"><!-- no origin --><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/><dynamics damping="0.1"/></joint>
  <transmission name="t"><joint name="elbow"/></transmission>
</robot>
)";

/// The file with a change; what it loads to, and how many lines differ.
Model edited(const std::function<void(Description&)>& change, std::size_t lines) {
  const LoadOptions unchecked{.unchecked = true};
  const Model from = parse(kArm, "arm.urdf", unchecked);
  Description d = describe(from);
  change(d);
  Diagnostics problems;
  const Model to = *build(d, problems);
  const std::optional<std::string> text = repaired_urdf(kArm, from, to, problems);
  EXPECT_TRUE(text) << problems.all().size();
  if (!text) return from;
  const auto split = [](const std::string& whole) {
    std::vector<std::string> out(1);
    for (const char c : whole) c == '\n' ? void(out.emplace_back()) : void(out.back() += c);
    return out;
  };
  std::size_t kept = 0;
  const std::vector<std::string> before = split(kArm), after = split(*text);
  for (const std::string& line : before) kept += std::find(after.begin(), after.end(), line) != after.end() ? 1 : 0;
  EXPECT_EQ(before.size() - kept, lines) << *text;
  const Model loaded = parse(*text, "arm.urdf", unchecked);
  EXPECT_LT(explain(loaded, to).before, 1e-12) << *text;
  return loaded;
}

TEST(Doctor, EditsAFileInPlace) {
  edited([](Description&) {}, 0);
  EXPECT_EQ(edited([](Description& d) { d.links[1].mass = 3.5; }, 1).links()[1].mass, 3.5);
  EXPECT_EQ(edited([](Description& d) { d.joints[0].joint.axis = {0, 0, -1}; }, 1).joints()[0].axis.z, -1);
  const Model rubs = edited(
      [](Description& d) {
        d.joints[1].joint.friction = {0.5, 0.25, 0};
        d.joints[0].joint.friction = {1, 2, 0};
      },
      2);
  EXPECT_EQ(rubs.joints()[1].friction.coulomb, 0.25);
  EXPECT_EQ(rubs.joints()[0].friction.viscous, 1);
  edited([](Description& d) { d.joints[1].joint.X_PF.R = rotation_rpy(0.1, 0.2, 0.3); }, 1);                         // an <origin> is made
  edited([](Description& d) { d.links[1].com.x = 0.05, d.links[1].inertia = {0.03, 0.03, 0.02, 0.001, 0, 0}; }, 1);  // axes of the tensor become the link's
  const Model heavy = edited([](Description& d) { d.links[2].mass = 1, d.links[2].com = {0, 0, 0.1}, d.links[2].inertia = {0.01, 0.01, 0.01, 0, 0, 0}; }, 1);
  EXPECT_EQ(heavy.links()[2].mass, 1);
  EXPECT_EQ(heavy.links()[2].com.z, 0.1);
  const Model named = edited([](Description& d) { std::swap(d.joints[0].joint.name, d.joints[1].joint.name); }, 3);
  EXPECT_EQ(named.joints()[0].name, "elbow");
}

TEST(Doctor, TiltsTheBaseOfAFile) {
  const Model from = parse(kArm, "arm.urdf", {.unchecked = true}), to = with_gravity(from, rotation_rpy(0.3, -0.2, 0) * from.gravity());
  Diagnostics problems;
  const std::optional<std::string> text = repaired_urdf(kArm, from, to, problems);
  ASSERT_TRUE(text);
  const Model loaded = parse(*text, "arm.urdf", {.unchecked = true});
  Random random(2);
  for (int s = 0; s < 5; ++s) {
    const Row q = random.numbers(2, -2, 2), v = random.numbers(2, -1, 1), a = random.numbers(2, -1, 1);
    const RealVector one = Oracle(to, q, v, a).torques(), two = Oracle(loaded, q, v, a).torques();
    for (long k = 0; k < 2; ++k) EXPECT_NEAR(static_cast<double>(one[k] - two[k]), 0, 1e-12);
  }
}

TEST(Doctor, RefusesFilesThatItCannotEdit) {
  const Model model = load("planar-2r");
  for (const char* text : {"robot: planar-2r\n", "<mujoco/>", "<robot name=\"r\"><xacro:arm/></robot>", "<robot name=\"r\"><link name=\"a\"></robot>"}) {
    Diagnostics problems("file");
    EXPECT_FALSE(repaired_urdf(text, model, model, problems)) << text;
    EXPECT_TRUE(problems.has_errors()) << text;
  }
  Diagnostics problems("file");
  Description d = describe(model);
  d.links.back().mass = 9;
  Diagnostics ignored;
  EXPECT_FALSE(repaired_urdf("<robot name=\"r\"><link name=\"other\"/></robot>", model, *build(d, ignored), problems));
  EXPECT_NE(to_string(problems.all()[0]).find("<mass value=\"9\"/>"), std::string::npos);
}

}  // namespace ulna::test
