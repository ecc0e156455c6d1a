#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <ulna/explain/explain.hpp>

#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

nb::object value_of(const CauseValue& value) {
  if (!value.words.empty()) return text(value.words);
  if (value.numbers.size() == 1) return nb::float_(value.numbers[0]);
  nb::list out;
  for (const double x : value.numbers) out.append(x);
  return out;
}

nb::dict as_dict(const Explanation& e) {
  nb::dict out;
  out["agree"] = e.agree;
  nb::list causes;
  for (const Cause& cause : e.causes) {
    nb::dict row;
    row["kind"] = text(cause.kind);
    row["where"] = text(cause.where);
    row["share"] = cause.share;
    row["from"] = value_of(cause.from);
    row["to"] = value_of(cause.to);
    row["edit"] = text(cause.edit);
    row["residual_after"] = cause.residual_after;
    nb::list also;
    for (const std::string& other : cause.also) also.append(text(other));
    row["also"] = also;
    causes.append(row);
  }
  out["causes"] = causes;
  out["difference"] = e.before;
  out["residual"] = e.residual;
  return out;
}

nb::dict explain_models(const RobotModel& a, const RobotModel& b, double tolerance, std::size_t samples, std::uint64_t seed) {
  Explanation out;
  {
    const nb::gil_scoped_release release;
    out = explain(a.model, b.model, {tolerance, samples, seed});
  }
  return as_dict(out);
}

nb::dict explain_numbers(const RobotModel& a, std::size_t states, std::vector<double> q, std::vector<double> v, std::vector<double> acceleration,
                         std::vector<double> tau, std::vector<double> gravity, std::vector<double> mass, double tolerance) {
  const Numbers numbers{states, std::move(q), std::move(v), std::move(acceleration), std::move(tau), std::move(gravity), std::move(mass)};
  Explanation out;
  {
    const nb::gil_scoped_release release;
    out = explain(a.model, numbers, {.tolerance = tolerance});
  }
  return as_dict(out);
}

/// A formulation and a quantity that it gives, at a state.
struct LinesAt {
  LinesAt(const RobotModel& robot, const std::string& id, const std::string& name, const std::vector<double>& q, const std::vector<double>& v,
          const std::vector<double>& last)
      : formulation(formulation_named(id)), quantity(formulation.quantities.front()), prepared(robot.model) {
    if (!name.empty()) {
      const QuantityRow* row = find_quantity(name);
      if (row == nullptr) throw std::invalid_argument(cat("there is no quantity ", in_quotes(name)));
      quantity = row->quantity;
    }
    for (const auto& [given, size] : {std::pair{&q, robot.model.nq()}, {&v, robot.model.nv()}, {&last, robot.model.nv()}})
      if (given->size() != size) throw std::invalid_argument(cat("a part of the state has ", given->size(), " numbers, but must have ", size));
    in = {q.data(), v.data(), last.data()};
  }
  const Formulation& formulation;
  Quantity quantity;
  Prepared prepared;
  InputsOf<double> in{};
};

nb::dict as_dict(const Intermediate& line) {
  nb::dict out;
  out["symbol"] = text(line.symbol);
  out["equation"] = text(line.equation);
  out["link"] = text(line.link);
  out["name"] = text(line.name());
  out["meaning"] = text(line.meaning);
  out["shape"] = nb::make_tuple(line.rows, line.columns);
  out["value"] = line.value;
  return out;
}

nb::list intermediates_at(const RobotModel& robot, const std::string& id, const std::string& name, const std::vector<double>& q, const std::vector<double>& v,
                          const std::vector<double>& last) {
  const LinesAt at(robot, id, name, q, v, last);
  nb::list out;
  for (const Intermediate& line : intermediates(at.formulation, at.quantity, at.prepared, at.in)) out.append(as_dict(line));
  return out;
}

nb::dict explain_lines_at(const RobotModel& robot, const std::string& id, const std::string& name, const std::vector<double>& q, const std::vector<double>& v,
                          const std::vector<double>& last, const std::vector<std::tuple<std::string, std::string, std::vector<double>>>& given,
                          double tolerance) {
  const LinesAt at(robot, id, name, q, v, last);
  std::vector<GivenLine> lines;
  for (const auto& [symbol, link, value] : given) lines.push_back({symbol, link, value});
  Diagnostics diagnostics;
  const std::optional<LineExplanation> found = explain_lines(at.formulation, at.quantity, at.prepared, at.in, lines, diagnostics, tolerance);
  if (!found) {
    std::string problems;
    for (const Diagnostic& d : diagnostics.all()) problems += cat(problems.empty() ? "" : "\n", to_string(d.element), ": ", d.problem, "; ", d.cure);
    throw std::invalid_argument(problems);
  }
  nb::dict out;
  out["agree"] = found->agree();
  out["first"] = nb::none();
  if (!found->agree()) {
    const ComparedLine& line = found->lines[found->first];
    nb::dict first = as_dict(line.right);
    first["right"] = first["value"];
    first["value"] = line.given;
    first["difference"] = line.difference;
    first["inputs"] = line.inputs;
    first["hints"] = found->hints;
    out["first"] = first;
  }
  nb::list differ, missing;
  for (const ComparedLine& line : found->lines) {
    if (!line.agrees) differ.append(text(line.name));
    if (line.given.empty()) missing.append(text(line.name));
  }
  out["differ"] = differ;
  out["missing"] = missing;
  return out;
}

}  // namespace

void bind_explain(nb::module_& m) {
  m.def("explain_models", &explain_models);
  m.def("explain_numbers", &explain_numbers);
  m.def("intermediates", &intermediates_at);
  m.def("explain_lines", &explain_lines_at);
}

}  // namespace ulna::python
