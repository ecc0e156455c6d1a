// What commands compute of a robot with loops: by Mechanism, at the independent joints.
#pragma once

#include "evaluate.hpp"

namespace ulna::cli {

bool takes_loops(Quantity quantity);

/// Fills in what a robot with loops needs; throws UsageError for options that do not go with it.
void close_loops(Setup& setup, Mechanism mechanism, const Arguments& arguments);

/// Whether the closed robot has a program of its own for it; else it is the tree's in the closed state, seen from the independent joints.
bool has_closed_program(Quantity quantity);

/// Machine code of the closed robot. What is in its way; empty when nothing is.
std::string make_closed_dynamics(Setup& setup);

/// Instead of a computation's own. Every state is closed; what cannot be is refused before anything is written.
Result closed_result(const Setup& setup, Quantity quantity);

/// What the tree's computation gives in the closed state. Columns of a Jacobian become those of the independent joints, J G; rows of a regressor, too, Gᵀ Y.
Result completed_result(const Setup& setup, Quantity quantity, Result tree);

}  // namespace ulna::cli
