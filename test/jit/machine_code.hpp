// A program as machine code, ready to be called.
#pragma once

#include <vector>

#include "jit/kernel.hpp"

namespace ulna::test {

inline std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon})
    if (set == best_instruction_set(set)) sets.push_back(set);
  return sets;
}

/// These, and the templates.
inline std::vector<InstructionSet> all_ways() {
  std::vector<InstructionSet> sets = available_sets();
  sets.push_back(InstructionSet::none);
  return sets;
}

/// States as a kernel takes them, and its results: one state, or as many as some blocks have lanes.
template <class T>
class KernelStates {
 public:
  KernelStates(const Program& program, const jit::Form& form, const std::vector<std::vector<T>>& states)
      : width_(form.lanes ? form.width() : 1), count_(states.size()), size_(program.results.size()) {
    std::size_t begin = 0;
    for (const Signal& signal : program.inputs) {
      const std::size_t size = signal.size;
      std::vector<T>& lanes = inputs_.emplace_back(size * count_ + 1);  // one more, so that nothing is aligned by chance
      for (std::size_t s = 0; s < count_; ++s)
        for (std::size_t i = 0; i < size; ++i) lanes[1 + (s / width_ * size + i) * width_ + s % width_] = states[s][begin + i];
      begin += size;
    }
    while (inputs_.size() < jit::kMostInputs) inputs_.emplace_back(1);
    out_.assign(size_ * count_ + 2, kGuard);
  }

  std::size_t blocks() const { return count_ / width_; }
  std::span<const T> input(std::size_t k) const { return std::span(inputs_[k]).subspan(1); }
  std::span<T> results() { return std::span(out_).subspan(1, size_ * count_); }

  /// One row a state; empty when something was written beyond the results.
  std::vector<std::vector<T>> unpacked() const {
    if (out_.front() != kGuard || out_.back() != kGuard) return {};
    std::vector<std::vector<T>> rows(count_);
    for (std::size_t s = 0; s < count_; ++s)
      for (std::size_t k = 0; k < size_; ++k) rows[s].push_back(out_[1 + (s / width_ * size_ + k) * width_ + s % width_]);
    return rows;
  }

 private:
  static constexpr T kGuard = T(-12345);
  std::size_t width_, count_, size_;
  std::vector<std::vector<T>> inputs_;
  std::vector<T> out_;
};

template <class T>
class MachineCode {
 public:
  MachineCode(const Program& program, InstructionSet set, bool lanes, std::span<const double> parameters = {}, std::span<const jit::InputPair> alike = {})
      : program_(program), form_{set, sizeof(T) == 4, lanes}, encoded_(jit::encode(program, form_, alike)), table_(program, form_, parameters, encoded_.pairs) {
    const jit::Encoded* function = &encoded_;
    memory_.fill({&function, 1});
  }

  bool ok() const { return memory_.ok(); }
  std::size_t width() const { return form_.lanes ? form_.width() : 1; }
  const jit::Encoded& encoded() const { return encoded_; }

  /// One state per entry of `states`: one, or as many as some blocks have lanes.
  std::vector<std::vector<T>> operator()(const std::vector<std::vector<T>>& states) const {
    KernelStates<T> packed(program_, form_, states);
    memory_.function(0)(packed.input(0).data(), packed.input(1).data(), packed.input(2).data(), packed.results().data(), table_.bytes(), packed.blocks());
    return packed.unpacked();
  }

 private:
  const Program& program_;
  jit::Form form_;
  jit::Encoded encoded_;
  jit::ConstantTable table_;
  jit::CodeMemory memory_;
};

}  // namespace ulna::test
