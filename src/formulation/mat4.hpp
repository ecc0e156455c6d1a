// Four-vectors and 4x4 matrices of any scalar, for the homogeneous coordinates of the older papers. Products are formed in full: nothing is assumed
// about the entries, so that a product costs what those papers say it costs.
#pragma once

#include <array>
#include <cstddef>

namespace ulna::internal {

template <class T>
struct Vec4 {
  std::array<T, 4> e{};

  T& operator[](std::size_t i) { return e[i]; }
  const T& operator[](std::size_t i) const { return e[i]; }
};

template <class T>
struct Mat4 {
  std::array<std::array<T, 4>, 4> e{};

  T& operator()(std::size_t row, std::size_t column) { return e[row][column]; }
  const T& operator()(std::size_t row, std::size_t column) const { return e[row][column]; }

  static Mat4 zero() {
    Mat4 m;
    for (auto& row : m.e) row.fill(T(0));
    return m;
  }
  static Mat4 identity() {
    Mat4 m = zero();
    for (std::size_t i = 0; i < 4; ++i) m(i, i) = T(1);
    return m;
  }
  Mat4 transposed() const {
    Mat4 m;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) m(i, j) = e[j][i];
    return m;
  }
};

/// 4 add.
template <class T>
Vec4<T> operator+(const Vec4<T>& a, const Vec4<T>& b) {
  Vec4<T> sum;
  for (std::size_t i = 0; i < 4; ++i) sum[i] = a[i] + b[i];
  return sum;
}
/// 4 mul.
template <class T>
Vec4<T> operator*(const T& s, const Vec4<T>& a) {
  Vec4<T> product;
  for (std::size_t i = 0; i < 4; ++i) product[i] = s * a[i];
  return product;
}
/// 4 mul, 3 add.
template <class T>
T dot(const Vec4<T>& a, const Vec4<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// 16 add.
template <class T>
Mat4<T> operator+(const Mat4<T>& a, const Mat4<T>& b) {
  Mat4<T> sum;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) sum(i, j) = a(i, j) + b(i, j);
  return sum;
}
/// 16 mul.
template <class T>
Mat4<T> operator*(const T& s, const Mat4<T>& a) {
  Mat4<T> product;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) product(i, j) = s * a(i, j);
  return product;
}
/// 16 mul, 12 add.
template <class T>
Vec4<T> operator*(const Mat4<T>& a, const Vec4<T>& v) {
  Vec4<T> product;
  for (std::size_t i = 0; i < 4; ++i) product[i] = a(i, 0) * v[0] + a(i, 1) * v[1] + a(i, 2) * v[2] + a(i, 3) * v[3];
  return product;
}
/// 64 mul, 48 add.
template <class T>
Mat4<T> operator*(const Mat4<T>& a, const Mat4<T>& b) {
  Mat4<T> product;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) product(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j) + a(i, 3) * b(3, j);
  return product;
}
/// 3 add.
template <class T>
T trace(const Mat4<T>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2) + a(3, 3);
}

}  // namespace ulna::internal
