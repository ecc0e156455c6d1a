// Marks for the counting scalar of what a paper counts. On every other scalar these do nothing.
#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>

#include "scalar/counted.hpp"

namespace ulna::internal {

/// The same number, counted in every operation even when it is 0 or ±1: for entries that a paper counts for any value ("R is dense").
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
  NotCounted() { row_record().current = static_cast<std::size_t>(-1); }
  ~NotCounted() {
    row_record().current = row_;
    const long sincos = operation_counts().sincos;
    operation_counts() = before_;
    operation_counts().sincos = sincos;
  }
  NotCounted(const NotCounted&) = delete;
  NotCounted& operator=(const NotCounted&) = delete;

 private:
  OperationCounts before_ = operation_counts();
  std::size_t row_ = row_record().current;
};

/// Does one line of a formulation under the name of its row in the paper's table: in_row<T>("omega", [&] { return …; }).
template <class T, class Line>
auto in_row(std::string_view, const Line& line) {
  return line();
}
template <std::same_as<Counted> T, class Line>
auto in_row(std::string_view name, const Line& line) {
  RowRecord& record = row_record();
  if (record.rows == nullptr) return line();
  const auto at = std::find_if(record.rows->begin(), record.rows->end(), [&](const CountedRow& row) { return row.name == name; });
  record.current = static_cast<std::size_t>(at - record.rows->begin());
  if (at == record.rows->end()) record.rows->push_back({name});
  const auto result = line();
  record.current = static_cast<std::size_t>(-1);
  return result;
}

}  // namespace ulna::internal
