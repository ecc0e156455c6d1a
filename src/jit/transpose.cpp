#include "jit/transpose.hpp"

#include <algorithm>

#if defined(__x86_64__) && !defined(_WIN32)
#include <immintrin.h>
#define ULNA_AVX2 __attribute__((target("avx2")))
#endif

namespace ulna::jit {

namespace {

template <class T, std::size_t W>
void gather_plain(const T* states, std::size_t stride, std::size_t n, std::size_t left, T* lanes) noexcept {
  for (std::size_t s = 0; s < W; ++s) {
    const T* state = states + std::min(s, left - 1) * stride;
    for (std::size_t i = 0; i < n; ++i) lanes[i * W + s] = state[i];
  }
}

template <class T, std::size_t W>
void scatter_plain(const T* lanes, std::size_t n, std::size_t left, T* states, std::size_t stride) noexcept {
  for (std::size_t s = 0; s < std::min(left, W); ++s)
    for (std::size_t i = 0; i < n; ++i) states[s * stride + i] = lanes[i * W + s];
}

#if defined(ULNA_AVX2)

// Four numbers of four (double) or eight (float) states at a time. The last four overlap those before them when n is no multiple of four: writing a number
// twice is cheaper than a loop for the rest.

/// Where the states from `group` on begin; the last one is repeated. One address after the other: multiplying for all at once takes longer.
template <class T, std::size_t N>
inline void each_state(const T* states, std::size_t stride, std::size_t group, std::size_t left, const T* (&from)[N]) {
  from[0] = states + std::min(group, left - 1) * stride;
  for (std::size_t s = 1; s < N; ++s) from[s] = from[s - 1] + (group + s < left ? stride : 0);
}

ULNA_AVX2 inline void turn_block(__m256d& a, __m256d& b, __m256d& c, __m256d& d) {
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

/// In each half by itself.
ULNA_AVX2 inline void turn_halves(__m256& a, __m256& b, __m256& c, __m256& d) {
  const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b);
  const __m256 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
  a = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
  b = _mm256_shuffle_ps(ab_low, cd_low, 0xee);
  c = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
  d = _mm256_shuffle_ps(ab_high, cd_high, 0xee);
}

template <std::size_t W>
ULNA_AVX2 void gather_avx2(const double* states, std::size_t stride, std::size_t n, std::size_t left, double* lanes) noexcept {
  if (n < 4) return gather_plain<double, W>(states, stride, n, left, lanes);
  for (std::size_t group = 0; group < W; group += 4) {
    const double* from[4];
    each_state(states, stride, group, left, from);
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      // Halves of two states in one register, straight from memory: half of the shuffling is done by the loads.
      const __m256d ac = pair(from[0] + i, from[2] + i), bd = pair(from[1] + i, from[3] + i);
      const __m256d ac_next = pair(from[0] + i + 2, from[2] + i + 2), bd_next = pair(from[1] + i + 2, from[3] + i + 2);
      double* to = lanes + i * W + group;
      _mm256_storeu_pd(to, _mm256_unpacklo_pd(ac, bd)), _mm256_storeu_pd(to + W, _mm256_unpackhi_pd(ac, bd));
      _mm256_storeu_pd(to + 2 * W, _mm256_unpacklo_pd(ac_next, bd_next)), _mm256_storeu_pd(to + 3 * W, _mm256_unpackhi_pd(ac_next, bd_next));
      if (i + 4 == n) break;
    }
  }
}

template <std::size_t W>
ULNA_AVX2 void scatter_avx2(const double* lanes, std::size_t n, std::size_t left, double* states, std::size_t stride) noexcept {
  if (n < 4 || left < W) return scatter_plain<double, W>(lanes, n, left, states, stride);
  for (std::size_t group = 0; group < W; group += 4) {
    double* to = states + group * stride;
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      const double* from = lanes + i * W + group;
      __m256d a = _mm256_loadu_pd(from), b = _mm256_loadu_pd(from + W), c = _mm256_loadu_pd(from + 2 * W), d = _mm256_loadu_pd(from + 3 * W);
      turn_block(a, b, c, d);
      _mm256_storeu_pd(to + i, a), _mm256_storeu_pd(to + stride + i, b), _mm256_storeu_pd(to + 2 * stride + i, c), _mm256_storeu_pd(to + 3 * stride + i, d);
      if (i + 4 == n) break;
    }
  }
}

template <std::size_t W>
ULNA_AVX2 void gather_avx2(const float* states, std::size_t stride, std::size_t n, std::size_t left, float* lanes) noexcept {
  if (n < 4) return gather_plain<float, W>(states, stride, n, left, lanes);
  for (std::size_t group = 0; group < W; group += 8) {
    const float* from[8];
    each_state(states, stride, group, left, from);
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      __m256 row[4];  // states s and s + 4
      for (std::size_t s = 0; s < 4; ++s) row[s] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from[s] + i)), _mm_loadu_ps(from[s + 4] + i), 1);
      turn_halves(row[0], row[1], row[2], row[3]);
      for (std::size_t k = 0; k < 4; ++k) _mm256_storeu_ps(lanes + (i + k) * W + group, row[k]);
      if (i + 4 == n) break;
    }
  }
}

template <std::size_t W>
ULNA_AVX2 void scatter_avx2(const float* lanes, std::size_t n, std::size_t left, float* states, std::size_t stride) noexcept {
  if (n < 4 || left < W) return scatter_plain<float, W>(lanes, n, left, states, stride);
  for (std::size_t group = 0; group < W; group += 8) {
    float* to = states + group * stride;
    for (std::size_t i = 0;; i = std::min(i + 4, n - 4)) {
      __m256 row[4];
      for (std::size_t k = 0; k < 4; ++k) row[k] = _mm256_loadu_ps(lanes + (i + k) * W + group);
      turn_halves(row[0], row[1], row[2], row[3]);
      for (std::size_t s = 0; s < 4; ++s) {
        _mm_storeu_ps(to + s * stride + i, _mm256_castps256_ps128(row[s]));
        _mm_storeu_ps(to + (s + 4) * stride + i, _mm256_extractf128_ps(row[s], 1));
      }
      if (i + 4 == n) break;
    }
  }
}

#endif

}  // namespace

template <class T>
Transpose<T> transpose_for(InstructionSet set) {
#if defined(ULNA_AVX2)
  constexpr std::size_t kLanes = 32 / sizeof(T);
  if (set == InstructionSet::avx512) return {gather_avx2<2 * kLanes>, scatter_avx2<2 * kLanes>};
  if (set == InstructionSet::avx2) return {gather_avx2<kLanes>, scatter_avx2<kLanes>};
#else
  static_cast<void>(set);
#endif
  constexpr std::size_t kFew = 16 / sizeof(T);
  return {gather_plain<T, kFew>, scatter_plain<T, kFew>};
}

template Transpose<double> transpose_for(InstructionSet);
template Transpose<float> transpose_for(InstructionSet);

}  // namespace ulna::jit
