#include <ulna/check/check.hpp>

#include <algorithm>
#include <cmath>

#include "check/nonsingular.hpp"
#include "model/moving_tree.hpp"
#include "model/why_no_body.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

struct Verdict {
  std::string problem;  // empty when the body is possible
  std::string cure;
};

/// Can a body of positive density have this mass and this inertia about its mass centre? `noise` is the rounding in the tensor.
Verdict judge(double mass, const Sym3<double>& inertia, double noise) {
  const Vec3<double> moments = principal_moments(inertia);
  const std::string values = cat("principal moments ", rounded(moments.x), ", ", rounded(moments.y), ", ", rounded(moments.z));
  switch (body_fault(mass, moments, noise)) {
    case BodyFault::none: return {};
    case BodyFault::negative_mass: return {cat("its mass is ", mass, " kg"), "a mass cannot be negative"};
    case BodyFault::inertia_without_mass: return {"it has no mass, but its inertia is not zero", "give it a mass, or set the inertia to zero"};
    case BodyFault::negative_moment: return {cat(values, ": the inertia is not positive"), "check signs and that the tensor is about the mass centre"};
    case BodyFault::triangle:
      return {cat(values, " break the triangle inequality: no body has them"),
              "check that the inertia is about the mass centre and the products have the right sign"};
  }
  return {};
}

std::string link_list(const Model& model, const std::vector<std::size_t>& links) {
  std::string out;
  for (const std::size_t i : links) out += cat(out.empty() ? "" : ", ", in_quotes(model.links()[i].name));
  return out;
}

void check_masses(const Model& model, Diagnostics& diagnostics) {
  const MovingTree tree = merge_fixed(model, 0);
  std::vector<std::vector<std::size_t>> links_of_body(tree.bodies.size());
  // A moving base is treated as a body: the last one here.
  const bool moves = model.base() != RootJoint::fixed;
  const std::size_t base = tree.bodies.size();
  links_of_body.resize(base + 1);
  const auto body_of = [&](std::size_t link) { return moves && tree.body_of_link[link] == kNone ? base : tree.body_of_link[link]; };
  for (std::size_t i = 0; i < model.links().size(); ++i)
    if (model.links()[i].inertial && body_of(i) != kNone) links_of_body[body_of(i)].push_back(i);

  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    if (!check_mass(link, diagnostics)) continue;
    const std::size_t body = body_of(i);
    const bool alone = body != kNone && links_of_body[body].size() == 1;
    const Verdict verdict = judge(link.mass, link.inertia, 0);
    if (verdict.problem.empty()) continue;
    const Element element = Element::link(link.name);
    if (alone)
      diagnostics.physical(link.partial, link.line, element, verdict.problem,
                           link.partial ? "accepted, because the file calls its inertia partial" : verdict.cure);
    else
      diagnostics.physical(true, link.line, element, verdict.problem,
                           body == kNone ? "accepted, because this link does not move" : "accepted, if the rigid group it belongs to is sound");
  }

  for (std::size_t b = 0; b < links_of_body.size(); ++b) {
    const std::vector<std::size_t>& members = links_of_body[b];
    if (members.size() < 2) continue;
    const PseudoInertia<double>& body = b == base ? tree.base : tree.bodies[b].inertia;
    const double noise = 64 * std::numeric_limits<double>::epsilon() * std::abs(body.J().trace());
    const Verdict verdict = judge(body.m, inertia_about_com(body), noise);
    if (verdict.problem.empty()) continue;
    const bool negative_member = std::any_of(members.begin(), members.end(), [&](std::size_t i) { return model.links()[i].mass < 0; });
    if (negative_member) continue;  // said already
    const bool partial = std::any_of(members.begin(), members.end(), [&](std::size_t i) { return model.links()[i].partial; });
    diagnostics.physical(partial, model.links()[members.front()].line, cat("links ", link_list(model, members)),
                         cat("they move as one body, and ", verdict.problem),
                         partial ? "accepted, because the file calls an inertia of theirs partial" : verdict.cure);
  }
}

void check_singularity(const Model& model, Diagnostics& diagnostics, const CheckOptions& options) {
  for (const std::size_t j : singular_joints(model, options.rotor)) {
    if (j == kNone) {
      const Link& root = model.links().front();
      diagnostics.physical(false, root.line, Element::link(root.name),
                           cat("the inertia matrix is singular: its ", to_string(model.base()), " base can move in a way that no inertia opposes"),
                           "give the root link a mass and an inertia, or fix the base");
      continue;
    }
    const Joint& joint = model.joints()[j];
    const Link& link = model.links()[joint.child];
    diagnostics.physical(false, link.line, Element::link(link.name),
                         cat("the inertia matrix is singular: joint ", in_quotes(joint.name), " can move in a way that no inertia opposes"),
                         "give the link a mass and an inertia, give the joint a rotor inertia, or lock the joint");
  }
}

void check_friction(const Joint& joint, Diagnostics& diagnostics) {
  const Element element = Element::joint(joint.name);
  const Friction& f = joint.friction;
  const auto negative = [&](const FrictionField& field) { return !field.any && f.*field.number < 0; };
  if (std::any_of(std::begin(kFrictionFields), std::end(kFrictionFields), negative))
    diagnostics.physical(false, joint.line, element, "its friction is negative", "friction opposes motion: give positive coefficients");
  if (std::abs(f.asymmetry) > f.coulomb || std::abs(f.viscous_asymmetry) > f.viscous)
    diagnostics.physical(false, joint.line, element, "its friction drives it in one direction: an asymmetry is larger than what it is added to",
                         "give |asymmetry| <= coulomb and |viscous_asymmetry| <= viscous");
  if (f.load >= 1)
    diagnostics.error(joint.line, element, cat("its load-dependent friction is ", f.load, " of the torque that it transmits, so that it never moves"),
                      "give a share below 1, such as 0.1");
  if (f.load != 0 && joint.mimic)
    diagnostics.error(joint.line, element, "it follows another joint, whose drive transmits its torque: load-dependent friction is that joint's",
                      "give the load to the joint that leads");
  if (f.load != 0 && joint.type == JointType::ball)
    diagnostics.error(joint.line, element,
                      "it is a ball joint, which has no drive of one axis that transmits a torque: load-dependent friction is for hinges and slides",
                      "leave the load out");
  if (!(f.stribeck_exponent > 0))
    diagnostics.error(joint.line, element, cat("the exponent of its Stribeck curve is ", f.stribeck_exponent), "give a positive number; 2 is usual");
}

}  // namespace

bool check_mass(const Link& link, Diagnostics& diagnostics) {
  if (!(link.mass < 0)) return true;
  diagnostics.physical(false, link.line, Element::link(link.name), cat("its mass is ", link.mass, " kg"), "a mass cannot be negative");
  return false;
}

void check(const Model& model, Diagnostics& diagnostics, const CheckOptions& options) {
  const std::size_t errors_before = diagnostics.count(Severity::error);
  for (const Joint& joint : model.joints()) {
    const Element element = Element::joint(joint.name);
    if (joint.rotor < 0) diagnostics.physical(false, joint.line, element, cat("its rotor inertia is ", joint.rotor, " kg m²"), "an inertia cannot be negative");
    check_friction(joint, diagnostics);
    if (joint.lower > joint.upper)
      diagnostics.error(joint.line, element, cat("its lower limit ", joint.lower, " is above its upper limit ", joint.upper), "swap or correct them");
  }
  check_masses(model, diagnostics);
  if (diagnostics.count(Severity::error) == errors_before) check_singularity(model, diagnostics, options);
}

Model build(const Description& description) {
  Diagnostics diagnostics(description.file);
  std::optional<Model> model = build(description, diagnostics);
  if (model)
    check(*model, diagnostics);
  else if (!diagnostics.has_errors())
    diagnostics.error(0, "robot", "a joint has no parent or no child", "name both links of every joint");
  if (diagnostics.has_errors()) throw SourceError(diagnostics.all());
  return *std::move(model);
}

}  // namespace ULNA_API
