// A model's names in everything that Ulna writes: they are text there, never code. A robot with hostile names and one with plain names must give the same code,
// the same tags and the same cells, but for the names.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "program.hpp"
#include "support/folder.hpp"

namespace {

using support::Folder;

const std::vector<std::string> kHostile{
    R"x(*/ int evil = 1; /* ??/)x",
    R"x(""" + __import__('os').system('x') + """)x",
    R"x(=cmd|' /C calc'!A0,=1+1,"@SUM(1)")x",
    R"x(]]> --> */ %} $(touch x) `x` ${x} #{x} '; x --)x",
    R"x([x](javascript:alert(1)) | a | b | # h *b* _i_ \)x",
    R"x(\input{/etc/passwd}\immediate\write18{x}^^5cinput%)x",
    R"x(<script>alert(1)</script><img src=x onerror=alert(1)>)x",
    R"x(!!python/object:x {a: [*b, &c]} - ? : "q" 'r' # t,=1+1,"@SUM(1)")x",
};
const std::vector<std::string> kPlain{"robot", "base", "one", "two", "three", "j1", "j2", "j3"};

std::string in_xml(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string robot(const std::vector<std::string>& names) {
  const std::string inertial = R"(<inertial><origin xyz="0.1 0 0.2"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>)";
  std::string text = "<robot name=\"" + in_xml(names[0]) + "\">";
  for (std::size_t i = 1; i <= 4; ++i) text += "<link name=\"" + in_xml(names[i]) + "\">" + inertial + "</link>";
  for (std::size_t i = 1; i <= 3; ++i)
    text += "<joint name=\"" + in_xml(names[4 + i]) + "\" type=\"continuous\"><parent link=\"" + in_xml(names[i]) + "\"/><child link=\"" +
            in_xml(names[i + 1]) + "\"/><origin xyz=\"0.3 0 0.1\" rpy=\"0.3 0 0\"/><axis xyz=\"0 " + (i % 2 == 0 ? "1 0" : "0 1") + "\"/></joint>";
  return text + "</robot>";
}

class HostileNames : public ::testing::Test {
 protected:
  HostileNames() {
    folder_.write("hostile.urdf", robot(kHostile));
    folder_.write("plain.urdf", robot(kPlain));
    for (const char* which : {"hostile", "plain"}) folder_.write(std::string(which) + ".yaml", std::string("model: ") + which + ".urdf\nduration: 0.05\n");
  }

  /// What a command prints for each of the two.
  std::pair<std::string, std::string> both(const std::string& before, const std::string& after, const std::string& ending = ".urdf") {
    const auto run = [&](const std::string& which) {
      const Outcome result = ulna(before + " '" + folder_.at(which + ending) + "' " + after);
      EXPECT_EQ(result.status, 0) << before << ": " << result.err;
      return result.out;
    };
    return {run("hostile"), run("plain")};
  }

  Folder folder_;
};

std::string all_replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// As a compiler of C does it: trigraphs, then continued lines, then comments. Strings and characters are kept.
std::string without_c_comments(std::string text) {
  text = all_replaced(all_replaced(text,
                                   "?"
                                   "?/",
                                   "\\"),
                      "\\\n", "");
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
    } else if (text.compare(i, 2, "//") == 0) {
      i = text.find('\n', i) - 1;
    } else if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      out += text.substr(i, end - i + 1);
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string without_line_comments(const std::string& text, const std::string& mark) { return std::regex_replace(text, std::regex(mark + "[^\n]*"), ""); }

TEST_F(HostileNames, InGeneratedCode) {
  const std::string what = " --name arm --what inverse,mass,pose";
  for (const std::string language : {"c", "cpp", "rust", "matlab"}) {
    SCOPED_TRACE(language);
    for (const std::string which : {"hostile", "plain"})
      ASSERT_EQ(ulna("generate '" + folder_.at(which + ".urdf") + "' --lang " + language + what + " --out " + folder_.at(which + "-" + language)).status, 0);
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(folder_.at("plain-" + language))) names.insert(file.path().filename());
    bool told = false;
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      std::string hostile = folder_.text_of("hostile-" + language + "/" + name), plain = folder_.text_of("plain-" + language + "/" + name);
      told = told || hostile != plain;
      if (language == "matlab")
        hostile = without_line_comments(hostile, "%"), plain = without_line_comments(plain, "%");
      else
        hostile = without_c_comments(hostile), plain = without_c_comments(plain);
      EXPECT_TRUE(hostile == plain);
      EXPECT_EQ(hostile.find("evil"), std::string::npos);
    }
    EXPECT_TRUE(told) << "the names are told in comments, or this test shows nothing";
  }
  EXPECT_EQ(folder_.run("cc -std=c99 -trigraphs -Wall -Wextra -Wno-comment -Werror -c hostile-c/arm.c -o arm.o"), 0) << folder_.text_of("output.txt");
}

TEST_F(HostileNames, InGeneratedPython) {
  if (!support::installed("python3")) GTEST_SKIP() << "no python3 here";
  for (const std::string which : {"hostile", "plain"})
    ASSERT_EQ(ulna("generate '" + folder_.at(which + ".urdf") + "' --lang python --name arm --out " + folder_.at(which)).status, 0);
  // The same syntax tree when docstrings are left out.
  folder_.write("compare.py", R"(
import ast, sys
def tree(path):
    module = ast.parse(open(path).read())
    for node in ast.walk(module):
        body = getattr(node, 'body', None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], 'value', None), ast.Constant):
            body[0].value.value = ''
    return ast.dump(module)
sys.exit(0 if tree('hostile/arm.py') == tree('plain/arm.py') else 1)
)");
  EXPECT_EQ(folder_.run("python3 compare.py"), 0) << folder_.text_of("output.txt");
}

/// Names of elements and attributes, in order.
std::vector<std::string> tags(const std::string& text) {
  std::vector<std::string> all;
  const std::regex tag(R"(<(/?[A-Za-z!?][^\s<>/]*)((?:"[^"]*"|[^"<>])*)>)"), attribute(R"(([A-Za-z:_-]+)=\")");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), tag); at != std::sregex_iterator(); ++at) {
    all.push_back((*at)[1]);
    const std::string inside = (*at)[2];
    for (auto a = std::sregex_iterator(inside.begin(), inside.end(), attribute); a != std::sregex_iterator(); ++a) all.push_back((*a)[1]);
  }
  return all;
}

TEST_F(HostileNames, InPagesAndDrawings) {
  const auto [page, plain] = both("equations", "--html --what mass,pose");
  EXPECT_EQ(tags(page), tags(plain));
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  for (const std::string which : {"hostile", "plain"}) {
    ASSERT_EQ(ulna("schedule '" + folder_.at(which + ".urdf") + "' --svg " + folder_.at(which + ".svg")).status, 0);
    ASSERT_EQ(ulna("simulate " + folder_.at(which + ".yaml") + " --plot " + folder_.at(which + "-plots")).status, 0);
  }
  EXPECT_EQ(tags(folder_.text_of("hostile.svg")), tags(folder_.text_of("plain.svg")));
  for (const auto& file : std::filesystem::directory_iterator(folder_.at("plain-plots"))) {
    const std::string name = file.path().filename();
    EXPECT_EQ(tags(folder_.text_of("hostile-plots/" + name)), tags(folder_.text_of("plain-plots/" + name))) << name;
  }
}

TEST_F(HostileNames, InLatexAndMarkdown) {
  const std::string latex = both("equations", "--latex --what mass,pose").first;
  for (const char* command : {"\\input", "\\immediate", "\\write", "^^"}) EXPECT_EQ(latex.find(command), std::string::npos) << command;
  EXPECT_NE(latex.find("\\textbackslash{}input"), std::string::npos) << latex.substr(0, 500);
  const auto [markdown, plain] = both("equations", "--markdown --what mass,pose");
  EXPECT_EQ(markdown.find("<script"), std::string::npos);
  EXPECT_EQ(markdown.find("](javascript"), std::string::npos);
  // Bars that are not escaped make cells: as many in each line as with plain names.
  const auto bars = [](const std::string& text) { return std::regex_replace(std::regex_replace(text, std::regex(R"(\\.)"), ""), std::regex("[^|\n]"), ""); };
  EXPECT_EQ(bars(markdown), bars(plain));
}

/// The cells of CSV text, quotes taken off.
std::vector<std::vector<std::string>> cells(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (text[i] == '"')
      quoted = !quoted;
    else if (text[i] == ',' && !quoted)
      rows.back().emplace_back();
    else if (text[i] == '\n' && !quoted)
      rows.emplace_back(1);
    else
      rows.back().back() += text[i];
  }
  if (rows.back() == std::vector<std::string>{""}) rows.pop_back();
  return rows;
}

void expect_harmless(const std::string& hostile, const std::string& plain) {
  const auto got = cells(hostile), expected = cells(plain);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].size(), expected[i].size()) << "row " << i;
  for (std::size_t i = 1; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]);  // numbers
  for (const std::string& header : got[0]) EXPECT_EQ(std::string("=+-@\t").find(header[0]), std::string::npos) << header;
}

TEST_F(HostileNames, InTables) {
  for (const char* command : {"inverse", "mass", "pose"}) {
    SCOPED_TRACE(command);
    const auto [hostile, plain] = both(command, "--csv");
    expect_harmless(hostile, plain);
  }
  for (const std::string which : {"hostile", "plain"})
    ASSERT_EQ(ulna("simulate " + folder_.at(which + ".yaml") + " --out " + folder_.at(which + ".csv")).status, 0);
  expect_harmless(folder_.text_of("hostile.csv"), folder_.text_of("plain.csv"));
}

TEST_F(HostileNames, ComeBackWhole) {
  const auto joints = [](const std::string& path) { return ulna_json("inverse '" + path + "'")["joints"].get<std::vector<std::string>>(); };
  const std::vector<std::string> names(kHostile.begin() + 5, kHostile.end());
  EXPECT_EQ(joints(folder_.at("hostile.urdf")), names);  // through JSON
  for (const std::string to : {"urdf", "dh", "mdh"}) {
    const Outcome converted = ulna("convert '" + folder_.at("hostile.urdf") + "' --to " + to);
    ASSERT_EQ(converted.status, 0) << converted.err;
    const std::string name = to == "urdf" ? "again.urdf" : to + ".yaml";
    folder_.write(name, converted.out);
    EXPECT_EQ(joints(folder_.at(name)), names) << to;
  }
}

}  // namespace
