// Running something on counting numbers without disturbing the counter that the caller may be using.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include "scalar/counted.hpp"

namespace ulna::internal {

/// The operations of one call, independent of the state of the thread's counter.
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

/// A state of n joints, and room for every result.
struct CountedState {
  std::vector<Counted> q, v, a, tau, out, M;
  explicit CountedState(std::size_t n)
      : q(counted_state(n, 0.31, 0.17)), v(counted_state(n, 0.2, 0.11)), a(counted_state(n, 0.4, 0.07)), tau(counted_state(n, 1.3, 0.9)), out(n), M(n * n) {}
};

/// What the row's evaluator does, counted as it is written: the paper's own text in most rows.
AsWritten count_evaluator(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

/// In modified frames every addition that sets the joints is one to q, and every multiplication makes an entry of a rotation or, of a sliding joint,
/// a displacement.
void add_setting(AsWritten& counts, const OperationCounts& setting, bool entries_in_total);

/// Lin's article counts an inertia matrix alone without the entries of the rotations, which the bias needs anyway.
template <class Method>
AsWritten count_mass(Method method) {
  CountedState s(method.size());
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.mass(s.M.data()); });
  add_setting(counts, setting, false);
  return counts;
}

}  // namespace ulna::internal
