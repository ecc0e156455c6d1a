#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <ulna/explain/explain.hpp>

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

}  // namespace

void bind_explain(nb::module_& m) {
  m.def("explain_models", &explain_models);
  m.def("explain_numbers", &explain_numbers);
}

}  // namespace ulna::python
