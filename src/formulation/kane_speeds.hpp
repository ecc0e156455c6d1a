// Generalized speeds that a user chooses (Kane & Levinson 1983, eq. 1): u = A(q, t) v + B(q, t), v being the joint rates.
//
// Solved for the rates these are the kinematic differential equations, v = W (u - B) with W = A⁻¹ (the paper's eqs 8-11), and differentiated
// v̇ = W (u̇ - Ȧ v - Ḃ). Where A cannot be solved, std::domain_error says so: eq. 1 requires a unique solution.
//
// Scalars: the solution by elimination chooses pivots by size and thus needs numbers (double, float, Counted). A scalar without a size (an
// expression) needs speeds that bring their own `inverse`; nothing is checked then.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "scalar/counted.hpp"

namespace ulna::internal {

/// A choice of speeds. Matrices are n x n, row by row: a row per speed, a column per joint; every array comes filled with T(0).
template <class T>
struct GeneralizedSpeeds {
  std::string name;  // for messages
  /// A and B of eq. 1.
  std::function<void(const T* q, const T& t, T* A, T* B)> values;
  /// Their time derivatives along the motion: Σ_s (∂A/∂q_s) v_s + ∂A/∂t, the same for B. Empty: both are constant.
  std::function<void(const T* q, const T* v, const T& t, T* A_dot, T* B_dot)> rates;
  /// W = A⁻¹ in closed form, where it is known. Empty: by elimination.
  std::function<void(const T* q, const T& t, T* W)> inverse;
  std::string singular_where;  // what the message says about where A has no inverse; may be empty
};

/// A choice of speeds at one instant: what solve_speeds() and differentiate_speeds() fill in.
template <class T>
struct SpeedState {
  std::size_t n = 0;
  std::vector<T> A, A_dot, W;  // n x n, row by row
  std::vector<T> B, B_dot;     // n
  std::vector<T> v;            // joint rates
  std::vector<T> v_dot_t;      // what the joint accelerations are when every u̇ is zero: -W (Ȧ v + Ḃ)
};

namespace speeds_detail {

// How big a number is; scalars without this cannot be pivoted on.
inline double magnitude(double x) { return std::abs(x); }
inline double magnitude(float x) { return std::abs(static_cast<double>(x)); }
inline double magnitude(const Counted& x) { return std::abs(x.value()); }
template <class T>
concept Sized = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, Counted>;

template <class T>
constexpr double epsilon() {
  return std::is_same_v<T, float> ? static_cast<double>(std::numeric_limits<float>::epsilon()) : std::numeric_limits<double>::epsilon();
}

/// Largest entry of row i of an n x n matrix.
template <class T>
double row_size(const std::vector<T>& matrix, std::size_t n, std::size_t i) {
  double most = 0;
  for (std::size_t j = 0; j < n; ++j) most = std::fmax(most, magnitude(matrix[i * n + j]));
  return most;
}

/// W = A⁻¹ by Gauss-Jordan elimination; pivots by size relative to their row of A, so that units do not matter. False when a pivot is zero.
template <Sized T>
bool invert(std::size_t n, std::vector<T> A, std::vector<T>& W) {
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) scale[i] = row_size(A, n, i);
  W.assign(n * n, T(0));
  for (std::size_t i = 0; i < n; ++i) W[i * n + i] = T(1);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = n;
    double most = 0;
    for (std::size_t i = k; i < n; ++i) {
      const double size = scale[i] > 0 ? magnitude(A[i * n + k]) / scale[i] : 0;
      if (size > most) {
        most = size;
        best = i;
      }
    }
    if (best == n) return false;
    for (std::size_t j = 0; j < n; ++j) {
      std::swap(A[k * n + j], A[best * n + j]);
      std::swap(W[k * n + j], W[best * n + j]);
    }
    std::swap(scale[k], scale[best]);
    const T pivot = A[k * n + k];
    for (std::size_t j = 0; j < n; ++j) {
      A[k * n + j] = j == k ? T(1) : A[k * n + j] / pivot;
      W[k * n + j] = W[k * n + j] / pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const T factor = A[i * n + k];
      for (std::size_t j = 0; j < n; ++j) {
        A[i * n + j] = j == k ? T(0) : A[i * n + j] - factor * A[k * n + j];
        W[i * n + j] = W[i * n + j] - factor * W[k * n + j];
      }
    }
  }
  return true;
}

/// ‖A‖ ‖W‖ in the largest row sum, after rows and columns of A were scaled to largest entries of one: units of speeds and joints drop out.
template <Sized T>
double condition(std::size_t n, const std::vector<T>& A, const std::vector<T>& W) {
  std::vector<double> row(n), column(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) row[i] = 1 / row_size(A, n, i);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) column[j] = std::fmax(column[j], row[i] * magnitude(A[i * n + j]));
  double norm_A = 0, norm_W = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum_A = 0, sum_W = 0;
    for (std::size_t j = 0; j < n; ++j) {
      sum_A += row[i] * magnitude(A[i * n + j]) / column[j];
      sum_W += column[i] * magnitude(W[i * n + j]) / row[j];
    }
    if (!(sum_A <= norm_A)) norm_A = sum_A;  // lets a NaN through, which the caller refuses
    if (!(sum_W <= norm_W)) norm_W = sum_W;
  }
  return norm_A * norm_W;
}

template <class T>
[[noreturn]] void refuse(const GeneralizedSpeeds<T>& speeds) {
  std::string message = "generalized speeds";
  if (!speeds.name.empty()) message += " '" + speeds.name + "'";
  message += ": u = A v + B cannot be solved for the joint rates v at this configuration";
  if (!speeds.singular_where.empty()) message += "; singular " + speeds.singular_where;
  throw std::domain_error(message + "; choose other speeds there");
}

/// Refuses where v = W (u - B) and v̇ = W (u̇ - Ȧ v - Ḃ) are small differences of large numbers, as beside a pole of A or B.
template <std::floating_point T>
void require_digits(const GeneralizedSpeeds<T>& speeds, const SpeedState<T>& s) {
  T most = 0;
  for (const T& v : s.v) most = std::fmax(most, std::fabs(v));
  const T limit = T(1 / std::sqrt(epsilon<T>()));
  for (std::size_t k = 0; k < s.n; ++k) {
    T rate = 0, drift = 0;
    for (std::size_t r = 0; r < s.n; ++r) {
      T sum = std::fabs(s.B_dot[r]);
      for (std::size_t c = 0; c < s.n; ++c) sum += std::fabs(s.A_dot[r * s.n + c] * s.v[c]);
      const T W = std::fabs(s.W[k * s.n + r]);
      rate += W * std::fabs(s.B[r]), drift += W * sum;
    }
    if (!(rate <= limit * std::fmax(T(1), most) && drift <= limit * std::fmax(most, most * most))) refuse(speeds);
  }
}

template <class T>
void multiply(std::size_t n, const std::vector<T>& matrix, const T* x, T* y) {
  for (std::size_t i = 0; i < n; ++i) {
    T sum = T(0);
    for (std::size_t j = 0; j < n; ++j) sum = sum + matrix[i * n + j] * x[j];
    y[i] = sum;
  }
}

}  // namespace speeds_detail

/// A, B and W at (q, t). Throws std::domain_error where the choice is singular: accelerations pass through W twice (v̇ = W (u̇ - Ȧ W (u - B) - Ḃ)),
/// so that no digit of them is left once the condition of A reaches 1/√eps.
template <class T>
void solve_speeds(const GeneralizedSpeeds<T>& speeds, std::size_t n, const T* q, const T& t, SpeedState<T>& s) {
  s.n = n;
  s.A.assign(n * n, T(0));
  s.B.assign(n, T(0));
  speeds.values(q, t, s.A.data(), s.B.data());
  bool solved = true;
  if (speeds.inverse) {
    s.W.assign(n * n, T(0));
    speeds.inverse(q, t, s.W.data());
  } else if constexpr (speeds_detail::Sized<T>) {
    solved = speeds_detail::invert(n, s.A, s.W);
  } else {
    throw std::logic_error("generalized speeds: this scalar has no size to choose pivots by; give `inverse` in closed form");
  }
  if constexpr (speeds_detail::Sized<T>) {
    if (!solved || !(speeds_detail::condition(n, s.A, s.W) < 1 / std::sqrt(speeds_detail::epsilon<T>()))) speeds_detail::refuse(speeds);
  }
}

/// Ȧ, Ḃ and v_dot_t. Needs solve_speeds() and the joint rates in s.v. On numbers, throws std::domain_error where they leave no digits of the accelerations.
template <class T>
void differentiate_speeds(const GeneralizedSpeeds<T>& speeds, const T* q, const T& t, SpeedState<T>& s) {
  s.A_dot.assign(s.n * s.n, T(0));
  s.B_dot.assign(s.n, T(0));
  if (speeds.rates) speeds.rates(q, s.v.data(), t, s.A_dot.data(), s.B_dot.data());
  std::vector<T> drift(s.n, T(0));
  speeds_detail::multiply(s.n, s.A_dot, s.v.data(), drift.data());
  for (std::size_t r = 0; r < s.n; ++r) drift[r] = -(drift[r] + s.B_dot[r]);
  s.v_dot_t.assign(s.n, T(0));
  speeds_detail::multiply(s.n, s.W, drift.data(), s.v_dot_t.data());
  if constexpr (std::floating_point<T>) speeds_detail::require_digits(speeds, s);
}

/// The kinematic differential equations: joint rates from speeds, v = W (u - B). Fills s.A, s.B, s.W and s.v.
template <class T>
void rates_from_speeds(const GeneralizedSpeeds<T>& speeds, std::size_t n, const T* q, const T* u, const T& t, SpeedState<T>& s) {
  solve_speeds(speeds, n, q, t, s);
  std::vector<T> rest(n, T(0));
  for (std::size_t r = 0; r < n; ++r) rest[r] = u[r] - s.B[r];
  s.v.assign(n, T(0));
  speeds_detail::multiply(n, s.W, rest.data(), s.v.data());
}

/// Joint accelerations v̇ = W u̇ + v_dot_t from speeds and their derivatives. Fills all of s.
template <class T>
void accelerations_from_speeds(const GeneralizedSpeeds<T>& speeds, std::size_t n, const T* q, const T* u, const T* u_dot, const T& t, SpeedState<T>& s,
                               T* v_dot) {
  rates_from_speeds(speeds, n, q, u, t, s);
  differentiate_speeds(speeds, q, t, s);
  speeds_detail::multiply(n, s.W, u_dot, v_dot);
  for (std::size_t k = 0; k < n; ++k) v_dot[k] = v_dot[k] + s.v_dot_t[k];
}

/// u = A v + B and, where v_dot and u_dot are given, u̇ = A v̇ + Ȧ v + Ḃ. Defined at singular configurations, too.
template <class T>
void speeds_from_rates(const GeneralizedSpeeds<T>& speeds, std::size_t n, const T* q, const T* v, const T* v_dot, const T& t, T* u, T* u_dot) {
  std::vector<T> A(n * n, T(0)), B(n, T(0)), A_dot(n * n, T(0)), B_dot(n, T(0));
  speeds.values(q, t, A.data(), B.data());
  speeds_detail::multiply(n, A, v, u);
  for (std::size_t r = 0; r < n; ++r) u[r] = u[r] + B[r];
  if (v_dot == nullptr || u_dot == nullptr) return;
  if (speeds.rates) speeds.rates(q, v, t, A_dot.data(), B_dot.data());
  std::vector<T> drift(n, T(0));
  speeds_detail::multiply(n, A, v_dot, u_dot);
  speeds_detail::multiply(n, A_dot, v, drift.data());
  for (std::size_t r = 0; r < n; ++r) u_dot[r] = u_dot[r] + drift[r] + B_dot[r];
}

/// u = v.
template <class T>
GeneralizedSpeeds<T> joint_rate_speeds(std::size_t n) {
  GeneralizedSpeeds<T> speeds;
  speeds.name = "joint rates";
  const auto identity = [n](T* matrix) {
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = T(1);
  };
  speeds.values = [identity](const T*, const T&, T* A, T*) { identity(A); };
  speeds.inverse = [identity](const T*, const T&, T* W) { identity(W); };
  return speeds;
}

/// The paper's choice for the Stanford arm, eqs 2 and 3: u1, u2, u3 are the components of the angular velocity of body D along its own axes
/// d1, d2, d3, and u4, u5, u6 are the rates of the paper's q4, q5, q6. Joints in chain order q1, q2, q6, q3, q4, q5, speeds in the paper's.
template <class T>
GeneralizedSpeeds<T> stanford_speeds() {
  enum Column : std::size_t { q1, q2, q6, q3, q4, q5 };
  GeneralizedSpeeds<T> speeds;
  speeds.name = "angular velocity of body D of the Stanford arm";
  speeds.singular_where = "where q2 is 0 or 180 degrees";
  constexpr std::size_t n = 6;
  speeds.values = [](const T* q, const T&, T* A, T*) {
    const auto [s2, c2] = sincos(q[q2]);
    const auto [s3, c3] = sincos(q[q3]);
    A[0 * n + q1] = s2 * s3;  // eq. 5
    A[0 * n + q2] = c3;
    A[1 * n + q1] = c2;  // eq. 6
    A[1 * n + q3] = T(1);
    A[2 * n + q1] = -(s2 * c3);  // eq. 7
    A[2 * n + q2] = s3;
    A[3 * n + q4] = T(1);  // eq. 3
    A[4 * n + q5] = T(1);
    A[5 * n + q6] = T(1);
  };
  speeds.rates = [](const T* q, const T* v, const T&, T* A_dot, T*) {
    const auto [s2, c2] = sincos(q[q2]);
    const auto [s3, c3] = sincos(q[q3]);
    A_dot[0 * n + q1] = c2 * s3 * v[q2] + s2 * c3 * v[q3];
    A_dot[0 * n + q2] = -(s3 * v[q3]);
    A_dot[1 * n + q1] = -(s2 * v[q2]);
    A_dot[2 * n + q1] = s2 * s3 * v[q3] - c2 * c3 * v[q2];
    A_dot[2 * n + q2] = c3 * v[q3];
  };
  speeds.inverse = [](const T* q, const T&, T* W) {
    const auto [s2, c2] = sincos(q[q2]);
    const auto [s3, c3] = sincos(q[q3]);
    W[q1 * n + 0] = s3 / s2;  // eq. 8
    W[q1 * n + 2] = -(c3 / s2);
    W[q2 * n + 0] = c3;  // eq. 9
    W[q2 * n + 2] = s3;
    W[q3 * n + 0] = -(s3 * c2 / s2);  // eq. 10
    W[q3 * n + 1] = T(1);
    W[q3 * n + 2] = c3 * c2 / s2;
    W[q4 * n + 3] = T(1);  // eq. 11
    W[q5 * n + 4] = T(1);
    W[q6 * n + 5] = T(1);
  };
  return speeds;
}

}  // namespace ulna::internal
