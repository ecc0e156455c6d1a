// The derivations of the papers, executed: every equation evaluated by itself and compared with the one that it follows from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/rounding.hpp>

namespace ulna ULNA_API {

struct Proof {
  std::string_view id;     // "turney"
  std::string_view title;  // what it proves
  std::string_view citation;
};
const std::vector<Proof>& proofs();  // Every proof.

struct ProofOptions {                         // How a proof is run.
  std::size_t samples = 20;                   // Number of states.
  std::uint64_t seed = 1;                     // Of the random states.
  double snap = kSnap;                        // Angles this near to a quarter turn are exact [rad].
  bool symbolic = true;                       // for robots of up to kMostSymbolicJoints joints
  std::function<void(double)> progress = {};  // called with the fraction done
};
inline constexpr std::size_t kMostSymbolicJoints = 3;  // Beyond, steps are not checked with symbols.
inline constexpr std::size_t kMostProofJoints = 32;    // Beyond, a proof is refused.

/// One equation and the line before it in its derivation, which it must equal.
struct ProofStep {
  std::string equation;  // "4.5 line 2"
  std::string from;      // "4.5 line 1"
  std::string says;      // its right side
  /// The largest difference of the two, over all states and entries, relative to the sizes of all that was rounded on the way to both.
  double max_relative_difference = 0;
  /// Whether both are the same polynomial in cosines, sines, rates, accelerations and the symbols of every arm with these joints; nothing where it was not
  /// tried.
  std::optional<bool> same_normal_form;
  bool agree = false;  // numbers and, where tried, symbols
};

/// An equation as the paper prints it, where that is wrong.
struct Misprint {
  std::string equation;
  std::string printed;                 // what is wrong about it
  double max_relative_difference = 0;  // from the line before
  bool differs = false;                // a robot with few joints may not show it
};

struct ProofReport {  // Each step of a proof, and whether it holds.
  std::string proof, robot, model_hash;
  std::size_t samples = 0;  // Number of states.
  std::uint64_t seed = 0;   // Of the random states.
  double tolerance = 0;     // of differences: one unit roundoff of what they are relative to
  std::string symbolic;     // for which arms normal forms were compared, or why not
  std::vector<ProofStep> steps;
  std::vector<Misprint> misprints;

  bool agree() const;  // Whether every step holds.
};

/// Empty when the derivation holds for such a robot; else what it lacks. Throws std::invalid_argument, with the nearest name, when there is no such proof.
std::string why_not_proved(std::string_view proof, const Model& model, double snap = kSnap);

/// Runs a derivation on seeded states over the joint limits. An equation is compared with the last one before it that held, so that a wrong one is named alone.
/// Deterministic. Throws std::invalid_argument with why_not_proved(). O(n⁴) a state.
ProofReport prove(std::string_view proof, const Model& model, const ProofOptions& options = {});

}  // namespace ULNA_API
