// Forward dynamics for simulations. The one place where the method is chosen.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include "scalar/dual.hpp"

#include "sim/formulation_forward.hpp"
#include "sim/integrator.hpp"

namespace ulna::internal::sim {

/// One per thread: it holds the memory that evaluations need. Friction is in none of it; see FrictionLanes.
class ForwardModel {
 public:
  /// `formulation`: an id of the registry; "ulna" is the production path, machine code where available: that of `like` where that is given, made for the
  /// same robot with the same `rotor`, perhaps with other numbers. `speeds`: of a formulation that takes them. Throws std::invalid_argument when the
  /// formulation does not exist or does not take the model.
  explicit ForwardModel(const Model& model, const std::string& formulation = "ulna", bool rotor = true, const Dynamics* like = nullptr,
                        std::shared_ptr<const Speeds> speeds = {});

  std::size_t size() const { return n_; }             // nv
  std::size_t positions() const { return plan_.nq; }  // nq
  const Plan& plan() const { return plan_; }

  /// a = M⁻¹ (tau - bias). Throws std::invalid_argument for wrenches or a motion of the base that the formulation does not take.
  void accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base = {}, std::span<const Wrench> wrenches = {});
  /// M a + bias by the formulation. Throws std::logic_error where why_no_torques() says why, and for effects that it does not take.
  void own_torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base = {}, std::span<const Wrench> wrenches = {});
  /// The same as accelerations(), by the production path for any formulation: the reference of a run.
  void production_accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base = {},
                                std::span<const Wrench> wrenches = {});
  /// M a + bias, by the production recursion for any formulation, for checks. A null v or a is zero.
  void torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base = {}, std::span<const Wrench> wrenches = {});
  /// M a alone; `rotors` apart from the links' inertia where it is false.
  void inertia_torques(const double* q, const double* a, double* tau, bool rotors = true);
  void gravity_torques(const double* q, double* tau) { dynamics_.gravity(q, tau); }
  /// Torques at which the joints accelerate as `a` says, given for them alone, while nothing drives the base. All of `tau`, zero for the base. O(n²).
  void driven_torques(const double* q, const double* v, const double* a, double* tau);
  /// accelerations() with some coordinates held: those that `held` marks do not accelerate, and their `tau` becomes what that takes. O(n³).
  void held_accelerations(const double* q, const double* v, const std::vector<bool>& held, double* tau, double* a, const BaseMotion& base = {},
                          std::span<const Wrench> wrenches = {});
  /// v after an impulsive load with generalized impulse `impulse` [N m s or N s]; p is M v before it; coordinates in `held` stop.
  void after_impulse(const double* q, const double* p, const double* impulse, const std::vector<bool>& held, double* v);
  /// Jᵀ w: what wrenches do to the joints. O(n).
  void wrench_torques(const double* q, std::span<const Wrench> wrenches, double* tau);
  /// ∂a/∂q, ∂a/∂v and M⁻¹, side by side, by the production path for any formulation.
  void derivatives(const double* q, const double* v, const double* tau, double* d, const BaseMotion& base = {}, std::span<const Wrench> wrenches = {});

  /// Speeds of all joints, and their accelerations with them: v and a, but where loops determine some of them. Valid until the next call.
  const double* joint_speeds(const double* q, const double* v);
  /// Torques of all joints projected to the coordinates of v.
  void gather(const double* q, const double* of_joints, double* tau);
  std::pair<const double*, const double*> joint_motion(const double* q, const double* v, const double* a);

  /// From the true masses of the links, without machine code, so that the two can be compared. O(n).
  Energy energy(const double* q, const double* v);
  /// Of a free base, in the world; and sums of the magnitudes of the bodies' own. From the true masses, too. O(n).
  struct InWorld {
    Momentum momentum{};
    double angular = 0, linear = 0;
  };
  InWorld momentum(const double* q, const double* v);
  Pose<double> link_pose(const double* q, std::size_t link);
  /// The inertia matrix, full and symmetric.
  void mass(const double* q, double* M) { dynamics_.mass(q, M); }

  /// Null for the production path.
  const Formulation* other_formulation() const { return other_ ? &other_->row() : nullptr; }
  /// The formulation's generalized speeds, which its own paper integrates; null where it has none. See src/formulation/own_speeds.hpp.
  OwnSpeeds* speeds() { return other_ ? other_->speeds() : nullptr; }
  /// Why the formulation has no answer in a configuration; empty where it has one.
  std::string why_not_here(const double* q) { return other_ ? other_->why_not_here(q) : std::string(); }
  /// Why it gives no torques; empty where it does.
  std::string why_no_torques() const { return other_ ? other_->why_no_torques() : std::string(); }
  /// How accelerations, or torques, are computed, in words.
  std::string equations(bool torques) const;

  /// The machine code behind accelerations() and torques() where no effects are requested; null when there is none.
  const Dynamics* kernels() const { return other_ ? nullptr : &dynamics_; }

  /// For the implicit midpoint rule. Refers to this object.
  Momenta momenta();

 private:
  /// Motion of a body and gravity, in its own axes; see energy().
  struct BodyMotion {
    Vec3<double> gravity{}, w{}, v{};
    double height = 0;  // gravity times the position of its origin
  };
  Effects acting(const BaseMotion& base, std::span<const Wrench> wrenches) const { return {rotor_, false, base, wrenches}; }
  /// The rows and columns of M_ that `take` says, into part_.
  template <class Take>
  void take_part(const Take& take);

  Plan plan_, weightless_;
  Workspace workspace_;
  WorkspaceOf<Dual<double>> dual_workspace_;
  bool rotor_;
  Dynamics dynamics_;
  std::optional<FormulationForward> other_;
  std::size_t n_;  // of v
  std::vector<double> bias_;
  BodyMotion ground_;                // by the base: at rest unless it is free
  std::vector<BodyMotion> motions_;  // by every body
  std::vector<Sym3<double>> J_;
  Sym3<double> J_base_;
  std::vector<double> M_, part_, right_, own_;  // of driven_torques() and the like
};

}  // namespace ulna::internal::sim
