// Source code of a robot's equations, for applications without a library: the shortest program that the search finds, in a programming language,
// with a self-test.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/robot/analysis.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna ULNA_API {

class Speeds;

enum class Real { double_precision, single_precision };  // Precision of generated code.

struct GenerateOptions {
  std::vector<std::string> what{"inverse"};  // of generated_quantities()
  std::string language = "c";                // of generated_languages()
  Real real = Real::double_precision;        // Precision.
  std::string name{};                        // of files and functions; empty: the model's, made into an identifier
  std::string formulation{};                 // an id of the registry; empty: the program that the search finds
  std::shared_ptr<const Speeds> speeds{};    // of a formulation that takes them: Kane's equations in these speeds, between functions of q, v, a and torques
  std::string link{};                        // of pose and jacobian; empty: the last link
  bool friction = false;                     // viscous v + Coulomb sign(v), sign(0) = 0, in quantities that depend on it
  std::string wrench_at{};    // a link: functions that depend on it take a further argument `wrench`, force then moment about its origin, in its axes
  bool single_file = false;   // of C: one source with the declarations on top, and no header; other languages but MATLAB have one file anyway
  std::string prefix{};       // before the names of functions; empty: the name and an underscore in C and MATLAB, nothing in others
  bool static_const = false;  // the robot's numbers in a table of constants, and not where they are used
  bool batch = false;         // of C: entries for eight states side by side and for any number, which compilers vectorise
  bool misra = false;         // of C: a subset for critical systems after MISRA C:2012; see docs/generate.md
  std::string target{};       // of generated_targets(): the interface of the functions; empty for their own
  // Parameters known at run time only: "payload" (a load on `parameters_link`, empty: the last link), "masses" (of all links), "all" (masses, mass centres and
  // inertias of all links). Functions take one more argument `table`, which a function `fold` makes of them.
  std::vector<std::string> parameters{};
  std::string parameters_link{};
  std::string note{};  // a line for the head of every file: what was done to the model
  double snap = kSnap;
  std::size_t test_states = 4;                            // in the self-test
  std::size_t most_entries = 100'000;                     // of the inertia matrix that are not zero, for mass, forward and energy
  std::function<void(const std::string&)> progress = {};  // called with the name of each step
  std::function<void(const std::string&)> warning = {};   // called with what a file lacks
};

struct GeneratedFile {  // A file to write.
  std::string name;
  std::string text;  // of NAME.fmu: bytes
};

/// "inverse", "mass", "bias", "gravity", "forward", "energy", "pose", "jacobian".
const std::vector<std::string>& generated_quantities();

/// "c", …: the first is the default.
std::vector<std::string> generated_languages();

/// "casadi": functions that casadi.external() loads, with their derivatives. "fmi", "fmi3": NAME.fmu, an FMU of FMI 2.0 or 3.0 for co-simulation.
std::vector<std::string> generated_targets();

/// In C, one header and one source in C99. A robot with loops also has the functions NAME_close(q, steps), which takes steps of Newton's method on the
/// dependent positions, NAME_closure, one of them with conditions and pivots, and NAME_speeds, of all joints. Files include nothing but <math.h>, allocate
/// nothing, have no branches on data and keep no state. The same model and options give the same bytes. Throws std::invalid_argument, with the cure, for
/// unknown quantities and formulations that do not support the model.
std::vector<GeneratedFile> generate(const Analysis& robot, const GenerateOptions& options = {});

/// A scenario as an FMU (target "fmi" or "fmi3"): robot, payloads, smooth friction, law and reference, integrated as simulate() does with rk4. `friction` is
/// the scenario's. Throws std::invalid_argument, with the cure, for what a unit does not support: another integrator, loops, disturbances, brakes, payloads in
/// flight.
std::vector<GeneratedFile> generate(const ulna::sim::Scenario& scenario, const GenerateOptions& options);

/// `text` as an identifier of C and its relatives: letters, digits and underscores, no keyword, not empty.
std::string identifier(std::string_view text);
/// `text` for a comment: whatever could end one, or continue on the next line, is replaced.
std::string comment_text(std::string_view text);

// --- Implementations for verify(): the machine code of this computer and the generated C.
//
//   ulna::VerifyOptions options;
//   options.implementations = [&] { return ulna::shipped(model); };
//   const ulna::Certificate certificate = ulna::verify(model, options);

struct ShippedOptions {
  double snap = kSnap;                 // the same as verify()'s
  bool generated = true;               // generate C and compile it with the compiler of this computer
  std::function<void()> waiting = {};  // called regularly while the compiler works; an exception from it ends that
};

/// In C, code for more joints than this takes a compiler minutes.
inline constexpr int kMostGeneratedJoints = 64;

/// `compiled-double`, `compiled-float`: Dynamics and DynamicsF without their own check, one state and lanes; quantities computed by the templates are
/// noted. `generated-c`, `generated-c-float`: what generate() writes, compiled by cc, gcc or clang in a temporary folder and loaded; where this cannot be done,
/// the rows say why. Of the bias, all compute gravity, too.
std::vector<std::shared_ptr<Implementation>> shipped(const Analysis& robot, const ShippedOptions& options = {});

}  // namespace ULNA_API
