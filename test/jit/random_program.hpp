// Programs that mean nothing, with everything an allocator can stumble over: values used once and a hundred times, far apart and twice in one instruction,
// divisions, doublings, results that are inputs or constants, the same result twice.
#pragma once

#include <algorithm>

#include <ulna/expr/program.hpp>

#include "support/random.hpp"

namespace ulna::test {

struct ProgramOptions {
  int instructions = 200;
  int inputs = 9;  // in three signals
  int constants = 8;
  int angles = 0;  // of inputs and of sums of inputs
  bool fused = false;
};

inline Program random_program(std::uint64_t seed, const ProgramOptions& options) {
  Random random(seed);
  Program program;
  const std::size_t inputs = static_cast<std::size_t>(options.inputs), third = inputs / 3;
  program.inputs = {{"q", third}, {"v", third}, {"a", inputs - 2 * third}};
  for (int k = 0; k < options.constants; ++k) program.constants.push_back(random.uniform(0.5, 2));
  const auto last = [&] { return static_cast<int>(program.value_count()) - 1; };
  const int first = last() + 1;
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };  // -1 is kNoValue
  const auto add = [&](Op op, int a, int b, int c = -1) {
    program.instructions.push_back({op, number(a), number(b), number(c)});
    program.names.emplace_back();
    return last();
  };
  for (int k = 0; k < options.angles; ++k) {
    int angle = random.integer(0, options.inputs - 1);
    if (random.chance(0.5)) angle = add(random.chance(0.5) ? Op::add : Op::subtract, angle, random.integer(0, first - 1));
    add(Op::sine, angle, -1);
    add(Op::cosine, angle, -1);
  }
  const auto operand = [&] {  // mostly something recent
    return random.chance(0.6) ? std::max(0, last() - random.integer(0, 12)) : random.integer(0, last());
  };
  while (static_cast<int>(program.instructions.size()) < options.instructions) {
    const int a = operand(), b = random.chance(0.05) ? a : operand(), c = random.chance(0.05) ? a : operand();
    const int kind = random.integer(0, options.fused ? 9 : 5);
    if (kind <= 1)
      add(Op::add, a, b);
    else if (kind == 2)
      add(Op::subtract, a, b);
    else if (kind <= 4)
      add(Op::multiply, a, random.chance(0.5) ? random.integer(options.inputs, first - 1) : b);
    else if (kind == 5)
      add(Op::divide, a, random.chance(0.7) ? random.integer(options.inputs, first - 1) : b);
    else
      add(kind == 7 ? Op::multiply_subtract : kind == 8 ? Op::subtract_product : Op::multiply_add, a, b, c);
  }
  for (int k = 0; k < 12; ++k) program.results.push_back({number(last() - random.integer(0, 30)), random.chance(0.4)});
  program.results.push_back({number(random.integer(0, options.inputs - 1)), true});
  program.results.push_back({number(random.integer(options.inputs, first - 1)), false});
  if (options.angles > 0) program.results.push_back({number(first + 2), true});
  program.outputs = {{"y", program.results.size()}};
  return program;
}

}  // namespace ulna::test
