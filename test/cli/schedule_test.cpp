// ulna schedule, as a user calls it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;
using support::Folder;

namespace {

std::size_t occurrences(const std::string& text, const std::string& piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + piece.size())) ++count;
  return count;
}

long total(const json& counts) { return counts["mul"].get<long>() + counts["add"].get<long>() + counts["div"].get<long>(); }

constexpr const char* kPendulum = R"(<robot name="pendulum">
  <link name="ceiling"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="ceiling"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>)";

// tau = m g l sin(q) + (J + m l²) a: with the sine given, two products of known numbers and a sum.
TEST(ScheduleCommand, PendulumIsKnownByHand) {
  const TemporaryFile file("pendulum.urdf", kPendulum);
  const std::string pendulum = file.path();
  const json s = ulna_json("schedule '" + pendulum + "'");
  EXPECT_EQ(s["formulation"], "best");
  EXPECT_EQ(s["quantity"], "torque");
  EXPECT_EQ(s["operations"], json({{"mul", 2}, {"add", 1}, {"div", 0}, {"sincos", 0}}));
  EXPECT_EQ(s["critical_path"]["steps"], 2);
  EXPECT_EQ(s["critical_path"]["mul"], 1);
  EXPECT_EQ(s["critical_path"]["add"], 1);
  EXPECT_EQ(s["critical_path"]["units"], 2);
  EXPECT_EQ(s["critical_path"]["speed_up"], 1.5);
  ASSERT_EQ(s["schedules"].size(), 5u);
  EXPECT_EQ(s["schedules"][0], json({{"units", 1}, {"steps", 3}, {"lower_bound", 3}, {"utilisation", 1.0}, {"speed_up", 1.0}}));
  EXPECT_EQ(s["schedules"][1], json({{"units", 2}, {"steps", 2}, {"lower_bound", 2}, {"utilisation", 0.75}, {"speed_up", 1.5}}));
  EXPECT_FALSE(s.contains("schedule"));
  EXPECT_FALSE(s.contains("turney_table_5"));

  const json counted = ulna_json("schedule '" + pendulum + "' --costs 2,1,1,10");
  EXPECT_EQ(counted["operations"]["sincos"], 1);
  EXPECT_EQ(counted["work"], 2 + 2 + 1 + 10);
  EXPECT_EQ(counted["critical_path"]["steps"], 10 + 2 + 1);

  // M does not change, so nothing is left to do; a drawing of nothing is refused.
  EXPECT_EQ(ulna_json("schedule '" + pendulum + "' --quantity mass")["work"], 0);
  EXPECT_EQ(ulna("schedule '" + pendulum + "' --quantity mass").status, 0);
  const Folder folder;
  expect_refused("schedule '" + pendulum + "' --quantity mass --svg '" + folder.at("m.svg") + "'", "nothing to draw");
  EXPECT_EQ(folder.files(), 0u);
}

TEST(ScheduleCommand, RowsOfEveryQuantityHoldTogether) {
  for (const std::string call :
       {"stanford", "panda --quantity mass", "puma560 --quantity bias", "scara --quantity acceleration", "ur5 --formulation newton-euler",
        "planar-3r --formulation lagrange", "stanford --formulation kane-stanford", "panda --formulation lin"}) {
    SCOPED_TRACE(call);
    const json s = ulna_json("schedule " + call + " --units 3");
    const long work = s["work"], longest = s["critical_path"]["steps"];
    EXPECT_EQ(work, total(s["operations"]));
    EXPECT_EQ(longest, total(s["critical_path"]));
    EXPECT_GT(longest, 0);
    std::vector<int> units;
    for (const json& row : s["schedules"]) {
      const int p = row["units"];
      const long steps = row["steps"], bound = row["lower_bound"];
      units.push_back(p);
      EXPECT_EQ(bound, std::max(longest, (work + p - 1) / p));
      EXPECT_GE(steps, bound);
      EXPECT_LE(p * steps, work + (p - 1) * longest);  // Graham's inequality
      EXPECT_DOUBLE_EQ(row["speed_up"], static_cast<double>(work) / static_cast<double>(steps));
      EXPECT_DOUBLE_EQ(row["utilisation"], static_cast<double>(work) / static_cast<double>(p * steps));
    }
    EXPECT_EQ(units, (std::vector<int>{1, 2, 3, 4, 8, 16}));
    EXPECT_EQ(s["schedules"][0]["steps"], work);
  }
}

TEST(ScheduleCommand, DetailsAreAScheduleThatWorks) {
  const json s = ulna_json("schedule stanford --units 3");
  const json& detail = s["schedule"];
  EXPECT_EQ(detail["units"], 3);
  EXPECT_EQ(static_cast<long>(detail["operations"].size()), s["work"].get<long>());
  std::map<std::string, long> end;  // of a value: the step after which it is there
  std::set<std::pair<int, long>> taken;
  long last = 0;
  for (const json& operation : detail["operations"]) {
    const long start = operation["start"];
    const int unit = operation["unit"];
    EXPECT_GE(start, 1);
    EXPECT_TRUE(unit >= 1 && unit <= 3);
    EXPECT_TRUE(taken.emplace(unit, start).second) << operation.dump();
    for (const json& operand : operation["operands"]) {
      const auto made = end.find(operand.get<std::string>());
      EXPECT_TRUE(made == end.end() || made->second < start) << operation.dump();
    }
    end[operation["value"]] = start;
    last = std::max(last, start);
  }
  EXPECT_EQ(last, s["schedules"][2]["steps"].get<long>());
}

TEST(ScheduleCommand, TextShowsTheRowsAndWhatIsInThem) {
  const Outcome run = ulna("schedule stanford --units 5");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  for (const char* piece : {"Robot stanford, torque by the best program: ", "Longest chain", "units  steps  at least  utilisation  speed-up", "      5 ", "∞",
                            "In this result: gravity"})
    EXPECT_NE(run.out.find(piece), std::string::npos) << piece << "\n" << run.out;
  EXPECT_EQ(run.out.find("Table 5"), std::string::npos);
}

// 27n + 42 and 27n + 41 are the paper's totals.
TEST(ScheduleCommand, TurneysTableStandsBesideHisFormulations) {
  for (const std::string id : {"newton-euler", "modified-newton-euler"}) {
    SCOPED_TRACE(id);
    const json s = ulna_json("schedule ur5 --formulation " + id);
    const json& rows = s["turney_table_5"]["rows"];
    ASSERT_EQ(rows.size(), 8u);
    for (int n = 1; n <= 8; ++n) {
      const json& row = rows[n - 1];
      EXPECT_EQ(row["joints"], n);
      EXPECT_EQ(row["paper"], json({{"mul", 27 * n + 42}, {"add", 27 * n + 41}}));
      EXPECT_EQ(row["critical_path"]["steps"].get<long>(), total(row["critical_path"]));
    }
    // The row of n = 3 is that robot's own longest chain.
    EXPECT_EQ(rows[2]["critical_path"]["steps"], ulna_json("schedule general-RRR --formulation " + id)["critical_path"]["steps"]);
    EXPECT_NE(ulna("schedule ur5 --formulation " + id).out.find("27n + 42"), std::string::npos);
  }
  EXPECT_FALSE(ulna_json("schedule ur5 --formulation kane").contains("turney_table_5"));
}

TEST(ScheduleCommand, DrawingIsWholeOrNotThere) {
  const Folder folder;
  const std::string path = folder.at("schedule.svg");
  const json s = json::parse(ulna("schedule stanford --units 3 --json --svg '" + path + "'").out);
  const std::string svg = text_of(path);
  EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(folder.files(), 1u);
  EXPECT_NE(svg.find("stanford: torque by the best program on 3 units"), std::string::npos);
  for (const char* unit : {"unit 1<", "unit 2<", "unit 3<"}) EXPECT_NE(svg.find(unit), std::string::npos) << unit;
  EXPECT_EQ(svg.find("unit 4<"), std::string::npos);
  EXPECT_EQ(svg.find("http", 10 + svg.find("http")), std::string::npos) << "nothing from elsewhere";

  // As many boxes of a colour as operations of a kind, and one for the legend.
  const auto boxes = [&](const std::string& colour) {
    std::size_t count = 0;
    for (std::size_t at = svg.find("fill=\"" + colour + "\" d=\""); at != std::string::npos; at = svg.find("fill=\"" + colour + "\" d=\"", at + 1))
      count += occurrences(svg.substr(at, svg.find("/>", at) - at), "z");
    return static_cast<long>(count);
  };
  EXPECT_EQ(boxes("#0072b2"), s["operations"]["mul"].get<long>() + 1);
  EXPECT_EQ(boxes("#e69f00"), s["operations"]["add"].get<long>() + 1);
  EXPECT_EQ(boxes("#8a2a6b"), 0);
  const std::size_t outlines = svg.rfind("class=\"on\"");
  EXPECT_EQ(static_cast<long>(occurrences(svg.substr(outlines, svg.find("/>", outlines) - outlines), "z")), s["critical_path"]["steps"].get<long>());

  // A file that is there is replaced where that is asked for; without --units it is drawn on four.
  EXPECT_EQ(ulna("schedule planar-2r --force --svg '" + path + "'").status, 0);
  EXPECT_NE(text_of(path).find("planar-2r: torque by the best program on 4 units"), std::string::npos);

  expect_refused("schedule planar-2r --svg '" + folder.at("no/such.svg") + "'", "option --svg: cannot write");
  std::filesystem::create_directory(folder.at("folder"));
  expect_refused("schedule planar-2r --svg '" + folder.at("folder") + "'", "option --svg: cannot write");
  EXPECT_EQ(folder.files(), 2u);
}

// The number in a box: a joint of the robot, and every joint has some work.
TEST(ScheduleCommand, BoxesNameTheirJoints) {
  const Folder folder;
  const std::string path = folder.at("schedule.svg");
  ASSERT_EQ(ulna("schedule general-RRR --formulation newton-euler --svg '" + path + "'").status, 0);
  const std::string svg = text_of(path), numbers = svg.substr(svg.find("<g class=\"in\""));
  for (const char* joint : {">1</text>", ">2</text>", ">3</text>"}) EXPECT_GT(occurrences(numbers, joint), 20u) << joint;
  EXPECT_EQ(occurrences(numbers, ">4</text>") + occurrences(numbers, ">0</text>"), 0u);
}

TEST(ScheduleCommand, WrongCallsSayWhy) {
  expect_refused("schedule", "needs a MODEL");
  expect_refused("schedule stanford --formulation newton-eular", "did you mean 'newton-euler'?");
  expect_refused("schedule stanford --formulation xyzzy", "'ulna formulations' lists them");
  expect_refused("schedule stanford --formulation lin --quantity torque", "formulation lin does not give the torque; it gives: mass");
  expect_refused("schedule stanford --quantity energy",
                 "takes torque, mass, bias, gravity, coriolis, acceleration, derivatives or forward_derivatives, not 'energy'");
  expect_refused("schedule stanford --units 0", "takes a whole number from 1 to 1000000, not 0");
  expect_refused("schedule stanford --units -3", "not -3");
  expect_refused("schedule stanford --units 2.5", "not 2.5");
  expect_refused("schedule stanford --units many", "'many'");
  expect_refused("schedule stanford --units 1,2", "takes 1 number, but 2 are given");
  expect_refused("schedule stanford --costs 1,1", "takes 4 numbers, but 2 are given");
  expect_refused("schedule stanford --costs 0,1,1,0", "from 1 (sincos: from 0)");
  expect_refused("schedule stanford --formulation kane --rotor off", "option --rotor is for the best program");
  expect_refused("schedule torso --formulation newton-euler", "has no program for the torque of robot 'torso'");
  expect_refused("schedule panda --formulation kane-stanford", "has no program");
  expect_refused("schedule panda --snap 1", "from 0 to 0.1");
}

TEST(ScheduleCommand, PageAndExample) {
  const Outcome page = ulna("schedule --help");
  EXPECT_EQ(page.status, 0);
  for (const char* part : {"--formulation ID", "--units P", "--svg FILE", "--costs m,a,d,s"}) EXPECT_NE(page.out.find(part), std::string::npos) << part;
  EXPECT_NE(ulna("--help").out.find("schedule"), std::string::npos);
}

}  // namespace
