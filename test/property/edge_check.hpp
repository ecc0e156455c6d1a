// One robot near the edge in one state: what templates, machine code, generated programs and C must give there, by the reference in extended precision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/verify/verify.hpp>

#include "property/compiled_robots.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {

/// The largest differences, as shares of what is allowed: by the terms that a result is made of (as verify allows), and of the largest result.
struct Worst {
  double of_terms = 0;
  double of_largest = 0;  // of torques and M
  double residual = 0;    // of M a + bias - tau, over the largest term
};

class EdgeCheck {
 public:
  /// States are floats, so that both precisions compute the same. `far`: how far from zero angles may be.
  EdgeCheck(const Model& model, double snap, std::uint64_t seed, double far);

  /// Whether accelerations mean anything in this precision. Inertias of 1e-40 kg m² have no inverse among floats, and neither has a pivot of M that is rounding
  /// of its diagonal entry.
  bool holds_accelerations(bool single) const;

  // Each: empty, or what differs.

  template <class T>
  std::string dynamics(const DynamicsOf<T>& dynamics, Worst& worst) const;
  /// Made for this robot, of this instruction set at most.
  template <class T>
  std::string dynamics(InstructionSet most, Worst& worst) const;
  /// The programs that generated C is written from, run in T as C runs them.
  template <class T>
  std::string programs(Worst& worst) const;

  /// Writes its C in T under this name, with so many states in its self-test; compiled() asks for the functions.
  template <class T>
  void add_to(CompiledRobots& all, const std::string& name, int test_states = 1) const;
  template <class T>
  std::string compiled(const CompiledRobots& all, const std::string& name, Worst& worst) const;

 private:
  template <class T>
  struct Results {
    std::vector<T> tau, M, a;
  };
  template <class T>
  GenerateOptions options(const std::string& name, int test_states) const;
  template <class T>
  std::string judge(const char* by, const Results<T>& got, Worst& worst) const;
  template <class T>
  std::vector<T> torques() const {
    return {exact_->tau.begin(), exact_->tau.end()};
  }
  template <class T>
  double residual(const std::vector<T>& a) const;
  template <class T>
  std::string lanes(const DynamicsOf<T>& dynamics, const std::vector<T>& tau) const;
  std::vector<double> mass_bound() const;

  const Model& model_;
  double snap_;
  std::size_t n_;
  Model merged_;
  Reference reference_;
  std::vector<double> q_, v_, a_;
  std::optional<Bounds> exact_;
};

}  // namespace ulna::test
