#pragma once

#include <ulna/loop/mechanism.hpp>

#include "arguments.hpp"

namespace ulna::cli {

/// 'ulna verify' of a robot with loops: Kane's method, by the templates and by machine code, against multipliers in extended precision.
int verify_closed(const Arguments& arguments, const Mechanism& robot);

}  // namespace ulna::cli
