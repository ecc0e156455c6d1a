// From a program to a callable function. There is no other way, and none without the comparison: the maker of a routine states what its results are
// compared with.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jit/kernel.hpp"
#include "jit/tree_solve.hpp"

namespace ulna::internal::jit {

/// How a function takes states: one; a block side by side; the same, but results that are equal are written once; states one after the other.
enum class Way { one, lanes, once, columns };

/// Which functions are made: one state at a time; that and blocks in all ways; blocks whose lanes have numbers of their own (Form::own).
enum class States { one, many, own };

/// The functions of a program, ready to be called; null where there is none, and all null where one of them has failed its comparison.
struct Kernel {
  KernelFunction one = nullptr;
  const void* one_constants = nullptr;
  KernelFunction lanes = nullptr;
  const void* lanes_constants = nullptr;
  KernelFunction once = nullptr;     // lanes, with the same constants, that write equal results once; null where few are equal
  const Rows* rows = nullptr;        // of `once`
  KernelFunction columns = nullptr;  // with the same constants, blocks of states one after the other; null where there is none
};

/// A function that is to be compared, and what it takes to call it.
struct Trial {
  Way way{};
  std::size_t width = 1;  // states of a block; 1 for Way::one
  KernelFunction function = nullptr;
  const void* constants = nullptr;
  const Rows* rows = nullptr;  // of Way::once
  // The source: the whole program, for any way, and its parameters.
  const Program* program = nullptr;
  std::span<const double> parameters{};
  const TreeSolve* solve = nullptr;  // what the function does with the program's results, if that is in it

  std::size_t results() const { return solve != nullptr ? solve->results() : program->results.size(); }
};

/// What a program is compared with: the largest difference of a function's results from what they should be, over what rounding explains. Up to 1 is right.
using Oracle = std::function<double(const Trial&)>;

struct Source {
  std::string_view name;                     // of the quantity
  Program program;                           // ready() (expr/ready.hpp), neither fused nor ordered: the instruction set decides
  std::vector<InputPair> alike{};            // inputs that limbs which are alike have in the same place
  std::shared_ptr<const TreeSolve> solve{};  // what is done with its results; null for nothing
};

/// What was encoded, for reports.
struct Made {
  std::size_t source = 0;
  Way way{};
  std::size_t width = 1;
  std::size_t instructions = 0;
  std::size_t spills = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

/// Machine code of several programs in one piece of memory, which robots that differ in numbers share. Only a Routine calls it.
class RoutineCode {
 public:
  /// The programs are fused and ordered as `set` needs them, and encoded. O(instructions * registers).
  RoutineCode(std::vector<Source> sources, InstructionSet set, bool single, States states);

  bool ok() const { return memory_.ok(); }
  std::size_t size() const { return memory_.size(); }                                     // Bytes.
  const Program& program(std::size_t source) const { return *sources_[source].program; }  // As it was encoded.
  const TreeSolve* solve(std::size_t source) const { return sources_[source].solve.get(); }
  const std::vector<Made>& made() const { return made_; }  // Functions for one state and for lanes.

 private:
  friend class Routine;
  struct Function {
    Way way{};
    Form form;
    std::shared_ptr<const Program> program;  // of its constants; null where they are those of the lanes before it
    std::vector<ConstantPair> pairs;         // which they must have
    std::vector<std::uint32_t> places;       // where they stand
    std::size_t at = 0;                      // in the memory
  };
  struct Encoding {
    std::string_view name;
    std::shared_ptr<const Program> program;
    std::vector<Function> functions;
    Rows rows;
    std::shared_ptr<const TreeSolve> solve;
  };
  std::vector<Encoding> sources_;
  std::vector<Made> made_;
  Form form_;                             // of one state
  std::shared_ptr<const Program> sines_;  // sine and cosine of one angle: the last function
  std::size_t functions_ = 0;             // but for that
  CodeMemory memory_;
};

/// One program of such code with numbers of a robot. Copies share them.
class Routine {
 public:
  /// A comparison that was not passed.
  struct Refused {
    std::size_t width = 1;  // states per call
    double difference = 0;  // over what rounding explains; infinite for what is not a number
  };

  Routine() = default;  // Nothing to call.
  /// Compares every function with its program, bit for bit (jit/bits.hpp), and with the oracle. `parameters` of the program.
  Routine(std::shared_ptr<const RoutineCode> code, std::size_t source, std::span<const double> parameters, const Oracle& oracle);
  /// Other parameters for the code of a routine. Where that has passed, its machine code gives the bits of its program for any parameters: it has no
  /// branches, reads them from its table alone, and cannot be written to. Only the table is new. So the oracle judges the function for one state, which
  /// reads every number in it, and lanes must give the bits of that one, from a table of their own, which their other ways share. Where it has not passed,
  /// all is compared.
  Routine(const Routine& same, std::span<const double> parameters, const Oracle& oracle);
  /// One program without parameters, for one state.
  Routine(Source source, InstructionSet set, const Oracle& oracle);

  const Kernel& kernel() const { return kernel_; }
  const std::vector<Refused>& refused() const { return refused_; }
  /// Why there is nothing to call; empty when there is.
  std::string why_not() const;
  bool ok() const { return kernel_.one != nullptr || kernel_.lanes != nullptr; }
  std::size_t memory() const;  // bytes of constants

  /// One state, by pointers to as many inputs as the program has. Only where there is such a function.
  void operator()(const void* in0, const void* in1, const void* in2, void* out) const noexcept { kernel_.one(in0, in1, in2, out, kernel_.one_constants, 1); }

  // Of States::own: constants of the lanes, all with the routine's numbers; and other numbers for one of them.
  ConstantTable lane_constants() const { return (*tables_)[1]; }
  void set_lane(ConstantTable& table, std::size_t lane, std::span<const double> parameters) const;

 private:
  using Tables = std::array<ConstantTable, 2>;  // of one state, and of lanes in all their ways
  using FinishedTwo = std::array<Finished, 2>;  // likewise
  /// `difference` of a trial, over what rounding explains. `same`: of a routine with other numbers.
  void compare(std::span<const double> parameters, const std::function<double(const Trial&)>& difference, const Tables* same = nullptr);
  const RoutineCode::Encoding& encoding() const { return code_->sources_[source_]; }
  /// With what is done with the program's results.
  Trial whole(Trial trial) const;

  std::shared_ptr<const RoutineCode> code_;
  std::size_t source_ = 0;
  std::shared_ptr<const Tables> tables_;
  std::shared_ptr<FinishedTwo> finished_;  // null where nothing is done with results
  Kernel kernel_;
  std::vector<Refused> refused_;
};

}  // namespace ulna::internal::jit
