#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "acting.hpp"
#include "direct.hpp"
#include "evaluate.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

InstructionSet instruction_set(const std::string& name) {
  for (const auto& [known, set] : kInstructionSets)
    if (name == known) return set;
  throw std::invalid_argument(cat("there is no instruction set ", in_quotes(name), "; there are ", kInstructionSetNames));
}

std::string name_of(InstructionSet which) {
  for (const auto& [name, set] : kInstructionSets)
    if (which == set) return std::string(name);
  return "none";
}

Quantity quantity_named(const std::string& name) {
  if (const QuantityRow* row = find_quantity(name)) return row->quantity;
  throw std::invalid_argument(there_is_no("task", name, names_of(quantities(), &QuantityRow::id)));
}

/// Ids of quantities.
std::vector<std::string> compiled_quantities() {
  std::vector<std::string> ids;
  for (const Quantity quantity : DynamicsOptions().quantities) ids.emplace_back(to_string(quantity));
  return ids;
}

std::unique_ptr<RobotDynamics> make_dynamics(const RobotModel& robot, bool rotor, bool friction, double snap, const std::vector<std::string>& quantities,
                                             const std::vector<std::string>& links, std::size_t threads, const std::string& most) {
  DynamicsOptions options;
  options.rotor = rotor;
  options.friction = friction;
  options.snap = snap;
  options.quantities.clear();
  for (const std::string& id : quantities) options.quantities.push_back(quantity_named(id));
  options.links = links;
  options.threads = threads;
  options.most = instruction_set(most);
  const nb::gil_scoped_release release;
  return std::make_unique<RobotDynamics>(robot.analysis, options);
}

std::unique_ptr<RobotDynamics> with_payload(RobotDynamics& d, const std::string& link, double mass, const std::vector<double>& com,
                                            const std::vector<double>& inertia) {
  if (com.size() != 3) throw std::invalid_argument(cat("com has ", com.size(), " numbers, but must have 3"));
  if (inertia.size() != 6) throw std::invalid_argument(cat("inertia has ", inertia.size(), " numbers, but must have 6"));
  Payload payload;
  payload.mass = mass;
  payload.com = {com[0], com[1], com[2]};
  payload.inertia = {inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]};
  link_named(d.model(), link);
  const nb::gil_scoped_release release;
  return d.with_payload(link, payload);
}

/// Any quantity of the whole robot, under what acts on it, by a formulation where one is named.
nb::object compute_task(RobotDynamics& d, const std::string& task, const nb::list& states, const std::vector<WrenchRow>& wrenches,
                        const std::vector<double>& base_velocity, const std::vector<double>& base_acceleration, const std::string& formulation,
                        bool accept_interpolation, nb::handle out) {
  const QuantityRow& row = row_of(quantity_named(task));
  if (states.size() != row.inputs.size()) throw std::invalid_argument(cat(task, " takes ", row.inputs.size(), " arrays, but ", states.size(), " are given"));
  if (d.model().base() != RootJoint::fixed && !(base_velocity.empty() && base_acceleration.empty()))
    throw std::invalid_argument(cat("base_velocity and base_acceleration prescribe the motion of a fixed base; that of robot ", in_quotes(d.model().name()),
                                    " is ", to_string(d.model().base()), ", and its motion is in q, v and a"));
  std::vector<Argument> arguments;
  for (nb::handle state : states) arguments.push_back({row.inputs[arguments.size()].data(), state});
  const Under under{wrenches_of(d.model(), wrenches), base_of(base_velocity, base_acceleration),
                    !wrenches.empty() || !base_velocity.empty() || !base_acceleration.empty(), formulation.empty() ? nullptr : &formulation_named(formulation),
                    accept_interpolation};
  return evaluate(d, row.quantity, kNone, arguments, out, under);
}

/// The same with an array for each wrench: link, whether its axes are the world's, and force and moment, in one state or in each.
nb::object compute_with_wrenches(RobotDynamics& d, const std::string& task, const nb::list& states,
                                 const std::vector<std::tuple<std::string, bool, nb::object>>& wrenches, nb::handle out) {
  const QuantityRow& row = row_of(quantity_named(task));
  std::vector<Argument> arguments;
  for (nb::handle state : states) arguments.push_back({row.inputs[arguments.size()].data(), state});
  Under under;
  for (const auto& [link, world, numbers] : wrenches)
    under.wrench_arrays.push_back({link_named(d.model(), link), world ? Axes::world : Axes::link, std::make_shared<Input>("a wrench", numbers)});
  return evaluate(d, row.quantity, kNone, arguments, out, under);
}

template <class T>
nb::list kernel_rows(RobotDynamics& d, const char* real) {
  nb::list out;
  const auto dynamics = d.of<T>();
  for (const KernelReport& k : dynamics->kernels()) {
    nb::dict row = counts(k.counts);
    row["task"] = text(to_string(k.quantity));
    row["link"] = k.link == kNone ? nb::none() : text(d.model().links()[k.link].name);
    row["dtype"] = text(real);
    row["lanes"] = k.lanes;
    row["fused"] = k.fused;
    row["instructions"] = k.instructions;
    row["spills"] = k.spills;
    row["bytes"] = k.bytes;
    row["seconds"] = k.seconds;
    out.append(row);
  }
  return out;
}

template <class T>
void add_refused(nb::list& out, RobotDynamics& d, const char* real) {
  const auto dynamics = d.of<T>();
  for (const RefusedKernel& k : dynamics->refused()) {
    nb::dict row;
    row["task"] = text(to_string(k.quantity));
    row["link"] = k.link == kNone ? nb::none() : text(d.model().links()[k.link].name);
    row["dtype"] = text(real);
    row["lanes"] = k.lanes;
    row["difference"] = k.difference;
    row["message"] = text(to_string(k));
    out.append(row);
  }
}

}  // namespace

namespace {

MassForm mass_form_named(const std::string& name) {
  if (name == "full") return MassForm::full;
  if (name == "packed") return MassForm::packed;
  if (name == "sparse") return MassForm::sparse;
  throw std::invalid_argument(cat("there is no form ", in_quotes(name), " of the inertia matrix; there are full, packed and sparse"));
}

}  // namespace

void bind_dynamics(nb::module_& m) {
  nb::class_<RobotDynamics> c(m, "Dynamics");
  for (const QuantityRow& row : quantities()) {
    const Quantity quantity = row.quantity;
    const char* name = row.id.data();
    const auto inputs = [inputs = row.inputs](std::initializer_list<nb::handle> objects) {
      std::vector<Argument> arguments;
      for (const nb::handle object : objects) arguments.push_back({inputs[arguments.size()].data(), object});
      return arguments;
    };
    const auto none = nb::arg().none();
    if (row.of_link)
      c.def(
          name,
          [quantity, inputs](RobotDynamics& d, nb::handle q, const std::string& link, nb::handle out) {
            return evaluate(d, quantity, link_named(d.model(), link), inputs({q}), out);
          },
          none, nb::arg(), none);
    else if (row.inputs.size() == 1)
      c.def(
          name, [quantity, inputs](RobotDynamics& d, nb::handle q, nb::handle out) { return evaluate(d, quantity, kNone, inputs({q}), out); }, none, none);
    else if (row.inputs.size() == 2)
      c.def(
          name,
          [quantity, inputs](RobotDynamics& d, nb::handle q, nb::handle v, nb::handle out) {
            return evaluate(d, quantity, kNone, inputs({q, v}), out);
          },
          none, none, none);
    else
      c.def(
          name,
          [quantity, inputs](RobotDynamics& d, nb::handle q, nb::handle v, nb::handle last, nb::handle out) {
            return evaluate(d, quantity, kNone, inputs({q, v, last}), out);
          },
          none, none, none, none);
  }
  c.def(
      "bind",
      [](nb::handle d, const std::string& task, nb::handle link, nb::args arrays) {
        const Model& model = nb::inst_ptr<RobotDynamics>(d)->model();
        const QuantityRow& row = row_of(quantity_named(task));
        if (row.of_link && link.is_none()) throw std::invalid_argument(cat("task ", in_quotes(task), " needs the name of a link"));
        if (!row.of_link && !link.is_none()) throw std::invalid_argument(cat("task ", in_quotes(task), " is of the robot and takes no link"));
        return bind_call(d, row.quantity, row.of_link ? link_named(model, nb::cast<std::string>(link)) : kNone, {arrays.begin(), arrays.end()});
      },
      nb::arg(), nb::arg().none(), nb::arg());
  c.def("compute", &compute_task, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  c.def("compute_with_wrenches", &compute_with_wrenches, nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
  c.def(
      "mass_in_form",
      [](RobotDynamics& d, nb::handle q, const std::string& form) {
        return evaluate_mass(d, mass_form_named(form), {"q", q});
      },
      nb::arg().none(), nb::arg());
  c.def(
      "close",
      [](RobotDynamics& d, nb::handle q) {
        return evaluate_closed(d, {"q", q});
      },
      nb::arg().none());
  c.def("mass_entries", [](RobotDynamics& d, const std::string& form) { return d.of<double>()->mass_entries(mass_form_named(form)); });
  c.def("with_payload", &with_payload);
  c.def("with_parameters", [](RobotDynamics& d, const RobotModel& robot) {
    const nb::gil_scoped_release release;
    return d.with_parameters(robot.model);
  });
  c.def("with_threads", &RobotDynamics::with_threads);
  c.def("loaded_model", [](RobotDynamics& d) { return std::make_unique<RobotModel>(d.model(), std::vector<Diagnostic>{}); });
  c.def_prop_ro("friction", [](RobotDynamics& d) { return d.options().friction; });
  c.def("shares_code", [](RobotDynamics& d, RobotDynamics& other) { return d.of<double>()->shares_code(*other.of<double>()); });
  c.def_prop_ro("threads", [](RobotDynamics& d) { return d.of<double>()->threads(); });
  c.def_prop_ro("memory", [](RobotDynamics& d) { return d.of<double>()->memory() + (d.has_float() ? d.of<float>()->memory() : 0); });
  c.def_prop_ro("instruction_set", [](RobotDynamics& d) { return text(name_of(d.of<double>()->instruction_set())); });
  c.def(
      "compiled",
      [](RobotDynamics& d, const std::string& task, nb::handle link) {
        const Quantity which = quantity_named(task);
        const std::size_t index = link.is_none() ? kNone : link_named(d.model(), nb::cast<std::string>(link));
        if (row_of(which).of_link && index == kNone) throw std::invalid_argument(cat("task ", in_quotes(task), " needs the name of a link"));
        return d.of<double>()->compiled(which, index);
      },
      nb::arg(), nb::arg().none());
  c.def("kernels", [](RobotDynamics& d) {
    nb::list out = kernel_rows<double>(d, "float64");
    if (d.has_float()) out.extend(kernel_rows<float>(d, "float32"));
    return out;
  });
  c.def_prop_ro("refused", [](RobotDynamics& d) {
    nb::list out;
    add_refused<double>(out, d, "float64");
    if (d.has_float()) add_refused<float>(out, d, "float32");
    return out;
  });
  bind_direct(m);
  m.def("make_dynamics", &make_dynamics);
  m.def("compiled_quantities", &compiled_quantities);
  m.def(
      "real_array", [](const std::string& name, nb::handle object) { return real_array(name.c_str(), object); }, nb::arg(), nb::arg().none());
  m.def("best_instruction_set", [] { return text(name_of(best_instruction_set())); });
}

}  // namespace ulna::python
