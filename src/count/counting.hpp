// Running something on counting numbers without disturbing the counter that the caller may be using.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/scalar/counted.hpp>

namespace ulna {

/// The operations of one call, whatever the thread's counter holds before and after.
template <class Body>
OperationCounts operations_of(Body&& body) {
  class Restore {
   public:
    ~Restore() { operation_counts() = before_; }

   private:
    OperationCounts before_ = operation_counts();
  };
  const Restore restore;
  operation_counts() = {};
  body();
  return operation_counts();
}

inline OperationCounts sum(const OperationCounts& a, const OperationCounts& b) { return {a.mul + b.mul, a.add + b.add, a.div + b.div, a.sincos + b.sincos}; }
inline OperationCounts difference(const OperationCounts& a, const OperationCounts& b) {
  return {a.mul - b.mul, a.add - b.add, a.div - b.div, a.sincos - b.sincos};
}

/// n different variables, none of them 0 or ±1, and no right angle among them.
inline std::vector<Counted> counted_state(std::size_t n, double first, double step) {
  std::vector<Counted> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(Counted::variable(first + step * static_cast<double>(i)));
  return x;
}

}  // namespace ulna
