// Keeps the loops of a run's robot closed, on the circuit that the run began on.
#pragma once

#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/scenario.hpp>

namespace ulna::internal::sim {

/// The loops cannot be closed after a step.
struct LoopsLost : Diverged {
  using Diverged::Diverged;
};

/// One per thread, and per run: it keeps the last configuration.
class LoopKeeper {
 public:
  explicit LoopKeeper(const Dynamics& dynamics);

  struct Closing {
    double before = 0, after = 0;  // how far the loops were open [m, or rad]
  };
  /// Sets the dependent positions of q by two or three steps of Newton's method, from where they are. Throws LoopsLost where the loops cannot be closed from
  /// here, where the assembly is singular, where they close far from where q is, and where that is beyond a singular assembly, seen from the last q, which no
  /// continuous motion passes.
  Closing close(double* q);
  /// Forgets where the robot was.
  void restart() { side_ = 0; }
  /// Moves q, which is closed, to these positions of the joints that v lists, closed all the way. Throws LoopsLost where no such motion leads there.
  void lead(std::vector<double>& q, const double* to) const;

 private:
  /// One evaluation of the closure kernel, whose results out_ holds: q after a step, conditions, pivots.
  struct Check {
    double residual = 0;
    int side = 1;          // of singular assemblies: the sign of the determinant
    bool reliable = true;  // pivots are large enough for this order of elimination
  };
  Check check(const double* q);
  bool reaches(std::vector<double>& q, const std::vector<double>& to) const;

  Dynamics dynamics_;
  Mechanism loops_;
  std::size_t nq_, tests_;
  int side_ = 0;  // of last_q_; 0 before the first
  std::vector<double> out_, least_pivots_, q_, last_q_;
};

}  // namespace ulna::internal::sim
