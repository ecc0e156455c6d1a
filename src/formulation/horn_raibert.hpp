// The configuration space method: everything that depends on the position alone is looked up in a table.
//
// B. K. P. Horn, M. H. Raibert, "Configuration space control", The Industrial Robot, June 1978, 69-73, as described in J. M. Hollerbach, "A recursive
// Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity", IEEE Trans. Systems, Man, and Cybernetics
// SMC-10 (1980) 730-736, introduction and section "Configuration space method".
//
//   paper                  here               meaning
//   F_i                    tau[i]             F_i = G_i(q) + sum_j J_ij(q) a_j + sum_jk C_ijk(q) v_j v_k
//   G_i, J_ij, C_ijk       G, J, C            gravity, inertia matrix and Coriolis coefficients, C_ijk = C_ikj, tabulated on a grid over q
//
// How tables are filled and read: torque_table.hpp. All n + n² + n³ numbers of a node are kept, as the sums are set forth.
// Takes: serial chains of revolute and prismatic joints whose table fits into the memory allowed. Finding the cell compares numbers, so there is no
// tracing of it (no Expr); with the counting scalar, the sums behind the look-up are counted, as the paper does.
// Cost: O(n³); 2 n³ + n² mul, n³ + n² add behind the look-up (the paper prints n³ + n² + 2 n additions), no sines; and k^n nodes of memory.
#pragma once

#include "formulation/paper_quantity.hpp"
#include "formulation/torque_table.hpp"

namespace ulna::internal {

struct HornRaibert {
  static const TableMethod& method() { return horn_raibert_method(); }
  /// The numbers of a node.
  template <std::size_t part, class T>
  static void node(TableSourceOf<T>& from, const T* q, const T*, const T*, T* G) {
    const std::size_t n = from.joints;
    from.strobing.gravity(q, G);
    from.strobing.mass(q, G + n);
    from.strobing.coriolis_coefficients(q, G + n + n * n);
  }
  /// The sums behind the look-up, for any scalar: G; J row by row; C_ijk at C[(i n + j) n + k].
  template <class T>
  static void sums(std::size_t n, const T* numbers, const T* v, const T* a, T* tau) {
    const T *G = numbers, *J = G + n, *C = J + n * n;
    for (std::size_t i = 0; i < n; ++i) {
      T sum = G[i];
      for (std::size_t j = 0; j < n; ++j) sum = sum + J[i * n + j] * a[j];
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) sum = sum + C[(i * n + j) * n + k] * v[j] * v[k];
      tau[i] = sum;
    }
  }
  template <class T>
  static void visit(std::size_t n, const T* numbers, const PaperQuantities<T>& show) {
    static constexpr PaperSymbol G{"G", "gravity, from the table", "F(i) = G(i) + sum J(ij) q(j)'' + sum C(ijk) q(j)' q(k)'", kIntroduction},
        J{"J", "inertia matrix, from the table", "", kIntroduction}, C{"C", "Coriolis coefficients C(ijk) of torque i, from the table", "", kIntroduction};
    show(G, {}, n, 1, numbers);
    show(J, {}, n, n, numbers + n);
    for (std::size_t i = 0; i < n; ++i) show(C, {i + 1}, n, n, numbers + n + n * n + i * n * n);
  }
};

}  // namespace ulna::internal
