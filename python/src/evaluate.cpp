#include "evaluate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <span>

#include "direct.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"
#include "states.hpp"

namespace ulna::python {

namespace {

constexpr std::size_t kFirstChunk = 4096;     // states; grows while a chunk takes less than kShort
constexpr double kShort = 0.02, kLong = 0.2;  // [s]
constexpr std::size_t kWithGil = 32;          // so few states take less time than letting others run

template <class T>
struct Call {
  const DynamicsOf<T>& dynamics;
  const RobotDynamics::Shapes& shapes;
  Quantity quantity;
  std::size_t link;
  const EffectsOf<T>* effects = nullptr;      // where something acts, or a formulation computes
  FormulationOnModel* formulation = nullptr;  // in place of `dynamics`
  std::vector<WrenchStatesOf<T>> wrenches{};  // of all states, or one for all
  std::array<const T*, 3> in{};
  std::array<std::size_t, 3> stride{};
  T* out = nullptr;
  std::size_t out_stride = 0;
  std::vector<T> scratch{};  // of what leaves the kernels in another order

  MatrixView<const T> states(std::size_t k, std::size_t from, std::size_t count) const { return {in[k] + from * stride[k], shapes.in[k], count, stride[k]}; }
  MatrixView<T> results(std::size_t rows, std::size_t from, std::size_t count) const { return {out + from * out_stride, rows, count, out_stride}; }
  const QuantityRow& row = row_of(quantity);

  void run(std::size_t from, std::size_t count) {
    if (!shapes.reordered) return compute(from, count, results(shapes.size, from, count));
    scratch.resize(shapes.size * count);
    compute(from, count, {scratch.data(), shapes.size, count});
    for (std::size_t k = 0; k < count; ++k) reorder(quantity, shapes, &scratch[shapes.size * k], out + (from + k) * out_stride);
  }

  void compute(std::size_t from, std::size_t count, MatrixView<T> to) const {
    for (std::size_t k = 0; effects != nullptr && k < count; ++k) {
      const auto input = [&](std::size_t i) { return i < row.inputs.size() ? in[i] + (from + k) * stride[i] : nullptr; };
      const InputsOf<T> state{input(0), input(1), input(2), link};
      T* result = to.data() + k * to.stride();
      if constexpr (std::is_same_v<T, double>)
        if (formulation != nullptr) {
          formulation->compute(quantity, state, result, *effects);
          continue;
        }
      dynamics.compute(quantity, state, result, *effects);
    }
    if (effects != nullptr) return;
    std::vector<MatrixView<const T>> inputs;
    for (std::size_t k = 0; k < row.inputs.size(); ++k) inputs.push_back(states(k, from, count));
    if (wrenches.empty()) return dynamics.compute_batch(quantity, inputs, to, link);
    std::vector<WrenchStatesOf<T>> acting = wrenches;
    for (WrenchStatesOf<T>& wrench : acting)
      if (const MatrixView<const T>& all = wrench.numbers; all.cols() > 1) wrench.numbers = {all.data() + from * all.stride(), 6, count, all.stride()};
    dynamics.compute_batch(quantity, inputs, to, acting);
  }

  void all(std::size_t count) {
    if (count <= kWithGil) return run(0, count);
    using Clock = std::chrono::steady_clock;
    std::size_t chunk = kFirstChunk;
    for (std::size_t from = 0; from < count;) {
      const std::size_t now = std::min(chunk, count - from);
      const Clock::time_point start = Clock::now();
      {
        const nb::gil_scoped_release release;
        run(from, now);
      }
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (seconds < kShort && !shapes.reordered) chunk *= 2;
      if (seconds > kLong) chunk = std::max(chunk / 2, kWithGil);
      from += now;
      check_signals();
    }
  }
};

/// Of the results of one state, or of many.
std::vector<std::size_t> result_shape(const RobotDynamics::Shapes& shapes, const std::vector<std::size_t>& states) {
  std::vector<std::size_t> shape(states.begin(), states.end() - 1);
  shape.insert(shape.end(), shapes.out.begin(), shapes.out.begin() + static_cast<std::ptrdiff_t>(shapes.axes));
  return shape;
}

/// As many states in each input as in the first; throws with both shapes.
void check_shapes(const Model& model, const QuantityRow& row, const std::deque<Input>& inputs) {
  const auto& shape = inputs.front().shape();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Input& input = inputs[k];
    const std::size_t n = row.input_size(k, model.sizes()), few = k == 0 ? fewest_positions(model) : n;
    if ((input.shape().size() != 1 && input.shape().size() != 2) || (input.shape().back() != n && input.shape().back() != few))
      throw nb::value_error(cat(input.name(), " has shape ", shape_text(input.shape()), ", but robot ", in_quotes(model.name()), " takes (", n,
                                ",) for one state or (N, ", n, ") for many",
                                few == n ? "" : cat(", or (", few, ",) and (N, ", few, "): its independent positions alone"))
                                .c_str());
    if (input.shape().size() != shape.size() || (shape.size() == 2 && input.shape().front() != shape.front()))
      throw nb::value_error(
          cat(input.name(), " has shape ", shape_text(input.shape()), ", but ", inputs.front().name(), " has shape ", shape_text(shape)).c_str());
  }
}

/// Reads the arguments of a quantity; true for float32, else everything is float64.
bool read(const Model& model, const QuantityRow& row, std::span<const Argument> arguments, bool in_double, std::deque<Input>& inputs) {
  for (const Argument& argument : arguments) inputs.emplace_back(argument.name, argument.object);
  check_shapes(model, row, inputs);
  const bool single = !in_double && std::all_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.real() == Real::float32; });
  for (Input& input : inputs) input.convert_to(single ? Real::float32 : Real::float64);
  return single;
}

/// Six numbers, or six a state; throws with both shapes.
void check_wrenches(const std::vector<WrenchArray>& wrenches, std::size_t count, Real real) {
  for (const WrenchArray& wrench : wrenches) {
    const std::vector<std::size_t>& shape = wrench.numbers->shape();
    if (shape != std::vector<std::size_t>{6} && shape != std::vector<std::size_t>{count, 6})
      throw nb::value_error(
          cat(wrench.numbers->name(), " has shape ", shape_text(shape), ", but must have (6,) for all states or (", count, ", 6) for each: force, then moment")
              .c_str());
    wrench.numbers->convert_to(real);
  }
}

/// The caller's array, checked: it is written to as it is or not at all.
void open_out(Memory& memory, nb::handle out, const std::vector<std::size_t>& shape, std::size_t inner, Real real, const std::deque<Input>& inputs) {
  if (!memory.open(out, true)) {
    Memory readable;
    const bool can_be_read = readable.open(out, false);
    throw nb::type_error(can_be_read ? "out is read-only" : "out must be a NumPy array");
  }
  if (memory.shape() != shape)
    throw nb::value_error(cat("out has shape ", shape_text(memory.shape()), ", but the result has shape ", shape_text(shape)).c_str());
  if (memory.real() != real) {
    const std::string dtype = memory.real() == Real::none ? "another dtype" : cat("dtype ", to_string(memory.real()));
    throw nb::type_error(cat("out has ", dtype, ", but the result has dtype ", to_string(real)).c_str());
  }
  if (!memory.in_rows(inner)) throw nb::value_error("out must be C-contiguous, not a strided or transposed view");
  for (const Input& input : inputs)
    if (memory.data() < input.memory().end(1) && input.memory().data() < memory.end(inner))
      throw nb::value_error(cat("out shares memory with ", input.name(), ": results must not overwrite what they are computed from").c_str());
}

template <class T>
std::vector<WrenchOf<T>> cast(const std::vector<Wrench>& wrenches) {
  std::vector<WrenchOf<T>> to;
  for (const Wrench& w : wrenches) to.push_back({w.link, w.axes, w.force.template cast<T>(), w.moment.template cast<T>()});
  return to;
}
template <class T>
BaseMotionOf<T> cast(const BaseMotion& base) {
  return {base.angular_velocity.template cast<T>(), base.linear_velocity.template cast<T>(), base.angular_acceleration.template cast<T>(),
          base.linear_acceleration.template cast<T>()};
}

/// The formulation that computes, ready to run.
std::optional<FormulationOnModel> formulation_of(const RobotDynamics& robot, Quantity quantity, const Under& under, const Effects& effects) {
  if (under.formulation == nullptr) return {};
  Prepared prepared(robot.model(), robot.options().snap);
  prepared.accept_interpolation = under.accept_interpolation;
  if (prepared.accept_interpolation && under.formulation->valid_at != ValidAt::table_nodes)
    throw std::invalid_argument(cat("accept_interpolation is for table-based formulations; ", under.formulation->id, " computes them"));
  if (why_not(*under.formulation, quantity, prepared).empty())
    if (const std::string reason = why_not(*under.formulation, quantity, prepared, effects); !reason.empty())
      throw std::invalid_argument(cat("formulation ", under.formulation->id, ": ", reason));
  return FormulationOnModel(*under.formulation, quantity, prepared);
}

template <class T>
void compute(RobotDynamics& robot, Quantity quantity, std::size_t link, const std::deque<Input>& inputs, const Memory& out, std::size_t inner,
             std::size_t count, const Under& under) {
  std::shared_ptr<const DynamicsOf<T>> dynamics;
  if constexpr (std::is_same_v<T, float>) {
    const nb::gil_scoped_release release;  // the first call compiles
    dynamics = robot.of<T>();
  } else {
    dynamics = robot.of<T>();
  }
  Call<T> call{*dynamics, robot.shapes(quantity), quantity, link};
  const std::vector<WrenchOf<T>> wrenches = cast<T>(under.wrenches);
  EffectsOf<T> effects{.rotor = robot.options().rotor, .friction = robot.options().friction, .base = cast<T>(under.base), .wrenches = wrenches};
  if (under.loaded || under.formulation != nullptr) call.effects = &effects;
  for (const WrenchArray& wrench : under.wrench_arrays) {
    const Memory& numbers = wrench.numbers->memory();
    call.wrenches.push_back(
        {wrench.link, wrench.axes, {reinterpret_cast<const T*>(numbers.data()), 6, wrench.numbers->shape().size() == 1 ? 1 : count, numbers.row_stride(1)}});
  }
  std::optional<FormulationOnModel> formulation;
  if constexpr (std::is_same_v<T, double>) {
    formulation = formulation_of(robot, quantity, under, effects);
    if (formulation) call.formulation = &*formulation;
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    call.in[k] = reinterpret_cast<const T*>(inputs[k].memory().data());
    call.stride[k] = inputs[k].memory().row_stride(1);
  }
  std::vector<T> unit;
  const std::size_t width = inputs[0].shape().back();
  call.in[0] = unit_states(robot.model(), call.in[0], width, call.stride[0], count, unit);
  call.in[0] = closed_states(*dynamics, call.in[0], width, call.stride[0], count, unit);
  call.out = reinterpret_cast<T*>(out.data());
  call.out_stride = out.row_stride(inner);
  call.all(count);
}

void compute(RobotDynamics& robot, Quantity quantity, std::size_t link, const std::deque<Input>& inputs, const Memory& out, std::size_t inner,
             std::size_t count, bool single, const Under& under) {
  single ? compute<float>(robot, quantity, link, inputs, out, inner, count, under) : compute<double>(robot, quantity, link, inputs, out, inner, count, under);
}

}  // namespace

nb::object evaluate(RobotDynamics& dynamics, Quantity quantity, std::size_t link, const std::vector<Argument>& arguments, nb::handle out, const Under& under) {
  std::deque<Input> inputs;  // Input stays where it is made
  const bool single = read(dynamics.model(), row_of(quantity), arguments, under.formulation != nullptr, inputs);
  const Real real = single ? Real::float32 : Real::float64;
  const auto& states = inputs.front().shape();
  const std::size_t count = states.size() == 1 ? 1 : states.front();
  check_wrenches(under.wrench_arrays, count, real);
  const std::size_t inner = dynamics.shapes(quantity).axes;
  const std::vector<std::size_t> shape = result_shape(dynamics.shapes(quantity), states);
  nb::object result = out.is_none() ? new_array(shape, real) : nb::borrow(out);
  Memory memory;
  open_out(memory, result, shape, inner, real, inputs);
  if (count > 0) compute(dynamics, quantity, link, inputs, memory, inner, count, single, under);
  return result;
}

nb::object bind_call(nb::handle dynamics, Quantity quantity, std::size_t link, const std::vector<nb::handle>& arrays) {
  struct Arrays {
    nb::object dynamics;
    std::deque<Input> inputs;
    Memory out;
  };
  RobotDynamics& robot = *nb::inst_ptr<RobotDynamics>(dynamics);
  const QuantityRow& row = row_of(quantity);
  if (arrays.size() != row.inputs.size() + 1)
    throw nb::type_error(cat(row.id, " takes ", row.inputs.size(), row.inputs.size() == 1 ? " array" : " arrays", " and one for the result, but ",
                             arrays.size(), arrays.size() == 1 ? " is given" : " are given")
                             .c_str());
  const auto kept = std::make_shared<Arrays>();
  kept->dynamics = nb::borrow(dynamics);
  std::deque<Input>& inputs = kept->inputs;
  for (std::size_t k = 0; k < row.inputs.size(); ++k) inputs.emplace_back(row.inputs[k].data(), arrays[k]);
  check_shapes(robot.model(), row, inputs);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    inputs[k].require_in_place(arrays[k]);
    if (inputs[k].real() != inputs[0].real())
      throw nb::type_error(cat(inputs[k].name(), " has dtype ", to_string(inputs[k].real()), ", but ", inputs[0].name(), " has dtype ",
                               to_string(inputs[0].real()), ": arrays of a bound call have the same")
                               .c_str());
  }
  const bool single = inputs[0].real() == Real::float32;
  const std::vector<std::size_t>& states = inputs[0].shape();
  const std::size_t inner = robot.shapes(quantity).axes, count = states.size() == 1 ? 1 : states.front();
  open_out(kept->out, arrays.back(), result_shape(robot.shapes(quantity), states), inner, inputs[0].real(), inputs);
  if (single) {
    const nb::gil_scoped_release release;  // compiles where nobody has so far
    robot.of<float>();
  }
  const auto general = [kept, quantity, link, inner, count, single, &robot] {
    if (count > 0) compute(robot, quantity, link, kept->inputs, kept->out, inner, count, single, {});
  };
  std::array<const void*, 3> in{};
  for (std::size_t k = 0; k < inputs.size(); ++k) in[k] = inputs[k].memory().data();
  return make_bound(robot, quantity, link, single, count == 1 && states.back() == robot.model().nq(), in, kept->out.data(), arrays.back(),
                    nb::cpp_function(general));
}

nb::object evaluate_closed(RobotDynamics& dynamics, const Argument& q) {
  std::deque<Input> inputs;
  const bool single = read(dynamics.model(), row_of(Quantity::gravity), {&q, 1}, false, inputs);
  std::vector<std::size_t> shape = inputs.front().shape();
  const std::size_t count = shape.size() == 1 ? 1 : shape.front(), width = shape.back(), nq = dynamics.model().nq();
  shape.back() = nq;
  const nb::object result = new_array(shape, single ? Real::float32 : Real::float64);
  Memory out;
  if (!out.open(result, true)) throw nb::type_error("cannot write to a new array");
  const auto run = [&]<class T>(T* to) {
    const Memory& in = inputs.front().memory();
    std::size_t stride = in.row_stride(1);
    std::vector<T> unit;
    const T* states = unit_states(dynamics.model(), reinterpret_cast<const T*>(in.data()), width, stride, count, unit);
    states = closed_states(*dynamics.of<T>(), states, width, stride, count, unit);
    for (std::size_t k = 0; k < count; ++k) {
      T bad = 0;  // of a state that is not finite no position is known
      for (std::size_t i = 0; i < nq; ++i) bad += 0 * states[k * stride + i];
      for (std::size_t i = 0; i < nq; ++i) to[k * nq + i] = states[k * stride + i] + bad;
    }
  };
  if (count > 0 && single)
    run(reinterpret_cast<float*>(out.data()));
  else if (count > 0)
    run(reinterpret_cast<double*>(out.data()));
  return result;
}

nb::object evaluate_mass(RobotDynamics& dynamics, MassForm form, const Argument& q) {
  std::deque<Input> inputs;
  const bool single = read(dynamics.model(), row_of(Quantity::mass), {&q, 1}, false, inputs);
  std::vector<std::size_t> shape = inputs.front().shape();
  const std::size_t count = shape.size() == 1 ? 1 : shape.front(), size = dynamics.of<double>()->mass_entries(form).size();
  shape.back() = size;
  const nb::object result = new_array(shape, single ? Real::float32 : Real::float64);
  Memory out;
  if (!out.open(result, true)) throw nb::type_error("cannot write to a new array");
  const auto run = [&]<class T>(T* to) {
    const Memory& in = inputs.front().memory();
    std::size_t stride = in.row_stride(1);
    const std::size_t width = inputs.front().shape().back();
    std::vector<T> unit;
    const auto compiled = dynamics.of<T>();
    const T* states = unit_states(dynamics.model(), reinterpret_cast<const T*>(in.data()), width, stride, count, unit);
    states = closed_states(*compiled, states, width, stride, count, unit);
    const nb::gil_scoped_release release;
    compiled->mass_batch({states, dynamics.model().nq(), count, stride}, form, {to, size, count});
  };
  if (count > 0 && single)
    run(reinterpret_cast<float*>(out.data()));
  else if (count > 0)
    run(reinterpret_cast<double*>(out.data()));
  return result;
}

}  // namespace ulna::python
