// Generated code is tried before it is written: a program that would fail its own self-test helps nobody.
#pragma once

#include <optional>

#include "emit/quantities.hpp"

namespace ulna::internal {

/// A result of the self-test that is not what it should be.
struct Miss {
  std::size_t state = 0, result = 0;  // from 0
  double difference = 0, allowed = 0;
};

/// Runs the program in the precision that the code will have on the states of its self-test, and compares as that does. The first miss; none when all pass.
std::optional<Miss> first_miss(const Generated& made, Real real);

/// Throws std::invalid_argument, with cause and cure, when there is one.
void require_passed(const Generated& made, const std::string& robot, const GenerateOptions& options);

}  // namespace ulna::internal
