// The steps of a search, to be repeated on the same robot with other parameters.
#pragma once

#include <optional>
#include <vector>

#include "plan/reframe.hpp"

#include "trace/digits.hpp"

namespace ulna::internal {

/// One change of one body's frame. Those made for the sake of a parameter are found anew from the numbers at hand: the parameter is zero after every replay.
struct Reframing {
  enum Kind {
    slide_by,      // origin moved by `t`
    slide_to_com,  // to the mass centre (prismatic)
    slide_sxz,     // along the axis, so that S_xz = 0
    slide_syz,     // so that S_yz = 0
    strip_offset,  // see strip()
    hold_axes,     // see hold_still()
    turn_by,       // frame rotated by `angle`
    turn_sxy,      // so that S_xy = 0
    turn_hy,       // so that h_y = 0
    turn_syz       // so that S_yz = 0
  };
  Kind kind;
  std::size_t body;
  Vec3<double> t{};
  double angle = 0;
  std::vector<LumpChoice> choices;  // that were in force
};

struct Recipe {
  std::vector<Reframing> steps;
  std::vector<LumpChoice> choices;  // at the end
  double unit = 1;
};

/// How far a step of this kind goes, by the plan's lumped numbers.
Vec3<double> slide_of(const PlanBody<double>& body, Reframing::Kind kind);
double turn_of(const PlanBody<double>& body, Reframing::Kind kind);

/// Does one step. `plan` is not lumped afterwards.
void reframe(Plan& plan, const Reframing& step);

/// The plan (not lumped, in metres) after all steps, lumped, in its length unit. None when a step that suited the numbers of the search would cost these their
/// digits: a slide is a quotient of parameters, and its divisor may be next to nothing now. `digits` are those of the plan, loops open; `question` is what its
/// programs answer.
std::optional<Plan> replay(const Recipe& recipe, Plan plan, Digits& digits, const Digits::Question& question);

}  // namespace ulna::internal
