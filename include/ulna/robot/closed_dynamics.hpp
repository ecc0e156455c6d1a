// Dynamics of a robot with loops as machine code, for control loops.
//
//   const ulna::ClosedDynamics robot(ulna::load_mechanism("five-bar"));   // some milliseconds
//   std::vector<double> q = robot.mechanism().reference();
//   // every cycle: the independent positions of q are set, the dependent ones stand where the last cycle left them
//   const ulna::ClosedResult done = robot.inverse(q.data(), u, u_dot, tau);
//
// Every call closes q by a fixed number of steps of Newton's method, from where its dependent positions are, and computes; nothing allocates, locks, throws or
// branches on data but for the final check of what is left. Dependent speeds come by an elimination of fixed order: where that is not sure, because an assembly
// is near a singular one or a pivot is small, the result says so, and Mechanism, which chooses its pivots, is to be asked. Friction is Mechanism's, too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/jit/instruction_set.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna ULNA_API {

struct ClosedOptions {
  bool rotor = true;                             // Whether rotor inertia counts.
  int steps = 2;                                 // of Newton's method in every call
  InstructionSet most = InstructionSet::avx512;  // at most this; none: the same operations without machine code, which allocate
};

struct ClosedResult {   // What a call returns besides its results.
  double residual = 0;  // largest condition that is not met after the last step [m, or rad]; NaN where an input is
  bool sure = false;    // closed on the side of singular assemblies that q was on, and every pivot of a sound size
  int side = 0;         // sign of the determinant that vanishes in singular assemblies
};

/// What was made of one program.
struct ClosedReport {
  std::string name;
  OperationCounts counts;
  std::size_t instructions = 0;
};

class ClosedDynamics {  // Dynamics of a robot with loops.
 public:
  explicit ClosedDynamics(const Mechanism& mechanism, const ClosedOptions& options = {});

  const Mechanism& mechanism() const;  // The robot.

  // q has nq numbers, of which the dependent ones are set; all others have mobility() numbers. No pointer may be null.
  ClosedResult close(double* q) const noexcept;
  ClosedResult close(double* q, int steps) const noexcept;  // as many steps as this
  ClosedResult inverse(double* q, const double* u, const double* u_dot, double* tau) const noexcept;
  ClosedResult forward(double* q, const double* u, const double* tau, double* u_dot) const noexcept;
  ClosedResult mass(double* q, double* M) const noexcept;  // full
  ClosedResult bias(double* q, const double* u, double* bias) const noexcept;
  ClosedResult gravity(double* q, double* gravity) const noexcept;
  ClosedResult energy(double* q, const double* u, double* energy) const noexcept;  // kinetic, potential
  /// v and a have nv numbers, of all joints of the tree.
  ClosedResult motion(double* q, const double* u, const double* u_dot, double* v, double* a) const noexcept;

  bool compiled() const;                             // machine code, which agrees with multipliers in extended precision; else the templates
  const std::vector<ClosedReport>& reports() const;  // What was compiled.

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace ULNA_API
