// A double that counts operations: multiplications and additions as a formulation writes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// The counter that Counted numbers of this thread report to.
inline OperationCounts& operation_counts() {
  thread_local OperationCounts counts;
  return counts;
}

/// When a number is there, if every row of a formulation has a unit of its own: in steps of one operation, and how many of them were which on the chain of
/// operations that it had to wait for.
struct Arrival {
  long steps = 0, mul = 0, add = 0;
};

/// The rows that a formulation names in its text (in_row(), src/formulation/as_variable.hpp): what each costs, and what its unit is busy with. A unit does the
/// operations of its row one after the other, as they are written, each as soon as its operands are there.
struct CountedRow {
  std::string_view name;
  OperationCounts counts{};
  Arrival free{};  // when its unit has done what there was

  Arrival does(const Arrival& a, const Arrival& b, long mul, long add) {
    const Arrival& latest = std::max({free, a, b}, [](const Arrival& x, const Arrival& y) { return x.steps < y.steps; });
    counts.mul += mul;
    counts.add += add;
    return free = {latest.steps + 1, latest.mul + mul, latest.add + add};
  }
};

/// Where this thread's Counted numbers record operations; without rows they do not record.
struct RowRecord {
  std::vector<CountedRow>* rows = nullptr;
  std::size_t current = static_cast<std::size_t>(-1);  // none

  CountedRow* row() const { return rows != nullptr && current < rows->size() ? &(*rows)[current] : nullptr; }
};
inline RowRecord& row_record() {
  thread_local RowRecord record;
  return record;
}

/// As the papers count, an operation with a literal 0 or ±1 of the structure is none; a number that merely happens to be 0 or 1 counts like any other.
class Counted {
 public:
  Counted() = default;
  explicit Counted(double value) : value_(value), literal_(value == 0 || value == 1 || value == -1) {}
  /// A state quantity: never a literal, whatever its value.
  static Counted variable(double value) {
    Counted x;
    x.value_ = value;
    return x;
  }
  static Counted product(double value, const Counted& a, const Counted& b) {
    ++operation_counts().mul;
    return result(value, a, b, 1, 0);
  }
  static Counted sum(double value, const Counted& a, const Counted& b) {
    ++operation_counts().add;
    return result(value, a, b, 0, 1);
  }
  double value() const { return value_; }
  bool literal() const { return literal_; }
  bool is(double number) const { return literal_ && value_ == number; }
  Counted operator-() const {
    Counted x = *this;
    x.value_ = -value_;
    return x;
  }

 private:
  static Counted result(double value, const Counted& a, const Counted& b, long mul, long add) {
    Counted x = variable(value);
    if (CountedRow* row = row_record().row()) x.arrival_ = row->does(a.arrival_, b.arrival_, mul, add);
    return x;
  }
  double value_ = 0;
  bool literal_ = false;
  Arrival arrival_{};
};

inline Counted operator+(const Counted& a, const Counted& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return Counted::sum(a.value() + b.value(), a, b);
}
inline Counted operator-(const Counted& a, const Counted& b) {
  if (a.is(0)) return -b;
  if (b.is(0)) return a;
  return Counted::sum(a.value() - b.value(), a, b);
}
inline Counted operator*(const Counted& a, const Counted& b) {
  if (a.is(0) || b.is(0)) return Counted(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is(-1)) return -b;
  if (b.is(-1)) return -a;
  return Counted::product(a.value() * b.value(), a, b);
}
inline Counted operator/(const Counted& a, const Counted& b) {
  if (a.is(0)) return a;
  if (b.is(1)) return a;
  ++operation_counts().div;
  return Counted::variable(a.value() / b.value());
}
// A parameter that is 0 or ±1 is a literal of the structure.
inline Counted operator+(double p, const Counted& b) { return Counted(p) + b; }
inline Counted operator+(const Counted& a, double p) { return a + Counted(p); }
inline Counted operator-(double p, const Counted& b) { return Counted(p) - b; }
inline Counted operator-(const Counted& a, double p) { return a - Counted(p); }
inline Counted operator*(double p, const Counted& b) { return Counted(p) * b; }
inline Counted operator*(const Counted& a, double p) { return a * Counted(p); }
inline Counted operator/(double p, const Counted& b) { return Counted(p) / b; }
inline Counted operator/(const Counted& a, double p) { return a / Counted(p); }

using ulna::sincos;  // else those of plain numbers were hidden

inline SinCos<Counted> sincos(const Counted& x) {
  ++operation_counts().sincos;
  const SinCos<double> values = sincos(x.value());
  return {Counted::variable(values.sin), Counted::variable(values.cos)};
}

}  // namespace ulna::internal
