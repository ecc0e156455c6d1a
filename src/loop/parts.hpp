// What is known of a mechanism.
#pragma once

#include <ulna/loop/mechanism.hpp>
#include "dynamics/loops-inl.hpp"

#include "loop/dense.hpp"
#include "loop/dyads.hpp"

namespace ulna ULNA_API {

struct Mechanism::Parts {
  Model tree;
  std::vector<Loop> loops;
  std::vector<std::size_t> motors;                  // joints that are named as the independent ones
  std::vector<std::optional<bool>> marks;           // of each joint
  Plan plan;                                        // with its loops
  Plan open;                                        // the tree's own
  std::vector<std::size_t> independent, dependent;  // coordinates of v; those of q stand at the same places, the base being fixed
  std::vector<std::size_t> rows;                    // conditions that determine the dependent coordinates: as many; the others are redundant
  std::vector<double> reference;
  double singularity = 1;
  std::vector<internal::Dyad> dyads{};  // a closed form of all dependent positions; empty where there is none
  std::vector<int> branch{};            // of each, in the reference assembly
  std::size_t base_q = 0;               // numbers of a base that moves, before those of the joints: the loops do not depend on them
};

}  // namespace ULNA_API

namespace ulna::internal {

/// Relative to the largest one: a smaller singular value, or pivot, counts as zero.
inline constexpr double kNoRank = 1e-9;
/// Residual of closed loops [m, or rad]: some hundred roundings of a robot of a few metres.
inline constexpr double kClosed = 1e-12;
/// Smallest over largest singular value of J_D below which an assembly counts as singular. Dependent positions are known to ε over it, and G, which they
/// enter, to ε over its square: below, fewer than half of the sixteen digits of a double are left of any result.
inline constexpr double kSingular = 1e-4;

/// Conditions and their Jacobian at one configuration of the tree. Conditions on axes are the angles that they are apart, about axes of A: their sines
/// (loop_equations) vanish at half a turn, too. Where loops are closed, both have the same Jacobian.
struct LoopState {
  Workspace ws;
  std::vector<double> phi;
  Matrix<double> J;

  explicit LoopState(const Plan& plan) : ws(plan), phi(plan.conditions), J(plan.conditions, plan.nv) {}
  void at(const Plan& plan, const double* q);
};

/// Rows and columns of J that determine the dependent speeds.
Matrix<double> dependent_part(const Mechanism::Parts& parts, const Matrix<double>& J);

/// The configuration nearest to q, as the tree's coordinates measure it, in which all loops are closed: by Gauss and Newton on all coordinates. False when
/// there is none near.
bool project(const Plan& plan, LoopState& state, std::vector<double>& q);

/// How messages call a loop.
Element loop_element(const std::string& name);

/// Names to links and joints. False after errors.
bool resolve(const LoopDescription& given, Mechanism::Parts& parts, Diagnostics& diagnostics);

/// Independent coordinates, rows, reference. False after errors.
bool choose(Mechanism::Parts& parts, Diagnostics& diagnostics);

/// Largest pivots first, at the reference assembly.
EliminationOrder elimination_order(const Mechanism::Parts& parts);

/// The largest residual, and its loop.
void find_largest(const Plan& plan, LoopState& state, Closure& closure);

}  // namespace ulna::internal
