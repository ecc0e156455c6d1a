// Logs with one channel that is wrong: it is named, left out or refused, and good logs are left alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <ulna/source/load.hpp>

#include "identify/simulated.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

/// Rows of a log, to be spoilt: t, then q, v, a and tau of each coordinate.
struct Rows {
  std::size_t n;
  std::vector<std::vector<double>> rows;

  explicit Rows(const Log& log) : n(log.nv()) {
    std::vector<double> row(1 + 4 * n);
    for (std::size_t r = 0; r < log.rows(); ++r) log.read(r, 1, row.data()), rows.push_back(row);
  }
  enum Part { q, v, a, tau };
  double& at(std::size_t row, Part part, std::size_t k) { return rows[row][1 + static_cast<std::size_t>(part) * n + k]; }
  void change(Part part, std::size_t k, const std::function<double(double)>& f) {
    for (std::size_t r = 0; r < rows.size(); ++r) at(r, part, k) = f(at(r, part, k));
  }
  /// Largest |x| of a column.
  double largest(Part part, std::size_t k) {
    double most = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) most = std::max(most, std::abs(at(r, part, k)));
    return most;
  }
  Log log(bool derived = false) const {
    Log out("log.csv", n, {!derived, !derived, true});
    for (const std::vector<double>& x : rows) out.add(x[0], &x[1], &x[1 + n], &x[1 + 2 * n], &x[1 + 3 * n]);
    return out;
  }
};

const Finding* find(const std::vector<Finding>& all, FindingKind kind, const std::string& joint = {}) {
  for (const Finding& one : all)
    if (one.kind == kind && (joint.empty() || one.joint == joint)) return &one;
  return nullptr;
}
bool warned(const std::vector<Finding>& all) {
  return std::any_of(all.begin(), all.end(), [](const Finding& one) { return one.severity != Severity::note && one.kind != FindingKind::undetermined; });
}
std::string texts(const std::vector<Finding>& all) {
  std::string out;
  for (const Finding& one : all) out += to_string(one) + "\n";
  return out;
}

/// The error that refuses it; empty where nothing does.
std::vector<Finding> refused(const Model& model, const Log& log, const IdentifyOptions& options = {}) {
  try {
    identify(model, {&log, 1}, options);
  } catch (const UnusableLog& error) {
    EXPECT_NE(std::string(error.what()), "");
    return error.findings();
  }
  return {};
}

struct Made {
  Model given, truth;
  Rows rows;
  std::string joint(std::size_t k) const { return given.coordinate_names()[k]; }
};
Made made(const char* name, double noise = 0.05) {
  const Model given = load(name), truth = altered(given, 6);
  return {given, truth, Rows(simulated_log(truth, {.seconds = 8, .noise = noise}))};
}

TEST(Defects, GoodLogsAreLeftAlone) {
  for (const char* name : {"planar-2r", "scara", "stanford", "ur5", "panda"})
    for (const double noise : {0.0, 0.05})
      for (const bool derived : {false, true}) {
        const Made m = made(name, noise);
        const Log log = m.rows.log(derived);
        const Identification found = identify(m.given, {&log, 1});
        EXPECT_FALSE(warned(found.findings)) << name << " " << noise << " " << derived << ": " << texts(found.findings);
      }
}

TEST(Defects, ADeadTorqueIsRefusedUnlessItIsLeftOut) {
  for (const bool derived : {false, true}) {
    Made m = made("ur5");
    for (const double value : {0.0, 3.7}) {
      m.rows.change(Rows::tau, 2, [&](double) { return value; });
      const Log log = m.rows.log(derived);
      const std::vector<Finding> found = refused(m.given, log);
      const Finding* dead = find(found, FindingKind::constant, "elbow");
      ASSERT_NE(dead, nullptr);
      EXPECT_EQ(dead->severity, Severity::error);
      EXPECT_EQ(dead->column, "tau.elbow");
      IdentifyOptions options;
      options.without = {"elbow"};
      const Identification rest = identify(m.given, {&log, 1}, options);
      EXPECT_TRUE(std::isnan(rest.validation.by_joint[2]));
      EXPECT_LT(rest.validation.relative_error, 0.1);
      EXPECT_EQ(find(rest.findings, FindingKind::heavy), nullptr) << texts(rest.findings);
      EXPECT_NE(find(rest.findings, FindingKind::undetermined), nullptr) << "friction of the elbow";
    }
  }
  Made m = made("planar-2r");
  const Log log = m.rows.log();
  IdentifyOptions options;
  options.without = {"elbow", "nobody"};
  EXPECT_THROW(identify(m.given, {&log, 1}, options), std::invalid_argument);
  options.without = m.given.coordinate_names();
  EXPECT_THROW(identify(m.given, {&log, 1}, options), std::invalid_argument);
}

// Zero from some row on, or for a while, or frozen at the last value that was read.
TEST(Defects, ATorqueThatIsDeadInPartIsRefused) {
  struct Part {
    double from, to;
    bool zero;
  };
  for (const Part& dead : {Part{0.6, 1, true}, {0, 0.5, true}, {0.3, 0.6, false}, {0.95, 1, true}})
    for (const bool derived : {false, true}) {
      Made m = made("scara");
      const auto rows = static_cast<double>(m.rows.rows.size());
      const auto first = static_cast<std::size_t>(dead.from * rows), last = static_cast<std::size_t>(dead.to * rows);
      const double value = dead.zero ? 0.0 : m.rows.at(first, Rows::tau, 0);
      for (std::size_t r = first; r < last; ++r) m.rows.at(r, Rows::tau, 0) = value;
      const Log log = m.rows.log(derived);
      const std::vector<Finding> found = refused(m.given, log);
      const Finding* finding = find(found, FindingKind::constant, m.joint(0));
      ASSERT_NE(finding, nullptr) << dead.from << " " << texts(found);
      EXPECT_EQ(finding->severity, Severity::error);
      EXPECT_NEAR(static_cast<double>(finding->row), static_cast<double>(first + 1), 1);
    }
}

// A joint with nothing to move has no torque, and the model says so, too.
TEST(Defects, ATorqueThatTheModelHasAsConstantIsNotDead) {
  Made m = made("planar-2r", 0);
  Description d;
  d.name = "two", d.links = m.given.links(), d.gravity = {0, 0, 0};
  for (std::size_t j = 0; j < m.given.joints().size(); ++j) {
    Description::JointEntry entry{m.given.joints()[j], m.given.links()[m.given.joints()[j].parent].name, m.given.links()[m.given.joints()[j].child].name, {}};
    d.joints.push_back(entry);
  }
  Link& last = d.links.back();
  last.mass = 0, last.com = {}, last.inertia = {}, last.inertial = false;
  Diagnostics problems;
  const Model massless = *build(d, problems);
  const Log log = simulated_log(massless, {.seconds = 8});
  EXPECT_EQ(find(refused(massless, log), FindingKind::constant), nullptr);
}

TEST(Defects, OfAStillJointATorqueIsLeftOut) {
  // The joint is held by its brake, and its drive is off.
  const Model given = load("ur5"), truth = altered(given, 6);
  Diagnostics problems;
  const Model held = *with_locked(truth, {{"wrist_2", 0.4}}, problems);
  const Log moved = simulated_log(held, {.seconds = 8, .noise = 0.02});
  Log log("log.csv", 6, {true, true, true});
  std::vector<double> row(1 + 4 * 5);
  for (std::size_t r = 0; r < moved.rows(); ++r) {
    moved.read(r, 1, row.data());
    std::vector<double> wide[4];
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t k = 0; k < 6; ++k) wide[p].push_back(k == 4 ? (p == 0 ? 0.4 : 0) : row[1 + 5 * p + (k > 4 ? k - 1 : k)]);
    log.add(row[0], wide[0].data(), wide[1].data(), wide[2].data(), wide[3].data());
  }
  const Identification found = identify(given, {&log, 1});
  ASSERT_NE(find(found.findings, FindingKind::constant, "wrist_2"), nullptr) << texts(found.findings);
  EXPECT_EQ(find(found.findings, FindingKind::constant, "wrist_2")->severity, Severity::warning);
  EXPECT_LT(found.validation.relative_error, 0.05) << texts(found.findings);
  EXPECT_TRUE(std::isnan(found.validation.by_joint[4]));
}

TEST(Defects, StillJointsAreNamed) {
  Made m = made("planar-2r");
  const std::string joint = m.joint(0);
  for (std::size_t r = 0; r < m.rows.rows.size(); ++r) m.rows.at(r, Rows::q, 0) = 0.3, m.rows.at(r, Rows::v, 0) = m.rows.at(r, Rows::a, 0) = 0;
  const Plan plan = make_plan(m.truth);
  Workspace ws(plan);
  for (std::vector<double>& x : m.rows.rows) inverse_dynamics(plan, ws, &x[1], &x[3], &x[5], &x[7], Effects{.friction = true});
  const Log log = m.rows.log();
  const Identification found = identify(m.given, {&log, 1});
  const Finding* still = find(found.findings, FindingKind::still, joint);
  ASSERT_NE(still, nullptr) << texts(found.findings);
  EXPECT_EQ(still->column, "q." + joint);
  EXPECT_NE(find(found.findings, FindingKind::undetermined), nullptr);
  EXPECT_LT(found.validation.relative_error, 1e-6);
}

// What a filter leaves of constant positions is rounding: its sign is no side of friction.
TEST(Defects, ADeadPositionSpoilsNoOtherNumber) {
  for (const std::size_t k : {2u, 5u}) {
    Made m = made("ur5");
    m.rows.change(Rows::q, k, [](double) { return 0.4137; });
    const Log log = m.rows.log(true);
    const Identification found = identify(m.given, {&log, 1});
    EXPECT_NE(find(found.findings, FindingKind::still, m.joint(k)), nullptr);
    EXPECT_NE(std::find(found.untold.begin(), found.untold.end(), "viscous." + m.joint(k)), found.untold.end());
    EXPECT_LT(found.validation.relative_error, 1);
  }
}

TEST(Defects, MillisecondsAreNoSeconds) {
  Made m = made("planar-2r");
  for (std::vector<double>& row : m.rows.rows) row[0] *= 1000;
  const Log log = m.rows.log(true), sparse = m.rows.log();
  try {
    identify(m.given, {&log, 1});
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("are these milliseconds?"), std::string::npos) << error.what();
  }
  identify(m.given, {&sparse, 1});  // nothing is derived
}

TEST(Defects, DeadMotionsAndDegreesAreRefused) {
  for (const Rows::Part part : {Rows::q, Rows::v, Rows::a}) {
    Made m = made("ur5");
    m.rows.change(part, 3, [](double) { return 0.0; });
    const std::vector<Finding> found = refused(m.given, m.rows.log());
    const Finding* dead = find(found, FindingKind::constant, "wrist_1");
    ASSERT_NE(dead, nullptr) << part;
    EXPECT_EQ(dead->column, std::string(1, "qva"[part]) + ".wrist_1");
  }
  Made m = made("ur5");
  for (std::size_t k = 0; k < 6; ++k) m.rows.change(Rows::q, k, [](double x) { return x * 180 / M_PI; });
  EXPECT_NE(find(refused(m.given, m.rows.log()), FindingKind::units, "elbow"), nullptr);
  EXPECT_NE(find(refused(m.given, m.rows.log(true)), FindingKind::units, "elbow"), nullptr);
}

TEST(Defects, ClippedRowsAreLeftOut) {
  for (const bool derived : {false, true}) {
    Made m = made("planar-2r", 0.02);
    const Log whole = m.rows.log(derived);
    const double good = identify(m.given, {&whole, 1}).validation.relative_error, limit = 0.6 * m.rows.largest(Rows::tau, 0);
    m.rows.change(Rows::tau, 0, [&](double x) { return std::clamp(x, -limit, limit); });
    const Log log = m.rows.log(derived);
    const Identification found = identify(m.given, {&log, 1});
    const Finding* clipped = find(found.findings, FindingKind::clipped, m.joint(0));
    ASSERT_NE(clipped, nullptr) << texts(found.findings);
    EXPECT_GT(clipped->row, 0u);
    EXPECT_LT(validate(found, whole, {}).relative_error, 3 * good) << derived << ": by torques as they were before they were clipped";
    // Nearly always at its limit.
    m.rows.change(Rows::tau, 0, [&](double x) { return std::clamp(x, -0.4 * limit, 0.4 * limit); });
    const std::vector<Finding> most = refused(m.given, m.rows.log(derived));
    EXPECT_NE(find(most, FindingKind::clipped, m.joint(0)), nullptr) << texts(most);
  }
}

TEST(Defects, AFewLevelsAreNoTorque) {
  for (const int levels : {2, 3}) {
    Made m = made("ur5");
    const double step = 2 * m.rows.largest(Rows::tau, 2) / (levels - 1);
    m.rows.change(Rows::tau, 2, [&](double x) { return levels == 2 ? (x > 0 ? 1 : -1) * step / 2 : step * std::round(x / step); });
    EXPECT_NE(find(refused(m.given, m.rows.log()), FindingKind::quantised, "elbow"), nullptr) << levels;
  }
  Made m = made("ur5");
  const double step = m.rows.largest(Rows::tau, 2) / 4;
  m.rows.change(Rows::tau, 2, [&](double x) { return step * std::round(x / step); });
  const Log log = m.rows.log();
  EXPECT_NE(find(identify(m.given, {&log, 1}).findings, FindingKind::quantised, "elbow"), nullptr);
}

TEST(Defects, UncorrelatedTorquesAreRefused) {
  Random random(3);
  Made noise = made("ur5");
  noise.rows.change(Rows::tau, 1, [&](double) { return random.uniform(-50, 50); });
  EXPECT_NE(find(refused(noise.given, noise.rows.log()), FindingKind::uncorrelated, "shoulder_lift"), nullptr);
  EXPECT_NE(find(refused(noise.given, noise.rows.log(true)), FindingKind::uncorrelated, "shoulder_lift"), nullptr);
  // Smooth, but of another joint.
  Made swapped = made("ur5");
  for (std::size_t r = 0; r < swapped.rows.rows.size(); ++r) std::swap(swapped.rows.at(r, Rows::tau, 0), swapped.rows.at(r, Rows::tau, 1));
  EXPECT_NE(find(refused(swapped.given, swapped.rows.log()), FindingKind::uncorrelated), nullptr);
}

// A slide that carries a weight: what its motion adds is lost in noise, but the log is right.
TEST(Defects, ANoisyTorqueOfAWeightIsNotRefused) {
  Made m = made("scara", 0);
  Random random(8);
  const std::size_t lift = *std::find_if(m.given.independent().begin(), m.given.independent().end(),
                                         [&](std::size_t j) { return m.given.joints()[j].type == JointType::prismatic; });
  const std::size_t k = static_cast<std::size_t>(std::find(m.given.independent().begin(), m.given.independent().end(), lift) - m.given.independent().begin());
  const double noise = 20 * m.rows.largest(Rows::tau, k);
  m.rows.change(Rows::tau, k, [&](double x) { return x + random.uniform(-noise, noise); });
  const Log log = m.rows.log();
  const Identification found = identify(m.given, {&log, 1});
  EXPECT_NE(find(found.findings, FindingKind::unexplained, m.joint(k)), nullptr) << texts(found.findings);
}

TEST(Defects, ReversedTorquesAreNamed) {
  Made m = made("ur5", 0);
  m.rows.change(Rows::tau, 2, [](double x) { return -x; });
  const Log log = m.rows.log();
  std::vector<Finding> found;
  try {
    found = identify(m.given, {&log, 1}).findings;
  } catch (const UnusableLog& error) {
    found = error.findings();
  }
  EXPECT_NE(find(found, FindingKind::reversed, "elbow"), nullptr) << texts(found);
}

// A torque of another sign, unit or joint spoils the fit of its neighbours. Advice is for the wrong one, or for none where the log does not determine which.
TEST(Defects, NeighboursOfAWrongTorqueAreNotBlamed) {
  struct Case {
    const char* name;
    std::uint64_t motion;
    std::vector<std::size_t> coordinates;
  };
  std::size_t refusals = 0;
  for (const Case& c : {Case{"planar-2r", 3, {0, 1}}, {"planar-2r", 7, {0, 1}}, {"stanford", 7, {1, 2}}}) {
    const Model given = load(c.name), truth = altered(given, c.motion);
    const std::vector<std::string> joints = given.coordinate_names();
    const Rows good(simulated_log(truth, {.seconds = 20, .rate = 50, .noise = 0.02, .motion = c.motion}));
    enum Defect { reversed, scaled, swapped };
    for (const Defect defect : {reversed, scaled, swapped})
      for (const std::size_t k : c.coordinates) {
        SCOPED_TRACE(std::string(c.name) + " " + joints[k] + ", motion " + std::to_string(c.motion) + ", defect " + std::to_string(defect));
        Rows rows = good;
        const std::size_t other = (k + 1) % given.nv();
        if (defect == swapped)
          for (std::size_t r = 0; r < rows.rows.size(); ++r) std::swap(rows.at(r, Rows::tau, k), rows.at(r, Rows::tau, other));
        else
          rows.change(Rows::tau, k, [&](double x) { return (defect == reversed ? -1 : 3) * x; });
        const Log log = rows.log();
        std::vector<Finding> found;
        try {
          found = identify(given, {&log, 1}).findings;
        } catch (const UnusableLog& error) {
          found = error.findings(), ++refusals;
        }
        for (const Finding& one : found) {
          if (one.kind != FindingKind::uncorrelated && one.kind != FindingKind::unexplained && one.kind != FindingKind::reversed) continue;
          EXPECT_TRUE(one.joint.empty() || one.joint == joints[k] || (defect == swapped && one.joint == joints[other])) << texts(found);
        }
        if (defect == reversed) {
          EXPECT_NE(find(found, FindingKind::reversed, joints[k]), nullptr) << texts(found);
        }
      }
  }
  EXPECT_GE(refusals, 9u);
}

// The other convention: what the joints do to the drives.
TEST(Defects, AllTorquesNegatedAreRefused) {
  for (const char* name : {"planar-2r", "scara", "stanford", "ur5", "panda"}) {
    Made m = made(name);
    for (std::size_t k = 0; k < m.given.nv(); ++k) m.rows.change(Rows::tau, k, [](double x) { return -x; });
    const std::vector<Finding> found = refused(m.given, m.rows.log());
    const Finding* reversed = find(found, FindingKind::reversed);
    ASSERT_NE(reversed, nullptr) << name << texts(found);
    EXPECT_EQ(reversed->severity, Severity::error);
    EXPECT_EQ(reversed->joint, "");
    EXPECT_NE(reversed->text.find("all torques have the sign opposite to the model's"), std::string::npos) << reversed->text;
  }
}

// A model whose mass centres are on the wrong side predicts the opposite torques, and the log is right.
TEST(Defects, AModelOfTheOppositeGravityIsNoReversedLog) {
  Made m = made("planar-2r");
  m.rows = Rows(simulated_log(m.truth, {.seconds = 20, .noise = 0.05, .speed = 0.3}));  // slow, so that most is gravity
  Description d;
  d.name = "mirrored", d.links = m.given.links(), d.gravity = m.given.gravity();
  for (const Joint& joint : m.given.joints()) d.joints.push_back({joint, m.given.links()[joint.parent].name, m.given.links()[joint.child].name, {}});
  for (Link& link : d.links) link.com = 6.0 * link.com;  // frames are at the far ends: now behind the joints
  Diagnostics problems;
  const Model mirrored = *build(d, problems);
  const Log log = m.rows.log();
  const Identification found = identify(mirrored, {&log, 1});
  EXPECT_NE(find(found.findings, FindingKind::reversed), nullptr) << texts(found.findings);
  EXPECT_LT(found.validation.relative_error, 0.05);
}

TEST(Defects, DamagedNumbersAreNamedWithColumnAndRow) {
  for (const double damaged : {1e300, -1e160, 1e20})
    for (const Rows::Part part : {Rows::q, Rows::v, Rows::a, Rows::tau}) {
      Made m = made("planar-2r");
      m.rows.at(57, part, 0) = damaged;
      const std::vector<Finding> found = refused(m.given, m.rows.log());
      const Finding* finding = find(found, FindingKind::units, m.joint(0));
      ASSERT_NE(finding, nullptr) << damaged << texts(found);
      EXPECT_EQ(finding->severity, Severity::error);
      EXPECT_EQ(finding->row, 58u);
      EXPECT_EQ(finding->column, std::string(std::array{"q", "v", "a", "tau"}[part]) + "." + m.joint(0));
      EXPECT_NE(finding->text.find("in row 58"), std::string::npos) << finding->text;
    }
}

TEST(Defects, DelaysAreNamedWithTheirLength) {
  for (const bool derived : {false, true})
    for (const long rows : {2L, 7L, -4L}) {
      Made m = made("ur5");
      Rows late = m.rows;
      const long last = static_cast<long>(late.rows.size()) - 1;
      for (long r = 0; r <= last; ++r)
        for (std::size_t k = 0; k < 6; ++k)
          late.at(static_cast<std::size_t>(r), Rows::tau, k) = m.rows.at(static_cast<std::size_t>(std::clamp(r - rows, 0L, last)), Rows::tau, k);
      const Log log = late.log(derived);
      const Identification found = identify(m.given, {&log, 1});
      const Finding* delayed = find(found.findings, FindingKind::delayed, "shoulder_lift");
      ASSERT_NE(delayed, nullptr) << derived << " " << rows << texts(found.findings);
      const std::string length = "(" + std::to_string(std::labs(rows)) + " rows) " + (rows > 0 ? "later" : "earlier");
      EXPECT_NE(delayed->text.find(length), std::string::npos) << delayed->text;
    }
}

TEST(Defects, RepeatedRowsAreNamed) {
  Made m = made("planar-2r");
  for (std::size_t r = 1; r < m.rows.rows.size(); r += 2) std::copy(m.rows.rows[r - 1].begin() + 1, m.rows.rows[r - 1].end(), m.rows.rows[r].begin() + 1);
  const Log log = m.rows.log();
  const std::vector<Finding> found = identify(m.given, {&log, 1}).findings;
  ASSERT_NE(find(found, FindingKind::repeated), nullptr);
  EXPECT_EQ(find(found, FindingKind::repeated)->row, 2u);
}

TEST(Defects, HeavyLinksAreNamedWithAReason) {
  Made m = made("ur5");
  for (std::size_t k = 0; k < 6; ++k) m.rows.change(Rows::tau, k, [](double x) { return 1000 * x; });  // N mm
  const Log log = m.rows.log();
  const Identification found = identify(m.given, {&log, 1});
  const Finding* heavy = find(found.findings, FindingKind::heavy);
  ASSERT_NE(heavy, nullptr) << texts(found.findings);
  EXPECT_NE(heavy->text.find("units"), std::string::npos) << heavy->text;
}

// 0 over 0 is not 0 %.
TEST(Defects, NothingToCompareIsNoErrorOfZero) {
  EXPECT_TRUE(std::isnan(Validation().relative_error));
  Made m = made("planar-2r");
  const Log log = m.rows.log();
  IdentifyOptions options;
  options.train = 1;  // nothing is held back
  EXPECT_TRUE(std::isnan(identify(m.given, {&log, 1}, options).validation.relative_error));
  const Identification found = identify(m.given, {&log, 1});
  m.rows.change(Rows::tau, 1, [](double) { return 0.0; });
  const Validation dead = validate(found, m.rows.log(), {});
  EXPECT_TRUE(std::isnan(dead.by_joint[1]));
  EXPECT_FALSE(std::isnan(dead.by_joint[0]));
}

TEST(Defects, NumbersThatAreNotFiniteAreRefused) {
  Log log("log.csv", 1, {false, false, true});
  const double one = 1, nothing = NAN, much = HUGE_VAL;
  log.add(0, &one, nullptr, nullptr, &one);
  EXPECT_THROW(log.add(1, &nothing, nullptr, nullptr, &one), std::invalid_argument);
  EXPECT_THROW(log.add(1, &one, nullptr, nullptr, &much), std::invalid_argument);
  log.add(1, &one, &nothing, &nothing, &one);  // no columns
  EXPECT_EQ(log.rows(), 2u);
}

// Random robots, a random joint, a random defect: no dead or random channel goes without a word, and no good log is refused.
TEST(Defects, RandomRobotsAndChannels) {
  const std::uint64_t robots = so_many<std::uint64_t>(12, 600);
  for (std::uint64_t seed = 1; seed <= robots; ++seed) {
    SCOPED_TRACE(seed);
    const Model given = random_model(seed, {.fewest = 2, .most = 6, .massless = false, .mimic = true, .friction = false}), truth = altered(given, seed);
    Rows rows(simulated_log(truth, {.seconds = 8, .motion = seed}));
    Random random(seed);
    const std::size_t k = random.below(given.nv());
    double mean = 0, spread = 0;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) mean += rows.at(r, Rows::tau, k) / static_cast<double>(rows.rows.size());
    for (std::size_t r = 0; r < rows.rows.size(); ++r) spread = std::max(spread, std::abs(rows.at(r, Rows::tau, k) - mean));
    const Log good = rows.log(seed % 2 == 0);
    EXPECT_TRUE(refused(given, good).empty()) << texts(refused(given, good));
    const std::string joint = given.coordinate_names()[k];
    switch (seed % 3) {
      case 0: rows.change(Rows::tau, k, [](double) { return 0.0; }); break;
      case 1: rows.change(Rows::tau, k, [&](double) { return mean; }); break;
      default: rows.change(Rows::tau, k, [&](double) { return mean + random.uniform(-spread, spread); }); break;
    }
    std::vector<Finding> found = refused(given, rows.log(seed % 2 == 0));
    if (found.empty()) {  // a torque that is mostly friction, which the given model does not have, is a warning only
      const Log log = rows.log(seed % 2 == 0);
      found = identify(given, {&log, 1}).findings;
      EXPECT_NE(find(found, FindingKind::unexplained, joint), nullptr) << joint << texts(found);
    } else {
      EXPECT_TRUE(find(found, FindingKind::constant, joint) != nullptr || find(found, FindingKind::uncorrelated, joint) != nullptr) << joint << texts(found);
    }
    IdentifyOptions options;
    options.without = {joint};
    if (given.nv() > 1) {
      EXPECT_TRUE(refused(given, rows.log(seed % 2 == 0), options).empty()) << joint;
    }
  }
}

}  // namespace
}  // namespace ulna::test
