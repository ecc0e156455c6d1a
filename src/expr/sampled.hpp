// Finds equal expressions of different form by their values: sin² + cos² is one.
#pragma once

#include <array>
#include <map>
#include <vector>

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// The nodes of a graph at three random places, with bounds of their rounding. Two expressions that agree at all three within these bounds are taken as equal:
/// polynomials in sines, cosines and numbers that differ agree at random places with a probability of about 1e-12 each (Schwartz and Zippel).
class Sampled {
 public:
  explicit Sampled(const Graph& graph) : graph_(graph) {}

  /// The number, or the earliest expression of the graph, that x is equal to; else x.
  Expr simplest(const Expr& x);
  /// Its value at one of the places.
  double value(const Expr& x, std::size_t place = 0);

 private:
  static constexpr std::size_t kPlaces = 3;
  struct Bounded {
    double value = 0, error = 0;
  };
  using Values = std::array<Bounded, kPlaces>;
  void extend();

  const Graph& graph_;
  std::vector<Values> values_;
  std::multimap<double, std::uint32_t> by_size_;  // nodes, by the size of their first value
};

}  // namespace ulna::internal
