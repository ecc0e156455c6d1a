// Dry friction: joints that stick, slide and break away.
//
//   slides along s = ±1   friction = viscous v + coulomb s;   s v > 0, or v = 0 and s a >= 0
//   sticks                v = 0, a = 0;                       |friction - centre| <= level
//
// Between events every joint keeps its mode, so that f is smooth. A step in which a joint comes to rest or breaks away is made again to end there; then all
// joints that stand are decided together. With a = M⁻¹ (tau - bias - friction) that is a complementarity problem in a box, whose matrix is a part of M⁻¹:
// positive definite, so that a is unique where level = coulomb (R. W. Cottle, J.-S. Pang and R. E. Stone, "The Linear Complementarity Problem", 1992).
#pragma once

#include <functional>
#include <vector>

#include <ulna/plan/plan.hpp>
#include <ulna/sim/scenario.hpp>

#include "sim/integrator.hpp"
#include "spatial/curve.hpp"

namespace ulna::internal::sim {

class ForwardModel;
class System;

/// Whether a joint can stick: friction is dry, and some joint has more than viscous friction.
bool can_stick(const Scenario& scenario);
/// Why a scenario cannot have dry friction; empty where it can, and where it has none.
std::string why_no_sticking(const Scenario& scenario);

/// The modes of all coordinates of v. A joint that follows another, or from it by a loop, rubs on its coordinate.
class Sticking {
 public:
  Sticking(const Plan& plan, const FrictionSettings& settings);

  bool rubs(std::size_t i) const { return rubs_[i]; }
  double level(std::size_t i) const { return level_[i]; }
  /// The middle between what holds a joint one way and the other: 0 unless friction has an offset or an asymmetry.
  double centre(std::size_t i) const { return centre_[i]; }
  int mode(std::size_t i) const { return mode_[i]; }
  bool sticks(std::size_t i) const { return !held_.empty() && held_[i] && !braked_[i]; }
  /// By friction or by brakes, of every number of v; empty where none is.
  const std::vector<bool>& held() const { return held_; }
  /// Takes levels to q, where loops make them depend on it.
  void place(ForwardModel& robot, const double* q);
  /// `friction` has Coulomb friction of the signs of v: of the modes instead.
  void by_modes(const double* v, double* friction) const;

  struct Forces {
    const double *a, *friction;  // with the present modes; friction of a joint that sticks is what keeps it standing
  };
  enum class Pin : signed char { none, breaks_away, stays };
  /// Modes at an instant: of v where a joint moves; of all that stand, such that the conditions above hold. A joint that was let go in here holds by its
  /// Coulomb friction only. Where the static level is more than that, there may be several solutions; joints stick where they can.
  void decide(const double* v, const std::vector<bool>& brakes, const std::vector<Pin>& pins, const std::function<Forces()>& solve);

 private:
  /// Friction of a joint that follows from coordinate i by a loop, whose speed is G v: it is |G| times as much there.
  struct Passive {
    std::size_t coordinate, i;  // of v_tree and of v
    double coulomb, level, centre, lean;
  };
  void list_held();

  std::vector<Passive> passive_;
  std::vector<double> own_coulomb_, own_level_, own_centre_, own_lean_, unit_;  // without the passive joints'
  std::vector<double> coulomb_, level_, centre_, lean_;                         // lean: Coulomb friction forwards less what it is on average
  std::vector<signed char> mode_, wanted_;
  std::vector<bool> rubs_, held_, braked_, stands_, let_go_;
};

/// Steps of a run with dry friction.
class StickSlip {
 public:
  StickSlip(System& system, const Scenario& scenario);
  /// Where a stretch begins.
  void begin(double t, const double* x);
  /// Integrator::step() from x; ends where a joint comes to rest or breaks away, and says whether one does. Steps while a joint sticks are ten times
  /// IntegratorSettings::step at most, so that an integrator that chooses its own does not pass over a force that comes and goes.
  bool step(Integrator& integrator, const std::vector<double>& x, double limit);
  /// After such a step: what came to rest stands, and all that stand are decided.
  void settle(double t, std::vector<double>& x);

 private:
  struct Event {
    enum Kind { none, false_start, rest, release } kind = none;
    double t = 0;
    std::size_t joint = 0;
  };
  Event find(Integrator& integrator, const std::vector<double>& x);
  bool cut(Integrator& integrator, const std::vector<double>& x, Event event);
  /// By how much the worst of those that stick is beyond its level, and which: at a time within the step, and where the system was looked at last.
  std::pair<double, std::size_t> excess(Integrator& integrator, double t);
  std::pair<double, std::size_t> worst() const;
  double least(double t) const;

  System& system_;
  Sticking& sticking_;
  std::size_t nq_, n_;
  double step_;
  int crowded_ = 0;  // events without a step between them that had none
  Event last_;
  std::vector<Sticking::Pin> pins_;
  std::vector<double> a_, probe_;
};

}  // namespace ulna::internal::sim
