// Generated files, byte for byte as they were. ULNA_UPDATE_GOLDEN=1 writes them anew: look at the difference before you keep it.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {
namespace {

void compare(const char* robot, const GenerateOptions& options) {
#ifdef __clang__
  GTEST_SKIP() << "operands are evaluated in another order, which numbers temporaries differently";
#endif
  for (const GeneratedFile& file : generate(load(robot), options)) {
    const std::string path = std::string(ULNA_GOLDEN_DIR) + "/" + file.name;
    if (std::getenv("ULNA_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << file.text;
    std::ifstream in(path, std::ios::binary);
    ASSERT_TRUE(in) << path;
    const std::string kept(std::istreambuf_iterator<char>(in), {});
    EXPECT_TRUE(kept == file.text) << file.name << " has changed; ULNA_UPDATE_GOLDEN=1 writes it anew";
  }
}

TEST(Golden, Stanford) { compare("stanford", {.what = {"inverse", "mass"}}); }
TEST(Golden, Planar) { compare("planar-2r", {.what = generated_quantities()}); }

}  // namespace
}  // namespace ulna::test
