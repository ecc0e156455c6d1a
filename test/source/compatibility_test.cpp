// compatibility.txt, row by row. tools/compatibility_page makes docs/compatibility.md from it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include <ulna/source/load.hpp>

#include "support/problems.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

struct Row {
  int line = 0;
  std::string feature, where, text, outcome, effect;
};

/// What stands between the first and the last backtick; all of it where there is none.
std::string plain(const std::string& cell) {
  const std::size_t first = cell.find('`'), last = cell.rfind('`');
  return first == last ? cell : cell.substr(first + 1, last - first - 1);
}

/// The rows of five cells below a heading.
std::vector<Row> rows_below(const std::string& heading) {
  std::ifstream page(ULNA_COMPATIBILITY);
  EXPECT_TRUE(page) << "no rows";
  std::vector<Row> rows;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(page, line);) {
    ++number;
    if (line.rfind("## ", 0) == 0) inside = line == heading;
    if (!inside || line.rfind("| ", 0) != 0 || line.rfind("| feature", 0) == 0) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 1; at < line.size();) {
      const std::size_t end = line.find('|', at);
      const std::string cell = line.substr(at, end - at);
      const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
      at = end == std::string::npos ? line.size() : end + 1;
    }
    EXPECT_EQ(cells.size(), 5u) << "line " << number;
    if (cells.size() == 5) rows.push_back({number, cells[0], cells[1], plain(cells[2]), cells[3], plain(cells[4])});
  }
  return rows;
}

std::string urdf_of(const Row& row) {
  if (row.where == "file") return row.text;
  const bool of_joint = row.where.rfind("joint", 0) == 0;
  const std::string type = of_joint && row.where.size() > 6 ? row.where.substr(6) : "continuous";
  const std::string inertial =
      row.where == "inertial" ? row.text : std::string(R"(<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>)");
  return cat(R"(<robot name="r"><link name="base"/><link name="arm"><inertial>)", inertial, "</inertial>", row.where == "link" ? row.text : "",
             R"(</link><joint name="j" type=")", type, R"("><parent link="base"/><child link="arm"/>)", of_joint ? row.text : "", "</joint>",
             row.where == "robot" ? row.text : "", "</robot>");
}

std::string mjcf_of(const Row& row) {
  if (row.where == "file") return row.text;
  const auto here = [&](const char* element) { return row.where.rfind(element, 0) == 0 ? cat(" ", row.text) : std::string(); };
  return cat("<mujoco><compiler", row.where == "joint without autolimits" ? " autolimits=\"false\"" : "", here("compiler"), "/><worldbody><body name=\"arm\"",
             here("body"), "><inertial pos=\"0 0 0\" mass=\"3\" diaginertia=\"1 1 1\"/><joint name=\"j\"", here("joint"),
             "/><geom size=\"0.1\" mass=\"1\"/></body></worldbody></mujoco>");
}

std::string sdf_of(const Row& row) {
  if (row.where == "file") return row.text;
  const bool of_joint = row.where.rfind("joint", 0) == 0;
  const std::string type = of_joint && row.where.size() > 6 ? row.where.substr(6) : "revolute";
  const auto here = [&](const char* place, const char* otherwise = "") { return row.where == place ? row.text : std::string(otherwise); };
  const std::string kInertial = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";
  return cat(R"(<sdf version="1.7"><model name="r">)", here("model"), R"(<link name="base">)", kInertial, R"(</link><link name="arm">)",
             row.where == "inertial" ? cat("<inertial>", row.text, "</inertial>") : kInertial, here("link"), R"(</link><joint name="j" type=")", type,
             R"("><parent>base</parent><child>arm</child>)", of_joint ? row.text : "", "<axis>", here("axis", "<xyz>0 0 1</xyz>"),
             "</axis></joint></model></sdf>");
}

std::string yaml_of(const Row& row) {
  if (row.where == "file") return row.text;
  const std::string key = row.text.substr(0, row.text.find(':'));
  std::vector<std::string> top{"robot: r", "convention: standard"};
  std::vector<std::string> entries{"joint: revolute", "a: 0", "alpha: 0", "d: 0", "theta: 0", "mass: 1", "com: [0, 0, 0]", "inertia: [1, 1, 1]"};
  std::vector<std::string>& target = row.where == "top" ? top : entries;
  std::erase_if(target, [&](const std::string& entry) { return entry.substr(0, entry.find(':')) == key; });
  target.push_back(row.text);
  std::string text;
  for (const std::string& line : top) text += line + "\n";
  text += "links:\n";
  for (std::size_t i = 0; i < entries.size(); ++i) text += (i == 0 ? "  - " : "    ") + entries[i] + "\n";
  return text;
}

/// The value that a row's effect names.
std::optional<double> value_of(const Model& model, const std::string& name) {
  const Link& link = model.links().back();
  const Joint joint = model.joints().empty() ? Joint{} : model.joints().front();  // a floating joint is the base
  const std::map<std::string, double> values{{"nv", model.nv()},
                                             {"mass", link.mass},
                                             {"com.z", link.com.z},
                                             {"inertia.xx", link.inertia.xx},
                                             {"inertia.xy", link.inertia.xy},
                                             {"upper", joint.upper},
                                             {"effort", joint.effort},
                                             {"velocity", joint.velocity},
                                             {"acceleration", joint.acceleration},
                                             {"deceleration", joint.deceleration},
                                             {"jerk", joint.jerk},
                                             {"lower", joint.lower},
                                             {"offset", joint.mimic ? joint.mimic->offset : 0},
                                             {"axis.x", joint.axis.x},
                                             {"axis.y", joint.axis.y},
                                             {"origin.z", joint.X_PF.p.z},
                                             {"viscous", joint.friction.viscous},
                                             {"coulomb", joint.friction.coulomb},
                                             {"static", joint.friction.level()},
                                             {"rotor", joint.rotor},
                                             {"gear", joint.gear},
                                             {"gravity.z", model.gravity().z}};
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional<double>(found->second);
}

void check(const Row& row, const std::string& text, const std::string& file) {
  SCOPED_TRACE(cat("compatibility.txt:", row.line, ": ", row.feature));
  LoadOptions options;
  options.advise = true;
  const LoadResult result = try_parse(text, file, options);
  const std::string all = test::listing(result.diagnostics);
  const auto said = [&](Severity severity) {
    for (const Diagnostic& d : result.diagnostics)
      if (d.severity == severity && to_string(d).find(row.effect) != std::string::npos) return true;
    return false;
  };
  EXPECT_EQ(result.model.has_value(), row.outcome != "refused") << all;
  const int warnings = test::count(result.diagnostics, Severity::warning);
  if (row.outcome == "refused") {
    EXPECT_TRUE(said(Severity::error)) << all;
  } else if (row.outcome == "warned") {
    EXPECT_TRUE(said(Severity::warning)) << all;
  } else if (row.outcome == "noted") {
    EXPECT_TRUE(said(Severity::note)) << all;
    EXPECT_EQ(warnings, 0) << all;
  } else if (row.outcome == "unused") {
    EXPECT_EQ(warnings, 0) << all;
  } else {
    EXPECT_EQ(row.outcome, "honoured");
    EXPECT_EQ(warnings, 0) << all;
    const std::size_t equals = row.effect.find(" = ");
    ASSERT_NE(equals, std::string::npos);
    ASSERT_TRUE(result.model);
    const std::optional<double> value = value_of(*result.model, row.effect.substr(0, equals));
    ASSERT_TRUE(value) << "the test knows no " << row.effect;
    EXPECT_NEAR(*value, std::stod(row.effect.substr(equals + 3)), 1e-15);
  }
}

TEST(Compatibility, OfUrdfIsAsThePageSays) {
  const std::vector<Row> rows = rows_below("## URDF");
  EXPECT_GT(rows.size(), 50u);
  for (const Row& row : rows) check(row, urdf_of(row), "a.urdf");
}

TEST(Compatibility, OfMjcfIsAsThePageSays) {
  const std::vector<Row> rows = rows_below("## MJCF");
  EXPECT_GT(rows.size(), 25u);
  for (const Row& row : rows) check(row, mjcf_of(row), "a.xml");
}

TEST(Compatibility, OfSdfIsAsThePageSays) {
  const std::vector<Row> rows = rows_below("## SDFormat");
  EXPECT_GT(rows.size(), 25u);
  for (const Row& row : rows) check(row, sdf_of(row), "a.sdf");
}

TEST(Compatibility, OfDhTablesIsAsThePageSays) {
  const std::vector<Row> rows = rows_below("## DH tables in YAML");
  EXPECT_GT(rows.size(), 20u);
  for (const Row& row : rows) check(row, yaml_of(row), "a.yaml");
}

}  // namespace
}  // namespace ulna::test
