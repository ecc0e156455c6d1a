// Machine code of one robot for both precisions, as Python calls it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include <ulna/robot/analysis.hpp>

namespace ulna::python {

/// The double version is made at once, the float version when it is first asked for. Safe to use from several threads.
///
/// A process that was forked has none of its parent's threads: a pool of the parent's would do all work on one thread, and wait for ever for the others when it
/// is freed. So each process starts a pool of its own, and leaves alone (never frees) what belongs to its parent.
class RobotDynamics {
 public:
  RobotDynamics(const Analysis& robot, const DynamicsOptions& options) : RobotDynamics(options, std::make_shared<Dynamics>(robot, options), nullptr) {}
  RobotDynamics(DynamicsOptions options, std::shared_ptr<Dynamics> of_double, std::shared_ptr<DynamicsF> of_float);
  RobotDynamics(const RobotDynamics&) = delete;
  RobotDynamics& operator=(const RobotDynamics&) = delete;
  ~RobotDynamics() {
    if (getpid() != process_) abandon();
  }

  /// Compiles the float version when it is not there yet: to be called without the GIL.
  template <class T>
  std::shared_ptr<const DynamicsOf<T>> of();

  /// For calls of one state, which use no pool: neither a lock nor a look at the process. Null for floats while nobody has asked for them.
  template <class T>
  const DynamicsOf<T>* one() const;

  /// How the numbers of a quantity lie in arrays of one state.
  struct Shapes {
    std::size_t inputs = 0;
    std::array<std::size_t, 3> in{};   // numbers of each
    std::size_t axes = 0;              // of the result
    std::array<std::size_t, 3> out{};  // along each
    std::size_t size = 0;              // numbers of the result
    bool reordered = false;            // kernels have them in another order
  };
  const Shapes& shapes(Quantity quantity) const { return shapes_[static_cast<std::size_t>(quantity)]; }

  const Model& model() const { return double_->model(); }  // not changed by a fork's new pool
  bool has_float() const;
  const DynamicsOptions& options() const { return options_; }

  std::unique_ptr<RobotDynamics> with_payload(const std::string& link, const Payload& payload);
  std::unique_ptr<RobotDynamics> with_parameters(const Model& changed);
  std::unique_ptr<RobotDynamics> with_threads(std::size_t threads);

 private:
  template <class F>
  std::unique_ptr<RobotDynamics> changed(DynamicsOptions options, F&& change);
  void start_anew();
  void abandon() const;

  DynamicsOptions options_;
  mutable std::mutex mutex_;  // of the two below
  std::shared_ptr<Dynamics> double_;
  std::shared_ptr<DynamicsF> float_;
  pid_t process_ = getpid();
  std::array<Shapes, kQuantities> shapes_{};
  // The first two there were, which stay.
  std::shared_ptr<const Dynamics> one_double_;
  std::shared_ptr<const DynamicsF> one_float_;
  std::atomic<const DynamicsF*> one_float_ready_ = nullptr;
};

template <>
std::shared_ptr<const Dynamics> RobotDynamics::of<double>();
template <>
std::shared_ptr<const DynamicsF> RobotDynamics::of<float>();
template <>
inline const Dynamics* RobotDynamics::one<double>() const {
  return one_double_.get();
}
template <>
inline const DynamicsF* RobotDynamics::one<float>() const {
  return one_float_ready_.load(std::memory_order_acquire);
}

}  // namespace ulna::python
