// Dynamics of a robot with loops in extended precision, to be compared with: the tree's equations with Lagrange's multipliers (verify/reference.hpp), which use
// no kernel that computes.
#pragma once

#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/loop/mechanism.hpp>

namespace ulna::internal {

struct ByMultipliers {
  std::vector<long double> tau;   // of the independent joints
  std::vector<long double> v, a;  // of the tree
  double tree_torque = 0;         // the largest torque that a joint of the open tree would need: the size of what is added up
};

/// M v̇ + h = S tau + Jᵀ mu, J v̇ + c = 0, v̇ at the independent joints given. v and a may be null: zeros. q is closed.
ByMultipliers inverse_by_multipliers(const Model& robot, const double* q, const double* v, const double* a, const Effects& effects = {});

/// The same with tau given, and accelerations of the independent joints sought.
std::vector<long double> forward_by_multipliers(const Model& robot, const double* q, const double* v, const double* tau, const Effects& effects = {});

/// Kinetic and potential energy, with the speeds of the same elimination.
EnergyOf<long double> energy_by_multipliers(const Model& robot, const double* q, const double* v, const Effects& effects = {});

ByMultipliers inverse_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* u_dot, const Effects& effects);
std::vector<long double> forward_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* tau, const Effects& effects);
EnergyOf<long double> energy_by_multipliers(const Mechanism& robot, const double* q, const double* u, const Effects& effects);

}  // namespace ulna::internal
