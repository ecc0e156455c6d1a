// The equations of motion of a scenario as dx/dt = f(t, x), and what an output row needs; of one run, or of several side by side in the lanes of the batch
// kernels.
//
// x = (q, v, the law's memory, work of each drive, losses of each joint, work of wrenches on each joint, impulse on each audited momentum, impulse on a robot
//      whose base is free, in the world)
//
// The quaternion of a free base has any length in x, and unit length in all that is computed: see IntegratorKind.
//
// A formulation with generalized speeds u of its own has them in place of v, as its paper integrates (but not under the implicit midpoint rule, which has
// momenta of its own).
// Losses are there where friction is on, work of wrenches where there are disturbances; work, losses and all behind them where the run is audited. A law that
// is sampled has its memory elsewhere (sim/lanes.hpp). Number i of lane l stands at x[i * lanes + l]. All that is done to a lane is what is done to a run
// alone, in the same order, so that the results are the same bits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "robot/lane_numbers.hpp"
#include "sim/base_state.hpp"
#include "sim/forward_model.hpp"
#include "sim/lanes.hpp"
#include "sim/loop_keeper.hpp"
#include "sim/sticking.hpp"

namespace ulna::internal::sim {

/// Throws std::invalid_argument for a scenario that makes no sense.
void check(const Scenario& scenario);
/// Limits of a sampled law: minutes of work; megabytes of delayed torques.
inline constexpr double kMostLawSamples = 1e9, kMostLawDelay = 1e6;
/// Why its formulation does not take its disturbances or the motion of its base; empty when it does.
std::string why_no_loads(const Scenario& scenario);

/// The same where the scenario's formulation does not give what it needs. `reference` is null where there is none.
void check_formulation(const Scenario& scenario, ForwardModel& robot, const ReferenceMotion* reference);

/// One run at one time.
struct RowFacts {
  std::vector<double> q, v, a, tau;
  std::vector<double> joint_v, joint_a;  // of all joints, where loops determine some of them; else empty
  std::vector<double> bias;              // M a + bias at a = 0
  std::vector<double> closing;           // torques by inverse dynamics of q, v, a, friction included
  std::vector<double> mass;              // M
  std::vector<double> work;              // of each drive
  std::vector<double> losses;            // of each joint; empty without friction
  std::vector<double> friction;          // dry friction as it acts, of each joint; empty without any
  std::vector<double> external;          // work of wrenches on each joint; empty without any
  std::vector<double> impulse;           // on each audited momentum
  std::vector<double> world_impulse;     // impulse on a robot whose base is free, in the world: angular, linear; else empty
  std::vector<double> transferred;       // momentum in the world of bodies that were taken or caught at the last break
  ForwardModel::InWorld world;           // its momentum
  Energy energy;
  std::vector<double> production;  // what the production path gives for a (of a prescribed motion, for tau); empty where it is the formulation itself
  std::optional<double> constant;  // Formulation::constant
};

struct SystemOptions {
  bool audited = true;                                  // x has what the audit integrates
  std::shared_ptr<const ulna::internal::LaneCode> own;  // with it, every lane has a robot with numbers of its own; not audited then
  bool checked = false;                                 // check() has passed all of them
};

class System {
 public:
  explicit System(const Scenario& scenario, const SystemOptions& options = {});
  /// Runs that differ in numbers only and that the batch kernels can do (see why_alone()), with machine code that they share: without own numbers, in q, v and
  /// those of the law and of friction. Lanes that are left over repeat the last run.
  System(const std::vector<const Scenario*>& runs, std::size_t lanes, const SystemOptions& options = {});
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::size_t coordinates() const { return n_; }  // nv
  std::size_t positions() const { return nq_; }   // nq
  std::size_t lanes() const { return lanes_; }
  /// Of one lane's x.
  std::size_t size() const { return size_; }
  std::vector<double> initial();
  /// Times at which f jumps, ascending, from 0 to the duration.
  const std::vector<double>& breaks() const { return breaks_; }
  /// From here to the next break: which wrenches act, what is carried.
  void enter(double begin, double end);
  /// The stretch that t lies in; a break belongs to the one after it.
  void enter_at(double t);
  /// Whether the machine code of lanes with own numbers fits those of a lane; its results mean nothing else.
  bool fits(std::size_t lane) const { return fits_.empty() || fits_[lane]; }
  bool audited() const { return audited_; }
  /// The law is sampled: at sample k, at time t. torques() are those that it then holds.
  bool sampled() const { return sampled_.has_value(); }
  void sample(std::uint64_t k, double t, const double* x);
  const double* torques() const { return sampled_->torques(); }
  /// Positions that the joints should have, in lanes; null where there is no reference. Good until the next call.
  const double* reference_positions(double t);
  /// What happens at the break where enter() began: something is caught, joints are stopped. Changes v of x. One lane only.
  void jump(double* x);
  /// Unit quaternions, and closed loops.
  void restore(double* x);
  bool restores() const { return !quaternions_.empty() || keeper_.has_value(); }
  bool free_base() const { return base_.free; }
  /// How far loops were open, at most, before and after they were closed.
  const LoopKeeper::Closing& loops() const { return loops_; }
  /// Positions after moving for a while along a direction of v, loops closed. One lane only.
  void move(const std::vector<double>& q, const std::vector<double>& direction, double by, std::vector<double>& to);

  /// In lanes; good until the next call of anything here.
  struct Instant {
    const double *q, *v, *a, *tau;
  };
  Instant at(double t, const double* x);
  void derivative(double t, const double* x, double* dxdt);
  long evaluations() const { return evaluations_; }
  /// With the payloads at the time of the call. One lane only.
  Momenta momenta();

  /// q of a state, with unit quaternions and closed loops; good until the next call of anything here.
  const double* positions(const double* x);
  /// v of a state; good until the next call of anything here.
  const double* rates(const double* x);
  /// Of all joints, loops closed before; good until the next call of anything here.
  const double* joint_rates(const double* x) { return keeper_ ? robot().joint_speeds(x, rates(x)) : rates(x); }
  /// Whether x has generalized speeds in place of v.
  bool own_speeds() const { return own_speeds_; }

  /// Of every lane; good until the next call of anything here.
  const std::vector<RowFacts>& row(double t, const double* x);
  /// Torques by inverse dynamics for this motion of one lane, friction included: `friction` where it is known.
  void closing_torques(double t, const double* q, const double* v, const double* a, double* tau, const double* friction = nullptr);
  /// Null where no joint can stick.
  Sticking* sticking() { return sticking_ ? &*sticking_ : nullptr; }
  /// Which joints stick at t; see Sticking::decide().
  void decide(double t, const double* x, const std::vector<Sticking::Pin>& pins);
  /// Friction of all joints, as what it is at the coordinates of v; good until the next call of anything here.
  const double* friction_at(const double* q, const double* v);
  /// `to` += friction by load, where links and rotors need these torques.
  void add_load(const double* v, const double* links, const double* a, double* to);
  /// Null where friction is off.
  FrictionLanes* rubbing() { return rubbing_ ? &*rubbing_ : nullptr; }
  /// Of the last at(), where friction is on.
  const double* friction() const { return friction_.data(); }
  void bias(double t, const double* q, const double* v, double* bias);
  ForwardModel& robot() { return phases_[phase_].robot; }
  /// As in Outcome.
  std::string computed_by() const;
  std::string equations() const;
  /// Of the formulation where it is not the production path and has one; else its symbol is empty.
  ConstantOfMotion constant() const;
  std::string in_the_way() const;
  bool prescribed() const { return scenario_.law.kind == LawKind::prescribed; }
  // What acts besides the drives in the present stretch.
  BaseMotion base_at(double t) const { return base_motion(scenario_.base, scenario_.model.gravity(), t); }
  const std::vector<Wrench>& wrenches() const { return wrenches_; }
  /// The time at which a law is called at t: slightly inside the present stretch where t is one of its ends.
  double inside(double t) const;
  /// Coordinates whose momentum is audited.
  const std::vector<std::size_t>& cyclic() const { return cyclic_; }

 private:
  struct Phase {
    double from;
    ForwardModel robot;
    std::optional<ForwardModel> uncaught;  // without what is caught at this time, where something is
  };
  void compare_with_production(double t, const double* x, const Instant& now, RowFacts& row);
  void find_cyclic();
  void find_breaks();
  void make_phases();
  void make_rows();
  void world_impulse_rate(const Instant& now, double* rate);
  void place_reference(double t, double when);

  const Scenario& scenario_;           // of the first lane
  std::vector<const Scenario*> runs_;  // of every lane
  BaseState base_;
  std::size_t nq_, n_, lanes_, size_ = 0, work_at_ = 0, losses_at_ = 0, external_at_ = 0, impulse_at_ = 0, world_at_ = 0;
  std::shared_ptr<const Dynamics> dynamics_;                  // machine code that all robots here share; none for other formulations
  std::vector<std::unique_ptr<ReferenceMotion>> references_;  // of every lane where each begins at its own q; else one of all
  std::unique_ptr<Law> law_;
  std::optional<SampledLaw> sampled_;
  bool audited_;
  std::shared_ptr<const ulna::internal::LaneCode> own_;
  std::vector<std::unique_ptr<ulna::internal::LaneNumbers>> tables_;  // of each phase, where lanes have own numbers
  std::vector<bool> fits_;
  void rub_by_load(double t, const double* q, const double* v);

  std::optional<FrictionLanes> rubbing_;
  std::optional<Workspace> load_space_;  // where friction depends on loads
  std::vector<Phase> phases_;
  std::size_t phase_ = 0, phase_before_ = 0;
  const Dynamics* kernels_ = nullptr;  // of the present robot, where machine code supports all that acts
  std::vector<Wrench> wrenches_;
  std::vector<bool> held_;  // by brakes, of every number of v; empty when none acts
  std::vector<double> transferred_;
  bool weight_ = false;  // of a free base, to be integrated
  double begin_ = 0, end_ = 0;
  std::vector<double> breaks_;
  std::vector<std::size_t> cyclic_, driven_, quaternions_;  // driven_: where q has the positions of the joints that v lists
  std::optional<LoopKeeper> keeper_;
  std::optional<Sticking> sticking_;  // one lane only
  LoopKeeper::Closing loops_;
  bool own_speeds_ = false;
  std::vector<double> q_, v_, a_, tau_, u_, u_dot_, friction_, net_, applied_, bias_, closing_, mass_, target_, joint_friction_;
  std::vector<RowFacts> rows_;
  long evaluations_ = 0;
};

/// Whether friction is on and depends, at some joint, on the torque that it transmits.
bool rubs_by_load(const Scenario& scenario);
/// Why the runs of a scenario cannot go side by side through the batch kernels; empty when they can.
std::string why_alone(const Scenario& scenario);

/// Runs in lanes at a sample of their law, or at their end: number i of lane l at [i * lanes + l].
struct Sample {
  std::uint64_t k = 0;  // which one
  double t = 0;
  const double *q, *v;      // of the base and all joints, as System has them
  const double* tau;        // that act from here on; null at the end
  const double* reference;  // positions that the joints should have; null where there are none
};

struct TogetherOptions {
  SystemOptions system;
  std::function<void(const Sample&)> watch{};  // of laws that are sampled
};

/// Up to `lanes` runs (those of the machine code that all of them share) that differ in numbers only, see System. The outcomes are those of simulate(), bit
/// for bit, but that limits are not reported; of runs that are not audited, how and where they ended. Nothing for a run that diverged, came to a limit that
/// stops it or whose numbers do not fit: it must be made alone, in one lane.
std::vector<std::optional<Outcome>> simulate_together(const std::vector<const Scenario*>& runs, std::size_t lanes, const RunOptions& options,
                                                      const TogetherOptions& together = {});

}  // namespace ulna::internal::sim
