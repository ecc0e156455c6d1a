// Closes the loops of a robot: four-bars, parallelograms, Deltas. Dynamics (ulna/robot/dynamics.hpp) calls it where Newton's method on its own kernel might
// leave the circuit.
//
//   const ulna::Mechanism loops = ulna::Mechanism::of(ulna::load("four-bar"));
//   std::vector<double> q = loops.reference();               // closed; q of all joints of the tree
//   q[loops.independent()[0]] = 0.8;
//   const ulna::Closure closure = loops.close(q);            // dependent positions by Newton's method, from what q holds
//
// Objects are immutable. Calls that take views check every size and throw std::invalid_argument with both numbers. They allocate.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// Why a state must not be computed, and a cure; both empty where it may. A state that is not finite has no problem: its results are NaN.
struct ClosureProblem {
  std::string what{}, cure{};
};
/// The problem of a state that was closed, if there is one.
ClosureProblem problem(const Closure& closure, const std::vector<Loop>& loops);

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
  /// A closed configuration near q = 0, away from singular ones: the initial guess of states without one.
  const std::vector<double>& reference() const;
  double singularity() const;  // there; see Closure
  /// Whether dependent positions have a closed form, found by the robot's geometry: its loops are four-bars, parallelograms and slider-cranks, one after the
  /// other. Else they come by Newton's method alone.
  bool closed_form() const;

  /// Sets the dependent positions of q, starting from their values: the nearest assembly in Newton's sense. Where that does not converge, the closed form on
  /// the branch of q is taken, or assemble(). q of an open result is the best that was found.
  Closure close(Out q) const;
  /// The same from the reference assembly, independent of the dependent positions of q. The robot is moved to the independent positions, from which whole turns
  /// are taken off, in steps so short that it cannot leave its circuit. Where no such path is found, `crossed` says so.
  Closure assemble(Out q) const;
  /// The residual of q.
  Closure residual(In q) const;

  struct Parts;                                   // private: for the library itself
  const Parts& parts() const { return *parts_; }  // For the code inside Ulna.

 private:
  explicit Mechanism(std::shared_ptr<const Parts> parts);
  std::shared_ptr<const Parts> parts_;
};

/// The robot with these loops: which speeds are independent, and a closed configuration. Throws SourceError for loops that cannot be closed, and for
/// independent coordinates that do not determine the motion or determine it twice.
Model with_loops(const Model& tree, const LoopDescription& loops);
/// The same with what is wrong in `diagnostics`; empty when there were errors.
std::optional<Model> with_loops(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics);

}  // namespace ULNA_API
