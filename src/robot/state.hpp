// What a Dynamics object holds.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/robot/dynamics.hpp>

#include "jit/routine.hpp"
#include "jit/transpose.hpp"
#include "robot/programs.hpp"
#include "robot/thread_pool.hpp"

namespace ulna::internal::robot {

/// Machine code of one robot and all that differ from it in numbers only.
struct Code {
  Code(Searches& searches, const DynamicsOptions& options, InstructionSet set, bool single);

  Programs programs;
  InstructionSet set;
  std::shared_ptr<const jit::RoutineCode> routines;  // one of each program
  std::vector<KernelReport> reports;
};

/// M packed and sparse.
struct MassForms {
  const jit::Rows* kernel = nullptr;  // of the kernel of M, if it writes equal results once
  std::array<std::vector<std::pair<std::size_t, std::size_t>>, 2> entries;
  std::array<jit::Rows, 2> rows;  // the same, as what that kernel writes for columns
};

}  // namespace ulna::internal::robot

namespace ulna {

template <class T>
struct DynamicsOf<T>::State {
  State(const Analysis& robot, const DynamicsOptions& options);
  /// The same with other numbers; `parameters` are those of the code's programs, `bare` the model's plan, not lumped.
  State(const Model& model, const State& same, const Plan& bare, const std::vector<std::vector<double>>& parameters);

  InstructionSet set() const { return code == nullptr ? InstructionSet::sse2 : code->set; }
  const internal::jit::Kernel& kernel(Quantity quantity, std::size_t link = kNone) const {
    const std::size_t k = static_cast<std::size_t>(quantity);
    return link == kNone ? kernels[k] : link_kernels[link][k];
  }

  Model model;
  DynamicsOptions options;
  PlanOf<T> plan;                                     // of the templates
  std::shared_ptr<const internal::robot::Code> code;  // null without machine code
  std::vector<internal::jit::Routine> routines;       // of the code's programs
  using Kernels = std::array<internal::jit::Kernel, kQuantities>;
  Kernels kernels{};
  std::vector<Kernels> link_kernels;                   // of every link
  bool friction = false;                               // requested, and the robot has some
  internal::jit::Transpose<T> transpose, transpose_q;  // of nv and of nq numbers
  std::size_t width;
  std::shared_ptr<internal::robot::ThreadPool> pool;
  std::vector<RefusedKernel> refused;
  std::shared_ptr<const Mechanism> loops;  // null without
  std::vector<T> pivots;                   // of the elimination, at the reference assembly
  std::shared_ptr<const internal::robot::MassForms> mass;

  /// Kernels of a link's pose and Jacobian, the object's own or made now; null functions where there is no machine code.
  const Kernels& kernels_for_wrench(std::size_t link) const;

 private:
  /// Machine code for links that the options do not name.
  struct OtherLinks {
    std::mutex mutex;
    std::map<std::size_t, std::shared_ptr<const State>> made;
  };
  std::shared_ptr<OtherLinks> other_links = std::make_shared<OtherLinks>();

  /// `same`: whose code it is, with other numbers; null where it is new.
  void bind(const std::vector<std::vector<double>>& parameters, const Plan& bare, const State* same);
  void bind_mass(const State* same);
};

}  // namespace ulna
