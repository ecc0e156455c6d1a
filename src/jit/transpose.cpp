#include "jit/transpose.hpp"

#include <algorithm>

#if defined(__x86_64__) && !defined(_WIN32)
#include <immintrin.h>
#define ULNA_AVX2 __attribute__((target("avx2")))
#define ULNA_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#endif

namespace ulna::internal::jit {

namespace {

template <class T, std::size_t W>
void gather_plain(const T* states, std::size_t stride, std::size_t n, std::size_t count, T* lanes) noexcept {
  for (std::size_t s = 0; s < (count + W - 1) / W * W; ++s) {
    const T* state = states + std::min(s, count - 1) * stride;
    for (std::size_t i = 0; i < n; ++i) lanes[(s / W * n + i) * W + s % W] = state[i];
  }
}

template <class T, std::size_t W>
void scatter_plain(const T* lanes, std::size_t n, std::size_t count, T* states, std::size_t stride) noexcept {
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t i = 0; i < n; ++i) states[s * stride + i] = lanes[(s / W * n + i) * W + s % W];
}

template <class T, std::size_t W>
void scatter_rows_plain(const T* lanes, const Rows& rows, std::size_t count, T* states, std::size_t stride) noexcept {
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t i = 0; i < rows.of.size(); ++i) states[s * stride + i] = lanes[(s / W * rows.count + rows.of[i]) * W + s % W];
}

#if defined(ULNA_AVX2)

// Four numbers of four (double) or eight (float) states at a time. The last four overlap those before them when n is no multiple of four: writing a number
// twice is cheaper than a loop for the rest.

ULNA_AVX2 inline void transpose_block(__m256d& a, __m256d& b, __m256d& c, __m256d& d) {
  const __m256d ab_low = _mm256_unpacklo_pd(a, b), ab_high = _mm256_unpackhi_pd(a, b);
  const __m256d cd_low = _mm256_unpacklo_pd(c, d), cd_high = _mm256_unpackhi_pd(c, d);
  a = _mm256_permute2f128_pd(ab_low, cd_low, 0x20);
  b = _mm256_permute2f128_pd(ab_high, cd_high, 0x20);
  c = _mm256_permute2f128_pd(ab_low, cd_low, 0x31);
  d = _mm256_permute2f128_pd(ab_high, cd_high, 0x31);
}

ULNA_AVX2 inline __m256d pair(const double* low, const double* high) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)), _mm_loadu_pd(high), 1);
}

ULNA_AVX2 inline __m256 pair(const float* low, const float* high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

ULNA_AVX2 inline __m256d load(const double* from) { return _mm256_loadu_pd(from); }
ULNA_AVX2 inline __m256 load(const float* from) { return _mm256_loadu_ps(from); }

/// To a state; of floats, halves to a state and to the fourth one after it.
ULNA_AVX2 inline void store(__m256d x, double* to, std::size_t) { _mm256_storeu_pd(to, x); }
ULNA_AVX2 inline void store(__m256 x, float* to, std::size_t stride) {
  _mm_storeu_ps(to, _mm256_castps256_ps128(x));
  _mm_storeu_ps(to + 4 * stride, _mm256_extractf128_ps(x, 1));
}

/// In each half by itself.
ULNA_AVX2 inline void transpose_block(__m256& a, __m256& b, __m256& c, __m256& d) {
  const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
  const __m256 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
  a = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
  b = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
  c = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
  d = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
}

// N is the number of numbers of a state where that is known, so that loops are unrolled; 0 where it is not.

template <std::size_t W, std::size_t N>
ULNA_AVX2 void gather_avx2(const double* states, std::size_t stride, std::size_t given, std::size_t count, double* lanes) noexcept {
  const std::size_t n = N == 0 ? given : N;
  const std::size_t whole = n < 4 ? 0 : count / W * W;
  for (std::size_t s = 0; s < whole; s += 4) {
    const double *a = states + s * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    double* block = lanes + s / W * W * n + s % W;
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      // Halves of two states in one register, straight from memory: half of the shuffling is done by the loads.
      const __m256d ac = pair(a + i, c + i), bd = pair(b + i, d + i), ac_next = pair(a + i + 2, c + i + 2), bd_next = pair(b + i + 2, d + i + 2);
      double* to = block + i * W;
      _mm256_storeu_pd(to, _mm256_unpacklo_pd(ac, bd)), _mm256_storeu_pd(to + W, _mm256_unpackhi_pd(ac, bd));
      _mm256_storeu_pd(to + 2 * W, _mm256_unpacklo_pd(ac_next, bd_next)), _mm256_storeu_pd(to + 3 * W, _mm256_unpackhi_pd(ac_next, bd_next));
      if (i + 4 == n) break;
    }
  }
  gather_plain<double, W>(states + whole * stride, stride, n, count - whole, lanes + whole * n);
}

template <std::size_t W, std::size_t N>
ULNA_AVX2 void gather_avx2(const float* states, std::size_t stride, std::size_t given, std::size_t count, float* lanes) noexcept {
  const std::size_t n = N == 0 ? given : N;
  const std::size_t whole = n < 4 ? 0 : count / W * W;
  for (std::size_t s = 0; s < whole; s += 8) {
    const float *first = states + s * stride, *fifth = first + 4 * stride;
    float* block = lanes + s / W * W * n + s % W;
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      const float *low = first + i, *high = fifth + i;
      __m256 a = pair(low, high), b = pair(low + stride, high + stride), c = pair(low + 2 * stride, high + 2 * stride),
             d = pair(low + 3 * stride, high + 3 * stride);
      transpose_block(a, b, c, d);
      float* to = block + i * W;
      _mm256_storeu_ps(to, a), _mm256_storeu_ps(to + W, b), _mm256_storeu_ps(to + 2 * W, c), _mm256_storeu_ps(to + 3 * W, d);
      if (i + 4 == n) break;
    }
  }
  gather_plain<float, W>(states + whole * stride, stride, n, count - whole, lanes + whole * n);
}

/// To the first `whole` states; number i stands in row `row(i)` of `rows` rows of lanes.
template <std::size_t W, class T, class Row>
ULNA_AVX2 inline __attribute__((always_inline)) void scatter_blocks(const T* lanes, std::size_t n, std::size_t rows, const Row& row, std::size_t whole,
                                                                    T* states, std::size_t stride) noexcept {
  for (std::size_t s = 0; s < whole; s += 32 / sizeof(T)) {
    T* to = states + s * stride;
    const T* block = lanes + s / W * W * rows + s % W;
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      auto a = load(block + row(i) * W), b = load(block + row(i + 1) * W), c = load(block + row(i + 2) * W), d = load(block + row(i + 3) * W);
      transpose_block(a, b, c, d);
      store(a, to + i, stride), store(b, to + stride + i, stride), store(c, to + 2 * stride + i, stride), store(d, to + 3 * stride + i, stride);
      if (i + 4 == n) break;
    }
  }
}

template <std::size_t W, std::size_t N, class T>
ULNA_AVX2 void scatter_avx2(const T* lanes, std::size_t given, std::size_t count, T* states, std::size_t stride) noexcept {
  const std::size_t n = N == 0 ? given : N, whole = n < 4 ? 0 : count / W * W;
  scatter_blocks<W>(
      lanes, n, n, [](std::size_t i) { return i; }, whole, states, stride);
  scatter_plain<T, W>(lanes + whole * n, n, count - whole, states + whole * stride, stride);
}

template <std::size_t W, class T>
ULNA_AVX2 void scatter_rows_avx2(const T* lanes, const Rows& rows, std::size_t count, T* states, std::size_t stride) noexcept {
  const std::size_t n = rows.of.size(), whole = n < 4 ? 0 : count / W * W;
  scatter_blocks<W>(
      lanes, n, rows.count, [of = rows.of.data()](std::size_t i) { return of[i]; }, whole, states, stride);
  scatter_rows_plain<T, W>(lanes + whole * rows.count, rows, count - whole, states + whole * stride, stride);
}

// AVX-512: eight numbers of eight states at a time, in registers. Rows of less than eight numbers are read and written under a mask. Lanes are written whole,
// so that a kernel that reads them at once gets them from the store.

ULNA_AVX512 inline __m512d even_pairs(__m512d a, __m512d b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13); }
ULNA_AVX512 inline __m512d odd_pairs(__m512d a, __m512d b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15); }

/// Eight rows become eight columns.
ULNA_AVX512 inline void transpose_eight(__m512d (&x)[8]) {
  __m512d pairs[8];
#pragma GCC unroll 4
  for (int k = 0; k < 8; k += 2)
    pairs[k] = __builtin_shufflevector(x[k], x[k + 1], 0, 8, 2, 10, 4, 12, 6, 14),
    pairs[k + 1] = __builtin_shufflevector(x[k], x[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd) {
    const __m512d low = even_pairs(pairs[odd], pairs[odd + 2]), high = odd_pairs(pairs[odd], pairs[odd + 2]);
    const __m512d next_low = even_pairs(pairs[odd + 4], pairs[odd + 6]), next_high = odd_pairs(pairs[odd + 4], pairs[odd + 6]);
    x[odd] = even_pairs(low, next_low), x[odd + 4] = odd_pairs(low, next_low);
    x[odd + 2] = even_pairs(high, next_high), x[odd + 6] = odd_pairs(high, next_high);
  }
}

ULNA_AVX512 inline __mmask8 first(std::size_t count) { return static_cast<__mmask8>(count >= 8 ? 0xff : (1u << count) - 1); }

template <std::size_t N>
ULNA_AVX512 void gather_avx512(const double* states, std::size_t stride, std::size_t given, std::size_t count, double* lanes) noexcept {
  const std::size_t n = N == 0 ? given : N, whole = count / 8 * 8;
  for (std::size_t s = 0; s < whole; s += 8)
    for (std::size_t i = 0; i < n; i += 8) {
      const double* from = states + s * stride + i;
      double* to = lanes + (s * n + i * 8);
      __m512d x[8];
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) x[k] = _mm512_maskz_loadu_pd(first(n - i), from + k * stride);
      transpose_eight(x);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k)
        if (i + k < n) _mm512_storeu_pd(to + k * 8, x[k]);
    }
  gather_plain<double, 8>(states + whole * stride, stride, n, count - whole, lanes + whole * n);
}

template <std::size_t N>
ULNA_AVX512 void scatter_avx512(const double* lanes, std::size_t given, std::size_t count, double* states, std::size_t stride) noexcept {
  const std::size_t n = N == 0 ? given : N, whole = count / 8 * 8;
  for (std::size_t s = 0; s < whole; s += 8)
    for (std::size_t i = 0; i < n; i += 8) {
      const double* from = lanes + (s * n + i * 8);
      double* to = states + s * stride + i;
      __m512d x[8];
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) x[k] = i + k < n ? _mm512_loadu_pd(from + k * 8) : _mm512_setzero_pd();
      transpose_eight(x);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) _mm512_mask_storeu_pd(to + k * stride, first(n - i), x[k]);
    }
  scatter_plain<double, 8>(lanes + whole * n, n, count - whole, states + whole * stride, stride);
}

ULNA_AVX512 void scatter_rows_avx512(const double* lanes, const Rows& rows, std::size_t count, double* states, std::size_t stride) noexcept {
  const std::size_t whole = count / 8 * 8;
  // All states begin at the same place between two boundaries, or their pieces may as well begin anywhere.
  const std::size_t shift = stride % Rows::kCell == 0 ? reinterpret_cast<std::uintptr_t>(states) / sizeof(double) % Rows::kCell : 0;
  for (std::size_t s = 0; s < whole; s += 8) {
    const double* block = lanes + s * rows.count;
    for (const Rows::Piece& piece : rows.pieces[shift]) {
      const std::uint32_t* of = rows.of.data() + piece.at;
      double* to = states + s * stride + piece.at;
      __m512d x[8];
      if (piece.same) {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k) x[k] = _mm512_set1_pd(block[of[0] * 8 + k]);
      } else {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < 8; ++k) x[k] = _mm512_loadu_pd(block + of[k < piece.count ? k : 0] * 8);
        transpose_eight(x);
      }
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) _mm512_mask_storeu_pd(to + k * stride, first(piece.count), x[k]);
    }
  }
  scatter_rows_plain<double, 8>(lanes + whole * rows.count, rows, count - whole, states + whole * stride, stride);
}

/// Arms of most kinds have so many joints.
template <class T, std::size_t W>
Transpose<T> avx2_for(std::size_t n) {
  switch (n) {
    case 4: return {gather_avx2<W, 4>, scatter_avx2<W, 4>};
    case 5: return {gather_avx2<W, 5>, scatter_avx2<W, 5>};
    case 6: return {gather_avx2<W, 6>, scatter_avx2<W, 6>};
    case 7: return {gather_avx2<W, 7>, scatter_avx2<W, 7>};
    case 8: return {gather_avx2<W, 8>, scatter_avx2<W, 8>};
    default: return {gather_avx2<W, 0>, scatter_avx2<W, 0>};
  }
}

template <class T>
Transpose<T> avx512_for(std::size_t n) {
  if constexpr (sizeof(T) == 4)
    return avx2_for<float, 16>(n);
  else
    switch (n) {
      case 4: return {gather_avx512<4>, scatter_avx512<4>};
      case 5: return {gather_avx512<5>, scatter_avx512<5>};
      case 6: return {gather_avx512<6>, scatter_avx512<6>};
      case 7: return {gather_avx512<7>, scatter_avx512<7>};
      case 8: return {gather_avx512<8>, scatter_avx512<8>};
      default: return {gather_avx512<0>, scatter_avx512<0>};
    }
}

#endif

}  // namespace

template <class T>
Transpose<T> transpose_for(InstructionSet set, std::size_t n) {
#if defined(ULNA_AVX2)
  constexpr std::size_t kLanes = 32 / sizeof(T);
  if (set == InstructionSet::avx512) return avx512_for<T>(n);
  if (set == InstructionSet::avx2) return avx2_for<T, kLanes>(n);
#else
  static_cast<void>(set), static_cast<void>(n);
#endif
  constexpr std::size_t kFew = 16 / sizeof(T);
  return {gather_plain<T, kFew>, scatter_plain<T, kFew>};
}

template <class T>
ScatterRows<T> scatter_rows_for(InstructionSet set) {
#if defined(ULNA_AVX2)
  constexpr std::size_t kLanes = 32 / sizeof(T);
  if constexpr (sizeof(T) == 8) {
    if (set == InstructionSet::avx512) return scatter_rows_avx512;
  } else {
    if (set == InstructionSet::avx512) return scatter_rows_avx2<2 * kLanes>;
  }
  if (set == InstructionSet::avx2) return scatter_rows_avx2<kLanes>;
#else
  static_cast<void>(set);
#endif
  return scatter_rows_plain<T, 16 / sizeof(T)>;
}

template ScatterRows<double> scatter_rows_for(InstructionSet);
template ScatterRows<float> scatter_rows_for(InstructionSet);
template Transpose<double> transpose_for(InstructionSet, std::size_t);
template Transpose<float> transpose_for(InstructionSet, std::size_t);

}  // namespace ulna::internal::jit
