// States in which robots with loops are verified.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <ulna/dynamics/workspace.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna::internal {

/// Closed states near the reference assembly; half of them with drives after many turns, half of them assembled from random guesses.
class LoopStates {
 public:
  LoopStates(const Model& model, const Plan& plan, std::uint64_t seed);

  /// One more state; false where it cannot be closed, is next to a singular assembly, or where the order of elimination that kernels have loses digits.
  bool next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a);
  const Certificate::LoopStates& seen() const { return seen_; }
  /// Positions that continuation found (loop/continuation.hpp) against those of Newton's method in many small steps.
  const FormulationCheck& positions() const { return positions_; }

 private:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-52 - 1; }  // from -1 to 1, the same everywhere
  bool close(std::vector<double>& q, bool guessed);
  void follow(const std::vector<double>& q, double singularity);
  std::vector<double> pivots(const std::vector<double>& q);

  const Model& model_;
  const Plan& plan_;
  Workspace ws_;
  Mechanism loops_;
  std::vector<bool> turns_;
  std::vector<double> pivots_;  // of the reference assembly
  StateSampler sampler_;        // of the tree: what does not depend on loops
  std::mt19937_64 random_;
  std::size_t sample_ = 0;
  Certificate::LoopStates seen_;
  FormulationCheck positions_;
};

}  // namespace ulna::internal
