#include "robot.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include <ulna/formulation/reactions.hpp>
#include <ulna/formulation/speeds.hpp>

#include "programs/interface.hpp"

#include "arrays.hpp"
#include "states.hpp"
#include "words.hpp"

namespace ulna::python {

nb::object text(std::string_view value) {
  // Names come from files of any encoding; what is no UTF-8 must not stop a message.
  return nb::steal(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
}

nb::list strings(const std::vector<std::string>& values) {
  nb::list out;
  for (const std::string& value : values) out.append(text(value));
  return out;
}

nb::list problems(const std::vector<Diagnostic>& diagnostics) {
  nb::list out;
  for (const Diagnostic& d : diagnostics) {
    const char* severity = d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
    out.append(nb::make_tuple(text(severity), text(d.file), d.line, text(to_string(d.element)), text(python_words(d.problem)), text(python_words(d.cure)),
                              d.kind == Kind::physical, d.overridden, text(python_words(to_string(d))), text(d.chain)));
  }
  return out;
}

nb::dict counts(const OperationCounts& counts) {
  nb::dict out;
  out["mul"] = counts.mul;
  out["add"] = counts.add;
  out["div"] = counts.div;
  out["sincos"] = counts.sincos;
  return out;
}

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

/// A frame: rotation row by row, then origin.
using Twelve = std::vector<double>;

Vec3<double> vec3(const std::vector<double>& v, const char* what) {
  if (v.size() != 3) throw std::invalid_argument(cat(what, " has ", v.size(), " numbers, but must have 3"));
  return {v[0], v[1], v[2]};
}

Pose<double> pose(const Twelve& x) {
  if (x.size() != 12) throw std::invalid_argument(cat("a frame has ", x.size(), " numbers, but must have 12"));
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}

nb::tuple tuple_of(const Vec3<double>& v) { return nb::make_tuple(v.x, v.y, v.z); }

RootJoint root_joint(const std::string& name) {
  if (const std::optional<RootJoint> base = root_joint_named(name)) return *base;
  throw std::invalid_argument(cat(there_is_no("kind of base", name, {"fixed", "planar", "free"}), "; there are fixed, planar and free"));
}

/// In the order in which Python passes them.
using Given = std::tuple<std::vector<std::pair<std::string, double>>, bool, std::optional<std::vector<double>>, bool, bool, bool, std::optional<std::string>,
                         std::string, std::vector<std::string>, std::vector<std::pair<std::string, std::string>>,
                         std::vector<std::pair<std::string, std::string>>, std::vector<std::string>, std::string>;

LoadOptions options_of(const Given& given) {
  const auto& [locks, free_mimics, gravity, rotor, unchecked, open_loops, base, loop_file, independent, xacro_args, packages, package_paths, friction_file] =
      given;
  LoadOptions out;
  out.mimic = free_mimics ? MimicPolicy::ignore : MimicPolicy::honour;
  for (const auto& [joint, value] : locks) out.locks.push_back({joint, value});
  if (gravity) out.gravity = vec3(*gravity, "gravity");
  out.rotor = rotor;
  out.unchecked = unchecked;
  out.loops = open_loops ? LoopPolicy::ignore : LoopPolicy::honour;
  if (base) out.base = root_joint(*base);
  out.loop_file = loop_file;
  out.independent = independent;
  out.xacro_args = xacro_args;
  out.packages = packages;
  out.package_paths = package_paths;
  out.friction_file = friction_file;
  return out;
}

/// (model or None, problems, found)
nb::tuple loaded(LoadResult&& result) {
  nb::object model = nb::none();
  if (result.model) model = nb::cast(RobotModel(*std::move(result.model), result.diagnostics));
  return nb::make_tuple(model, problems(result.diagnostics), result.found);
}

nb::tuple load_source(const std::string& source, const Given& given) {
  const LoadOptions options = options_of(given);
  LoadResult result;
  {
    const nb::gil_scoped_release release;
    result = try_load(source, options);
  }
  return loaded(std::move(result));
}

nb::tuple load_text(nb::bytes content, const std::string& file, const Given& given) {
  const LoadOptions options = options_of(given);
  const std::string_view view(content.c_str(), content.size());
  LoadResult result;
  {
    const nb::gil_scoped_release release;
    result = try_parse(view, file, options);
  }
  return loaded(std::move(result));
}

JointType joint_type(const std::string& name) {
  constexpr JointType kTypes[] = {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic, JointType::ball};
  for (const JointType type : kTypes)
    if (name == to_string(type)) return type;
  throw std::invalid_argument(there_is_no("joint type", name, names_of(kTypes, [](JointType type) { return to_string(type); })));
}

using LinkRow = std::tuple<std::string, double, std::vector<double>, std::vector<double>>;  // name, mass, com, inertia xx yy zz xy xz yz
using Coupling = std::tuple<std::string, double, double>;                                   // leader (none where empty), multiplier, offset
using JointRow = std::tuple<std::string, std::string, std::string, std::string, Twelve, std::vector<double>, Twelve, std::vector<double>, Coupling>;

using LoopRow = std::tuple<std::string, std::string, std::string, std::string, Twelve, Twelve>;  // name, type, predecessor, successor, frames on them

/// From what other libraries' objects hold.
nb::tuple build_model(const std::string& name, const std::string& origin, const std::vector<double>& gravity, const std::vector<LinkRow>& links,
                      const std::vector<JointRow>& joints, const std::vector<LoopRow>& loops, bool unchecked) {
  Description d;
  d.name = name;
  d.file = origin;
  d.gravity = vec3(gravity, "gravity");
  for (const auto& [link_name, mass, com, inertia] : links) {
    if (inertia.size() != 6) throw std::invalid_argument(cat("an inertia has ", inertia.size(), " numbers, but must have 6"));
    Link link;
    link.name = link_name;
    link.mass = mass;
    link.com = vec3(com, "a mass centre");
    link.inertia = {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]};
    link.inertial = mass != 0;
    d.links.push_back(std::move(link));
  }
  for (const auto& [joint_name, type, parent, child, X_PF, axis, X_MB, numbers, coupling] : joints) {
    if (numbers.size() != 8 && numbers.size() != 9) throw std::invalid_argument(cat("a joint has ", numbers.size(), " numbers, but must have 8 or 9"));
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    joint.name = joint_name;
    joint.type = joint_type(type);
    joint.X_PF = pose(X_PF);
    joint.axis = vec3(axis, "an axis");
    joint.X_MB = pose(X_MB);
    joint.lower = numbers[0];
    joint.upper = numbers[1];
    joint.effort = numbers[2];
    joint.velocity = numbers[3];
    joint.rotor = numbers[4];
    joint.gear = numbers[5];
    joint.friction = {numbers[6], numbers[7], numbers.size() > 8 ? numbers[8] : 0.0};
    const auto& [leader, multiplier, offset] = coupling;
    entry.leader = leader;
    if (!leader.empty()) joint.mimic = Mimic{kNone, multiplier, offset};
    entry.parent = parent;
    entry.child = child;
    d.joints.push_back(std::move(entry));
  }
  Diagnostics diagnostics(origin);
  LoadResult result;
  result.model = build(d, diagnostics);
  if (result.model) check(*result.model, diagnostics);
  if (unchecked) diagnostics.override_physical_errors();
  LoopDescription closing;
  for (const auto& [loop_name, type, predecessor, successor, X_PA, X_SB] : loops) {
    LoopDescription::Entry entry{{}, predecessor, successor};
    entry.loop.name = loop_name;
    entry.loop.type = loop_type_named(type).value();
    entry.loop.X_PA = pose(X_PA), entry.loop.X_SB = pose(X_SB);
    closing.loops.push_back(std::move(entry));
  }
  if (result.model && !diagnostics.has_errors()) result.model = with_loops(*result.model, closing, diagnostics);
  if (diagnostics.has_errors()) result.model.reset();
  result.diagnostics = diagnostics.all();
  return loaded(std::move(result));
}

nb::list joint_rows(const RobotModel& robot, bool independent_only) {
  const Model& model = robot.model;
  std::vector<bool> wanted(model.joints().size(), !independent_only);
  for (const std::size_t j : model.independent()) wanted[j] = true;
  nb::list out;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    if (!wanted[j]) continue;
    const Joint& joint = model.joints()[j];
    nb::dict further;
    for (const FrictionField& field : further_friction())
      if (field.given(joint.friction)) further[field.name] = joint.friction.*field.number;
    const auto link = [&](std::size_t k) { return text(model.links()[k].name); };
    out.append(nb::make_tuple(text(joint.name), text(to_string(joint.type)), link(joint.parent), link(joint.child), joint.lower, joint.upper, joint.effort,
                              joint.velocity, joint.rotor, joint.gear, joint.friction.viscous, joint.friction.coulomb,
                              joint.mimic ? text(model.joints()[joint.mimic->leader].name) : nb::none(), joint.mimic ? joint.mimic->multiplier : 1.0,
                              joint.mimic ? joint.mimic->offset : 0.0, joint.friction.level(), joint.acceleration, joint.deceleration, joint.jerk, further));
  }
  return out;
}

nb::list link_rows(const RobotModel& robot) {
  nb::list out;
  for (const Link& link : robot.model.links()) {
    const Sym3<double>& I = link.inertia;
    out.append(nb::make_tuple(text(link.name), link.mass, tuple_of(link.com), nb::make_tuple(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz)));
  }
  return out;
}

/// Of every link at the reference, q = 0 where there are no loops: its parent (-1 for the root), the joint's type, and the place of the link's origin. For
/// drawings.
nb::list skeleton(const RobotModel& robot) {
  const Model& model = robot.model;
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  const std::vector<double> q = model.reference();
  std::vector<Pose<double>> poses(model.links().size());
  link_poses(plan, workspace, q, VectorView<Pose<double>>(poses.data(), poses.size()));
  nb::list out;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const Joint* joint = k == 0 ? nullptr : &model.joints()[k - 1];
    out.append(nb::make_tuple(joint == nullptr ? -1 : static_cast<long>(joint->parent), joint == nullptr ? text("root") : text(to_string(joint->type)),
                              tuple_of(poses[k].p)));
  }
  return out;
}

nb::tuple to_text(const RobotModel& robot, std::optional<std::string> (*write)(const Model&, Diagnostics&)) {
  Diagnostics diagnostics(robot.model.file());
  const std::optional<std::string> out = write(robot.model, diagnostics);
  return nb::make_tuple(out ? text(*out) : nb::none(), problems(diagnostics.all()));
}

nb::tuple sample(const RobotModel& robot, std::size_t count, std::uint64_t seed) {
  const Model& model = robot.model;
  StateSampler sampler(model, seed);
  nb::object arrays[3];
  Memory memory[3];
  double* to[3];
  for (std::size_t i = 0; i < 3; ++i) {
    arrays[i] = new_array({count, i == 0 ? model.nq() : model.nv()}, Real::float64);
    if (!memory[i].open(arrays[i], true)) throw nb::type_error("cannot write to a new array");
    to[i] = reinterpret_cast<double*>(memory[i].data());
  }
  {
    const nb::gil_scoped_release release;
    std::vector<double> one[3];
    for (std::size_t k = 0; k < count; ++k) {
      sampler.next(one[0], one[1], one[2]);
      for (std::size_t i = 0; i < 3; ++i) to[i] = std::copy(one[i].begin(), one[i].end(), to[i]);
    }
  }
  return nb::make_tuple(arrays[0], arrays[1], arrays[2]);
}

using Numbers = std::vector<double>;

Numbers integrated(const RobotModel& robot, const Numbers& q, const Numbers& v, double dt) {
  Numbers to(robot.model.nq());
  integrate(robot.model, q, v, dt, to);
  return to;
}

Numbers difference_of(const RobotModel& robot, const Numbers& q0, const Numbers& q1) {
  Numbers v(robot.model.nv());
  difference(robot.model, q0, q1, v);
  return v;
}

/// How far q is from being closed [m, or rad].
double residual_of(const RobotModel& robot, const Numbers& q) { return robot.model.closed() ? robot.loops().residual(q).residual : 0; }

/// Why a state cannot be closed, and a cure; empty where it can. q is of all joints, or of the independent ones alone.
std::string problem_of(const RobotModel& robot, const Numbers& q) {
  const Model& model = robot.model;
  if (!model.closed()) return {};
  Numbers all = q;
  Closure closure;
  if (q.size() == fewest_positions(model)) {
    all = model.reference();
    const std::size_t base = base_nq(model.base()), base_v = base_nv(model.base());
    std::copy_n(q.begin(), base, all.begin());
    const EliminationOrder order = model.order();
    for (std::size_t k = base_v; k < order.independent.size(); ++k) all[order.independent[k] + base - base_v] = q[base + k - base_v];
    closure = robot.loops().assemble(all);
  } else {
    closure = robot.loops().close(all);
  }
  const ClosureProblem wrong = problem(closure, model.loops());
  return wrong.what.empty() ? std::string() : cat(wrong.what, "; ", wrong.cure);
}

/// (v_tree, a_tree, G row by row) of a closed configuration.
nb::tuple tree_motion(const RobotModel& robot, const Numbers& q, const Numbers& v, const Numbers& a) {
  const Model& model = robot.model;
  const auto require = [&](const char* name, std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::invalid_argument(cat(name, " has ", got, " numbers, but robot ", in_quotes(model.name()), " has ", wanted));
  };
  require("q", q.size(), model.nq()), require("v", v.size(), model.nv()), require("a", a.size(), model.nv());
  const std::size_t n = model.nv_tree(), m = model.nv();
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  Numbers motion(row_of(Quantity::loop_motion).size(plan.sizes())), unit(m), G(n * m);
  // v_tree = G v, column by column.
  for (std::size_t k = 0; k < m; ++k) {
    unit[k] = 1;
    compute(Quantity::loop_motion, plan, workspace, {q.data(), unit.data()}, motion.data());
    for (std::size_t i = 0; i < n; ++i) G[i * m + k] = motion[i];
    unit[k] = 0;
  }
  compute(Quantity::loop_motion, plan, workspace, {q.data(), v.data(), a.data()}, motion.data());
  const auto end = motion.begin() + static_cast<std::ptrdiff_t>(n);
  const Numbers speeds(motion.begin(), end), accelerations(end, end + static_cast<std::ptrdiff_t>(n));
  return nb::make_tuple(speeds, accelerations, G);
}

/// Of every loop: force, then moment.
Numbers reactions_of(const RobotModel& robot, const Numbers& q, const Numbers& v, const Numbers& a) {
  const Plan plan = make_plan(robot.model);
  Workspace workspace(plan);
  Numbers motion(row_of(Quantity::loop_motion).size(plan.sizes())), out;
  compute(Quantity::loop_motion, plan, workspace, {q.data(), v.data(), a.data()}, motion.data());
  const double* x = motion.data() + 2 * plan.nv;
  for (const Loop& loop : robot.model.loops())
    for (int part = 0; part < 2; ++part, x += 3) {
      const Vec3<double> turned = rotation_z_to(loop.axis) * Vec3<double>{x[0], x[1], x[2]};  // as the file has the axes of A
      out.insert(out.end(), {turned.x, turned.y, turned.z});
    }
  return out;
}

/// Of every joint that moves: force, then moment. `third`: accelerations, or torques where `forward` says so.
Numbers joint_reactions_of(const RobotModel& robot, const Numbers& q, const Numbers& v, const Numbers& third, bool forward, const std::string& formulation) {
  JointReactions reactions(Prepared(robot.model), forward ? Quantity::forward : Quantity::inverse, formulation_named(formulation));
  Numbers out;
  for (const JointReaction& one : reactions.compute({q.data(), v.data(), third.data()}))
    for (const Vec3<double>& x : {one.force, one.moment}) out.insert(out.end(), {x.x, x.y, x.z});
  return out;
}

/// Names, expressions, where they are singular, u of the rates v, and the joint torques by Kane's equations in these speeds.
nb::tuple in_speeds(const RobotModel& robot, const std::string& choice, const Numbers& q, const Numbers& v, const Numbers& a) {
  Prepared prepared(robot.model);
  std::shared_ptr<const Speeds> speeds;
  try {
    speeds = std::make_shared<const Speeds>(choose_speeds(robot.model, choice));
  } catch (const SourceError& error) {
    throw std::invalid_argument(error.what());
  }
  prepared.speeds = speeds;
  Numbers u(speeds->size()), tau(speeds->size());
  speeds->from_rates(q, v, u);
  FormulationOnModel(formulation_of_speeds(), Quantity::inverse, prepared).compute(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data());
  return nb::make_tuple(strings(speeds->names()), strings(speeds->expressions()), text(speeds->singular_where()), u, tau);
}

/// Quaternions with unit length; one that is off by more than files and floats explain is refused.
Numbers normalized(const RobotModel& robot, Numbers q) {
  if (q.size() == robot.model.nq()) require_unit(robot.model, q.data());
  normalize(robot.model, q);
  return q;
}

/// (q, v, a, tau) of one state, as another program writes them; none for what is not there.
nb::tuple translated(const RobotModel& robot, Numbers q, std::optional<Numbers> v, std::optional<Numbers> a, std::optional<Numbers> tau,
                     const std::string& quaternion, const std::string& axes, const std::string& order, const std::string& acceleration) {
  const Model& model = robot.model;
  const auto choose = [](const char* what, const std::string& word, std::vector<std::string> words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) throw std::invalid_argument(cat(what, " is ", listed(words, "or"), ", not ", in_quotes(word)));
    return found - words.begin();
  };
  BaseConvention from;
  from.quaternion = static_cast<BaseConvention::Quaternion>(choose("quaternion", quaternion, {"xyzw", "wxyz"}));
  from.axes = static_cast<BaseConvention::Axes>(choose("base_axes", axes, {"local", "world", "mixed"}));
  from.order = static_cast<BaseConvention::Order>(choose("base_order", order, {"angular", "linear"}));
  from.acceleration = static_cast<BaseConvention::Acceleration>(choose("acceleration", acceleration, {"classical", "spatial"}));
  if (model.base() != RootJoint::free) throw std::invalid_argument(cat("the base of robot ", in_quotes(model.name()), " is ", to_string(model.base())));
  if (from.acceleration == BaseConvention::Acceleration::spatial && from.axes != BaseConvention::Axes::local)
    throw std::invalid_argument("acceleration='spatial' is meant in the root link's axes: base_axes='local'");
  if (from.acceleration == BaseConvention::Acceleration::spatial && a && !v) throw std::invalid_argument("a spatial acceleration needs v");
  const auto data = [&](const char* name, std::optional<Numbers>& x) -> double* {
    if (!x) return nullptr;
    if (x->size() != model.nv())
      throw std::invalid_argument(cat(name, " has ", x->size(), " numbers, but robot ", in_quotes(model.name()), " has nv = ", model.nv()));
    return x->data();
  };
  if (q.size() != model.nq()) throw std::invalid_argument(cat("q has ", q.size(), " numbers, but robot ", in_quotes(model.name()), " has nq = ", model.nq()));
  double *to_v = data("v", v), *to_a = data("a", a), *to_tau = data("tau", tau);
  to_ulna({.quaternion = from.quaternion}, q.data(), nullptr, nullptr, nullptr);
  q = normalized(robot, std::move(q));
  from.quaternion = BaseConvention::Quaternion::xyzw;
  to_ulna(from, q.data(), to_v, to_a, to_tau);
  return nb::make_tuple(q, v, a, tau);
}

nb::list builtin_models() {
  nb::list out;
  for (const BuiltinRobot& robot : builtin_robots()) out.append(nb::make_tuple(text(robot.id), text(robot.summary)));
  return out;
}

}  // namespace

void bind_robot(nb::module_& m) {
  nb::class_<RobotModel>(m, "Model")
      .def_prop_ro("name", [](const RobotModel& r) { return text(r.model.name()); })
      .def_prop_ro("file", [](const RobotModel& r) { return text(r.model.file()); })
      .def_prop_ro("gravity", [](const RobotModel& r) { return tuple_of(r.model.gravity()); })
      .def_prop_ro("mass", [](const RobotModel& r) { return r.model.mass(); })
      .def_prop_ro("nq", [](const RobotModel& r) { return r.model.nq(); })
      .def_prop_ro("nv", [](const RobotModel& r) { return r.model.nv(); })
      .def_prop_ro("base", [](const RobotModel& r) { return text(to_string(r.model.base())); })
      .def_prop_ro("quaternions", [](const RobotModel& r) { return r.model.quaternions(); })
      .def("neutral", [](const RobotModel& r) { return neutral(r.model); })
      .def_prop_ro("nv_tree", [](const RobotModel& r) { return r.model.nv_tree(); })
      .def_prop_ro("reference", [](const RobotModel& r) { return r.model.reference(); })
      .def_prop_ro("singularity", [](const RobotModel& r) { return r.model.singularity(); })
      .def_prop_ro("redundant",
                   [](const RobotModel& r) {
                     std::size_t rows = 0;
                     for (const Loop& loop : r.model.loops()) rows += loop_rows(loop.type);
                     return rows - r.model.dependent().size();
                   })
      .def("loops",
           [](const RobotModel& r) {
             nb::list out;
             for (const Loop& loop : r.model.loops())
               out.append(nb::make_tuple(text(loop.name), text(to_string(loop.type)), text(r.model.links()[loop.predecessor].name),
                                         text(r.model.links()[loop.successor].name)));
             return out;
           })
      .def("residual", &residual_of)
      .def("problem", [](const RobotModel& r, const Numbers& q) { return text(problem_of(r, q)); })
      .def("tree_motion", &tree_motion)
      .def("reactions", &reactions_of)
      .def("joint_reactions", &joint_reactions_of)
      .def("in_speeds", &in_speeds)
      .def("names",
           [](const RobotModel& r) {
             return nb::make_tuple(strings(r.model.position_names()), strings(r.model.velocity_names()), strings(r.model.effort_names()));
           })
      .def("integrate", &integrated)
      .def("difference", &difference_of)
      .def("normalize", &normalized)
      .def("translate", &translated, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg())
      .def("joints", &joint_rows)
      .def("links", &link_rows)
      .def("skeleton", &skeleton)
      .def("to_urdf", [](const RobotModel& r) { return to_text(r, write_urdf); })
      .def("to_mjcf", [](const RobotModel& r) { return to_text(r, write_mjcf); })
      .def("to_sdf", [](const RobotModel& r) { return to_text(r, write_sdf); })
      .def("sample", &sample)
      .def("hash", [](const RobotModel& r) { return model_hash(r.model); });
  m.def("load_source", &load_source);
  m.def("load_text", &load_text);
  m.def("build_model", &build_model);
  m.def("builtin_models", &builtin_models);
  m.attr("largest_file") = ReadLimits{}.file_bytes;
}

}  // namespace ulna::python
