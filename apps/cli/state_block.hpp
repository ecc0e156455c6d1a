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
  std::size_t nq = 0, nv = 0;  // numbers of q, and of v, a and tau
  std::size_t count = 0;
  std::vector<double> q, v, a, tau;  // state after state; empty when the command does not read it

  StateView at(std::size_t k) const {
    const auto part = [&](const std::vector<double>& all, std::size_t n) { return all.empty() ? nullptr : all.data() + k * n; };
    return {part(q, nq), part(v, nv), part(a, nv), part(tau, nv)};
  }
  /// One state per column, for Dynamics.
  MatrixView<const double> columns(const std::vector<double> StateBlock::*part) const { return {(this->*part).data(), size(part), count}; }
  /// Numbers of a part of one state.
  std::size_t size(const std::vector<double> StateBlock::*part) const { return part == &StateBlock::q ? nq : nv; }
};

}  // namespace ulna::cli
