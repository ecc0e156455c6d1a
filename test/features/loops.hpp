// Random robots with loops, and what their results must be: by the tree's laws in extended precision and the conditions of the loops as functions of q, whose
// derivatives are differences. Nothing of src/loop is in it.
#pragma once

#include <vector>

#include "features/drawn.hpp"
#include "features/expected.hpp"

namespace ulna::test {

/// A crank-rocker, a slider-crank or a chain in general position that a joint closes, with an arm on one of its links.
void draw_loop(Random& random, std::uint64_t seed, const DrawOptions& options, Drawn& out);
/// Adds a closed state, on the circuit of the reference assembly; false where there is none near.
bool draw_closed_state(Random& random, Drawn& out);

class LoopTruth {
 public:
  using Vector = std::vector<Real>;
  /// For states near q, see Truth.
  LoopTruth(const Drawn& drawn, const Mechanism& mechanism, const std::vector<double>& q);

  /// Conditions of all loops, redundant ones as well.
  Vector conditions(const Vector& q) const;
  /// Newton's method on the dependent positions. False where it does not converge.
  bool close(Vector& q) const;
  /// From the reference assembly to the independent positions of q in short steps, whole turns left out; then the dependent positions are set.
  bool assemble(Vector& q) const;

  struct Motion {
    Vector v, a;        // of the tree
    Vector G;           // nv x mobility, column by column
    double spread = 1;  // how far rounding is blown up: the condition of the dependent columns
  };
  Motion motion(const Vector& q, const Vector& u, const Vector& u_dot) const;
  Vector value(Quantity quantity, const Vector& q, const Vector& u, const Vector& last) const;
  const Truth& tree() const { return tree_; }
  const std::vector<std::size_t>& independent() const { return independent_; }

 private:
  Vector jacobian(const Vector& q) const;  // row by row

  Truth tree_;
  std::vector<Loop> loops_;
  std::vector<std::size_t> independent_, dependent_, predecessor_, successor_;
  Vector reference_;
  std::size_t nv_;
};

/// As Expected, of a robot with loops.
class ExpectedLoop {
 public:
  ExpectedLoop(const LoopTruth& truth, const Drawn& drawn, const State& state);
  template <class T>
  std::string differs(Quantity quantity, const T* got, double* used = nullptr) const;
  const std::vector<double>& tau() const { return tau_; }
  /// The inputs of a quantity, in the order of its row: q is closed.
  std::vector<const std::vector<double>*> inputs(Quantity quantity) const;
  /// Whether terms of second order in roundings are small beside those of the first.
  bool holds(bool single) const;
  const std::vector<Real>& value(Quantity quantity) const { return values_.at(quantity); }
  double bound(Quantity quantity, std::size_t number) const;
  const std::vector<Real>& q() const { return q_; }  // closed

 private:
  std::size_t mobility_;
  std::vector<Real> q_;
  std::vector<double> closed_, v_, a_, tau_;
  double spread_ = 1;
  std::map<Quantity, std::vector<Real>> values_;
  std::map<Quantity, std::vector<double>> bounds_;
};

/// Those that are computed of robots with loops.
inline constexpr Quantity kLoopQuantities[] = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::forward, Quantity::energy};

}  // namespace ulna::test
