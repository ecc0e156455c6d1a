#include "dynamics.hpp"

namespace ulna::python {

void RobotDynamics::abandon() const {
  // Held for ever, on purpose: the last owner would wait for threads that this process does not have.
  new std::shared_ptr<Dynamics>(double_);
  new std::shared_ptr<DynamicsF>(float_);
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
  if (!float_) float_ = std::make_shared<DynamicsF>(double_->model(), options_);
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
