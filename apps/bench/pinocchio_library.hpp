// What the main program of Pinocchio's builds may know of them: none of its headers.
#pragma once

#include "subject.hpp"

namespace ulna::bench {

Library pinocchio_library(const Inputs& inputs);

}  // namespace ulna::bench
