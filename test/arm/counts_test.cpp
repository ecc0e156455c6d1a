// counts.txt has the instructions, spills and bytes of kernels for AArch64 and for AVX2. ULNA_UPDATE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <ulna/source/load.hpp>

#include "bytes/expected.hpp"
#include "jit/encode.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

constexpr const char* kTable = ULNA_ARM_COUNTS;

std::string stored() {
  std::ifstream file(kTable);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string table() {
  std::string text =
      "| robot | task | numbers | AVX2: instructions | spills | bytes | NEON: instructions | spills | bytes |\n|---|---|---|---|---|---|---|---|---|\n";
  const auto cells = [](const jit::Encoded& made) { return cat(" ", made.instructions, " | ", made.spills, " | ", made.code.size(), " |"); };
  for (const char* name : {"ur5", "panda", "humanoid-38"})
    for (const bool single : {false, true}) {
      const RobotPrograms programs(load(name), single);
      for (const robot::TaskProgram& task : programs.all()) {
        if (task.quantity != Quantity::inverse && task.quantity != Quantity::mass && task.quantity != Quantity::forward) continue;
        const Program program = RobotPrograms::for_set(task, InstructionSet::avx2);
        for (const bool lanes : {false, true}) {
          if (single && !lanes) continue;  // one float takes what one double takes, but for sines and cosines
          const std::string numbers = !lanes ? "one double" : single ? "lanes of floats: 8, 4" : "lanes of doubles: 4, 2";
          text += cat("| ", name, " | ", to_string(task.quantity), " | ", numbers, " |",
                      cells(jit::encode(program, {InstructionSet::avx2, single, lanes}, task.alike)),
                      cells(jit::encode_neon(program, {InstructionSet::neon, single, lanes})), "\n");
        }
      }
    }
  return text;
}

/// All numbers of a text, in their order.
std::vector<double> numbers(const std::string& text) {
  std::vector<double> found;
  for (std::size_t k = 0; k < text.size();) {
    if (text[k] < '0' || text[k] > '9') {
      ++k;
      continue;
    }
    char* end;
    found.push_back(std::strtod(text.c_str() + k, &end));
    k = static_cast<std::size_t>(end - text.c_str());
  }
  return found;
}

TEST(ArmCounts, AreThoseOfTheTable) {
  const std::string made = table();
  if (std::getenv("ULNA_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kTable) << made;
    return;
  }
  // A changed search changes these by a little; the table is wrong when it is by more.
  const std::vector<double> here = numbers(stored()), now = numbers(made);
  ASSERT_EQ(here.size(), now.size()) << "ULNA_UPDATE_GOLDEN=1 writes the table anew";
  for (std::size_t k = 0; k < now.size(); ++k)
    EXPECT_NEAR(here[k], now[k], 0.05 * now[k] + 10) << "number " << k << " of the table; ULNA_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace
}  // namespace ulna::test
