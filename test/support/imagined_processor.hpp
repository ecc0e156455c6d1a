// What a program gives, by doing its instructions one after the other, and what the steps of a register allocation give, on a processor that knows nothing of
// how they were found. Tests and the fuzzer compare machine code and allocations with these; neither calls the library's own evaluation of programs.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

#include <ulna/expr/program.hpp>

#include "jit/machine.hpp"
#include "support/inside.hpp"

namespace ulna::test {

/// Same bits but for the sign of zero, or both NaN.
template <class T>
bool same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;
}

template <class T>
T done(Op op, T a, T b, T c) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::sine: return std::sin(a);
    case Op::cosine: return std::cos(a);
    case Op::multiply_add: return std::fma(a, b, c);
    case Op::multiply_subtract: return std::fma(a, b, -c);
    case Op::subtract_product: return std::fma(-a, b, c);
  }
  return 0;
}

template <class T>
T done(const Instruction& step, const std::vector<T>& values) {
  const auto of = [&](std::uint32_t operand) { return operand == kNoValue ? T(0) : values[operand]; };
  return done(step.op, of(step.a), of(step.b), of(step.c));
}

/// Parameters, constants and what is precomputed from them: in doubles, whatever the type of the rest is.
inline std::vector<double> fixed_values(const Program& program, const std::vector<double>& parameters) {
  std::vector<double> values(program.input_count(), NAN);
  values.insert(values.end(), parameters.begin(), parameters.end());
  values.insert(values.end(), program.constants.begin(), program.constants.end());
  for (std::size_t k = 0; k < program.precomputed; ++k) values.push_back(done(program.instructions[k], values));
  return {values.begin() + static_cast<std::ptrdiff_t>(program.input_count()), values.end()};
}

/// All results of a program in the type that the machine code computes in. `turned`: the sines and cosines to take, in their order; empty for the C library's.
template <class T>
std::vector<T> evaluated(const Program& program, const std::vector<T>& inputs, const std::vector<double>& parameters = {}, const std::vector<T>& turned = {}) {
  std::vector<T> values = inputs;
  for (const double x : fixed_values(program, parameters)) values.push_back(static_cast<T>(x));
  std::size_t next = 0;
  for (std::size_t k = program.precomputed; k < program.instructions.size(); ++k) {
    const bool turn = program.instructions[k].op == Op::sine || program.instructions[k].op == Op::cosine;
    values.push_back(turn && !turned.empty() ? turned.at(next++) : done(program.instructions[k], values));
  }
  std::vector<T> results;
  for (const Output& result : program.results) {
    const T value = values[result.value];
    results.push_back(result.negative ? -value : value);
  }
  return results;
}

/// Does an allocation's steps. Throws std::logic_error where one reads what was never written, or names a register that there is not. Registers have two
/// lanes; the second is NaN where a step writes one number.
class ImaginedProcessor {
 public:
  ImaginedProcessor(const Program& program, const jit::Tape& tape, int registers, const std::vector<double>& inputs, const std::vector<double>& parameters = {})
      : tape_(tape), registers_(registers), inputs_(inputs), fixed_(fixed_values(program, parameters)), results_(program.results.size(), NAN) {}

  std::vector<double> run(const jit::Allocation& allocation) {
    for (const jit::Step& step : allocation.early_steps) execute(step);
    for (std::size_t k = 0; k < allocation.angles.size(); ++k) {
      const double angle = angle_of(allocation, allocation.angles[k]);
      turns_[2 * k] = std::sin(angle);
      turns_[2 * k + 1] = std::cos(angle);
    }
    values_.clear();  // nothing is carried over in registers
    for (const jit::Step& step : allocation.steps) execute(step);
    if (written_.size() != results_.size()) throw std::logic_error("a result is not written");
    return results_;
  }

 private:
  using Lanes = std::array<double, 2>;

  /// An input, an early result, or known beforehand.
  double angle_of(const jit::Allocation& allocation, std::uint32_t value) const {
    if (value < tape_.inputs) return inputs_.at(value);
    for (std::size_t j = 0; j < allocation.early.size(); ++j)
      if (tape_.first_instruction() + allocation.early[j] == value) return early_.at(j)[0];
    return fixed_.at(value - tape_.inputs);
  }

  Lanes read(const jit::Place& place) const {
    switch (place.kind) {
      case jit::Place::reg: return values_.at(place.index);
      case jit::Place::input: return {inputs_.at(place.index), NAN};
      case jit::Place::constant: return {fixed_.at(place.index), NAN};
      case jit::Place::pair: {
        const jit::ConstantPair& pair = tape_.pairs.at(place.index);
        return {fixed_.at(pair.first), pair.negative ? -fixed_.at(pair.second) : fixed_.at(pair.second)};
      }
      case jit::Place::sincos: return {turns_.at(place.index), turns_.contains(place.index + 2) ? turns_.at(place.index + 2) : NAN};
      case jit::Place::early: return early_.at(place.index);
      default: return slots_.at(place.index);
    }
  }

  Lanes in(int r) const { return read({jit::Place::reg, static_cast<std::uint32_t>(r)}); }
  void write(int r, const Lanes& x, bool pair) {
    if (r < 0 || r >= registers_) throw std::logic_error("a register that there is not");
    values_[static_cast<std::size_t>(r)] = {x[0], pair ? x[1] : NAN};
  }

  void compute(const jit::Step& step, const Lanes& a, const Lanes& b, const Lanes& c) {
    write(step.d, {done(step.op, a[0], b[0], c[0]), done(step.op, a[1], b[1], c[1])}, step.pair);
  }

  void execute(const jit::Step& step) {
    switch (step.kind) {
      case jit::Step::load: return write(step.d, read(step.b), step.pair);
      case jit::Step::store: (step.b.kind == jit::Place::early ? early_ : slots_)[step.b.index] = {in(step.a)[0], step.pair ? in(step.a)[1] : NAN}; return;
      case jit::Step::copy: return write(step.d, in(step.a), true);
      case jit::Step::result: {
        written_.insert(step.output);
        const double x = in(step.a)[step.upper ? 1 : 0];
        results_.at(step.output) = step.negative ? -x : x;
        return;
      }
      case jit::Step::across: {
        const Lanes b = read(step.b);
        const double sign = step.negative ? -1 : 1;
        if (step.op == jit::lane::spread) return write(step.d, {b[0], b[0]}, true);
        if (step.op == jit::lane::upper) return write(step.d, {sign * b[1], NAN}, false);
        return write(step.d, {in(step.a)[0], sign * b[0]}, true);
      }
      case jit::Step::binary: return compute(step, in(step.a), read(step.b), {0, 0});
      case jit::Step::fuse231: return compute(step, in(step.a), read(step.b), in(step.d));
      case jit::Step::fuse213: return compute(step, in(step.a), in(step.d), read(step.b));
      case jit::Step::fuse132: return compute(step, in(step.d), read(step.b), in(step.a));
    }
  }

  const jit::Tape& tape_;
  int registers_;
  std::vector<double> inputs_, fixed_, results_;
  std::set<std::size_t> written_;
  std::map<std::size_t, Lanes> values_, slots_, early_;
  std::map<std::size_t, double> turns_;
};

}  // namespace ulna::test
