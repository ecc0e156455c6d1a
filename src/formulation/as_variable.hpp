// How formulations tell the counting scalar what their paper counts. On every other scalar these do nothing.
#pragma once

#include "scalar/counted.hpp"

namespace ulna::internal {

/// The same number, counted in every operation even when it is 0 or ±1: for entries that a paper counts whatever their value ("R is dense").
template <class T>
T as_variable(const T& x) {
  return x;
}
inline Counted as_variable(const Counted& x) { return Counted::variable(x.value()); }

/// Multiplications, additions and divisions made while one of these lives are not counted: for what a paper takes as given. Sines stay counted.
template <class T>
class NotCounted {
 public:
  NotCounted() {}
  ~NotCounted() {}
  NotCounted(const NotCounted&) = delete;
  NotCounted& operator=(const NotCounted&) = delete;
};
template <>
class NotCounted<Counted> {
 public:
  NotCounted() = default;
  ~NotCounted() {
    const long sincos = operation_counts().sincos;
    operation_counts() = before_;
    operation_counts().sincos = sincos;
  }
  NotCounted(const NotCounted&) = delete;
  NotCounted& operator=(const NotCounted&) = delete;

 private:
  OperationCounts before_ = operation_counts();
};

}  // namespace ulna::internal
