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
// The paper leaves open how the table is filled and read. Here: filled by strobing (strobing.hpp); read by multilinear interpolation between the 2^n nodes
// of the cell around q, hence right to rounding at the nodes; between them, error_bound() says how far it may be off. All n + n² + n³ numbers of a node are
// kept, as the sums are set forth.
// Takes: serial chains of revolute and prismatic joints whose table fits into the memory allowed. Finding the cell compares numbers, so there is no
// tracing of it (no Expr); with the counting scalar, the sums behind the look-up are counted, as the paper does.
// Cost: O(n³); 2 n³ + n² mul, n³ + n² add behind the look-up (the paper prints n³ + n² + 2 n additions), no sines; and k^n nodes of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "formulation/frames.hpp"

namespace ulna::internal {

/// The sums behind the look-up, for any scalar. J row by row, C_ijk at C[(i n + j) n + k].
template <class T>
void configuration_space_torque(std::size_t n, const T* G, const T* J, const T* C, const T* v, const T* a, T* tau) {
  for (std::size_t i = 0; i < n; ++i) {
    T sum = G[i];
    for (std::size_t j = 0; j < n; ++j) sum = sum + J[i * n + j] * a[j];
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) sum = sum + C[(i * n + j) * n + k] * v[j] * v[k];
    tau[i] = sum;
  }
}

inline constexpr double kHornRaibertLimit = 256.0 * 1024 * 1024;  // bytes of table that are allowed unless the user says otherwise

/// One joint's axis of the grid, nodes equally spaced, the first at `lower` and the last at `upper`; where it wraps, `upper` is the first again, a turn later.
struct GridAxis {
  int nodes = 2;
  double lower = 0;
  double upper = 0;
  bool wraps = false;  // an angle without limits: whole turns are taken off

  int cells() const { return wraps ? nodes : nodes - 1; }
  double spacing() const { return (upper - lower) / cells(); }
  /// k = 0 … cells(): the ends of the cells.
  double node(int k) const;
  /// q without whole turns; throws std::out_of_range, naming the joint, when the axis does not reach there.
  double inside(double q, std::size_t joint) const;
  /// Index of the node nearest to q, of the first or last one when q lies outside.
  int nearest(double q) const;
};
using Grid = std::vector<GridAxis>;
std::vector<double> nearest_node(const Grid& grid, const double* q);

/// The grid over the model's joints (in the order of Prepared): each joint's limits; a turn, wrapped, for an angle without limits or with a full turn
/// between them; 1 m to either side for a slide without limits. Nodes keep away from the quarter turns of the DH angles and the zeros of the DH offsets, where
/// terms vanish that a comparison at the nodes is to see: a turn begins elsewhere, limits are widened by a part of the spacing.
Grid horn_raibert_grid(const Prepared& prepared, int nodes_per_joint);

/// G, J and C of one chain on a grid.
class HornRaibertTable {
 public:
  /// Throws std::invalid_argument when an axis has fewer than 2 nodes or no width, or when the table would be larger than `limit` bytes; the message has
  /// the size. Allocates; fill() computes.
  explicit HornRaibertTable(Grid grid, double limit = kHornRaibertLimit);

  /// Computes every node. Call it again when the robot changes, as when the hand picks up a load: no entry survives that.
  void fill(const DhChain<double>& chain);

  /// Interpolated torque. Throws std::out_of_range when q lies outside the grid, std::logic_error when the table was never filled.
  void torque(const double* q, const double* v, const double* a, double* tau);
  /// The same look-up without the sums: n + n² + n³ numbers, G, J, C in this order. Valid until the next call. `rounding` is that of the caller's numbers: what
  /// lies as near to a node as that is the node.
  const std::vector<double>& at(const double* q, double rounding = kRounding);
  /// Whether q is a node but for rounding. Throws as at() does.
  bool at_node(const double* q, double rounding = kRounding) const;
  /// No torque of the table is farther from that of the chain than this, rounding aside, in this state: 0 at the nodes. docs/formulations/horn-raibert.md
  /// derives it.
  void error_bound(const double* q, const double* v, const double* a, double* bound, double rounding = kRounding) const;

  std::size_t joints() const { return grid_.size(); }
  const Grid& grid() const { return grid_; }
  std::size_t node_count() const { return node_count_; }
  std::size_t bytes() const { return values_.size() * sizeof(double); }
  double fill_seconds() const { return fill_seconds_; }  // of the last fill()

  struct Error {
    double absolute = 0;  // largest difference of a torque [N m or N]
    double relative = 0;  // the same over the largest torque seen
  };
  /// Interpolation error against the exact torque of the same chain on random states inside the grid, speeds and accelerations of up to 1 (SI).
  Error worst_error(const DhChain<double>& chain, int samples = 1000, std::uint64_t seed = 1);

 private:
  static constexpr double kRounding = 0x1p-52;
  /// Where q is on one axis: the cell, and the part of it that lies before q; 0 or 1 at a node.
  struct Place {
    int cell;
    double part;
  };
  std::vector<Place> places(const double* q, double rounding) const;

  Grid grid_;
  DhChain<double> chain_;    // that it was filled for
  std::size_t entries_ = 0;  // numbers at one node
  std::size_t node_count_ = 0;
  std::vector<double> values_;
  std::vector<double> looked_up_;
  double fill_seconds_ = -1;
};

/// Bytes of double-precision tables with k nodes on every axis, for the trade of space for time that Hollerbach describes:
/// Albus tabulates the torques over (q, v, a), Raibert J(q) and K(q, v), Horn and Raibert G(q), J(q) and C(q).
/// Counted in floating point: for six joints Albus' table soon has more bytes than an integer.
struct TableSizes {
  double albus = 0;         // n k^(3n)
  double raibert = 0;       // n² k^n + n k^(2n)
  double horn_raibert = 0;  // (n + n² + n³) k^n
};
TableSizes table_sizes(std::size_t joints, int nodes_per_axis);

/// What a change of payload does to each of the tables, for people.
std::string_view payload_note();

/// What the registry's evaluator uses: as many nodes per joint as fit into 4 MiB, from 9 down to 2; 0 when even 2 exceed kHornRaibertLimit.
int horn_raibert_default_nodes(std::size_t joints);
/// The grid of the registry's evaluator; it is exact at nearest_node(horn_raibert_grid(prepared), q), and refuses what lies between the nodes unless
/// Prepared::accept_interpolation is set.
Grid horn_raibert_grid(const Prepared& prepared);

}  // namespace ulna::internal
