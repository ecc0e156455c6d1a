// A robot whose links form loops: four-bars, parallelograms, Deltas.
//
//   const ulna::Mechanism robot = ulna::load_mechanism("four-bar");   // ulna/source/load_mechanism.hpp
//   std::vector<double> q = robot.reference();               // closed; q of all joints of the tree
//   q[robot.independent()[0]] = 0.8;
//   const ulna::Closure closure = robot.close(q);            // dependent positions by Newton's method, from what q holds
//   robot.inverse(q, u, u_dot, tau);                         // torques of the independent joints; the others need none
//
// Kane's method: speeds of some joints, u, are independent, the others follow, v = G(q) u and v̇ = G u̇ + γ, and what the tree's joints would need is
// gathered at the independent ones, tau = Gᵀ tau_tree. Nothing is iterated but the closure of positions. Dependent speeds come by elimination with a choice
// of pivots in every call.
//
// Objects are immutable. Calls that take views check every size and throw std::invalid_argument with both numbers. They allocate; ClosedDynamics
// (ulna/robot/closed_dynamics.hpp) is for control loops.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/dynamics/effects.hpp>
#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/model/loop.hpp>
#include <ulna/model/model.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// Why a state must not be computed, and a cure; both empty where it may. A state that is not finite has no problem: its results are NaN.
struct ClosureProblem {
  std::string what{}, cure{};
};
ClosureProblem problem(const Closure& closure, const std::vector<Loop>& loops);

/// The reaction of the joint that closes a loop: what the predecessor exerts on the successor at Bo, in the axes of frame A. Directions in which the robot is
/// over-constrained have none: the laws of rigid bodies do not determine it.
struct LoopReaction {
  Vec3<double> force{};   // [N]
  Vec3<double> moment{};  // about Bo [N m]
};

class Mechanism {  // A robot with loops.
 public:
  using In = VectorView<const double>;  // Numbers that are read.
  using Out = VectorView<double>;       // Numbers that are written.

  /// Throws SourceError for loops that cannot be closed, and for independent coordinates that do not determine the motion or determine it twice. Without
  /// loops it is a tree, all of whose coordinates are independent.
  explicit Mechanism(const Model& tree, const LoopDescription& loops = {});
  /// Of a robot whose loops are known: what closes them.
  static Mechanism of(const Model& robot);
  /// The same with what is wrong in `diagnostics`; empty when there were errors.
  static std::optional<Mechanism> make(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics);

  /// The same loops on a tree that differs in masses, inertias, friction or gravity alone: with a payload, say. Throws std::invalid_argument for another one.
  Mechanism with_tree(const Model& tree) const;

  const Model& tree() const;               // The robot with its loops open.
  const std::vector<Loop>& loops() const;  // Its loops.
  std::size_t nv() const;                  // of the tree

  /// Degrees of freedom.
  std::size_t mobility() const { return independent().size(); }
  /// Coordinates of the tree whose speeds are u, in that order; and those that follow, in the tree's order.
  const std::vector<std::size_t>& independent() const;
  const std::vector<std::size_t>& dependent() const;
  std::vector<std::string> independent_names() const;
  std::vector<std::string> dependent_names() const;
  std::size_t equations() const;  // conditions of all loops, on speeds
  std::size_t redundant() const;  // of them, those that follow from the others
  /// A closed configuration near q = 0, away from singular ones. States without a guess are closed from it.
  const std::vector<double>& reference() const;
  double singularity() const;  // there; see Closure
  /// Whether dependent positions have a closed form, found by the robot's geometry: its loops are four-bars, parallelograms and slider-cranks, one after the
  /// other. Else they come by Newton's method alone.
  bool closed_form() const;

  /// Sets the dependent positions of q, from what they are: the nearest assembly in Newton's sense. Where that does not converge, the closed form on the branch
  /// of q is taken, or assemble(). q of an open result is the best that was found.
  Closure close(Out q) const;
  /// The same from the reference assembly, whatever the dependent positions of q are. The robot is moved to the independent positions, from which whole turns
  /// are taken off, in steps so short that it cannot leave its circuit. Where no such path is found, `crossed` says so.
  Closure assemble(Out q) const;
  /// How far q is from being closed.
  Closure residual(In q) const;

  // q is closed. v and a are of the tree's joints, u and u_dot of the independent ones. An input that is not finite makes every result NaN.
  void velocities(In q, In u, Out v) const;
  void accelerations(In q, In u, In u_dot, Out a) const;
  /// nv x mobility: v = G u.
  void dependence(In q, MatrixView<double> G) const;

  /// Torques of all joints of the tree as what they are at the independent ones: Gᵀ tau.
  void gather(In q, In tau, Out at_independent) const;

  void inverse(In q, In u, In u_dot, Out tau, const Effects& effects = {}) const;  // Torques of the drives.
  void bias(In q, In u, Out bias, const Effects& effects = {}) const;              // Torques at zero acceleration.
  void gravity(In q, Out gravity) const;                                           // Torques of gravity.
  void mass(In q, MatrixView<double> M, bool rotor = true) const;                  // Inertia matrix of the independent coordinates.
  /// tau has mobility() numbers, of the independent joints; or nv(), of all.
  void forward(In q, In u, In tau, Out u_dot, const Effects& effects = {}) const;
  Energy energy(In q, In u, const Effects& effects = {}) const;
  /// Of every loop, in the motion that u and u_dot are.
  std::vector<LoopReaction> reactions(In q, In u, In u_dot, const Effects& effects = {}) const;

  struct Parts;                                   // private: for the library itself
  const Parts& parts() const { return *parts_; }  // For the code inside Ulna.

 private:
  explicit Mechanism(std::shared_ptr<const Parts> parts);
  std::shared_ptr<const Parts> parts_;
};

/// The robot with these loops: which speeds are independent, and a closed configuration. Throws SourceError for loops that cannot be closed, and for independent
/// coordinates that do not determine the motion or determine it twice.
Model with_loops(const Model& tree, const LoopDescription& loops);
/// The same with what is wrong in `diagnostics`; empty when there were errors.
std::optional<Model> with_loops(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics);

}  // namespace ULNA_API
