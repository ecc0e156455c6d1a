// The triangle R of a matrix with many rows, which are given a block at a time: A = Q R, and Q is never kept. |A x| = |R x| for every x, so that least squares
// of a million rows are least squares of as many rows as there are columns.
#pragma once

#include <cstddef>
#include <vector>

namespace ulna::internal {

class TallQr {
 public:
  static constexpr std::size_t kRows = 128;  // of a block

  explicit TallQr(std::size_t columns);
  std::size_t columns() const { return n_; }
  /// Where the next row goes: entry c of it at next()[c * kRows].
  double* next() { return block_.data() + filled_; }
  /// It is there.
  void take() {
    if (++filled_ == kRows) fold();
  }
  /// As if its rows had been given here.
  void add(const TallQr& other);
  /// R, column by column, upper triangle.
  const std::vector<double>& triangle();
  std::size_t rows() const { return rows_ + filled_; }

 private:
  void fold();
  std::size_t n_, filled_ = 0, rows_ = 0;
  std::vector<double> block_;  // column by column, kRows apart
  std::vector<double> R_;
};

}  // namespace ulna::internal
