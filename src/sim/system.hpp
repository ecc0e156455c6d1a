// The equations of motion of a scenario as dx/dt = f(t, x), and what an output row needs.
//
// x = (q, v, the law's memory, work of each drive, losses, work of wrenches, impulse on each audited momentum)
#pragma once

#include <memory>
#include <vector>

#include <ulna/sim/scenario.hpp>

namespace ulna::sim {

class System {
 public:
  explicit System(const Scenario& scenario);
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::size_t coordinates() const { return n_; }
  std::size_t size() const { return size_; }
  std::vector<double> initial() const;
  /// Times at which f jumps, ascending, from 0 to the duration.
  const std::vector<double>& breaks() const { return breaks_; }
  /// From here to the next break: which wrenches act, what is carried.
  void enter(double begin, double end);
  /// The stretch that t lies in; a break belongs to the one after it.
  void enter_at(double t);

  void derivative(double t, const double* x, double* dxdt);
  long evaluations() const { return evaluations_; }
  /// Of whatever is carried at the time of the call.
  Momenta momenta();

  /// One instant; the vectors are good until the next call of anything here.
  struct Instant {
    const double *q, *v, *a, *tau;
  };
  Instant at(double t, const double* x);
  /// Torques by inverse dynamics for this motion, friction included.
  void closing_torques(double t, const double* q, const double* v, const double* a, double* tau);
  /// For a prescribed motion: accelerations by forward dynamics under these torques.
  void closing_accelerations(double t, const double* q, const double* v, const double* tau, double* a);
  void bias(double t, const double* q, const double* v, double* bias);
  ForwardModel& robot() { return phases_[phase_].robot; }
  bool prescribed() const { return scenario_.law.kind == LawKind::prescribed; }

  // Where things stand in x.
  const double* work(const double* x) const { return x + work_at_; }
  double losses(const double* x) const { return x[work_at_ + n_]; }
  double external(const double* x) const { return x[work_at_ + n_ + 1]; }
  double impulse(const double* x, std::size_t k) const { return x[work_at_ + n_ + 2 + k]; }
  /// Coordinates whose momentum is audited.
  const std::vector<std::size_t>& cyclic() const { return cyclic_; }

 private:
  struct Phase {
    double from;
    ForwardModel robot;
  };
  void find_cyclic();
  void find_breaks();
  void make_phases();
  double inside(double t) const;

  const Scenario& scenario_;
  std::size_t n_, size_ = 0, work_at_ = 0;
  std::shared_ptr<const Dynamics> dynamics_;  // machine code that all robots here share; none for other formulations
  std::unique_ptr<ReferenceMotion> reference_;
  std::unique_ptr<Law> law_;
  std::vector<Phase> phases_;
  std::size_t phase_ = 0;
  std::vector<Wrench> wrenches_;
  double begin_ = 0, end_ = 0;
  std::vector<double> breaks_;
  std::vector<std::size_t> cyclic_;
  std::vector<double> q_, v_, a_, tau_, friction_, net_, pushed_;
  long evaluations_ = 0;
};

}  // namespace ulna::sim
