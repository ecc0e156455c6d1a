// Lists of quantities for DynamicsOptions.
#pragma once

#include <vector>

#include <ulna/robot/dynamics.hpp>

namespace ulna::test {

/// What is compiled without an option, and more.
inline std::vector<Quantity> and_also(const std::vector<Quantity>& more) {
  std::vector<Quantity> all = DynamicsOptions().quantities;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Everything that machine code may be made of.
inline std::vector<Quantity> all_compiled() {
  return and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor, Quantity::inverse_derivatives, Quantity::forward_derivatives});
}

}  // namespace ulna::test
