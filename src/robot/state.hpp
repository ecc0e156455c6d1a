// What a Dynamics object holds.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "jit/distinct.hpp"
#include "jit/kernel.hpp"
#include "jit/transpose.hpp"
#include "robot/programs.hpp"
#include "robot/thread_pool.hpp"

namespace ulna::internal::jit {

/// Machine code of one robot and all that differ from it in numbers only.
struct Code {
  Code(Searches& searches, const DynamicsOptions& options, InstructionSet most, bool single);

  Programs programs;
  InstructionSet set;
  bool single;
  CodeMemory memory;                             // functions 2 k and 2 k + 1: program k for one state, and for a block; then those of `once` and of `columns`
  std::vector<std::uint8_t> present;             // of each function
  std::vector<std::vector<ConstantPair>> pairs;  // of each function, which its table of constants must have
  /// A program for a block that writes results that are equal once.
  struct Once {
    std::size_t program;
    Rows rows;
  };
  std::vector<Once> once;
  std::vector<std::size_t> columns;  // programs that there is a kernel of which takes and gives columns
  std::vector<KernelReport> reports;

  Form form(bool lanes) const { return {set, single, lanes}; }
};

/// One task ready to be called; null where the templates have to do it.
struct Kernel {
  KernelFunction one = nullptr;
  const void* one_constants = nullptr;
  KernelFunction lanes = nullptr;
  const void* lanes_constants = nullptr;
  KernelFunction once = nullptr;     // lanes, with the same constants, that write equal results once; null where few are equal
  const Rows* rows = nullptr;        // of `once`
  KernelFunction columns = nullptr;  // with the same constants, blocks of states one after the other; null where there is none
};

}  // namespace ulna::internal::jit

namespace ulna {

template <class T>
struct DynamicsOf<T>::State {
  State(const Analysis& robot, const DynamicsOptions& options);
  /// The same with other numbers, or another pool; `parameters` are those of the code's programs.
  State(const Model& model, const DynamicsOptions& options, std::shared_ptr<const jit::Code> code, std::vector<std::vector<double>> parameters,
        std::shared_ptr<jit::ThreadPool> pool);

  InstructionSet set() const { return code == nullptr ? InstructionSet::sse2 : code->set; }
  const jit::Kernel& kernel(Quantity quantity, std::size_t link = kNone) const {
    const std::size_t k = static_cast<std::size_t>(quantity);
    return link == kNone ? kernels[k] : link_kernels[link][k];
  }

  Model model;
  DynamicsOptions options;
  PlanOf<T> plan;                               // of the templates
  std::shared_ptr<const jit::Code> code;        // null without machine code
  std::vector<std::vector<double>> parameters;  // of the code's programs, variant by variant
  std::vector<jit::ConstantTable> tables;
  using Kernels = std::array<jit::Kernel, kQuantities>;
  Kernels kernels{};
  std::vector<Kernels> link_kernels;         // of every link
  bool friction = false;                     // asked for, and there is some
  jit::Transpose<T> transpose, transpose_q;  // of nv and of nq numbers
  std::size_t width;
  std::shared_ptr<jit::ThreadPool> pool;
  std::vector<RefusedKernel> refused;
  std::shared_ptr<const Mechanism> loops;  // null without
  std::vector<T> pivots;                   // of the elimination, at the reference assembly
  std::array<std::vector<std::pair<std::size_t, std::size_t>>, 2> mass_entries;  // of M, packed and sparse
  std::array<jit::Rows, 2> mass_rows;                                            // the same, as what the kernel of M writes for columns

 private:
  jit::Kernel& kernel_of(Quantity quantity, std::size_t link) { return const_cast<jit::Kernel&>(kernel(quantity, link)); }
  void bind();
  void check(const Plan& bare);
};

}  // namespace ulna
