// Regressor, base parameters, excitation and identification through the commands; logs that are wrong are told, with rows.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"
#include "support/folder.hpp"

using nlohmann::json;

namespace {

constexpr int kRows = 800;

/// q, v and a of two joints, at 100 Hz.
void motion(double t, double* q, double* v, double* a) {
  const double w[] = {1.3, 2.1}, u[] = {3.1, 0.7};
  for (int k = 0; k < 2; ++k) {
    q[k] = 0.8 * std::sin(w[k] * t + k) + 0.3 * std::cos(u[k] * t);
    v[k] = 0.8 * w[k] * std::cos(w[k] * t + k) - 0.3 * u[k] * std::sin(u[k] * t);
    a[k] = -0.8 * w[k] * w[k] * std::sin(w[k] * t + k) - 0.3 * u[k] * u[k] * std::cos(u[k] * t);
  }
}

/// Torques of planar-2r along it, by the program itself: what a log would hold. Columns of a log, with a change for each row.
struct Made {
  std::vector<std::string> head{"t", "q.q1", "q.q2", "v.q1", "v.q2", "a.q1", "a.q2", "tau.q1", "tau.q2"};
  std::vector<std::vector<double>> rows;

  explicit Made(const support::Folder& folder) {
    const json names = ulna_json("info planar-2r")["joints"];
    const std::string one = names[0]["name"], two = names[1]["name"];
    head = {"t", "q." + one, "q." + two, "v." + one, "v." + two, "a." + one, "a." + two, "tau." + one, "tau." + two};
    std::ostringstream states;
    states.precision(17);
    for (int c = 1; c < 7; ++c) states << head[static_cast<std::size_t>(c)] << (c == 6 ? "\n" : ",");
    for (int r = 0; r < kRows; ++r) {
      double q[2], v[2], a[2];
      motion(r / 100.0, q, v, a);
      states << q[0] << "," << q[1] << "," << v[0] << "," << v[1] << "," << a[0] << "," << a[1] << "\n";
      rows.push_back({r / 100.0, q[0], q[1], v[0], v[1], a[0], a[1]});
    }
    folder.write("states.csv", states.str());
    const json tau = ulna_json("inverse planar-2r --states " + folder.at("states.csv"))["tau"];
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (int k = 0; k < 2; ++k)
        rows[r].push_back(tau[r][static_cast<std::size_t>(k)].get<double>() + 0.4 * (rows[r][static_cast<std::size_t>(3 + k)] > 0 ? 1 : -1));
  }
  /// With these columns.
  std::string text(std::size_t first, std::size_t last, const std::vector<std::size_t>& columns = {0, 1, 2, 3, 4, 5, 6, 7, 8}) const {
    std::ostringstream out;
    out.precision(17);
    for (std::size_t c = 0; c < columns.size(); ++c) out << head[columns[c]] << (c + 1 == columns.size() ? "\n" : ",");
    for (std::size_t r = first; r < last; ++r)
      for (std::size_t c = 0; c < columns.size(); ++c) out << rows[r][columns[c]] << (c + 1 == columns.size() ? "\n" : ",");
    return out.str();
  }
};

/// The last column.
std::string regressor_gives_the_torque(const std::string& state) {
  const json r = ulna_json("regressor" + state), moved = ulna_json("inverse" + state + " --friction on");
  std::vector<double> tau;
  for (const char* part : {"base", "tau"})  // rows of a base that moves come first
    if (moved.contains(part))
      for (const json& x : moved[part][0]) tau.push_back(x.get<double>());
  EXPECT_EQ(r["columns"].size(), r["values"].size());
  EXPECT_EQ(r["Y"].size(), 1u);
  EXPECT_EQ(r["Y"][0].size(), tau.size());
  for (std::size_t i = 0; i < tau.size(); ++i) {
    double sum = 0, size = 0;
    for (std::size_t c = 0; c < r["columns"].size(); ++c) {
      const double term = r["Y"][0][i][c].get<double>() * r["values"][c].get<double>();
      sum += term, size += std::abs(term);
    }
    EXPECT_NEAR(sum, tau[i], 1e-12 * size);
  }
  return r["columns"].back();
}

TEST(RegressorCommand, TimesItsValuesIsTheTorque) {
  EXPECT_EQ(regressor_gives_the_torque(" puma560 --q 0.2,1.1,0.3,-0.5,0.7,0.4 --v 0.3,-0.6,0.2,0.5,-0.1,0.8 --a 1,-1,0.5,2,0.3,-0.7"), "offset.joint6");
}

TEST(RegressorCommand, HasRowsOfABaseThatMoves) {
  EXPECT_EQ(regressor_gives_the_torque(" panda --base planar --q 0.2,1.1,0.3,-0.5,0.7,0.1,-1.2,0.4,1.3,0.2 --v 0.3,-0.6,0.2,0.5,-0.1,0.8,0.4,-0.9,0.3,0.2"
                                       " --a 1,-1,0.5,2,0.3,-0.7,1.5,1,0.2,-0.4"),
            "offset.joint7");
  const std::string free =
      " panda --base free --q 0.2,1.1,0.3,0.5,-0.5,0.1,0.7,-0.5,0.7,0.1,-1.2,0.4,1.3,0.2 --v 0.3,-0.6,0.2,0.5,-0.1,0.8,0.4,-0.9,0.3,0.2,-0.5,0.6,1"
      " --a 1,-1,0.5,2,0.3,-0.7,1.5,1,0.2,-0.4,0.6,0.8,-1";
  EXPECT_EQ(regressor_gives_the_torque(free), "offset.joint7");
}

TEST(ParametersCommand, CountsAndGroups) {
  const json p = ulna_json("parameters puma560");
  EXPECT_EQ(p["count"], 36);
  EXPECT_EQ(p["base"].size(), 36u);
  EXPECT_EQ(ulna_json("parameters panda")["count"], 43);
  for (const json& one : p["base"]) EXPECT_EQ(one["expression"].get<std::string>().rfind(one["name"].get<std::string>(), 0), 0u) << one;
  EXPECT_FALSE(p["no_effect"].empty());
}

TEST(IdentifyCommand, FindsPredictsAndWrites) {
  const support::Folder folder;
  const Made made(folder);
  folder.write("log.csv", made.text(0, 600));
  folder.write("other.csv", made.text(600, 800));
  folder.write("motion.csv", made.text(600, 800, {0, 1, 2, 3, 4, 5, 6}));
  const std::string out = folder.at("found");
  const json found = ulna_json("identify planar-2r " + folder.at("log.csv") + " --validate " + folder.at("other.csv") + " --predict " +
                               folder.at("motion.csv") + " --out " + out);
  EXPECT_LT(found["validation"]["relative_error"].get<double>(), 1e-8);
  EXPECT_EQ(found["validation"]["by_joint"].size(), 2u);
  EXPECT_LT(std::abs(found["consistency_price"].get<double>()), 1e-8);
  for (const json& one : found["friction"])
    if (one["name"].get<std::string>().rfind("coulomb", 0) == 0) {
      EXPECT_NEAR(one["value"].get<double>(), 0.4, 1e-8);
    }
  for (const json& one : found["base"]) EXPECT_NEAR(one["value"].get<double>(), one["given"].get<double>(), 1e-7) << one;
  EXPECT_EQ(ulna("lint " + out + "/identified.urdf").status, 0);
  // A row for each row, friction included.
  std::ifstream predicted(out + "/predicted.csv");
  std::string line;
  std::getline(predicted, line);
  EXPECT_EQ(line, made.head[0] + "," + made.head[7] + "," + made.head[8]);
  std::size_t row = 600;
  for (; std::getline(predicted, line); ++row) {
    std::istringstream cells(line);
    for (const std::size_t column : {0u, 7u, 8u}) {
      std::string cell;
      std::getline(cells, cell, ',');
      EXPECT_NEAR(std::stod(cell), made.rows[row][column], 1e-6) << row;
    }
  }
  EXPECT_EQ(row, 800u);
  expect_refused("identify planar-2r " + folder.at("log.csv") + " --out " + out, "--force");
}

// Positions and torques alone, at uneven steps: derived, resampled and told.
TEST(IdentifyCommand, DerivesWhatWasNotMeasured) {
  const support::Folder folder;
  Made made(folder);
  std::vector<std::vector<double>> kept;
  for (std::size_t r = 0; r < made.rows.size(); ++r)
    if (r % 7 != 3) kept.push_back(made.rows[r]);
  made.rows = kept;
  folder.write("log.csv", made.text(0, kept.size(), {0, 1, 2, 7, 8}));
  const auto run = ulna("identify planar-2r " + folder.at("log.csv") + " --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("rows are resampled evenly"), std::string::npos) << run.err;
  EXPECT_LT(json::parse(run.out)["validation"]["relative_error"].get<double>(), 0.02);
}

TEST(IdentifyCommand, BadLogsAreToldWithTheirRows) {
  const support::Folder folder;
  const Made made(folder);
  const auto refused = [&](const std::string& text, const std::string& words, const std::string& options = "") {
    folder.write("bad.csv", text);
    expect_refused("identify planar-2r " + folder.at("bad.csv") + options, words);
  };
  refused("", "the file is empty");
  refused(made.text(0, 100, {0, 1, 2}), "column 'tau.");
  refused(made.text(0, 100, {1, 2, 7, 8}), "column 't'");
  refused(made.text(0, 100, {0, 1, 7, 8}), "this column is missing");
  refused(made.text(0, 100) + made.text(50, 51, {0, 1, 2, 3, 4, 5, 6, 7, 8}).substr(made.text(0, 0).size()), ":102: error: column 't': time 0.5 s falls");
  refused(made.text(0, 100) + "1.0,0,0,0,0,0,0,oops,0\n", ":102: error: column");
  refused(made.text(0, 100) + "1.0,0,0\n", "this row has 3 cells, the header 9");
  refused(made.text(0, 10), "at least 32");
  refused(made.text(0, 100), "give --out DIR", " --predict nowhere.csv");
  refused(made.text(0, 100), "above 0 Hz", " --cutoff 0");
  refused(made.text(0, 100), "there is no link", " --payload hand --unloaded x.csv");
  refused(made.text(0, 100), "write forearm:1,0,0,0", " --loaded x.csv --load forearm=1,0,0,0");
  refused(made.text(0, 100), "takes 4 or 10 numbers", " --loaded x.csv --load forearm:1,0");
  expect_refused("identify planar-2r", "at least one LOG.csv");
  expect_refused("identify planar-2r " + folder.at("none.csv"), "cannot be read");
  // Currents without a scale.
  std::string currents = made.text(0, 200);
  for (std::size_t at; (at = currents.find("tau.")) != std::string::npos;) currents.replace(at, 4, "i.");
  refused(currents, "the scale is undetermined", " --current");
}

// Named, and gone on with: gaps, a joint that stands still; degrees are refused.
TEST(IdentifyCommand, OddLogsAreTold) {
  const support::Folder folder;
  Made made(folder);
  const auto note = [&](const Made& log, const std::string& words) {
    folder.write("odd.csv", log.text(0, log.rows.size()));
    const auto run = ulna("identify planar-2r " + folder.at("odd.csv") + " --json");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
  };
  Made gap = made;
  gap.rows.erase(gap.rows.begin() + 300, gap.rows.begin() + 400);
  note(gap, "1 gap: 1.01 s before row 301");
  Made degrees = made;
  for (auto& row : degrees.rows) row[1] *= 57.29577951, row[2] *= 57.29577951;
  folder.write("odd.csv", degrees.text(0, degrees.rows.size()));
  expect_refused("identify planar-2r " + folder.at("odd.csv"), "one of them is in degrees");
  Made still = made;
  for (auto& row : still.rows) row[2] = 0.3, row[4] = row[6] = 0;
  note(still, "the motion does not determine");
}

// A dead channel has no error of 0 %: it is refused with its name, nothing is written, and the joint can be left out.
TEST(IdentifyCommand, DeadTorquesAreRefusedOrLeftOut) {
  const support::Folder folder;
  Made made(folder);
  for (auto& row : made.rows) row[8] = 0;
  folder.write("dead.csv", made.text(0, made.rows.size()));
  const std::string joint = made.head[8].substr(4), call = "identify planar-2r " + folder.at("dead.csv") + " --out " + folder.at("found");
  const auto refused = ulna(call);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("joint '" + joint + "', column '" + made.head[8] + "': it is 0 in all 800 rows"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--without " + joint), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder.at("found")));
  const json found = ulna_json(call + " --without " + joint);
  EXPECT_TRUE(found["validation"]["by_joint"][joint].is_null());
  EXPECT_LT(found["validation"]["relative_error"].get<double>(), 0.01);
  bool named = false;
  for (const json& one : found["findings"]) named = named || one["kind"] == "undetermined";
  EXPECT_TRUE(named) << found["findings"];
  const auto text = ulna("identify planar-2r " + folder.at("dead.csv") + " --without " + joint);
  EXPECT_EQ(text.status, 0);
  const std::size_t at = text.out.find("\n  " + joint);
  ASSERT_NE(at, std::string::npos) << text.out;
  EXPECT_NE(text.out.substr(at, text.out.find('\n', at + 1) - at).find(" - "), std::string::npos) << text.out;
  expect_refused("identify planar-2r " + folder.at("dead.csv") + " --without nobody", "there is no joint 'nobody'");
}

TEST(IdentifyCommand, Currents) {
  const support::Folder folder;
  Made made(folder);
  for (auto& row : made.rows) row[7] /= 3, row[8] /= 5;
  std::string text = made.text(0, 800);
  for (std::size_t at; (at = text.find("tau.")) != std::string::npos;) text.replace(at, 4, "i.");
  folder.write("log.csv", text);
  const std::string joint = made.head[7].substr(4);
  const json found = ulna_json("identify planar-2r " + folder.at("log.csv") + " --current --gain " + joint + "=3");
  ASSERT_EQ(found["gains"].size(), 1u);
  EXPECT_NEAR(found["gains"][0]["value"].get<double>(), 5, 1e-6);
}

TEST(ExciteCommand, InterruptedLeavesNothing) {
  const Folder folder;
  const Outcome stopped =
      shell("timeout --preserve-status -s INT 0.5 \"$ULNA\" excite panda --evaluations 1000000 --out " + in_quotes(folder.at("motion.csv")));
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("interrupted; nothing was written"), std::string::npos) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(folder.at("motion.csv")));
}

TEST(ExciteCommand, StaysWithinLimitsAndBeatsRandomMotions) {
  const support::Folder folder;
  const json e = ulna_json("excite ur5 --evaluations 300 --period 8 --out " + folder.at("motion.csv"));
  EXPECT_LT(e["condition"].get<double>(), e["random"]["condition"].get<double>());
  EXPECT_GT(e["log_det"].get<double>(), e["random"]["log_det"].get<double>());
  for (const json& part : e["of_limits"]) EXPECT_LE(part.get<double>(), 0.9 + 1e-6);
  EXPECT_TRUE(std::filesystem::exists(folder.at("motion.csv")));
  EXPECT_EQ(ulna_json("excite ur5 --evaluations 300 --period 8"), e) << "the same seed, the same motion";
  expect_refused("excite ur5 --waves 1", "--waves");
}

/// Two joints, of which the second turns three times as far as the first, and may turn a third as far.
constexpr const char* kFollower = R"(<robot name="g"><link name="b"/>
<link name="l1"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="l2"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<joint name="lead" type="revolute"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
<joint name="follow" type="revolute"><origin xyz=".2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/>
<mimic joint="lead" multiplier="3"/><limit lower="-1" upper="1" effort="100" velocity="1"/></joint></robot>)";

// The file, read by this test, keeps the follower's limits at every row and in every difference between rows.
TEST(ExciteCommand, KeepsTheLimitsOfFollowers) {
  const support::Folder folder;
  folder.write("g.urdf", kFollower);
  const json e = ulna_json("excite " + folder.at("g.urdf") + " --evaluations 60 --period 8 --out " + folder.at("m.csv"));
  EXPECT_LE(e["followers"]["follow"].get<double>(), 0.9);
  EXPECT_GT(e["followers"]["follow"].get<double>(), 0.8);
  std::ifstream file(folder.at("m.csv"));
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "t,q.lead,v.lead,a.lead,tau.lead");
  double t = -1, q = 0;
  std::size_t rows = 0;
  for (; std::getline(file, line); ++rows) {
    double next_t = 0, next_q = 0, v = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &next_t, &next_q, &v), 3);
    EXPECT_LE(std::abs(3 * next_q), 0.9) << line;
    EXPECT_LE(std::abs(3 * v), 0.9) << line;
    if (t >= 0) {
      EXPECT_LE(std::abs(3 * (next_q - q)) / (next_t - t), 0.9) << line;
    }
    t = next_t, q = next_q;
  }
  EXPECT_EQ(rows, 801u);
  EXPECT_NEAR(t, 8, 1e-12);
  const auto text = ulna("excite " + folder.at("g.urdf") + " --evaluations 30 --period 8");
  EXPECT_NE(text.out.find("follow "), std::string::npos) << text.out;
}

// Rows so far apart that the accelerations of cubics between them leave the limits: nothing is written.
TEST(ExciteCommand, RowsThatLeaveTheLimitsAreNotWritten) {
  const support::Folder folder;
  folder.write("g.urdf", kFollower);
  const auto run = ulna("excite " + folder.at("g.urdf") + " --evaluations 30 --period 8 --part 1 --rate 1 --acceleration 0.5 --out " + folder.at("m.csv"));
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("beyond its"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("raise the rate"), std::string::npos) << run.err;
  EXPECT_EQ(folder.files(), 1u) << "the model alone";
}

// A simulation may leave the limits; it says so.
TEST(SimulateCommand, SpeedAndEffortBeyondTheirLimitsAreNamed) {
  const support::Folder folder;
  folder.write("g.urdf", kFollower);
  folder.write("s.yaml", "model: g.urdf\nduration: 2\ninitial: {q: [0.2]}\n");  // it falls
  const auto run = ulna("simulate " + folder.at("s.yaml"));
  EXPECT_NE(run.err.find("note: joint 'follow' reaches"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("speed limit of 1 rad/s"), std::string::npos) << run.err;
  folder.write("i.yaml", "model: g.urdf\nduration: 2\ninitial: {q: [0.2]}\nlimits: ignore\n");
  EXPECT_EQ(ulna("simulate " + folder.at("i.yaml")).err.find("speed limit"), std::string::npos);
}

}  // namespace
