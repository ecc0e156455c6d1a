// Runs in lanes against the same runs by simulate() and by a loop that is written here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include <ulna/campaign/campaign.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>

#include "campaign/block.hpp"
#include "sim/random.hpp"
#include "support/folder.hpp"
#include "support/random_model.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
using namespace ulna::internal::sim;

namespace {

Campaign parsed(const std::string& text) {
  CampaignResult result = try_parse_campaign(text, "test.yaml");
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  return result.campaign.value();
}

constexpr const char* kSwing = R"(
runs: 11
scenario:
  model: panda
  duration: 0.2
  initial: {q: [0, -0.4, 0.1, -2.0, 0.2, 1.6, 0.8]}
  law: {type: constant, tau: [1, -5, 2, 8, 0.3, 1, 0.1]}
  payloads: [{link: hand, mass: 1, com: [0.02, 0, 0.1], from: 0.05, to: 0.15}]
  integrator: {type: rk4, step: 0.001}
  limits: ignore
friction: {viscous: 0.4, coulomb: 0.3, smooth: 0.2}
vary:
  payload.mass: {uniform: [0, 3 kg]}
  mass.link3: {uniform: [0.8, 1.2], as: factor}
  v.joint2: {normal: [0.1, 0.02]}
  viscous.joint4: {uniform: [0.1, 0.9]}
)";

/// A torque that never changes is the same sampled or not: the motion is simulate()'s, with friction by the C library's tanh.
TEST(Block, RunsOfConstantTorqueAreThoseOfSimulate) {
  const Campaign campaign = parsed(kSwing);
  const Spec& spec = campaign.spec();
  for (const std::uint64_t run : {0, 4, 10}) {
    const Replay replay = campaign::replay(campaign, run);
    ASSERT_EQ(replay.status, "done") << replay.reason;
    const std::vector<double> values = drawn(spec, run);
    sim::Scenario s = numbers_of(spec, values).scenario;
    Description d;  // friction of the joints, which simulate() takes from the model
    d.name = s.model.name(), d.gravity = s.model.gravity(), d.links = s.model.links();
    for (const Joint& joint : s.model.joints()) {
      d.joints.push_back({joint, s.model.links()[joint.parent].name, s.model.links()[joint.child].name, {}});
      d.joints.back().joint.friction.viscous = joint.name == "joint4" ? values[3] : 0.4;
      d.joints.back().joint.friction.coulomb = 0.3;
      if (joint.mimic || joint.type == JointType::fixed) d.joints.back().joint.friction.viscous = d.joints.back().joint.friction.coulomb = 0;
    }
    Diagnostics problems;
    const std::optional<Model> model = build(d, problems);
    ASSERT_TRUE(model);
    s.model = *model;
    s.friction = {true, 0.2};
    s.control = {};  // the law is asked at every instant, and says the same
    s.output_step = 1e-3;
    const sim::Outcome outcome = sim::simulate(s);
    ASSERT_EQ(outcome.trajectory.rows(), replay.rows.size());
    for (std::size_t row = 0; row < replay.rows.size(); ++row)
      for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR(replay.rows[row][1 + i], outcome.trajectory.q[row * 7 + i], 1e-11) << run << " " << row << " " << i;
        EXPECT_NEAR(replay.rows[row][8 + i], outcome.trajectory.v[row * 7 + i], 1e-9) << run << " " << row << " " << i;
      }
  }
}

/// Two slides on one motor: v decays with viscous friction of the one that follows, which counts by the square of its multiplier.
TEST(Block, FrictionOfJointsThatFollowIsInTheMotion) {
  const support::Folder folder;
  folder.write("two.urdf", R"(<robot name="two"><link name="base"/>
    <link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <link name="b"><inertial><mass value="4"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="leads" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
    <joint name="follows" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="9" velocity="9"/>
      <dynamics damping="3"/><mimic joint="leads" multiplier="-0.5"/></joint></robot>)");
  const CampaignResult read = try_parse_campaign(
      "campaign: two\nruns: 2\nscenario: {model: two.urdf, duration: 0.5, initial: {v: 1}, friction: yes, integrator: {type: rk4, step: 0.001}}\n"
      "control: {rate: 1 kHz}\nvary: {q.leads: {uniform: [0, 1]}}\n",
      folder.at("two.yaml"));
  ASSERT_TRUE(read.campaign) << to_string(read.diagnostics.front());
  const Replay run = campaign::replay(*read.campaign, 1);
  for (const std::vector<double>& row : run.rows) EXPECT_NEAR(row[2], std::exp(-0.25 * 3 / (2 + 0.25 * 4) * row[0]), 1e-12) << row[0];
}

/// 2 kg that 2.5 N pushes, with Coulomb friction of 1 N and a static level of 2 N, both times a factor: it stands to the bit, or slides with (2.5 - factor)
/// / 2.
TEST(Block, DryFrictionSticksInCampaigns) {
  const support::Folder folder;
  folder.write("one.urdf", R"(<robot name="one"><link name="base"/>
    <link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="9" velocity="9"/>
      <dynamics friction="1" static="2"/></joint></robot>)");
  const CampaignResult read = try_parse_campaign(
      "campaign: one\nruns: 16\nscenario: {model: one.urdf, duration: 0.5, friction: yes, law: {type: constant, tau: 2.5}, integrator: {type: rk4, step: "
      "0.001}}\n"
      "control: {rate: 1 kHz}\nvary: {friction: {uniform: [0.5, 2]}}\n",
      folder.at("one.yaml"));
  ASSERT_TRUE(read.campaign) << to_string(read.diagnostics.front());
  int stood = 0;
  for (std::uint64_t k = 0; k < 16; ++k) {
    const Replay run = campaign::replay(*read.campaign, k);
    const double factor = drawn(read.campaign->spec(), k)[0], t = run.rows.back()[0];
    if (2 * factor > 2.5) {
      ++stood;
      EXPECT_EQ(run.rows.back()[1], 0) << factor;
    } else {
      EXPECT_NEAR(run.rows.back()[1], (2.5 - factor) / 2 * t * t / 2, 1e-12) << factor;
    }
  }
  EXPECT_GT(stood, 2);
  EXPECT_LT(stood, 14);
  // Friction that the scenario has not, but runs have.
  const CampaignResult given = try_parse_campaign(
      "campaign: one\nruns: 16\nscenario: {model: one.urdf, duration: 0.5, law: {type: constant, tau: 2.5}, integrator: {type: rk4, step: 0.001}}\n"
      "control: {rate: 1 kHz}\nvary: {coulomb.x: {uniform: [0, 4]}}\n",
      folder.at("given.yaml"));
  ASSERT_TRUE(given.campaign) << to_string(given.diagnostics.front());
  for (std::uint64_t k = 0; k < 16; ++k) {
    const Replay run = campaign::replay(*given.campaign, k);
    const double coulomb = drawn(given.campaign->spec(), k)[0], t = run.rows.back()[0];
    EXPECT_NEAR(run.rows.back()[1], coulomb > 2.5 ? 0 : (2.5 - coulomb) / 2 * t * t / 2, 1e-12) << coulomb;
  }
}

/// What varies, and what the scenario is; every run against simulate() with the numbers of that run.
struct Varied {
  const char *name, *scenario, *vary, *path;
};
constexpr Varied kVaried[] = {
    {"payload", "payloads: [{link: tool, mass: 1, com: [0.02, 0, 0.1]}]", "payload.mass: {uniform: [0, 3 kg]}, payload.com.x: {normal: [0, 0.02]}", "lanes"},
    {"masses", "", "mass: {uniform: [0.9, 1.1]}, mass.upper_arm: {uniform: [7, 9 kg]}, com.forearm.z: {uniform: [-1, 1 cm], as: offset}", "lanes"},
    {"identified", "", "h_x.forearm: {uniform: [-0.01, 0.01], as: offset}, J_zz.wrist3: {uniform: [0, 0.001], as: offset}", "lanes"},
    {"state", "", "q.elbow: {uniform: [-30, 30 deg]}, v.wrist_1: {normal: [0, 0.5]}", "lanes"},
    {"gravity", "", "gravity.x: {uniform: [-1, 1]}, gravity.z: {uniform: [-10, -9]}", "lanes"},
    {"disturbance", "disturbances: [{link: tool, force: [10, 0, 5], axes: world, from: 0.02, to: 0.05}, {link: forearm, moment: [1, 2, 3]}]",
     "disturbances: {uniform: [0, 2]}, disturbance.force.x: {normal: [8, 1]}, disturbance2.moment.z: {uniform: [-3, 3]}", "one by one: disturbances act"},
    {"base motion", "base: {shake: [0.02, 0, 0.01], rock: [0, 0.05, 0], frequency: 3}",
     "base.shake.x: {uniform: [0, 5 cm]}, base.frequency: {uniform: [1, 8 Hz]}", "one by one: the base is moved"},
    {"planar base", "base: planar", "mass: {uniform: [0.9, 1.1]}, q.base.x: {uniform: [-1, 1 m]}", "lanes"},
    {"free base", "base: free", "mass: {uniform: [0.9, 1.1]}, v.base.wx: {normal: [0, 0.5]}", "lanes"},
    {"pushed free base", "base: free\n  disturbances: [{link: tool, force: [3, 0, 5], axes: world, to: 0.05}]", "disturbance.force.y: {uniform: [-9, 9]}",
     "one by one: disturbances act"},
};

// Numbers of a quaternion may be drawn, but a draw that gives it another length is no rotation. The first run is made when the file is read.
TEST(Block, AQuaternionOfAnotherLengthIsARefusedRun) {
  int refused = 0, done = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    const CampaignResult read = try_parse_campaign(
        ulna::internal::cat("runs: 8\nseed: ", seed, "\nscenario:\n  model: ur5\n  base: free\n  duration: 0.01\n  integrator: {type: rk4, step: 0.001}\n",
                            "  limits: ignore\nvary: {q.base.qx: {normal: [0, 0.002]}}\n"),
        "test.yaml");
    const auto said = [](const std::string& text) { return text.find("the initial q: the quaternion of the base has length 1 + ") != std::string::npos; };
    if (!read.campaign) {
      ASSERT_EQ(read.diagnostics.size(), 1u);
      EXPECT_TRUE(said(to_string(read.diagnostics[0]))) << to_string(read.diagnostics[0]);
      continue;
    }
    for (std::uint64_t run = 0; run < 8; ++run) {
      const double x = drawn(read.campaign->spec(), run)[0];
      const Replay replay = campaign::replay(*read.campaign, run);
      const bool off = std::hypot(1.0, x) - 1 > 1e-6;
      EXPECT_EQ(replay.status, off ? "refused" : "done") << x << " " << replay.reason;
      EXPECT_EQ(said(replay.reason), off) << replay.reason;
      ++(off ? refused : done);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(done, 0);
}

TEST(Block, RunsOfEveryVariationAreThoseOfSimulate) {
  for (const Varied& varied : kVaried) {
    SCOPED_TRACE(varied.name);
    const bool planar = std::string(varied.scenario) == "base: planar", free = std::string(varied.scenario).find("base: free") == 0;
    const std::string zeros = planar ? "0, 0, 0, " : free ? "0, 0, 0, 0, 0, 0, " : "";
    const Campaign campaign =
        parsed(std::string("runs: 9\nscenario:\n  model: ur5\n  duration: 0.08\n  law: {type: constant, tau: [") + zeros +
               "5, -30, 2, 8, 0.3, 1]}\n  integrator: {type: rk4, step: 0.001}\n  limits: ignore\n  " + varied.scenario + "\nvary: {" + varied.vary + "}\n");
    const Spec& spec = campaign.spec();
    if (const Machinery machinery(spec); machinery.code != nullptr) {
      EXPECT_EQ(machinery.path, varied.path);
    }
    const std::size_t nq = spec.nominal.scenario.model.nq(), nv = spec.nominal.scenario.model.nv();
    for (const std::uint64_t run : {0, 8}) {
      const Replay replay = campaign::replay(campaign, run);
      ASSERT_EQ(replay.status, "done") << replay.reason;
      sim::Scenario s = numbers_of(spec, drawn(spec, run)).scenario;
      s.output_step = 1e-3;
      const sim::Outcome outcome = sim::simulate(s);
      ASSERT_EQ(outcome.trajectory.rows(), replay.rows.size());
      double moved = 0;
      for (std::size_t row = 0; row < replay.rows.size(); ++row) {
        for (std::size_t i = 0; i < nq; ++i) EXPECT_NEAR(replay.rows[row][1 + i], outcome.trajectory.q[row * nq + i], 1e-11) << run << " " << row << " " << i;
        for (std::size_t i = 0; i < nv; ++i) {
          EXPECT_NEAR(replay.rows[row][1 + nq + i], outcome.trajectory.v[row * nv + i], 1e-9) << run << " " << row << " " << i;
          moved = std::max(moved, std::fabs(replay.rows[row][1 + nq + i]));
        }
      }
      EXPECT_GT(moved, 0.1);
    }
  }
}

constexpr const char* kControlled = R"(
seed: 7
runs: 20
scenario:
  model: ur5
  duration: 0.3
  initial: {q: [0.1, -1.2, 1.4, -0.3, 0.2, 0.1]}
  reference: {type: quintic, to: [0.4, -1.0, 1.2, -0.5, 0.3, 0.4], duration: 0.25}
  law: {type: computed-torque, kp: 200, kd: 30, saturate: true}
  payloads: [{link: tool, mass: 1, com: [0, 0, 0.1]}]
  disturbances: [{link: tool, force: [10, 0, 5], axes: world, from: 0.1, to: 0.2}]
  integrator: {type: rk4, step: 0.001}
control: {rate: 500 Hz, delay: 3 ms, noise: {q: 0.1 mrad, v: 5 mrad/s}}
vary:
  payload.mass: {uniform: [0.5, 3]}
  kp: {uniform: [0.8, 1.2]}
  delay: {uniform: [2, 6 ms]}
  disturbances: {uniform: [0, 2]}
)";

std::vector<std::string> csv(const std::vector<RunRow>& rows) {
  std::vector<std::string> out;
  for (const RunRow& row : rows) {
    std::string text = row.status + row.reason;
    for (const std::vector<double>* part : {&row.values, &row.metrics}) text.append(reinterpret_cast<const char*>(part->data()), part->size() * sizeof(double));
    out.push_back(text);
  }
  return out;
}

/// The controller, the delay and the noise once more, for one run, with the library's plain calls.
TEST(Block, ASampledControllerIsWhatALoopMakesOfIt) {
  std::string text(kControlled);
  text.replace(text.find("  disturbances: [{"), text.find("  integrator") - text.find("  disturbances: [{"), "");
  text.replace(text.find("  disturbances: {"), std::strlen("  disturbances: {uniform: [0, 2]}\n"), "");
  const Campaign campaign = parsed(text);
  const Spec& spec = campaign.spec();
  const Replay replay = campaign::replay(campaign, 3);
  ASSERT_EQ(replay.status, "done");
  const std::vector<double> values = drawn(spec, 3);
  const Model arm = load("ur5");
  const Dynamics believed(arm, {.threads = 1, .most = InstructionSet::none});
  const Dynamics real(with_payload(arm, "tool", {values[0], {0, 0, 0.1}, {}}), {.threads = 1, .most = InstructionSet::none});
  const std::size_t n = 6, late = static_cast<std::size_t>(std::llround(values[2] / 0.002));
  std::vector<double> q{0.1, -1.2, 1.4, -0.3, 0.2, 0.1}, v(n, 0.0), to{0.4, -1.0, 1.2, -0.5, 0.3, 0.4}, from = q, tau(n), a(n), mq(n), mv(n), wanted(n);
  std::vector<std::vector<double>> asked;
  for (std::size_t k = 0; k < 150; ++k) {
    const double t = static_cast<double>(k) / 500, s = std::min(t / 0.25, 1.0);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(replay.rows[k][1 + i], q[i], 1e-9) << k << " " << i;
      const Pair u = unit_pair(7, Stream::noise, 3, k * n + i);
      mq[i] = q[i] + 1e-4 * normal_quantile(u.first);
      mv[i] = v[i] + 5e-3 * normal_quantile(u.second);
      const double way = to[i] - from[i], D = 0.25;
      const double r = from[i] + way * s * s * s * (10 - 15 * s + 6 * s * s), rv = s < 1 ? way * 30 * s * s * (1 - s) * (1 - s) / D : 0,
                   ra = s < 1 ? way * 60 * s * (1 - s) * (1 - 2 * s) / (D * D) : 0;
      wanted[i] = ra + 200 * values[1] * (r - mq[i]) + 30 * (rv - mv[i]);
    }
    believed.inverse(mq.data(), mv.data(), wanted.data(), tau.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double most = arm.joints()[arm.independent()[i]].effort;
      tau[i] = std::clamp(tau[i], -most, most);
    }
    asked.push_back(tau);
    const std::vector<double>& held = asked[k >= late ? k - late : 0];
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(replay.rows[k][1 + 2 * n + i], held[i], 1e-6) << k;
    for (int step = 0; step < 2; ++step) {
      const double h = 1e-3;
      std::vector<double> k1(n), k2(n), k3(n), k4(n), q2(n), v2(n), q3(n), v3(n), q4(n), v4(n);
      real.forward(q.data(), v.data(), held.data(), k1.data());
      for (std::size_t i = 0; i < n; ++i) q2[i] = q[i] + h / 2 * v[i], v2[i] = v[i] + h / 2 * k1[i];
      real.forward(q2.data(), v2.data(), held.data(), k2.data());
      for (std::size_t i = 0; i < n; ++i) q3[i] = q[i] + h / 2 * v2[i], v3[i] = v[i] + h / 2 * k2[i];
      real.forward(q3.data(), v3.data(), held.data(), k3.data());
      for (std::size_t i = 0; i < n; ++i) q4[i] = q[i] + h * v3[i], v4[i] = v[i] + h * k3[i];
      real.forward(q4.data(), v4.data(), held.data(), k4.data());
      for (std::size_t i = 0; i < n; ++i) {
        q[i] += h / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
        v[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      }
    }
  }
}

/// Every metric once more, from the samples of a run.
TEST(Block, MetricsAreThoseOfTheSamples) {
  std::string text(kControlled);
  text.replace(text.find("saturate: true"), 14, "saturate: false");
  text.replace(text.find("kp: 200, kd: 30"), 15, "kp: 6000, kd: 2");
  const Campaign campaign = parsed(text + "metrics: {settle: 4 mrad}\n");
  const Spec& spec = campaign.spec();
  const Model& model = spec.nominal.scenario.model;
  bool overloaded = false, settled = false, late = false;
  for (std::uint64_t run = 0; run < 20; ++run) {
    const Replay replay = campaign::replay(campaign, run);
    ASSERT_EQ(replay.status, "done");
    const std::size_t samples = spec.samples, n = 6;
    ASSERT_EQ(replay.rows.size(), samples + 1);
    const auto q = [&](std::size_t k, std::size_t i) { return replay.rows[k][1 + i]; };
    const auto v = [&](std::size_t k, std::size_t i) { return replay.rows[k][7 + i]; };
    const auto tau = [&](std::size_t k, std::size_t i) { return replay.rows[k][13 + i]; };
    const auto error = [&](std::size_t k, std::size_t i) { return std::fabs(replay.rows[k][19 + i] - q(k, i)); };
    std::map<std::string, double> wanted;
    double square = 0, outside = -1;
    for (std::size_t k = 0; k <= samples; ++k)
      for (std::size_t i = 0; i < n; ++i) {
        const Joint& joint = model.joints()[model.independent()[i]];
        wanted["tracking_peak [rad]"] = std::max(wanted["tracking_peak [rad]"], error(k, i));
        square += error(k, i) * error(k, i);
        if (error(k, i) > 4e-3) outside = static_cast<double>(k);
        wanted["speed_peak_of_limit [1]"] = std::max(wanted["speed_peak_of_limit [1]"], std::fabs(v(k, i)) / joint.velocity);
        wanted["limit_violations [1]"] += q(k, i) < joint.lower || q(k, i) > joint.upper || std::fabs(v(k, i)) > joint.velocity;
        if (k == samples) continue;
        const std::string peak = "torque_peak." + joint.name + " [Nm]", rms = "torque_rms." + joint.name + " [Nm]";
        wanted[peak] = std::max(wanted[peak], std::fabs(tau(k, i)));
        wanted[rms] += tau(k, i) * tau(k, i) / static_cast<double>(samples);
        wanted["energy [J]"] += std::fabs(tau(k, i) * (q(k + 1, i) - q(k, i)));
        wanted["torque_violations [1]"] += std::fabs(tau(k, i)) > joint.effort;
      }
    wanted["tracking_rms [rad]"] = std::sqrt(square / static_cast<double>(n * (samples + 1)));
    wanted["settling_time [s]"] = std::max(0.0, (outside + 1) * spec.nominal.scenario.control.period - 0.25);
    for (const std::size_t j : model.independent()) {
      const Joint& joint = model.joints()[j];
      double& rms = wanted["torque_rms." + joint.name + " [Nm]"];
      rms = std::sqrt(rms);
      double &peak_share = wanted["torque_peak_of_limit [1]"], &rms_share = wanted["torque_rms_of_limit [1]"];
      peak_share = std::max(peak_share, wanted["torque_peak." + joint.name + " [Nm]"] / joint.effort);
      rms_share = std::max(rms_share, rms / joint.effort);
    }
    const std::size_t first_metric = leading_columns(spec).size();
    for (std::size_t c = first_metric; c < spec.columns.size(); ++c) {
      ASSERT_TRUE(wanted.count(spec.columns[c])) << spec.columns[c];
      const double x = wanted[spec.columns[c]];
      if (spec.columns[c] == "settling_time [s]" && outside >= static_cast<double>(samples)) {
        EXPECT_EQ(replay.cells[c], "");
        late = true;
        continue;
      }
      EXPECT_NEAR(std::stod(replay.cells[c]), x, 1e-9 * std::max(1.0, x)) << run << " " << spec.columns[c];
    }
    EXPECT_EQ(wanted.size(), spec.columns.size() - first_metric);
    overloaded = overloaded || wanted["torque_violations [1]"] > 0;
    settled = settled || outside < static_cast<double>(samples);
  }
  EXPECT_TRUE(overloaded);
  EXPECT_TRUE(settled || late);
}

TEST(Block, ARunIsTheSameBitsWhateverGoesBesideIt) {
  for (const char* text : {kSwing, kControlled}) {
    const Campaign campaign = parsed(text);
    const Machinery machinery(campaign.spec());
    Block block(machinery);
    for (const std::uint64_t run : {0, 7, 9}) {
      const std::vector<std::string> alone = csv(block.run(run, 1));
      const std::vector<std::string> beside = csv(block.run(run, std::min<std::size_t>(machinery.lanes, 2)));
      EXPECT_EQ(alone[0], beside[0]);
    }
    if (machinery.lanes < 2) continue;
    EXPECT_EQ(csv(block.run(4, 2))[1], csv(block.run(5, 1))[0]);
  }
}

TEST(Block, FailuresAreRows) {
  // A law that drives the arm away, and limits that stop it.
  const Campaign campaign = parsed(R"(
runs: 9
scenario:
  model: ur5
  duration: 0.5
  law: {type: constant, tau: [1000, 0, 0, 0, 0, 0]}
  integrator: {type: rk4, step: 0.001}
  limits: stop
vary: {q.shoulder_pan: {uniform: [-1, 1]}}
)");
  const Machinery machinery(campaign.spec());
  Block block(machinery);
  for (const RunRow& row : block.run(0, 1)) {
    EXPECT_EQ(row.status, "stopped");
    EXPECT_NE(row.reason.find("shoulder_pan"), std::string::npos) << row.reason;
    EXPECT_TRUE(row.metrics.empty());
  }
}

}  // namespace
}  // namespace ulna::internal::campaign
