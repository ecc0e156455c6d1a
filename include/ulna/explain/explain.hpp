// Why two models, or a model and the numbers of another program, disagree: causes in the order of their size, each with the smallest edit that removes it.
// Why a model and the logs of its robot disagree, and the model repaired.
// And where an implementation of a formulation departs from its paper: the first line that differs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

namespace ulna ULNA_API {

/// What another program computed, by the coordinates of a model: one row a state, nq numbers of q, nv of the others (nv·nv of M, row by row). Empty: not given.
/// NaN: this entry was not given.
struct Numbers {
  std::size_t states = 0;
  std::vector<double> q, v, a;             // [rad or m], per second, per second²
  std::vector<double> tau, gravity, mass;  // torques, torques of gravity alone, inertia matrices
};

/// From CSV: columns q.J, v.J, a.J (0 where missing) and any of tau.J, g.J, M.J.K, J and K being names of coordinates
/// (those of a base that moves as in files of states). Problems go to `diagnostics`;
/// empty when there were errors.
std::optional<Numbers> read_numbers(std::string_view text, const Model& model, Diagnostics& diagnostics);

/// One side of a cause: numbers, or words where there are none.
struct CauseValue {
  std::vector<double> numbers{};
  std::string words{};
};

struct Cause {        // One cause of a difference.
  std::string kind;   // armature, damping, friction, mass, mass-centre, inertia, inertia-frame, joint-order, joint-sign, joint-offset, joint-axis,
                      // joint-frame, gravity, units, missing-link, base-frame, coriolis, loop, other
  std::string where;  // a link, a joint, or several, separated by commas
  double share = 0;   // of the difference; 0: it has no effect on torques
  CauseValue from, to;
  std::string edit;               // what to do to A (to the model, where the other side is numbers)
  std::vector<std::string> also;  // causes that would fit equally well
  double residual_after = 0;      // after this edit and all before it
};

struct Explanation {          // All causes, and what is left.
  bool agree = false;         // torques are the same but for rounding
  std::vector<Cause> causes;  // largest first; those without effect last
  double before = 0;          // the difference: root mean square over states and joints, each joint by its largest torque
  double residual = 0;        // after all edits
};

struct ExplainOptions {     // How two sides are compared.
  double tolerance = 1e-9;  // of torques, relative to the largest of each joint: below it they agree
  std::size_t states = 40;  // random ones, of two models
  std::uint64_t seed = 1;   // Of the random states.
};

/// Torques of A and B are compared with rotors and friction on. Coordinates are matched by name, else by order. Throws std::invalid_argument where they
/// differ in number, or the bases in kind, with the joints that only one side has and the option that makes them comparable.
Explanation explain(const Model& a, const Model& b, const ExplainOptions& options = {});
Explanation explain(const Model& a, const Numbers& b, const ExplainOptions& options = {});

// --- What is wrong with a model, or with a log of its robot.

struct DoctorOptions {      // How logs are judged.
  double cutoff = 0;        // of the zero-phase low-pass [Hz]; 0: where the accelerations of the motion end and noise begins
  double snap = kSnap;      // Angles this near to a quarter turn are exact [rad].
  std::size_t threads = 0;  // 0 for one per core
};

struct Diagnosis {  // What was found.
  explicit Diagnosis(const Model& given) : repaired(given) {}

  /// Those that explain most of the error first. Besides the kinds of an Explanation: torque-sign, torque-constant, torque-offset, gear and delay, units of
  /// single columns, and, last, what no edit explains: parameters (a fit of all of them does) or unexplained. `share`: of the squared error.
  /// `residual_after`: relative error after this edit and all before it.
  std::vector<Cause> causes;
  std::vector<bool> in_log;  // of each cause: its edit is one of the log, not of the model
  double before = 0;         // relative error of the torques, |measured - predicted| / |measured|, both through the same low-pass
  double after = 0;          // after all edits
  double fitted = 0;         // of torques that were held back, when all parameters are fitted besides
  double cutoff = 0;         // [Hz]
  std::vector<Finding> findings;
  Model repaired;                                // with all edits of the model
  bool sound() const { return causes.empty(); }  // Whether nothing is wrong.
};

/// Whether a cause is about a link (gravity: the root, whose direction is wrong); else about one or more joints.
bool is_of_link(const Cause& cause);

/// Throws std::invalid_argument for logs that do not fit the model or hold too little, and UnusableLog for channels that are dead. For trees on a fixed base.
Diagnosis doctor(const Model& model, std::span<const Log> logs, const DoctorOptions& options = {});

/// The text of a URDF file with the edits that make `from` the model `to`, and everything else as it is. Empty, with errors, where they cannot be made in the
/// text: of a xacro file, or where it lacks an element of that name.
std::optional<std::string> repaired_urdf(std::string_view urdf, const Model& from, const Model& to, Diagnostics& diagnostics, const ReadLimits& limits = {});

// --- The lines of an implementation of a formulation, compared with intermediates().

/// A quantity as another implementation has it: "omega" of link "2", or "omega2" of none.
struct GivenLine {
  std::string symbol, link;
  std::vector<double> value;  // row by row; NaN: not given
  int line = 0;               // of its file
};

/// From CSV with columns symbol, link and value, or from JSON as `ulna inverse --intermediates --json` writes it, or its list alone. A CSV cell of several
/// numbers has blanks or semicolons between them; or they stand in further cells. Other columns and keys are ignored. Problems go to `diagnostics`; empty
/// when there were errors.
std::optional<std::vector<GivenLine>> read_lines(std::string_view text, Diagnostics& diagnostics);

struct ComparedLine {  // One quantity, in both implementations.
  std::string name;    // Intermediate::name()
  Intermediate right;
  std::vector<double> given;        // empty: not given
  double difference = 0;            // largest of its entries, relative to the largest of that symbol
  bool agrees = true;               // or was not given
  std::vector<std::string> inputs;  // names of the quantities and coordinates that it is computed from; empty where that is not known
};

struct LineExplanation {                         // Where an implementation departs.
  std::vector<ComparedLine> lines;               // all, in the order of computation
  std::size_t first = kNone;                     // the first that differs
  std::vector<std::string> hints;                // what would make of the right value the given one
  bool agree() const { return first == kNone; }  // Whether no line differs.
};

/// Empty, with an error for each in `diagnostics`, where given lines are none of the formulation's or have another shape. Throws as intermediates().
std::optional<LineExplanation> explain_lines(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in,
                                             const std::vector<GivenLine>& given, Diagnostics& diagnostics, double tolerance = 1e-9);

}  // namespace ULNA_API
