// Transposes consecutive states to lanes, and back.
#pragma once

#include <cstddef>

#include <ulna/jit/instruction_set.hpp>

#include "jit/distinct.hpp"

namespace ulna::internal::jit {

/// Number i of state s, at states[s * stride + i], goes to lanes[(s / width * n + i) * width + s % width], for `count` states; lanes of the last block beyond
/// them repeat the last one.
template <class T>
using Gather = void (*)(const T* states, std::size_t stride, std::size_t n, std::size_t count, T* lanes) noexcept;
/// And back: lanes beyond `count` states are dropped.
template <class T>
using Scatter = void (*)(const T* lanes, std::size_t n, std::size_t count, T* states, std::size_t stride) noexcept;

/// The same where lanes hold every number once: number i of state s comes from lanes[(s / width * rows.count + rows.of[i]) * width + s % width].
template <class T>
using ScatterRows = void (*)(const T* lanes, const Rows& rows, std::size_t count, T* states, std::size_t stride) noexcept;

template <class T>
struct Transpose {
  Gather<T> gather;
  Scatter<T> scatter;
};

template <class T>
ScatterRows<T> scatter_rows_for(InstructionSet set);

/// For states of n numbers.
template <class T>
Transpose<T> transpose_for(InstructionSet set, std::size_t n);

}  // namespace ulna::internal::jit
