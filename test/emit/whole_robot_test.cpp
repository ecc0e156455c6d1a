// Code with a load, friction, a wrench and run-time parameters at once, in every language: its self-test compares with an independent recursion in extended
// precision of the robot with all of these. A few robots in the usual run; every built-in one and 200 random ones under `make soak`.
#include <gtest/gtest.h>

#include <cstdlib>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated.hpp"
#include "support/builtin.hpp"
#include "support/folder.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using support::Folder;

/// What compiles and runs the self-test; empty where that cannot be had.
std::string whole_trial(const std::string& language) {
  if (language == "c") return "gcc -O0 -std=c99 -Wall -Wextra -Wpedantic -Werror -DROBOT_SELFTEST_MAIN robot.c -lm -o t && ./t";
  if (language == "cpp") return "c++ -O0 -std=c++11 -Wall -Wextra -pedantic -Werror -x c++ -DROBOT_SELFTEST_MAIN robot.hpp -o t && ./t";
  if (language == "python")
    return succeeds("python3 -c 'import numpy'") ? "python3 robot.py" : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' python3 robot.py";
  if (language == "matlab")
    return succeeds("octave-cli --version") ? "octave-cli --eval 'exit(robot_selftest() != 0)'"
                                            : "python3 '" ULNA_MODELS_DIR "/../test/emit/run_matlab.py' robot fold inverse forward";
  for (const char* rustc : {"rustc", "\"$HOME/.cargo/bin/rustc\""})
    if (succeeds(cat(rustc, " --version"))) return cat(rustc, " -D warnings --test robot.rs -o t && ./t");
  return {};
}

class WholeRobot : public ::testing::TestWithParam<const char*> {};

void expect_passed(const Model& bare, const std::string& language, const std::vector<std::string>& parameters) {
  const std::string last = bare.links().back().name;
  const Model model = with_payload(bare, last, {1.5, {0.02, -0.03, 0.11}, {0.012, 0.015, 0.011, 0.001, -0.002, 0.0015}});
  GenerateOptions options{.what = {"inverse", "forward"}, .language = language, .name = "robot"};
  options.friction = true;
  options.wrench_at = last;
  options.parameters = parameters;
  options.test_states = 2;
  const Folder folder;
  try {
    folder.write(generate(model, options));
  } catch (const std::invalid_argument& error) {  // a load on a link that stands still
    EXPECT_NE(std::string(error.what()).find("run-time parameters change nothing"), std::string::npos) << error.what();
    options.parameters.clear();
    folder.write(generate(model, options));
  }
  std::string output;
  std::string command = whole_trial(language);
  if (const std::size_t at = command.find(" fold"); options.parameters.empty() && at != std::string::npos) command.erase(at, 5);
  if (const std::size_t at = command.find(" inverse forward"); bare.closed() && at != std::string::npos) command = command.insert(at, " speeds") + " closure";
  EXPECT_EQ(folder.run(command, &output), 0) << output;
}

TEST_P(WholeRobot, EqualsTheRecursionOnBuiltInRobots) {
  if (whole_trial(GetParam()).empty()) GTEST_SKIP() << "no compiler of " << GetParam();
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (!soaks() && robot.id != "ur5" && robot.id != "five-bar") continue;
    SCOPED_TRACE(robot.id);
    const Model model = load(std::string(robot.id));
    if (model.nv() > 40) continue;  // minutes of the compilers
    expect_passed(model, GetParam(), {"payload"});
    if (soaks()) expect_passed(model, GetParam(), {"all", "payload"});
  }
}

TEST_P(WholeRobot, EqualsTheRecursionOnRandomRobots) {
  if (whole_trial(GetParam()).empty()) GTEST_SKIP() << "no compiler of " << GetParam();
  for (std::uint64_t seed = 1; seed <= so_many<std::uint64_t>(1, 200); ++seed) {
    SCOPED_TRACE(seed);
    expect_passed(random_model(seed, {.most = soaks() ? 8 : 4, .massless = false, .mimic = seed % 2 == 0}), GetParam(),
                  seed % 3 == 0   ? std::vector<std::string>{"masses", "payload"}
                  : seed % 3 == 1 ? std::vector<std::string>{"payload"}
                                  : std::vector<std::string>{});
  }
}

INSTANTIATE_TEST_SUITE_P(, WholeRobot, ::testing::Values("c", "cpp", "matlab", "python", "rust"),
                         [](const auto& language) { return std::string(language.param); });

}  // namespace
}  // namespace ulna::test
