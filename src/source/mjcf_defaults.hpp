// How a MJCF file is to be read, by <compiler> and <option>. Default classes: an attribute that an element does not have is that of its class. A class begins
// as a copy of the class around it. And the attributes that elements have at all, so that a misspelt one is not passed over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/spatial/spatial.hpp>

#include "source/mjcf_files.hpp"

namespace ulna::internal {

class MjcfDefaults {
 public:
  /// Reads one <default> of the model, which may hold others. Several add up.
  void read(const MjcfNode& node, MjcfFiles& files);

  /// Whether there is a class of this name; the empty name is the outermost class.
  bool has(const std::string& name) const { return name.empty() || name == main_ || classes_.count(name) > 0; }
  std::vector<std::string> names() const;

  /// Elements that may carry an attribute of `node`, nearest first: itself, then its class from the inside out. `kind` names the element in <default>.
  std::vector<MjcfNode> chain(const MjcfNode& node, const std::string& class_name, std::string_view kind) const;

 private:
  struct Class {
    std::string parent;              // empty: the outermost
    std::size_t inherited = 0;       // how many of the parent's elements there were when this class was made; later ones do not reach it
    std::vector<MjcfNode> elements;  // <joint>, <geom>, …, of later <default>s last
  };
  std::map<std::string, Class> classes_;
  std::string main_ = "main";
};

/// An element with its defaults: each attribute is read where it stands, so that messages name that place.
class MjcfElement {
 public:
  /// `kind`: what <default> calls such an element, where that is another name: "equality", "tendon".
  MjcfElement(const MjcfNode& node, Element label, const MjcfDefaults& defaults, const std::string& class_name, std::string_view kind = {});

  const MjcfNode& node() const { return chain_.front(); }
  XmlElement own() const { return chain_.front().element(label_); }
  /// The element that carries the attribute; the element itself when none does.
  XmlElement holder(const char* attribute) const;
  bool has(const char* attribute) const;
  /// Of several attributes the one that stands nearest: in the element, else in the innermost class that has any; empty when none does.
  std::string nearest_of(const std::vector<const char*>& attributes) const;
  std::string text(const char* attribute, std::string_view fallback) const;
  double number(const char* attribute, double fallback) const { return holder(attribute).number(attribute, fallback); }
  double not_negative(const char* attribute, double fallback) const { return holder(attribute).not_negative(attribute, fallback); }
  Vec3<double> vector(const char* attribute, const Vec3<double>& fallback) const { return holder(attribute).vector(attribute, fallback); }
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const { return holder(attribute).numbers(attribute, least, most); }
  /// An array whose missing numbers keep their values: those of the class, else those of `fallback`, which has as many numbers as there can be.
  std::vector<double> merged(const char* attribute, std::vector<double> fallback) const;
  /// One of a few words.
  std::string word(const char* attribute, const std::vector<std::string>& known) const;
  bool is(const char* attribute) const { return word(attribute, {"false", "true"}) == "true"; }

 private:
  XmlElement element_at(const MjcfNode& node) const;

  std::vector<MjcfNode> chain_;
  Element label_;
};

/// All actuators share one set of attributes and defaults here: <position> in a class also speaks for <motor>.
bool is_actuator(std::string_view element);

/// What the table has for a kind: "compiler", "body", "actuator", …
std::vector<std::string_view> known_attributes(std::string_view kind);

/// Reports attributes and children that are unknown to MuJoCo as errors: its schema refuses them, too. `kind` is the element's name; "equality" or "tendon" for
/// what stands in those sections, "<equality>", "<tendon>" or "<actuator>" for the section, "<fixed>" for a joint of a tendon.
void expect_known(const XmlElement& element, std::string_view kind);

/// The attributes that orient an element, of which it may have one.
inline const std::vector<const char*> kMjcfOrientations{"quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// The body that holds all others.
inline constexpr std::string_view kMjcfWorld = "world";

struct MjcfContext;

/// An element of a body, out of the <frame>s around it: its placement is given in F, which has the pose X_BF in the body (or world) that holds it.
struct MjcfPlaced {
  MjcfNode node;
  Pose<double> X_BF{};
  std::string childclass{};
  MjcfContext* context = nullptr;
};

/// Of any length, order w, x, y, z; nothing where it is zero. Entries are quotients by the length squared, so that quat="1 -1 0 0" rotates by a right angle
/// exactly.
std::optional<Mat3<double>> rotation_of_quaternion(const double* wxyz);
/// The smallest rotation that takes z to the direction of v.
Mat3<double> rotation_from_z(const Vec3<double>& v);

struct MjcfSettings {
  enum class FromGeoms { automatic, always, never };

  double angle = 0.017453292519943295;  // of one unit of angle in the file [rad]: degrees unless it says radians
  std::string eulerseq = "xyz";
  bool autolimits = true;
  bool fusestatic = false;  // MuJoCo merges bodies without joints into their parents
  bool alignfree = false;   // a free body without children gets the axes of its inertia, unless its joint says otherwise
  FromGeoms from_geoms = FromGeoms::automatic;
  double least_group = 0, most_group = 5;  // groups of geoms that give mass
  double boundmass = 0, boundinertia = 0;
  bool balance = false;
  std::optional<double> total_mass;
  int total_mass_line = 0, fusestatic_line = 0;
  Vec3<double> gravity{0, 0, -9.81};
  std::string meshdir{};
  bool strippath = false, fitaabb = false, merge_options = false;
  MjcfNode options{};                                                      // the last <option> that states gravity or such a flag
  MjcfNode gravity_flag;                                                   // the last one
  bool no_gravity = false, no_constraints = false, no_equalities = false;  // by <flag>: the last one counts, whatever stands between

  void read_compiler(const MjcfNode& node);
  void read_option(const MjcfNode& node, MjcfFiles& files);

  /// Three angles of the file, about the axes of eulerseq.
  Mat3<double> rotation_of_angles(const Vec3<double>& angles) const;
  /// The rotation that one of quat, axisangle, xyaxes, zaxis and euler gives; identity when there is none.
  Mat3<double> orientation(const MjcfElement& element) const;
  /// That, and `pos`.
  Pose<double> pose(const MjcfElement& element) const;
};

}  // namespace ulna::internal
