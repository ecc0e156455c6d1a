#include "jit/tree_solve.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#if defined(__x86_64__) && !defined(_WIN32)
#include <immintrin.h>
#define ULNA_WIDE_SETS
#endif

namespace ulna::internal::jit {

TreeSolve::TreeSolve(const std::vector<std::size_t>& parent, const Form& form) : parent_(parent), n_(parent.size()), width_(form.width()) {
  std::vector<std::vector<std::size_t>> path(n_);  // from the base, the joint itself not among them
  std::vector<std::size_t> children(n_, 0);
  for (std::size_t k = 0; k < n_; ++k)
    if (parent[k] != kNone) path[k] = path[parent[k]], path[k].push_back(parent[k]), ++children[parent[k]];
  const auto is_under = [&](std::size_t k, std::size_t i) { return std::binary_search(path[k].begin(), path[k].end(), i); };
  const std::size_t most = form.vector_bytes() == 64 ? 8 : 4;  // half of the registers, for two columns each
  std::vector<Tile> tiles;
  for (std::size_t k = 0; k < n_; ++k) {
    const bool goes_on = k > 0 && parent[k] == k - 1 && children[k - 1] == 1 && tiles.back().rows < most;
    goes_on ? void(++tiles.back().rows) : tiles.push_back({k, 1});
  }

  std::map<std::vector<bool>, std::vector<std::uint32_t>> joints;
  for (std::size_t j = 0; j < n_; ++j) {
    std::vector<bool> support(n_);
    for (std::size_t k = 0; k < n_; ++k) support[k] = k == j || is_under(k, j) || is_under(j, k);
    joints[support].push_back(static_cast<std::uint32_t>(j));
  }
  const auto nearest = [&](std::size_t k, const std::vector<bool>& support) {
    while (k != kNone && !support[k]) k = parent[k];
    return k;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> number;  // of base and tile: its first term
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const auto [first, rows] = tiles[t];
    number[{kNone, t}] = links_.size();
    for (const std::size_t i : path[first])
      for (std::size_t r = 0; r < rows; ++r) links_.push_back({first + r, i, kNone});
    for (std::size_t s = 0; s < rows; ++s)
      for (std::size_t r = s + 1; r < rows; ++r) links_.push_back({first + r, first + s, kNone});
  }
  for (const auto& [support, of] : joints)
    for (std::size_t t = 0; t < tiles.size(); ++t)
      if (const std::size_t base = nearest(tiles[t].first, support); base != kNone && base != tiles[t].first) number[{base, t}] = 0;
  for (auto& [key, first] : number) {
    const auto [base, t] = key;
    if (base == kNone) continue;
    first = links_.size();
    std::vector<std::size_t> before = path[base];
    before.push_back(base);
    for (const std::size_t i : before)
      for (std::size_t r = 0; r < tiles[t].rows; ++r) links_.push_back({tiles[t].first + r, i, base});
  }

  for (auto& [support, of] : joints) {
    Class c{std::move(of), std::vector<std::uint32_t>(n_, kNone32), 0, numbers_, {}, 0, {}, 0, 0};
    for (std::size_t k = 0; k < n_; ++k)
      if (support[k]) c.place[k] = static_cast<std::uint32_t>(c.rows++);
    const auto put = [](std::vector<std::uint16_t>& code, std::size_t x) { code.push_back(static_cast<std::uint16_t>(x)); };
    long both = 0, inverse = 0;  // terms of columns by q and v, and of M⁻¹
    for (std::size_t t = tiles.size(); t-- > 0;) {
      const auto [first, rows] = tiles[t];
      if (!support[first]) continue;
      if (first + rows > c.joints.back() && first <= c.joints.back()) c.inverse = c.down.size();
      const std::vector<std::size_t>& before = path[first];
      put(c.down, c.place[first]), put(c.down, rows), put(c.down, number[{kNone, t}]), put(c.down, before.size());
      for (const std::size_t i : before) put(c.down, c.place[i]);
      const auto terms = static_cast<long>(before.size() * rows + rows * (rows - 1) / 2);
      both += terms, inverse += first <= c.joints.back() ? terms : 0;
    }
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const auto [first, rows] = tiles[t];
      const std::size_t base = nearest(first, support);
      std::vector<std::size_t> before = base == kNone ? std::vector<std::size_t>{} : path[base];
      if (base != kNone && base != first) before.push_back(base);
      put(c.up, support[first] ? c.place[first] + 1 : 0), put(c.up, rows), put(c.up, links_.size() + first);
      put(c.up, base == kNone ? 0 : number[{support[first] ? kNone : base, t}]), put(c.up, before.size());
      for (const std::size_t i : before) put(c.up, i);
      const auto terms = static_cast<long>(before.size() * rows + (support[first] ? rows * (rows - 1) / 2 : 0));
      both += terms, inverse += first <= c.joints.back() ? terms : 0;
      if (first <= c.joints.back()) c.inverse_rows = first + rows, c.inverse_end = c.up.size();
    }
    const auto columns = static_cast<long>(c.joints.size()), terms = columns * (2 * both + inverse);
    counts_.add += terms;
    counts_.mul += terms + 3 * columns * static_cast<long>(c.rows);
    numbers_ += (2 * c.joints.size() + width_ - 1) / width_ * c.rows * width_;
    classes_.push_back(std::move(c));
  }
  too_long_ = std::max(links_.size() + n_, n_) > std::numeric_limits<std::uint16_t>::max();
}

std::vector<double> TreeSolve::solved(std::vector<double> given) const {
  std::vector<double> out(results());
  const double* numbers = given.data() + numbers_;
  for (const Class& c : classes_)
    for (std::size_t column = 0; column < 3 * c.joints.size(); ++column) {
      const std::size_t j = column % c.joints.size(), part = column / c.joints.size();
      std::vector<double> y(c.rows, 0.0);
      for (std::size_t row = 0; part < 2 && row < c.rows; ++row) y[row] = given[c.first + (column / width_ * c.rows + row) * width_ + column % width_];
      if (part == 2) y[c.place[c.joints[j]]] = -1;
      for (std::size_t at = 0; at < c.down.size(); at += std::size_t{4} + c.down[at + 3]) {
        const std::size_t first = c.down[at], rows = c.down[at + 1], count = c.down[at + 3];
        const double* terms = numbers + c.down[at + 2];
        for (std::size_t s = rows; s-- > 0;)
          for (std::size_t r = s + 1; r < rows; ++r) y[first + s] -= terms[rows * count + s * rows - s * (s + 1) / 2 + r - s - 1] * y[first + r];
        for (std::size_t i = 0; i < count; ++i)
          for (std::size_t r = 0; r < rows; ++r) y[c.down[at + 4 + i]] -= terms[i * rows + r] * y[first + r];
      }
      double* x = &out[(c.joints[j] + part * n_) * n_];
      for (std::size_t row = 0, at = 0; at < (part == 2 ? c.inverse_end : c.up.size()); at += std::size_t{5} + c.up[at + 4]) {
        const std::size_t place = c.up[at], rows = c.up[at + 1], count = c.up[at + 4];
        const double *pivots = numbers + c.up[at + 2], *terms = numbers + c.up[at + 3];
        for (std::size_t r = 0; r < rows; ++r) {
          double& own = x[row + r];
          own = place == 0 ? given.back() : pivots[r] * y[place - 1 + r];
          for (std::size_t i = 0; i < count; ++i) own -= terms[i * rows + r] * x[c.up[at + 5 + i]];
          for (std::size_t s = 0; place != 0 && s < r; ++s) own -= terms[rows * count + s * rows - s * (s + 1) / 2 + r - s - 1] * x[row + s];
        }
        row += rows;
      }
    }
  for (const Class& c : classes_)
    for (const std::size_t j : c.joints)
      for (std::size_t i = c.inverse_rows; i < n_; ++i) out[i + (2 * n_ + j) * n_] = out[j + (2 * n_ + i) * n_];
  return out;
}

namespace {

// Columns are written in squares of as many rows as they are side by side.

namespace plain {
#define ULNA_TARGET
#define ULNA_KEEP(x)
inline void write_square(const double* x, double* const* to, std::size_t i, std::size_t columns) {
  constexpr std::size_t kWidth = 2;
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t l = 0; l < kWidth; ++l) to[k][i + l] = x[l * kWidth + k];
}
#include "jit/tree_solve-inl.hpp"
#undef ULNA_TARGET
#undef ULNA_KEEP
}  // namespace plain

#if defined(ULNA_WIDE_SETS)
namespace avx2 {
#define ULNA_KEEP(x) __asm__("" : "+x"(x))
#define ULNA_TARGET __attribute__((target("avx2,fma")))
ULNA_TARGET inline void write_square(const double* x, double* const* to, std::size_t i, std::size_t columns) {
  const __m256d a = _mm256_loadu_pd(x), b = _mm256_loadu_pd(x + 4), c = _mm256_loadu_pd(x + 8), d = _mm256_loadu_pd(x + 12);
  const __m256d ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const __m256d cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  const __m256d turned[] = {_mm256_permute2f128_pd(ab_low, cd_low, 0x20), _mm256_permute2f128_pd(ab_high, cd_high, 0x20),
                            _mm256_permute2f128_pd(ab_low, cd_low, 0x31), _mm256_permute2f128_pd(ab_high, cd_high, 0x31)};
#pragma GCC unroll 4
  for (std::size_t k = 0; k < 4; ++k)
    if (k < columns) _mm256_storeu_pd(to[k] + i, turned[k]);
}
#include "jit/tree_solve-inl.hpp"
#undef ULNA_TARGET
#undef ULNA_KEEP
}  // namespace avx2

namespace avx512 {
#define ULNA_KEEP(x) __asm__("" : "+v"(x))
#define ULNA_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
ULNA_TARGET inline __m512d even_pairs(__m512d a, __m512d b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13); }
ULNA_TARGET inline __m512d odd_pairs(__m512d a, __m512d b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15); }
ULNA_TARGET inline void write_square(const double* x, double* const* to, std::size_t i, std::size_t columns) {
  __m512d pairs[8], turned[8];
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2) {
    const __m512d a = _mm512_loadu_pd(x + 8 * k), b = _mm512_loadu_pd(x + 8 * k + 8);
    pairs[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14), pairs[k + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const __m512d low = even_pairs(pairs[odd], pairs[odd + 2]), high = odd_pairs(pairs[odd], pairs[odd + 2]);
    const __m512d next_low = even_pairs(pairs[odd + 4], pairs[odd + 6]), next_high = odd_pairs(pairs[odd + 4], pairs[odd + 6]);
    turned[odd] = even_pairs(low, next_low), turned[odd + 4] = odd_pairs(low, next_low);
    turned[odd + 2] = even_pairs(high, next_high), turned[odd + 6] = odd_pairs(high, next_high);
  }
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 8; ++k)
    if (k < columns) _mm512_storeu_pd(to[k] + i, turned[k]);
}
#include "jit/tree_solve-inl.hpp"
#undef ULNA_TARGET
#undef ULNA_KEEP
}  // namespace avx512
#endif

/// What was given lies on the stack, with room for solutions.
template <class T>
void finish(const void* in0, const void* in1, const void* in2, void* out, const void* constants, std::size_t blocks, InstructionSet set, bool lanes) {
  const Finished& finished = *static_cast<const Finished*>(constants);
  const TreeSolve& solve = *finished.solve;
  const Form form{set, sizeof(T) == 4, lanes};
  const std::size_t bytes = solve.scratch(lanes) * sizeof(T) * (lanes ? form.width() : 1);
  T* given = static_cast<T*>(touched(__builtin_alloca_with_align(bytes, kScratchBits), bytes));
  if (!lanes) {
    finished.kernel(in0, in1, in2, given, finished.constants, 1);
    return TreeSolve::one<T>(set)(solve, given, static_cast<T*>(out));
  }
  const void* in[] = {in0, in1, in2};
  for (std::size_t block = 0; block < blocks; ++block) {
    finished.kernel(in[0], in[1], in[2], given, finished.constants, 1);
    TreeSolve::lanes<T>(set)(solve, given, static_cast<T*>(out) + block * solve.results() * form.width());
    for (std::size_t k = 0; k < kMostInputs; ++k) in[k] = static_cast<const T*>(in[k]) + finished.inputs[k] * form.width();
  }
}

template <class T, InstructionSet kSet, bool kLanes>
void finish_as(const void* in0, const void* in1, const void* in2, void* out, const void* constants, std::size_t blocks) noexcept {
  finish<T>(in0, in1, in2, out, constants, blocks, kSet, kLanes);
}

template <class T, bool kLanes>
KernelFunction finishing_as(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512: return finish_as<T, InstructionSet::avx512, kLanes>;
    case InstructionSet::avx2: return finish_as<T, InstructionSet::avx2, kLanes>;
    case InstructionSet::neon: return finish_as<T, InstructionSet::neon, kLanes>;
    default: return finish_as<T, InstructionSet::sse2, kLanes>;
  }
}

}  // namespace

template <class T>
TreeSolve::Function<T> TreeSolve::one(InstructionSet set) {
#if defined(ULNA_WIDE_SETS)
  if (set == InstructionSet::avx512) return avx512::one<T, 64 / sizeof(T)>;
  if (set == InstructionSet::avx2) return avx2::one<T, 32 / sizeof(T)>;
#endif
  static_cast<void>(set);
  return plain::one<T, 16 / sizeof(T)>;
}

template <class T>
TreeSolve::Function<T> TreeSolve::lanes(InstructionSet set) {
#if defined(ULNA_WIDE_SETS)
  if (set == InstructionSet::avx512) return avx512::lanes<T, 64 / sizeof(T)>;
  if (set == InstructionSet::avx2) return avx2::lanes<T, 32 / sizeof(T)>;
#endif
  static_cast<void>(set);
  return plain::lanes<T, 16 / sizeof(T)>;
}

KernelFunction finishing(const Form& form) {
  if (form.single) return form.lanes ? finishing_as<float, true>(form.set) : finishing_as<float, false>(form.set);
  return form.lanes ? finishing_as<double, true>(form.set) : finishing_as<double, false>(form.set);
}

template TreeSolve::Function<double> TreeSolve::one(InstructionSet);
template TreeSolve::Function<float> TreeSolve::one(InstructionSet);
template TreeSolve::Function<double> TreeSolve::lanes(InstructionSet);
template TreeSolve::Function<float> TreeSolve::lanes(InstructionSet);

}  // namespace ulna::internal::jit
