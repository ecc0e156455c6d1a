// A program as machine code, ready to be called.
#pragma once

#include <vector>

#include "jit/kernel.hpp"

namespace ulna::test {

inline std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512})
    if (set <= best_instruction_set()) sets.push_back(set);
  return sets;
}

template <class T>
class MachineCode {
 public:
  MachineCode(const Program& program, InstructionSet set, bool lanes)
      : program_(program), form_{set, sizeof(T) == 4, lanes}, encoded_(jit::encode(program, form_)), table_(program, form_) {
    const jit::Encoded* function = &encoded_;
    memory_.fill({&function, 1});
  }

  bool ok() const { return memory_.ok(); }
  std::size_t width() const { return form_.lanes ? static_cast<std::size_t>(form_.width()) : 1; }
  const jit::Encoded& encoded() const { return encoded_; }

  /// One state per entry of `states`: one, or as many as some blocks have lanes.
  std::vector<std::vector<T>> operator()(const std::vector<std::vector<T>>& states) const {
    const std::size_t w = width(), blocks = states.size() / w;
    std::vector<std::vector<T>> signals;
    std::size_t begin = 0;
    for (const Signal& signal : program_.inputs) {
      const std::size_t size = static_cast<std::size_t>(signal.size);
      std::vector<T>& lanes = signals.emplace_back(size * states.size() + 1);  // one more, so that nothing is aligned by chance
      for (std::size_t s = 0; s < states.size(); ++s)
        for (std::size_t i = 0; i < size; ++i) lanes[1 + (s / w * size + i) * w + s % w] = states[s][begin + i];
      begin += size;
    }
    while (signals.size() < 3) signals.emplace_back(1);
    constexpr T kGuard = T(-12345);
    const std::size_t size = program_.results.size();
    std::vector<T> out(size * states.size() + 2, kGuard);
    memory_.function(0)(signals[0].data() + 1, signals[1].data() + 1, signals[2].data() + 1, out.data() + 1, table_.bytes(), blocks);
    if (out.front() != kGuard || out.back() != kGuard) return {};  // written beyond its results
    std::vector<std::vector<T>> results(states.size());
    for (std::size_t s = 0; s < states.size(); ++s)
      for (std::size_t k = 0; k < size; ++k) results[s].push_back(out[1 + (s / w * size + k) * w + s % w]);
    return results;
  }

 private:
  const Program& program_;
  jit::Form form_;
  jit::Encoded encoded_;
  jit::ConstantTable table_;
  jit::CodeMemory memory_;
};

}  // namespace ulna::test
