// Random MJCF files that mix what MuJoCo's compiler does (mjcf/random_files.py): each is read to MuJoCo's own numbers, or refused for a reason listed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <nlohmann/json.hpp>

#include <ulna/source/load.hpp>

#include "source/mjcf_defaults.hpp"
#include "support/cases.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "support/random.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using nlohmann::json;

const std::string kFolder = ULNA_MJCF_DIR;

/// What a random file may be refused for, by words of the message. Everything else is to be read.
constexpr std::string_view kReasons[] = {
    "the free joint of",                             // has armature
    "is free, and M has no place",                   // armature of an actuator of a free joint
    "along its length, which couples",               // armature of a tendon of several joints
    "it is given twice",                             // <inertial>, in two frames
    "eulerseq is",                                   // MuJoCo takes any three letters where no euler angles stand
    "so it cannot be combined with an orientation",  // fullinertia
    "in its principal axes (fitaabb)",               //
    "no thickness but rounding",                     // of a shape fitted to a flat mesh
    "is a matter of the program",                    // maxhullvert that acts
    "it creates bodies",                             // flexcomp
    "does not resize",                               // scale of a frame
    "it has no mass, but its inertia is not zero",   // boundinertia of a body without mass
    "and fusestatic leaves out",                     // where fusestatic changes M, by what refers to a body
    "which fusestatic drops",
    "together drop the <inertial>",
    "that fusestatic merges",                                      //
    "settotalmass scales by the mass of all bodies, and that of",  // a static mesh
    "its armature and damping act about one axis of the ball joint",
};

std::string reason_of(const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& d : problems)
    if (d.severity == Severity::error)
      for (const std::string_view reason : kReasons)
        if (d.problem.find(reason) != std::string::npos) return std::string(reason);
  return {};
}

double largest_of(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, std::abs(v));
  return out;
}

struct Outcome {
  int read = 0;
  std::map<std::string, int> refused;  // by reason
  double worst = 0, worst_mesh = 0;    // largest difference, relative to its scale; of files with meshes
  int total() const {
    int sum = read;
    for (const auto& [reason, times] : refused) sum += times;
    return sum;
  }
};

/// Limits, friction and springs. MuJoCo makes stiffness and damping of `springdamper`; Ulna warns of it.
void compare_joints(const Model& model, const json& joints, bool springs) {
  std::size_t k = 0;
  for (const Joint& joint : model.joints()) {
    if (joint.type == JointType::fixed) continue;
    ASSERT_LT(k, joints.size());
    const json& theirs = joints[k++];
    SCOPED_TRACE(joint.name);
    const bool limited = std::isfinite(joint.lower);
    EXPECT_EQ(limited, !theirs[0].is_null());
    if (limited && !theirs[0].is_null()) {
      EXPECT_NEAR(joint.lower, theirs[0][0].get<double>(), 1e-11);
      EXPECT_NEAR(joint.upper, theirs[0][1].get<double>(), 1e-11);
    }
    EXPECT_NEAR(joint.friction.coulomb, theirs[2].get<double>(), 1e-11);
    EXPECT_NEAR(joint.rest, theirs[4].get<double>(), 1e-10);
    if (!springs) continue;
    EXPECT_NEAR(joint.friction.viscous, theirs[1].get<double>(), 1e-10);
    EXPECT_NEAR(joint.stiffness, theirs[3].get<double>(), 1e-11);
  }
  EXPECT_EQ(k, joints.size());
}

/// A binary part is "hex:" and digits.
std::string bytes_of(const std::string& text) {
  if (text.rfind("hex:", 0) != 0) return text;
  std::string out;
  for (std::size_t i = 4; i + 1 < text.size(); i += 2) out += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return out;
}

/// Reads one file and compares it. Returns what MJCF Ulna writes of it.
std::optional<std::string> compare(const json& file, Outcome& outcome) {
  const std::string xml = file["xml"];
  SCOPED_TRACE(cat("file ", file["index"].dump(), ": ", xml));
  const support::Folder folder;
  LoadOptions options;
  options.advise = true;
  options.loops = LoopPolicy::ignore;  // numbers are those of MuJoCo's tree
  for (const auto& [name, text] : file["parts"].items()) {
    std::filesystem::create_directories(std::filesystem::path(folder.at(name)).parent_path());
    folder.write(name, bytes_of(text.get<std::string>()));
  }
  folder.write("robot.xml", xml);
  const LoadResult result = try_load(folder.at("robot.xml"), options);
  test::expect_well_formed(result.diagnostics);
  if (file.contains("refused")) {
    EXPECT_FALSE(result.model) << "MuJoCo says: " << file["refused"];
    EXPECT_NE(test::listing(result.diagnostics).find("the body takes its mass from this geom"), std::string::npos) << test::listing(result.diagnostics);
    ++outcome.refused["as by MuJoCo"];
    return {};
  }
  if (!result.model) {
    const std::string reason = reason_of(result.diagnostics);
    EXPECT_FALSE(reason.empty()) << "refused: " << test::listing(result.diagnostics);
    ++outcome.refused[reason];
    return {};
  }
  ++outcome.read;
  const Model& model = *result.model;
  if (model.has_balls()) return {};  // stored without numbers; those of ball joints are in test/dynamics/ball_test.cpp
  const std::vector<std::string> names = file["names"], coordinates = model.coordinate_names();
  EXPECT_EQ(coordinates.size(), names.size());
  if (coordinates.size() != names.size()) return {};
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_TRUE(names[i].empty() || coordinates[i] == names[i]) << coordinates[i] << " is " << names[i] << " in MuJoCo";
  compare_joints(model, file["joints"], test::listing(result.diagnostics).find("springdamper is not read") == std::string::npos);
  const Plan plan = make_plan(model);
  // MuJoCo rotates a mesh to its principal axes, which it finds to 1.4e-7 rad: an iteration ends where the cosine of a step is above 1 - 1e-14.
  const bool meshes = file.dump().find("<mesh ") != std::string::npos;
  double& worst = meshes ? outcome.worst_mesh : outcome.worst;
  const auto near = [&](double a, double b, double scale, const char* what) {
    worst = std::max(worst, std::abs(a - b) / scale);
    EXPECT_NEAR(a, b, (meshes ? 3e-7 : 1e-9) * scale) << what;
  };
  for (const json& state : file["states"]) {
    test::State s{state["q"], state["v"], {}};
    s.a.assign(s.v.size(), 0);
    EXPECT_EQ(s.q.size(), model.nq());
    EXPECT_EQ(s.v.size(), model.nv());
    if (s.q.size() != model.nq() || s.v.size() != model.nv()) return {};
    const std::vector<double> M = state["M"], bias = state["bias"], gravity = state["gravity"];
    const Eigen::MatrixXd ours = test::mass_of(plan, s.q);
    const double mass = largest_of(M), force = mass * (1 + largest_of(s.v) * largest_of(s.v)) + std::max(largest_of(bias), largest_of(gravity));
    for (Eigen::Index i = 0, k = 0; i < ours.rows(); ++i)
      for (Eigen::Index j = 0; j <= i; ++j, ++k) near(ours(i, j), M[static_cast<std::size_t>(k)], mass, "M");
    const std::vector<double> our_bias = test::inverse_of(plan, s);
    s.v.assign(s.v.size(), 0);
    const std::vector<double> our_gravity = test::inverse_of(plan, s);
    for (std::size_t i = 0; i < bias.size(); ++i) near(our_bias[i], bias[i], force, "bias"), near(our_gravity[i], gravity[i], force, "gravity");
  }
  Diagnostics ignored;
  return write_mjcf(model, ignored);
}

int failed_parts() {
  int out = 0;
  const testing::TestResult& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result.total_part_count(); ++i) out += result.GetTestPartResult(i).failed() ? 1 : 0;
  return out;
}

Outcome compare_all(const std::string& path, json* written = nullptr) {
  std::ifstream in(path);
  const json all = json::parse(in);
  Outcome outcome;
  for (const json& file : all["files"]) {
    if (failed_parts() > 5) break;  // enough to look at
    const std::optional<std::string> text = compare(file, outcome);
    if (text && written != nullptr) written->push_back({{"index", file["index"]}, {"xml", *text}});
  }
  return outcome;
}

void expect_few_refused(const Outcome& outcome) {
  int refused = 0;
  for (const auto& [reason, times] : outcome.refused) refused += times;
  EXPECT_LT(refused, 0.15 * outcome.total());
  std::cout << outcome.read << " files read to MuJoCo's numbers (largest difference " << outcome.worst << ", with meshes " << outcome.worst_mesh << "), "
            << refused << " refused:\n";
  for (const auto& [reason, times] : outcome.refused) std::cout << "  " << times << "  " << reason << "\n";
}

TEST(MjcfRandom, StoredFilesAreReadToMujocosNumbers) {
  const Outcome outcome = compare_all(kFolder + "/random_files.json");
  EXPECT_EQ(outcome.total(), 200);
  expect_few_refused(outcome);
}

// Meshes of every kind: convex or not, badly oriented, not closed, flat, mirrored; as STL, OBJ, MSH and in the file.
TEST(MjcfRandom, StoredMeshesWeighWhatMujocoSays) {
  const Outcome outcome = compare_all(kFolder + "/random_meshes.json");
  EXPECT_EQ(outcome.total(), 100);
  EXPECT_GT(outcome.read, 75);
}

// Pieces of the stored files exchanged, doubled and dropped: a model or errors, and clean messages.
TEST(MjcfRandom, MangledFilesAreReadOrRefused) {
  std::ifstream in(kFolder + "/random_files.json");
  const json all = json::parse(in);
  test::Random random(1);
  const auto below = [&](std::size_t n) { return random.below(n); };
  std::vector<std::string> texts;  // of files that name no others, which a text cannot
  for (const json& file : all["files"])
    if (file["parts"].empty()) texts.push_back(file["xml"]);
  const auto some_file = [&] { return texts[below(texts.size())]; };
  int read = 0, refused = 0;
  for (int k = 0; k < test::so_many(1500, 50000); ++k) {
    std::string xml = some_file();
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      // From one mark to another, so that most files are still XML: an attribute, or a whole element without children.
      const std::string from = some_file();
      const char mark = below(2) == 0 ? ' ' : '<';
      const std::size_t at = xml.find(mark, below(xml.size())), there = from.find(mark, below(from.size()));
      if (at == std::string::npos || there == std::string::npos) continue;
      const std::size_t length = xml.find_first_of(" <>/", at + 1) - at;
      xml.replace(at, below(2) == 0 ? 0 : length, from.substr(there, from.find_first_of(mark == ' ' ? " >/" : "<", there + 1) - there));
    }
    SCOPED_TRACE(xml);
    const LoadResult result = try_parse(xml, "robot.xml");
    test::expect_well_formed(result.diagnostics);
    const bool errors = std::ranges::any_of(result.diagnostics, [](const Diagnostic& d) { return d.severity == Severity::error; });
    EXPECT_NE(result.model.has_value(), errors);
    ++(result.model ? read : refused);
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

std::optional<std::string> python_with_mujoco() {
  const char* chosen = std::getenv("ULNA_MUJOCO_PYTHON");
  const std::string python = chosen != nullptr ? chosen : "python3";
  if (std::system(cat(python, " -c 'import mujoco' > /dev/null 2>&1").c_str()) != 0) return {};
  return python;
}

// A version of MuJoCo that knows an attribute of which Ulna has not heard may read a file otherwise.
TEST(MjcfRandom, MujocoKnowsNoAttributeThatUlnaDoesNotKnow) {
  if (!test::soaks()) GTEST_SKIP() << "make soak runs it";
  const std::optional<std::string> python = python_with_mujoco();
  if (!python) GTEST_SKIP() << "MuJoCo is absent: python3, or $ULNA_MUJOCO_PYTHON, cannot import it";
  const support::Folder folder;
  ASSERT_EQ(std::system(cat(*python, " '", kFolder, "/random_files.py' --schema > '", folder.at("schema"), "'").c_str()), 0);
  std::ifstream in(folder.at("schema"));
  int attributes = 0;
  for (std::string kind, attribute; in >> kind >> attribute; ++attributes)
    EXPECT_TRUE(std::ranges::count(internal::known_attributes(kind), attribute) > 0) << "<" << kind << " " << attribute << ">";
  EXPECT_GT(attributes, 200);
}

// `make soak`: twenty thousand files that are made now, and what Ulna writes of them compiled by MuJoCo again. ULNA_MUJOCO_PYTHON names the Python that has it.
TEST(MjcfRandom, NewFilesAreReadToMujocosNumbers) {
  if (!test::soaks()) GTEST_SKIP() << "make soak runs it";
  const std::optional<std::string> python = python_with_mujoco();
  if (!python) GTEST_SKIP() << "MuJoCo is absent: python3, or $ULNA_MUJOCO_PYTHON, cannot import it";
  const char* count = std::getenv("ULNA_ROBOTS");
  const int files = count != nullptr ? std::atoi(count) : 20000, batch = 1000;
  Outcome all;
  const support::Folder folder;
  const std::string script = cat("'", kFolder, "/random_files.py'"), numbers = folder.at("random.json"), back = folder.at("written.json");
  for (int done = 0; done < files && failed_parts() <= 5; done += batch) {
    const int now = std::min(batch, files - done);
    ASSERT_EQ(
        std::system(
            cat("cd '", folder.at("."), "' && ", *python, " ", script, " ", now, " --states 2 --seed ", 1000 + done / batch, " > random.json 2> log").c_str()),
        0);
    json written = json::array();
    const Outcome part = compare_all(numbers, &written);
    ASSERT_EQ(std::system(cat("cd '", folder.at("."), "' && ", *python, " ", script, " ", now / 4 + 1, " --meshes --seed ", 1000 + done / batch,
                              " > meshes.json 2> log")
                              .c_str()),
              0);
    const Outcome meshes = compare_all(folder.at("meshes.json"));
    all.worst = std::max({all.worst, part.worst, meshes.worst});
    all.worst_mesh = std::max({all.worst_mesh, part.worst_mesh, meshes.worst_mesh});
    all.read += part.read;
    for (const auto& [reason, times] : part.refused) all.refused[reason] += times;
    folder.write("written.json", written.dump());
    ASSERT_EQ(std::system(cat("cd '", folder.at("."), "' && ", *python, " ", script, " --read-back random.json written.json").c_str()), 0);
  }
  EXPECT_EQ(all.total(), files);
  expect_few_refused(all);
}

}  // namespace
}  // namespace ulna::test
