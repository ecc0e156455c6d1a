// A robot with loops as a simulation sees it. States are those of the whole tree, q and v; what counts of them is the independent part, and the dependent part
// is put where the loops close. Results are of the whole tree, too; torques stand at the independent joints, and are zero at the others.
#pragma once

#include <vector>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/closed_dynamics.hpp>
#include <ulna/sim/scenario.hpp>

namespace ulna::sim::internal {

/// The loops cannot be closed from where a step led.
struct LoopsLost : Diverged {
  using Diverged::Diverged;
};

/// One per thread.
class ClosedForward {
 public:
  ClosedForward(const Mechanism& mechanism, bool rotor);

  const Mechanism& mechanism() const { return mechanism_; }
  bool rotor() const { return rotor_; }
  bool compiled() const { return fast_.compiled(); }
  /// States that machine code was not sure of, so that Mechanism was asked.
  long unsure() const { return unsure_; }

  struct Closing {
    double before = 0, after = 0;  // how far the loops were open
  };
  /// Sets the dependent numbers of q and v. Throws LoopsLost where the loops cannot be closed from here, where the assembly is singular, where they close far
  /// from where q is, and where that is beyond a singular assembly, seen from the last q, which no continuous motion passes.
  Closing close(double* q, double* v);

  // q and v are closed. A null v or a is zero; of `a`, the independent part counts.
  void accelerations(const double* q, const double* v, const double* tau, double* a, const Effects& effects);
  /// All of `a` from its independent part.
  void complete(const double* q, const double* v, double* a);
  void torques(const double* q, const double* v, const double* a, double* tau, const Effects& effects);
  void gravity(const double* q, double* tau);
  /// Of the independent coordinates: mobility() x mobility().
  void mass(const double* q, double* M);
  /// tau of all joints as what it is at the independent ones.
  void gather(const double* q, double* tau);

 private:
  bool plain(const Effects& effects) const;
  void take(const double* all, std::vector<double>& independent) const;
  void put(const std::vector<double>& independent, double* all) const;
  /// Whether q_, which lies beyond a singular assembly from last_q_, follows from it continuously.
  bool follows() const;

  Mechanism mechanism_;
  ClosedDynamics fast_;
  bool rotor_;
  long unsure_ = 0;
  int side_ = 0;  // of singular assemblies, of last_q_; 0 before the first
  std::vector<double> q_, last_q_, u_, last_, result_, v_, a_;
};

}  // namespace ulna::sim::internal
