// The interpreter of programs, for any scalar: numbers give numbers, Expr records the program again.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <span>

#include <ulna/expr/program.hpp>

namespace ulna::internal {

/// Sine and cosine as machine code has them: NaN beyond kLargestAngle.
template <std::floating_point T>
T limited(T angle) {
  return std::fabs(angle) <= static_cast<T>(kLargestAngle) ? angle : std::numeric_limits<T>::quiet_NaN();
}

/// Result of an operation. Operands are functions, because unused operands cannot be read.
template <class T, class A, class B, class C>
T result_of(Op op, A a, B b, C c) {
  constexpr bool kNumber = std::floating_point<T>;
  const auto sum_of_product = [](const T& x, const T& y, const T& z) {
    if constexpr (kNumber)
      return std::fma(x, y, z);
    else
      return x * y + z;
  };
  switch (op) {
    case Op::add: return a() + b();
    case Op::subtract: return a() - b();
    case Op::multiply: return a() * b();
    case Op::divide: return a() / b();
    case Op::sine:
      if constexpr (kNumber)
        return std::sin(limited(a()));
      else
        return sincos(a()).sin;
    case Op::cosine:
      if constexpr (kNumber)
        return std::cos(limited(a()));
      else
        return sincos(a()).cos;
    case Op::multiply_add: return sum_of_product(a(), b(), c());
    case Op::multiply_subtract: return sum_of_product(a(), b(), -c());
    case Op::subtract_product: return sum_of_product(-a(), b(), c());
  }
  return T(0);
}

/// Runs the instructions from..to-1. `values` are numbered as in the program, and hold what these instructions read.
template <class T>
void run(const Program& program, std::span<T> values, std::size_t from, std::size_t to) {
  const std::size_t first = program.first_instruction();
  for (std::size_t i = from; i < to; ++i) {
    const Instruction& step = program.instructions[i];
    const auto value = [&](std::uint32_t v) { return [&values, v]() -> const T& { return values[v]; }; };
    values[first + i] = result_of<T>(step.op, value(step.a), value(step.b), value(step.c));
  }
}

}  // namespace ulna::internal
