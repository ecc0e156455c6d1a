// Whether other frames of a robot keep its numbers at the robot's own size.
#pragma once

#include <ulna/plan/plan.hpp>

namespace ulna {

/// A parameter that is a rounding error can be made to vanish, too: by a slide of 1e13 metres, after which nothing of the results is left. So both the search
/// for frames and the replay of what it found, with other numbers, refuse a plan whose lengths and masses are far beyond those of the plan they were given.
class Proportion {
 public:
  /// Of the plan as given: nothing slid, turned or lumped yet.
  explicit Proportion(const Plan& plan);

  /// Of a lumped plan, in metres.
  bool keeps(const Plan& plan) const;

 private:
  double reach_;  // how far the robot reaches, stretched out: all offsets and the radii of gyration, added up
  double mass_;
};

}  // namespace ulna
