// State space memory: what depends on position and velocity is looked up in tables; the accelerations are multiplied in.
//
// M. H. Raibert, "A model for sensorimotor control and learning", Biological Cybernetics 29 (1978) 29-36, as described in J. M. Hollerbach, "A recursive
// Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity", IEEE Trans. Systems, Man, and Cybernetics
// SMC-10 (1980) 730-736, introduction.
//
//   paper                  here               meaning
//   F_i                    tau[i]             F = J(q) a + K(q, v)
//   J(q)                   J                  inertia matrix, tabulated over q
//   K(q, v)                K                  Coriolis, centrifugal and gravity terms, tabulated over q and v
//
// How tables are filled and read: torque_table.hpp. The introduction of Hollerbach prints F_i = J(q) q' + K(q, q'), with one dot for two.
// Takes: serial chains of revolute and prismatic joints whose table fits into 4 MiB with 2 nodes on each axis: up to 7 joints.
// Cost: O(n²); n² mul, n² add behind the look-up, no sines; n² k^n + n k^(2n) numbers of memory.
#pragma once

#include "formulation/paper_quantity.hpp"
#include "formulation/torque_table.hpp"

namespace ulna::internal {

struct Raibert {
  static const TableMethod& method() { return raibert_method(); }
  /// The numbers of a node; `rest`: no acceleration.
  template <std::size_t part, class T>
  static void node(TableSourceOf<T>& from, const T* q, const T* v, const T* rest, T* numbers) {
    part == 0 ? from.strobing.mass(q, numbers) : from.recursion.torque(q, v, rest, numbers);
  }
  /// The sums behind the look-up, for any scalar: J row by row; K.
  template <class T>
  static void sums(std::size_t n, const T* numbers, const T*, const T* a, T* tau) {
    const T *J = numbers, *K = J + n * n;
    for (std::size_t i = 0; i < n; ++i) {
      T sum = K[i];
      for (std::size_t j = 0; j < n; ++j) sum = sum + J[i * n + j] * a[j];
      tau[i] = sum;
    }
  }
  template <class T>
  static void visit(std::size_t n, const T* numbers, const PaperQuantities<T>& show) {
    static constexpr PaperSymbol J{"J", "inertia matrix, from the table", "F = J(q) q'' + K(q, q')", kIntroduction},
        K{"K", "Coriolis, centrifugal and gravity terms, from the table", "", kIntroduction};
    show(J, {}, n, n, numbers);
    show(K, {}, n, 1, numbers + n * n);
  }
};

}  // namespace ulna::internal
