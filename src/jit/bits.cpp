#include "jit/bits.hpp"

#include <algorithm>

#include "expr/op_kinds.hpp"
#include "expr/run.hpp"

namespace ulna::internal::jit {

template <class T>
void call(const Trial& trial, std::span<const T> states, std::span<T> results) {
  const std::vector<Signal>& inputs = trial.program->inputs;
  const std::size_t width = trial.width, nx = trial.program->input_count(), ny = trial.results(), count = ny == 0 ? 0 : results.size() / ny;
  if (trial.way == Way::one) {
    for (std::size_t k = 0; k < count; ++k) {
      const T* in[kMostInputs] = {};
      const T* x = &states[k * nx];
      for (std::size_t s = 0; s < inputs.size(); x += inputs[s++].size) in[s] = x;
      trial.function(in[0], in[1], in[2], &results[k * ny], trial.constants, 1);
    }
  } else if (trial.way == Way::columns) {
    Columns all;
    const T* x = states.data();
    for (std::size_t s = 0; s < inputs.size(); x += inputs[s++].size) all.set_input(s, x, nx * sizeof(T), width);
    all.set_output(results.data(), ny * sizeof(T), width);
    trial.function(&all, nullptr, nullptr, nullptr, trial.constants, count / width);
  } else {
    // Number i of lane l stands at i width + l of its block.
    const std::size_t written = trial.rows == nullptr ? ny : trial.rows->count, blocks = count / width;
    std::vector<T> in(nx * count), out(written * count);
    const T* from[kMostInputs] = {};
    T* to = in.data();
    for (std::size_t s = 0, first = 0; s < inputs.size(); first += inputs[s++].size) {
      from[s] = to;
      for (std::size_t block = 0; block < blocks; ++block)
        for (std::size_t i = 0; i < inputs[s].size; ++i)
          for (std::size_t lane = 0; lane < width; ++lane) *to++ = states[(block * width + lane) * nx + first + i];
    }
    trial.function(from[0], from[1], from[2], out.data(), trial.constants, blocks);
    for (std::size_t k = 0, block = 0; block < blocks; ++block)
      for (std::size_t lane = 0; lane < width; ++lane)
        for (std::size_t i = 0; i < ny; ++i) results[k++] = out[(block * written + (trial.rows == nullptr ? i : trial.rows->of[i])) * width + lane];
  }
}

Program sine_program() {
  Graph graph;
  const Expr angle = graph.inputs("x", 1)[0];
  const SinCos<Expr> sc = sincos(angle);
  const Expr results[] = {sc.sin, sc.cos};
  const OutputOf output{"y", results};
  return make_program(graph, {&output, 1});
}

namespace {

/// A program in the kernel's precision. What is constant was computed in doubles.
template <class T>
class Interpreter {
 public:
  Interpreter(const Program& program, std::span<const double> parameters, const Trial& sines)
      : program_(program), sines_(sines), values_(program_.value_count()) {
    const Evaluation exact(program_, parameters);
    std::transform(exact.fixed().begin(), exact.fixed().end(), values_.begin() + static_cast<std::ptrdiff_t>(program_.input_count()),
                   [](double x) { return static_cast<T>(x); });
  }

  /// Whether all sines are right.
  bool operator()(std::span<const T> in, std::span<T> out) {
    std::copy(in.begin(), in.end(), values_.begin());
    bool right = true;
    for (std::size_t i = program_.precomputed; i < program_.instructions.size(); ++i)
      if (is_sincos(program_.instructions[i].op))
        right = check_sincos(program_.instructions[i], values_[program_.first_instruction() + i]) && right;
      else
        run<T>(program_, values_, i, i + 1);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const Output& result = program_.results[k];
      out[k] = result.negative ? -values_[result.value] : values_[result.value];
    }
    return right;
  }

 private:
  bool check_sincos(const Instruction& step, T& result) const {
    const T angle = values_[step.a];
    T both[2];
    call<T>(sines_, {&angle, 1}, both);
    result = both[step.op == Op::sine ? 0 : 1];
    const double x = limited(static_cast<double>(angle)), exact = step.op == Op::sine ? std::sin(x) : std::cos(x);
    if (std::isnan(exact)) return std::isnan(result);
    // Two units in the last place; and floats reduce large angles to so much of a rad (docs/dynamics.md).
    constexpr T kReducedWell = 64;
    const double reduced = sizeof(T) == 4 && std::fabs(angle) > kReducedWell ? 0x1p-22 : 0;
    return std::fabs(static_cast<double>(result) - exact) <= 2 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::fabs(exact) + reduced;
  }

  const Program& program_;
  const Trial& sines_;
  std::vector<T> values_;
};

}  // namespace

template <class T>
void Bits<T>::choose_states() {
  // Angles of the last state are reduced in more than one step [rad].
  constexpr double kNear = 3, kFar = 300;
  for (std::size_t k = 0; k < in_.size(); ++k) {
    const double within_one = static_cast<double>(static_cast<std::int64_t>((k + 1) * 0x9E3779B97F4A7C15u)) * 0x1p-63;
    in_[k] = static_cast<T>(within_one * (k / nx_ == kStates - 1 ? kFar : kNear));
  }
}

template <class T>
Bits<T>::Bits(const Trial& one) : nx_(one.program->input_count()), ny_(one.program->results.size()), in_(nx_ * kStates), out_(ny_ * kStates), blocks_(1) {
  choose_states();
  call<T>(one, in_, out_);
}

template <class T>
Bits<T>::Bits(const Program& program, std::span<const double> parameters, const Trial& sines)
    : nx_(program.input_count()), ny_(program.results.size()), in_(nx_ * kStates), out_(ny_ * kStates) {
  choose_states();
  Interpreter<T> interpreter(program, parameters, sines);
  for (std::size_t k = 0; k < kStates; ++k)
    sines_right_ = interpreter(std::span<const T>(in_).subspan(k * nx_, nx_), std::span<T>(out_).subspan(k * ny_, ny_)) && sines_right_;
}

template <class T>
bool Bits<T>::are_those_of(const Trial& trial) const {
  const std::size_t count = trial.way == Way::one ? kStates : blocks_ * trial.width;
  std::vector<T> states(nx_ * count), got(ny_ * count);
  for (std::size_t k = 0, at = 0; k < states.size(); ++k, at = at + 1 < in_.size() ? at + 1 : 0) states[k] = in_[at];
  call<T>(trial, states, got);
  for (std::size_t k = 0, at = 0; k < got.size(); ++k, at = at + 1 < out_.size() ? at + 1 : 0)
    if (!(got[k] == out_[at] || (std::isnan(got[k]) && std::isnan(out_[at])))) return false;
  return sines_right_;
}

template void call<double>(const Trial&, std::span<const double>, std::span<double>);
template void call<float>(const Trial&, std::span<const float>, std::span<float>);
template class Bits<double>;
template class Bits<float>;

}  // namespace ulna::internal::jit
