// Small dense matrices: LU with a choice of pivots, and singular values. Row by row.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <ulna/views.hpp>

namespace ulna::internal {

/// Of the sizes of all numbers; infinite where one is not finite.
inline double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::fmax(most, std::isfinite(value) ? std::fabs(value) : HUGE_VAL);
  return most;
}

template <class T>
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<T> entries;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c, T(0)) {}
  T& operator()(std::size_t i, std::size_t j) { return entries[i * cols + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return entries[i * cols + j]; }
};

/// P A = L U of a square matrix, by rows of largest pivots.
template <class T>
class Lu {
 public:
  explicit Lu(Matrix<T> A) : A_(std::move(A)), row_(A_.rows) {
    using std::abs;
    const std::size_t n = A_.rows;
    for (std::size_t i = 0; i < n; ++i) row_[i] = i;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n; ++i)
        if (abs(A_(row_[i], k)) > abs(A_(row_[best], k))) best = i;
      if (best != k) negative_ = !negative_, std::swap(row_[k], row_[best]);
      const T pivot = A_(row_[k], k);
      negative_ = negative_ != (pivot < 0);
      const T size = abs(pivot);
      largest_ = k == 0 || size > largest_ ? size : largest_;
      smallest_ = k == 0 || !(size > smallest_) ? size : smallest_;
      if (pivot == 0) continue;
      for (std::size_t i = k + 1; i < n; ++i) {
        T& factor = A_(row_[i], k);
        if (factor == 0) continue;
        factor /= pivot;
        for (std::size_t j = k + 1; j < n; ++j) A_(row_[i], j) -= factor * A_(row_[k], j);
      }
    }
  }

  /// Smallest pivot over the largest: 0 for a singular matrix, 1 for none at all.
  T health() const { return A_.rows == 0 ? T(1) : largest_ > 0 ? smallest_ / largest_ : T(0); }
  bool negative() const { return negative_; }  // the determinant

  /// A x = b.
  std::vector<T> solve(const std::vector<T>& b) const {
    const std::size_t n = A_.rows;
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = b[row_[i]];
      for (std::size_t j = 0; j < i; ++j) x[i] -= A_(row_[i], j) * x[j];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) x[i] -= A_(row_[i], j) * x[j];
      x[i] /= A_(row_[i], i);
    }
    return x;
  }

 private:
  Matrix<T> A_;
  std::vector<std::size_t> row_;
  T largest_ = 0, smallest_ = 0;
  bool negative_ = false;
};

/// Aᵀ = V diag(s) Uᵀ by Jacobi's rotations of the rows of A (Hestenes 1958): rows of U Aʹ are left at right angles. s is not in order.
struct RowSvd {
  Matrix<double> rows;   // Uᵀ A: row i is s_i times a unit vector
  Matrix<double> turns;  // Uᵀ
  std::vector<double> s;

  explicit RowSvd(const Matrix<double>& A) : rows(A), turns(A.rows, A.rows), s(A.rows) {
    const std::size_t m = A.rows, n = A.cols;
    for (std::size_t i = 0; i < m; ++i) turns(i, i) = 1;
    const auto product = [&](std::size_t i, std::size_t j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += rows(i, k) * rows(j, k);
      return sum;
    };
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; ++sweep) {
      turned = false;
      for (std::size_t i = 0; i + 1 < m; ++i)
        for (std::size_t j = i + 1; j < m; ++j) {
          const double a = product(i, i), b = product(j, j), c = product(i, j);
          if (std::abs(c) <= 1e-15 * std::sqrt(a * b) || c == 0) continue;
          turned = true;
          const double zeta = (b - a) / (2 * c);
          const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), co = 1 / std::sqrt(1 + t * t), si = co * t;
          const auto turn = [&](Matrix<double>& M) {
            for (std::size_t k = 0; k < M.cols; ++k) {
              const double x = M(i, k), y = M(j, k);
              M(i, k) = co * x - si * y;
              M(j, k) = si * x + co * y;
            }
          };
          turn(rows);
          turn(turns);
        }
    }
    for (std::size_t i = 0; i < m; ++i) s[i] = std::sqrt(product(i, i));
  }

  double largest() const {
    double most = 0;
    for (const double value : s) most = value > most ? value : most;
    return most;
  }
  std::size_t rank(double tolerance) const {
    std::size_t count = 0;
    for (const double value : s) count += value > tolerance ? 1 : 0;
    return count;
  }
  /// The smallest singular value above the tolerance.
  double least(double tolerance) const {
    double least = largest();
    for (const double value : s)
      if (value > tolerance && value < least) least = value;
    return least;
  }
  /// The shortest x for which A x is nearest to b.
  std::vector<double> solve(const std::vector<double>& b, double tolerance) const {
    std::vector<double> x(rows.cols, 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (!(s[i] > tolerance)) continue;
      double along = 0;
      for (std::size_t k = 0; k < rows.rows; ++k) along += turns(i, k) * b[k];
      for (std::size_t k = 0; k < rows.cols; ++k) x[k] += rows(i, k) * along / (s[i] * s[i]);
    }
    return x;
  }
};

}  // namespace ulna::internal
