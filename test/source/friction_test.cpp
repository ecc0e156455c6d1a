// Friction in files: Ulna's own element in URDF, keys of DH tables, a file beside any model; and what is written loads again.
#include <gtest/gtest.h>

#include <ulna/source/load.hpp>

#include "support/folder.hpp"
#include "support/random_model.hpp"
#include "support/rubbing.hpp"

namespace ulna::test {
namespace {

std::string urdf(const std::string& dynamics) {
  return R"(<robot name="r" xmlns:ulna="urn:ulna">
  <link name="a"/>
  <link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="elbow" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    )" + dynamics +
         "\n  </joint>\n</robot>\n";
}
Friction friction_of(const std::string& text, const LoadOptions& options = {}) { return parse(text, "r.urdf", options).joints()[0].friction; }
/// The first problem, "" for none.
std::string problem(const LoadResult& result) { return result.diagnostics.empty() ? std::string() : to_string(result.diagnostics.front()); }

TEST(FrictionFiles, UrdfHasAnElementOfUlnas) {
  EXPECT_EQ(friction_of(urdf(R"(<dynamics damping="0.5" friction="2" static="3"><ulna:friction stribeck_speed="0.1" stribeck_exponent="1" asymmetry="-0.5"
    viscous_asymmetry="0.25" quadratic="0.01" load="0.08" offset="-0.2" smoothing_speed="0.02"/></dynamics>)")),
            (Friction{0.5, 2, 3, 0.1, 1, -0.5, 0.25, 0.01, 0.08, -0.2, 0.02}));
  EXPECT_EQ(friction_of(urdf(R"(<dynamics><ulna:friction viscous="0.5" coulomb="2" static="3"/></dynamics>)")), (Friction{0.5, 2, 3}));
  EXPECT_EQ(friction_of(urdf(R"(<dynamics damping="0.5"/>)")), (Friction{0.5}));
}

TEST(FrictionFiles, ProblemsNameLineElementAndCure) {
  const auto of = [](const std::string& dynamics) { return problem(try_parse(urdf(dynamics), "r.urdf")); };
  EXPECT_EQ(of(R"(<dynamics friction="1"><ulna:friction coulomb="1"/></dynamics>)"),
            "r.urdf:5: error: joint 'elbow' <dynamics> <ulna:friction>: coulomb stands here and as 'friction' in <dynamics>; say it once");
  EXPECT_NE(of(R"(<dynamics><ulna:friction lode="0.1"/></dynamics>)").find("did you mean 'load'"), std::string::npos)
      << of(R"(<dynamics><ulna:friction lode="0.1"/></dynamics>)");
  EXPECT_NE(of(R"(<dynamics><ulna:friction load="-0.1"/></dynamics>)").find("r.urdf:5: error: joint 'elbow'"), std::string::npos);
  EXPECT_NE(of(R"(<dynamics><ulna:friction load="1.1"/></dynamics>)").find("give a share below 1"), std::string::npos);
}

TEST(FrictionFiles, WrittenUrdfLoadsAgain) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = with_whole_friction(random_model(seed, {.most = 6, .mimic = seed % 2 == 0}), seed);
    Diagnostics diagnostics;
    const Model again = parse(write_urdf(model, diagnostics).value(), "again.urdf");
    for (const Joint& joint : model.joints()) EXPECT_EQ(again.joints()[again.find_joint(joint.name).value()].friction, joint.friction) << seed;
  }
  const Model model = with_whole_friction(load("scara"), 3);
  // MJCF and SDFormat have less, and say so.
  Diagnostics mjcf, sdf;
  write_mjcf(model, mjcf), write_sdf(model, sdf);
  for (const Diagnostics* each : {&mjcf, &sdf})
    EXPECT_TRUE(std::any_of(each->all().begin(), each->all().end(),
                            [](const Diagnostic& d) { return to_string(d).find("viscous and Coulomb friction only") != std::string::npos; }));
}

TEST(FrictionFiles, AFileBesideAnyModel) {
  const support::Folder folder;
  const auto with = [&](const std::string& text) {
    folder.write("friction.yaml", text);
    return try_parse(urdf(R"(<dynamics damping="9" friction="9"/>)"), "r.urdf", {.friction_file = folder.at("friction.yaml")});
  };
  EXPECT_EQ(with("friction:\n  elbow: {coulomb: 2, offset: -1, load: 0.1}\n").model->joints()[0].friction, (Friction{.coulomb = 2, .load = 0.1, .offset = -1}));
  const std::string file = folder.at("friction.yaml");
  EXPECT_EQ(problem(with("friction:\n  elbov: {coulomb: 2}\n")), file + ":2: error: joint 'elbov': the robot has no such joint; did you mean 'elbow'?");
  EXPECT_NE(problem(with("friction: {elbow: {colomb: 2}}\n")).find("did you mean 'coulomb'"), std::string::npos);
  EXPECT_NE(problem(with("friction: {elbow: 2}\n")).find("numbers of its friction belong here"), std::string::npos);
  EXPECT_NE(problem(with("friction: [elbow]\n")).find("a mapping from joints to their friction belongs here"), std::string::npos);
  EXPECT_NE(problem(with("elbow: {coulomb: 2}\n")).find("friction"), std::string::npos);
  EXPECT_NE(problem(with("friction: {elbow: {coulomb: -2}}\n")).find("negative"), std::string::npos);
  EXPECT_FALSE(try_parse(urdf(""), "r.urdf", {.friction_file = folder.at("none.yaml")}).model);
}

}  // namespace
}  // namespace ulna::test
