// ulna generate, as a user calls it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/program.hpp"
#include "support/folder.hpp"

using support::Folder;

namespace {

TEST(Generate, WritesFilesThatCompileAndPass) {
  const Folder folder;
  const Outcome made = ulna("generate panda --what inverse,mass --name arm --out " + folder.at("new/folder"));
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_NE(made.out.find("arm.c: "), std::string::npos);
  const std::string source = folder.at("new/folder/arm.c");
  EXPECT_NE(text_of(folder.at("new/folder/arm.h")).find("void arm_mass(const double q[7], double M[49]);"), std::string::npos);
  EXPECT_EQ(std::system(("cc -std=c99 -DARM_SELFTEST_MAIN " + source + " -lm -o " + folder.at("test") + " && " + folder.at("test") + " > /dev/null").c_str()),
            0);
  // The same bytes again, over the old ones.
  const std::string before = text_of(source);
  EXPECT_EQ(ulna("generate panda --what inverse,mass --name arm --force --out " + folder.at("new/folder")).status, 0);
  EXPECT_EQ(text_of(source), before);
  // The size that a controller can take.
  EXPECT_EQ(ulna("generate panda --out " + folder.at("one")).status, 0);
  EXPECT_LT(std::filesystem::file_size(folder.at("one/panda.c")), 40u * 1024u);
}

TEST(Generate, OptionsReachTheCode) {
  const Folder folder;
  EXPECT_EQ(ulna("generate panda --what pose --link link4 --real float --out " + folder.at("x")).status, 0);
  EXPECT_NE(text_of(folder.at("x/panda.h")).find("the link is 'link4'"), std::string::npos);
  EXPECT_NE(text_of(folder.at("x/panda.h")).find("const float q[7]"), std::string::npos);
  EXPECT_EQ(ulna("generate stanford --formulation kane-stanford --out " + folder.at("x")).status, 0);
  EXPECT_NE(text_of(folder.at("x/stanford.h")).find("formulation kane-stanford"), std::string::npos);
  EXPECT_EQ(ulna("generate panda --lock joint3 --name locked --out " + folder.at("x")).status, 0);
  EXPECT_NE(text_of(folder.at("x/locked.h")).find("#define LOCKED_JOINTS 6"), std::string::npos);
}

TEST(Generate, OneFileCarriesTheWholeRobot) {
  const Folder folder;
  const std::string options = " --what inverse,forward --payload hand:1.5,0.01,0,0.1,0.01,0.01,0.01,0,0,0 --friction on --wrench-at hand --single-file";
  EXPECT_EQ(ulna("generate panda" + options + " --out " + folder.at("x")).status, 0);
  EXPECT_EQ(folder.files(), 2u);  // the folder and the file
  const std::string text = text_of(folder.at("x/panda.c"));
  EXPECT_NE(text.find("With a load of 1.5 kg on link 'hand'."), std::string::npos);
  EXPECT_NE(text.find("void panda_inverse(const double q[7], const double v[7], const double a[7], const double wrench[6], double tau[7]);"),
            std::string::npos);
  const std::string strict = "cc -std=c99 -Wall -Wextra -pedantic -Werror -DPANDA_SELFTEST_MAIN ";
  EXPECT_EQ(std::system((strict + folder.at("x/panda.c") + " -lm -o " + folder.at("t") + " && " + folder.at("t") + " > /dev/null").c_str()), 0);
  EXPECT_EQ(ulna("generate panda --prefix acme_ --static-const --out " + folder.at("y")).status, 0);
  EXPECT_NE(text_of(folder.at("y/panda.h")).find("void acme_inverse("), std::string::npos);
  EXPECT_NE(text_of(folder.at("y/panda.c")).find("static const double acme_numbers["), std::string::npos);
  EXPECT_EQ(ulna("generate scara --for casadi --out " + folder.at("z")).status, 0);
  for (const char* name : {"scara_inverse", "jac_scara_inverse", "fwd1_scara_inverse", "adj1_scara_inverse"})
    EXPECT_NE(text_of(folder.at("z/scara.h")).find(std::string("int ") + name + "(const casadi_real **arg"), std::string::npos) << name;
}

TEST(Generate, JsonListsTheFiles) {
  const Folder folder;
  const nlohmann::json out = ulna_json("generate stanford --out " + folder.at("x"));
  ASSERT_EQ(out["files"].size(), 2u);
  for (const nlohmann::json& file : out["files"]) EXPECT_EQ(file["bytes"], std::filesystem::file_size(file["path"].get<std::string>()));
}

TEST(Generate, WrongCallsWriteNothing) {
  const Folder folder;
  const std::string out = " --out " + folder.at("x");
  expect_refused("generate panda", "option --out DIR is missing");
  expect_refused("generate law-race --scenario" + out, "option --scenario is for units of FMI: add --for fmi");
  expect_refused("generate law-race --scenario --for fmi --friction on" + out, "with --scenario, whose file says it");
  expect_refused("generate payload-drop --scenario --for fmi" + out, "write 'integrator: {type: rk4, step: ...}'");
  expect_refused("generate panda --scenario --for fmi" + out, "no built-in scenario of this name");
  expect_refused("generate panda --what invers" + out, "did you mean 'inverse'?");
  expect_refused("generate panda --what inverse,,mass" + out, "there is no quantity ''");
  expect_refused("generate panda --real half" + out, "takes double or float, not 'half'");
  expect_refused("generate panda --name 7up" + out, "is no identifier");
  expect_refused("generate panda --link hnd --what pose" + out, "did you mean 'hand'?");
  expect_refused("generate panda --formulation lin" + out, "lin");
  expect_refused("generate panda --snap 2" + out, "from 0 to 0.1");
  expect_refused("generate panda --payload hand:1,0,0" + out, "takes 4 or 10 numbers");
  expect_refused("generate panda --payload hnd:1,0,0,0" + out, "did you mean 'hand'?");
  expect_refused("generate panda --payload hand:-1,0,0,0" + out, "its mass is -1 kg");
  expect_refused("generate panda --payload hand" + out, "is not of the form LINK:m,x,y,z");
  expect_refused("generate panda --wrench-at hnd" + out, "did you mean 'hand'?");
  expect_refused("generate panda --for casady" + out, "casadi");
  expect_refused("generate pandda" + out, "did you mean 'panda'?");
  EXPECT_EQ(folder.files(), 0u);
  std::ofstream(folder.at("file")) << "here";
  expect_refused("generate panda --out " + folder.at("file"), "cannot");
  EXPECT_EQ(text_of(folder.at("file")), "here");
}

// What floats cannot hold is not written as floats.
TEST(Generate, ARobotBeyondTheRangeOfFloatsIsRefused) {
  const Folder folder;
  const TemporaryFile file("planet.urdf", R"(<robot name="planet"><link name="base"/>
<link name="arm"><inertial><origin xyz="0 0.5 0"/><mass value="1e39"/><inertia ixx="1e39" iyy="1e39" izz="1e39" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/></joint></robot>)");
  expect_refused("generate '" + file.path() + "' --real float --out " + folder.at("c"), "beyond the range of floats: generate them in double precision");
  EXPECT_FALSE(std::filesystem::exists(folder.at("c")));
  EXPECT_EQ(ulna("generate '" + file.path() + "' --out " + folder.at("c")).status, 0);
}

}  // namespace
