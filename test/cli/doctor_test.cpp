// ulna doctor: the contract of its JSON and its exit status, files that it repairs and logs that it refuses. Torques of the logs are in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

namespace {

using nlohmann::json;

/// Two links in a vertical plane, each a point mass with an inertia about its own centre; y is down the arm, gravity along -y of the base.
constexpr const char* kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.25 0 0"/><mass value="3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.06"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <origin rpy="1.5707963267948966 0 0"/><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <dynamics damping="0.5" friction="0.8"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0.5 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <dynamics damping="0.3" friction="0.4"/>
  </joint>
</robot>
)";

/// A log of it: t, q, tau. Torques by Craig's equations of the planar arm, with friction.
std::string log_of_arm(const std::function<void(double* q, double* tau)>& change = {}, int rows = 2000) {
  std::ostringstream out;
  out.precision(12);
  out << "t,q.shoulder,q.elbow,tau.shoulder,tau.elbow\n";
  for (int r = 0; r < rows; ++r) {
    const double t = r / 100.0, w[] = {1.3, 2.1}, u[] = {3.1, 0.7};
    double q[2], v[2], a[2];
    for (int k = 0; k < 2; ++k) {
      q[k] = 0.8 * std::sin(w[k] * t + k) + 0.3 * std::cos(u[k] * t);
      v[k] = 0.8 * w[k] * std::cos(w[k] * t + k) - 0.3 * u[k] * std::sin(u[k] * t);
      a[k] = -0.8 * w[k] * w[k] * std::sin(w[k] * t + k) - 0.3 * u[k] * u[k] * std::cos(u[k] * t);
    }
    const double m1 = 3, m2 = 2, l = 0.5, c1 = 0.25, c2 = 0.2, I1 = 0.06, I2 = 0.03, g = 9.81, cosine = std::cos(q[1]), sine = std::sin(q[1]);
    const double M11 = I1 + I2 + m1 * c1 * c1 + m2 * (l * l + c2 * c2 + 2 * l * c2 * cosine), M12 = I2 + m2 * (c2 * c2 + l * c2 * cosine),
                 M22 = I2 + m2 * c2 * c2;
    const double h = m2 * l * c2 * sine, g2 = m2 * g * c2 * std::cos(q[0] + q[1]), g1 = (m1 * c1 + m2 * l) * g * std::cos(q[0]) + g2;
    double tau[] = {M11 * a[0] + M12 * a[1] - h * (2 * v[0] * v[1] + v[1] * v[1]) + g1 + 0.5 * v[0] + 0.8 * (v[0] > 0 ? 1 : -1),
                    M12 * a[0] + M22 * a[1] + h * v[0] * v[0] + g2 + 0.3 * v[1] + 0.4 * (v[1] > 0 ? 1 : -1)};
    for (double& x : q) x = std::round(x * 65536) / 65536;
    if (change) change(q, tau);
    out << t << ',' << q[0] << ',' << q[1] << ',' << tau[0] << ',' << tau[1] << '\n';
  }
  return out.str();
}

TEST(Doctor, ASoundModel) {
  const support::Folder folder;
  folder.write("arm.urdf", kArm);
  folder.write("log.csv", log_of_arm());
  const Outcome outcome = ulna("doctor " + folder.at("arm.urdf") + " " + folder.at("log.csv") + " --json --fix " + folder.at("fixed.urdf"));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_TRUE(found["causes"].empty());
  EXPECT_EQ(found["sound"], true);
  EXPECT_EQ(found["before"], found["after"]);
  EXPECT_LT(found["before"].get<double>(), 0.01);
  EXPECT_TRUE(has(outcome.err, "not written: nothing is wrong"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("fixed.urdf")));
  EXPECT_TRUE(has(ulna("doctor " + folder.at("arm.urdf") + " " + folder.at("log.csv")).out, "Nothing is wrong"));
}

TEST(Doctor, RepairsAFile) {
  const support::Folder folder;
  folder.write("log.csv", log_of_arm());
  const struct {
    const char *from, *to, *kind, *key, *where;
  } faults[] = {{"0 0 1\"/>\n    <dynamics damping=\"0.3\"", "0 0 -1\"/>\n    <dynamics damping=\"0.3\"", "joint-sign", "joint", "elbow"},
                {"<mass value=\"2\"/>", "<mass value=\"20\"/>", "mass", "link", "lower"},
                {"<dynamics damping=\"0.3\" friction=\"0.4\"/>", "", "friction", "joint", "elbow"}};
  for (const auto& fault : faults) {
    const std::string sick = replaced(kArm, fault.from, fault.to);
    folder.write("sick.urdf", sick);
    const std::string call = "doctor " + folder.at("sick.urdf") + " " + folder.at("log.csv");
    const Outcome outcome = ulna(call + " --json --force --fix " + folder.at("fixed.urdf"));
    ASSERT_EQ(outcome.status, 1) << fault.kind << outcome.err;
    const json found = json::parse(outcome.out), cause = found["causes"][0];
    EXPECT_EQ(cause["kind"], fault.kind) << outcome.out;
    EXPECT_EQ(cause[fault.key], fault.where) << outcome.out;
    EXPECT_GT(cause["explains"].get<double>(), 0.9);
    EXPECT_FALSE(cause["edit"].get<std::string>().empty());
    EXPECT_EQ(cause["in"], "model");
    EXPECT_GT(found["before"].get<double>(), 0.03);
    EXPECT_LT(found["after"].get<double>(), 0.02);
    EXPECT_EQ(ulna("doctor " + folder.at("fixed.urdf") + " " + folder.at("log.csv")).status, 0) << text_of(folder.at("fixed.urdf"));
    EXPECT_TRUE(has(ulna(call).out, "What repairs it:"));
    // A file that is there stays, unless --force says otherwise.
    EXPECT_EQ(ulna(call + " --fix " + folder.at("fixed.urdf")).status, 2);
  }
}

TEST(Doctor, FaultsOfLogsHaveNoFile) {
  const support::Folder folder;
  folder.write("arm.urdf", kArm);
  const auto diagnosed = [&](const std::string& log, const char* kind, const char* where, int exponent) {
    folder.write("log.csv", log);
    const Outcome outcome = ulna("doctor " + folder.at("arm.urdf") + " " + folder.at("log.csv") + " --json --fix " + folder.at("fixed.urdf"));
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const json found = json::parse(outcome.out), cause = found["causes"][0];
    EXPECT_EQ(cause["kind"], kind) << outcome.out;
    EXPECT_EQ(cause["joint"], where) << outcome.out;
    EXPECT_EQ(cause["in"], "log");
    EXPECT_TRUE(has(outcome.err, "is not written: what is wrong is not in the model")) << outcome.err << exponent;
    EXPECT_FALSE(std::filesystem::exists(folder.at("fixed.urdf")));
  };
  diagnosed(log_of_arm([](double* q, double*) { q[0] *= 57.29577951308232, q[1] *= 57.29577951308232; }), "units", "all joints", 0);
  diagnosed(log_of_arm([](double*, double* tau) { tau[1] *= 1000; }), "units", "elbow", 3);
  diagnosed(log_of_arm([](double*, double* tau) { tau[0] *= -1; }), "torque-sign", "shoulder", 0);
  diagnosed(log_of_arm([](double*, double* tau) { std::swap(tau[0], tau[1]); }), "joint-order", "shoulder, elbow", 0);
}

TEST(Doctor, RefusesWithAReason) {
  const support::Folder folder;
  folder.write("arm.urdf", kArm);
  folder.write("log.csv", log_of_arm());
  const std::string arm = folder.at("arm.urdf") + " ";
  const auto refused = [&](const std::string& log, const std::string& piece) {
    folder.write("bad.csv", log);
    expect_refused("doctor " + arm + folder.at("bad.csv"), piece);
  };
  refused(log_of_arm([](double*, double* tau) { tau[1] = 1.5; }), "joint 'elbow', column 'tau.elbow'");
  refused(log_of_arm({}, 20), "20 rows");
  refused(log_of_arm({}, 60), "too short");
  refused(log_of_arm([](double* q, double*) { q[0] = std::nan(""); }), "nan");
  refused(log_of_arm([](double* q, double*) { q[0] = q[1] = 0.5; }), "no joint moves");
  refused(replaced(log_of_arm(), "tau.elbow", "tau.elbo"), "column 'tau.elbow': this column is missing");
  refused(replaced(log_of_arm(), "t,q", "t,x,q"), "cells");
  refused("", "empty");
  expect_refused("doctor " + arm, "at least one LOG.csv");
  expect_refused("doctor " + arm + folder.at("none.csv"), "cannot be read");
  expect_refused("doctor " + arm + folder.at("log.csv") + " --cutoff 0", "--cutoff");
  expect_refused("doctor scara " + folder.at("log.csv") + " --fix " + folder.at("fixed.urdf"), "none that it can edit");
  folder.write("arm.xacro", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\" name=\"arm\"><xacro:property name=\"m\" value=\"2\"/>" +
                                std::string(kArm).substr(std::string(kArm).find('\n')));
  expect_refused("doctor " + folder.at("arm.xacro") + " " + folder.at("log.csv") + " --fix " + folder.at("fixed.urdf"), "xacro");
  EXPECT_FALSE(std::filesystem::exists(folder.at("fixed.urdf")));
}

}  // namespace
