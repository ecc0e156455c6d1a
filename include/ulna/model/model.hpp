// A robot as its file describes it: a tree of links and joints, and the joints that close loops, with nothing merged, renamed or re-framed.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/views.hpp>

// Joints that close loops: where the tree of links and joints (Model) was cut.

namespace ulna ULNA_API {

/// Relative motion that the joint that closes a loop allows. A and B are its frames on them, `axis` its axis, in both.
///   fixed        nothing: A and B are one frame
///   revolute     rotation about the axis
///   prismatic    translation along it
///   cylindrical  both
///   spherical    any rotation: A and B share their origin
///   planar       translation across the axis and rotation about it
enum class LoopType { fixed, revolute, prismatic, cylindrical, spherical, planar };

std::string_view to_string(LoopType type);                       // Its name in files.
std::optional<LoopType> loop_type_named(std::string_view name);  // The type of this name.

/// Conditions of a loop: coincident frames, axes at right angles, origins in a plane.
constexpr std::size_t meeting_rows(LoopType type) { return type == LoopType::fixed || type == LoopType::revolute || type == LoopType::spherical ? 3 : 0; }
constexpr std::size_t turning_rows(LoopType type) { return type == LoopType::spherical ? 0 : type == LoopType::fixed || type == LoopType::prismatic ? 3 : 2; }
constexpr std::size_t sliding_rows(LoopType type) {
  return type == LoopType::prismatic || type == LoopType::cylindrical ? 2 : type == LoopType::planar ? 1 : 0;
}
constexpr std::size_t loop_rows(LoopType type) { return meeting_rows(type) + turning_rows(type) + sliding_rows(type); }
/// Axes that a loop holds parallel: right angles alone do not show which way they point.
constexpr std::size_t opposed_rows(LoopType type) { return turning_rows(type) == 0 ? 0 : turning_rows(type) - 1; }
/// Up to this many rows are eliminated by determinants, which vanish in singular assemblies alone; more by L U, whose pivots may vanish elsewhere, too.
inline constexpr std::size_t kMostByDeterminants = 3;

struct Loop {
  std::string name;
  LoopType type = LoopType::spherical;
  std::size_t predecessor = kNone;  // index of the link that has frame A
  std::size_t successor = kNone;    // index of the link that has frame B
  Pose<double> X_PA{};
  Pose<double> X_SB{};
  Vec3<double> axis{0, 0, 1};  // unit vector, in A and in B
  std::string file{};          // that it was read from
  int line = 0;
};

/// Loops and independent coordinates by name; with_loops() resolves the names.
struct LoopDescription {
  struct Entry {  // A loop, with its links by name.
    Loop loop;    // its links are found by these names: of a link, or of a joint, whose frame is meant then
    std::string predecessor;
    std::string successor;
  };
  std::vector<Entry> loops;
  std::vector<std::string> motors{};                  // joints whose coordinates are the independent ones, all of them; empty where none are named
  std::vector<std::pair<std::string, bool>> marks{};  // without motors: joints that must be independent, or must not; the choice of others is free
};

/// How dependent speeds follow from independent ones. Speeds v_tree of all joints meet J v_tree = 0, one row a condition. Row `rows[k]` is eliminated with
/// column `columns[k]`, in this order, so that v_tree = G(q) v.
struct EliminationOrder {
  std::vector<std::size_t> rows, columns;  // conditions of all loops, one loop after the other; coordinates of v_tree
  std::vector<std::size_t> independent;    // the other coordinates of v_tree, in the order of v

  friend bool operator==(const EliminationOrder&, const EliminationOrder&) = default;
};

/// Pivots of an elimination that its results name: one determinant, or one for each row.
constexpr std::size_t pivot_count(std::size_t rows) { return rows > 0 && rows <= kMostByDeterminants ? 1 : rows; }

/// Numbers of Quantity::loop_motion.
constexpr std::size_t motion_size(std::size_t nv_tree, std::size_t loops) { return loops == 0 ? 0 : 2 * nv_tree + 6 * loops; }

/// The loops of a robot, and what is known of its closed configurations.
struct ClosedLoops {
  std::vector<Loop> loops;
  EliminationOrder order;
  std::vector<double> reference;  // a closed configuration near the robot's zero, away from singular ones
  double singularity = 1;         // there: 1 far from singular assemblies, 0 in one
};

/// How the dependent positions were closed.
struct Closure {
  bool closed = false;
  double residual = 0;       // largest condition that is not met, redundant ones included [m, or rad]; NaN where the state is not finite
  std::size_t loop = kNone;  // that it belongs to: an index into Model::loops()
  int steps = 0;             // of Newton's method
  double singularity = 0;    // distance to an assembly in which the independent coordinates do not determine the others: 1 far, 0 there
  bool singular = false;     // so near to one that fewer than half of the digits are left: results there are not to be used
  bool crossed = false;      // the closed positions lie beyond such an assembly, seen from the guess, or from the reference: perhaps on another circuit
};

/// How a joint moves. In a ball joint, q has the unit quaternion x, y, z, w that rotates vectors from M to F; v, a and tau have the angular
/// velocity of M against F, its rate and the moment, in the axes of M.
enum class JointType { fixed, revolute, continuous, prismatic, ball };

std::string_view to_string(JointType type);  // Its name in URDF.

/// Numbers of a joint in q and in v.
constexpr std::size_t joint_nq(JointType type) { return type == JointType::ball ? 4 : type == JointType::fixed ? 0 : 1; }
constexpr std::size_t joint_nv(JointType type) { return type == JointType::ball ? 3 : type == JointType::fixed ? 0 : 1; }

/// How the root link is attached to the world. Coordinates of the base come before those of the joints.
///   fixed   rigidly; no coordinates
///   planar  q, v: x, y [m] along the world's axes and yaw [rad] about the root link's origin; forces along and about the same
///   free    q: position of the root link's origin in the world [m], then the unit quaternion x, y, z, w that rotates vectors from the root link to the world;
///           v: angular, then linear velocity of the root link's origin against the world, in the root link's own axes; accelerations likewise, the linear one
///           that of the origin (the classical one: what an accelerometer there reads, less gravity); forces: moment about the origin, then force
enum class RootJoint { fixed, planar, free };

std::string_view to_string(RootJoint base);                        // Its name on the command line.
std::optional<RootJoint> root_joint_named(std::string_view name);  // The base of this name.

/// Numbers of the base in q and in v.
constexpr std::size_t base_nq(RootJoint base) { return base == RootJoint::free ? 7 : base == RootJoint::planar ? 3 : 0; }
constexpr std::size_t base_nv(RootJoint base) { return base == RootJoint::free ? 6 : base == RootJoint::planar ? 3 : 0; }

/// Bodies before those behind the joints: a free base is one, a planar one three (see with_base_as_joints()).
constexpr std::size_t base_bodies(RootJoint base) { return base == RootJoint::free ? 1 : base == RootJoint::planar ? 3 : 0; }

struct Link {  // A rigid body.
  std::string name;
  double mass = 0;         // kg
  Vec3<double> com{};      // mass centre, link axes, from the link's origin                 [m]
  Sym3<double> inertia{};  // tensor about the mass centre, link axes                        [kg m²]
  bool partial = false;    // the published inertia holds only what matters for the torques
  bool inertial = false;   // the file states a mass for this link
  double gravcomp = 0;     // share of its weight that a force at its mass centre carries (MJCF); in results with --springs on
  int line = 0;            // in the file; 0 when unknown
};

/// The joint coordinate is bound to another one: q = multiplier * q_leader + offset.
struct Mimic {
  std::size_t leader = kNone;  // index of the joint that leads; in Joint::mimic it follows no other
  double multiplier = 1;
  double offset = 0;
};

/// Friction of a joint, on its own side. At rate v it takes, of the torque,
///   offset + v (viscous + s (viscous_asymmetry + quadratic v))
///          + s (coulomb + s asymmetry + (level() - coulomb) exp(-(|v| / stribeck_speed)^stribeck_exponent) + load |T|)
/// where s = sign(v), sign(0) = 0, or tanh(v / smoothing_speed) where there is such a speed, and T is the torque that the joint transmits to the links: of the
/// links alone, without rotor and friction. Without a stribeck_speed there is no exponential. A joint that stands takes what keeps it standing, up to level().
template <class P>
struct FrictionOf {
  P viscous{};         // [N m s/rad or N s/m]
  P coulomb{};         // [N m or N]
  P static_level{};    // static level, where that is more than coulomb [N m or N]
  P stribeck_speed{};  // over which friction falls from the static level to coulomb [rad/s or m/s]; 0: it falls at once
  P stribeck_exponent = P(2.0);
  P asymmetry{};          // coulomb is this much more forwards, and less backwards [N m or N]
  P viscous_asymmetry{};  // and so is viscous [N m s/rad or N s/m]
  P quadratic{};          // drag [N m s²/rad² or N s²/m²]
  P load{};               // share of the torque that the joint transmits
  P offset{};             // a torque that does not change [N m or N]
  P smoothing_speed{};    // that the jump at v = 0 is spread over [rad/s or m/s]; 0: it jumps

  /// Static friction, at least the Coulomb friction.
  P level() const { return static_level > coulomb ? static_level : coulomb; }
  /// Whether there is any of it; `standing`: also of what acts at joints that stand only.
  bool rubs(bool standing = true) const { return viscous != 0 || coulomb != 0 || !plain() || (standing && static_level != 0); }
  /// Whether it is viscous * v + coulomb * sign(v) where the joint moves.
  bool plain() const {
    return (stribeck_speed == 0 || !(static_level > coulomb)) && asymmetry == 0 && viscous_asymmetry == 0 && quadratic == 0 && load == 0 && offset == 0 &&
           smoothing_speed == 0;
  }
  template <class U>
  FrictionOf<U> cast() const {
    return {U(viscous),           U(coulomb),   U(static_level), U(stribeck_speed), U(stribeck_exponent), U(asymmetry),
            U(viscous_asymmetry), U(quadratic), U(load),         U(offset),         U(smoothing_speed)};
  }
  friend bool operator==(const FrictionOf&, const FrictionOf&) = default;
};
using Friction = FrictionOf<double>;

/// The numbers of Friction as files, tables and JSON have them.
struct FrictionField {
  const char* name;
  double Friction::*number;
  const char *turning, *sliding;  // units
  double none = 0;                // value where nothing is given
  bool any = false;               // it may be negative

  bool given(const Friction& friction) const { return friction.*number != none; }  // Whether it differs from that.
  /// Whether scaling the friction scales this number.
  bool scales() const { return turning[0] == 'N' || number == &Friction::load; }
};
/// The numbers of a joint's friction by the names that files give them. The first three are listed even where they are not given.
inline constexpr FrictionField kFrictionFields[] = {{"viscous", &Friction::viscous, "N m s/rad", "N s/m"},
                                                    {"coulomb", &Friction::coulomb, "N m", "N"},
                                                    {"static", &Friction::static_level, "N m", "N"},
                                                    {"stribeck_speed", &Friction::stribeck_speed, "rad/s", "m/s"},
                                                    {"stribeck_exponent", &Friction::stribeck_exponent, "1", "1", 2},
                                                    {"asymmetry", &Friction::asymmetry, "N m", "N", 0, true},
                                                    {"viscous_asymmetry", &Friction::viscous_asymmetry, "N m s/rad", "N s/m", 0, true},
                                                    {"quadratic", &Friction::quadratic, "N m s2/rad2", "N s2/m2"},
                                                    {"load", &Friction::load, "1", "1"},
                                                    {"offset", &Friction::offset, "N m", "N", 0, true},
                                                    {"smoothing_speed", &Friction::smoothing_speed, "rad/s", "m/s"}};
/// Those that are listed only where they are given.
inline std::span<const FrictionField> further_friction() { return std::span(kFrictionFields).subspan(3); }

/// X_PB(q) = X_PF * motion(q) * X_MB: frame F sits on the parent link P, frame M on the child link B, and M moves along or about the axis.
/// URDF has X_MB = identity (link frame = joint frame); standard DH has X_PF = identity.
struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  std::size_t parent = kNone;  // index of the parent link
  std::size_t child = kNone;   // index of the child link
  Pose<double> X_PF{};
  Vec3<double> axis{0, 0, 1};  // unit vector, in F and in M; a ball joint has none, and leaves it as it is
  Pose<double> X_MB{};
  double lower = -std::numeric_limits<double>::infinity();  // [rad or m]
  double upper = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();        // [N m or N]
  double velocity = std::numeric_limits<double>::infinity();      // [rad/s or m/s]
  double acceleration = std::numeric_limits<double>::infinity();  // [rad/s² or m/s²]
  double deceleration = std::numeric_limits<double>::infinity();  // of slowing down, where the file has a limit of its own for it [rad/s² or m/s²]
  double jerk = std::numeric_limits<double>::infinity();          // [rad/s³ or m/s³]
  double rotor = 0;                                               // inertia of the motor's rotor, motor side                       [kg m²]
  double gear = 1;                                                // motor turns per joint turn; gear² * rotor is the inertia at the joint
  Friction friction{};
  double stiffness = 0;  // of a spring at the joint (MJCF); in results with --springs on [N m/rad or N/m]
  double rest = 0;       // q at which that spring is at rest                               [rad or m]
  std::optional<Mimic> mimic{};
  int line = 0;
};

/// The limits of a joint that change no torque, as files, tables and JSON have them.
struct RateLimit {
  const char* name;
  double Joint::*number;
};
/// The limits of rates by the names that files give them.
inline constexpr RateLimit kRateLimits[] = {{"acceleration", &Joint::acceleration}, {"deceleration", &Joint::deceleration}, {"jerk", &Joint::jerk}};
/// The acceleration limit that holds in both directions.
inline double acceleration_limit(const Joint& joint) { return joint.deceleration < joint.acceleration ? joint.deceleration : joint.acceleration; }

/// How many numbers the states of a robot have.
struct Sizes {
  std::size_t nq = 0;      // of a configuration
  std::size_t nv = 0;      // of velocities, accelerations and torques
  std::size_t bodies = 0;  // moving bodies: one behind each moving joint, and a free base
  std::size_t tests = 0;   // of a configuration: how far loops are from closed, and the pivots of their elimination
  std::size_t motion = 0;  // with loops: speeds and accelerations of all joints of the tree, and forces and moments of the loops

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

/// Every field of a model. Readers and programs fill this in; build() makes a Model of it or reports why not.
struct Description {
  struct JointEntry {  // A joint, with its links by name.
    Joint joint;       // parent, child and mimic->leader are resolved from these names
    std::string parent;
    std::string child;
    std::string leader;  // of mimic; empty when there is none
  };
  std::string name;
  std::string file;                   // for messages
  RootJoint base = RootJoint::fixed;  // of the root link
  Vec3<double> gravity{0, 0, -9.81};  // in the world's axes: the root link's own where it is fixed [m/s²]
  std::vector<Link> links;
  std::vector<JointEntry> joints;
};

/// Immutable. Joints come depth first in document order; joints()[j] moves links()[j + 1], and links()[0] is the root.
class Model {
 public:
  const std::string& name() const { return name_; }             // Name of the robot.
  const std::string& file() const { return file_; }             // Where it was read from.
  const Vec3<double>& gravity() const { return gravity_; }      // In the axes of the root link [m/s²].
  const std::vector<Link>& links() const { return links_; }     // All links; the root is the first.
  const std::vector<Joint>& joints() const { return joints_; }  // all of them, fixed and mimic joints included
  /// Joint::mimic as the file states it: a joint may follow one that follows another, where Joint::mimic names the joint at the head of the chain.
  const std::optional<Mimic>& coupling(std::size_t joint) const { return couplings_[joint]; }
  double mass() const;  // of all links

  RootJoint base() const { return base_; }  // How the root link is attached to the world.
  /// Sizes of configuration and velocity: of the base, then one number for each joint that moves, of a ball joint four and three. They differ where the base is
  /// free, where there are ball joints, and where there are loops: q is a closed configuration of all joints, v has as many speeds as the robot has degrees of
  /// freedom, its mobility.
  std::size_t nq() const { return base_nq(base_) + independent_.size() + balls_; }
  std::size_t nv() const { return closed_ == nullptr ? nv_tree() : closed_->order.independent.size(); }
  /// Speeds of all joints that follow no other: v_tree = G(q) v.
  std::size_t nv_tree() const { return base_nv(base_) + independent_.size(); }
  Sizes sizes() const;

  bool closed() const { return closed_ != nullptr; }  // Whether it has loops.
  const std::vector<Loop>& loops() const;             // The joints that close them.
  EliminationOrder order() const;                     // Which speeds of the tree are independent; without loops, all of them.
  /// A closed configuration near the robot's zero, away from singular ones: the initial guess of states without one. Without loops: neutral().
  std::vector<double> reference() const;
  double singularity() const { return closed_ == nullptr ? 1 : closed_->singularity; }  // of the reference: 1 far from singular assemblies, 0 in one
  /// Velocity coordinates of the dependent joints, in the tree's order.
  std::vector<std::size_t> dependent() const;
  /// The joints that q and v_tree list behind the base, as indices into joints(): those that move and follow no other, a ball joint three times.
  const std::vector<std::size_t>& independent() const { return independent_; }
  std::vector<std::string> coordinate_names() const;  // of those joints; those of a ball joint end in ".x", ".y" and ".z"
  std::vector<std::size_t> places() const;            // where q has them; of a ball joint, where x, y and z of its quaternion stand, whose w follows
  bool has_balls() const { return balls_ > 0; }       // Whether it has ball joints.
  /// Where q has the unit quaternions x, y, z, w: that of a free base, those of ball joints.
  std::vector<std::size_t> quaternions() const;
  /// The joints that v lists behind the base: all of independent(), but where loops leave fewer.
  std::vector<std::size_t> driven() const;
  std::vector<std::string> driven_names() const;
  /// Positions that determine the configuration: those of a free base, and of the joints that v lists.
  std::vector<std::size_t> independent_positions() const;
  /// Of all numbers of q, of v and a, and of tau: "base.x", …, "base.qw", "base.wx", …, "base.nx", …, then the joints.
  std::vector<std::string> position_names() const;
  std::vector<std::string> velocity_names() const;
  std::vector<std::string> effort_names() const;

  std::optional<std::size_t> find_link(std::string_view name) const;   // Index of the link of this name.
  std::optional<std::size_t> find_joint(std::string_view name) const;  // Index of the joint of this name.

 private:
  friend std::optional<Model> build(const Description&, Diagnostics&);
  friend Model with_gravity(const Model&, const Vec3<double>&);
  friend Model with_friction(const Model&, const std::vector<Friction>&);
  friend Model with_base(const Model&, RootJoint);
  friend Model with_base_as_joints(const Model&);
  friend Model with_free_mimics(const Model&);
  friend Model with_payload(const Model&, std::string_view, const struct Payload&);
  friend std::optional<Model> with_locked(const Model&, const std::vector<struct Lock>&, Diagnostics&);
  friend Model with_closed(const Model&, ClosedLoops);
  friend Model without_loops(const Model&);
  friend Model with_lines(const Model&, const std::function<int(int)>&);
  Model() = default;
  void list_independent();
  std::vector<std::string> names_of(const std::vector<std::size_t>& joints) const;

  std::string name_;
  std::string file_;
  RootJoint base_ = RootJoint::fixed;
  Vec3<double> gravity_;
  std::vector<Link> links_;
  std::vector<Joint> joints_;
  std::vector<std::optional<Mimic>> couplings_;
  std::vector<std::size_t> independent_;
  std::size_t moving_ = 0;  // coordinates of joints, those that follow others included
  std::size_t balls_ = 0;
  std::shared_ptr<const ClosedLoops> closed_;
};

/// Checks names and topology, orders the tree and resolves mimic chains. Empty when there were errors; all of them are in `diagnostics`.
std::optional<Model> build(const Description& description, Diagnostics& diagnostics);

// --- Variants of a model: joints held still, couplings released, gravity changed, a base that is freed, a load in the hand, loops opened. Where a variant
// changes which motions are possible, loops are closed last: these functions throw std::invalid_argument for a robot with loops, and load() does it in order.

/// The tree: all loops open.
Model without_loops(const Model& model);

/// The tree with loops whose order and reference are known. with_loops() (ulna/loop/mechanism.hpp) finds both.
Model with_closed(const Model& tree, ClosedLoops loops);

/// The model under another gravity [m/s²].
Model with_gravity(const Model& model, const Vec3<double>& gravity);

/// The same robot, its links, joints and loops in other lines of its file.
Model with_lines(const Model& model, const std::function<int(int)>& line);

/// The same robot with other friction: one of each joint. Throws std::invalid_argument for another number of them.
Model with_friction(const Model& model, const std::vector<Friction>& friction);

/// The same robot on another base. Gravity is in the world's axes, whatever the base.
Model with_base(const Model& model, RootJoint base);

/// The same robot on a fixed base, with base_nv() massless joints before all others. A planar base becomes joints along x and y and about z, and the
/// coordinates stay the same. A free base becomes joints along x, y and z, then about x, y and z: these have other coordinates and are singular at 90 degrees
/// about y; but while all six stand at zero, their rates are the base's velocity, linear first. Indices of links and joints grow by base_nv().
Model with_base_as_joints(const Model& model);

/// Every mimic joint becomes a free joint.
Model with_free_mimics(const Model& model);

/// Holds a joint at a value.
struct Lock {
  std::string joint;
  double value = 0;
};

/// Locked joints become fixed ones at that value; joints that mimic them are held, too. Empty when a name is wrong (see `diagnostics`).
std::optional<Model> with_locked(const Model& model, const std::vector<Lock>& locks, Diagnostics& diagnostics);

/// A load in the robot's hand.
struct Payload {
  double mass = 0;         // kg
  Vec3<double> com{};      // mass centre, link axes, from the link's origin [m]
  Sym3<double> inertia{};  // tensor about that centre, link axes            [kg m²]
};

/// The same robot with the load fixed to a link. Throws std::invalid_argument for a link that is not there and for a load that no body can have: a mass or a
/// principal moment that is negative, moments that break the triangle inequality, numbers that are not finite.
Model with_payload(const Model& model, std::string_view link, const Payload& payload);

// Positions of a robot whose base may be free: q lies on a manifold, so it is not added to, and other programs write it in other ways.

/// The robot at its zero: every number 0, but quaternions, which are those of no rotation.
std::vector<double> neutral(const Model& model);

/// Where q is after `dt` at constant velocity v. Of a robot with loops, v may also be that of all joints of the tree; else dependent positions stay and
/// remain to be closed. A free base moves along a screw, its
/// velocity constant in its own axes: exp of SE(3); a ball joint rotates about a constant axis. Quaternions come out with unit length. Throws
/// std::invalid_argument for sizes, and for a quaternion that is off unit length by more than kUnitQuaternion; so does difference().
void integrate(const Model& model, VectorView<const double> q, VectorView<const double> v, double dt, VectorView<double> to);

/// The constant velocity that leads from q0 to q1 in unit time, a free base and ball joints rotating by less than half a turn:
/// integrate(q0, difference(q0, q1), 1) is q1.
void difference(const Model& model, VectorView<const double> q0, VectorView<const double> q1, VectorView<double> v);

/// Gives quaternions unit length; returns what that had which was furthest from 1, and 1 where there is none. A length of 0, or one that is not finite, is left
/// as it is.
double normalize(const Model& model, VectorView<double> q);

/// Files and programs carry six digits at least: what is off by more is no unit quaternion.
inline constexpr double kUnitQuaternion = 1e-6;

/// How another program writes the state of a free base. Those that Ulna has stand first.
struct BaseConvention {
  enum class Quaternion { xyzw, wxyz } quaternion = Quaternion::xyzw;  // Order of its numbers.
  /// local: angular and linear parts in the root link's axes; world: both in the world's; mixed: angular in the root link's, linear in the world's.
  enum class Axes { local, world, mixed } axes = Axes::local;
  enum class Order { angular, linear } order = Order::angular;  // which three of six come first
  /// classical: of the root link's origin; spatial: the derivative of the numbers of the linear velocity in the root link's axes, which is less by w x v.
  enum class Acceleration { classical, spatial } acceleration = Acceleration::classical;

  friend bool operator==(const BaseConvention&, const BaseConvention&) = default;
};

/// Writes a free base's seven numbers of q, and six of v, a and tau, as Ulna does, in place. Null for what is not there; `a` needs v where it is spatial, and
/// all need q where the axes are not local. Axes are those of velocities, accelerations and wrenches alike.
void to_ulna(const BaseConvention& from, double* q, double* v, double* a, double* tau);

}  // namespace ULNA_API
