// The study of a robot with loops.
#pragma once

#include <string>

#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>

namespace ulna::internal {

// closed_drawing.cpp
std::string closed_drawing(const Mechanism& robot, const sim::Trajectory& run);

}  // namespace ulna::internal
