// A robot as its file describes it: a tree of links and joints, and the joints that close loops, with nothing merged, renamed or re-framed.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/model/loop.hpp>
#include <ulna/spatial/inertia.hpp>
#include <ulna/spatial/pose.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

enum class JointType { fixed, revolute, continuous, prismatic };  // How a joint moves.

std::string_view to_string(JointType type);  // Its name in URDF.

/// How the root link is attached to the world. Coordinates of the base come before those of the joints.
///   fixed   bolted to it; none
///   planar  q, v: x, y [m] along the world's axes and yaw [rad] about the root link's origin; forces along and about the same
///   free    q: position of the root link's origin in the world [m], then the unit quaternion x, y, z, w that turns vectors of the root link into the world's;
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
  double gravcomp = 0;     // share of its weight that a force at its mass centre carries (MJCF); read and reported, never in a result
  int line = 0;            // in the file; 0 when unknown
};

/// The joint coordinate is bound to another one: q = multiplier * q_leader + offset.
struct Mimic {
  std::size_t leader = kNone;  // index of the joint that leads; in Joint::mimic it follows no other
  double multiplier = 1;
  double offset = 0;
};

/// Friction of a joint, on its own side. Of the torque it takes viscous * v + coulomb * sign(v) where the joint moves, and what keeps the joint standing where
/// it stands, up to level().
template <class P>
struct FrictionOf {
  P viscous{};       // [N m s/rad or N s/m]
  P coulomb{};       // [N m or N]
  P static_level{};  // what it takes to break away, where that is more than coulomb [N m or N]

  P level() const { return static_level > coulomb ? static_level : coulomb; }
  /// Whether there is any of it; `standing`: also of what acts at joints that stand only.
  bool rubs(bool standing = true) const { return viscous != 0 || coulomb != 0 || (standing && static_level != 0); }
  template <class U>
  FrictionOf<U> cast() const {
    return {U(viscous), U(coulomb), U(static_level)};
  }
  friend bool operator==(const FrictionOf&, const FrictionOf&) = default;
};
using Friction = FrictionOf<double>;

/// The numbers of Friction as files, tables and JSON have them.
struct FrictionField {
  const char* name;
  double Friction::*number;
};
inline constexpr FrictionField kFrictionFields[] = {{"viscous", &Friction::viscous}, {"coulomb", &Friction::coulomb}, {"static", &Friction::static_level}};

/// X_PB(q) = X_PF * motion(q) * X_MB: frame F sits on the parent link P, frame M on the child link B, and M moves along or about the axis.
/// URDF has X_MB = identity (link frame = joint frame); standard DH has X_PF = identity.
struct Joint {
  std::string name;
  JointType type = JointType::fixed;
  std::size_t parent = kNone;  // index of the parent link
  std::size_t child = kNone;   // index of the child link
  Pose<double> X_PF{};
  Vec3<double> axis{0, 0, 1};  // unit vector, in F and in M
  Pose<double> X_MB{};
  double lower = -std::numeric_limits<double>::infinity();  // [rad or m]
  double upper = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();    // [N m or N]
  double velocity = std::numeric_limits<double>::infinity();  // [rad/s or m/s]
  double rotor = 0;                                           // inertia of the motor's rotor, motor side                       [kg m²]
  double gear = 1;                                            // motor turns per joint turn; gear² * rotor acts at the joint
  Friction friction{};
  double stiffness = 0;  // of a spring at the joint (MJCF); read and reported, never in a result [N m/rad or N/m]
  double rest = 0;       // q at which that spring is at rest                               [rad or m]
  std::optional<Mimic> mimic{};
  int line = 0;
};

/// How many numbers the states of a robot have.
struct Sizes {
  std::size_t nq = 0;      // of a configuration
  std::size_t nv = 0;      // of velocities, accelerations and torques
  std::size_t bodies = 0;  // that move against each other: one behind each joint that does, and the base's
  std::size_t tests = 0;   // of a configuration: how far loops are from closed, and the pivots of their elimination
  std::size_t motion = 0;  // with loops: speeds and accelerations of all joints of the tree, and forces and moments of the loops

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

/// Every field of a model. Readers and programs fill this in; build() turns it into a Model or says why it cannot.
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
  /// Sizes of configuration and velocity: of the base, then one number for each joint that moves. They differ where the base is free, and where there are
  /// loops: q is a closed configuration of all joints, v has as many speeds as the robot has degrees of freedom, its mobility.
  std::size_t nq() const { return base_nq(base_) + independent_.size(); }
  std::size_t nv() const { return closed_ == nullptr ? nv_tree() : closed_->order.independent.size(); }
  /// Speeds of all joints that follow no other: v_tree = G(q) v.
  std::size_t nv_tree() const { return base_nv(base_) + independent_.size(); }
  Sizes sizes() const;

  bool closed() const { return closed_ != nullptr; }  // Whether it has loops.
  const std::vector<Loop>& loops() const;             // The joints that close them.
  EliminationOrder order() const;                     // Which speeds of the tree are independent; without loops, all of them.
  /// A closed configuration near the robot's zero, away from singular ones. States without a guess are closed from it. Without loops: neutral().
  std::vector<double> reference() const;
  double singularity() const { return closed_ == nullptr ? 1 : closed_->singularity; }  // of the reference: 1 far from singular assemblies, 0 in one
  /// Velocity coordinates of the dependent joints, in the tree's order.
  std::vector<std::size_t> dependent() const;
  /// The joints that q and v_tree list behind the base, as indices into joints(): those that move and follow no other.
  const std::vector<std::size_t>& independent() const { return independent_; }
  std::vector<std::string> coordinate_names() const;  // of those joints
  /// The joints that v lists behind the base: all of independent(), but where loops leave fewer.
  std::vector<std::size_t> driven() const;
  std::vector<std::string> driven_names() const;
  /// Positions that say where the robot is: those of a free base, and of the joints that v lists; the others follow from them.
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
  std::size_t moving_ = 0;  // joints that are not fixed
  std::shared_ptr<const ClosedLoops> closed_;
};

/// Checks names and topology, orders the tree and resolves mimic chains. Empty when there were errors; all of them are in `diagnostics`.
std::optional<Model> build(const Description& description, Diagnostics& diagnostics);

// --- Variants of a model: joints held still, couplings released, gravity changed, a base that is freed, a load in the hand, loops opened. Where a variant
// changes which motions are possible, loops are closed last: these functions throw std::invalid_argument for a robot with loops, and load() does it in order.

/// The tree: all loops open.
Model without_loops(const Model& model);

/// The tree with loops whose order and reference are known. with_loops() (ulna/loop/close.hpp) finds both.
Model with_closed(const Model& tree, ClosedLoops loops);

Model with_gravity(const Model& model, const Vec3<double>& gravity);

/// The same robot with other friction: one of each joint. Throws std::invalid_argument for another number of them.
Model with_friction(const Model& model, const std::vector<Friction>& friction);

/// The same robot on another base. Gravity is in the world's axes, whatever the base.
Model with_base(const Model& model, RootJoint base);

/// The same robot, bolted down, whose base is base_nv() joints without mass before all others. A planar base is joints along x and y and about z: the
/// coordinates stay what they are. A free base is joints along x, y and z, then about x, y and z, which have other coordinates and get stuck at a quarter turn
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

}  // namespace ULNA_API
