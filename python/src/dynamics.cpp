#include "dynamics.hpp"

#include <algorithm>

namespace ulna::python {

RobotDynamics::RobotDynamics(DynamicsOptions options, std::shared_ptr<Dynamics> of_double, std::shared_ptr<DynamicsF> of_float)
    : options_(std::move(options)),
      double_(std::move(of_double)),
      float_(std::move(of_float)),
      one_double_(double_),
      one_float_(float_),
      one_float_ready_(float_.get()) {
  const Sizes sizes = model().sizes();
  for (const QuantityRow& row : quantities()) {
    Shapes& to = shapes_[static_cast<std::size_t>(row.quantity)];
    to.inputs = row.inputs.size();
    for (std::size_t k = 0; k < to.inputs; ++k) to.in[k] = row.input_size(k, sizes);
    to.size = row.size(sizes);
    to.reordered = row.quantity == Quantity::pose || (row.is_matrix() && !row.symmetric);
    const std::size_t rows = row.rows.of(sizes), columns = row.columns.of(sizes);
    if (row.quantity == Quantity::pose)
      to.axes = 2, to.out = {4, 4};
    else if (!row.is_matrix())
      to.axes = 1, to.out = {to.size};
    else if (row.parts.empty())
      to.axes = 2, to.out = {rows, columns};
    else
      to.axes = 3, to.out = {row.parts.size(), rows, columns / row.parts.size()};
  }
}

void RobotDynamics::abandon() const {
  // Held for ever, on purpose: the last owner would wait for threads that this process does not have.
  for (const auto& held : {double_, std::const_pointer_cast<Dynamics>(one_double_)}) new std::shared_ptr<Dynamics>(held);
  for (const auto& held : {float_, std::const_pointer_cast<DynamicsF>(one_float_)}) new std::shared_ptr<DynamicsF>(held);
}

void RobotDynamics::start_anew() {
  if (getpid() == process_) return;
  abandon();
  double_ = std::make_shared<Dynamics>(double_->with_threads(options_.threads));
  if (float_) float_ = std::make_shared<DynamicsF>(float_->with_threads(options_.threads));
  process_ = getpid();
}

template <>
std::shared_ptr<const Dynamics> RobotDynamics::of<double>() {
  const std::lock_guard lock(mutex_);
  start_anew();
  return double_;
}

template <>
std::shared_ptr<const DynamicsF> RobotDynamics::of<float>() {
  const std::lock_guard lock(mutex_);
  start_anew();
  if (!float_) {
    one_float_ = float_ = std::make_shared<DynamicsF>(double_->model(), options_);
    one_float_ready_.store(one_float_.get(), std::memory_order_release);
  }
  return float_;
}

bool RobotDynamics::has_float() const {
  const std::lock_guard lock(mutex_);
  return float_ != nullptr;
}

template <class F>
std::unique_ptr<RobotDynamics> RobotDynamics::changed(DynamicsOptions options, F&& change) {
  const std::shared_ptr<const Dynamics> of_double = of<double>();
  std::shared_ptr<DynamicsF> of_float;
  if (has_float()) of_float = std::make_shared<DynamicsF>(change(*of<float>()));
  return std::make_unique<RobotDynamics>(std::move(options), std::make_shared<Dynamics>(change(*of_double)), std::move(of_float));
}

std::unique_ptr<RobotDynamics> RobotDynamics::with_payload(const std::string& link, const Payload& payload) {
  return changed(options_, [&](const auto& dynamics) { return dynamics.with_payload(link, payload); });
}

std::unique_ptr<RobotDynamics> RobotDynamics::with_parameters(const Model& to) {
  return changed(options_, [&](const auto& dynamics) { return dynamics.with_parameters(to); });
}

std::unique_ptr<RobotDynamics> RobotDynamics::with_threads(std::size_t threads) {
  DynamicsOptions options = options_;
  options.threads = threads;
  return changed(options, [&](const auto& dynamics) { return dynamics.with_threads(threads); });
}

}  // namespace ulna::python
