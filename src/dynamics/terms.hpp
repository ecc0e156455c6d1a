// How large the terms are that torques and inertia matrices are sums of, in the frames that a formulation uses: what its rounding errors are relative to.
#pragma once

#include <cmath>
#include <vector>

#include <ulna/model/model.hpp>

#include "dynamics/acting.hpp"

namespace ulna::internal {

/// Newton's and Euler's laws with the norm of every vector in place of the vector and a plus in place of every sign: whatever a method forms on its way from
/// the frames' offsets, the rates and the links' moments is no larger, in whichever order it adds, and however much of it cancels. With u the unit
/// roundoff, a sum of products so bounded errs by at most a small multiple of n u times the bound; nothing of the kind holds for the result itself.
///
/// Frames matter: they are the points that moments are taken about. Link 1 of a planar arm with its mass on the first axis has the small inertia I in frames
/// on that axis. Standard DH frames sit at a link's far end, at the next axis, a distance a away: there I is the difference of terms m a², as the torque
/// of its weight, zero, is one of terms m g a, and rounding is relative to these.
class Terms {
 public:
  /// A link in frames that a formulation chooses: lengths and norms.
  struct Lengths {
    double before = 0, after = 0;              // offsets of the frame ahead of and behind the joint [m]
    double mass = 0, centre = 0, inertia = 0;  // distance of the mass centre from the frame, inertia about it
    double shift = 0;                          // of the frame from the model's own
  };
  /// A chain in such frames.
  struct Chain {
    std::vector<Lengths> links;  // of the moving joints, in their order
    double gravity = 0;
    double shift = 0;  // of the base frame from the root link's
  };

  /// In the model's own frames, of the tree where it has loops. A base that moves is joints, see with_base_as_joints().
  explicit Terms(const Model& model);
  Terms(const Model& model, Chain chain);

  /// Adds what acts on the robot.
  void act(const Acting& acting);

  struct Size {
    double force = 0;   // of all links, together [N]
    double moment = 0;  // about any frame's origin [N m]
  };
  /// Under what acts on the robot; see act().
  Size torque(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const;
  /// Of gravity alone.
  Size weight(const std::vector<double>& q) const;
  /// Torques and forces that accelerate the rotors, as loads on links: a torque counts as a moment, a force with its lever from the base.
  Size drives(const std::vector<double>& q, const std::vector<double>& a) const;
  /// Of the regressor: of links with a unit mass, first moment and inertia at their frame's origin, three sizes a link.
  std::vector<Size> unit_parameters(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const;
  /// Of column j of the inertia matrix; or of the inertia matrix times `a`.
  Size column(const std::vector<double>& q, std::size_t j) const;
  Size column(const std::vector<double>& q, const std::vector<double>& a) const { return recursion(q, nullptr, a, {}, false); }
  /// Of column j of the Coriolis matrix; or of that matrix times the rates `way`, which are not of a free base.
  Size coriolis_column(const std::vector<double>& q, const std::vector<double>& v, std::size_t j) const;
  Size coriolis_column(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& way) const;

  /// Moments of all links about the base, and the longest way from there to a link's frame.
  struct Extent {
    double mass = 0, first = 0, second = 0, reach = 0;  // kg, kg m, kg m², m
  };
  Extent extent(const std::vector<double>& q) const;

  /// Share of a force or moment that each coordinate transmits: its joints' multipliers.
  struct Share {
    double force = 0, moment = 0, rotor = 0, viscous = 0, coulomb = 0, quadratic = 0;
  };
  const std::vector<Share>& shares() const { return shares_; }
  /// In coordinate k of the tree, at this rate; zero unless it acts.
  double friction(std::size_t k, double rate) const {
    const Share& of = shares_[k];
    return rubs_ ? (of.viscous + of.quadratic * std::fabs(rate)) * std::fabs(rate) + of.coulomb : 0;
  }
  bool free() const { return root_ == RootJoint::free; }              // the base
  const std::vector<std::size_t>& places() const { return places_; }  // where q has each coordinate of the tree; kNone for those of a free base
  /// The largest of them, and at least 1: how fast joints move with a coordinate.
  double fastest() const;

  /// How many times larger than by 1 rounding is, because the angle of a joint that follows another is a product of rounded numbers: it errs by a rounding of
  /// itself, possibly many turns, and all that lies beyond it rotates with that. Sizes of torques and of columns have it in them.
  double blurred(const std::vector<double>& q) const;

 private:
  struct Body : Lengths {
    std::size_t parent = kNone;  // kNone is the base
    bool revolute = false, slides = false;
    std::size_t coordinate = 0;  // of v, the first
    std::size_t coordinates = 0;
    std::size_t position = 0;  // of q; kNone for a free base, which may as well stand at the origin
    double multiplier = 0, offset = 0, rotor = 0;
  };
  /// A wrench on a body, and how far from its frame's origin it acts.
  struct Load {
    std::size_t body = 0;
    double force = 0, moment = 0, lever = 0;
  };
  Terms(RootJoint root, const Model& with_base_as_joints);
  void find_places(const Model& with_base_as_joints);
  void add_joint(const Model& model, std::size_t joint, Body& body);
  /// How the base moves.
  struct Base {
    double w = 0, alpha = 0, acceleration = 0;
  };
  /// How each body moves, in lengths.
  struct Motion {
    double path = 0, w = 0, alpha = 0, acceleration = 0;
    double rate() const { return alpha + w * w; }
  };
  std::vector<Motion> motions(const std::vector<double>& q, const std::vector<double>* v, const std::vector<double>& a, const Base& moving) const;
  Size recursion(const std::vector<double>& q, const std::vector<double>* v, const std::vector<double>& a, const Base& base, bool loads) const;
  static double slide(const Body& body, const std::vector<double>& q);

  RootJoint root_ = RootJoint::fixed;
  std::vector<Body> bodies_;  // parents first
  std::vector<Share> shares_;
  std::vector<std::size_t> places_;
  double gravity_ = 0;
  double base_shift_ = 0;  // see Chain::shift
  bool rubs_ = false;
  Base base_;                // less gravity
  std::vector<Load> loads_;  // on bodies
};

/// What rounding may do to a result with n coordinates, over the size of its terms: eight roundings for each.
inline constexpr double kRoundings = 8;
double rounding_tolerance(std::size_t n);

}  // namespace ulna::internal
