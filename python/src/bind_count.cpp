#include <nanobind/stl/string.h>

#include "programs/interface.hpp"

#include "robot.hpp"

namespace ulna::python {

namespace {

/// Long without a word from C++: signals are looked at between formulations.
nb::dict counted(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  nb::dict row;
  row["id"] = text(formulation.id);
  row["quantity"] = text(result_name(quantity));
  std::string reason = why_not_counted(formulation, quantity, prepared);
  row["why_not"] = text(reason);
  row["as_written"] = nb::none();
  row["minimal"] = nb::none();
  if (!reason.empty()) return row;
  AsWritten as_written;
  OperationCounts least;
  {
    const nb::gil_scoped_release release;
    as_written = count_as_written(formulation, quantity, prepared);
    reason = why_not_traced(formulation, quantity, prepared);
    if (reason.empty()) {
      const Trace traced = trace(formulation, quantity, prepared);
      const Minimised reduced = minimised(*traced.graph, traced.results);
      least = count(*reduced.graph, reduced.results);
    }
  }
  row["as_written"] = counts(as_written.total);
  if (reason.empty()) row["minimal"] = counts(least);
  row["why_not_minimal"] = text(reason);
  return row;
}

nb::dict best_of(const Analysis& robot, Quantity quantity, const SearchOptions& options) {
  Best best;
  {
    const nb::gil_scoped_release release;
    best = robot.best(quantity, options);
  }
  nb::dict out = counts(best.counts);
  out["method"] = text(best.method);
  out["short_rotations"] = counts(best.short_rotations);
  nb::list steps;
  for (const SearchStep& step : best.steps) {
    nb::dict row;
    row["what"] = text(step.what);
    row["counts"] = counts(step.counts);
    steps.append(row);
  }
  out["steps"] = steps;
  out["links"] = strings(best.links);
  out["guards"] = counts(best.guards);
  out["angle_sums"] = counts(best.angle_sums);
  if (best.refused) {
    nb::dict refused;
    refused["what"] = text(best.refused->what);
    refused["counts"] = counts(best.refused->counts);
    refused["growth"] = best.refused->growth;
    out["refused"] = refused;
  }
  return out;
}

nb::dict count_robot(const RobotModel& robot, nb::object quantity, double snap, bool rotor, bool single) {
  const std::string only = quantity.is_none() ? "" : nb::cast<std::string>(quantity);
  bool known = only.empty();
  std::vector<std::string> names;
  for (const Quantity asked : formulated_quantities())
    names.emplace_back(to_string(asked)), known = known || only == to_string(asked) || only == result_name(asked);
  if (!known) throw std::invalid_argument(there_is_no("quantity", only, names));
  const Prepared prepared(robot.model, snap);
  SearchOptions options;
  options.snap = snap;
  options.rotor = rotor;
  options.single = single;
  nb::dict out, best;
  nb::list rows;
  for (const Quantity asked : formulated_quantities()) {
    if (!only.empty() && only != to_string(asked) && only != result_name(asked)) continue;
    for (const Formulation& formulation : formulations()) {
      if (!formulation.gives(asked)) continue;
      rows.append(counted(formulation, asked, prepared));
      check_signals();
    }
    best[text(row_of(asked).parts.empty() ? to_string(asked) : result_name(asked))] = best_of(robot.analysis, asked, options);
    check_signals();
  }
  out["robot"] = text(robot.model.name());
  out["joints"] = prepared.size() - base_nv(robot.model.base());
  out["formulations"] = rows;
  out["best"] = best;
  return out;
}

}  // namespace

void bind_count(nb::module_& m) { m.def("count", &count_robot, nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg()); }

}  // namespace ulna::python
