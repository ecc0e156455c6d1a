// Parameters drawn from what an identification left open.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <ulna/identify/identify.hpp>
#include <ulna/robot/dynamics.hpp>

#include "campaign/spec.hpp"
#include "support/folder.hpp"

namespace ulna::internal::campaign {
namespace {

Campaign with_covariance(const support::Folder& folder, const std::string& table) {
  folder.write("covariance.csv", table);
  CampaignResult result =
      try_parse_campaign("runs: 2000\nidentified: covariance.csv\nscenario: {model: planar-2r, duration: 0.1, integrator: {type: rk4}}\n", folder.at("c.yaml"));
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  return result.campaign.value();
}

TEST(Identified, DrawsHaveTheCovariance) {
  const support::Folder folder;
  const Model arm = load("planar-2r");
  const std::string a = "J_zz." + arm.links()[1].name, b = "h_x." + arm.links()[2].name, c = "offset.joint1";
  const Campaign campaign = with_covariance(folder, a + "," + b + "," + c + "\n0.0004,0.0003,0\n0.0003,0.0009,0.0001\n0,0.0001,0.01\n");
  double aa = 0, ab = 0, bb = 0, bc = 0, cc = 0, mean = 0;
  constexpr double kRuns = 2000;
  for (std::uint64_t run = 0; run < 2000; ++run) {
    const std::vector<double> x = drawn(campaign.spec(), run);
    ASSERT_EQ(x.size(), 3u);
    mean += x[0] / kRuns;
    aa += x[0] * x[0] / kRuns, ab += x[0] * x[1] / kRuns, bb += x[1] * x[1] / kRuns, bc += x[1] * x[2] / kRuns, cc += x[2] * x[2] / kRuns;
  }
  // Four standard errors: of a variance s² sqrt(2 / n), of a covariance sqrt((saa sbb + sab²) / n).
  EXPECT_NEAR(mean, 0, 4 * 0.02 / std::sqrt(kRuns));
  EXPECT_NEAR(aa, 4e-4, 4 * 4e-4 * std::sqrt(2 / kRuns));
  EXPECT_NEAR(bb, 9e-4, 4 * 9e-4 * std::sqrt(2 / kRuns));
  EXPECT_NEAR(cc, 1e-2, 4 * 1e-2 * std::sqrt(2 / kRuns));
  EXPECT_NEAR(ab, 3e-4, 4 * std::sqrt((4e-4 * 9e-4 + 9e-8) / kRuns));
  EXPECT_NEAR(bc, 1e-4, 4 * std::sqrt((9e-4 * 1e-2 + 1e-8) / kRuns));
}

/// Torques are linear in the parameters: those of the changed robot are the regressor times the changed numbers.
TEST(Identified, NumbersAreThoseOfTheRegressor) {
  const support::Folder folder;
  const Model arm = load("ur5");
  CampaignResult result = try_parse_campaign(R"(runs: 5
scenario: {model: ur5, duration: 0.1, integrator: {type: rk4}}
vary:
  m.forearm: {normal: [0, 0.1]}
  h_y.forearm: {normal: [0, 0.05]}
  J_xz.forearm: {normal: [0, 0.02]}
  J_yy.upper_arm: {normal: [0, 0.02]}
)",
                                             "c.yaml");
  ASSERT_TRUE(result.campaign) << to_string(result.diagnostics.front());
  const std::vector<double> values = drawn(result.campaign->spec(), 1);
  const Model changed = numbers_of(result.campaign->spec(), values).scenario.model;
  const std::vector<Parameter> names = parameters_of(result.campaign->spec().nominal);
  const std::vector<ulna::Parameter> pi = body_parameters(arm);
  const Dynamics given(arm, {.threads = 1, .most = InstructionSet::none}), other(changed, {.threads = 1, .most = InstructionSet::none});
  const std::vector<double> q{0.3, -1, 0.7, 0.2, -0.4, 1}, v{1, -2, 0.5, 1, 2, -1}, a{3, 1, -2, 0.5, 1, 2};
  std::vector<double> tau(6), Y(6 * pi.size()), wanted(6);
  given.inverse(q.data(), v.data(), a.data(), wanted.data());
  given.compute(Quantity::regressor, q.data(), v.data(), a.data(), Y.data());
  const std::vector<std::string> varied{"m.forearm", "h_y.forearm", "J_xz.forearm", "J_yy.upper_arm"};
  for (std::size_t k = 0; k < varied.size(); ++k) {
    std::size_t column = 0;
    while (column < pi.size() && pi[column].name != varied[k]) ++column;
    ASSERT_LT(column, pi.size());
    for (std::size_t i = 0; i < 6; ++i) wanted[i] += Y[column * 6 + i] * values[k];
  }
  other.inverse(q.data(), v.data(), a.data(), tau.data());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(tau[i], wanted[i], 1e-10);
}

TEST(Identified, RefusesWhatIsNoCovariance) {
  const support::Folder folder;
  const auto problem = [&](const std::string& table) {
    folder.write("covariance.csv", table);
    std::string all;
    for (const Diagnostic& d :
         try_parse_campaign("runs: 2\nidentified: covariance.csv\nscenario: {model: planar-2r, duration: 0.1, integrator: {type: rk4}}\n", folder.at("c.yaml"))
             .diagnostics)
      all += to_string(d) + "\n";
    return all;
  };
  EXPECT_NE(problem("J_zz.nobody\n0.1\n").find("the robot has no parameter 'J_zz.nobody'"), std::string::npos);
  EXPECT_NE(problem("a,b\n0.1,0\n").find("is no covariance: it has 2 columns and 1 rows"), std::string::npos);
}

}  // namespace
}  // namespace ulna::internal::campaign
