// All formulations against one reference, the laws of mechanics, and a certificate of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

/// Another implementation of a robot's dynamics, to be compared as the formulations are: machine code, generated code. emit/generate.hpp makes these
/// two.
class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual std::string id() const = 0;  // of its rows: "compiled-double"
  /// Whether it computes in floats: then its states are floats, and tolerances are those of floats.
  virtual bool single() const = 0;
  /// Whether it needs a compiler on this computer.
  virtual bool needs_compiler() const { return false; }
  /// Empty when it gives the quantity of this robot; else why not.
  virtual std::string why_not(Quantity quantity) const = 0;
  virtual std::string note(Quantity quantity) const = 0;

  /// Calls `done` with the results, once for each way in which it computes them (one state, many states).
  virtual void run(Quantity quantity, const InputsOf<double>& in, const std::function<void(const std::vector<double>&)>& done) = 0;
};

struct VerifyOptions {                                                                 // How a model is verified.
  std::size_t samples = 1000;                                                          // Number of states.
  std::uint64_t seed = 1;                                                              // Of the random states.
  double snap = kSnap;                                                                 // Angles this near to a quarter turn are exact [rad].
  std::vector<Wrench> wrenches = {};                                                   // that act in every state; links of the model
  BaseMotion base = {};                                                                // of the root link, in every state
  bool exact = false;                                                                  // identities modulo a prime, too
  std::function<void(double)> progress = {};                                           // called with the fraction done
  std::function<std::vector<std::shared_ptr<Implementation>>()> implementations = {};  // makes them; called once, if the robot is not too large to be verified

  /// What acts; valid as long as the options are.
  Effects effects() const;
};

/// A formulation, or an implementation, and a quantity. The production path's templates, `ulna` among the formulations, are called `templates` here.
/// Differences are relative to the largest terms that enter the result: forces and moments of the links; for accelerations carried through the inverse of M,
/// or, of an implementation's, what is left when they are put back into the equations. So one tolerance serves every state.
struct FormulationCheck {
  std::string id;
  Quantity quantity = Quantity::inverse;
  bool applies = false;
  std::string why_not{};
  double max_relative_difference = 0;
  double tolerance = 0;
  bool agree = false;
  std::string note{};           // further remarks
  bool needs_compiler = false;  // where it does not apply, the computer may be the reason
};

struct LawCheck {  // One law of mechanics, and how well it holds.
  std::string id;
  std::string statement;
  double worst = 0;  // the largest residual, relative as above
  double tolerance = 0;
  bool holds = false;
};

/// Another library compared in one quantity of the same robot.
struct PeerCheck {
  std::string name;  // and version
  std::string quantity;
  std::string why_not;  // empty when it was compared
  double max_relative_difference = 0;
  double tolerance = 0;
  bool agree = false;
  std::vector<std::string> causes{};  // of a difference, as explain() finds them, largest first
};

/// An identity, decided at random points modulo the prime 2^61 - 1, where nothing is rounded (docs/exact.md).
struct ExactCheck {
  std::string name;        // "lagrange: torque"
  bool holds = false;      // at every point
  std::size_t trials = 0;  // points
  /// No identity that is false holds at all of them with a larger probability (Schwartz and Zippel: degree over p, to the power of the trials).
  double probability = 1;
  std::string note{};  // what it is about
};

/// One state with its reference torques: what a certificate can be re-checked by.
struct Witness {
  std::vector<double> q, v, a, tau;
};

struct Certificate {  // What was compared, and whether all agree.
  std::string robot;
  std::string model_hash;   // of every number and name that matters
  std::size_t samples = 0;  // Number of states.
  std::uint64_t seed = 0;   // Of the random states.
  double snap = 0;          // Angles this near to a quarter turn are exact [rad].
  std::vector<FormulationCheck> formulations;
  std::vector<LawCheck> laws;
  std::vector<Witness> witnesses;

  /// What acted in every state.
  struct LinkWrench {
    std::string link;  // its name
    Wrench wrench;
  };
  std::vector<LinkWrench> wrenches = {};
  BaseMotion base = {};
  bool loaded = false;  // with loads that change torques

  /// Statistics of the states of a robot with loops.
  struct LoopStates {
    std::size_t left_out = 0;   // cannot be closed, or are nearer to a singular assembly than kNearSingular
    std::size_t not_sure = 0;   // the kernels' elimination has a small pivot there, so that they are not reliable
    std::size_t far = 0;        // of the states compared: with drives rotated by up to kWholeTurns
    std::size_t elsewhere = 0;  // beyond a singular assembly from the reference, on another branch or circuit
  };
  static constexpr double kNearSingular = 0.02, kWholeTurns = 100;
  std::optional<LoopStates> loops = {};
  std::vector<ExactCheck> exact = {};  // empty unless options say so

  bool agree() const;  // Whether every row agrees.
};

/// Runs every formulation that takes the model and what acts on it, and the implementations given, on seeded states over the joint limits; of a robot with
/// loops, on closed states near its reference assembly, where differences are relative to the condition number of its loops, too. Deterministic.
/// Throws std::invalid_argument for a robot whose verification would take more memory than there is, and for a wrench on a link that is not there.
Certificate verify(const Model& model, const VerifyOptions& options = {});
/// The same for a robot whose forms exist already; the snap is theirs.
Certificate verify(const Prepared& prepared, const VerifyOptions& options = {});

struct ExactOptions {           // How identities are decided.
  std::uint64_t seed = 1;       // of the random points
  double certainty = 1e-12;     // points are added until a false identity holds at all of them with a smaller probability than this,
  std::size_t most_trials = 8;  // or until there are so many
  bool programs = true;         // the search and its programs, too
};
/// The robot's equations as identities modulo the prime 2^61 - 1: every formulation against the production path, laws of mechanics, lumping, derivatives, every
/// move of the search and the programs that machine code is made of. Angles are points of the circle modulo p, the robot's numbers the fractions that its file
/// has, rotations by no quarter turn exactly orthogonal ones that are equal to twelve digits. Deterministic. Throws std::invalid_argument as verify() does.
std::vector<ExactCheck> verify_exact(const Prepared& prepared, const ExactOptions& options = {});
std::vector<ExactCheck> verify_exact(const Model& model, const ExactOptions& options = {});

/// 16 hexadecimal digits over names, topology and numbers of a model.
std::string model_hash(const Model& model);

/// How the tolerances come about: 8 roundings of the unit roundoff for each of the n links that a sum runs over.
double verify_tolerance(std::size_t n);

/// A seeded state over the joint limits (±pi and ±1 m where there are none), moderate rates; a free base in any attitude. Of a robot with loops, a closed one
/// on the way from its reference assembly to there, as far as it goes in halves without coming near a singular assembly.
class StateSampler {
 public:
  StateSampler(const Model& model, std::uint64_t seed);
  void next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a);  // The next state.

 private:
  struct Loops;
  double uniform(double low, double high);
  void draw(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a);  // of the tree
  std::vector<double> lower_, upper_, speed_;
  std::vector<std::size_t> balls_;  // where their quaternions stand behind the base
  bool free_;
  std::uint64_t state_;
  std::shared_ptr<Loops> loops_;
};

// The derivations of the papers, executed: every equation evaluated by itself and compared with the one that it follows from.

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
