// The registry: every formulation is a file and a row. Command line, tests, counts and benches loop over the rows. What a row says is read here; what
// makes it run is declared in src/formulation/evaluator.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/scalar/scalar.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {
class Counted;
class Exact;
struct ExactForm;
struct Forms;
struct SymbolicForm;
class OwnSpeeds;
template <class T>
class Evaluator;
template <class T>
struct LinkLoad;
}  // namespace ulna::internal

namespace ulna ULNA_API {

class Expr;
class Speeds;
struct AsWritten;

/// A robot in every form that a formulation may need, computed once. Copies share the forms.
struct Prepared {
  explicit Prepared(const Model& model, double snap = kSnap);
  Prepared(const Model& model, double snap, internal::Forms forms);
  Model given;
  Model model;  // the same; a base that moves becomes joints before all others, see with_base_as_joints(): the papers have no other one
  double snap;
  bool accept_interpolation = false;  // of a table-based formulation: interpolate between the nodes of its table
  /// Of a formulation that takes generalized speeds: those that it computes in (ulna/formulation/speeds.hpp). Inputs and results on numbers stay those of the
  /// joints. Counts, programs and equations are in the speeds: their v and a are u and u̇, M and bias those of M u̇ + bias = Q.
  std::shared_ptr<const Speeds> speeds{};

  std::size_t size() const;                                 // moving joints, mimic joints among them
  const internal::Forms& forms() const { return *forms_; }  // The robot in each form that formulations take.

 private:
  std::shared_ptr<const internal::Forms> forms_;
};

/// Which form of a robot a formulation computes in: its frames are where it takes moments, and what rounding is relative to.
enum class Frames {
  tree,     // any tree, axes at the joints
  dh,       // a chain in standard Denavit-Hartenberg frames
  mdh,      // in modified ones
  stanford  // the lengths, masses and moments of inertia of the Stanford arm
};

/// The states in which a formulation is right.
enum class ValidAt {
  every_state,
  regular_states,  // all but those in which its own variables are singular
  table_nodes      // table-based, exact at grid nodes: see Prepared::accept_interpolation
};

/// How a number of operations grows: with the number n of joints and the depth d of the tree, as n^joints d^depth.
struct GrowthOrder {
  int joints = 1;
  int depth = 0;
};
std::string to_string(const GrowthOrder& growth);  // "O(n d)"

/// A quantity of a paper's own that nothing but the drive of one joint changes.
struct ConstantOfMotion {
  std::string_view symbol;  // in the paper; empty for none
  std::size_t joint = 0;    // moving joint
};

struct Formulation {  // A row of the registry.
  std::string_view id;
  std::string_view title;
  std::string_view citation;
  std::vector<Quantity> quantities;
  std::string_view joints;                    // which joints it takes, in words
  std::string_view topologies;                // which trees it takes, in words
  GrowthOrder growth;                         // of its operations
  std::optional<GrowthOrder> growth_of_mass;  // where the inertia matrix takes more than the rest
  std::string_view memory{};                  // size of its tables with k nodes on each axis; empty: it has none
  std::optional<OperationCounts> counts;      // of a formulation for one kind of robot, which does not grow
  Frames frames = Frames::tree;
  ValidAt valid_at = ValidAt::every_state;
  bool takes_wrenches = false;         // forces and moments on any link
  bool takes_base = false;             // a prescribed motion of the root link
  bool takes_loops = false;            // closed chains, by dependent speeds (docs/loops.md)
  bool takes_speeds = false;           // generalized speeds of a user's choice: Prepared::speeds
  bool transmits = false;              // the wrench that each joint transmits: see ulna/formulation/reactions.hpp
  std::string_view why_no_loads{};     // the reason, where it does not take both although its results depend on them
  bool production = false;             // not a paper's: the path that Ulna computes by
  bool written_out = false;            // its paper prints the equations of one robot line by line, and each line has its name there
  bool from_base = false;              // measures all points from the base, so that rounding is relative to moments about it
  bool superposes_runs = false;        // its Coriolis terms are differences of runs with unit speeds, and round as those do
  bool carries_drives = false;         // passes a drive's force and its rotor's reaction through the links, where they cancel but for rounding
  std::vector<std::size_t> numbering;  // what its paper numbers the coordinates with; empty: 1, 2, …
  ConstantOfMotion constant{};         // a function of q and its generalized speeds

  /// How much the formulation's own variables amplify rounding in the configuration q (moving joints); null for not at all.
  double (*amplification)(const double* q) = nullptr;
  /// Empty when it takes the robot; else the property that the robot lacks.
  std::string (*why_not)(const Prepared&) = nullptr;
  /// A note of `verify` besides the comparison; null for none. `seed` is that of its states.
  std::string (*note)(const Prepared&, std::uint64_t seed) = nullptr;
  /// The counts of its paper, where they are not those of its evaluator on numbers that count; null for those.
  AsWritten (*count)(Quantity, const Prepared&) = nullptr;
  /// Generalized speeds of its own, in which a simulation integrates its accelerations; null: it has none, and the rates of the coordinates are integrated.
  std::unique_ptr<internal::OwnSpeeds> (*make_speeds)(const Prepared&) = nullptr;
  // One maker per pair of scalars (P, T); null where the formulation does not run on it.
  std::unique_ptr<internal::Evaluator<double>> (*make_double)(const Prepared&) = nullptr;
  std::unique_ptr<internal::Evaluator<float>> (*make_float)(const Prepared&) = nullptr;
  std::unique_ptr<internal::Evaluator<internal::Counted>> (*make_counted)(const Prepared&) = nullptr;
  std::unique_ptr<internal::Evaluator<Expr>> (*make_expr)(const Prepared&) = nullptr;                         // the robot's numbers are constants
  std::unique_ptr<internal::Evaluator<Expr>> (*make_symbolic)(const internal::SymbolicForm&) = nullptr;       // they are symbols
  std::unique_ptr<internal::Evaluator<internal::Exact>> (*make_exact)(const internal::ExactForm&) = nullptr;  // numbers modulo a prime (docs/exact.md)

  bool gives(Quantity quantity) const;  // Whether it computes the quantity.
  /// Whether any of its results depends on loads: an inertia matrix does not.
  bool has_loads() const;
  /// What it takes besides the drives' torques, for people: "wrenches, base motion", "wrenches", "none"; empty where they do not enter.
  std::string loads() const;
  /// How its cost grows, for people: "O(n^2), mass O(n^3)".
  std::string cost() const;
};

/// All rows, in the order of the papers; the production path last.
const std::vector<Formulation>& formulations();
/// Null when there is none.
const Formulation* find_formulation(std::string_view id);
/// The same, but throws std::invalid_argument, with the nearest id, when there is none.
const Formulation& formulation_named(std::string_view id);
/// The row of the production path, which is the default.
const Formulation& production_path();
/// The row that takes closed loops.
const Formulation& formulation_of_loops();
/// What any of them gives.
const std::vector<Quantity>& formulated_quantities();

/// Why a formulation does not give a quantity of a robot; empty when it does.
std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared);
/// The same under what acts besides the drives; says which formulations take it.
std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const Effects& effects);

/// Whether any joint has a rotor whose inertia may be left out.
bool has_rotors(const Model& model);

/// Which effects (other than rotors and friction) a quantity depends on. A uniformly moving base changes no torque.
struct ActingLoads {
  bool wrenches = false, base = false;
  bool any() const { return wrenches || base; }  // Whether any acts.
};
ActingLoads acting_loads(Quantity quantity, const Effects& effects);  // Loads that act on the quantity.

/// A quantity that a formulation's paper has a letter for, at a state: what an implementation of one's own is compared with, line by line.
struct Intermediate {
  std::string symbol;    // as `ulna equations` has it: "omega", "A*", "W''"; with its number where the paper writes one robot out: "Z12"
  std::string equation;  // number in the paper: "3.15"; empty: a result
  std::string link;      // indices in the paper, from 1: "2", "1,3" of a pair, "1(3)" in frame 3; empty: of the whole robot
  std::string meaning;   // of the letter
  std::size_t rows = 1, columns = 1;
  std::vector<double> value;  // row by row; NaN: an entry that the formulation does not form
  std::string name() const;   // "omega2", "A*2", "Z12", "u1(3)"
};

/// Every quantity of a formulation with a letter in its paper, in the order of computation, results last. None where the state makes every result NaN.
/// Throws std::invalid_argument with why_not(), and std::domain_error with why_not_here().
std::vector<Intermediate> intermediates(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in,
                                        const Effects& effects = {});

/// One formulation on one model, in the model's independent coordinates: q = G r + q0, tau = Gᵀ tau, M = Gᵀ M G. Rotor inertia and friction are added as in the
/// production path, wrenches and base motion are transformed to the formulation's frames, and bad inputs make every result NaN as there. Not
/// thread-safe.
class FormulationOnModel {
 public:
  /// Throws std::invalid_argument with why_not().
  FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared);
  FormulationOnModel(FormulationOnModel&&) noexcept;
  FormulationOnModel& operator=(FormulationOnModel&&) noexcept;
  ~FormulationOnModel();

  /// A quantity that the formulation gives; null inputs are zeros. Accelerations always have the robot's rotors. Throws std::invalid_argument for wrenches or a
  /// motion of the base that the formulation does not take, or a wrench on a link that is not there.
  void compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects = {});

  /// Why it has no answer in this state; empty where it has one, and where a bad input makes every result NaN. Null: zeros.
  std::string why_not_here(const double* q, const double* v = nullptr, const double* a = nullptr);
  /// For table-based formulations, moves the state to the nearest grid node; leaves it for others. Not for models
  /// with mimic joints.
  void to_node(double* q, double* v, double* a);
  /// A bound of each torque's interpolation error in this state; zeros for formulations that do not interpolate.
  void error_bound(const double* q, const double* v, const double* a, double* bound);

  /// Of the last call: see Formulation::amplification.
  double amplification() const;

 private:
  friend std::vector<Intermediate> intermediates(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const InputsOf<double>& in,
                                                 const Effects& effects);
  friend class JointReactions;
  void set_control(std::span<const internal::LinkLoad<double>> control);  // of calls from now on: Loads::control, for each body
  /// Of the last call, what the joint of a body exerts on it, and the frame in the plan's body where and in whose axes.
  std::pair<internal::LinkLoad<double>, Pose<double>> transmitted(std::size_t body) const;
  struct State;
  /// For a fixed base, or one that consists of joints.
  void compute_joints(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects);
  std::unique_ptr<State> state_;
};

// --- A serial arm as a DH table in YAML.

enum class DhConvention { standard, modified };

/// Loads again to an arm of the same motion, in frames by common normals; own frames of that convention are kept (see frames.hpp). Fixed joints are
/// merged: a row holds everything that moves as one, under the name of the link that its joint holds. What a table cannot hold is a
/// warning in `diagnostics`: the root link's mass and name, the names of merged links. Empty when the model is no chain, has mimic joints, or
/// would lose more than 1e-12 of its torques in such a table, because nearly parallel axes put frames far away (an error that says what to do).
std::optional<std::string> write_dh(const Model& model, DhConvention convention, Diagnostics& diagnostics, double snap = kSnap);

// What one formulation costs on one robot when it is carried out as its paper writes it, nothing shared or left out that the paper does not.
//
// The rules are the papers': a paper's initialisation costs nothing (those numbers have the parameter type), everything assigned after it counts, even
// where it is constant, and only literal 0 and ±1 of the structure are skipped. In the 4x4 forms of Hollerbach's paper not even those are. Each
// formulation's header says what it takes as given. Sines and cosines are counted separately.

/// A named part of the operations: either inside the total, or something that the paper leaves out or counts another way.
struct CountedPart {
  std::string_view label;
  OperationCounts counts;
  bool in_total = false;
};

struct AsWritten {        // Operations of one run, as the paper writes it.
  OperationCounts total;  // `sincos` has all sines of the run, also where the entries made of them are outside the total
  std::vector<CountedPart> parts;

  /// Null when there is no part of that name.
  const CountedPart* find(std::string_view label) const;
};

// Labels of parts.
inline constexpr std::string_view kRotationEntries = "entries of the rotations";                   // outside for an inertia matrix alone, inside for Lin's bias
inline constexpr std::string_view kJointOffsets = "theta + q and d + q";                           // outside: the papers' theta and d are the joint variables
inline constexpr std::string_view kBeyondMass = "bias beyond the inertia matrix";                  // Lin, Table II: what b costs more when H is formed anyway
inline constexpr std::string_view kMassAndBias = "inertia matrix and bias together";               // Lin
inline constexpr std::string_view kZetaTermByTerm = "inertia matrix and bias, zeta term by term";  // Lin, outside
inline constexpr std::string_view kLinkByLink = "link by link, by partial velocities";             // Lin, outside: the method of 1988
inline constexpr std::string_view kInEndEffector = "all forces in the end-effector's frame";       // fijany-bejczy, outside
inline constexpr std::string_view kFromLastFrame = "seen from the origin of the last frame";       // Lin, outside: other reference points
inline constexpr std::string_view kFromLastCentre = "seen from the last mass centre";              // Lin, outside
inline constexpr std::string_view kSavedByFrames = "saved by driving-axis frames";                 // walker-orin, outside
inline constexpr std::string_view kAsPrinted = "equations as printed, uncorrected";                // hollerbach-3x3
inline constexpr std::string_view kStanfordZ = "C, Z";                                             // kane-stanford
inline constexpr std::string_view kStanfordX = "X";
inline constexpr std::string_view kStanfordForces = "X du/dt, tau";
inline constexpr std::string_view kStanfordUnfolded = "torque, constants not folded";  // outside
inline constexpr std::string_view kStanfordSolution = "du/dt by elimination";
inline constexpr std::string_view kStanfordSpeeds = "u from q, v";             // outside
inline constexpr std::string_view kStanfordSpeedRates = "du/dt from q, v, a";  // outside
inline constexpr std::string_view kStanfordJointRates = "a from du/dt";        // outside

/// Runs the formulation once on numbers that count. The numbers themselves do not matter: no formulation branches on them. O(the formulation).
/// Throws std::invalid_argument with the reason when the formulation does not give the quantity or does not take the robot.
AsWritten count_as_written(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

}  // namespace ULNA_API
