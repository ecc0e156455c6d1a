// States side by side, as batches take them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ulna/views.hpp>

namespace ulna::cli {

/// Which parts of a state a command reads: any of "q", "v", "a", "tau".
using StateParts = std::vector<std::string>;

/// One state; a part that the command does not read is null.
struct StateView {
  const double *q, *v, *a, *tau;
};

struct StateBlock {
  std::size_t n = 0;  // coordinates
  std::size_t count = 0;
  std::vector<double> q, v, a, tau;  // state after state; empty when the command does not read it

  StateView at(std::size_t k) const {
    const auto part = [&](const std::vector<double>& all) { return all.empty() ? nullptr : all.data() + k * n; };
    return {part(q), part(v), part(a), part(tau)};
  }
  /// One state per column, for Dynamics.
  MatrixView<const double> columns(const std::vector<double> StateBlock::*part) const { return {(this->*part).data(), n, count}; }
};

}  // namespace ulna::cli
