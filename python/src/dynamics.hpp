// Machine code of one robot for both precisions, as Python calls it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

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
  RobotDynamics(const Analysis& robot, const DynamicsOptions& options) : options_(options), double_(std::make_shared<Dynamics>(robot, options)) {}
  explicit RobotDynamics(DynamicsOptions options, std::shared_ptr<Dynamics> of_double, std::shared_ptr<DynamicsF> of_float)
      : options_(std::move(options)), double_(std::move(of_double)), float_(std::move(of_float)) {}
  RobotDynamics(const RobotDynamics&) = delete;
  RobotDynamics& operator=(const RobotDynamics&) = delete;
  ~RobotDynamics() {
    if (getpid() != process_) abandon();
  }

  /// Compiles the float version when it is not there yet: to be called without the GIL.
  template <class T>
  std::shared_ptr<const DynamicsOf<T>> of();

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
};

template <>
std::shared_ptr<const Dynamics> RobotDynamics::of<double>();
template <>
std::shared_ptr<const DynamicsF> RobotDynamics::of<float>();

}  // namespace ulna::python
