// The same dynamics another way, to be compared with: the tree's equations with Lagrange's multipliers, all unknowns at once, in extended precision.
#pragma once

#include <vector>

#include <ulna/loop/mechanism.hpp>

namespace ulna::internal {

struct ByMultipliers {
  std::vector<long double> tau;   // of the independent joints
  std::vector<long double> v, a;  // of the tree
  double tree_torque = 0;         // the largest torque that a joint of the open tree would need: the size of what is added up
  double condition = 1;           // of M of the tree, by its diagonal: how far accelerations may be off beside torques
};

/// M v̇ + h = S tau + Jᵀ mu, J v̇ + c = 0, v̇ at the independent joints given: one linear system for v̇, mu and tau, by full elimination. J and c are those of
/// loop_equations() on long doubles, M and h come from inverse dynamics of the tree at unit accelerations: nothing is shared with Mechanism's elimination.
ByMultipliers inverse_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* u_dot, const Effects& effects);

/// The same with tau given, and accelerations of the independent joints sought.
std::vector<long double> forward_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* tau, const Effects& effects);

/// Kinetic and potential energy, with the speeds of the same elimination.
EnergyOf<long double> energy_by_multipliers(const Mechanism& robot, const double* q, const double* u, const Effects& effects);

}  // namespace ulna::internal
