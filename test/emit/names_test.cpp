// Robots with names that languages, their libraries or the generated code itself have taken: what is generated compiles and passes its own test.
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <sstream>

#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated.hpp"
#include "emit/languages.hpp"
#include "support/folder.hpp"

namespace ulna::test {
namespace {

using support::Folder;
using support::installed;

/// Keywords, macros, types and functions of libraries, headers, modules, and what the generated code calls its own.
const std::vector<std::string> kWicked{
    "test",   "test_inverse", "selftest", "main",     "inverse",  "joints", "q",    "tau",    "sine",     "NULL",   "NAN",   "INFINITY", "EOF",
    "M_PI",   "FILE",         "size_t",   "sin",      "fabsf",    "j1",     "y0f",  "gamma",  "signgam",  "printf", "linux", "unix",     "stdout",
    "math",   "stdio",        "double",   "class",    "final",    "union",  "type", "yield",  "gen",      "async",  "await", "match",    "crate",
    "std",    "core",         "alloc",    "Self",     "numpy",    "np",     "os",   "token",  "platform", "struct", "copy",  "enum",     "operator",
    "lambda", "None",         "end",      "function", "classdef", "T",      "k",    "failed", "i",        "result", "robot", "arm_t",    "char8_t"};

const Model& pendulum() {
  static const Model model = parse(
      "robot: pendulum\nconvention: standard\nlinks:\n"
      "  - {joint: revolute, name: hinge, link: bob, a: 1, alpha: 0.3, d: 0.2, theta: 0, mass: 2, com: [-0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n",
      "pendulum.yaml");
  return model;
}

/// Of the last file; most languages have one.
std::string generated(const Folder& folder, const std::string& name, const std::string& language) {
  GenerateOptions options;
  options.language = language;
  options.name = identifier(name);
  options.test_states = 1;
  const std::vector<GeneratedFile> files = generate(pendulum(), options);
  folder.write(files);
  return files.back().name.substr(0, files.back().name.rfind('.'));
}

// All of them in one program, which runs every self-test. The folder is searched for headers.
TEST(Names, InC) {
  if (!installed("cc")) GTEST_SKIP() << "no compiler of C";
  const Folder folder;
  std::string includes = "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n#include <string.h>\n", calls, files;
  for (const std::string& wicked : kWicked) {
    const std::string name = generated(folder, wicked, "c");
    includes += "#include \"" + name + ".h\"\n";
    calls += "  if (" + name + "_selftest() != 0) puts(\"" + name + "\"), failed = 1;\n";
    files += " " + name + ".c";
  }
  folder.write("all_of_them.c", includes + "int main(void)\n{\n  int failed = 0;\n" + calls + "  return failed;\n}\n");
  ASSERT_EQ(folder.run("cc -std=gnu99 -Wall -Wextra -Werror -I. all_of_them.c" + files + " -lm -o all_of_them"), 0) << folder.text_of("output.txt");
  EXPECT_EQ(folder.run("./all_of_them"), 0) << folder.text_of("output.txt");
  const std::string test = generated(folder, "test", "c");  // its own main, too
  EXPECT_EQ(folder.run("cc -std=c99 -D" + upper(test) + "_SELFTEST_MAIN " + test + ".c -lm -o alone && ./alone"), 0) << folder.text_of("output.txt");
}

TEST(Names, InCpp) {
  if (!installed("c++")) GTEST_SKIP() << "no compiler of C++";
  const Folder folder;
  std::string includes = "#include <cmath>\n#include <cstdio>\n", calls;
  for (const std::string& wicked : kWicked) {
    const std::string name = generated(folder, wicked, "cpp");
    includes += "#include \"" + name + ".hpp\"\n";
    calls += "  if (" + name + "::selftest() != 0) std::puts(\"" + name + "\"), failed = 1;\n";
  }
  folder.write("all_of_them.cpp", includes + "int main() {\n  int failed = 0;\n" + calls + "  return failed;\n}\n");
  for (const char* standard : {"c++11", "gnu++20"}) {
    ASSERT_EQ(folder.run("c++ -std=" + std::string(standard) + " -Wall -Wextra -Werror -I. all_of_them.cpp -o all_of_them"), 0) << folder.text_of("output.txt");
    EXPECT_EQ(folder.run("./all_of_them"), 0) << folder.text_of("output.txt");
  }
}

// Every word that stands in the headers of the generated code, or is a macro there, as this compiler has them: each makes a namespace.
TEST(Names, EveryWordOfTheHeadersInCpp) {
  if (!installed("c++")) GTEST_SKIP() << "no compiler of C++";
  const Folder folder;
  folder.write("headers.cpp", "#include <cmath>\n#include <cstdio>\n");
  std::set<std::string> names;
  for (const std::string standard : {"c++11", "gnu++20"}) {
    ASSERT_EQ(folder.run("(c++ -std=" + standard + " -E headers.cpp; c++ -std=" + standard +
                         " -dM -E headers.cpp) | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u > words.txt"),
              0);
    std::istringstream words(folder.text_of("words.txt"));
    for (std::string word; words >> word;) {
      const std::string name = identifier(word);
      names.insert(taken_in_cpp(name) ? name + "_robot" : name);
    }
  }
  ASSERT_GT(names.size(), 1000u);
  std::string text = "#include <cmath>\n#include <cstdio>\n";
  for (const std::string& name : names) text += "namespace " + name + " {\nenum { joints = 6 };\n}\n";
  folder.write("names.cpp", text);
  for (const std::string standard : {"c++11", "gnu++20"})
    EXPECT_EQ(folder.run("c++ -Werror -fsyntax-only -std=" + standard + " names.cpp"), 0) << folder.text_of("output.txt").substr(0, 2000);
}

// What other standard headers define in small letters, included first.
TEST(Names, MacrosOfOtherHeadersInCpp) {
  if (!installed("c++")) GTEST_SKIP() << "no compiler of C++";
  const Folder folder;
  std::string text =
      "#include <string>\n#include <cassert>\n#include <cerrno>\n#include <csetjmp>\n#include <cstdarg>\n#include <cstddef>\n#include <cstdio>\n";
  for (const char* macro :
       {"assert", "errno", "offsetof", "setjmp", "sigsetjmp", "stdin", "stdout", "stderr", "EOF", "va_arg", "va_copy", "va_end", "va_start"})
    text += "#include \"" + generated(folder, macro, "cpp") + ".hpp\"\n";
  folder.write("after_others.cpp", text + "int main() { return 0; }\n");
  EXPECT_EQ(folder.run("c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only -I. after_others.cpp"), 0) << folder.text_of("output.txt").substr(0, 2000);
}

TEST(Names, InRust) {
  const std::string rustc = installed("rustc") ? "rustc" : installed("\"$HOME/.cargo/bin/rustc\"") ? "\"$HOME/.cargo/bin/rustc\"" : "";
  if (rustc.empty()) GTEST_SKIP() << "no compiler of Rust";
  const Folder folder;
  std::string modules, calls;
  for (const std::string& wicked : kWicked) {
    const std::string name = generated(folder, wicked, "rust");
    modules += "mod " + name + ";\n";
    calls += "    assert_eq!(" + name + "::selftest(), Ok(()));\n";
  }
  folder.write("all_of_them.rs", "#![allow(non_snake_case)]\n" + modules + "fn main() {\n" + calls + "}\n");
  ASSERT_EQ(folder.run(rustc + " -D warnings all_of_them.rs -o all_of_them"), 0) << folder.text_of("output.txt");
  EXPECT_EQ(folder.run("./all_of_them"), 0) << folder.text_of("output.txt");
  for (const char* crate : {"test", "std", "core", "NULL"}) {  // as the file says that its self-test is made
    const std::string name = generated(folder, crate, "rust");
    EXPECT_EQ(folder.run(rustc + " --test " + name + ".rs -o alone && ./alone"), 0) << folder.text_of("output.txt");
  }
}

TEST(Names, InPython) {
  if (!installed("python3")) GTEST_SKIP() << "no Python";
  const Folder folder;
  const std::string path = folder.run("python3 -c 'import numpy'") == 0 ? "" : "PYTHONPATH='" ULNA_MODELS_DIR "/../test/emit/fake_numpy' ";
  std::string text;
  for (const std::string& wicked : kWicked) {
    const std::string name = generated(folder, wicked, "python");
    text += "import " + name + "\nassert " + name + ".selftest() == 0\n";
  }
  folder.write("all_of_them.py", text);
  EXPECT_EQ(folder.run("PYTHONDONTWRITEBYTECODE=1 " + path + "python3 all_of_them.py"), 0) << folder.text_of("output.txt");
  // Every keyword and every module that this Python has.
  ASSERT_EQ(folder.run("python3 -c 'import sys, keyword; print(*keyword.kwlist, *getattr(sys, \"stdlib_module_names\", sys.builtin_module_names))'"), 0);
  std::istringstream words(folder.text_of("output.txt"));
  std::string free;
  for (std::string word; words >> word;)
    if (const std::string name = identifier(word); name == word && !taken_in_python(name)) free += " " + word;
  EXPECT_EQ(free, "");
}

TEST(Names, ThoseThatAreFreeStayAsTheyAre) {
  for (const char* name : {"panda", "stanford", "UR5", "iiwa14", "puma560", "arm", "robot", "left_hand", "Scara", "general_RRR"}) {
    EXPECT_EQ(identifier(name), name);
    for (const auto taken : {taken_in_c, taken_in_cpp, taken_in_rust, taken_in_python}) EXPECT_FALSE(taken(name)) << name;
  }
}

}  // namespace
}  // namespace ulna::test
