#include <ulna/expr/program.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

Program fused(const Program& program) {
  const std::size_t first = program.first_instruction();
  const std::size_t count = program.instructions.size();
  std::vector<std::uint32_t> uses(count, 0);
  const auto use = [&](std::uint32_t value) {
    if (value >= first && value != kNoValue) ++uses[value - first];
  };
  for (const Instruction& step : program.instructions) use(step.a), use(step.b), use(step.c);
  for (const Output& result : program.results) use(result.value);

  // A product is fused with the sum that is its only user; of two such products the second.
  std::vector<std::size_t> product(count, kNone);  // of a sum: the instruction that goes into it
  std::vector<std::uint8_t> gone(count, 0);
  for (std::size_t i = program.precomputed; i < count; ++i) {
    const Instruction& sum = program.instructions[i];
    if (sum.op != Op::add && sum.op != Op::subtract) continue;
    for (const std::uint32_t value : {sum.b, sum.a}) {
      if (value < first + program.precomputed) continue;
      const std::size_t at = value - first;
      if (program.instructions[at].op != Op::multiply || uses[at] != 1) continue;
      product[i] = at;
      gone[at] = 1;
      break;
    }
  }

  Program to = program;
  to.instructions.clear();
  to.names.clear();
  std::vector<std::uint32_t> number(program.value_count(), kNoValue);
  for (std::uint32_t value = 0; value < first; ++value) number[value] = value;
  const auto moved = [&](std::uint32_t value) { return value == kNoValue ? value : number[value]; };
  for (std::size_t i = 0; i < count; ++i) {
    if (gone[i] != 0) continue;
    const Instruction& from = program.instructions[i];
    Instruction step{from.op, moved(from.a), moved(from.b), moved(from.c)};
    if (product[i] != kNone) {
      const Instruction& factors = program.instructions[product[i]];
      const bool leads = product[i] + first == from.a;
      const Op op = from.op == Op::add ? Op::multiply_add : leads ? Op::multiply_subtract : Op::subtract_product;
      step = {op, moved(factors.a), moved(factors.b), moved(leads ? from.b : from.a)};
    }
    number[i + first] = static_cast<std::uint32_t>(first + to.instructions.size());
    to.instructions.push_back(step);
    to.names.push_back(program.names[i]);
  }
  for (Output& result : to.results) result.value = moved(result.value);
  return to;
}

}  // namespace ULNA_API
