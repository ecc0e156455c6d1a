// Kane and Levinson's generalized speeds (eqs 2, 3), to integrate in: eqs 8-11 and 118-123.
#pragma once

#include <memory>

#include <ulna/formulation/formulation.hpp>

#include "formulation/own_speeds.hpp"

namespace ulna::internal {

/// For a robot that takes_stanford().
std::unique_ptr<OwnSpeeds> make_stanford_speeds(const Prepared& prepared);

}  // namespace ulna::internal
