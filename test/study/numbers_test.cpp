// What report.json says, against other paths: frames composed here, closed forms, laws of mechanics, the papers.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "study/studied.hpp"

namespace study_test {
namespace {

using Json = nlohmann::json;
using Matrix = Eigen::Matrix4d;

Matrix pose_of(const Json& rows) {
  Matrix X = Matrix::Identity();
  for (int i = 0; i < 12; ++i) X(i / 4, i % 4) = rows[i].get<double>();
  return X;
}

/// Of a free base, from position and quaternion.
Matrix base_of(const Json& motion, std::size_t sample) {
  Matrix X = Matrix::Identity();
  if (!motion.contains("base")) return X;
  std::vector<double> x;
  for (const Json& column : motion["base"]) x.push_back(column[sample].get<double>());
  X.block<3, 3>(0, 0) = Eigen::Quaterniond(x[6], x[3], x[4], x[5]).normalized().toRotationMatrix();
  X.block<3, 1>(0, 3) = Eigen::Vector3d(x[0], x[1], x[2]);
  return X;
}

/// Where every link is, from the joints of the report alone, as the page's script does it.
std::vector<Matrix> poses(const Json& model, const Json& q, const Matrix& base) {
  std::vector<Matrix> all(model["links"].size(), base);
  for (const Json& joint : model["joints"]) {
    Matrix motion = Matrix::Identity();
    if (!joint["coordinate"].is_null()) {
      const double x = joint["ratio"].get<double>() * q[joint["coordinate"].get<std::size_t>()].get<double>() + joint["offset"].get<double>();
      const Eigen::Vector3d axis(joint["axis"][0].get<double>(), joint["axis"][1].get<double>(), joint["axis"][2].get<double>());
      if (joint["kind"] == "prismatic")
        motion.block<3, 1>(0, 3) = x * axis;
      else
        motion.block<3, 3>(0, 0) = Eigen::AngleAxisd(x, axis).toRotationMatrix();
    }
    all[joint["child"].get<std::size_t>()] = all[joint["parent"].get<std::size_t>()] * pose_of(joint["before"]) * motion * pose_of(joint["after"]);
  }
  return all;
}

// q has six digits in the report.
void frames_lead_to_the_poses_that_were_computed(const Studied& s, const ulna::Model& /*model*/) {
  SCOPED_TRACE("frames_lead_to_the_poses_that_were_computed");
  const Json& motion = s.report["motion"];
  ASSERT_GE(motion["poses_check"].size(), 3u);
  for (const Json& check : motion["poses_check"]) {
    Json q = Json::array();
    for (const Json& column : motion["q"]) q.push_back(column[check["sample"].get<std::size_t>()]);
    const Matrix ours = poses(s.report["model"], q, base_of(motion, check["sample"].get<std::size_t>()))[check["link"].get<std::size_t>()];
    EXPECT_LT((ours - pose_of(check["pose"])).norm(), 1e-4);
  }
}

void ellipsoids_have_mass_and_inertia_of_their_links(const Studied& s, const ulna::Model& model) {
  SCOPED_TRACE("ellipsoids_have_mass_and_inertia_of_their_links");
  std::size_t seen = 0;
  for (std::size_t k = 0; k < model.links().size(); ++k) {
    const Json& ellipsoid = s.report["model"]["links"][k]["ellipsoid"];
    const ulna::Link& link = model.links()[k];
    EXPECT_EQ(ellipsoid.is_null(), !(link.mass > 0)) << link.name;
    if (ellipsoid.is_null()) continue;
    ++seen;
    Eigen::Matrix3d R;
    for (int i = 0; i < 9; ++i) R(i / 3, i % 3) = ellipsoid["rotation"][i].get<double>();
    const Eigen::Array3d square =
        Eigen::Array3d(ellipsoid["axes"][0].get<double>(), ellipsoid["axes"][1].get<double>(), ellipsoid["axes"][2].get<double>()).square();
    // A solid ellipsoid: I_x = m (b² + c²) / 5.
    const Eigen::Vector3d moments = (link.mass / 5 * (square.sum() - square)).matrix();
    const Eigen::Matrix3d ours = R * moments.asDiagonal() * R.transpose();
    Eigen::Matrix3d given;
    given << link.inertia.xx, link.inertia.xy, link.inertia.xz, link.inertia.xy, link.inertia.yy, link.inertia.yz, link.inertia.xz, link.inertia.yz,
        link.inertia.zz;
    EXPECT_LT((ours - given).norm(), 1e-9 * given.norm() + 1e-15) << link.name;
    EXPECT_NEAR(R.determinant(), 1, 1e-12);
  }
  EXPECT_GE(seen, 2u);
}

void the_drives_work_is_the_change_of_energy(const Studied& s, const ulna::Model& /*model*/) {
  SCOPED_TRACE("the_drives_work_is_the_change_of_energy");
  const Json& energy = s.report["motion"]["energy"];
  const std::size_t rows = s.report["motion"]["t"].size();
  ASSERT_GE(rows, 100u);
  double scale = 0, worst = 0;
  for (std::size_t k = 0; k < rows; ++k) {
    const double change = energy["total"][k].get<double>() - energy["total"][0].get<double>(), work = energy["work"][k].get<double>();
    scale = std::max({scale, std::abs(energy["total"][k].get<double>()), std::abs(work)});
    worst = std::max(worst, std::abs(change - work));
  }
  EXPECT_GT(scale, 0);
  EXPECT_LT(worst, 1e-5 * scale);  // six digits
}

void shares_of_the_torques_make_up_the_torques(const Studied& s, const ulna::Model& model) {
  SCOPED_TRACE("shares_of_the_torques_make_up_the_torques");
  std::istringstream csv(s.file("torques.csv"));
  std::string line;
  std::getline(csv, line);
  const auto n = model.nv();
  EXPECT_EQ(static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')), 10 * n);
  std::size_t rows = 0;
  for (; std::getline(csv, line); ++rows) {
    std::vector<double> x;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) x.push_back(std::stod(cell));
    ASSERT_EQ(x.size(), 1 + 10 * n);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0, scale = 0;
      for (std::size_t share = 0; share < 6; ++share) {
        sum += x[1 + (4 + share) * n + i];
        scale = std::max(scale, std::abs(x[1 + (4 + share) * n + i]));
      }
      EXPECT_NEAR(sum, x[1 + 3 * n + i], 1e-9 * (1 + scale));
    }
  }
  EXPECT_GE(rows, 100u);
}

void the_schedule_does_everything_once_and_one_thing_at_a_time(const Studied& s, const ulna::Model& /*model*/) {
  SCOPED_TRACE("the_schedule_does_everything_once_and_one_thing_at_a_time");
  ASSERT_EQ(s.report["schedule"].size(), 1u);
  const Json& schedule = s.report["schedule"][0];
  std::set<std::pair<int, int>> taken;
  int work = 0, end = 0;
  for (const Json& cell : schedule["cells"]) {
    const int unit = cell["processor"].get<int>(), start = cell["start"].get<int>(), length = cell["length"].get<int>();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, schedule["processors"].get<int>());
    for (int k = start; k < start + length; ++k) EXPECT_TRUE(taken.emplace(unit, k).second) << "two operations at once";
    work += length;
    end = std::max(end, start + length);
  }
  EXPECT_EQ(work, schedule["work"].get<int>());
  EXPECT_EQ(end, schedule["length"].get<int>());
}

class Report : public testing::TestWithParam<const char*> {};

// One test for all, because making the study takes longest.
TEST_P(Report, AgreesWithOtherPaths) {
  const ulna::Model model = ulna::load(GetParam());
  const Studied s(model);
  frames_lead_to_the_poses_that_were_computed(s, model);
  ellipsoids_have_mass_and_inertia_of_their_links(s, model);
  the_drives_work_is_the_change_of_energy(s, model);
  shares_of_the_torques_make_up_the_torques(s, model);
  the_schedule_does_everything_once_and_one_thing_at_a_time(s, model);
}

INSTANTIATE_TEST_SUITE_P(Robots, Report, testing::Values("stanford", "torso"), [](const auto& robot) { return std::string(robot.param); });

TEST(ReportOfAFreeBase, AgreesWithOtherPaths) {
  const ulna::Model model = ulna::with_base(ulna::load("servicer"), ulna::RootJoint::free);
  const Studied s(model);
  EXPECT_TRUE(s.study.good);
  EXPECT_EQ(s.well_formed, "");
  frames_lead_to_the_poses_that_were_computed(s, model);
  the_drives_work_is_the_change_of_energy(s, model);
  the_schedule_does_everything_once_and_one_thing_at_a_time(s, model);
  const Json& motion = s.report["motion"];
  ASSERT_EQ(motion["base"].size(), 7u);
  ASSERT_EQ(motion["q"].size(), 6u);
  // It recoils.
  EXPECT_GT(std::abs(motion["base"][3].back().get<double>()) + std::abs(motion["base"][4].back().get<double>()), 1e-3);
  const std::string csv = s.file("motion.csv");
  EXPECT_EQ(csv.substr(0, csv.find(",q.base.y")), "t,q.base.x");
  EXPECT_NE(s.page.find("Equations with symbols are written for robots with a fixed base"), std::string::npos);
}

// T. R. Kane, D. A. Levinson 1983, sec. 3: 646 multiplications and 394 additions.
TEST(ReportCounts, ThePapersFigureStandsBesideOurs) {
  const Studied s(ulna::load("stanford"));
  bool printed = false, best = false;
  for (const Json& row : s.report["counts"][0]["rows"]) {
    printed = printed || row["published"] == "646 mul, 394 add";
    if (row["formulation"] != "best") continue;
    best = true;
    const auto cost = [](const Json& counts) { return counts["mul"].get<int>() + counts["add"].get<int>(); };
    for (const Json& other : s.report["counts"][0]["rows"]) {
      if (other["reduced"].is_null()) continue;
      EXPECT_LE(cost(row["reduced"]), cost(other["reduced"])) << other["formulation"];
    }
  }
  EXPECT_TRUE(printed);
  EXPECT_TRUE(best);
}

}  // namespace
}  // namespace study_test
