// Whether other frames of a robot keep its numbers at the robot's own size.
#pragma once

#include <ulna/plan/plan.hpp>

namespace ulna {

/// A parameter that is a rounding error can be made to vanish, too: by a slide of 1e13 metres, after which nothing of the results is left. A slide of 16 m, and
/// back, costs an arm of half a metre three digits. So both the search for frames and the replay of what it found, with other numbers, refuse a plan whose
/// lengths and masses are beyond those of the whole robot they were given.
class Proportion {
 public:
  /// Of the plan as given: nothing slid, turned or lumped yet.
  explicit Proportion(const Plan& plan);

  /// Of a lumped plan, in metres.
  bool keeps(const Plan& plan) const;

 private:
  double length_ = 0;  // twice as far as the robot reaches, stretched out: all offsets and the radii of gyration, added up
  double mass_ = 0;    // twice the robot's
  double first_ = 0;   // first moments
};

}  // namespace ulna
