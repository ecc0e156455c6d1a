// Everything from memory: the torques are looked up in a table over position, velocity and acceleration, and nothing is computed.
//
// J. S. Albus, "A new approach to manipulator control: the cerebellar model articulation controller (CMAC)", J. Dynamic Systems, Measurement, and Control 97
// (1975) 270-277, as described in J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation
// complexity", IEEE Trans. Systems, Man, and Cybernetics SMC-10 (1980) 730-736, introduction: the space extreme of the trade.
//
//   paper                  here               meaning
//   F_i = f(q, q', q'')    tau[i]             tabulated as it is
//
// How tables are filled and read: torque_table.hpp. Albus' own memory is learnt, and hashed into a smaller one; Hollerbach's description has neither, nor has
// this. Torques are linear in the accelerations, so what is interpolated here is to rounding what Raibert's smaller table gives; indexed (the nearest node,
// no arithmetic, as Hollerbach says), it errs along all axes.
// Takes: serial chains of revolute and prismatic joints whose table fits into 4 MiB with 2 nodes on each axis: up to 5 joints.
// Cost: no operations; n k^(3n) numbers of memory.
#pragma once

#include "formulation/paper_quantity.hpp"
#include "formulation/torque_table.hpp"

namespace ulna::internal {

struct Albus {
  static const TableMethod& method() { return albus_method(); }
  /// The numbers of a node.
  template <std::size_t part, class T>
  static void node(TableSourceOf<T>& from, const T* q, const T* v, const T* a, T* F) {
    from.recursion.torque(q, v, a, F);
  }
  template <class T>
  static void sums(std::size_t n, const T* F, const T*, const T*, T* tau) {
    for (std::size_t i = 0; i < n; ++i) tau[i] = F[i];
  }
  template <class T>
  static void visit(std::size_t n, const T* F, const PaperQuantities<T>& show) {
    static constexpr PaperSymbol torque{"F", "torques, from the table", "f(q, q', q'')", kIntroduction};
    show(torque, {}, n, 1, F);
  }
};

}  // namespace ulna::internal
