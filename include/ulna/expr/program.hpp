// Straight-line code made from an expression graph: it is counted, printed, scheduled and compiled.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/scalar/scalar.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

enum class Op : std::uint8_t {  // Instructions.
  add,                          // a + b
  subtract,                     // a - b
  multiply,                     // a * b
  divide,                       // a / b
  sine,                         // of a
  cosine,                       // of a; a program never has one of the two twice for the same angle
  multiply_add,                 // a * b + c
  multiply_subtract,            // a * b - c
  subtract_product              // c - a * b
};

/// Operands are numbers of values; unused ones are kNoValue.
struct Instruction {
  Op op;
  std::uint32_t a = kNoValue;
  std::uint32_t b = kNoValue;
  std::uint32_t c = kNoValue;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

/// The value of an output. Its sign is applied by the user at no cost: in the store, or in the next operation.
struct Output {
  std::uint32_t value = kNoValue;
  bool negative = false;
  friend bool operator==(const Output&, const Output&) = default;
};

/// Values are numbered through: inputs, parameters, constants, then one for each instruction. Instructions stand in the order in which the expressions
/// were written (for a robot: link by link), those that depend on parameters alone before all others.
struct Program {
  std::vector<Signal> inputs;
  std::vector<Signal> parameters;
  std::vector<Signal> outputs;
  std::vector<double> constants;
  std::vector<Instruction> instructions;
  std::vector<NodeName> names;   // of instructions, from Graph::name(); empty for none, and may occur twice
  std::size_t precomputed = 0;   // leading instructions that need no input: done once per robot
  std::vector<Output> results;   // of all outputs, one after the other
  OperationCounts angle_sums{};  // instructions that expand sines of sums,
  OperationCounts guards{};      // and those that make results NaN where an input is: src/expr/ready.hpp

  std::size_t input_count() const;                                                       // Numbers of input.
  std::size_t parameter_count() const;                                                   // Numbers of the robot.
  std::size_t first_constant() const { return input_count() + parameter_count(); }       // Index of the first constant.
  std::size_t first_instruction() const { return first_constant() + constants.size(); }  // Index of the first instruction.
  std::size_t value_count() const { return first_instruction() + instructions.size(); }  // Inputs, constants and results of instructions.

  /// The equations: without what is precomputed, guards and angle_sums. A fused instruction is one multiplication and one addition.
  OperationCounts counts() const;
  /// Products that were fused with a sum.
  long fused() const;
  /// The same for the same instructions, constants and signals, on every machine.
  std::uint64_t hash() const;

  friend bool operator==(const Program&, const Program&) = default;
};

/// One named output and its expressions.
struct OutputOf {
  std::string name;
  std::span<const Expr> values;
};

enum class Fuse { no, yes };  // Whether products join sums.

/// The operations that the outputs depend on; with Fuse::yes, fused().
Program make_program(const Graph& graph, std::span<const OutputOf> outputs, Fuse fuse = Fuse::no);

/// The same with products joined to the sums that use them, where a product has a single use: one used twice would be computed twice.
Program fused(const Program& program);

/// Operations that the outputs need, without making the program: what searches minimise. A doubling counts as an addition. O(nodes).
OperationCounts count(const Graph& graph, std::span<const Expr> outputs);

/// Runs the program on doubles, floats or long doubles: every number and every operation in that precision. Sines and cosines of angles beyond kLargestAngle
/// are NaN, as in machine code. Sizes are checked; both numbers are in the message of std::invalid_argument.
template <class T>
class EvaluationOf {
 public:
  explicit EvaluationOf(const Program& program, std::span<const double> parameters = {});
  void operator()(std::span<const T> inputs, std::span<T> outputs);

  /// Parameters, constants and what is precomputed from them, as the program numbers them.
  std::span<const T> fixed() const;
  /// All values of the last run, as the program numbers them.
  std::span<const T> values() const { return values_; }

 private:
  const Program* program_;
  std::vector<T> values_;
};
using Evaluation = EvaluationOf<double>;  // On doubles.
extern template class EvaluationOf<double>;
extern template class EvaluationOf<float>;
extern template class EvaluationOf<long double>;

/// One line per instruction: "t12 = q[1] * 0.25". Inputs, parameters and outputs carry their names, the last ones with their signs.
void print(std::ostream& out, const Program& program);
std::string value_name(const Program& program, std::size_t value);

// Terms that never matter: which operands of a program's sums could be left out, over the states that occur, without changing a result noticeably.
//
// [Turney, Mudge & Lee 1980, sec. 6] name it as an advantage of the recursive form that small contributions to a torque can be found and, where an
// approximation will do, deleted. Here a program finds them. It is an estimate over samples, not a bound over all states.

/// Fills in one state: as many numbers as the program has inputs.
using StateSource = std::function<void(std::span<double>)>;

/// What dropping terms may cost, and how it is sampled.
struct DropOptions {
  double share = 0.01;         // of an output's largest value, by which that output may change; 0 to 1
  std::size_t samples = 1000;  // states to choose by, and as many others to check on
};

/// One operand of one sum.
struct DroppedTerm {
  std::size_t sum = kNone;          // number of the instruction: t-number in print()
  bool second = false;              // the second term of the sum; in a fused instruction the product is the first, the addend the second
  double worst = 0;                 // its largest effect on an output, in parts of that output's largest value
  std::size_t output = kNone;       // on which output that is
  std::size_t last_input = kNone;   // the last place, within its signal, of an input it depends on; kNone for none
  std::size_t last_output = kNone;  // the last output that it reaches
};

struct Dropped {                   // The shortened program.
  Program program;                 // without the terms, and without what only they needed
  std::vector<DroppedTerm> terms;  // smallest effect first; terms that vanish inside another one that is left out are not listed
  std::vector<double> largest;     // of each output: its largest absolute value over the samples
  std::vector<double> expected;    // of each output: the effects of all terms added up, each at its worst, in parts of `largest`
  std::vector<double> changed;     // of each output: its largest actual change over states not used for choosing, in parts of `largest`
};

/// Terms are taken from the smallest effect up, as long as the effects, each at its worst over the samples and all added up, stay within the share for every
/// output. An effect is |d output / d sum * term|: the first order, from one reverse sweep a state. Because higher orders are neglected, the result is run
/// on the same samples, and terms are restored until the actual change stays within the share, too.
/// O(samples * outputs * instructions). Deterministic for a deterministic source.
Dropped drop_insignificant(const Program& program, const StateSource& next, const DropOptions& options = {}, std::span<const double> parameters = {});

/// A value of a program as a formula, its operands expanded recursively while the text stays within `length` characters: "0.2 * (t7 + v[1] * t3)".
std::string formula(const Program& program, std::size_t value, std::size_t length = 60);
/// The same for one term of a sum, with the sign that it has there.
std::string formula(const Program& program, const DroppedTerm& term, std::size_t length = 60);

}  // namespace ULNA_API
