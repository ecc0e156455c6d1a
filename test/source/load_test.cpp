#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <ulna/source/load.hpp>

#include "support/problems.hpp"

namespace ulna::test {
namespace {

namespace fs = std::filesystem;
using test::has_problem;
using test::listing;
using test::replaced;

// Lines are counted in the tests below: keep them.
const std::string kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0.3 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
)";

const std::string kCoupled = replaced(kArm, "<parent link=\"upper\"/>", "<mimic joint=\"shoulder\" multiplier=\"2\" offset=\"0.1\"/><parent link=\"upper\"/>");

/// A folder of its own for each test, removed afterwards.
class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("ulna-load-" + std::to_string(::getpid()) + "-" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(Load, EveryBuiltinRobot) {
  EXPECT_EQ(builtin_robots().size(), 20u);
  std::set<std::string_view> ids;
  for (const BuiltinRobot& robot : builtin_robots()) {
    const LoadResult result = try_load(std::string(robot.id));
    EXPECT_TRUE(result.model) << robot.id << "\n" << listing(result.diagnostics);
    EXPECT_TRUE(result.found);
    EXPECT_FALSE(robot.summary.empty());
    ids.insert(robot.id);
    std::ifstream file(std::string(ULNA_MODELS_DIR "/") + std::string(robot.id) + "/" + std::string(robot.file), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(robot.text, text) << robot.id << ": what is built in is not what stands under models/";
  }
  EXPECT_EQ(ids.size(), 20u);
}

TEST_F(Load, FormatsByEndingAndByText) {
  EXPECT_TRUE(try_parse(kArm, "arm.urdf").model);
  EXPECT_TRUE(try_parse(kArm, "arm.XML").model);
  EXPECT_TRUE(try_parse(kArm, "arm").model);
  EXPECT_TRUE(try_parse("\xef\xbb\xbf \n" + kArm, "arm").model);
  EXPECT_FALSE(try_parse(kArm, "arm.yaml").model);
  const std::string table = *general_robot("general-RP");
  EXPECT_TRUE(try_parse(table, "arm.yaml").model);
  EXPECT_TRUE(try_parse(table, "arm.YML").model);
  EXPECT_TRUE(try_parse(table, "arm").model);
  EXPECT_FALSE(try_parse(table, "arm.urdf").model);
}

TEST_F(Load, FilesAndNames) {
  const std::string path = write("arm.urdf", kArm);
  const LoadResult result = try_load(path);
  ASSERT_TRUE(result.model) << listing(result.diagnostics);
  EXPECT_EQ(result.model->file(), path);
  EXPECT_EQ(result.model->name(), "arm");
  EXPECT_TRUE(result.diagnostics.empty()) << listing(result.diagnostics);
  struct Case {
    std::string source;
    std::string_view piece;
  };
  for (const Case& missing :
       {Case{"pannda", "did you mean 'panda'?"}, Case{"zzzzzzzz", "'ulna models' lists"}, Case{"general-RRX", "1 to 64 letters R"},
        Case{"general-", "1 to 64 letters R"}, Case{"panda.urdf", "the built-in robot is called 'panda'"}, Case{path + ".gone", "no such file"},
        Case{folder_.string() + "/gone/", "check the path"}, Case{folder_.string(), "this is a folder"}, Case{folder_.string() + "/", "this is a folder"},
        Case{"", "the name is empty"}, Case{std::string("a\0b", 3), "NUL"}}) {
    const LoadResult failed = try_load(missing.source);
    EXPECT_FALSE(failed.model);
    EXPECT_FALSE(failed.found) << missing.source;
    EXPECT_TRUE(has_problem(failed.diagnostics, Severity::error, 0, missing.piece)) << missing.source << "\n" << listing(failed.diagnostics);
    EXPECT_EQ(failed.diagnostics.size(), 1u);
  }
}

TEST_F(Load, AFileOfABuiltinNameWins) {
  const fs::path before = fs::current_path();
  write("panda", kArm);
  fs::create_directory(folder_ / "ur5");
  fs::current_path(folder_);
  const LoadResult file = try_load("panda"), robot = try_load("ur5");
  fs::current_path(before);
  ASSERT_TRUE(file.model);
  EXPECT_EQ(file.model->name(), "arm");
  EXPECT_TRUE(robot.model) << "a folder is no file";
}

TEST_F(Load, UnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path = write("arm.urdf", kArm);
  fs::permissions(path, fs::perms::none);
  const LoadResult result = try_load(path);
  EXPECT_FALSE(result.found);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 0, "cannot be opened")) << listing(result.diagnostics);
}

TEST_F(Load, TooLargeAFile) {
  const LoadResult result = try_parse(std::string(ReadLimits{}.file_bytes + 1, ' '), "arm.urdf");
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 0, "it has 67108865 bytes, more than 67108864")) << listing(result.diagnostics);
}

TEST_F(Load, ThrowsEveryProblemWithItsLine) {
  std::string text = replaced(kArm, "<mass value=\"2\"/>", "<mass value=\"2kg\"/>");
  text = replaced(text, "<child link=\"lower\"/>", "<child link=\"lowr\"/>");
  try {
    load(write("arm.urdf", text));
    FAIL();
  } catch (const SourceError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("arm.urdf:4: error: link 'upper' <inertial> <mass>: value '2kg' carries a unit; write"), std::string::npos) << what;
    EXPECT_NE(what.find("arm.urdf:12: error: joint 'elbow': its child link 'lowr' does not exist"), std::string::npos) << what;
    EXPECT_EQ(error.diagnostics().size(), 2u) << what;
  }
  EXPECT_THROW(parse("", "arm.urdf"), SourceError);
  EXPECT_EQ(parse(kArm, "arm.urdf").nq(), 2);
}

TEST_F(Load, ValueAndPhysicalProblemsInOneRunButNoFollowUps) {
  // The unreadable mass of 'upper' must not be taken for a missing one; the negative mass of 'lower' is told all the same.
  std::string text = replaced(kArm, "<mass value=\"2\"/>", "<mass value=\"2kg\"/>");
  text = replaced(text, "<mass value=\"1\"/>", "<mass value=\"-1\"/>");
  const LoadResult result = try_parse(text, "arm.urdf");
  EXPECT_FALSE(result.model);
  EXPECT_EQ(result.diagnostics.size(), 2u) << listing(result.diagnostics);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 6, "mass is -1 kg"));
  // With both links massless nothing but the unreadable values is told.
  const LoadResult quiet = try_parse(replaced(kArm, "<mass value=\"1\"/>", "<mass value=\"one\"/>"), "arm.urdf");
  EXPECT_EQ(quiet.diagnostics.size(), 1u) << listing(quiet.diagnostics);
}

TEST_F(Load, ProblemsSayByKindAndNameWhatTheyAreAbout) {
  const LoadResult result = try_parse(replaced(kArm, "<mass value=\"2\"/>", "<mass value=\"2kg\"/>"), "arm.urdf");
  ASSERT_EQ(result.diagnostics.size(), 1u);
  const Element& element = result.diagnostics[0].element;
  EXPECT_EQ(element.kind, ElementKind::link);
  EXPECT_EQ(element.name, "upper");
  EXPECT_EQ(element.part, "<inertial> <mass>");
  EXPECT_EQ(to_string(element), "link 'upper' <inertial> <mass>");
  const LoadResult missing = try_parse("", "arm.urdf");
  ASSERT_EQ(missing.diagnostics.size(), 1u);
  EXPECT_EQ(missing.diagnostics[0].element.kind, ElementKind::other);
  EXPECT_EQ(to_string(missing.diagnostics[0].element), "file");
}

// Messages cut long names. Whose numbers could not be read is known all the same: the other link's wrong mass is told.
TEST_F(Load, LinksOfNamesThatBeginAlikeAreNotMistakenForOneAnother) {
  std::string text = replaced(kArm, "<mass value=\"2\"/>", "<mass value=\"2kg\"/>");
  text = replaced(text, "<mass value=\"1\"/><inertia ixx=\"0.1\"", "<mass value=\"1\"/><inertia ixx=\"9\"");
  for (const std::string name : {"\"upper", "\"lower"})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) text.insert(at + 1, std::string(300, 'a'));
  const LoadResult result = try_parse(text, "arm.urdf");
  EXPECT_EQ(test::count(result.diagnostics, Severity::error), 2) << listing(result.diagnostics);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 6, "triangle")) << listing(result.diagnostics);
}

TEST_F(Load, ANegativeMassIsToldThoughTheTreeIsBroken) {
  std::string text = replaced(kArm, "<mass value=\"1\"/>", "<mass value=\"-1\"/>");
  text = replaced(text, "<parent link=\"upper\"/>", "<parent link=\"uper\"/>");
  const LoadResult result = try_parse(text, "arm.urdf");
  EXPECT_FALSE(result.model);
  EXPECT_EQ(result.diagnostics.size(), 2u) << listing(result.diagnostics);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 6, "mass is -1 kg"));
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 12, "did you mean 'upper'?"));
}

TEST_F(Load, AFileThatWasNotReadToItsEndIsNotChecked) {
  const LoadResult result = try_parse(replaced(kArm, "<link name=\"base\"/>", "<link name=\"base\"/>" + test::repeated("<link/>", 2'000)), "arm.urdf");
  EXPECT_EQ(result.diagnostics.size(), 1001u);
  EXPECT_EQ(listing(result.diagnostics).find("does not exist"), std::string::npos);
}

TEST_F(Load, TopologyProblemsHaveLines) {
  struct Case {
    std::string text;
    int line;
    std::string_view piece;
  };
  for (const Case& bad : {Case{replaced(kArm, "<parent link=\"upper\"/>", "<parent link=\"uper\"/>"), 12, "did you mean 'upper'?"},
                          Case{replaced(kArm, "name=\"lower\"", "name=\"upper\""), 6, "already taken in line 3"},
                          Case{replaced(kArm, "<child link=\"lower\"/>", "<child link=\"upper\"/>"), 12, "own parent"},
                          Case{replaced(kArm, "<parent link=\"base\"/>", "<parent link=\"lower\"/>"), 3, "cycle"},
                          Case{replaced(kCoupled, "joint=\"shoulder\"", "joint=\"sholder\""), 12, "sholder"},
                          Case{replaced(kArm, "name=\"elbow\"", "name=\"shoulder\""), 12, "already taken in line 9"}}) {
    const LoadResult result = try_parse(bad.text, "arm.urdf");
    EXPECT_FALSE(result.model);
    EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, bad.line, bad.piece)) << bad.piece << "\n" << listing(result.diagnostics);
  }
}

TEST_F(Load, MimicsAreNeverSilent) {
  const LoadResult honoured = try_parse(kCoupled, "arm.urdf");
  ASSERT_TRUE(honoured.model) << listing(honoured.diagnostics);
  EXPECT_EQ(honoured.model->nq(), 1);
  EXPECT_EQ(honoured.mimics, std::vector<std::string>{"elbow"});
  EXPECT_TRUE(has_problem(honoured.diagnostics, Severity::warning, 12, "joint 'elbow': it mimics another joint: honoured")) << listing(honoured.diagnostics);
  LoadOptions free;
  free.mimic = MimicPolicy::ignore;
  const LoadResult ignored = try_parse(kCoupled, "arm.urdf", free);
  ASSERT_TRUE(ignored.model);
  EXPECT_EQ(ignored.model->nq(), 2);
  EXPECT_EQ(ignored.mimics, std::vector<std::string>{"elbow"});
  EXPECT_TRUE(has_problem(ignored.diagnostics, Severity::warning, 12, "joint 'elbow': it mimics another joint: ignored")) << listing(ignored.diagnostics);
}

// What is ignored cannot be wrong: a leader that is not there, a circle, a leader that is fixed.
TEST_F(Load, IgnoredMimicsNeedNoLeader) {
  LoadOptions free;
  free.mimic = MimicPolicy::ignore;
  const std::string nobody = replaced(kCoupled, "mimic joint=\"shoulder\"", "mimic joint=\"nobody\"");
  EXPECT_FALSE(try_parse(nobody, "arm.urdf").model);
  const LoadResult ignored = try_parse(nobody, "arm.urdf", free);
  ASSERT_TRUE(ignored.model) << listing(ignored.diagnostics);
  EXPECT_EQ(ignored.model->nq(), 2);
  EXPECT_EQ(ignored.mimics, std::vector<std::string>{"elbow"});
  EXPECT_TRUE(has_problem(ignored.diagnostics, Severity::warning, 12, "joint 'elbow': it mimics joint 'nobody', which does not exist"))
      << listing(ignored.diagnostics);
  EXPECT_TRUE(has_problem(ignored.diagnostics, Severity::warning, 12, "joint 'elbow': it mimics another joint: ignored")) << listing(ignored.diagnostics);
  EXPECT_FALSE(has_problem(try_parse(kCoupled, "arm.urdf", free).diagnostics, Severity::warning, 12, "does not exist"));

  const LoadResult itself = try_parse(replaced(kCoupled, "mimic joint=\"shoulder\"", "mimic joint=\"elbow\""), "arm.urdf", free);
  ASSERT_TRUE(itself.model) << listing(itself.diagnostics);
  EXPECT_EQ(itself.model->nq(), 2);
  const LoadResult of_fixed = try_parse(replaced(kCoupled, "name=\"shoulder\" type=\"revolute\"", "name=\"shoulder\" type=\"fixed\""), "arm.urdf", free);
  ASSERT_TRUE(of_fixed.model) << listing(of_fixed.diagnostics);
  EXPECT_EQ(of_fixed.model->coordinate_names(), std::vector<std::string>{"elbow"});
}

// An iCub's file has such numbers: what is left where a program took m c² off the tensor of a point.
TEST_F(Load, MomentsThatAreRoundingAreZero) {
  const std::string kMoments = "ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial>\n  </link>\n  <link name=\"lower\">";
  const auto with = [&](const std::string& moments) {
    LoadOptions options;
    options.advise = true;
    return try_parse(replaced(kArm, kMoments, moments + "/></inertial>\n  </link>\n  <link name=\"lower\">"), "arm.urdf", options);
  };
  for (const char* moments : {"ixx=\"1.10961e-18\" ixy=\"5.42101e-20\" ixz=\"-5.42101e-20\" iyy=\"0\" iyz=\"8.47033e-22\" izz=\"0\"",
                              "ixx=\"-6e-21\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\""}) {
    const LoadResult result = with(moments);
    ASSERT_TRUE(result.model) << listing(result.diagnostics);
    EXPECT_EQ(result.model->links()[1].inertia, Sym3<double>{});
    EXPECT_TRUE(has_problem(result.diagnostics, Severity::note, 3, "link 'upper': its moments of inertia")) << listing(result.diagnostics);
  }
  // The same signs where they are no rounding: 2 kg, lengths of 0.3 m.
  EXPECT_FALSE(with("ixx=\"-6e-15\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\"").model);
  // Small and right stays.
  EXPECT_EQ(with("ixx=\"1e-12\" ixy=\"0\" ixz=\"0\" iyy=\"1e-12\" iyz=\"0\" izz=\"1e-12\"").model->links()[1].inertia.xx, 1e-12);
}

// A lock on a mimic joint holds what follows that one, in every way of loading.
TEST_F(Load, LocksWithinAChainOfMimics) {
  const std::string kLink =
      "<inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/><inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>";
  const std::string chain =
      "<robot name=\"chain\"><link name=\"b\"/><link name=\"l1\">" + kLink + "<link name=\"l2\">" + kLink + "<link name=\"l3\">" + kLink + R"(
<joint name="lead" type="continuous"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/></joint>
<joint name="mid" type="continuous"><origin xyz="0.2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/><mimic joint="lead"/></joint>
<joint name="tip" type="continuous"><origin xyz="0.2 0 0"/><parent link="l2"/><child link="l3"/><axis xyz="0 1 0"/><mimic joint="mid" multiplier="2" offset="0.1"/></joint>
</robot>)";
  LoadOptions options;
  options.locks = {{"mid", 0.5}};
  const Model held = parse(chain, "chain.urdf", options);
  EXPECT_EQ(held.coordinate_names(), std::vector<std::string>{"lead"});
  const Mat3<double> R = held.joints()[1].X_PF.R * held.joints()[2].X_PF.R;  // of l3 against l1: 0.5 + (2 * 0.5 + 0.1)
  EXPECT_NEAR(std::atan2(R.xz, R.xx), 1.6, 1e-15);
  options.mimic = MimicPolicy::ignore;  // nothing follows anything
  EXPECT_EQ(parse(chain, "chain.urdf", options).coordinate_names(), (std::vector<std::string>{"lead", "tip"}));
}

TEST_F(Load, GravityAndLocks) {
  LoadOptions options;
  options.gravity = Vec3<double>{0, -9.81, 0};
  options.locks = {{"elbow", 0.5}};
  const LoadResult result = try_parse(kArm, "arm.urdf", options);
  ASSERT_TRUE(result.model) << listing(result.diagnostics);
  EXPECT_EQ(result.model->gravity(), *options.gravity);
  EXPECT_EQ(result.model->nq(), 1);
  options.locks = {{"elbo", 0.5}};
  EXPECT_TRUE(has_problem(try_parse(kArm, "arm.urdf", options).diagnostics, Severity::error, 0, "did you mean 'elbow'?"));
  options.locks.clear();
  options.gravity->x = std::nan("");
  EXPECT_FALSE(try_parse(kArm, "arm.urdf", options).model);
}

TEST_F(Load, UncheckedPassesBrokenLawsButNoBrokenFile) {
  LoadOptions options;
  options.unchecked = true;
  const LoadResult heavy = try_parse(replaced(kArm, "<mass value=\"1\"/>", "<mass value=\"-1\"/>"), "arm.urdf", options);
  EXPECT_TRUE(heavy.model) << listing(heavy.diagnostics);
  EXPECT_EQ(heavy.overridden, 1);
  EXPECT_EQ(test::count(heavy.diagnostics, Severity::warning), 1);
  EXPECT_FALSE(try_parse(replaced(kArm, "<mass value=\"1\"/>", "<mass value=\"1g\"/>"), "arm.urdf", options).model);
}

TEST_F(Load, DiagnosticsComeInTheOrderOfTheFile) {
  std::string text = replaced(kArm, "<axis xyz=\"0 1 0\"/>", "<axis xyz=\"0 2 0\"/>");
  text = replaced(text, "<inertia ixx=\"0.1\"", "<inertia ixx=\"9\"");
  const LoadResult result = try_parse(text, "arm.urdf");
  ASSERT_EQ(result.diagnostics.size(), 2u) << listing(result.diagnostics);
  EXPECT_EQ(result.diagnostics[0].line, 3);
  EXPECT_EQ(result.diagnostics[1].line, 10);
}

// general-<types>

TEST(General, AcceptsItsFormOnly) {
  for (const std::string_view id : {"general", "general-", "general-r", "general-RRr", "general-R R", "General-R", "general-RX", "general-RR-", " general-R"})
    EXPECT_FALSE(general_robot(id)) << id;
  EXPECT_FALSE(general_robot("general-" + std::string(65, 'R')));
  EXPECT_TRUE(general_robot("general-" + std::string(64, 'P')));
}

TEST(General, EveryRowIsPhysical) {
  for (const char type : {'R', 'P'}) {
    const LoadResult result = try_load("general-" + std::string(64, type));
    ASSERT_TRUE(result.model) << listing(result.diagnostics);
    EXPECT_TRUE(result.diagnostics.empty()) << listing(result.diagnostics);
    EXPECT_EQ(result.model->nq(), 64);
    for (std::size_t i = 1; i < result.model->links().size(); ++i) {
      const Link& link = result.model->links()[i];
      const Vec3<double> moments = principal_moments(link.inertia);
      EXPECT_GT(moments.x, 1e-4) << link.name;
      EXPECT_GT(moments.x + moments.y - moments.z, 1e-4) << link.name;  // far above the six decimals
      EXPECT_GE(link.mass, 1);
      EXPECT_LE(link.mass, 5);
    }
  }
}

TEST(General, NoParameterIsSpecial) {
  const LoadResult result = try_load("general-RPRPRPRP");
  ASSERT_TRUE(result.model);
  for (std::size_t j = 1; j < result.model->joints().size(); ++j) {
    const Joint& joint = result.model->joints()[j];
    const bool slides = joint.type == JointType::prismatic;
    const Mat3<double>& R = joint.X_PF.R;
    // Rx(alpha) turns, and so does Rz(theta) of a prismatic joint; what q adds to is zero.
    EXPECT_GT(std::abs(R.zy), 0.1);
    EXPECT_EQ(R.xy == 0, !slides);
    EXPECT_GT(std::abs(joint.X_PF.p.x), 0.1);
    EXPECT_EQ(joint.X_PF.p.z == 0, slides);
  }
  EXPECT_EQ(result.model->joints()[0].X_PF, Pose<double>{});
}

TEST(General, LongerArmsBeginLikeShorterOnes) {
  const std::string shorter = *general_robot("general-RPR"), longer = *general_robot("general-RPRR");
  const std::string rows = shorter.substr(shorter.find("links:"));
  EXPECT_EQ(longer.substr(longer.find("links:"), rows.size()), rows);
}

TEST(General, TheDigitsNeverChange) {
  // Counts, tables and generated code are published for these robots.
  const std::string text = *general_robot("general-RR");
  std::uint64_t hash = 1469598103934665603u;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  EXPECT_EQ(hash, 8653913230496760603u) << text;
}

}  // namespace
}  // namespace ulna::test
