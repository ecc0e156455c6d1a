// What a DH table loses: the digits of its own numbers, where its frames lie far from the robot.
#pragma once

#include <string>

#include "formulation/frames.hpp"

#include <ulna/formulation/formulation.hpp>

namespace ulna::internal {

/// Largest difference between the torques of the model and those of the table, as Ulna computes them, over the largest torque; in a few states.
double loss_of(const Model& model, const ChainRows<double>& table, DhConvention convention, double snap);

/// The table, with angles within `angle_snap` of right ones made right; the tree of bodies is that of `snap`.
ChainRows<double> make_chain(const Model& model, DhConvention convention, double snap, double angle_snap);

/// The two joints whose common normal lies farthest away, and where that is.
std::string farthest_normal(const Model& model, double snap);

}  // namespace ulna::internal
