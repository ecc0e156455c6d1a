// The page of a campaign: well-formed, whole in itself, and its numbers are those of the runs.
#include "study/campaign_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <ulna/model/model.hpp>

#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "support/folder.hpp"

namespace ulna::internal {
namespace {

// A rod of 2 kg on a horizontal axis, its mass centre 0.5 m out: 2 * 9.81 * 0.5 = 9.81 Nm hold it level, of 20 Nm.
constexpr const char* kRod = R"(<robot name="rod">
<link name="base"/>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"/>
<joint name="hinge &lt;1&gt;" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 -1 0"/><limit lower="-3" upper="3" effort="20" velocity="9"/></joint>
<joint name="end" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>)";

constexpr const char* kCampaign = R"(runs: 120
scenario:
  model: ./rod.urdf
  duration: 0.2
  reference: {type: quintic, to: [0.5], duration: 0.15}
  law: {type: computed-torque, kp: 400, kd: 40}
  payloads: [{link: tip, mass: 0.1}]
  integrator: {type: rk4, step: 0.001}
vary: {payload.mass: {uniform: [0.5, 3 kg]}}
)";

// Buttons work for as many views as there are: a rule for each, the page's style or its own.
TEST(CampaignPage, EveryMetricCanBeChosen) {
  std::vector<html::View> views;
  for (int k = 1; k <= 24; ++k) views.push_back({std::to_string(k), "view " + std::to_string(k)});
  const std::string rules = page_style() + html::choice("metric", "Metric", views);
  for (int k = 1; k <= 24; ++k) {
    const std::string at = "nth-of-type(" + std::to_string(k) + ")";
    EXPECT_NE(rules.find("> input:" + at + ":checked ~ div:" + at), std::string::npos) << k;
  }
}

TEST(CampaignPage, ShowsTheWorstRunsAndTheMarginsOfTorque) {
  const support::Folder folder;
  folder.write("rod.urdf", kRod);
  folder.write("<c>.yaml", kCampaign);
  const campaign::Campaign campaign = campaign::load_campaign(folder.at("<c>.yaml"));
  const campaign::Report report = campaign::run_campaign(campaign, folder.at("out"));
  const CampaignViews views = campaign_views(campaign, report);
  ASSERT_FALSE(views.runs.empty());
  const std::string page = campaign_page(report, folder.at("<c>.yaml"), "ulna campaign --only ", views);

  // The script itself is no XML.
  std::string markup = page.substr(page.find("<html"));
  if (const std::size_t script = markup.find("<script>"); script != std::string::npos) markup.erase(script, markup.rfind("</script>") + 9 - script);
  pugi::xml_document tree;
  const pugi::xml_parse_result parsed = tree.load_string(markup.c_str());
  ASSERT_TRUE(parsed) << parsed.description() << " at " << markup.substr(static_cast<std::size_t>(parsed.offset), 80);
  for (const char* id : {"distributions", "causes", "worst", "replay", "workspace"}) {
    EXPECT_EQ(tree.select_nodes(("//section[@id='" + std::string(id) + "']").c_str()).size(), 1u) << id;
    EXPECT_EQ(tree.select_nodes(("//nav//a[@href='#" + std::string(id) + "']").c_str()).size(), 1u) << id;
  }
  for (const char* id : {"figure-arm", "figure-workspace"})
    EXPECT_TRUE(tree.select_node(("//figure[@id='" + std::string(id) + "']//svg[@role='img']").c_str())) << id;
  EXPECT_EQ(page.find("url("), std::string::npos);
  EXPECT_EQ(page.find("hinge <1>"), std::string::npos);

  // What the script plays is the run.
  const std::string data = tree.select_node("//script[@id='report']").node().text().get();
  EXPECT_EQ(data.find('<'), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(data);
  ASSERT_EQ(json.at("runs").size(), views.runs.size());
  const campaign::Replay again = campaign::replay(campaign, report.worst.front().run);
  const nlohmann::json& shown = json.at("runs")[0];
  EXPECT_NEAR(shown.at("t").back().get<double>(), again.rows.back()[0], 1e-6);
  EXPECT_NEAR(shown.at("q")[0].back().get<double>(), again.rows.back()[1], 1e-5);
  EXPECT_EQ(json.at("model").at("joints").size(), 2u);

  // Torque that holds it, by hand: (2 kg * 0.5 m + payload * 1 m) g cos q, largest where it is level.
  ASSERT_TRUE(views.map);
  const std::string cell = campaign::replay(campaign, views.map->run).cells[3];
  const double most = (1.0 + std::stod(cell)) * 9.81;
  EXPECT_EQ(views.map->tip, "tip");
  EXPECT_NEAR(views.map->distance, 1, 1e-4);
  EXPECT_NEAR(views.map->high - views.map->low, 2, 1e-3);
  ASSERT_EQ(views.map->joints.size(), 1u);
  EXPECT_NEAR(views.map->joints[0].least, 1 - most / 20, 1e-3);
  EXPECT_NEAR(views.map->joints[0].weakest, 1, 1e-9);
  // It cannot be held where |cos q| > 20 / most: that share of the angles from -3 to 3.
  double share = 0;
  for (int k = 0; k < 60000; ++k) share += std::fabs(std::cos(-3 + 1e-4 * (k + 0.5))) > 20 / most ? 1.0 / 60000 : 0;
  EXPECT_GT(share, 0.1);
  EXPECT_NEAR(views.map->overloaded, share, 0.02);
}

TEST(CampaignPage, OfMergedShardsWithoutTheirFileIsTheSummaryAlone) {
  campaign::Report report;
  report.metrics.push_back({});
  const std::string page = campaign_page(report, "spec.yaml", "ulna campaign --only ", {});
  pugi::xml_document tree;
  EXPECT_TRUE(tree.load_string(page.substr(page.find("<html")).c_str()));
  EXPECT_FALSE(tree.select_node("//script"));
}

}  // namespace
}  // namespace ulna::internal
