#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <ulna/campaign/campaign.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/sim/linearise.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "arrays.hpp"
#include "robot.hpp"
#include "states.hpp"

namespace ulna::python {

using namespace sim;

namespace {

nb::dict audit_of(const Audit& a, bool prescribed, bool loops) {
  nb::dict out;
  out["steps"] = a.steps;
  out["evaluations"] = a.evaluations;
  out["energy_balanced"] = a.balanced;
  out["energy_conservative"] = a.conservative;
  out["energy_drift"] = a.energy_drift;
  out["energy_scale"] = a.energy_scale;
  const auto of_joints = [&](double JointWork::*part) {
    std::vector<double> values;
    for (const JointWork& joint : a.joints) values.push_back(joint.*part);
    return array_of(values);
  };
  out["work"] = of_joints(&JointWork::work);
  out["joint_losses"] = of_joints(&JointWork::losses);
  out["joint_external_work"] = of_joints(&JointWork::external);
  out["uptake"] = of_joints(&JointWork::uptake);
  out["work_drift"] = of_joints(&JointWork::drift);
  out["uptake_error"] = a.uptake_error;
  out["losses"] = a.losses;
  out["external_work"] = a.external;
  nb::list momenta;
  for (const MomentumAudit& m : a.momenta) {
    nb::dict row;
    row["joint"] = text(m.joint);
    row["by"] = text(m.by.empty() ? "M v" : m.by);
    row["constant"] = m.constant;
    row["largest"] = m.largest;
    row["drift"] = m.drift;
    momenta.append(row);
  }
  out["momenta"] = momenta;
  if (!a.world.empty()) {
    nb::list world;
    for (const WorldMomentum& m : a.world) {
      nb::dict row;
      row["kind"] = text(m.kind);
      row["constant"] = m.constant;
      row["largest"] = m.largest;
      row["drift"] = m.drift;
      row["scale"] = m.scale;
      world.append(row);
    }
    out["world_momentum"] = world;
  }
  if (loops) {
    out["loop_drift"] = a.loop_drift;
    out["residual"] = a.loop_residual;
  }
  out["smallest_pivot"] = a.smallest_pivot;
  out["smallest_pivot_at"] = a.at;
  out["closed"] = a.closed;
  out["closing"] = array_of(a.closing);
  out["closing_own"] = array_of(a.closing_own);
  out["torque_scale"] = array_of(a.torque_scale);
  if (!a.difference.empty()) {
    nb::dict difference;
    difference["of"] = text(prescribed ? "torque" : "acceleration");
    difference["relative"] = a.relative_difference();
    difference["largest"] = array_of(a.difference);
    difference["scale"] = array_of(a.difference_scale);
    out["difference_from_production"] = difference;
  }
  return out;
}

nb::list events_of(const std::vector<LimitEvent>& events) {
  nb::list out;
  for (const LimitEvent& e : events) {
    nb::dict row;
    row["t"] = e.t;
    row["joint"] = text(e.joint);
    row["side"] = text(e.upper ? "upper" : "lower");
    row["limit"] = e.limit;
    row["speed"] = e.speed;
    out.append(row);
  }
  return out;
}

nb::dict as_dict(const Scenario& s, const Outcome& o) {
  nb::dict out;
  out["scenario"] = text(s.name);
  out["robot"] = text(s.model.name());
  out["law"] = text(to_string(s.law.kind));
  out["integrator"] = text(to_string(s.integrator.kind));
  out["formulation"] = text(s.formulation);
  out["computed_by"] = text(o.computed_by);
  out["equations"] = text(o.equations);
  out["ending"] = text(to_string(o.ending));
  out["message"] = text(o.message);
  out["end"] = o.end;
  out["q_end"] = array_of(o.q);
  out["v_end"] = array_of(o.v);
  out["joints"] = strings(s.model.coordinate_names());
  out["q_names"] = strings(s.model.position_names());
  out["v_names"] = strings(s.model.velocity_names());
  out["tau_names"] = strings(s.model.effort_names());
  const Trajectory& t = o.trajectory;
  const std::vector<std::size_t> shape{t.rows(), t.size};
  out["t"] = array_of(t.t);
  out["q"] = array_of(t.q, {t.rows(), t.positions});
  out["v"] = array_of(t.v, shape);
  out["a"] = array_of(t.a, shape);
  out["tau"] = array_of(t.tau, shape);
  out["kinetic"] = array_of(t.kinetic);
  out["potential"] = array_of(t.potential);
  out["work"] = array_of(t.work);
  out["energy_drift"] = array_of(t.energy_drift);
  if (!t.constant.empty()) out[text(formulation_named(s.formulation).constant.symbol)] = array_of(t.constant);
  out["audit"] = audit_of(o.audit, s.law.kind == LawKind::prescribed, s.model.closed());
  out["events"] = events_of(o.events);
  if (const Tracking tracking = tracking_of(s, t); !tracking.peak.empty()) {
    nb::dict errors;
    errors["peak"] = array_of(tracking.peak);
    errors["rms"] = array_of(tracking.rms);
    out["tracking"] = errors;
  }
  return out;
}

/// A matrix of each of `count` times, from columns to rows.
nb::object matrices(const std::vector<double>& all, std::size_t count, std::size_t rows, std::size_t columns) {
  std::vector<double> out(all.size());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out[(k * rows + i) * columns + j] = all[(k * columns + j) * rows + i];
  return array_of(out, {count, rows, columns});
}

nb::dict as_dict(const Scenario& s, const Sensitivity& found) {
  nb::dict out;
  const std::size_t count = found.t.size();
  out["scenario"] = text(s.name);
  out["robot"] = text(s.model.name());
  out["rows"] = strings(found.rows);
  out["columns"] = strings(found.columns);
  out["t"] = array_of(found.t);
  out["q"] = array_of(found.q, {count, s.model.nq()});
  out["v"] = array_of(found.v, {count, s.model.nv()});
  out["sensitivity"] = matrices(found.S, count, found.rows.size(), found.columns.size());
  return out;
}

nb::dict as_dict(const Scenario& s, const std::vector<LinearRow>& rows) {
  const std::size_t n = s.model.nv(), count = rows.size();
  std::vector<double> t, q, v, tau, A, B, law;
  for (const LinearRow& row : rows) {
    t.push_back(row.t);
    for (const auto& [from, to] : {std::pair{&row.q, &q}, {&row.v, &v}, {&row.tau, &tau}, {&row.open.A, &A}, {&row.open.B, &B}, {&row.A, &law}})
      to->insert(to->end(), from->begin(), from->end());
  }
  nb::dict out;
  out["scenario"] = text(s.name);
  out["robot"] = text(s.model.name());
  std::vector<std::string> states;
  for (const std::string& name : tangent_names(s.model)) states.push_back("q." + name);
  for (const std::string& name : s.model.velocity_names()) states.push_back("v." + name);
  out["states"] = strings(states);
  out["t"] = array_of(t);
  out["q"] = array_of(q, {count, s.model.nq()});
  out["v"] = array_of(v, {count, n});
  out["tau"] = array_of(tau, {count, n});
  out["A"] = matrices(A, count, 2 * n, 2 * n);
  out["B"] = matrices(B, count, 2 * n, n);
  const auto size = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(law.size() / std::max<std::size_t>(count, 1)))));
  if (!law.empty()) out["A_law"] = matrices(law, count, size, size);
  return out;
}

nb::dict as_dict(const Scenario&, const std::vector<GeneratedFile>& files) {
  nb::dict out;
  for (const GeneratedFile& file : files) out[text(file.name)] = nb::bytes(file.text.data(), file.text.size());
  return out;
}

/// What a run is read from. `source`: str, a file or the id of a built-in scenario; bytes, the text itself. `formulation`, `base`: empty for the scenario's.
struct Asked {
  nb::object source;
  std::string file;
  std::vector<std::string> names;
  std::vector<double> values;
  std::string formulation, base_name;
};

/// (result or None, problems, found). `result(scenario, options)` runs without the GIL and gives what makes a dict with it; signals end it.
template <class Run>
nb::tuple with_scenario(const Asked& asked, const Run& run) {
  ScenarioResult read;
  const std::optional<RootJoint> base = root_joint_named(asked.base_name);
  if (!asked.base_name.empty() && !base) throw std::invalid_argument("base is 'fixed', 'planar' or 'free', not '" + asked.base_name + "'");
  if (nb::isinstance<nb::bytes>(asked.source)) {
    const auto content = nb::cast<nb::bytes>(asked.source);
    read = try_parse_scenario({content.c_str(), content.size()}, asked.file, {}, base);
  } else {
    const std::string source = nb::cast<std::string>(asked.source);
    read = campaign::is_run_file(source) ? campaign::try_load_run(source) : try_load_scenario(source, {}, base);
  }
  if (!read.scenario) return nb::make_tuple(nb::none(), problems(read.diagnostics), read.found);
  Scenario scenario = *std::move(read.scenario);
  if (!asked.names.empty()) {
    scenario = with_overrides(scenario, asked.names, asked.values);
    std::size_t stride = 0;
    std::vector<double> unit;
    unit_states(scenario.model, scenario.q.data(), scenario.q.size(), stride, 1, unit);
    if (!unit.empty()) scenario.q = unit;
  }
  if (!asked.formulation.empty()) scenario = with_formulation(scenario, asked.formulation);

  using Clock = std::chrono::steady_clock;
  std::optional<nb::python_error> raised;
  Clock::time_point last = Clock::now();
  const RunOptions options{[&](double) {
    if (Clock::now() - last < std::chrono::milliseconds(20)) return true;
    last = Clock::now();
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) raised.emplace();
    return !raised.has_value();
  }};
  const auto outcome = [&] {
    const nb::gil_scoped_release release;
    return run(scenario, options);
  }();
  if (raised) throw nb::python_error(std::move(*raised));
  return nb::make_tuple(as_dict(scenario, outcome), problems(read.diagnostics), true);
}

nb::tuple simulate_scenario(nb::object source, const std::string& file, const std::vector<std::string>& names, const std::vector<double>& values,
                            const std::string& formulation, const std::string& base) {
  return with_scenario({source, file, names, values, formulation, base},
                       [](const Scenario& scenario, const RunOptions& options) { return simulate(scenario, options); });
}

nb::tuple sensitivity_of(nb::object source, const std::string& file, const std::vector<std::string>& names, const std::vector<double>& values,
                         const std::vector<std::string>& by, const std::string& base) {
  return with_scenario({source, file, names, values, "", base},
                       [&](const Scenario& scenario, const RunOptions& options) { return sensitivity(scenario, by, options); });
}

nb::tuple linearise_run(nb::object source, const std::string& file, const std::vector<std::string>& names, const std::vector<double>& values,
                        const std::string& base) {
  return with_scenario({source, file, names, values, "", base},
                       [](const Scenario& scenario, const RunOptions& options) { return linearise(scenario, options); });
}

nb::tuple scenario_unit(nb::object source, const std::string& file, const std::vector<std::string>& names, const std::vector<double>& values,
                        const std::string& name, const std::string& wrench_at, const std::string& base, int version) {
  GenerateOptions options;
  options.target = version == 3 ? "fmi3" : "fmi";
  options.name = name;
  options.wrench_at = wrench_at;
  std::vector<std::string> warnings;
  options.warning = [&](const std::string& message) { warnings.push_back(message); };
  nb::tuple result =
      with_scenario({source, file, names, values, "", base}, [&](const Scenario& scenario, const RunOptions&) { return generate(scenario, options); });
  for (const std::string& message : warnings)
    if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
  return result;
}

nb::list scenario_rows() {
  nb::list out;
  for (const BuiltinScenario& s : builtin_scenarios()) out.append(nb::make_tuple(text(s.id), text(s.summary), text(s.text)));
  return out;
}

}  // namespace

void bind_simulate(nb::module_& m) {
  m.def("simulate", &simulate_scenario);
  m.def("sensitivity", &sensitivity_of);
  m.def("linearise", &linearise_run);
  m.def("scenario_unit", &scenario_unit);
  m.def("builtin_scenarios", &scenario_rows);
}

}  // namespace ulna::python
