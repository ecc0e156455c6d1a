// ulna convert: the file on standard output, what is lost on standard error, and a file that loads again.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.hpp"

namespace {

TEST(ConvertCommand, PrintsAFileThatLoadsAgain) {
  const std::string state = " --q 0.1,0.2,0.3,0.4 --v 1,2,3,4 --a 4,3,2,1 --friction on";
  const nlohmann::json expected = ulna_json("inverse scara" + state);
  for (const std::string to : {"dh", "mdh", "urdf", "mjcf"}) {
    SCOPED_TRACE(to);
    const Outcome converted = ulna("convert scara --to " + to);
    EXPECT_EQ(converted.status, 0) << converted.err;
    EXPECT_EQ(converted.err.empty(), to != "mjcf") << converted.err;  // MJCF has no limits of speed, which is told
    const TemporaryFile file(to == "urdf" ? "scara.urdf" : to == "mjcf" ? "scara.xml" : "scara.yaml", converted.out);
    const nlohmann::json again = ulna_json("inverse " + file.path() + state);
    ASSERT_EQ(again["tau"][0].size(), expected["tau"][0].size());
    for (std::size_t i = 0; i < expected["tau"][0].size(); ++i) {
      const double tau = expected["tau"][0][i].get<double>();
      EXPECT_NEAR(again["tau"][0][i].get<double>(), tau, 1e-12 * (1 + std::abs(tau)));
    }
  }
}

TEST(ConvertCommand, TellsWhatIsLost) {
  const Outcome panda = ulna("convert panda --to dh");
  EXPECT_EQ(panda.status, 0);
  EXPECT_NE(panda.err.find("these links were merged into the ones that hold them"), std::string::npos) << panda.err;
  const Outcome planar = ulna("convert planar-2r --to urdf");
  EXPECT_EQ(planar.status, 0);
  EXPECT_NE(planar.err.find("--gravity 0,-9.81,0"), std::string::npos) << planar.err;
}

TEST(ConvertCommand, RefusesWhatDoesNotFit) {
  const Outcome torso = ulna("convert torso --to mdh");
  EXPECT_EQ(torso.status, 2);
  EXPECT_EQ(torso.out, "");
  EXPECT_NE(torso.err.find("convert to URDF"), std::string::npos) << torso.err;
  EXPECT_EQ(ulna("convert scara").status, 2);
  EXPECT_NE(ulna("convert scara").err.find("--to dh, --to mdh, --to urdf, --to sdf or --to mjcf"), std::string::npos);
  EXPECT_EQ(ulna("convert scara --to stl").status, 2);
  EXPECT_EQ(ulna("convert scara --to dh --snap 1").status, 2);
}

}  // namespace
