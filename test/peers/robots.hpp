// What all peers are compared on: the built-in robots at seeded states.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/builtin.hpp"
#include "support/cases.hpp"

namespace ulna::test {

constexpr int kPeerStates = 10;

/// body(state); the seed is the state's number.
template <class Body>
void for_each_state(const Model& model, Body body) {
  for (std::uint64_t seed = 1; seed <= kPeerStates; ++seed) {
    SCOPED_TRACE(::testing::Message() << "state seed " << seed);
    Random random(seed);
    body(random_state(model, random));
  }
}

/// n·n numbers, row by row.
inline Eigen::MatrixXd square(const std::vector<double>& rows) {
  const auto n = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(rows.size()))));
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(rows.data(), n, n);
}

/// Both programs round: twice the bound of one.
inline double peer_tolerance(const Model& model, const State& s, const Effects& effects) {
  return 2 * tolerance(steps(model), torque_condition(Oracle(model, s.q, s.v, s.a, effects)));
}

}  // namespace ulna::test
