// A double that counts what is done with it: multiplications and additions as a formulation writes them.
#pragma once

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// The counter that Counted numbers of this thread report to: what was done since its owner last set it to zero.
inline OperationCounts& operation_counts() {
  thread_local OperationCounts counts;
  return counts;
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
  double value() const { return value_; }
  bool literal() const { return literal_; }
  bool is(double number) const { return literal_ && value_ == number; }

 private:
  double value_ = 0;
  bool literal_ = false;
};

inline Counted operator-(const Counted& a) { return a.literal() ? Counted(-a.value()) : Counted::variable(-a.value()); }
inline Counted operator+(const Counted& a, const Counted& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  ++operation_counts().add;
  return Counted::variable(a.value() + b.value());
}
inline Counted operator-(const Counted& a, const Counted& b) {
  if (a.is(0)) return -b;
  if (b.is(0)) return a;
  ++operation_counts().add;
  return Counted::variable(a.value() - b.value());
}
inline Counted operator*(const Counted& a, const Counted& b) {
  if (a.is(0) || b.is(0)) return Counted(0);
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is(-1)) return -b;
  if (b.is(-1)) return -a;
  ++operation_counts().mul;
  return Counted::variable(a.value() * b.value());
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
