// Generated code in other languages than C: it passes its own test where its compiler is can_run, and that test notices a wrong constant.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated.hpp"
#include "support/folder.hpp"

namespace ulna::test {
namespace {

using support::Folder;

constexpr const char* kRobots[] = {"stanford", "panda", "general-RPRPR", "scara", "five-bar"};
constexpr const char* kLanguages[] = {"cpp", "matlab", "python", "rust"};

std::vector<GeneratedFile> files_in(const Model& model, const std::string& language, ulna::Real real = ulna::Real::double_precision) {
  GenerateOptions options;
  options.what = generated_quantities();
  options.language = language;
  options.real = real;
  return generate(model, options);
}

std::string stem(const GeneratedFile& file) { return file.name.substr(0, file.name.rfind('.')); }

/// Compiles, or checks the syntax.
std::string building(const std::string& language, const GeneratedFile& file) {
  if (language == "cpp")
    return "c++ -std=c++11 -Wall -Wextra -pedantic -Werror -O0 -x c++ -D" + upper(stem(file)) + "_SELFTEST_MAIN " + file.name + " -o selftest";
  if (language == "rust") return rustc() + " -D warnings --test " + file.name + " -o selftest";
  return "python3 -m py_compile " + file.name;
}
std::string trying(const std::string& language, const GeneratedFile& file) {
  if (language != "python") return "./selftest";
  const std::string path = succeeds("python3 -c 'import numpy'") ? "" : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' ";
  return "PYTHONDONTWRITEBYTECODE=1 " + path + "python3 " + file.name;
}
bool can_run(const std::string& language) {
  return language == "cpp" ? succeeds("c++ --version") : language == "rust" ? !rustc().empty() : succeeds("python3 --version");
}

/// The first `right` replaced.
std::string with_a_wrong_constant(std::string text, const std::string& right, const std::string& wrong) {
  const std::size_t at = text.find(right);
  EXPECT_NE(at, std::string::npos);
  return at == std::string::npos ? text : text.replace(at, right.size(), wrong);
}

class Languages : public ::testing::TestWithParam<const char*> {};

TEST_P(Languages, PassTheirOwnTest) {
  const std::string language = GetParam();
  if (!can_run(language)) GTEST_SKIP() << "no compiler of " << language;
  for (const char* robot : kRobots) {
    SCOPED_TRACE(robot);
    const Folder folder;
    const std::vector<GeneratedFile> made = files_in(load(robot), language);
    ASSERT_EQ(made.size(), 1U);
    folder.write(made);
    ASSERT_EQ(folder.run(building(language, made[0])), 0) << folder.text_of("output.txt");
    EXPECT_EQ(folder.run(trying(language, made[0])), 0) << folder.text_of("output.txt");
  }
}

TEST_P(Languages, PassTheirOwnTestInSinglePrecision) {
  const std::string language = GetParam();
  if (!can_run(language)) GTEST_SKIP() << "no compiler of " << language;
  const Folder folder;
  const std::vector<GeneratedFile> made = files_in(load("scara"), language, ulna::Real::single_precision);
  folder.write(made);
  ASSERT_EQ(folder.run(building(language, made[0])), 0) << folder.text_of("output.txt");
  EXPECT_EQ(folder.run(trying(language, made[0])), 0) << folder.text_of("output.txt");
}

TEST_P(Languages, NoticeAWrongConstant) {
  const std::string language = GetParam();
  if (!can_run(language)) GTEST_SKIP() << "no compiler of " << language;
  const Folder folder;
  GeneratedFile file = files_in(load("stanford"), language).at(0);
  // The offset of the prismatic joint.
  file.text = language == "cpp" ? with_a_wrong_constant(file.text, "q[2] + T(0.6)", "q[2] + T(0.6000001)")
                                : with_a_wrong_constant(file.text, "q[2] + 0.6", "q[2] + 0.6000001");
  folder.write(file.name, file.text);
  ASSERT_EQ(folder.run(building(language, file)), 0) << folder.text_of("output.txt");
  EXPECT_NE(folder.run(trying(language, file)), 0) << folder.text_of("output.txt");
}

INSTANTIATE_TEST_SUITE_P(, Languages, ::testing::Values("cpp", "python", "rust"), [](const auto& language) { return std::string(language.param); });

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(LanguagesTest, MatlabIsWellFormed) {
  for (const char* robot : kRobots) {
    const std::vector<GeneratedFile> made = files_in(load(robot), "matlab");
    ASSERT_EQ(made.size(), generated_quantities().size() + (load(robot).closed() ? 4 : 1));  // and speeds, closure, close
    for (const GeneratedFile& file : made) {
      SCOPED_TRACE(file.name);
      int depth = 0;
      std::istringstream lines(file.text);
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("%")) continue;
        const std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
        for (const char* word : {"function ", "if ", "for "}) depth += text.starts_with(word);
        depth -= text == "end";
        EXPECT_GE(depth, 0) << line;
        EXPECT_EQ(count(line, "("), count(line, ")") + (line.ends_with("single([") ? 1 : 0)) << line;
        for (const char* foreign : {"q[", "v[", "//", "/*", "!=", "+=", "const "}) EXPECT_EQ(line.find(foreign), std::string::npos) << line;
        // Operators of matrices would be wrong for many states; indices of the self-test are numbers.
        if (!file.name.ends_with("selftest.m")) {
          EXPECT_EQ(line.find(" * "), std::string::npos) << line;
          EXPECT_EQ(line.find("(0,:)"), std::string::npos) << line;
        }
      }
      EXPECT_EQ(depth, 0);
    }
  }
}

// A stand-in for the language's own programs, which are seldom can_run: indices, operators and constants are right, the rest is not looked at.
TEST(LanguagesTest, MatlabComputesWhatItsTestExpects) {
  if (!can_run("python")) GTEST_SKIP() << "no Python";
  for (const char* robot : kRobots) {
    const Folder folder;
    std::vector<GeneratedFile> made = files_in(load(robot), "matlab");
    folder.write(made);
    const std::string name = made.back().name.substr(0, made.back().name.rfind("_selftest"));
    std::string list = load(robot).closed() ? " speeds" : "";
    for (const std::string& what : generated_quantities()) list += " " + what;
    if (load(robot).closed()) list += " closure";
    const std::string command = "python3 '" ULNA_MODELS_DIR "/../test/emit/run_matlab.py' " + name + list;
    EXPECT_EQ(folder.run(command), 0) << folder.text_of("output.txt");
    if (std::string_view(robot) != "stanford") continue;
    made[0].text = with_a_wrong_constant(made[0].text, "q(3,:) + 0.6", "q(3,:) + 0.6000001");
    folder.write(made);
    EXPECT_NE(folder.run(command), 0);
  }
}

TEST(LanguagesTest, OctavePassesItsOwnTest) {
  if (!succeeds("octave-cli --version")) GTEST_SKIP() << "no Octave";
  for (const char* robot : kRobots) {
    const Folder folder;
    const std::vector<GeneratedFile> made = files_in(load(robot), "matlab");
    folder.write(made);
    EXPECT_EQ(folder.run("octave-cli --eval 'exit(" + stem(made.back()) + "() != 0)'"), 0) << folder.text_of("output.txt");
  }
}

TEST(LanguagesTest, SameInputSameBytes) {
  for (const char* language : kLanguages) {
    const std::vector<GeneratedFile> a = files_in(load("scara"), language), b = files_in(load("scara"), language);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].text, b[k].text);
  }
}

TEST(LanguagesTest, NamesOfTheModelStayInComments) {
  const Folder folder;
  folder.write("robot.urdf", R"(<robot name="a*/ system(&quot;x&quot;); /*">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="&quot;&quot;&quot; + x('y') # %}" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)");
  const Model model = load(folder.at("robot.urdf"));
  for (const char* language : kLanguages) {
    SCOPED_TRACE(language);
    for (const GeneratedFile& file : files_in(model, language)) {
      EXPECT_TRUE(file.name.starts_with("a_system_x")) << file.name;
      for (const char* harm : {"*/", "/*", "\"x\"", "\"\"\" +"}) EXPECT_EQ(file.text.find(harm), std::string::npos) << harm;
      folder.write(file.name, file.text);
      if (std::string_view(language) == "matlab" || !can_run(language)) continue;
      ASSERT_EQ(folder.run(building(language, file)), 0) << folder.text_of("output.txt");
      EXPECT_EQ(folder.run(trying(language, file)), 0) << folder.text_of("output.txt");
    }
  }
}

// A crate by itself, without a network: its own tests pass, and notice a wrong constant.
TEST(Crate, PassesItsTests) {
  for (const char* robot : {"planar-2r", "five-bar"}) {
    GenerateOptions options;
    options.what = {"inverse", "forward"};
    options.language = "rust";
    options.target = "crate";
    options.name = "My_Arm";
    const std::vector<GeneratedFile> made = generate(load(robot), options);
    std::map<std::string, std::string> files;
    for (const GeneratedFile& file : made) files[file.name] = file.text;
    ASSERT_EQ(files.size(), 3u);
    EXPECT_NE(files["Cargo.toml"].find("name = \"my_arm\""), std::string::npos);
    EXPECT_NE(files["tests/selftest.rs"].find("my_arm::selftest()"), std::string::npos);
    // The module is the one that --lang rust writes, but for its head.
    options.target.clear();
    const auto code = [](const std::string& text) { return text.substr(text.find("#![allow")); };
    EXPECT_EQ(code(files["src/lib.rs"]), code(generate(load(robot), options).front().text));
    const std::string cargo = support::installed("cargo") ? "cargo" : support::installed("\"$HOME/.cargo/bin/cargo\"") ? "\"$HOME/.cargo/bin/cargo\"" : "";
    if (cargo.empty()) continue;
    const Folder folder;
    std::filesystem::create_directories(folder.at("src"));
    std::filesystem::create_directories(folder.at("tests"));
    folder.write(made);
    std::string output;
    const std::string test = "RUSTFLAGS='-D warnings' CARGO_TARGET_DIR=target " + cargo + " test --offline --no-fail-fast";
    EXPECT_EQ(folder.run(test, &output), 0) << output;
    EXPECT_NE(output.find("agrees_with_an_independent_recursion ... ok"), std::string::npos) << output;
    folder.write("src/lib.rs", with_a_wrong_constant(files["src/lib.rs"], "0.5", "0.6"));
    EXPECT_NE(folder.run(test, &output), 0);
    EXPECT_NE(output.find("agrees_with_an_independent_recursion ... FAILED"), std::string::npos) << output;
  }
  GenerateOptions wrong;
  wrong.target = "crate";
  EXPECT_THROW(generate(load("planar-2r"), wrong), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
