// One robot's dynamics as machine code, compiled by the constructor.
//
//   const ulna::Model model = ulna::load("panda.urdf");
//   const ulna::Dynamics dynamics(model);
//   dynamics.inverse(q, v, a, tau);              // one state
//   dynamics.inverse_batch(Q, V, A, Tau);        // one state per column, on all cores
//
// Objects are immutable and cheap to copy. Every function is const and may be called from several threads at once. Calls for one state, and batches on one
// thread, neither allocate nor lock. Overloads that take views check every size and throw std::invalid_argument with both numbers; those that take
// pointers are unchecked and noexcept, and no pointer may be null.
//
// What is not compiled (see DynamicsOptions, and instruction_set()) is computed by the templates (ulna/dynamics/on_plan.hpp): the same results up to rounding.
// Their scratch memory is on the stack up to kStackScratch bytes, enough for 60 joints. Beyond that the call allocates it; where that fails, results are NaN.
//
// q, v, a and tau of a base that moves come before those of the joints (RootJoint, ulna/model/model.hpp): a free one has 7 numbers of q, whose quaternion must
// have unit length (normalize(), ulna/model/model.hpp), and 6 of the others. The first 6 results of inverse() are its wrench. Overloads that take views refuse
// a quaternion that is off unit length by more than kUnitQuaternion; those that take pointers do not check it.
//
// q of a robot with loops is a closed configuration of all its joints (close()); v, a and tau are of the independent ones, and v_tree = G(q) v.
//
// An input that is NaN, infinite, or a joint angle beyond 2^20 quarter turns (1.6e6 rad) makes every result of its state NaN, and those of no other state.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/jit/instruction_set.hpp>
#include <ulna/model/model.hpp>
#include <ulna/scalar/scalar.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

class Analysis;

inline constexpr std::size_t kStackScratch = 192 * 1024;  // Bytes of scratch memory on the stack.

struct DynamicsOptions {
  bool rotor = true;      // gear² * rotor inertia on the diagonal of the inertia matrix
  bool friction = false;  // viscous * v + coulomb * sign(v), in inverse, bias and forward
  double snap = kSnap;    // as in PlanOptions
  /// What is compiled. The templates compute all other quantities.
  std::vector<Quantity> quantities{Quantity::inverse, Quantity::forward, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::pose, Quantity::jacobian};
  std::vector<std::string> links{};              // whose pose and Jacobian are compiled
  std::size_t threads = 0;                       // of batches; 0 for one per core
  InstructionSet most = InstructionSet::avx512;  // at most this

  friend bool operator==(const DynamicsOptions&, const DynamicsOptions&) = default;
};

/// How the inertia matrix is written: `full` and symmetric, column by column; `packed`, its lower triangle, column by column (LAPACK's 'L'); `sparse`, what of
/// the lower triangle is not zero by structure, row by row: a coordinate has an entry with those between it and the base.
enum class MassForm { full, packed, sparse };

/// What was compiled.
struct KernelReport {
  Quantity quantity{};
  std::size_t link = kNone;      // of pose and jacobian
  std::size_t lanes = 1;         // states per call
  OperationCounts counts;        // of the equations
  OperationCounts guards;        // of the guards that make every result NaN when an input is NaN or infinite; not in `counts`
  OperationCounts angle_sums;    // of sines and cosines of a joint's angle plus its frame's own angle; not in `counts`
  long fused = 0;                // multiplications that carry an addition
  std::size_t instructions = 0;  // of the processor
  std::size_t spills = 0;        // values written to the stack because registers ran out
  std::size_t bytes = 0;
  double seconds = 0;  // program to machine code
};

/// A kernel that failed the check: its results differ from those of the templates by more than rounding. The templates are used instead.
struct RefusedKernel {
  Quantity quantity{};
  std::size_t link = kNone;  // of pose and jacobian
  std::size_t lanes = 1;     // states per call
  double difference = 0;     // the largest of a result, over what rounding explains
};

std::string to_string(const RefusedKernel& refused);  // As a sentence.

/// A wrench on a link in the states of a batch. A batch computes with the Jacobian of the link, by machine code where that exists: compiled by the constructor
/// for DynamicsOptions::links, else by the first batch with a wrench on the link.
template <class T>
struct WrenchStatesOf {
  std::size_t link = 0;  // index into Model::links()
  Axes axes = Axes::link;
  MatrixView<const T> numbers;  // force [N], then moment about the link's origin [N m]: 6 x 1 for the same in all states, else one state per column
};

/// T is double or float; see the aliases below.
template <class T>
class DynamicsOf {
 public:
  using In = VectorView<const T>;      // Numbers that are read.
  using Out = VectorView<T>;           // Numbers that are written.
  using States = MatrixView<const T>;  // one state per column: the memory layout of a row-major array with one state per row
  using Results = MatrixView<T>;       // the same; matrices flattened

  explicit DynamicsOf(const Model& model, const DynamicsOptions& options = {});
  /// Uses the results of the analysis, and adds to them what is computed here.
  explicit DynamicsOf(const Analysis& robot, const DynamicsOptions& options = {});
  DynamicsOf(const DynamicsOf&);
  DynamicsOf(DynamicsOf&&) noexcept;
  DynamicsOf& operator=(const DynamicsOf&);
  DynamicsOf& operator=(DynamicsOf&&) noexcept;
  ~DynamicsOf();

  const Model& model() const;  // The robot.
  std::size_t nq() const;      // Length of q.
  std::size_t nv() const;      // Length of v, a and tau.

  /// Robots with loops: sets the dependent positions of q, starting from their values; returns the residual and the distance to singular assemblies. Where
  /// Newton's method fails, the closed form on the branch of q is taken, or a path from the reference assembly. q of an open result is the best that was
  /// found. Without loops q is closed.
  Closure close(Out q) const;
  /// `steps` of Newton's method, and nothing else: for control loops, where q was closed a cycle before. Returns the largest condition that q did not meet
  /// before the last step, which squares it: 1e-6 means 1e-12 afterwards [m, or rad]. Infinite where the steps led across a singular assembly, NaN where q is
  /// not finite. Without steps q stays, and the result is its residual.
  T close(T* q, int steps = 2) const noexcept;
  /// Closes every column of `given` into the same column of `q`: nq rows are closed from where they are; fewer are the independent positions alone (those of a
  /// free base first, then one of each joint that v lists), and are closed from the reference assembly, on its circuit. The first state that has a problem()
  /// is returned, or the number of states; `worst`, if not null, is its closure.
  std::size_t close_batch(States given, Results q, Closure* worst = nullptr) const;

  // --- One state. A quantity is a row of a table (ulna/dynamics/quantity.hpp), and a call by its name is short for its row.

  /// Any quantity: `inputs` in the order of its row, a matrix column by column. Sizes are checked.
  void compute(Quantity quantity, std::initializer_list<In> inputs, Out out, std::size_t link = kNone) const;
  void compute(Quantity quantity, std::initializer_list<In> inputs, Results out, std::size_t link = kNone) const;
  /// The same, unchecked: `last` is a of inverse dynamics and the regressor, tau of forward dynamics.
  void compute(Quantity quantity, const T* q, const T* v, const T* last, T* out, std::size_t link = kNone) const noexcept;
  void compute(Quantity quantity, const InputsOf<T>& in, T* out) const noexcept;

  /// tau = M(q) a + bias(q, v).
  void inverse(In q, In v, In a, Out tau) const { compute(Quantity::inverse, {q, v, a}, tau); }
  void inverse(const T* q, const T* v, const T* a, T* tau) const noexcept { compute(Quantity::inverse, q, v, a, tau); }
  /// a = M(q)⁻¹ (tau - bias(q, v)).
  void forward(In q, In v, In tau, Out a) const { compute(Quantity::forward, {q, v, tau}, a); }
  void forward(const T* q, const T* v, const T* tau, T* a) const noexcept { compute(Quantity::forward, q, v, tau, a); }
  /// The inertia matrix, full and symmetric.
  void mass(In q, Results M) const { compute(Quantity::mass, {q}, M); }
  void mass(const T* q, T* M) const noexcept { compute(Quantity::mass, q, nullptr, nullptr, M); }
  /// In another form: as many numbers as mass_entries() has.
  void mass(In q, MassForm form, Out M) const;
  /// Row and column of each number of a form.
  std::vector<std::pair<std::size_t, std::size_t>> mass_entries(MassForm form) const;
  /// Coriolis, centrifugal and gravity terms: inverse at a = 0.
  void bias(In q, In v, Out bias) const { compute(Quantity::bias, {q, v}, bias); }
  void bias(const T* q, const T* v, T* bias) const noexcept { compute(Quantity::bias, q, v, nullptr, bias); }
  /// The torques that hold the robot still against gravity.
  void gravity(In q, Out gravity) const { compute(Quantity::gravity, {q}, gravity); }
  void gravity(const T* q, T* gravity) const noexcept { compute(Quantity::gravity, q, nullptr, nullptr, gravity); }
  /// The Coriolis matrix of Christoffel symbols: C v = bias - gravity, and Ṁ - 2 C is skew-symmetric. Of a free base see docs/free-base.md.
  void coriolis(In q, In v, Results C) const { compute(Quantity::coriolis, {q, v}, C); }
  /// Derivatives of the torques by q, v and a, side by side: nv x 3 nv. The last is the inertia matrix. Coulomb friction has none.
  void inverse_derivatives(In q, In v, In a, Results d) const { compute(Quantity::inverse_derivatives, {q, v, a}, d); }
  void inverse_derivatives(const T* q, const T* v, const T* a, T* d) const noexcept { compute(Quantity::inverse_derivatives, q, v, a, d); }
  /// Derivatives of the accelerations by q, v and tau, side by side: nv x 3 nv. The last is M⁻¹.
  void forward_derivatives(In q, In v, In tau, Results d) const { compute(Quantity::forward_derivatives, {q, v, tau}, d); }
  void forward_derivatives(const T* q, const T* v, const T* tau, T* d) const noexcept { compute(Quantity::forward_derivatives, q, v, tau, d); }
  /// M(q)⁻¹, full and symmetric.
  void mass_inverse(In q, Results M_inverse) const { compute(Quantity::mass_inverse, {q}, M_inverse); }
  /// nv x 10 bodies: tau = Y pi + rotors, pi being m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each moving body, about the origin and in the axes
  /// of the link behind its joint; names and values of pi: body_parameters() (ulna/identify/identify.hpp).
  void regressor(In q, In v, In a, Results Y) const { compute(Quantity::regressor, {q, v, a}, Y); }
  /// X_WL of a link (an index into Model::links()), W being the world: the root link where that is fixed.
  Pose<T> pose(In q, std::size_t link) const;
  Pose<T> pose(const T* q, std::size_t link) const noexcept;
  /// 6 x nv: rows angular, then linear velocity of the link's origin, in the world's axes.
  void jacobian(In q, std::size_t link, Results J) const { compute(Quantity::jacobian, {q}, J, link); }

  // With what acts on the robot besides its drives: wrenches, a base that moves; and with friction and rotors as `effects` state, not as the options do. By
  // machine code where it supports the effects, else by the templates.
  void compute(Quantity quantity, std::initializer_list<In> inputs, Out out, const EffectsOf<T>& effects) const;
  void compute(Quantity quantity, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects) const noexcept;
  void inverse(In q, In v, In a, Out tau, const EffectsOf<T>& effects) const { compute(Quantity::inverse, {q, v, a}, tau, effects); }
  void forward(In q, In v, In tau, Out a, const EffectsOf<T>& effects) const { compute(Quantity::forward, {q, v, tau}, a, effects); }
  void bias(In q, In v, Out bias, const EffectsOf<T>& effects) const { compute(Quantity::bias, {q, v}, bias, effects); }
  /// Kinetic and potential energy of all links, and their momentum about the world's origin; about that of a base whose motion is prescribed.
  EnergyOf<T> energy(In q, In v, const EffectsOf<T>& effects = {}) const;
  MomentumOf<T> momentum(In q, In v, const EffectsOf<T>& effects = {}) const;
  /// Mass centre, and momentum about it.
  CentroidalOf<T> centroidal(In q, In v) const;
  /// A, 6 x nv: angular, then linear momentum about the mass centre by velocities, in the world's axes. Its last three rows over the mass are the Jacobian of
  /// the mass centre.
  void centroidal_matrix(In q, Results A) const { compute(Quantity::centroidal_matrix, {q}, A); }
  /// X_WL of all links, in the order of Model::links().
  void poses(In q, VectorView<Pose<T>> poses) const;

  // --- Batches: `inputs` in the order of the quantity's row; column k of the results, a matrix column by column, belongs to column k of the states. Results
  // are the same, bit for bit, for any number of threads.
  void compute_batch(Quantity quantity, std::span<const States> inputs, Results out, std::size_t link = kNone) const;
  void compute_batch(Quantity quantity, std::initializer_list<States> inputs, Results out, std::size_t link = kNone) const {
    compute_batch(quantity, std::span(inputs.begin(), inputs.size()), out, link);
  }
  void inverse_batch(States q, States v, States a, Results tau) const { compute_batch(Quantity::inverse, {q, v, a}, tau); }
  void forward_batch(States q, States v, States tau, Results a) const { compute_batch(Quantity::forward, {q, v, tau}, a); }
  void mass_batch(States q, Results M) const { compute_batch(Quantity::mass, {q}, M); }  // nv² numbers per state
  void mass_batch(States q, MassForm form, Results M) const;                             // mass_entries() numbers per state
  /// With wrenches, other ones in every state.
  void compute_batch(Quantity quantity, std::span<const States> inputs, Results out, std::span<const WrenchStatesOf<T>> wrenches) const;

  // --- Lanes: blocks of lanes() states side by side: number i of lane l of block b stands at [(b * size + i) * lanes() + l]. On the calling thread. The
  // fastest form, for data that is kept so.
  std::size_t lanes() const;
  void compute_lanes(Quantity quantity, const InputsOf<T>& in, T* out, std::size_t blocks) const noexcept;

  /// The same robot holding a load. Shares the machine code and takes microseconds while the load changes numbers only; where terms appear that
  /// were zero before, the robot is compiled again. Throws std::invalid_argument for an unknown link or a load that no body can have.
  DynamicsOf with_payload(std::string_view link, const Payload& payload) const;
  /// The same robot with other numbers: `changed` has the same joints, in the same order. The same holds.
  DynamicsOf with_parameters(const Model& changed) const;
  /// The same with another number of threads for batches; 0 for one per core.
  DynamicsOf with_threads(std::size_t threads) const;

  InstructionSet instruction_set() const;                            // of the kernels; none when the templates serve all
  bool compiled(Quantity quantity, std::size_t link = kNone) const;  // Whether machine code computes it.
  /// Empty when machine code computes it; else the reason why the templates do.
  std::string why_not_compiled(Quantity quantity, std::size_t link = kNone) const;
  const std::vector<KernelReport>& kernels() const;
  /// Every kernel is compared with the templates on a few fixed states when the object is made, and again when its numbers change. Empty when all are right.
  const std::vector<RefusedKernel>& refused() const;
  std::size_t memory() const;  // bytes of code and constants
  bool shares_code(const DynamicsOf& other) const;
  std::size_t threads() const;

 private:
  struct State;
  explicit DynamicsOf(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

using Dynamics = DynamicsOf<double>;  // In doubles.
using DynamicsF = DynamicsOf<float>;  // In floats.

}  // namespace ULNA_API
