#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "arrays.hpp"
#include "dynamics.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"
#include "states.hpp"

namespace ulna::python {

namespace {

std::unique_ptr<Derivative> make_derivative(const RobotModel& robot, const std::string& of, const std::string& by, bool times, bool weights,
                                            const std::string& link, bool rotor, bool friction, double snap) {
  const QuantityRow* row = find_quantity(of);
  if (row == nullptr) throw std::invalid_argument(there_is_no("quantity", of, names_of(quantities(), &QuantityRow::id)));
  DerivativeOptions options;
  options.of = row->quantity;
  options.by = by;
  options.product = times && weights ? Product::second : times ? Product::times : weights ? Product::weights : Product::matrix;
  if (!link.empty()) options.link = link_named(robot.model, link);
  options.effects.rotor = rotor;
  options.effects.friction = friction;
  options.snap = snap;
  const nb::gil_scoped_release release;
  return std::make_unique<Derivative>(robot.model, options);
}

/// States (n,) or (N, n), closed; a matrix (rows, columns) for each, or a vector. `sizes`: nq, nv, 1 where the base is free, and places of quaternions. Under
/// the GIL: the object keeps what it is called with.
nb::object call(Derivative& d, const nb::list& states, const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& payload,
                const std::vector<std::size_t>& sizes) {
  const QuantityRow& row = row_of(d.options().of);
  if (states.size() != row.inputs.size())
    throw std::invalid_argument(cat("derivatives of the ", row.title, " take ", row.inputs.size(), " arrays of states, but ", states.size(), " are given"));
  std::deque<Input> inputs;
  std::size_t count = 1;
  bool many = false;
  for (std::size_t k = 0; k < states.size(); ++k) {
    Input& input = inputs.emplace_back(row.inputs[k].data(), states[k]);
    const std::vector<std::size_t>& shape = input.shape();
    if (shape.empty() || shape.size() > 2 || shape.back() != sizes[k == 0 ? 0 : 1])
      throw std::invalid_argument(
          cat(input.name(), " has shape ", shape_text(shape), ", but must be (", sizes[k == 0 ? 0 : 1], ",) or (N, ", sizes[k == 0 ? 0 : 1], ")"));
    if (k == 0)
      many = shape.size() == 2, count = many ? shape[0] : 1;
    else if ((shape.size() == 2) != many || (many && shape[0] != count))
      throw std::invalid_argument(cat(input.name(), " has shape ", shape_text(shape), ", which does not match that of q, ", shape_text(inputs[0].shape())));
    input.convert_to(Real::float64);
  }
  const double* at[3] = {nullptr, nullptr, nullptr};
  std::size_t stride[3] = {0, 0, 0};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    at[i] = reinterpret_cast<const double*>(inputs[i].memory().data());
    stride[i] = many ? inputs[i].memory().row_stride(1) : 0;
  }
  std::vector<double> unit;
  const std::vector<std::size_t> quaternions(sizes.begin() + 3, sizes.end());
  const auto owner = [&](std::size_t place) { return sizes[2] == 1 && place == 3 ? std::string("the base") : cat("q[", place, "] to q[", place + 3, "]"); };
  at[0] = unit_states(quaternions, owner, at[0], sizes[0], stride[0], count, unit);
  const bool matrix = d.options().product == Product::matrix;
  const std::size_t rows = d.rows(), columns = d.columns(), size = d.size();
  std::vector<double> out(count * size), one(size);
  for (std::size_t k = 0; k < count; ++k) {
    d({at[0] + k * stride[0], at[1] + k * stride[1], at[2] + k * stride[2], d.options().link}, {x, y, payload}, one);
    double* to = &out[k * size];
    for (std::size_t i = 0; i < rows && matrix; ++i)
      for (std::size_t j = 0; j < columns; ++j) *to++ = one[i + j * rows];
    if (!matrix) std::copy(one.begin(), one.end(), to);
    if (k % 1024 == 1023) check_signals();
  }
  std::vector<std::size_t> shape = matrix ? std::vector<std::size_t>{rows, columns} : std::vector<std::size_t>{size};
  if (many) shape.insert(shape.begin(), count);
  return array_of(out, shape);
}

/// (A, B) of one state.
nb::tuple linearise(RobotDynamics& d, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau) {
  const auto dynamics = d.of<double>();
  if (q.size() != dynamics->nq() && q.size() != fewest_positions(dynamics->model()))
    throw std::invalid_argument(cat("q has ", q.size(), " numbers, but the robot has nq = ", dynamics->nq()));
  std::vector<double> unit;
  std::size_t stride = q.size();
  const double* at = unit_states(dynamics->model(), q.data(), q.size(), stride, 1, unit);
  at = closed_states(*dynamics, at, q.size(), stride, 1, unit);
  const sim::LinearMotion found = sim::linearise(*dynamics, {at, dynamics->nq()}, v, tau, Effects{d.options().rotor, d.options().friction});
  const std::size_t n = dynamics->nv();
  const auto array = [](const std::vector<double>& M, std::size_t rows, std::size_t columns) {
    std::vector<double> out(M.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out[i * columns + j] = M[i + j * rows];
    return array_of(out, {rows, columns});
  };
  return nb::make_tuple(array(found.A, 2 * n, 2 * n), array(found.B, 2 * n, n));
}

}  // namespace

void bind_derivatives(nb::module_& m) {
  nb::class_<Derivative> c(m, "Derivative");
  c.def("call", &call);
  c.def_prop_ro("columns", [](const Derivative& d) { return strings(d.column_names()); });
  c.def_prop_ro("counts", [](const Derivative& d) { return counts(d.counts()); });
  c.def_prop_ro("compiled", &Derivative::compiled);
  c.def_prop_ro("refused", [](const Derivative& d) { return text(d.refused() ? to_string(*d.refused()) : std::string()); });
  m.def("make_derivative", &make_derivative);
  m.def("linearise_state", &linearise);
}

}  // namespace ulna::python
