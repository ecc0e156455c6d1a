#include "program.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool has(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TemporaryFile::TemporaryFile(const std::string& name, const std::string& text) {
  std::string pattern = testing::TempDir() + "ulna-test-XXXXXX";
  folder_ = mkdtemp(pattern.data());
  path_ = folder_ + "/" + name;
  std::ofstream(path_, std::ios::binary) << text;
}

TemporaryFile::~TemporaryFile() {
  unlink(path_.c_str());
  rmdir(folder_.c_str());
}

Outcome ulna(const std::string& arguments, const std::string& input) {
  const TemporaryFile in("in", input), out("out", ""), err("err", "");
  const std::string command = std::string("'") + ULNA_PROGRAM + "' " + arguments + " < '" + in.path() + "' > '" + out.path() + "' 2> '" + err.path() + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out.path()), text_of(err.path())};
}

Outcome shell(const std::string& script) { return ulna("--version > /dev/null; ULNA='" ULNA_PROGRAM "'; " + script); }

void expect_refused(const std::string& arguments, const std::string& piece) {
  SCOPED_TRACE("ulna " + arguments);
  const Outcome run = ulna(arguments);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(piece), std::string::npos) << run.err;
}

std::string chain_of(int joints) {
  std::ostringstream text;
  text << "<robot name=\"chain\"><link name=\"l0\"/>\n";
  for (int i = 1; i <= joints; ++i)
    text << "<link name=\"l" << i << "\"><inertial><origin xyz=\"0.02 0.01 0.1\"/><mass value=\"1\"/>"
         << "<inertia ixx=\"0.04\" iyy=\"0.03\" izz=\"0.02\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
         << "<joint name=\"j" << i << "\" type=\"continuous\"><parent link=\"l" << i - 1 << "\"/><child link=\"l" << i
         << "\"/><origin xyz=\"0.1 0 0.2\"/><axis xyz=\"" << (i % 2 == 0 ? "0 0 1" : "0 1 0") << "\"/></joint>\n";
  text << "</robot>\n";
  return text.str();
}

long ulna_peak_kilobytes(const std::string& arguments) {
  const std::string command = std::string("exec '") + ULNA_PROGRAM + "' " + arguments + " > /dev/null 2>&1";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << command;
  return usage.ru_maxrss;
}

nlohmann::json ulna_json(const std::string& arguments) {
  const Outcome run = ulna(arguments + " --json");
  EXPECT_EQ(run.status, 0) << arguments << "\n" << run.err;
  return nlohmann::json::parse(run.out, nullptr, false);
}
