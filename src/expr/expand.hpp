// An expression multiplied out: a polynomial in parameters, inputs, and cosines and sines of angles.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// Powers of the parameters, of the inputs, and of cosine and sine of each angle.
using Powers = std::vector<std::int8_t>;
/// The order of vectors, as bytes: no power is negative.
struct ByPowers {
  bool operator()(const Powers& a, const Powers& b) const { return std::memcmp(a.data(), b.data(), a.size()) < 0; }
};
using Polynomial = std::map<Powers, double, ByPowers>;  // all powers of the same size

/// Limits of an expansion, and the tolerance below which a term has cancelled.
struct ExpansionLimits {
  std::size_t terms;  // of anything on the way
  std::size_t work;   // powers added
  double zero = 0;    // coefficients below this are rounding
};

/// Keeps expansions, so that shared expressions are multiplied out once.
class Expansion {
 public:
  /// Inputs below `angles` may stand in sines and cosines; `circles` are parameters that are cosine and sine of one angle.
  Expansion(const Graph& graph, std::size_t angles, const std::vector<std::pair<std::size_t, std::size_t>>& circles, const ExpansionLimits& limits);

  /// Nothing when it is too long or no polynomial.
  std::optional<Polynomial> operator()(const Expr& x);
  std::size_t first_input() const { return first_input_; }
  std::size_t first_angle() const { return first_angle_; }
  /// Terms that it remembers.
  std::size_t remembered() const { return remembered_; }

 private:
  bool expand(std::uint32_t node);
  Polynomial atom(std::size_t index) const;
  std::optional<Polynomial> make(std::uint32_t index);
  std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b);
  /// s² = 1 - c², from circle `k` on.
  void add_reduced(Polynomial& sum, Powers& powers, double coefficient, std::size_t k) const;
  void add_to(Polynomial& sum, const Powers& powers, double coefficient) const;

  const Graph& graph_;
  ExpansionLimits limits_;
  std::size_t first_input_, first_angle_, size_;
  std::size_t angles_;
  std::vector<std::pair<std::size_t, std::size_t>> circles_;  // cosines and sines of one angle
  bool failed_ = false;
  std::size_t work_ = 0;
  std::size_t remembered_ = 0;
  std::map<std::uint32_t, Polynomial> known_;
};

}  // namespace ulna::internal
