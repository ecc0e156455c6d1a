#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include <ulna/source/load_mechanism.hpp>

#include "robot.hpp"
#include "text/cat.hpp"

namespace ulna::python {

namespace {

using Numbers = std::vector<double>;

/// (mechanism or None, problems, found)
nb::tuple load_closed(const std::string& source, const std::string& loop_file, std::vector<std::string> independent,
                      std::vector<std::pair<std::string, double>> locks, std::optional<Numbers> gravity, bool unchecked) {
  MechanismOptions options;
  for (const auto& [joint, value] : locks) options.robot.locks.push_back({joint, value});
  if (gravity) {
    if (gravity->size() != 3) throw std::invalid_argument(cat("gravity has ", gravity->size(), " numbers, but must have 3"));
    options.robot.gravity = Vec3<double>{(*gravity)[0], (*gravity)[1], (*gravity)[2]};
  }
  options.robot.unchecked = unchecked;
  options.loop_file = loop_file;
  options.independent = std::move(independent);
  MechanismResult result;
  {
    const nb::gil_scoped_release release;
    const bool is_text = source.find('\n') != std::string::npos || source.starts_with("<");
    result = is_text ? try_parse_mechanism(source, "text", options) : try_load_mechanism(source, options);
  }
  nb::object made = nb::none();
  if (result.mechanism) made = nb::cast(*std::move(result.mechanism));
  return nb::make_tuple(made, problems(result.robot.diagnostics), result.robot.found);
}

/// (q, residual, problem): dependent positions from those of q, or, where q is of the independent joints alone, from the reference assembly. A state with a
/// problem must not be computed.
nb::tuple closed(const Mechanism& robot, Numbers q) {
  Closure closure;
  if (q.size() == robot.mobility() && q.size() != robot.nv()) {
    Numbers all = robot.reference();
    for (std::size_t k = 0; k < q.size(); ++k) all[robot.independent()[k]] = q[k];
    q = all;
    closure = robot.assemble(q);
  } else {
    closure = robot.close(q);
  }
  if (std::isnan(closure.residual)) std::fill(q.begin(), q.end(), closure.residual);
  const ClosureProblem wrong = problem(closure, robot.loops());
  return nb::make_tuple(q, closure.residual, text(wrong.what.empty() ? std::string() : cat(wrong.what, "; ", wrong.cure)));
}

template <class F>
auto filled(std::size_t size, F f) {
  Numbers out(size);
  f(out);
  return out;
}

}  // namespace

void bind_mechanism(nb::module_& m) {
  nb::class_<Mechanism>(m, "Mechanism")
      .def_prop_ro("name", [](const Mechanism& r) { return text(r.tree().name()); })
      .def_prop_ro("nv", &Mechanism::nv)
      .def_prop_ro("mobility", &Mechanism::mobility)
      .def_prop_ro("redundant", &Mechanism::redundant)
      .def_prop_ro("singularity", &Mechanism::singularity)
      .def_prop_ro("reference", [](const Mechanism& r) { return r.reference(); })
      .def("names",
           [](const Mechanism& r) {
             std::vector<std::string> loops;
             for (const Loop& loop : r.loops()) loops.push_back(loop.name);
             return nb::make_tuple(strings(r.tree().velocity_names()), strings(r.independent_names()), strings(r.dependent_names()), strings(loops));
           })
      .def("close", &closed)
      .def("velocities", [](const Mechanism& r, const Numbers& q, const Numbers& u) { return filled(r.nv(), [&](Numbers& out) { r.velocities(q, u, out); }); })
      .def("accelerations", [](const Mechanism& r, const Numbers& q, const Numbers& u,
                               const Numbers& a) { return filled(r.nv(), [&](Numbers& out) { r.accelerations(q, u, a, out); }); })
      .def("inverse",
           [](const Mechanism& r, const Numbers& q, const Numbers& u, const Numbers& a, bool rotor, bool friction) {
             return filled(r.mobility(), [&](Numbers& out) { r.inverse(q, u, a, out, {.rotor = rotor, .friction = friction}); });
           })
      .def("forward",
           [](const Mechanism& r, const Numbers& q, const Numbers& u, const Numbers& tau, bool rotor, bool friction) {
             return filled(r.mobility(), [&](Numbers& out) { r.forward(q, u, tau, out, {.rotor = rotor, .friction = friction}); });
           })
      .def("mass",
           [](const Mechanism& r, const Numbers& q, bool rotor) {
             const std::size_t n = r.mobility();
             return filled(n * n, [&](Numbers& out) { r.mass(q, {out.data(), n, n}, rotor); });
           })
      .def("energy",
           [](const Mechanism& r, const Numbers& q, const Numbers& u) {
             const Energy energy = r.energy(q, u);
             return nb::make_tuple(energy.kinetic, energy.potential);
           })
      .def("reactions", [](const Mechanism& r, const Numbers& q, const Numbers& u, const Numbers& a) {
        Numbers out;
        for (const LoopReaction& reaction : r.reactions(q, u, a))
          for (const Vec3<double>& part : {reaction.force, reaction.moment}) out.insert(out.end(), {part.x, part.y, part.z});
        return out;
      });
  m.def("load_mechanism", &load_closed, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
}

}  // namespace ulna::python
