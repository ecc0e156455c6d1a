// The page: well-formed, whole in itself, safe whatever the names are, and the same content for people without a script.
#include <gtest/gtest.h>

#include <set>

#include "study/studied.hpp"
#include "support/folder.hpp"

namespace study_test {
namespace {

constexpr std::size_t kMostBytes = 1600 * 1000;

void expect_sound(const Studied& s) {
  EXPECT_EQ(s.well_formed, "");
  EXPECT_LT(s.file("index.html").size(), kMostBytes);
  for (const std::string& id : s.ids) EXPECT_EQ(s.ids.count(id), 1u) << id;
  for (const std::string& link : s.links) {
    if (link.rfind("data:,", 0) == 0) continue;
    if (link.rfind("https://doi.org/", 0) == 0) continue;  // of a citation: a person follows it, the page does not
    if (link[0] == '#')
      EXPECT_EQ(s.ids.count(link.substr(1)), 1u) << link;
    else
      EXPECT_TRUE(s.has(link)) << link << " is not a file of the study";
  }
  // Nothing that loads, runs or leaves by itself.
  for (const char* element : {"img", "iframe", "object", "embed", "form", "base", "audio", "video"}) EXPECT_EQ(s.elements.count(element), 0u) << element;
  for (const std::string& attribute : s.attributes) EXPECT_NE(attribute.rfind("on", 0), 0u) << attribute;
  EXPECT_EQ(s.page.find("@import"), std::string::npos);
  EXPECT_EQ(s.page.find("url("), std::string::npos);
  // The data is what report.json says, and cannot end its element.
  ASSERT_FALSE(s.scripts.empty());
  EXPECT_EQ(s.scripts[0].find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(s.scripts[0]), s.report);
  for (std::size_t k = 1; k < s.scripts.size(); ++k) EXPECT_EQ(s.scripts[k].find("<!--"), std::string::npos);
  // Drawings are named, headings and landmarks are there.
  for (const pugi::xpath_node& node : s.tree.select_nodes("//svg")) {
    EXPECT_STREQ(node.node().attribute("role").value(), "img");
    EXPECT_STRNE(node.node().attribute("aria-label").value(), "");
    EXPECT_STRNE(node.node().child("title").text().get(), "");
  }
  EXPECT_STREQ(s.tree.child("html").attribute("lang").value(), "en");
  EXPECT_EQ(s.tree.select_nodes("//h1").size(), 1u);
  EXPECT_EQ(s.tree.select_nodes("//main").size(), 1u);
  EXPECT_EQ(s.tree.select_nodes("//nav[@aria-label]").size(), 1u);
  for (const pugi::xpath_node& node : s.tree.select_nodes("//section")) EXPECT_EQ(s.ids.count(node.node().attribute("aria-labelledby").value()), 1u);
}

void expect_figures(const Studied& s, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    SCOPED_TRACE(id);
    const pugi::xml_node figure = s.by_id(id);
    ASSERT_STREQ(figure.name(), "figure");
    EXPECT_TRUE(figure.select_node("div[@class='static']//svg"));
    EXPECT_FALSE(Studied::text_of(figure.child("figcaption")).empty());
    EXPECT_TRUE(figure.select_node("details//table//td")) << "no plain numbers";
  }
}

const char* const kOfAnArm[] = {"figure-arm", "figure-motion", "figure-torques", "figure-counts", "figure-growth", "figure-schedule"};

TEST(StudyPage, BuiltInArms) {
  for (const char* robot : {"stanford", "panda"}) {
    SCOPED_TRACE(robot);
    const Studied s(ulna::load(robot));
    expect_sound(s);
    expect_figures(s, {std::begin(kOfAnArm), std::end(kOfAnArm)});
    EXPECT_TRUE(s.study.good);
    EXPECT_NE(s.text().find("All agree."), std::string::npos);
    EXPECT_NE(s.text().find("Kane"), std::string::npos);
    EXPECT_NE(s.file("equations.tex").find("\\documentclass"), std::string::npos);
  }
}

TEST(StudyPage, SelfTestAndTimesWhereAskedFor) {
  ulna::StudyOptions options = quick();
  options.self_test = options.timing = true;
  options.time_peers = [](const ulna::Model&) {
    ulna::StudyTimings none;
    none.notes.emplace_back("<none> were found");
    return none;
  };
  const Studied s(ulna::load("planar-2r"), options);
  expect_sound(s);
  expect_figures(s, {"figure-timing", "figure-race", "figure-memory"});
  if (support::installed("cc")) {
    EXPECT_NE(s.text().find("checks passed"), std::string::npos);
  }
  EXPECT_NE(s.text().find("<none> were found"), std::string::npos);
  EXPECT_GE(s.report["timing"].size(), 3u);
  for (const nlohmann::json& row : s.report["timing"]) EXPECT_GT(row["ns"].get<double>(), 0);
  EXPECT_GE(s.report["race"]["rows"].size(), 25u);
  for (const nlohmann::json& row : s.report["race"]["rows"]) {
    if (!row["own"].contains("ns")) continue;
    EXPECT_GT(row["own"]["ns"].get<double>(), 0);
    if (row["formulation"] != "albus") {  // that looks everything up
      EXPECT_GT(row["own"]["counts"]["mul"].get<int>(), 0);
    }
  }
}

// Hollerbach's trade, of a small arm alone: more memory, less to compute; a load spoils every table.
TEST(StudyPage, TablesOfASmallArm) {
  const Studied s(ulna::load("planar-2r"));
  expect_sound(s);
  ASSERT_EQ(s.report["tables"].size(), 3u);
  std::map<std::string, int> operations;
  for (const nlohmann::json& table : s.report["tables"]) {
    operations[table["formulation"]] = table["mul"].get<int>() + table["add"].get<int>();
    ASSERT_GE(table["at"].size(), 4u);
    for (std::size_t k = 1; k < table["at"].size(); ++k) EXPECT_GT(table["at"][k]["bytes"].get<double>(), table["at"][k - 1]["bytes"].get<double>());
    EXPECT_LT(table["at"].back()["error"].get<double>(), table["at"][0]["error"].get<double>() / 4);
    EXPECT_GT(table["at"].back()["error_loaded"].get<double>(), 0.05);
  }
  EXPECT_EQ(operations, (std::map<std::string, int>{{"albus", 0}, {"raibert", 8}, {"horn-raibert", 32}}));
  const pugi::xml_node figure = s.by_id("figure-memory");
  EXPECT_EQ(figure.select_nodes(".//g[@class='plot']").size(), 2u);
  EXPECT_EQ(figure.select_nodes(".//g[@class='curve'][@data-row='albus, nearest node']").size(), 1u);
  const Studied large(ulna::load("stanford"));
  EXPECT_EQ(large.report["tables"].size(), 0u);
  EXPECT_FALSE(large.by_id("figure-memory"));
}

// One quantity at a time, on either scale, with what the papers print as marks; by buttons of the page itself.
TEST(StudyPage, CountsHaveMarksScalesAndAChoice) {
  const Studied s(ulna::load("puma560"));
  const pugi::xml_node figure = s.by_id("figure-counts");
  const std::size_t quantities = ulna::formulated_quantities().size();
  EXPECT_EQ(figure.select_nodes(".//fieldset[@id='quantity-counts']/input[@type='radio']").size(), quantities);
  EXPECT_EQ(figure.select_nodes(".//fieldset[@id='quantity-counts']/div").size(), quantities);
  EXPECT_EQ(figure.select_nodes(".//fieldset[@id='quantity-counts']/input[@checked]").size(), 1u);
  // For a page and for a telephone.
  for (const char* width : {"for-wide", "for-narrow"})
    EXPECT_EQ(figure.select_nodes((".//div[@class='" + std::string(width) + "']/svg").c_str()).size(), 2 * quantities) << width;
  for (const pugi::xpath_node& label : figure.select_nodes(".//label")) EXPECT_EQ(s.ids.count(label.node().attribute("for").value()), 1u);
  // Hollerbach's Table II: 468 multiplications and 264 additions by Horn and Raibert's, on both scales.
  std::size_t found = 0;
  for (const pugi::xpath_node& mark : figure.select_nodes(".//div[@class='for-wide']//g[@class='mark']/title"))
    found += std::string_view(mark.node().text().get()) == "horn-raibert, published: 732" ? 1 : 0;
  EXPECT_EQ(found, 2u);
  // On the linear scale a bar is as long as its number; on the other it is not.
  const auto lengths = [&](const char* scale) {
    std::vector<double> all;
    for (const pugi::xpath_node& bar : figure.select_nodes((std::string(".//svg[contains(title, ', ") + scale + "')]/rect[@height='9.0']").c_str()))
      all.push_back(bar.node().attribute("width").as_double());
    return all;
  };
  EXPECT_FALSE(lengths("linear").empty());
  EXPECT_EQ(lengths("linear").size(), lengths("logarithmic").size());
  EXPECT_NE(lengths("linear"), lengths("logarithmic"));
}

std::string chain_of(const std::string& robot, const std::string& base, const std::string& link, const std::string& joint, const std::string& kind) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"" + robot + "\"><link name=\"" + base + "\"/><link name=\"" + link +
         "\"><inertial><origin xyz=\"0 0 0.2\"/><mass value=\"2\"/><inertia ixx=\"0.03\" iyy=\"0.03\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" "
         "iyz=\"0\"/></inertial></link><joint name=\"" +
         joint + "\" type=\"" + kind + "\"><parent link=\"" + base + "\"/><child link=\"" + link +
         "\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"50\" velocity=\"2\"/></joint></robot>\n";
}

ulna::LoadResult loaded(const std::string& urdf) {
  ulna::LoadOptions options;
  options.advise = true;
  return ulna::try_parse(urdf, "robot.urdf", options);
}

TEST(StudyPage, NamesInAnyScript) {
  const ulna::LoadResult r = loaded(chain_of("机械臂", "основание", "ذراع", "관절 1 \xf0\x9f\xa6\xbe", "revolute"));
  ASSERT_TRUE(r.model);
  const Studied s(*r.model);
  expect_sound(s);
  expect_figures(s, {std::begin(kOfAnArm), std::end(kOfAnArm)});
  for (const char* name : {"机械臂", "основание", "ذراع", "관절 1 \xf0\x9f\xa6\xbe"}) EXPECT_NE(s.text().find(name), std::string::npos) << name;
  EXPECT_EQ(s.report["model"]["links"][1]["name"], "ذراع");
}

TEST(StudyPage, HostileNamesAreText) {
  const std::string nasty = "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;", quote = "a&quot; onload=&quot;alert(2)",
                    comment = "]]&gt;&lt;!-- &lt;/title&gt;&lt;/svg&gt;&lt;b&gt;";
  const ulna::LoadResult r = loaded(chain_of(nasty, quote, comment, "j'&amp;#39;&lt;script&gt;", "revolute"));
  ASSERT_TRUE(r.model);
  const Studied s(*r.model);
  expect_sound(s);
  EXPECT_EQ(s.elements.count("b"), 0u);
  EXPECT_EQ(s.tree.select_nodes("//script").size(), s.scripts.size());
  EXPECT_NE(s.text().find("</script><img src=x onerror=alert(1)>"), std::string::npos);
  EXPECT_NE(s.text().find("]]><!-- </title></svg><b>"), std::string::npos);
  EXPECT_EQ(s.report["model"]["name"], "</script><img src=x onerror=alert(1)>");
  // Generated C keeps to its comments.
  for (const ulna::StudyFile& f : s.study.files) EXPECT_EQ(f.name.find_first_of("<>\"' "), std::string::npos) << f.name;
}

TEST(StudyPage, BytesThatAreNoText) {
  ulna::Description d;
  d.name = "bad\xff\x80name\x01";
  d.links.resize(2);
  d.links[0].name = "base";
  d.links[1].name = "arm\xc3";
  d.links[1].mass = 1;
  d.links[1].com = {0, 0, -0.5};
  d.links[1].inertial = true;
  d.joints.push_back({{}, "base", "arm\xc3", ""});
  d.joints[0].joint.name = "j\xed\xa0\x80";
  d.joints[0].joint.type = ulna::JointType::continuous;
  d.joints[0].joint.axis = {0, 1, 0};
  ulna::Diagnostics told;
  const std::optional<ulna::Model> model = ulna::build(d, told);
  if (!model) GTEST_SKIP() << "such names are refused";
  const Studied s(*model);
  expect_sound(s);
  EXPECT_NE(s.text().find("bad\xef\xbf\xbd"), std::string::npos);
}

TEST(StudyPage, WarningsAreOnIt) {
  // A dummy link with an inertia that no body has: a warning; the mass is odd: a note.
  std::string urdf = chain_of("warned", "base", "arm", "hinge", "revolute");
  urdf.insert(urdf.find("<joint"),
              "<link name=\"sticker\"><inertial><mass value=\"0.001\"/><inertia ixx=\"1e-6\" iyy=\"1e-6\" izz=\"9e-6\" ixy=\"0\" ixz=\"0\" "
              "iyz=\"0\"/></inertial></link>"
              "<joint name=\"glue\" type=\"fixed\"><parent link=\"arm\"/><child link=\"sticker\"/></joint>");
  const ulna::LoadResult r = loaded(urdf);
  ASSERT_TRUE(r.model);
  ulna::StudyOptions options = quick();
  options.diagnostics = r.diagnostics;
  const Studied s(*r.model, options);
  expect_sound(s);
  std::size_t warnings = 0;
  for (const ulna::Diagnostic& d : r.diagnostics) {
    warnings += d.severity == ulna::Severity::warning ? 1 : 0;
    EXPECT_NE(Studied::text_of(s.by_id("model")).find(d.problem), std::string::npos) << d.problem;
    EXPECT_NE(Studied::text_of(s.by_id("model")).find(d.cure), std::string::npos) << d.cure;
  }
  ASSERT_GE(warnings, 1u);
  EXPECT_EQ(s.report["warnings"].size(), r.diagnostics.size());
  EXPECT_EQ(s.tree.select_nodes("//li[@class='warning']").size(), warnings);
}

// Messages of one kind stand together: one item that unfolds, whatever names and numbers are in them.
TEST(StudyPage, RepeatedWarningsAreOne) {
  std::string urdf = "<robot name=\"many\"><link name=\"l0\"/>";
  for (int k = 1; k <= 5; ++k) {
    const std::string own = std::to_string(k), before = std::to_string(k - 1);
    urdf += "<link name=\"l" + own +
            "\"><inertial><origin xyz=\"0 0 0.2\"/><mass value=\"2\"/><inertia ixx=\"0.03\" iyy=\"0.03\" izz=\"0.01\" ixy=\"0\" "
            "ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j" +
            own + "\" type=\"revolute\"><parent link=\"l" + before + "\"/><child link=\"l" + own + "\"/><axis xyz=\"0 1 0\"/></joint>\n";
  }
  const ulna::LoadResult r = loaded(urdf + "</robot>");
  ASSERT_TRUE(r.model);
  ulna::StudyOptions options = quick();
  options.diagnostics = r.diagnostics;
  // Lists of names of any length are of one kind, too, and so is what is said in brackets.
  for (const char* problem : {"'a', 'b' have identical colours", "'c', 'd', 'e' have identical colours (3 times)"}) {
    ulna::Diagnostic note;
    note.severity = ulna::Severity::note;
    note.element = "links";
    note.problem = problem;
    options.diagnostics.push_back(note);
  }
  const Studied s(*r.model, options);
  EXPECT_EQ(s.tree.select_nodes("//li[@class='note'][contains(., 'identical colours')]").size(), 1u);
  EXPECT_EQ(s.tree.select_nodes("//li[@class='warning']").size(), 1u);
  EXPECT_EQ(s.tree.select_nodes("//li[@class='warning']//li").size(), 4u);
  for (const char* joint : {"j1", "j2", "j5"}) EXPECT_NE(Studied::text_of(s.by_id("model")).find(joint), std::string::npos) << joint;
  EXPECT_NE(s.text().find("states no limits"), std::string::npos);
}

// A joint that may turn at 0.1 rad/s, and hold 1 N m where its weight needs 2 · 9.81 · 0.2 sin(q): the motion is slow enough, and no motion is light enough.
TEST(StudyPage, BrokenLimitsAreToldAndDrawn) {
  std::string urdf = chain_of("limited", "base", "arm", "hinge", "revolute");
  urdf.replace(urdf.find("effort=\"50\" velocity=\"2\""), 24, "effort=\"1\" velocity=\"0.1\"");
  const ulna::LoadResult r = loaded(urdf);
  ASSERT_TRUE(r.model);
  const Studied s(*r.model);
  expect_sound(s);
  double reached = 0, most = 0;
  for (const nlohmann::json& broken : s.report["motion"]["broken_limits"]) {
    EXPECT_EQ(broken["joint"], "hinge");
    EXPECT_EQ(broken["of"], "effort");
    EXPECT_EQ(std::abs(broken["limit"].get<double>()), 1);
    reached = std::max(reached, std::abs(broken["reached"].get<double>()));
  }
  // The largest effort, one way or the other, is that of the data, and at least what the weight needs at one of the two ends.
  for (const nlohmann::json& tau : s.report["motion"]["tau"][0]) most = std::max(most, std::abs(tau.get<double>()));
  EXPECT_EQ(reached, most);
  const nlohmann::json& q = s.report["motion"]["q"][0];
  EXPECT_GE(reached, 2 * 9.81 * 0.2 * std::sin(std::abs(q[0].get<double>())) - 1e-3);
  EXPECT_NE(Studied::text_of(s.by_id("motion")).find("breaks"), std::string::npos);
  EXPECT_GE(s.by_id("figure-motion").select_nodes(".//path[@class='limit']").size(), 1u);
  EXPECT_NE(Studied::text_of(s.tree).find("broken"), std::string::npos);
  const Studied within(ulna::load("panda"));
  for (const char* motion : {"motion", "reference"}) EXPECT_TRUE(within.report[motion]["broken_limits"].empty()) << motion;
  EXPECT_NE(within.text().find("both motions keep all limits"), std::string::npos);
}

// The papers' polynomials leave fractions; they are written, and have a mark.
TEST(StudyPage, FractionalCountsAreWritten) {
  const Studied s(ulna::load("panda"));
  // 25 n⁴ + 199/3 n³ + 129.5 n² + 127/3 n - 96 at n = 7
  EXPECT_NE(Studied::text_of(s.by_id("counts"))
                .find("89\xe2\x80\xaf"
                      "323.17"),
            std::string::npos);
  EXPECT_TRUE(s.by_id("figure-counts").select_node(".//g[@class='mark'][contains(title, 'uicker-kahn')]"));
  EXPECT_TRUE(s.by_id("figure-inertia").select_node(".//svg"));
  EXPECT_TRUE(s.by_id("figure-shares").select_node(".//svg"));
}

TEST(StudyPage, OneJointOfEachKind) {
  for (const char* kind : {"revolute", "prismatic"}) {
    SCOPED_TRACE(kind);
    const ulna::LoadResult r = loaded(chain_of("one", "base", "arm", "joint", kind));
    ASSERT_TRUE(r.model);
    const Studied s(*r.model);
    expect_sound(s);
    expect_figures(s, {"figure-arm", "figure-motion", "figure-torques", "figure-counts"});
    EXPECT_EQ(s.report["motion"]["units"][0], std::string(kind) == "prismatic" ? "m" : "rad");
    EXPECT_TRUE(s.study.good);
  }
}

TEST(StudyPage, NothingMoves) {
  const ulna::LoadResult r = loaded("<robot name=\"rock\"><link name=\"base\"/></robot>");
  ASSERT_TRUE(r.model);
  const Studied s(*r.model);
  expect_sound(s);
  EXPECT_TRUE(s.report["motion"].is_null());
  EXPECT_NE(s.text().find("No joint moves"), std::string::npos);
}

TEST(StudyPage, Trees) {
  ulna::StudyOptions options = quick();
  options.samples = 2;
  for (const char* robot : {"torso", "humanoid-38"}) {
    SCOPED_TRACE(robot);
    const Studied s(ulna::load(robot), options);
    expect_sound(s);
    expect_figures(s, {"figure-arm", "figure-motion", "figure-torques", "figure-counts", "figure-growth"});
    EXPECT_TRUE(s.study.good);
    // What a large robot does not get is told.
    EXPECT_EQ(s.text().find("too many operations for a drawing") != std::string::npos, std::string(robot) == "humanoid-38");
  }
}

}  // namespace
}  // namespace study_test
