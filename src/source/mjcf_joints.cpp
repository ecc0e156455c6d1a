#include "source/mjcf_joints.hpp"

#include <algorithm>
#include <cmath>

#include "model/motion.hpp"
#include "source/mjcf_schema.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

void read_limits(const MjcfElement& element, const MjcfSettings& settings, double unit, bool slides, Joint& joint) {
  const std::vector<double> range = element.numbers("range", 2, 2);
  const std::string limited = element.word("limited", {"auto", "true", "false"});
  const bool given = !range.empty() && (range[0] != 0 || range[1] != 0);
  bool bounded = limited == "true" || (limited == "auto" && given && settings.autolimits);
  if (limited == "auto" && given && !settings.autolimits)
    element.holder("range").warning("range is given, but limited is not, and autolimits is off",
                                    "the joint is unlimited here; write limited=\"true\" to use the range");
  if (bounded && range.empty()) {
    if (!element.has("range")) element.own().error("it is limited, but range is missing", "write range=\"lower upper\"");
    bounded = false;
  }
  joint.type = slides ? JointType::prismatic : bounded ? JointType::revolute : JointType::continuous;
  if (bounded) {
    joint.lower = unit * range[0];
    joint.upper = unit * range[1];
    if (joint.lower > joint.upper)
      element.holder("range").error_at("range", cat("the lower limit ", range[0], " is above the upper limit ", range[1]), "swap or correct them");
  }
  const std::vector<double> force = element.numbers("actuatorfrcrange", 2, 2);
  if (!force.empty() && element.word("actuatorfrclimited", {"auto", "true", "false"}) != "false" && (force[0] != 0 || force[1] != 0))
    joint.effort = std::max(std::abs(force[0]), std::abs(force[1]));
}

}  // namespace

bool is_free(const MjcfPlaced& placed, const MjcfDefaults& defaults) {
  const std::string named = placed.node.node.attribute("class").value();  // that it is there, read_joint checks
  for (const MjcfNode& node : defaults.chain(placed.node, named.empty() ? placed.childclass : named, "joint"))
    if (const pugi::xml_attribute type = node.node.attribute("type")) return std::string_view(type.value()) == "free";
  return false;
}

double linear_term(const MjcfElement& element, const char* attribute) {
  const std::vector<double> values = element.merged(attribute, {0, 0, 0});
  const XmlElement holder = element.holder(attribute);
  if (values[0] < 0) {
    holder.error_at(attribute, cat(attribute, " ", values[0], " is negative"), "write a positive number");
    return 0;
  }
  if (values[1] != 0 || values[2] != 0) holder.warning(cat(attribute, " has terms of higher order, which are not used"), "only its first number is used");
  return values[0];
}

double read_joint(const MjcfPlaced& placed, const Pose<double>& X_PB, const MjcfDefaults& defaults, const MjcfSettings& settings, Joint& joint) {
  const MjcfElement element(placed.node, Element::joint(joint.name), defaults, placed.childclass);
  const XmlElement own = element.own();
  expect_known(own, "joint");
  const std::string type = element.word("type", {"hinge", "slide", "ball", "free"});
  if (type == "ball")
    element.holder("type").error_at("type", cat("joint ", in_quotes(joint.name), " is a ball joint, of three degrees of freedom"),
                                    "write three hinges about x, y and z in its place, or remove it to fix the body");
  const bool slides = type == "slide";
  const double unit = slides ? 1 : settings.angle, ref = unit * element.number("ref", 0);

  const Vec3<double> axis = placed.X_BF.R * element.vector("axis", {0, 0, 1});
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (!(length > 0))
    element.holder("axis").error_at("axis", "the axis is zero", "write the direction of the joint's axis, such as 0 0 1");
  else
    joint.axis = {axis.x / length, axis.y / length, axis.z / length};
  const Vec3<double> anchor = slides ? Vec3<double>{} : placed.X_BF.p + placed.X_BF.R * element.vector("pos", {});
  read_limits(element, settings, unit, slides, joint);
  // The body stands as stated where q is `ref`: X_PB · at(anchor) · motion(q - ref) · at(-anchor).
  joint.X_PF = X_PB * Pose<double>{Mat3<double>::identity(), anchor};
  if (ref != 0) joint.X_PF = joint.X_PF * joint_motion(joint, -ref);
  joint.X_MB = {Mat3<double>::identity(), -anchor};
  joint.rotor = element.not_negative("armature", 0);
  joint.friction.viscous = linear_term(element, "damping");
  joint.friction.coulomb = element.not_negative("frictionloss", 0);
  joint.stiffness = linear_term(element, "stiffness");
  joint.rest = unit * element.number("springref", 0);
  if (joint.stiffness != 0)
    own.note(cat("a spring of ", joint.stiffness, slides ? " N/m" : " N m/rad", " acts at it, at rest at ", joint.rest),
             "no result includes it, except that of 'ulna explain'");
  if (element.has("springdamper"))
    if (const std::vector<double> v = element.numbers("springdamper", 2, 2); !v.empty() && (v[0] != 0 || v[1] != 0))
      element.holder("springdamper")
          .warning("springdamper is not read: MuJoCo makes stiffness and damping of it from the inertia of the model", "write stiffness and damping");
  return ref;
}

bool read_free_joint(const MjcfPlaced& placed, const std::string& body, const MjcfDefaults& defaults, const MjcfSettings& settings) {
  const MjcfDefaults none;
  const bool alone = placed.node.name() == "freejoint";  // classes do not reach it
  const MjcfElement element(placed.node, Element::link(body).with(tag_text(placed.node.name())), alone ? none : defaults, placed.childclass);
  expect_known(element.own(), placed.node.name());
  if (const double armature = element.number("armature", 0); armature != 0)
    element.holder("armature")
        .error_at("armature",
                  cat("the free joint of ", in_quotes(body), " has the armature ", armature,
                      ", which MuJoCo adds to the diagonal of M, and Ulna's M has no armature of a base"),
                  "write armature=\"0\" in the joint, or <freejoint/>, which no class reaches");
  for (const char* force : {"damping", "stiffness", "frictionloss"}) {
    const std::vector<double> values = element.numbers(force, 1, 3);
    if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0; }))
      element.own().note(cat(force, " of a free joint acts on the base"), "no result includes it");
  }
  const std::string align = element.word("align", {"auto", "true", "false"});
  return align == "true" || (align == "auto" && settings.alignfree);
}

}  // namespace ulna::internal
