// Views over the caller's memory: the only containers in compiled signatures. They are made implicitly from contiguous objects (std::vector,
// std::array, std::span, Eigen vectors and matrices) without including any of those libraries; anything strided is a compile error, and so is an output
// in a temporary.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ulna/export.hpp>

namespace ulna ULNA_API {

/// The index of nothing: the parent of what hangs from the base, the child that is not there. Sizes and indices are std::size_t
/// throughout, and kNone + 1 is 0.
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

namespace detail {

// Eigen objects announce their layout in compile-time constants; a plain container has none and is contiguous by its interface.
template <class C>
constexpr bool is_unit_stride_vector() {
  if constexpr (requires { C::InnerStrideAtCompileTime; })
    return C::InnerStrideAtCompileTime == 1 && C::IsVectorAtCompileTime;
  else
    return true;
}

// Results outlive the call: they may go into an object that has a name, or through one that only points to them. A view's data() can be written although
// the view is const; an Eigen object owns its numbers when it is its own PlainObject.
template <class C, class T>
constexpr bool keeps_results() {
  if constexpr (std::is_lvalue_reference_v<C> || std::is_const_v<T>)
    return true;
  else if constexpr (requires { typename C::PlainObject; })
    return !std::is_same_v<std::remove_cv_t<C>, typename C::PlainObject>;
  else
    return requires(const C& c) { static_cast<T*>(c.data()); };
}

template <class C, class T>
concept ContiguousVector = requires(C& c) {
  { c.data() } -> std::convertible_to<T*>;
  { c.size() } -> std::convertible_to<std::size_t>;
}
&&is_unit_stride_vector<std::remove_cvref_t<C>>() && keeps_results<C, T>();

template <class C, class T>
concept ColumnMajorMatrix = requires(C& c) {
  { c.data() } -> std::convertible_to<T*>;
  { c.rows() } -> std::convertible_to<std::ptrdiff_t>;
  { c.cols() } -> std::convertible_to<std::ptrdiff_t>;
  { c.outerStride() } -> std::convertible_to<std::ptrdiff_t>;
}
&&std::remove_cvref_t<C>::InnerStrideAtCompileTime == 1 && !std::remove_cvref_t<C>::IsRowMajor && keeps_results<C, T>();

}  // namespace detail

/// n numbers in a row. `VectorView<const double>` reads, `VectorView<double>` writes.
template <class T>
class VectorView {
 public:
  constexpr VectorView(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class C>
  requires detail::ContiguousVector<C, T>
  constexpr VectorView(C&& c) : data_(c.data()), size_(static_cast<std::size_t>(c.size())) {}

  constexpr T* data() const { return data_; }           // The first number.
  constexpr std::size_t size() const { return size_; }  // Number of entries.
  constexpr T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
  std::size_t size_;
};

/// A matrix column by column, `stride` numbers from one column to the next. Symmetric results look the same in either order.
template <class T>
class MatrixView {
 public:
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, rows) {}
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride) : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  template <class C>
  requires detail::ColumnMajorMatrix<C, T>
  constexpr MatrixView(C&& c)
      : MatrixView(c.data(), static_cast<std::size_t>(c.rows()), static_cast<std::size_t>(c.cols()), static_cast<std::size_t>(c.outerStride())) {}

  constexpr T* data() const { return data_; }               // The first number.
  constexpr std::size_t rows() const { return rows_; }      // Number of rows.
  constexpr std::size_t cols() const { return cols_; }      // Number of columns.
  constexpr std::size_t stride() const { return stride_; }  // From one column to the next.
  constexpr T& operator()(std::size_t row, std::size_t col) const { return data_[row + col * stride_]; }

 private:
  T* data_;
  std::size_t rows_;
  std::size_t cols_;
  std::size_t stride_;
};

}  // namespace ULNA_API
