// Tabulated torques: a part of the dynamics is computed beforehand on a grid, and read by multilinear interpolation.
//
// J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity", IEEE Trans.
// Systems, Man, and Cybernetics SMC-10 (1980) 730-736, introduction, sets three tables side by side, which trade space for time:
//
//   table over             file               holds                              left to compute
//   q, v, a                albus.hpp          F                                  nothing
//   q, v                   raibert.hpp        J(q), K(q, v)                      F = J a + K
//   q                      horn_raibert.hpp   G(q), J(q), C(q)                   F = G + J a + sum C v v
//
// The paper leaves open how a table is filled and read. Here: filled by strobing (strobing.hpp) and the modified Newton-Euler recursion; read between the 2^d
// nodes of the cell around a state, d axes, hence right to rounding at the nodes; between them, error_bound() says how far it may be off. Reading::indexed
// takes the nearest node instead, which is what costs no arithmetic at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "formulation/frames.hpp"
#include "formulation/modified_newton_euler.hpp"
#include "formulation/strobing.hpp"

namespace ulna::internal {

inline constexpr const char* kIntroduction = "Hollerbach, introduction";  // where the three methods are described, without numbers
inline constexpr double kTableLimit = 256.0 * 1024 * 1024;                // bytes of table that are allowed unless the user says otherwise

/// One axis of the grid, nodes equally spaced, the first at `lower` and the last at `upper`; where it wraps, `upper` is the first again, a turn later.
struct GridAxis {
  int nodes = 2;
  double lower = 0;
  double upper = 0;
  bool wraps = false;   // an angle without limits: whole turns are taken off
  const char* of = "";  // "velocity of ", of an axis that is no position

  int cells() const { return wraps ? nodes : nodes - 1; }
  double spacing() const { return (upper - lower) / cells(); }
  /// k = 0 … cells(): the ends of the cells.
  double node(int k) const;
  /// x without whole turns; throws std::out_of_range, naming the joint, when the axis does not reach there.
  double inside(double x, std::size_t joint) const;
  /// Index of the node nearest to x, of the first or last one when x lies outside.
  int nearest(double x) const;
};
/// The joints' positions; then, for tables that have them, their velocities; then their accelerations.
using Grid = std::vector<GridAxis>;
std::vector<double> nearest_node(const Grid& grid, const double* x);

enum class Reading { interpolated, indexed };

/// What fills a table.
template <class T>
struct TableSourceOf {
  explicit TableSourceOf(const DhChain<T>& chain) : joints(chain.size()), strobing(chain), recursion(chain) {}
  std::size_t joints;
  turney::Strobing<T, T> strobing;
  turney::ModifiedNewtonEuler<T, T> recursion;
};
using TableSource = TableSourceOf<double>;

/// Numbers that are kept together: over the first `groups` of q, v, a.
struct TablePart {
  std::size_t groups = 1;
  std::size_t (*entries)(std::size_t n) = nullptr;
  void (*fill)(TableSource& from, const double* q, const double* v, const double* a, double* entries) = nullptr;
};

/// One of the three tables.
struct TableMethod {
  std::string_view id;
  std::string_view name;  // for people
  std::string_view over;  // "q, v"
  std::vector<TablePart> parts;
  /// The torque from the numbers of all parts, one after the other.
  void (*sums)(std::size_t n, const double* numbers, const double* v, const double* a, double* tau) = nullptr;

  std::size_t groups() const;
  /// Numbers that are read for one torque.
  std::size_t entries(std::size_t n) const;
};
const TableMethod& albus_method();
const TableMethod& raibert_method();
const TableMethod& horn_raibert_method();
/// The three, the largest table first.
std::vector<const TableMethod*> table_methods();

/// Bytes in double precision with k nodes on every axis. In floating point: for six joints Albus' table soon has more bytes than an integer.
double table_bytes(const TableMethod& method, std::size_t joints, int nodes_per_axis);

/// The grid over the model's joints (in the order of Prepared). Positions: each joint's limits; a turn, wrapped, for an angle without limits or with a full
/// turn between them; 1 m to either side for a slide without limits. Velocities: the joint's limit, or 2 (SI); accelerations: 4 (SI). Nodes keep away from the
/// quarter turns of the DH angles and zeros, where terms vanish that comparisons at the nodes must cover: a turn begins elsewhere, limits are widened by a
/// part of the spacing.
Grid table_grid(const TableMethod& method, const Prepared& prepared, int nodes_per_axis);
/// What the registry's evaluator uses: as many nodes on each axis as fit into 4 MiB, from 9 down to 2; 0 when 2 exceed what is allowed to the row: kTableLimit
/// for a table over q, 4 MiB for larger ones.
int default_nodes(const TableMethod& method, std::size_t joints);
/// The grid of the registry's evaluator; it is exact at nearest_node() there, and refuses what lies between the nodes unless Prepared::accept_interpolation is
/// set.
Grid table_grid(const TableMethod& method, const Prepared& prepared);
/// Why a row does not take a robot; empty when it does.
std::string why_no_table(const TableMethod& method, const Prepared& prepared);

/// The table of one chain.
class TorqueTable {
 public:
  /// `grid` has an axis for each joint and each of the method's groups. Throws std::invalid_argument when an axis has fewer than 2 nodes or no width, or when
  /// the table would be larger than `limit` bytes; the message has the size. Allocates; fill() computes.
  TorqueTable(const TableMethod& method, Grid grid, double limit = kTableLimit);

  /// Computes every node. Call it again when the robot changes, as when the hand picks up a load: no entry survives that.
  void fill(const DhChain<double>& chain);
  bool filled() const { return fill_seconds_ >= 0; }

  /// The torque as it is read. Throws std::out_of_range when the state lies outside the grid, std::logic_error when the table was never filled.
  void torque(const double* q, const double* v, const double* a, double* tau, Reading reading = Reading::interpolated);
  /// The same look-up without the sums: the method's numbers. Valid until the next call. Inputs that are no axes may be null. `rounding` is that of the
  /// caller's numbers: what lies as near to a node as that is the node.
  const std::vector<double>& at(const double* q, const double* v = nullptr, const double* a = nullptr, Reading reading = Reading::interpolated,
                                double rounding = kRounding);
  /// Whether the state is a node but for rounding. Throws as at() does.
  bool at_node(const double* q, const double* v = nullptr, const double* a = nullptr, double rounding = kRounding) const;
  /// No torque that is interpolated is farther from that of the chain than this, rounding aside, in this state: 0 at the nodes.
  /// docs/formulations/horn-raibert.md derives it.
  void error_bound(const double* q, const double* v, const double* a, double* bound, double rounding = kRounding) const;

  const TableMethod& method() const { return *method_; }
  std::size_t joints() const { return grid_.size() / method_->groups(); }
  const Grid& grid() const { return grid_; }
  std::size_t node_count() const;  // of all parts
  std::size_t bytes() const;
  double fill_seconds() const { return fill_seconds_; }  // of the last fill()

  struct Error {
    double absolute = 0;  // largest difference of a torque [N m or N]
    double relative = 0;  // the same over the largest torque seen
  };
  /// Against the exact torque of a chain on random states inside the grid, speeds and accelerations of up to 1 (SI). Another chain than the table was filled
  /// for shows what its error becomes when the robot changes.
  Error worst_error(const DhChain<double>& chain, int samples = 1000, std::uint64_t seed = 1, Reading reading = Reading::interpolated);

 private:
  static constexpr double kRounding = 0x1p-52;
  /// Where a state is on one axis: the cell, and the part of it that lies before; 0 or 1 at a node.
  struct Place {
    int cell;
    double part;
  };
  std::vector<Place> places(const double* q, const double* v, const double* a, double rounding) const;
  struct Part {
    std::size_t axes = 0, entries = 0, nodes = 1;
    std::vector<double> values;
  };
  void read(const Part& part, const std::vector<Place>& place, double* out) const;

  const TableMethod* method_;
  Grid grid_;
  DhChain<double> chain_;  // that it was filled for
  std::vector<Part> parts_;
  std::vector<double> looked_up_;
  double fill_seconds_ = -1;
};

/// What a change of payload does to each of the tables, for people.
std::string_view payload_note();

}  // namespace ulna::internal
