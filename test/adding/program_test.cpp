// The same formulation in the program that was linked with it.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/program.hpp"

namespace {

/// What the program prints, where it ends well.
std::string printed(const std::string& arguments) {
  const Outcome run = ulna(arguments);
  EXPECT_EQ(run.status, 0) << arguments << ": " << run.err;
  return run.out;
}

/// The first line with a word in it.
std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != std::string::npos) return line;
  return {};
}

TEST(Adding, IsKnownToTheProgram) {
  EXPECT_NE(line_with(printed("formulations"), "link-jacobians").find("O(n^3)"), std::string::npos);
  EXPECT_NE(printed("formulations link-jacobians").find("Murray"), std::string::npos);
  EXPECT_NE(line_with(printed("verify planar-2r --samples 10"), "link-jacobians"), "");
  EXPECT_NE(line_with(printed("count planar-2r --quantity mass"), "link-jacobians"), "");
  EXPECT_NE(printed("equations planar-2r --what mass --formulation link-jacobians").find("Murray"), std::string::npos);
  EXPECT_EQ(printed("mass planar-2r --q 0.3,-0.8 --formulation link-jacobians"), printed("mass planar-2r --q 0.3,-0.8"));
}

}  // namespace
