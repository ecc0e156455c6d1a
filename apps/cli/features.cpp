#include "features.hpp"

namespace ulna::cli {

namespace {

bool is_zero(const Vec3<double>& v) { return v == Vec3<double>{}; }

}  // namespace

Features collect_features(const Robot& robot, const Plan& plan, const Influences& influences, const Effects& effects, bool springs) {
  Features features;
  std::vector<std::string>&used = features.used, &unused = features.unused;
  const auto tell = [](const char* name, bool present, std::vector<std::string>& list) {
    if (present) list.emplace_back(name);
  };
  const auto any_joint = [&](auto property) { return std::any_of(robot.model.joints().begin(), robot.model.joints().end(), property); };
  const bool has_rotor = std::any_of(plan.bodies.begin(), plan.bodies.end(), [](const PlanBody<double>& b) { return b.rotor != 0; });
  const bool has_friction = std::any_of(plan.bodies.begin(), plan.bodies.end(), [](const PlanBody<double>& b) { return b.friction.rubs(false); });
  tell("gravity", !is_zero(robot.model.gravity()), influences.gravity ? used : unused);
  // Rotors with an axis are links; their joints follow, but no file says so.
  const bool spins = any_joint([&](const Joint& j) { return j.mimic && std::find(robot.mimics.begin(), robot.mimics.end(), j.name) == robot.mimics.end(); });
  tell("rotor", has_rotor || spins, spins || (influences.rotor && effects.rotor) ? used : unused);
  tell("friction", has_friction, influences.friction && effects.friction ? used : unused);
  tell("mimic", !robot.mimics.empty(), robot.mimics_honoured ? used : unused);
  tell("limits", any_joint([](const Joint& j) {
         return j.type != JointType::fixed && (std::isfinite(j.lower) || std::isfinite(j.upper) || std::isfinite(j.effort) || std::isfinite(j.velocity));
       }),
       unused);
  tell("springs", any_joint([](const Joint& j) { return j.type != JointType::fixed && j.stiffness != 0; }), springs ? used : unused);
  tell("gravity compensation", std::any_of(robot.model.links().begin(), robot.model.links().end(), [](const Link& link) { return link.gravcomp != 0; }),
       springs ? used : unused);
  tell("wrench", !effects.wrenches.empty(), used);
  const BaseMotion& base = effects.base;
  tell("base velocity", !is_zero(base.angular_velocity) || !is_zero(base.linear_velocity), used);
  tell("base acceleration", !is_zero(base.angular_acceleration) || !is_zero(base.linear_acceleration), used);
  tell("free base", robot.model.base() == RootJoint::free, used);
  tell("planar base", robot.model.base() == RootJoint::planar, used);
  tell("lock", !robot.locks.empty(), used);
  tell("snapped", !plan.snapped.empty(), used);
  tell("unchecked", !robot.overridden.empty(), used);

  for (const std::size_t j : plan.snapped) features.snapped_joints.push_back(robot.model.joints()[j].name);
  features.largest_snap = plan.largest_snap;
  features.locks = robot.locks;
  features.maybe_free = robot.maybe_free;
  for (const Diagnostic& d : robot.overridden) features.overridden.push_back(to_string(d));
  return features;
}

void write_features(Json& json, const Features& features) {
  json.begin_object().fields("used", features.used, "unused", features.unused);
  if (!features.snapped_joints.empty()) {
    json.key("snapped").object("joints", features.snapped_joints, "largest_change", features.largest_snap);
  }
  if (!features.locks.empty()) {
    json.key("lock").begin_object();
    for (const Lock& lock : features.locks) json.fields(lock.joint, lock.value);
    json.end_object();
  }
  if (features.maybe_free) json.fields("base", cat(kTakenAsFixed, "; ", kHowToFree));
  if (!features.overridden.empty()) json.fields("unchecked", features.overridden);
  json.end_object();
}

std::string features_text(const Features& features) {
  std::string out = cat("In this result: ", features.used.empty() ? "no feature that can be switched" : joined(features.used), ".");
  if (!features.unused.empty()) out += cat(" In the model, but not in this result: ", joined(features.unused), ".");
  out += '\n';
  if (!features.snapped_joints.empty())
    out +=
        cat("Rotations taken as exact (largest change ", features.largest_snap, "): ", joined(features.snapped_joints), ". --snap 0 leaves them as written.\n");
  if (features.maybe_free) out += cat("Base: ", kTakenAsFixed, "; ", kHowToFree, ".\n");
  if (!features.overridden.empty())
    out += cat("UNCHECKED: computed in spite of ", features.overridden.size(), " broken rules of the model; see the warnings.\n");
  return out;
}

}  // namespace ulna::cli
