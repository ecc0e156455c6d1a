// Joints that close loops: where the tree of links and joints (Model) was cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/spatial/pose.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// What the joint that closes a loop lets its two links do against each other. A and B are its frames on them, `axis` its axis, in both.
///   fixed        nothing: A and B are one frame
///   revolute     turn about the axis
///   prismatic    slide along it
///   cylindrical  both
///   spherical    turn in any way: A and B share their origin
///   planar       slide across the axis and turn about it
enum class LoopType { fixed, revolute, prismatic, cylindrical, spherical, planar };

std::string_view to_string(LoopType type);                       // Its name in files.
std::optional<LoopType> loop_type_named(std::string_view name);  // The type of this name.

/// Conditions of a loop: frames that meet, axes that stay at right angles, origins that stay in a plane.
constexpr std::size_t meeting_rows(LoopType type) { return type == LoopType::fixed || type == LoopType::revolute || type == LoopType::spherical ? 3 : 0; }
constexpr std::size_t turning_rows(LoopType type) { return type == LoopType::spherical ? 0 : type == LoopType::fixed || type == LoopType::prismatic ? 3 : 2; }
constexpr std::size_t sliding_rows(LoopType type) {
  return type == LoopType::prismatic || type == LoopType::cylindrical ? 2 : type == LoopType::planar ? 1 : 0;
}
constexpr std::size_t loop_rows(LoopType type) { return meeting_rows(type) + turning_rows(type) + sliding_rows(type); }
/// Axes that a loop holds parallel: right angles alone do not show which way they point.
constexpr std::size_t opposed_rows(LoopType type) { return turning_rows(type) == 0 ? 0 : turning_rows(type) - 1; }
/// Up to this many rows are eliminated by determinants, which vanish in singular assemblies alone; more by L U, whose pivots may vanish elsewhere, too.
inline constexpr std::size_t kMostByDeterminants = 3;

struct Loop {
  std::string name;
  LoopType type = LoopType::spherical;
  std::size_t predecessor = kNone;  // index of the link that has frame A
  std::size_t successor = kNone;    // index of the link that has frame B
  Pose<double> X_PA{};
  Pose<double> X_SB{};
  Vec3<double> axis{0, 0, 1};  // unit vector, in A and in B
  std::string file{};          // where it stands
  int line = 0;
};

/// Loops and independent coordinates as files and programs name them; with_loops() resolves the names.
struct LoopDescription {
  struct Entry {  // A loop, with its links by name.
    Loop loop;    // its links are found by these names: of a link, or of a joint, whose frame is meant then
    std::string predecessor;
    std::string successor;
  };
  std::vector<Entry> loops;
  std::vector<std::string> motors{};                  // joints whose coordinates are the independent ones, all of them; empty where nobody says
  std::vector<std::pair<std::string, bool>> marks{};  // without motors: joints that are to be independent, or not to be; the others as it comes out
};

/// How dependent speeds follow from independent ones. Speeds v_tree of all joints meet J v_tree = 0, one row a condition. Row `rows[k]` is eliminated with
/// column `columns[k]`, in this order, so that v_tree = G(q) v.
struct EliminationOrder {
  std::vector<std::size_t> rows, columns;  // conditions of all loops, one loop after the other; coordinates of v_tree
  std::vector<std::size_t> independent;    // the other coordinates of v_tree, in the order of v

  friend bool operator==(const EliminationOrder&, const EliminationOrder&) = default;
};

/// Pivots of an elimination that its results name: one determinant, or one for each row.
constexpr std::size_t pivot_count(std::size_t rows) { return rows > 0 && rows <= kMostByDeterminants ? 1 : rows; }

/// Numbers of Quantity::loop_motion.
constexpr std::size_t motion_size(std::size_t nv_tree, std::size_t loops) { return loops == 0 ? 0 : 2 * nv_tree + 6 * loops; }

/// The loops of a robot, and what is known of its closed configurations.
struct ClosedLoops {
  std::vector<Loop> loops;
  EliminationOrder order;
  std::vector<double> reference;  // a closed configuration near the robot's zero, away from singular ones
  double singularity = 1;         // there: 1 far from singular assemblies, 0 in one
};

/// How the dependent positions were closed.
struct Closure {
  bool closed = false;
  double residual = 0;       // largest condition that is not met, redundant ones included [m, or rad]; NaN where the state is not finite
  std::size_t loop = kNone;  // that it belongs to: an index into Model::loops()
  int steps = 0;             // of Newton's method
  double singularity = 0;    // distance to an assembly in which the independent coordinates do not determine the others: 1 far, 0 there
  bool singular = false;     // so near to one that fewer than half of the digits are left: results there are not to be used
  bool crossed = false;      // the closed positions lie beyond such an assembly, seen from the guess, or from the reference: perhaps on another circuit
};

}  // namespace ULNA_API
