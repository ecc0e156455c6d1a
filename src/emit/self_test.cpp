#include "emit/self_test.hpp"

#include <cctype>
#include <fstream>

#include "emit/c_compiler.hpp"
#include "text/message.hpp"

namespace ulna::internal {

SelfTest run_self_test(const std::vector<GeneratedFile>& files, const std::string& name) {
  const OwnFolder folder;
  if (folder.path().empty()) return {false, false, "no folder for temporary files could be made"};
  std::string source;
  for (const GeneratedFile& file : files) {
    std::ofstream out(folder.path() / file.name, std::ios::binary);
    out << file.text;
    if (file.name.ends_with(".c")) source = folder.file(file.name);
  }
  const std::string output = folder.file("output"), program = folder.file("selftest");
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string define = cat("-D", upper, "_SELFTEST_MAIN");
  const std::optional<std::string> compiler = find_c_compiler(folder);
  if (!compiler) return {false, false, kNoCompiler};
  if (run_program({*compiler, "-std=c99", "-O0", define, source, "-lm", "-o", program}, output) != 0)
    return {true, false, cat(*compiler, " does not compile it: ", beginning_of_file(output))};
  const int status = run_program({program}, output);
  return {true, status == 0, beginning_of_file(output)};
}

}  // namespace ulna::internal
