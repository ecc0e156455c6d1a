#include "faults.hpp"

#include <numbers>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/verify/verify.hpp>

#include "model/motion.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"

namespace ulna::test {

using internal::Coordinates;
using internal::Trial;

Link& link_of(Description& d, const std::string& name) {
  for (Link& link : d.links)
    if (link.name == name) return link;
  throw std::runtime_error("the test's robot has no link " + name);
}
Joint& joint_of(Description& d, const std::string& name) {
  for (Description::JointEntry& entry : d.joints)
    if (entry.joint.name == name) return entry.joint;
  throw std::runtime_error("the test's robot has no joint " + name);
}

Model spoilt(const Model& model, const std::vector<std::function<void(Description&)>>& faults) {
  Description d = internal::describe(model);
  for (const auto& fault : faults) fault(d);
  Diagnostics diagnostics;
  std::optional<Model> built = build(d, diagnostics);
  if (!built) throw SourceError(diagnostics.all());
  return *std::move(built);
}

namespace {

constexpr double kPi = std::numbers::pi;

/// A link with mass and the joint that moves it; another one the second time.
std::pair<std::string, std::string> a_place(const std::string& robot, bool second) {
  const Model model = load(robot);
  for (std::size_t k = model.nv() / 2 + (second ? 1 : 0); k < model.nv(); ++k) {
    const Joint& joint = model.joints()[model.independent()[k]];
    if (const Link& link = model.links()[joint.child]; link.mass > 0) return {link.name, joint.name};
  }
  throw std::runtime_error("no place for a fault in " + robot);
}

Sym3<double> about_origin(const Link& l) {
  const Vec3<double>& c = l.com;
  return l.inertia + l.mass * Sym3<double>{c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y, -c.x * c.y, -c.x * c.z, -c.y * c.z};
}

}  // namespace

std::vector<Fault> file_faults(bool second) {
  std::vector<Fault> out;
  const auto add = [&](std::string name, std::string robot, std::string kind, std::string where, std::function<void(Description&)> spoil) {
    out.push_back({std::move(name), std::move(robot), std::move(kind), std::move(where), std::move(spoil)});
  };
  const auto on_link = [](std::string link, std::function<void(Link&)> change) { return [=](Description& d) { change(link_of(d, link)); }; };
  const auto on_joint = [](std::string joint, std::function<void(Joint&)> change) { return [=](Description& d) { change(joint_of(d, joint)); }; };

  for (const std::string robot : {"panda", "ur5", "iiwa14", "humanoid-38"}) {
    const auto [link, joint] = a_place(robot, second);
    add("mass", robot, "mass", link, on_link(link, [](Link& l) { l.mass *= 1.3; }));
    add("mass guessed", robot, "mass", link, on_link(link, [](Link& l) { l.mass = 1.2345; }));
    add("mass centre", robot, "mass-centre", link, on_link(link, [](Link& l) { l.com = l.com + Vec3<double>{0.01, -0.02, 0.005}; }));
    add("inertia", robot, "inertia", link, on_link(link, [](Link& l) { l.inertia = 1.7 * l.inertia; }));
    add("inertia about the origin", robot, "inertia", link, on_link(link, [](Link& l) { l.inertia = about_origin(l); }));
    add("products reversed", robot, "inertia", link, on_link(link, [](Link& l) {
          l.inertia = {l.inertia.xx, l.inertia.yy, l.inertia.zz, -l.inertia.xy, -l.inertia.xz, -l.inertia.yz};
          if (l.inertia.xy == 0 && l.inertia.xz == 0 && l.inertia.yz == 0) l.inertia.xx += 0.1 * l.inertia.yy;  // it has none: another fault of the kind
        }));
    add("inertia frame", robot, "inertia-frame", link, on_link(link, [](Link& l) { l.inertia = congruence(rotation_rpy(0.3, -0.7, 1.1), l.inertia); }));
    add("armature", robot, "armature", joint, on_joint(joint, [](Joint& j) { j.rotor = 0.1 / (j.gear * j.gear) + j.rotor; }));
    add("damping", robot, "damping", joint, on_joint(joint, [](Joint& j) { j.friction.viscous += 0.7; }));
    add("friction", robot, "friction", joint, on_joint(joint, [](Joint& j) { j.friction.coulomb += 0.4; }));
    add("sign", robot, "joint-sign", joint, on_joint(joint, [](Joint& j) { j.axis = -j.axis; }));
    add("offset", robot, "joint-offset", joint, on_joint(joint, [](Joint& j) { j.X_PF = j.X_PF * internal::joint_motion(j, 0.4); }));
    add("axis", robot, "joint-axis", joint, on_joint(joint, [](Joint& j) { j.axis = rotation_rpy(0.5, 0.6, 0.7) * j.axis; }));
    add("frame moved", robot, "joint-frame", joint, on_joint(joint, [](Joint& j) { j.X_PF.p = j.X_PF.p + Vec3<double>{0.03, 0.02, 0.05}; }));
    add("frame turned", robot, "joint-frame", joint, on_joint(joint, [](Joint& j) { j.X_PF.R = j.X_PF.R * rotation_rpy(0.2, 0.3, 0); }));
    add("gravity", robot, "gravity", "gravity", [](Description& d) { d.gravity = {0, 0, -9.7}; });
    add("gravity turned", robot, "gravity", "gravity", [](Description& d) { d.gravity = {0, -9.81, 0}; });
    add("grams", robot, "units", link, on_link(link, [](Link& l) { l.mass *= 1000; }));
    add("millimetres", robot, "units", link, on_link(link, [](Link& l) { l.com = 1000.0 * l.com; }));
    add("link lost", robot, "missing-link", link, on_link(link, [](Link& l) { l.mass = 0, l.inertia = {}; }));
  }
  add("all rotors", "panda", "armature", "joint1, joint2, joint3, joint4, joint5, joint6, joint7", [](Description& d) {
    for (Description::JointEntry& e : d.joints)
      if (e.joint.type != JointType::fixed) e.joint.rotor = 0.1;
  });
  add("fixed link turned", "ur5", "joint-frame", "gripper_joint", [](Description& d) {
    for (Description::JointEntry& e : d.joints)
      if (e.joint.name == "gripper_joint") e.joint.X_PF.R = Mat3<double>::identity();
  });
  add("names exchanged", "panda", "joint-order", "joint2, joint6", [](Description& d) {
    joint_of(d, "joint2").name = "exchanged";
    joint_of(d, "joint6").name = "joint2";
    joint_of(d, "exchanged").name = "joint6";
  });
  add("degrees", "panda", "units", "joint4", [](Description& d) {
    Joint& joint = joint_of(d, "joint4");
    const Vec3<double> rpy = internal::rpy_of(joint.X_PF.R);
    joint.X_PF.R = rotation_rpy(rpy.x * kPi / 180, rpy.y * kPi / 180, rpy.z * kPi / 180);
  });
  add("base turned", "panda", "joint-frame", "joint1", [](Description& d) {
    Joint& joint = joint_of(d, "joint1");
    joint.X_PF = Pose<double>{rotation_rpy(0.3, 0.2, 0), {}} * joint.X_PF;
  });
  return out;
}

std::vector<ProgramFault> program_faults(bool second) {
  std::vector<ProgramFault> out;
  const auto add = [&](std::string name, std::string robot, std::string kind, std::string where, std::function<void(Trial&)> spoil, bool torque = true,
                       bool gravity = false, bool mass = false) {
    out.push_back({std::move(name), std::move(robot), std::move(kind), std::move(where), std::move(spoil), torque, gravity, mass});
  };
  for (const char* robot : {"panda", "ur5", "stanford"}) {
    const std::string name(robot);
    const Model model = load(robot);
    const std::size_t k = second ? 2 : 1;
    const std::string joint = model.coordinate_names()[k], other = model.coordinate_names()[k + 2];
    const std::string link = model.links()[model.joints()[model.independent()[second ? 3 : 2]].child].name;
    const std::string tip = model.links()[model.joints()[model.independent().back()].child].name;
    add("coriolis left out", name, "coriolis", "all joints", [](Trial& t) { t.velocity_terms = 0; });
    add("coriolis twice", name, "coriolis", "all joints", [](Trial& t) { t.velocity_terms = 2; });
    add("degrees", name, "units", "q, v, a", [](Trial& t) { t.coordinates.q_scale = t.coordinates.v_scale = t.coordinates.a_scale = kPi / 180; });
    add("sign", name, "joint-sign", joint, [k](Trial& t) { t.coordinates.sign[k] = -1; });
    add("order", name, "joint-order", joint + ", " + other, [k](Trial& t) { std::swap(t.coordinates.order[k], t.coordinates.order[k + 2]); });
    add("offset", name, "joint-offset", joint, [k](Trial& t) { t.coordinates.offset[k] = 0.3; });
    add("no gravity", name, "gravity", "gravity", [](Trial& t) { t.robot.gravity = {}; });
    add("gravity turned", name, "gravity", "gravity", [](Trial& t) { t.robot.gravity = {3, -4, -7}; });
    add(
        "gravity alone", name, "gravity", "gravity", [](Trial& t) { t.robot.gravity = 0.9 * t.robot.gravity; }, false, true);
    add("rotor", name, "armature", joint, [joint](Trial& t) { joint_of(t.robot, joint).rotor += 0.2 / std::pow(joint_of(t.robot, joint).gear, 2); });
    add(
        "rotor in M", name, "armature", joint, [joint](Trial& t) { joint_of(t.robot, joint).rotor += 0.2 / std::pow(joint_of(t.robot, joint).gear, 2); }, false,
        false, true);
    std::string every;
    for (const std::string& coordinate : model.coordinate_names()) every += (every.empty() ? "" : ", ") + coordinate;
    add("all rotors", name, "armature", every, [](Trial& t) {
      for (Description::JointEntry& e : t.robot.joints)
        if (e.joint.type != JointType::fixed) e.joint.rotor = e.joint.rotor * e.joint.gear * e.joint.gear + 0.1, e.joint.gear = 1;
    });
    add("damping", name, "damping", joint, [joint](Trial& t) { joint_of(t.robot, joint).friction.viscous += 1.5; });
    add("friction", name, "friction", joint, [joint](Trial& t) { joint_of(t.robot, joint).friction.coulomb += 0.5; });
    add("mass", name, "mass", link, [link](Trial& t) { link_of(t.robot, link).mass *= 1.25; });
    add("mass centre", name, "mass-centre", link, [link](Trial& t) {
      link_of(t.robot, link).com = link_of(t.robot, link).com + Vec3<double>{0.02, 0.01, -0.03};
    });
    add("inertia about the origin", name, "inertia", link, [link](Trial& t) { link_of(t.robot, link).inertia = about_origin(link_of(t.robot, link)); });
    add("load", name, "missing-link", tip, [tip](Trial& t) {
      Link& l = link_of(t.robot, tip);
      const PseudoInertia<double> sum = pseudo_inertia(l.mass, l.com, l.inertia) + pseudo_inertia(1.5, {0.02, 0.03, 0.1}, {0.01, 0.012, 0.008, 0.001, 0, 0});
      l.mass = sum.m, l.com = (1 / sum.m) * sum.h, l.inertia = inertia_about_com(sum);
    });
  }
  return out;
}

Numbers some_states(const Model& model) {
  Numbers numbers;
  numbers.states = 30;
  StateSampler sampler(model, 7);
  std::vector<double> q, v, a;
  for (std::size_t s = 0; s < numbers.states; ++s) {
    sampler.next(q, v, a);
    numbers.q.insert(numbers.q.end(), q.begin(), q.end());
    numbers.v.insert(numbers.v.end(), v.begin(), v.end());
    numbers.a.insert(numbers.a.end(), a.begin(), a.end());
  }
  return numbers;
}

Numbers printed(const Model& model, const std::vector<std::function<void(Trial&)>>& faults, bool torque, bool gravity, bool mass) {
  const std::size_t n = model.nv();
  if (model.nq() != n) throw std::runtime_error("robots with a fixed base only");
  Numbers numbers = some_states(model);
  std::vector<double> q(n), v(n), a(n);
  Trial trial{internal::describe(model), Coordinates(model.independent().size())};
  for (const auto& fault : faults) fault(trial);
  // By hand, not by the comparison that is tested.
  Diagnostics ignored;
  const Model faulty = *build(trial.robot, ignored);
  const Plan plan = make_plan(faulty, {.snap = 0});
  Workspace ws(plan);
  Effects effects, bare;
  effects.friction = true;
  const Coordinates& c = trial.coordinates;
  std::vector<double> tau(n), bias(n), g(n), M(n * n);
  for (std::size_t s = 0; s < numbers.states; ++s) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t from = s * n + c.order[k];
      q[k] = c.sign[k] * c.q_scale * numbers.q[from] + c.offset[k];
      v[k] = c.sign[k] * c.v_scale * numbers.v[from];
      a[k] = c.sign[k] * c.a_scale * numbers.a[from];
    }
    inverse_dynamics(plan, ws, q, v, a, tau, effects);
    bias_forces(plan, ws, q, v, bias, bare);
    gravity_forces(plan, ws, q, g);
    mass_matrix(plan, ws, q, MatrixView<double>(M.data(), n, n));
    std::vector<double> row(n), grow(n), mrow(n * n);
    for (std::size_t k = 0; k < n; ++k) {
      row[c.order[k]] = c.sign[k] * (tau[k] + (trial.velocity_terms - 1) * (bias[k] - g[k]));
      grow[c.order[k]] = c.sign[k] * g[k];
      for (std::size_t j = 0; j < n; ++j) mrow[c.order[k] * n + c.order[j]] = c.sign[k] * c.sign[j] * M[k * n + j];
    }
    if (torque) numbers.tau.insert(numbers.tau.end(), row.begin(), row.end());
    if (gravity) numbers.gravity.insert(numbers.gravity.end(), grow.begin(), grow.end());
    if (mass) numbers.mass.insert(numbers.mass.end(), mrow.begin(), mrow.end());
  }
  return numbers;
}

std::string listing(const Explanation& e) {
  std::string out = internal::cat("before ", e.before, ", left ", e.residual, "\n");
  for (const Cause& c : e.causes) out += internal::cat("  ", c.kind, " at ", c.where, ", share ", c.share, ", left ", c.residual_after, ": ", c.edit, "\n");
  return out;
}

}  // namespace ulna::test
