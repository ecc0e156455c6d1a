// -M⁻¹ ∂tau/∂q, -M⁻¹ ∂tau/∂v and M⁻¹ of a tree from the factors of M = Lᵀ D L, many columns at a time: what is left of the derivatives of forward dynamics when
// a program has run. As straight lines these solutions are three quarters of a large robot's program, and wait for their own instructions.
//
// Column j of ∂tau/∂q and ∂tau/∂v is zero outside of the joints before and beyond j, which are its support. So is L⁻ᵀ times it. A joint k beyond a joint b of
// the support, but itself outside of it, follows from those up to b: x_k = -(row k of L's block there, with what lies between eliminated) x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ulna/scalar/scalar.hpp>

#include "jit/kernel.hpp"

namespace ulna::internal::jit {

class TreeSolve {
 public:
  /// `parent`: PlanOf::mass_parent. For one state, columns are solved side by side in the registers of the form.
  TreeSolve(const std::vector<std::size_t>& parent, const Form& form);

  /// More numbers than instructions can name.
  bool too_long() const { return too_long_; }

  /// What the program is to compute: ∂tau of all classes of columns, then the numbers of L, 1/D and rows between, then a zero. `torques`: n x 2n, column by
  /// column; `L` row by row, below its diagonal; `d` = 1/D.
  template <class T>
  std::vector<T> given(const T* torques, const T* L, const T* d) const;
  std::size_t given() const { return numbers_ + links_.size() + n_ + 1; }
  std::size_t results() const { return 3 * n_ * n_; }
  /// Numbers that one() or lanes() need room for, behind what was given, too.
  std::size_t scratch(bool lanes) const { return lanes ? given() : (given() + width_ - 1) / width_ * width_ + 2 * n_ * width_; }

  OperationCounts counts() const { return counts_; }  // of one state

  /// The results of what a program gave for one state, number by number.
  std::vector<double> solved(std::vector<double> given) const;
  /// The same in registers: of one state, which changes what was given; or of a block of lanes. Numbers of one state begin at a boundary of
  /// 64 bytes.
  template <class T>
  using Function = void (*)(const TreeSolve& solve, T* given, T* out);
  template <class T>
  static Function<T> one(InstructionSet set);
  template <class T>
  static Function<T> lanes(InstructionSet set);

  // For those functions.

  /// Joints that follow one another, without branches between them, and so have the same support; no more than registers hold.
  struct Tile {
    std::size_t first = 0, rows = 0;
  };

  /// Columns whose support is the same: those by q, then those by v, in chunks of the width; in a chunk row by row.
  struct Class {
    std::vector<std::uint32_t> joints;
    std::vector<std::uint32_t> place;  // of every joint in the support; kNone32 outside
    std::size_t rows = 0;              // of the support
    std::size_t first = 0;             // number of its torques
    // y = b - Lᵀ y. Of each tile of the support, from the tips: place and number of its rows, number of its first term, how many joints stand before it, and
    // their places. `inverse`: where these begin for columns of M⁻¹, which are zero beyond their joints.
    std::vector<std::uint16_t> down;
    std::size_t inverse = 0;
    // x = -y/D - L x. Of each tile from the base: place + 1, or 0 outside of the support; number of its rows, of its first pivot and its first term, how many
    // joints, and which.
    std::vector<std::uint16_t> up;
    // M⁻¹ is symmetric: columns of it are solved for so many rows, and end here; the others are copied.
    std::size_t inverse_rows = 0, inverse_end = 0;
  };
  static constexpr std::uint32_t kNone32 = 0xffffffff;
  const std::vector<Class>& classes() const { return classes_; }
  std::size_t n() const { return n_; }
  std::size_t width() const { return width_; }
  std::size_t first_number() const { return numbers_; }

 private:
  /// x_row has -number x_column, with joints between `base` and the row eliminated; of L itself where base is kNone. Of a tile: column by column of the joints
  /// before it, then those in it.
  struct Link {
    std::size_t row = 0, column = 0, base = 0;
  };

  std::vector<std::size_t> parent_;
  std::size_t n_, width_;
  std::vector<Class> classes_;
  std::vector<Link> links_;
  std::size_t numbers_ = 0;  // of torques
  OperationCounts counts_;
  bool too_long_ = false;
};

template <class T>
std::vector<T> TreeSolve::given(const T* torques, const T* L, const T* d) const {
  std::vector<T> all(given(), T(0));
  for (const Class& c : classes_)
    for (std::size_t column = 0; column < 2 * c.joints.size(); ++column) {
      const std::size_t j = c.joints[column % c.joints.size()] + (column < c.joints.size() ? 0 : n_);
      for (std::size_t row = 0; row < n_; ++row)
        if (c.place[row] != kNone32) all[c.first + (column / width_ * c.rows + c.place[row]) * width_ + column % width_] = torques[row + j * n_];
    }
  std::vector<T> between(n_ * n_, T(0));  // of the base at hand: rows depend on those before them
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    T number = L[link.row * n_ + link.column];
    if (link.base != kNone) {
      for (std::size_t m = parent_[link.row]; m != link.base; m = parent_[m]) number = number - L[link.row * n_ + m] * between[m * n_ + link.column];
      between[link.row * n_ + link.column] = number;
    }
    all[numbers_ + k] = number;
  }
  for (std::size_t k = 0; k < n_; ++k) all[numbers_ + links_.size() + k] = -d[k];
  return all;
}

/// A kernel and what is to be done with its results, as the constants of a function that does both.
struct Finished {
  KernelFunction kernel = nullptr;
  const void* constants = nullptr;
  const TreeSolve* solve = nullptr;
  std::size_t inputs[kMostInputs] = {};  // numbers of each
};
/// To be called as kernels are, with such constants.
KernelFunction finishing(const Form& form);

}  // namespace ulna::internal::jit
