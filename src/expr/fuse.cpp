#include <ulna/expr/program.hpp>

namespace ulna {

Program fused(const Program& program) {
  const std::int32_t first = program.first_instruction();
  const std::size_t count = program.instructions.size();
  std::vector<std::int32_t> uses(count, 0);
  const auto use = [&](std::int32_t value) {
    if (value >= first) ++uses[static_cast<std::size_t>(value - first)];
  };
  for (const Instruction& step : program.instructions) use(step.a), use(step.b), use(step.c);
  for (const Output& result : program.results) use(result.value);

  // A product goes into the sum that is its only user; of two such products the second.
  std::vector<std::int32_t> product(count, -1);  // of a sum: the instruction that goes into it
  std::vector<std::uint8_t> gone(count, 0);
  for (std::size_t i = program.precomputed; i < count; ++i) {
    const Instruction& sum = program.instructions[i];
    if (sum.op != Op::add && sum.op != Op::subtract) continue;
    for (const std::int32_t value : {sum.b, sum.a}) {
      const std::int32_t k = value - first;
      if (k < static_cast<std::int32_t>(program.precomputed)) continue;
      const std::size_t at = static_cast<std::size_t>(k);
      if (program.instructions[at].op != Op::multiply || uses[at] != 1) continue;
      product[i] = k;
      gone[at] = 1;
      break;
    }
  }

  Program to = program;
  to.instructions.clear();
  to.names.clear();
  std::vector<std::int32_t> number(static_cast<std::size_t>(program.value_count()), -1);
  for (std::int32_t value = 0; value < first; ++value) number[static_cast<std::size_t>(value)] = value;
  const auto moved = [&](std::int32_t value) { return value < 0 ? value : number[static_cast<std::size_t>(value)]; };
  for (std::size_t i = 0; i < count; ++i) {
    if (gone[i] != 0) continue;
    const Instruction& from = program.instructions[i];
    Instruction step{from.op, moved(from.a), moved(from.b), moved(from.c)};
    if (product[i] >= 0) {
      const Instruction& factors = program.instructions[static_cast<std::size_t>(product[i])];
      const bool leads = product[i] + first == from.a;
      const Op op = from.op == Op::add ? Op::multiply_add : leads ? Op::multiply_subtract : Op::subtract_product;
      step = {op, moved(factors.a), moved(factors.b), moved(leads ? from.b : from.a)};
    }
    number[i + static_cast<std::size_t>(first)] = first + static_cast<std::int32_t>(to.instructions.size());
    to.instructions.push_back(step);
    to.names.push_back(program.names[i]);
  }
  for (Output& result : to.results) result.value = moved(result.value);
  return to;
}

}  // namespace ulna
