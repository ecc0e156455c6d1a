// Robots in whole numbers that RapidCheck draws and makes smaller: a failure shrinks to few joints with zeros.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "support/random_model.hpp"

namespace ulna::test {

rc::Gen<WholeRobot> whole_robot(std::size_t most);
/// How many of them the tests take: ULNA_ROBOTS of the environment, for long runs.
int robots();
std::ostream& operator<<(std::ostream& out, const WholeRobot& robot);

}  // namespace ulna::test
