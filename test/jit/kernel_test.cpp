// Machine code against the program it was made of: bit for bit, on every instruction set this computer has.
#include "jit/kernel.hpp"

#include <fstream>
#include <sstream>

#include "jit/machine_code.hpp"
#include "jit/random_program.hpp"
#include "support/imagined_processor.hpp"

namespace ulna::test {
namespace {

template <class T>
class Kernels : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Kernels, Reals);

TYPED_TEST(Kernels, GiveWhatTheProgramGives) {
  using T = TypeParam;
  for (const InstructionSet set : available_sets())
    for (const bool lanes : {false, true})
      for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(::testing::Message() << to_string(set) << (lanes ? " lanes" : " one") << " seed " << seed);
        Random random(seed);
        const Program program = random_program(seed, {.instructions = random.integer(30, 400),
                                                      .inputs = random.integer(3, 40),
                                                      .constants = random.integer(1, 60),
                                                      .fused = set != InstructionSet::sse2});
        const MachineCode<T> code(program, set, lanes);
        ASSERT_TRUE(code.ok());
        std::vector<std::vector<T>> states(lanes ? 3 * code.width() : 1);
        for (std::vector<T>& state : states)
          for (std::size_t k = 0; k < program.input_count(); ++k) state.push_back(static_cast<T>(random.uniform(0.5, 2)));
        const std::vector<std::vector<T>> got = code(states);
        ASSERT_EQ(got.size(), states.size());
        for (std::size_t l = 0; l < states.size(); ++l) {
          const std::vector<T> expected = evaluated(program, states[l]);
          for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_TRUE(same(got[l][k], expected[k])) << "state " << l << " result " << k << ": " << got[l][k] << " for " << expected[k];
        }
      }
}

// Sines and cosines differ from the library's in the last bit, so programs with angles are compared with the turns given as inputs.
TYPED_TEST(Kernels, TurnManyAngles) {
  using T = TypeParam;
  for (const InstructionSet set : available_sets())
    for (const bool lanes : {false, true})
      for (const int angles : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40}) {
        SCOPED_TRACE(::testing::Message() << to_string(set) << (lanes ? " lanes" : " one") << " angles " << angles);
        Graph graph;
        const std::vector<Expr> q = graph.inputs("q", angles);
        std::vector<Expr> results;
        for (int k = 0; k < angles; ++k) {
          const std::size_t i = k;
          const SinCos<Expr> turn = sincos(k % 3 == 1 ? q[i] + Expr(0.25) : k % 3 == 2 ? Expr(2.5) * q[i] - Expr(0.5) : q[i]);
          results.push_back(turn.sin);
          results.push_back(-turn.cos);
        }
        const OutputOf output{"y", results};
        const Program program = make_program(graph, {&output, 1}, set == InstructionSet::sse2 ? Fuse::no : Fuse::yes);
        const MachineCode<T> code(program, set, lanes);
        ASSERT_TRUE(code.ok());
        Random random(static_cast<std::uint64_t>(angles));
        std::vector<std::vector<T>> states(lanes ? 3 * code.width() : 1);
        for (std::vector<T>& state : states)
          for (int k = 0; k < angles; ++k) state.push_back(static_cast<T>(random.uniform(-4, 4)));
        const std::vector<std::vector<T>> got = code(states);
        ASSERT_EQ(got.size(), states.size());
        for (std::size_t l = 0; l < states.size(); ++l) {
          const std::vector<T> expected = evaluated(program, states[l]);
          for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_NEAR(got[l][k], expected[k], 2 * std::numeric_limits<T>::epsilon()) << "state " << l << " result " << k;
        }
      }
}

/// Lines of /proc/self/maps.
std::vector<std::string> mappings() {
  std::ifstream file("/proc/self/maps");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(CodeMemory, IsNeverWritableAndExecutable) {
  const Program program = random_program(1, {.instructions = 2000});
  const MachineCode<double> code(program, available_sets().at(0), true);
  ASSERT_TRUE(code.ok());
  const std::vector<std::string> lines = mappings();
  if (lines.empty()) GTEST_SKIP() << "no /proc/self/maps here";
  int executable = 0;
  for (const std::string& line : lines) {
    const std::string access = line.substr(line.find(' ') + 1, 4);
    EXPECT_FALSE(access[1] == 'w' && access[2] == 'x') << line;
    if (access[2] == 'x' && line.find('/') == std::string::npos && line.find('[') == std::string::npos) ++executable;
  }
  EXPECT_GE(executable, 1) << "the kernel's memory is not among the mappings";
}

TEST(Kernel, WithTooManyInputsOrTooLargeAFrameIsNotMade) {
  Program program = random_program(1, {.instructions = 50});
  program.inputs = {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 3}};
  EXPECT_TRUE(jit::encode(program, {available_sets().at(0), false, false}).code.empty());
  // Every value is needed at the end: all of them stand on the stack.
  Program wide;
  wide.inputs = {{"q", 1}};
  wide.constants = {1.5};
  constexpr std::uint32_t kValues = 40000;
  for (std::uint32_t k = 0; k < kValues; ++k) wide.instructions.push_back({Op::multiply, k == 0 ? 0 : 1 + k, 1, kNoValue});
  for (std::uint32_t k = 0; k < kValues; ++k) wide.instructions.push_back({Op::add, 2 + k, k == 0 ? 2 : 2 + kValues + k - 1, kNoValue});
  wide.names.resize(wide.instructions.size());
  wide.results = {{static_cast<std::uint32_t>(wide.value_count() - 1), false}};
  wide.outputs = {{"y", 1}};
  EXPECT_TRUE(jit::encode(wide, {available_sets().at(0), false, true}).code.empty());
}

}  // namespace
}  // namespace ulna::test
