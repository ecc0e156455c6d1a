#include "identify/condensed.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ulna::internal {

namespace {

constexpr std::size_t kRows = TallQr::kRows;
// Eight numbers at a time: the compiler splits them into what the processor has, and sums come out the same on all.
using Eight = double __attribute__((vector_size(64), aligned(8)));
constexpr std::size_t kEights = kRows / 8;
constexpr double kNothing = 1e-280;  // squares that are less have lost their digits: what is left of a filter's decay

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ULNA_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ULNA_CLONES
#endif

/// Householder reflections that make the block vanish against the triangle above it. 2 kRows n² operations, of which two columns share the reading of a third.
ULNA_CLONES void eliminate(double* R, double* block, std::size_t n) {
  const auto sum = [](const Eight& x) { return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7])); };
  for (std::size_t k = 0; k < n; ++k) {
    const double* x = block + k * kRows;
    Eight squares{};
    for (std::size_t i = 0; i < kEights; ++i) {
      Eight e;
      std::memcpy(&e, x + 8 * i, sizeof e);
      squares += e * e;
    }
    const double below = sum(squares);
    if (below < kNothing) continue;
    const double top = R[k + k * n], length = std::sqrt(top * top + below), pivot = top > 0 ? -length : length;
    const double v0 = top - pivot, scale = 2 / (v0 * v0 + below);
    R[k + k * n] = pivot;
    std::size_t j = k + 1;
    for (; j + 1 < n; j += 2) {
      double *a = block + j * kRows, *b = a + kRows;
      Eight of_a{}, of_b{};
      for (std::size_t i = 0; i < kEights; ++i) {
        Eight e, ea, eb;
        std::memcpy(&e, x + 8 * i, sizeof e);
        std::memcpy(&ea, a + 8 * i, sizeof ea);
        std::memcpy(&eb, b + 8 * i, sizeof eb);
        of_a += e * ea;
        of_b += e * eb;
      }
      const double wa = scale * (v0 * R[k + j * n] + sum(of_a)), wb = scale * (v0 * R[k + (j + 1) * n] + sum(of_b));
      R[k + j * n] -= wa * v0;
      R[k + (j + 1) * n] -= wb * v0;
      for (std::size_t i = 0; i < kEights; ++i) {
        Eight e, ea, eb;
        std::memcpy(&e, x + 8 * i, sizeof e);
        std::memcpy(&ea, a + 8 * i, sizeof ea);
        std::memcpy(&eb, b + 8 * i, sizeof eb);
        ea -= wa * e;
        eb -= wb * e;
        std::memcpy(a + 8 * i, &ea, sizeof ea);
        std::memcpy(b + 8 * i, &eb, sizeof eb);
      }
    }
    for (; j < n; ++j) {
      double* a = block + j * kRows;
      Eight of_a{};
      for (std::size_t i = 0; i < kEights; ++i) {
        Eight e, ea;
        std::memcpy(&e, x + 8 * i, sizeof e);
        std::memcpy(&ea, a + 8 * i, sizeof ea);
        of_a += e * ea;
      }
      const double wa = scale * (v0 * R[k + j * n] + sum(of_a));
      R[k + j * n] -= wa * v0;
      for (std::size_t i = 0; i < kRows; ++i) a[i] -= wa * x[i];
    }
  }
}

}  // namespace

TallQr::TallQr(std::size_t columns) : n_(columns), block_(columns * kRows, 0), R_(columns * columns, 0) {}

void TallQr::fold() {
  if (filled_ == 0) return;
  eliminate(R_.data(), block_.data(), n_);
  rows_ += filled_;
  filled_ = 0;
  std::fill(block_.begin(), block_.end(), 0.0);
}

void TallQr::add(const TallQr& other) {
  const auto give = [&](const double* numbers, std::size_t rows, std::size_t across) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < n_; ++c) next()[c * kRows] = numbers[r + c * across];
      take();
    }
  };
  fold();
  const std::size_t all = rows_ + other.rows();
  give(other.R_.data(), n_, n_);
  give(other.block_.data(), other.filled_, kRows);
  fold();
  rows_ = all;
}

const std::vector<double>& TallQr::triangle() {
  fold();
  return R_;
}

}  // namespace ulna::internal
