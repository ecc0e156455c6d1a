// The results of a study, before they are written.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/expr/schedule.hpp>
#include <ulna/study/study.hpp>

#include "count/counts.hpp"
#include "count/growth.hpp"
#include "count/memory.hpp"
#include "count/race.hpp"
#include "emit/self_test.hpp"
#include "sim/torques.hpp"

namespace ulna::internal {

/// The ellipsoid of constant density that has a link's mass and inertia.
struct Ellipsoid {
  Vec3<double> axes;      // half of them [m]
  Mat3<double> rotation;  // link's axes from the ellipsoid's
};
/// Nothing for a link without mass, or with an inertia that no body has. A flat or thin body has axes of length 0.
std::optional<Ellipsoid> equal_inertia_ellipsoid(const Link& link);

/// The pose of a link at one row of a motion, for callers that compose frames themselves.
struct PoseCheck {
  std::size_t sample;
  std::size_t link;
  Pose<double> pose;
};

/// q, v, tau: row by row.
struct StudyMotion {
  std::string title;
  std::string text;  // a sentence or two about what happens
  sim::Outcome run;
  std::vector<PoseCheck> poses;
  std::vector<double> inertia;  // M at the goal, row by row
};

struct ScheduleData {
  Quantity quantity;
  Program program;
  TaskGraph graph;
  std::vector<Schedule> schedules;  // on 1, 2, 4, 8, 16 units
  Schedule drawn;                   // the one that is shown
  std::size_t enough = 0;           // units that reach the longest chain
  bool drawable = true;             // few enough operations for a drawing, and for the report
};

struct StudyData {
  const Analysis& robot;
  const Model& model;
  const StudyOptions& options;
  std::string source;
  std::size_t n = 0;  // coordinates
  std::vector<Diagnostic> diagnostics;
  Certificate certificate{};
  std::vector<PeerCheck> peers{};
  bool agree = true;
  CountReport counts{};
  std::vector<Growth> growth{};
  std::vector<GeneratedFile> c{};
  SelfTest self_test{};
  std::vector<ScheduleData> schedules{};
  StudyTimings timing{};
  std::optional<Race> race{};
  std::vector<TableTrade> tables{};  // of a small arm
  std::optional<sim::TorqueStudy> reference{};
  std::optional<StudyMotion> motion{};
  std::vector<EquationSet> equations{};  // of the kernels
  std::vector<EquationSet> paper{};      // Kane & Levinson's, of the Stanford arm
  std::vector<std::string> left_out{};   // sentences about steps that were left out for a robot of this size
  std::vector<StudyStep> steps{};
};

// motion.cpp
/// Two poses within the joint limits, between which the robot moves.
struct EndPoses {
  std::vector<double> from, to;
};
EndPoses end_poses(const Model& model);
/// q of the joints that v lists, a base that moves standing at the world's origin, loops closed.
std::vector<double> with_joints(const Model& model, const std::vector<double>& joints);
sim::TorqueStudy reference_torques(const Analysis& robot, const sim::RunOptions& run);
StudyMotion response(const Analysis& robot, const sim::RunOptions& run);
/// Of every link.
std::vector<Pose<double>> poses_at(const Analysis& robot, const double* q);
std::string motion_csv(const Model& model, const sim::Trajectory& trajectory);
/// With a column for each share of each torque.
std::string torques_csv(const Model& model, const sim::TorqueStudy& study);

// timing.cpp
StudyTimings own_timing(const Analysis& robot, double seconds);

// robot_drawing.cpp
using Moments = std::vector<std::vector<Pose<double>>>;  // poses of all links at some times
std::string robot_drawing(const StudyData& data);
/// The last moment, those before it in grey; of a robot with loops, also the way of the joints that close them.
std::string robot_drawing(const Model& model, const Moments& moments, const Moments& way = {});

// report_json.cpp
void write_report(Json& json, const StudyData& data);
/// The parts that the page's script needs for a view of a robot in motion.
void write_model(Json& json, const Model& model, const std::string& source);
void write_motion(Json& json, const Model& model, const std::string& title, const sim::Trajectory& t, const std::vector<PoseCheck>& poses, bool energy);
/// `all`: also the operations of those that are too long to be drawn.
void write_schedules(Json& json, const StudyData& data, bool all);

// page.cpp
/// `report` is the text of write_report().
std::string study_page(const StudyData& data, const std::string& report);
/// A report and the script that reads it, as elements at the end of a page.
std::string script_part(const std::string& report);

}  // namespace ulna::internal
