// A robot's numbers modulo a prime: what is 0, ±1 or equal stays so, rotations are exactly orthogonal.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/plan/plan.hpp>

#include "formulation/frames.hpp"
#include "formulation/kane_stanford.hpp"
#include "scalar/exact.hpp"

namespace ulna::internal {

/// Multiples of a quarter turn and 45 degrees are themselves; any other angle is Cayley's pair of the tangent of half of what it is beyond a quarter turn,
/// rounded to twelve decimals. Opposite, complementary and supplementary angles stay so.
CirclePoint circle_point(double angle);
/// A number of the robot that is an angle.
Exact exact_angle(double angle);
/// An orthogonal matrix modulo p with the zeros and ones of this rotation.
Mat3<Exact> exact_rotation(const Mat3<double>& R);

BodyTree<Exact> exact_tree(const BodyTree<double>& tree);
DhChain<Exact> exact_chain(const DhChain<double>& chain);
MdhChain<Exact> exact_chain(const MdhChain<double>& chain);

// The tree that each of the papers' forms describes, its root in frame 0.
BodyTree<Exact> tree_of(const BodyTree<Exact>& tree);
BodyTree<Exact> tree_of(const DhChain<Exact>& chain);
BodyTree<Exact> tree_of(const MdhChain<Exact>& chain);
BodyTree<Exact> tree_of(const StanfordArm<Exact>& arm);

/// The plan in exact numbers, each by itself; followers turn by multipliers of four digits.
PlanOf<Exact> exact_plan(const Plan& like);
/// The plan of such a tree; topology, couplings and all that is no mass and no frame are those of `like`. Not lumped.
PlanOf<Exact> exact_plan(const Plan& like, const BodyTree<Exact>& tree);
/// By the numbers of the robot's file; with ball joints, which no form of the papers has, by those of the plan.
PlanOf<Exact> exact_plan(const Plan& like, const Model& model, double snap);

/// Random numbers modulo p, the same for the same seed.
class RandomResidues {
 public:
  explicit RandomResidues(std::uint64_t seed) : state_(seed) {}
  Residue operator()();

 private:
  std::uint64_t state_;
};

/// A random state: angles on the circle, a free base and ball joints at random unit quaternions.
struct ExactState {
  ExactState(const Plan& plan, RandomResidues& random);
  std::vector<Exact> q, v, a;
  InputsOf<Exact> inputs() const { return {q.data(), v.data(), a.data()}; }
};

}  // namespace ulna::internal
