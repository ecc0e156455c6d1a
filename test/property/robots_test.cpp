// Random robots through everything: written, read, planned, computed by every formulation, traced and made into machine code. A failure shrinks, and the
// smallest robot that fails is left as a file one can open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <ulna/source/load.hpp>

#include "property/comparison.hpp"
#include "property/whole_robot.hpp"

namespace ulna::test {
namespace {

constexpr const char* kFailed = "property_failure.urdf";

// Every robot that ever failed, as it was left by the test below.
TEST(RandomRobots, ThatFailedOnceDoNotFailAgain) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(ULNA_FOUND_DIR)) {
    SCOPED_TRACE(file.path().filename());
    const Model model = load(file.path().string());
    const Comparison comparison(model);
    EXPECT_EQ(comparison.formulations(), "");
    EXPECT_EQ(comparison.machine_code(), "");
    EXPECT_TRUE(verify(model, {.samples = 100}).agree());
    ++files;
  }
  EXPECT_GE(files, 7);
}

TEST(RandomRobots, AgreeWhateverTheyAre) {
  const std::string parameters = cat("seed=20240611 max_success=", robots(), " max_discard_ratio=1");
  ASSERT_EQ(setenv("RC_PARAMS", parameters.c_str(), 0), 0);  // before RapidCheck looks; the environment goes before
  long made = 0, moving = 0, compiled = 0, prismatic = 0, massless = 0, coupled = 0;
  double used = 0;
  const bool good = rc::check("random robots", [&] {
    const WholeRobot spec = *whole_robot(10);
    const Description d = random_description(spec);
    Diagnostics diagnostics("random");
    const std::optional<Model> built = build(d, diagnostics);
    RC_ASSERT(built.has_value());
    const std::optional<std::string> text = write_urdf(*built, diagnostics);
    RC_ASSERT(text.has_value());
    const auto fail = [&](const std::string& why) {
      std::ofstream(kFailed) << *text;
      RC_FAIL(why + "; the robot is in " + kFailed);
    };
    const LoadResult read = try_parse(*text, "random.urdf");
    if (!read.model) fail("refused: " + to_string(read.diagnostics.back()));
    const Model& model = *read.model;
    if (model.coordinate_names() != built->coordinate_names()) fail("other joints were read than were written");
    ++made;
    if (model.nv() == 0) return;
    ++moving;
    const bool kernels = spec.order % 4 == 0;  // a quarter, told by the robot itself: a failure must fail again while it shrinks
    compiled += kernels ? 1 : 0;
    for (const WholeJoint& s : spec.joints) prismatic += s.type == 1, massless += s.mass == 0, coupled += s.follows > 0;
    const Comparison comparison(model);
    if (const std::string fault = comparison.formulations(); !fault.empty()) fail(fault);
    if (const std::string fault = kernels ? comparison.machine_code() : std::string(); !fault.empty()) fail(fault);
    used = std::max(used, comparison.used());
  });
  EXPECT_TRUE(good) << "seed and counterexample are above; the smallest robot that fails is in " << kFailed;
  std::printf("largest difference: %.2f of what is allowed\n", used);
  EXPECT_GT(used, 0.05);  // a bound that rounding never comes near would show nothing
  // The generator must not quietly become tame.
  EXPECT_GE(made, robots());
  EXPECT_GT(moving, made * 8 / 10);
  EXPECT_GT(compiled, made / 6);
  EXPECT_GT(prismatic, made / 2);
  EXPECT_GT(massless, made / 4);
  EXPECT_GT(coupled, made / 10);
}

}  // namespace
}  // namespace ulna::test
