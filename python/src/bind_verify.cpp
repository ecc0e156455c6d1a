#include <nanobind/stl/string.h>

#include <chrono>
#include <functional>

#include <ulna/emit/generate.hpp>
#include <ulna/verify/verify.hpp>

#include "acting.hpp"
#include "arrays.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

nb::dict as_dict(const Certificate& c) {
  nb::dict out;
  out["robot"] = text(c.robot);
  out["model_hash"] = text(c.model_hash);
  out["samples"] = c.samples;
  out["seed"] = c.seed;
  out["snap"] = c.snap;
  out["loaded"] = c.loaded;
  out["agree"] = c.agree();
  nb::list formulations, laws, witnesses;
  for (const FormulationCheck& f : c.formulations) {
    nb::dict row;
    row["id"] = text(f.id);
    row["quantity"] = text(result_name(f.quantity));
    row["applies"] = f.applies;
    row["why_not"] = text(f.why_not);
    row["max_relative_difference"] = f.max_relative_difference;
    row["tolerance"] = f.tolerance;
    row["agree"] = f.agree;
    row["note"] = text(f.note);
    formulations.append(row);
  }
  for (const LawCheck& law : c.laws) {
    nb::dict row;
    row["id"] = text(law.id);
    row["statement"] = text(law.statement);
    row["worst"] = law.worst;
    row["tolerance"] = law.tolerance;
    row["holds"] = law.holds;
    laws.append(row);
  }
  for (const Witness& w : c.witnesses) {
    nb::dict row;
    row["q"] = array_of(w.q);
    row["v"] = array_of(w.v);
    row["a"] = array_of(w.a);
    row["tau"] = array_of(w.tau);
    witnesses.append(row);
  }
  out["formulations"] = formulations;
  out["laws"] = laws;
  out["witnesses"] = witnesses;
  if (c.exact.empty()) return out;
  nb::list exact;
  for (const ExactCheck& check : c.exact) {
    nb::dict row;
    row["name"] = text(check.name);
    row["holds"] = check.holds;
    row["trials"] = check.trials;
    row["probability"] = check.probability;
    exact.append(row);
  }
  out["exact"] = exact;
  return out;
}

/// Looks for Ctrl-C now and then.
std::function<void(double)> interruptible() {
  using Clock = std::chrono::steady_clock;
  return [last = Clock::now()](double) mutable {
    if (Clock::now() - last < std::chrono::milliseconds(20)) return;
    const nb::gil_scoped_acquire acquire;
    check_signals();
    last = Clock::now();
  };
}

nb::dict verify_robot(const RobotModel& robot, std::size_t samples, std::uint64_t seed, double snap, bool generated, const std::vector<WrenchRow>& wrenches,
                      const std::vector<double>& base_velocity, const std::vector<double>& base_acceleration, bool exact) {
  VerifyOptions options;
  options.samples = samples;
  options.seed = seed;
  options.snap = snap;
  options.wrenches = wrenches_of(robot.model, wrenches);
  options.base = base_of(base_velocity, base_acceleration);
  options.exact = exact;
  options.progress = interruptible();
  options.implementations = [&] { return shipped(robot.analysis, {.snap = snap, .generated = generated, .waiting = [&] { options.progress(0); }}); };
  Certificate certificate;
  {
    const nb::gil_scoped_release release;
    certificate = verify(Prepared(robot.model, snap), options);
  }
  return as_dict(certificate);
}

nb::dict as_dict(const ProofReport& r) {
  nb::dict out;
  out["proof"] = text(r.proof);
  out["robot"] = text(r.robot);
  out["model_hash"] = text(r.model_hash);
  out["samples"] = r.samples;
  out["seed"] = r.seed;
  out["tolerance"] = r.tolerance;
  out["symbolic"] = text(r.symbolic);
  out["agree"] = r.agree();
  nb::list steps, misprints;
  for (const ProofStep& step : r.steps) {
    nb::dict row;
    row["equation"] = text(step.equation);
    row["from"] = text(step.from);
    row["says"] = text(step.says);
    row["max_relative_difference"] = step.max_relative_difference;
    row["agree"] = step.agree;
    row["same_normal_form"] = step.same_normal_form ? nb::object(nb::bool_(*step.same_normal_form)) : nb::none();
    steps.append(row);
  }
  for (const Misprint& misprint : r.misprints) {
    nb::dict row;
    row["equation"] = text(misprint.equation);
    row["printed"] = text(misprint.printed);
    row["max_relative_difference"] = misprint.max_relative_difference;
    row["differs"] = misprint.differs;
    misprints.append(row);
  }
  out["steps"] = steps;
  out["misprints"] = misprints;
  return out;
}

nb::dict prove_robot(const RobotModel& robot, const std::string& proof, std::size_t samples, std::uint64_t seed, double snap, bool symbolic) {
  ProofReport report;
  {
    const nb::gil_scoped_release release;
    report = prove(proof, robot.model, {.samples = samples, .seed = seed, .snap = snap, .symbolic = symbolic, .progress = interruptible()});
  }
  return as_dict(report);
}

nb::list formulation_rows() {
  nb::list out;
  for (const Formulation& row : formulations()) {
    nb::dict d;
    d["id"] = text(row.id);
    d["title"] = text(row.title);
    d["citation"] = text(row.citation);
    nb::list quantities;
    for (const Quantity quantity : row.quantities) quantities.append(text(result_name(quantity)));
    d["quantities"] = quantities;
    d["joints"] = text(row.joints);
    d["topologies"] = text(row.topologies);
    if (row.has_loads()) {
      nb::dict loads;
      loads["wrenches"] = row.takes_wrenches;
      loads["base_motion"] = row.takes_base;
      if (!row.why_no_loads.empty()) loads["why_not"] = text(row.why_no_loads);
      d["loads"] = loads;
    }
    d["loops"] = row.takes_loops;
    d["cost"] = text(row.cost());
    if (!row.memory.empty()) d["memory"] = text(row.memory);
    out.append(d);
  }
  return out;
}

}  // namespace

void bind_verify(nb::module_& m) {
  m.def("verify", &verify_robot);
  m.def("prove", &prove_robot);
  m.def("formulations", &formulation_rows);
}

}  // namespace ulna::python
