// xacro files: expressions by Python's rules, the elements of xacro by its documentation, and messages that point at what made an element.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

#include "source/xacro.hpp"
#include "support/folder.hpp"
#include "support/problems.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::test {
namespace {

using internal::cat;
using support::Folder;

constexpr std::string_view kHead = R"x(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">)x";

struct ExpandedText {
  std::string text;
  std::vector<Diagnostic> problems;
};

ExpandedText expanded(const std::string& body, const LoadOptions& options = {}) {
  Diagnostics diagnostics("a.xacro");
  const auto out = internal::expand_xacro(cat(kHead, body, "</robot>"), "a.xacro", options, {}, diagnostics);
  if (out) {
    EXPECT_EQ(static_cast<std::size_t>(std::count(out->text.begin(), out->text.end(), '\n')), out->lines.size()) << "every line of the text has an origin";
  }
  return {out ? out->text : "", diagnostics.all()};
}

/// The attribute x of the first <v>.
std::string value_of(const std::string& body, const LoadOptions& options = {}) {
  const ExpandedText out = expanded(body, options);
  if (out.text.empty()) return cat("refused: ", listing(out.problems));
  const std::size_t at = out.text.find("<v x=\"");
  if (at == std::string::npos) return out.text;
  std::string value = out.text.substr(at + 6, out.text.find('"', at + 6) - at - 6);
  for (std::size_t quote = value.find("&#39;"); quote != std::string::npos; quote = value.find("&#39;")) value.replace(quote, 5, "'");
  return value;
}

std::string of_expression(const std::string& expression) {
  return value_of(cat(R"x(<xacro:property name="a" value="3"/><xacro:property name="b" value="-2.5"/><xacro:property name="s" value="left_arm"/>)x"
                      R"x(<xacro:property name="l" value="${[1, 2.5, 'x']}"/><xacro:property name="d" value="${dict(k=1, z=dict(q='t'))}"/>)x",
                      "<v x=\"", internal::xml_text(cat("${", expression, "}")), "\"/>"));
}

// Values by the rules of the Python language reference: / is true division, // floors, % takes the sign of the divisor, ** binds tighter than a sign before it,
// comparisons chain, round() goes to even, numbers print as the shortest text of the same bits.
TEST(Xacro, ExpressionsFollowPython) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1 + 2 * 3", "7"},
      {"7 / 2", "3.5"},
      {"4 / 2", "2.0"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"7.5 // -2", "-4.0"},
      {"5.5 % -2", "-0.5"},
      {"2 ** 10", "1024"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ** 3 ** 2", "512"},
      {"0.1 + 0.2", "0.30000000000000004"},
      {"1e-5", "1e-05"},
      {"0.0001", "0.0001"},
      {"1e16", "1e+16"},
      {"123456789012345.0", "123456789012345.0"},
      {"a * b", "-7.5"},
      {"1 if a == 3 else 2", "1"},
      {"1 < a < 3", "False"},
      {"1 < a <= 3", "True"},
      {"not a or b", "-2.5"},
      {"a and s", "left_arm"},
      {"'left' in s", "True"},
      {"'k' in d and 'q' not in d", "True"},
      {"d.z.q + d['z']['q']", "tt"},
      {"l[0] + l[-2]", "3.5"},
      {"l", "[1, 2.5, 'x']"},
      {"s[0:4] + s[-3:]", "leftarm"},
      {"s[::-1]", "mra_tfel"},
      {"s.split('_')[1].upper()", "ARM"},
      {"' 1  2 '.split()", "['1', '2']"},
      {"s.replace('left', 'right')", "right_arm"},
      {"'-'.join(['a', 'b'])", "a-b"},
      {"s.startswith('left') and not s.endswith('x')", "True"},
      {"list(d.keys())", "['k', 'z']"},
      {"d.get('none', 7)", "7"},
      {"[2 * i for i in range(4) if i != 1]", "[0, 4, 6]"},
      {"round(2.5), round(3.5), round(2.675, 2)", "(2, 4, 2.67)"},
      {"int(-2.7), float('1e3'), str(1.0), bool('')", "(-2, 1000.0, '1.0', False)"},
      {"min(3, 1, 2) + max([4, 5])", "6"},
      {"floor(-1.5), ceil(1.2), abs(-3)", "(-2, 2, 3)"},
      {"len(l) + len(s)", "11"},
      {"radians(180) == pi and degrees(pi) == 180", "True"},
      {"sqrt(2)", "1.4142135623730951"},
      {"'%s_%d' % (s, 2)", "left_arm_2"},
      {"'%s' % [1, 2] + '|%-4s|%4s|%.2s|%03x' % ('a', 'b', 'cde', 26)", "[1, 2]|a   |   b|cd|01a"},
      {"python.sum([1, 2]) + math.floor(1.5)", "4"},
      {"True + 1", "2"},
      {"1 == 1.0 == True", "True"},
      {"1_000", "1000"},
      {"u'a' + U\"b\"", "ab"},
      {"len(python.set([1, 2, 2.0, 'a']))", "3"},
      {"python.sorted(python.set([3, 1, 2]) - python.set([2, 5]))", "[1, 3]"},
      {"python.sorted(python.set([3, 1]) | python.set([1, 2])), python.set('ab') & python.set('bc')", "([1, 2, 3], {'b'})"},
      {"python.set([1]).union([2]) == python.set([1, 2, 3]).difference([3])", "True"},
      {"xacro.tokenize('a=b,c', sep='='), xacro.tokenize(' a', skip_empty=False)", "(['a', 'b,c'], ['', 'a'])"},
      {"round(2.345, ndigits=1), 'a b c'.split(maxsplit=1)", "(2.3, ['a', 'b c'])"},
      {"python.set([1, 2]) == python.set([2, 1]) and not python.set([1]) ^ python.set([1])", "True"},
  };
  for (const auto& [expression, value] : kCases) EXPECT_EQ(of_expression(expression), value) << expression;
}

TEST(Xacro, ExpressionsThatPythonRefuses) {
  const std::pair<const char*, const char*> kCases[] = {
      {"1 / 0", "it divides by 0"},
      {"none", "there is no property 'none'"},
      {"sinus(1)", "there is no property 'sinus'"},
      {"'%d' % (1, 2)", "a format has fewer places than values"},
      {"'a' + 1", "+ cannot join a text 'a' and an integer"},
      {"sqrt(-1)", "sqrt() is not defined for -1"},
      {"l[3]", "item 3 of a list of 3 items"},
      {"d['x']", "the dictionary has no key 'x'"},
      {"d.kk", "did you mean 'k'?"},
      {"1 +", "it ends where a value belongs"},
      {"(1", "it ends where ')' belongs"},
      {"1 2", "it makes no sense at '2'"},
      {"", "it is empty"},
      {"10 ** 30", "more than 64 bits"},
      {"'x' * 10000000", "it repeats a text 10000000 times"},
      {"range(10 ** 9)", "range() is longer"},
      {"[1, 2] < 3", "cannot be compared"},
      {"__import__('os')", "there is no property '__import__'"},
      {"s.foo()", "texts have no function 'foo'"},
      {"a.b", "an integer has no member 'b'"},
      {"int('f', base=16)", "int() takes no argument 'base' by its name here"},
  };
  for (const auto& [expression, problem] : kCases) {
    const std::string out = of_expression(expression);
    EXPECT_NE(out.find("refused"), std::string::npos) << expression << ": " << out;
    EXPECT_NE(out.find(problem), std::string::npos) << expression << ": " << out;
  }
}

TEST(Xacro, TextsAndTypes) {
  const std::string kN = R"x(<xacro:property name="n" value="2"/><xacro:property name="t" value="'2'"/><xacro:property name="u" value="1_0"/>)x";
  EXPECT_EQ(value_of(kN + R"x(<v x="a${n}b ${n + 1}"/>)x"), "a2b 3");
  EXPECT_EQ(value_of(kN + R"x(<v x="$${n} $$(arg x) $n 5$"/>)x"), "${n} $(arg x) $n 5$") << "$${ stands for ${";
  EXPECT_EQ(value_of(kN + R"x(<v x="${u}"/>)x"), "1_0") << "no number, though Python reads 10";
  EXPECT_EQ(value_of(kN + R"x(<v x="${n * 2}${t}"/>)x"), "42");
  EXPECT_EQ(value_of(R"x(<xacro:property name="f" value="${1.0}"/><v x="${f}"/>)x"), "1.0");
  EXPECT_EQ(value_of(R"x(<xacro:property name="y" value="true"/><v x="${y}"/>)x"), "True");
  EXPECT_EQ(value_of(R"x(<xacro:property name="a" value="${b + 1}"/><xacro:property name="b" value="1"/><v x="${a}"/>)x"), "2") << "evaluated at its first use";
  EXPECT_EQ(
      value_of(
          R"x(<xacro:property name="b" value="1"/><xacro:property name="a" value="${b}" lazy_eval="false"/><xacro:property name="b" value="2"/><v x="${a}"/>)x"),
      "1");
  EXPECT_NE(value_of(R"x(<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><v x="${a}"/>)x").find("depends on itself"),
            std::string::npos);
}

TEST(Xacro, PropertiesAndScopes) {
  const auto macro = [](const std::string& body) { return cat(R"x(<xacro:macro name="m" params="">)x", body, "</xacro:macro><xacro:m/>"); };
  EXPECT_EQ(value_of(R"x(<xacro:property name="a" value="1"/>)x" + macro(R"x(<xacro:property name="a" value="2"/>)x") + R"x(<v x="${a}"/>)x"), "1");
  EXPECT_EQ(value_of(R"x(<xacro:property name="a" value="1"/>)x" + macro(R"x(<xacro:property name="a" value="2" scope="parent"/>)x") + R"x(<v x="${a}"/>)x"),
            "2");
  EXPECT_EQ(value_of(macro(R"x(<xacro:property name="a" value="2" scope="global"/>)x") + R"x(<v x="${a}"/>)x"), "2");
  EXPECT_EQ(value_of(R"x(<xacro:property name="a" default="1"/><xacro:property name="a" default="2"/><v x="${a}"/>)x"), "1");
  EXPECT_NE(value_of(R"x(<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/><v x="${a}"/>)x").find("there is no property 'a'"),
            std::string::npos);
  EXPECT_EQ(value_of(R"x(<xacro:property name="b"><v x="${n}"/></xacro:property><xacro:property name="n" value="4"/><xacro:insert_block name="b"/>)x"), "4");
}

TEST(Xacro, MacrosAndBlocks) {
  EXPECT_EQ(value_of(R"x(<xacro:macro name="m" params="a b:=2 c=${a0} d:='x y' e:=^ f:=^|9"><v x="${a} ${b} ${c} ${d} ${e} ${f}"/></xacro:macro>)x"
                     R"x(<xacro:property name="a0" value="0"/><xacro:property name="e" value="5"/><xacro:m a="1"/>)x"),
            "1 2 0 x y 5 9");
  EXPECT_EQ(value_of(R"x(<xacro:macro name="m" params="*one **more"><xacro:insert_block name="more"/><xacro:insert_block name="one"/></xacro:macro>)x"
                     R"x(<xacro:m><w/><all><v x="${1 + 1}"/><u/></all></xacro:m>)x"),
            "2");
  const std::string blocks =
      expanded(R"x(<xacro:macro name="m" params="*one **more"><xacro:insert_block name="more"/><xacro:insert_block name="one"/></xacro:macro>)x"
               R"x(<xacro:m><w/><all><a/><b/></all></xacro:m>)x")
          .text;
  EXPECT_EQ(blocks, "<robot name=\"r\">\n<a/>\n<b/>\n<w/>\n</robot>\n");
  EXPECT_EQ(
      value_of(
          R"x(<xacro:macro name="inner" params="x"><v x="${x}"/></xacro:macro><xacro:property name="which" value="inner"/><xacro:call macro="${which}" x="8"/>)x"),
      "8");
  EXPECT_EQ(
      value_of(
          R"x(<xacro:macro name="count" params="n"><xacro:if value="${n == 3}"><v x="${n}"/></xacro:if><xacro:unless value="${n == 3}"><xacro:count n="${n + 1}"/></xacro:unless>)x"
          R"x(</xacro:macro><xacro:count n="0"/>)x"),
      "3");
  EXPECT_EQ(value_of(R"x(<xacro:element xacro:name="${'v'}" x="1"/>)x"), "1");
  EXPECT_EQ(expanded(R"x(<v y="2"><xacro:if value="true"><xacro:attribute name="x" value="${1+2}"/></xacro:if></v>)x").text,
            "<robot name=\"r\">\n<v y=\"2\" x=\"3\"/>\n</robot>\n");
}

TEST(Xacro, ConditionsAndArguments) {
  const std::string kArgs = R"x(<xacro:arg name="arm" default="left"/><xacro:arg name="on" default="false"/><xacro:arg name="arms" default="1"/>)x";
  EXPECT_EQ(value_of(kArgs + R"x(<v x="$(arg arm) ${xacro.arg('arm')}"/>)x"), "left left");
  LoadOptions options;
  options.xacro_args = {{"arm", "right"}, {"on", "1"}};
  EXPECT_EQ(value_of(kArgs + R"x(<v x="$(arg arm)"/>)x", options), "right");
  EXPECT_EQ(value_of(kArgs + R"x(<xacro:if value="$(arg on)"><v x="on"/></xacro:if><xacro:unless value="$(arg on)"><v x="off"/></xacro:unless>)x"), "off");
  EXPECT_EQ(value_of(kArgs + R"x(<xacro:if value="$(arg on)"><v x="on"/></xacro:if><xacro:unless value="$(arg on)"><v x="off"/></xacro:unless>)x", options),
            "on");
  EXPECT_EQ(value_of(kArgs + R"x(<v x="$(eval (2 + 3) * len(arm))"/>)x"), "20");
  // In $(eval) arguments are numbers and booleans where they can be, and true and false have their names; elsewhere arguments are texts.
  EXPECT_EQ(value_of(kArgs + R"x(<v x="$(eval arg('arms') + 1) ${xacro.arg('arms') + '1'} $(eval 1 if $(arg on) else 2 if true else 3)"/>)x"), "2 11 2");
  EXPECT_EQ(value_of(R"x(<v x="$(optenv ULNA_NO_SUCH_VARIABLE two words)"/>)x"), "two words");
  EXPECT_NE(value_of(R"x(<v x="$(env ULNA_NO_SUCH_VARIABLE)"/>)x").find("the environment has no variable"), std::string::npos);
  EXPECT_NE(value_of(R"x(<xacro:if value="maybe"/>)x").find("neither true nor false"), std::string::npos);
  options.xacro_args = {{"amrs", "right"}};
  const ExpandedText slip = expanded(kArgs, options);
  EXPECT_TRUE(has_problem(slip.problems, Severity::warning, 1, "the file has no argument 'amrs'; correct the name; did you mean 'arm'?"))
      << listing(slip.problems);
}

// A package of two files and its YAML, and the same robot by hand.
class XacroFiles : public ::testing::Test {
 protected:
  XacroFiles() {
    std::filesystem::create_directories(folder_.at("arm_description/urdf"));
    folder_.write("arm_description/package.xml", "<package format=\"3\"><name>arm_description</name></package>");
    folder_.write("arm_description/limits.yaml",
                  "joints:\n  shoulder: {lower: !degrees -90, upper: !degrees 90.0, effort: 1.0e+2}\n  elbow: {<<: &both {lower: -1, upper: 0x2}, effort: 50}\n"
                  "masses: [2.5, 1e-1]\nflags: {first: yes, second: 'yes', third: 010, sixty: 1:30, name: _1}\n");
    folder_.write("arm_description/urdf/link.xacro", R"x(<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="body" params="name mass *origin length:=0.5">
    <link name="${prefix}${name}">
      <inertial>
        <xacro:insert_block name="origin"/>
        <mass value="${mass}"/>
        <inertia ixx="${mass * length**2 / 12}" ixy="0" ixz="0"
                 iyy="${mass * length**2 / 12}" iyz="0" izz="${mass * 0.01}"/>
      </inertial>
    </link>
  </xacro:macro>
</robot>
)x");
    folder_.write("arm_description/urdf/arm.urdf.xacro", R"x(<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default="a_"/>
  <xacro:property name="prefix" value="$(arg prefix)"/>
  <xacro:include filename="$(find arm_description)/urdf/link.xacro"/>
  <xacro:include filename="no_such_file.xacro" optional="true"/>
  <xacro:property name="limits" value="${xacro.load_yaml('$(find arm_description)/limits.yaml')}"/>
  <link name="${prefix}base"/>
  <xacro:body name="upper" mass="${limits.masses[0]}"><origin xyz="0 0 0.25"/></xacro:body>
  <xacro:body name="lower" mass="${float(limits['masses'][1])}" length="0.4"><origin xyz="0 0 ${0.4 / 2}" rpy="0 0 ${pi/2}"/></xacro:body>
  <xacro:macro name="hinge" params="name parent child z">
    <joint name="${prefix}${name}" type="revolute">
      <origin xyz="0 0 ${z}"/>
      <parent link="${prefix}${parent}"/>
      <child link="${prefix}${child}"/>
      <axis xyz="0 1 0"/>
      <limit lower="${limits.joints[name].lower}" upper="${limits.joints[name].upper}" effort="${limits.joints[name].effort}" velocity="2"/>
    </joint>
  </xacro:macro>
  <xacro:hinge name="shoulder" parent="base" child="upper" z="0"/>
  <xacro:hinge name="elbow" parent="upper" child="lower" z="0.5"/>
</robot>
)x");
  }
  std::string main() const { return folder_.at("arm_description/urdf/arm.urdf.xacro"); }

  Folder folder_;
};

const std::string kByHand = R"x(<robot name="arm"><link name="a_base"/>
<link name="a_upper"><inertial><origin xyz="0 0 0.25"/><mass value="2.5"/><inertia ixx="0.052083333333333336" ixy="0" ixz="0" iyy="0.052083333333333336" iyz="0" izz="0.025"/></inertial></link>
<link name="a_lower"><inertial><origin xyz="0 0 0.2" rpy="0 0 1.5707963267948966"/><mass value="0.1"/><inertia ixx="0.0013333333333333335" ixy="0" ixz="0" iyy="0.0013333333333333335" iyz="0" izz="0.001"/></inertial></link>
<joint name="a_shoulder" type="revolute"><origin xyz="0 0 0"/><parent link="a_base"/><child link="a_upper"/><axis xyz="0 1 0"/><limit lower="-1.5707963267948966" upper="1.5707963267948966" effort="100" velocity="2"/></joint>
<joint name="a_elbow" type="revolute"><origin xyz="0 0 0.5"/><parent link="a_upper"/><child link="a_lower"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="50" velocity="2"/></joint></robot>)x";

TEST_F(XacroFiles, ExpandToTheRobotWrittenByHand) {
  const LoadResult result = try_load(main());
  ASSERT_TRUE(result.model) << listing(result.diagnostics);
  EXPECT_EQ(count(result.diagnostics, Severity::warning), 0) << listing(result.diagnostics);
  const Model& model = *result.model;
  const Model other = parse(kByHand, "by_hand.urdf");
  ASSERT_EQ(model.links().size(), other.links().size());
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    EXPECT_EQ(model.links()[i].name, other.links()[i].name);
    EXPECT_EQ(model.links()[i].mass, other.links()[i].mass);
    EXPECT_EQ(model.links()[i].com, other.links()[i].com);
    EXPECT_NEAR(model.links()[i].inertia.xx, other.links()[i].inertia.xx, 1e-17);
  }
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint &one = model.joints()[j], &two = other.joints()[j];
    EXPECT_EQ(one.name, two.name);
    EXPECT_EQ(one.X_PF, two.X_PF);
    EXPECT_EQ(one.lower, two.lower);
    EXPECT_EQ(one.upper, two.upper);
    EXPECT_EQ(one.effort, two.effort);
  }
  const std::vector<double> q{0.3, -0.2}, v{1, 2}, a{-1, 3};
  const Plan plan = make_plan(model), by_hand = make_plan(other);
  Workspace ws(plan), ws_by_hand(by_hand);
  std::vector<double> tau(2), expected(2);
  inverse_dynamics(plan, ws, q, v, a, tau);
  inverse_dynamics(by_hand, ws_by_hand, q, v, a, expected);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(tau[i], expected[i], 1e-13 * (1 + std::fabs(expected[i])));
}

TEST_F(XacroFiles, LinesOfTheModelAreThoseOfTheMainFile) {
  const Model model = load(main());
  EXPECT_EQ(model.links()[*model.find_link("a_base")].line, 8);
  EXPECT_EQ(model.links()[*model.find_link("a_upper")].line, 9) << "the line of the call";
  EXPECT_EQ(model.joints()[*model.find_joint("a_elbow")].line, 21);
}

TEST_F(XacroFiles, MessagesNameFileLineAndChain) {
  folder_.write("bad.xacro", replaced(folder_.text_of("arm_description/urdf/arm.urdf.xacro"), "mass=\"${limits.masses[0]}\"", "mass=\"-1\""));
  LoadOptions options;
  options.package_paths = {folder_.at("")};
  const LoadResult result = try_load(folder_.at("bad.xacro"), options);
  EXPECT_FALSE(result.model);
  bool found = false;
  for (const Diagnostic& d : result.diagnostics) {
    if (d.severity != Severity::error || d.element.name != "a_upper") continue;
    found = true;
    EXPECT_EQ(std::filesystem::path(d.file).filename(), "link.xacro");
    EXPECT_EQ(d.line, 3);
    EXPECT_NE(d.chain.find("in macro 'body', called in "), std::string::npos) << d.chain;
    EXPECT_NE(d.chain.find("bad.xacro:9"), std::string::npos) << d.chain;
  }
  EXPECT_TRUE(found) << listing(result.diagnostics);
  // A number that is none stands in the line of its attribute.
  folder_.write("bad.xacro", replaced(folder_.text_of("arm_description/urdf/arm.urdf.xacro"), "length=\"0.4\"", "length=\"${[1]}\""));
  const LoadResult other = try_load(folder_.at("bad.xacro"), options);
  EXPECT_TRUE(has_problem(other.diagnostics, Severity::error, 7, "** takes numbers, not a list")) << listing(other.diagnostics);
  // Another place that a message names is one of a file, too: not of the expanded text, which nobody sees.
  folder_.write("bad.xacro", cat(kHead, "<xacro:macro name=\"m\"><link name=\"a\"/>\n</xacro:macro>\n<xacro:property name=\"p\" value=\"1\"/>\n",
                                 "<xacro:m/>\n<link name=\"a\"/></robot>"));
  const LoadResult twice = try_load(folder_.at("bad.xacro"));
  EXPECT_TRUE(has_problem(twice.diagnostics, Severity::error, 5, "this name is already taken in line 1;")) << listing(twice.diagnostics);
  folder_.write("part.xacro", cat(kHead, "\n\n<link name=\"a\"/></robot>"));
  folder_.write("bad.xacro", cat(kHead, "<xacro:include filename=\"part.xacro\"/>\n<link name=\"a\"/></robot>"));
  const LoadResult included = try_load(folder_.at("bad.xacro"));
  EXPECT_TRUE(has_problem(included.diagnostics, Severity::error, 2, "this name is already taken in line 3 of ")) << listing(included.diagnostics);
}

TEST_F(XacroFiles, PackagesAreFoundByNameBySearchByTheEnvironmentAndAroundTheFile) {
  folder_.write("main.xacro", replaced(folder_.text_of("arm_description/urdf/arm.urdf.xacro"), "name=\"arm\"", "name=\"arm\""));
  const std::string file = folder_.at("main.xacro");
  LoadOptions named, searched;
  named.packages = {{"arm_description", folder_.at("arm_description")}};
  searched.package_paths = {folder_.at("")};
  EXPECT_TRUE(try_load(file, named).model);
  EXPECT_TRUE(try_load(file, searched).model);
  const LoadResult lost = try_load(file);
  EXPECT_FALSE(lost.model);
  EXPECT_TRUE(has_problem(lost.diagnostics, Severity::error, 5, "the package 'arm_description' is not found; say where it is: --package arm_description=DIR"))
      << listing(lost.diagnostics);
  ::setenv("ROS_PACKAGE_PATH", folder_.at("").c_str(), 1);
  EXPECT_TRUE(try_load(file).model);
  ::unsetenv("ROS_PACKAGE_PATH");
  std::filesystem::create_directories(folder_.at("install/share"));
  std::filesystem::copy(folder_.at("arm_description"), folder_.at("install/share/arm_description"), std::filesystem::copy_options::recursive);
  ::setenv("AMENT_PREFIX_PATH", folder_.at("install").c_str(), 1);
  EXPECT_TRUE(try_load(file).model);
  ::unsetenv("AMENT_PREFIX_PATH");
  // A package of another repository beside that of the file is found; of two of one name it is the nearer.
  for (const char* place : {"near/other", "near/cell", "a_far"}) std::filesystem::create_directories(folder_.at(place));
  folder_.write("near/other/package.xml", "<package><name>other</name></package>");
  folder_.write("near/other/main.xacro", folder_.text_of("main.xacro"));
  std::filesystem::copy(folder_.at("arm_description"), folder_.at("near/cell/arm_description"), std::filesystem::copy_options::recursive);
  folder_.write("a_far/package.xml", "<package><name>arm_description</name></package>");
  EXPECT_TRUE(try_load(folder_.at("near/other/main.xacro")).model) << listing(try_load(folder_.at("near/other/main.xacro")).diagnostics);
  EXPECT_TRUE(try_load(folder_.at("near/other/main.xacro"), searched).model) << listing(try_load(folder_.at("near/other/main.xacro"), searched).diagnostics);
}

TEST_F(XacroFiles, YamlIsTypedAsVersion11) {
  folder_.write("y.xacro", cat(kHead, R"x(<xacro:property name="f" value="${xacro.load_yaml('arm_description/limits.yaml').flags}"/>)x",
                               R"x(<link name="${f.first} ${f.second} ${f.third} ${f.sixty} ${f.name + '0'}"/></robot>)x"));
  EXPECT_EQ(load(folder_.at("y.xacro")).links()[0].name, "True yes 8 90 _10");
}

TEST_F(XacroFiles, IncludesByPatternAndIntoNamespaces) {
  folder_.write("part_a.xacro", cat(kHead, "<xacro:property name=\"pa\" value=\"1\"/></robot>"));
  folder_.write("part_b.xacro",
                cat(kHead, "<xacro:property name=\"pb\" value=\"2\"/><xacro:macro name=\"put\" params=\"n\"><link name=\"${n}${pb}\"/></xacro:macro></robot>"));
  folder_.write("g.xacro", cat(kHead, R"x(<xacro:include filename="part_*.xacro"/><link name="l${pa}${pb}"/></robot>)x"));
  EXPECT_EQ(load(folder_.at("g.xacro")).links()[0].name, "l12");
  folder_.write("n.xacro", cat(kHead, R"x(<xacro:include filename="part_b.xacro" ns="B"/><xacro:B.put n="${B.pb * 2}_"/></robot>)x"));
  EXPECT_EQ(load(folder_.at("n.xacro")).links()[0].name, "4_2");
}

// What a file must not do to its reader: each is refused within a second, with its line and what led there.
TEST_F(XacroFiles, HostileFiles) {
  folder_.write("loop_a.xacro", cat(kHead, "\n<xacro:include filename=\"loop_b.xacro\"/></robot>"));
  folder_.write("loop_b.xacro", cat(kHead, "\n\n<xacro:include filename=\"loop_a.xacro\"/></robot>"));
  folder_.write("list.yaml", "just a text\n");
  std::string laughs = R"x(<xacro:macro name="m0" params=""><link name="l"/></xacro:macro>)x", empty_laughs = R"x(<xacro:macro name="m0" params=""/>)x",
              doubling;
  for (int i = 1; i < 12; ++i) {
    const std::string calls = repeated(cat("<xacro:m", i - 1, "/>"), 10);
    for (std::string* all : {&laughs, &empty_laughs}) *all += cat("\n<xacro:macro name=\"m", i, "\" params=\"\">", calls, "</xacro:macro>");
  }
  for (int i = 0; i < 60; ++i) doubling += cat("<xacro:property name=\"p", i, "\" value=\"", i == 0 ? "text" : cat("${p", i - 1, " + p", i - 1, "}"), "\"/>");
  const std::string big = cat("<xacro:property name=\"t\" value=\"${'x' * 100000}\"/><xacro:macro name=\"fill\" params=\"n\"><link name=\"${t}\"/>",
                              "<xacro:if value=\"${n > 0}\"><xacro:fill n=\"${n - 1}\"/></xacro:if></xacro:macro>", repeated("<xacro:fill n=\"200\"/>", 10));
  struct Case {
    const char* name;
    std::string body;
    int line;
    const char* piece;
  };
  const Case kCases[] = {
      {"recursive macro", "\n<xacro:macro name=\"m\" params=\"\">\n<xacro:m/></xacro:macro>\n<xacro:m/>", 3,
       "macros call each other more than 250 deep: 'm' calls itself"},
      {"missing argument", "\n<xacro:macro name=\"m\" params=\"a b\"/>\n<xacro:m a=\"1\"/>", 3, "the macro 'm' needs b"},
      {"argument without a value", "\n<link name=\"$(arg arm)\"/>", 2, "the argument 'arm' has no value; give one: --xacro-arg arm:=VALUE"},
      {"undefined property", "\n<xacro:macro name=\"m\" params=\"\">\n<link name=\"${left}\"/></xacro:macro><xacro:m/>", 3, "there is no property 'left'"},
      {"include loop", "<xacro:include filename=\"loop_a.xacro\"/>", 3, "includes itself"},
      {"missing package", "\n<xacro:include filename=\"$(find nobody)/a.xacro\"/>", 2, "the package 'nobody' is not found"},
      {"missing file", "\n<xacro:include filename=\"nobody.xacro\"/>", 2, "there is no such file"},
      {"bad expression", "\n<link name=\"${1 +* 2}\"/>", 2, "${1 +* 2}: '*' stands where a value belongs"},
      {"unclosed expression", "\n<link name=\"${1 + 2\"/>", 2, "${ is never closed"},
      {"unclosed block", "\n<xacro:macro name=\"m\" params=\"*b\">\n", 2, "is still open"},
      {"block missing", "\n<xacro:macro name=\"m\" params=\"*b\"/>\n<xacro:m/>", 3, "the macro 'm' needs a block '*b'"},
      {"YAML that is no mapping", "\n<xacro:property name=\"y\" value=\"${xacro.load_yaml('list.yaml')}\"/>\n<link name=\"${y.a}\"/>", 3,
       "is a single value, and a mapping or a list belongs there"},
      {"a billion laughs", laughs + "\n<xacro:m11/>", 1, "takes more than 2000000 steps"},
      {"a billion silent laughs", empty_laughs + "\n<xacro:m11/>", 2, "takes more than 2000000 steps"},
      {"text that doubles", doubling + "\n<link name=\"${p59}\"/>", 2, "is larger than 67108864 bytes"},
      {"100 MB", big, 1, "is larger than 67108864 bytes"},
      {"circular property", "<xacro:property name=\"a\" value=\"${a}\"/>\n<link name=\"${a}\"/>", 2, "the property 'a' depends on itself"},
      {"block that inserts itself", "<xacro:property name=\"b\">\n<xacro:insert_block name=\"b\"/></xacro:property><xacro:insert_block name=\"b\"/>", 2,
       "nested more than 1000 deep"},
  };
  for (const Case& bad : kCases) {
    SCOPED_TRACE(bad.name);
    folder_.write("bad.xacro", cat(kHead, bad.body, std::string_view(bad.name) == "unclosed block" ? "" : "</robot>"));
    const auto begin = std::chrono::steady_clock::now();
    const LoadResult result = try_load(folder_.at("bad.xacro"));
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_FALSE(result.model);
    EXPECT_EQ(count(result.diagnostics, Severity::error), 1) << listing(result.diagnostics);
    EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, bad.line, bad.piece)) << listing(result.diagnostics);
    expect_well_formed(result.diagnostics);
#ifdef NDEBUG
    EXPECT_LT(took, 5) << "a second on an idle machine";
#else
    EXPECT_LT(took, 60);
#endif
  }
}

TEST_F(XacroFiles, MessagesOfTheFile) {
  folder_.write("said.xacro", cat(kHead, "\n${xacro.warning('no inertia of', 'hand')}${xacro.message('hello')}<link name=\"a\"/></robot>"));
  LoadOptions options;
  options.advise = true;
  const LoadResult result = try_load(folder_.at("said.xacro"), options);
  EXPECT_TRUE(result.model);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::warning, 2, "the file says: no inertia of hand")) << listing(result.diagnostics);
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::note, 2, "the file says: hello")) << listing(result.diagnostics);
  folder_.write("said.xacro", cat(kHead, "\n${xacro.fatal('stop')}</robot>"));
  EXPECT_TRUE(has_problem(try_load(folder_.at("said.xacro")).diagnostics, Severity::error, 2, "the file stops with: stop"));
}

TEST(Xacro, ATextHasNoFiles) {
  const LoadResult result = try_parse(cat(kHead, "\n<xacro:include filename=\"b.xacro\"/></robot>"), "a.xacro");
  EXPECT_TRUE(has_problem(result.diagnostics, Severity::error, 2, "the model is a text without a folder")) << listing(result.diagnostics);
}

TEST(Xacro, OtherFormatsAreExpandedToo) {
  const Model model = parse(
      R"x(<mujoco xmlns:xacro="x"><xacro:property name="m" value="2"/><worldbody><body><joint/><geom size="0.1" mass="${m + 1}"/></body></worldbody></mujoco>)x",
      "a.xacro");
  EXPECT_EQ(model.mass(), 3);
}

}  // namespace
}  // namespace ulna::test
