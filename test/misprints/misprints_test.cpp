// Each misprint of the papers, in the code of its formulation, is refused modulo a prime; without it the equations hold.
#include <gtest/gtest.h>

#include <vector>

namespace ulna::internal::misprinted {
/// Which of misprints.txt is switched on.
inline int which = -1;
inline bool printed(int number) { return number == which; }
}  // namespace ulna::internal::misprinted

#include <ulna/ulna.hpp>

#include "formulation/as_variable.hpp"
#include "formulation/evaluator.hpp"
#include "misprinted/hollerbach_3x3.hpp"
#include "misprinted/kane_stanford-inl.hpp"
#include "misprinted/lagrange.hpp"
#include "misprinted/lin.hpp"
#include "misprinted/names.hpp"
#include "misprinted/nasser.hpp"
#include "misprinted/renaud.hpp"
#include "misprinted/strobing.hpp"
#include "misprinted/uicker_kahn.hpp"
#include "plan/reframe-inl.hpp"
#include "verify/exact_kernels.hpp"
#include "verify/exact_robot.hpp"

namespace ulna::test {
namespace {

using namespace internal;

/// Slides first, and one right behind the first joint that rotates.
constexpr const char* kGantry = R"(
robot: gantry
convention: standard
gravity: [1.5, -2.5, -9]
links:
  - {joint: prismatic, name: j1, link: l1, a: 0.1, alpha: 0.7, d: 0.2, theta: 0.4, mass: 2.1, com: [0.1, 0.02, -0.03], inertia: {ixx: 0.11, iyy: 0.12, izz: 0.13, ixy: 0.01, ixz: 0.02, iyz: 0.03}}
  - {joint: prismatic, name: j2, link: l2, a: 0.2, alpha: -0.6, d: 0.1, theta: 1.1, mass: 1.9, com: [0.05, 0.06, 0.07], inertia: {ixx: 0.15, iyy: 0.14, izz: 0.12, ixy: -0.01, ixz: 0.02, iyz: 0.01}}
  - {joint: revolute, name: j3, link: l3, a: 0.3, alpha: 0.5, d: 0.4, theta: 0.3, mass: 1.7, com: [-0.1, 0.04, 0.02], inertia: {ixx: 0.1, iyy: 0.13, izz: 0.12, ixy: 0.02, ixz: -0.01, iyz: 0.01}}
  - {joint: prismatic, name: j4, link: l4, a: 0.25, alpha: 0.9, d: -0.2, theta: -0.8, mass: 1.3, com: [0.03, -0.05, 0.08], inertia: {ixx: 0.09, iyy: 0.08, izz: 0.1, ixy: 0.005, ixz: 0.006, iyz: 0.007}}
  - {joint: revolute, name: j5, link: l5, a: 0.15, alpha: 1.2, d: 0.3, theta: 0.2, mass: 1.1, com: [0.01, 0.02, 0.05], inertia: {ixx: 0.05, iyy: 0.06, izz: 0.07, ixy: 0.001, ixz: 0.002, iyz: 0.003}}
  - {joint: revolute, name: j6, link: l6, a: 0.05, alpha: 0.4, d: 0.1, theta: 0.5, mass: 0.7, com: [0.02, 0.01, 0.04], inertia: {ixx: 0.02, iyy: 0.025, izz: 0.03, ixy: 0.002, ixz: 0.001, iyz: 0.003}}
)";

Model robot_of(const char* name) { return std::string(name) == "gantry" ? parse(kGantry, "gantry.yaml") : load(name); }

/// A robot in one of the papers' forms, and what the production path makes of a random state.
template <class Form>
struct Case {
  Case(const char* name, Form (*form_of)(const Prepared&))
      : prepared(robot_of(name)), form(form_of(prepared)), plan(make_plan(prepared.model)), random(7), state(plan, random) {
    PlanOf<Exact> exact = exact_plan(plan, tree_of(form));
    find_aligned_axes(exact);
    lump<Exact>(exact, std::vector<LumpChoice>(exact.bodies.size()));
    ExactKernels kernels(std::move(exact));
    tau = kernels(Quantity::inverse, state.inputs()), M = kernels(Quantity::mass, state.inputs()), bias = kernels(Quantity::bias, state.inputs());
  }

  Prepared prepared;
  Form form;
  Plan plan;
  RandomResidues random;
  ExactState state;
  std::vector<Exact> tau, M, bias;
};

DhChain<Exact> dh(const Prepared& p) { return exact_chain(*p.forms().dh); }
MdhChain<Exact> mdh(const Prepared& p) { return exact_chain(*p.forms().mdh); }
BodyTree<Exact> tree(const Prepared& p) { return exact_tree(p.forms().tree); }
StanfordArm<Exact> stanford(const Prepared& p) { return fit_stanford(p.forms().tree).arm.cast<Exact>(); }

/// Torques of a class with torque(q, v, a, tau).
template <class A, class Form>
bool torque_is_right(const Case<Form>& robot) {
  std::vector<Exact> tau(robot.tau.size());
  A(robot.form).torque(robot.state.q.data(), robot.state.v.data(), robot.state.a.data(), tau.data());
  return tau == robot.tau;
}

/// Every formulation of chains that has a misprint.
bool chains_are_right(const char* name) {
  const Case<DhChain<Exact>> robot(name, &dh);
  const Case<MdhChain<Exact>> modified(name, &mdh);
  const std::size_t n = robot.tau.size();
  bool right = torque_is_right<misprinted::hollerbach::UickerKahn<Exact, Exact>>(robot) &&
               torque_is_right<misprinted::hollerbach::Hollerbach3x3<Exact, Exact>>(robot) &&
               torque_is_right<misprinted::turney::NewtonEuler<Exact, Exact>>(robot) && torque_is_right<misprinted::turney::Lagrange<Exact, Exact>>(robot) &&
               torque_is_right<misprinted::turney::ModifiedNewtonEuler<Exact, Exact>>(robot);
  // C_jk by strobing: sum C_ijk v_j v_k = bias - gravity.
  misprinted::turney::Strobing<Exact, Exact> strobing(robot.form);
  std::vector<Exact> C(n * n * n), G(n), bias;
  strobing.coriolis_coefficients(robot.state.q.data(), C.data());
  strobing.gravity(robot.state.q.data(), G.data());
  for (std::size_t i = 0; i < n; ++i) {
    Exact sum = G[i];
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) sum = sum + C[(i * n + j) * n + k] * robot.state.v[j] * robot.state.v[k];
    bias.push_back(sum);
  }
  right = right && bias == robot.bias;
  misprinted::composite_body::Lin<Exact, Exact> lin(modified.form);
  misprinted::composite_body::Renaud<Exact, Exact> renaud(modified.form);
  std::vector<Exact> H(n * n), b(n), other(n * n);
  lin.set_configuration(modified.state.q.data());
  lin.mass(H.data());
  lin.bias(modified.state.v.data(), b.data());
  renaud.set_configuration(modified.state.q.data());
  renaud.mass(other.data());
  right = right && H == modified.M && b == modified.bias && other == modified.M;
  const Case<BodyTree<Exact>> body(name, &tree);
  std::vector<Exact> a(n);
  misprinted::Nasser<Exact, Exact>(body.form).acceleration(body.state.q.data(), body.state.v.data(), body.tau.data(), a.data());
  return right && a == body.state.a;
}

/// Torques, and W_31, which is the momentum of the first joint: row 1 of M v.
bool stanford_is_right() {
  const Case<StanfordArm<Exact>> robot("stanford", &stanford);
  StanfordQuantities<Exact> k;
  const std::array<Exact, 7> rates = stanford_from_chain(robot.state.v.data());
  stanford_place(stanford_from_chain(robot.state.q.data()), k);
  stanford_speeds_from_rates(k, rates);
  misprinted::stanford_Z(robot.form, k);
  misprinted::stanford_X(robot.form, k);
  std::vector<Exact> tau(6);
  stanford_forces_to_chain(stanford_forces(k, stanford_speed_rates(k, rates, stanford_from_chain(robot.state.a.data()))), tau.data());
  Exact momentum(0);
  for (std::size_t j = 0; j < 6; ++j) momentum = momentum + robot.M[6 * j] * robot.state.v[j];
  return tau == robot.tau && misprinted::stanford_W(robot.form, k)[31] == momentum;
}

bool all_right() { return stanford_is_right() && chains_are_right("stanford") && chains_are_right("gantry"); }

TEST(Misprints, EachIsRefused) {
  misprinted::which = -1;
  ASSERT_TRUE(all_right());
  for (std::size_t k = 0; k < kMisprints.size(); ++k) {
    misprinted::which = static_cast<int>(k);
    EXPECT_FALSE(all_right()) << kMisprints[k];
  }
  misprinted::which = -1;
}

/// Nasser's S_i as printed, with an actuator's inertia: its reaction is nowhere.
TEST(Misprints, NassersActuatorInertiaAsPrintedIsRefused) {
  const Case<BodyTree<Exact>> robot("stanford", &tree);
  BodyTree<Exact> geared = robot.form;
  for (TreeBody<Exact>& body : geared.bodies) body.rotor = Exact(0.3);
  PlanOf<Exact> plan = exact_plan(robot.plan, geared);
  find_aligned_axes(plan);
  lump<Exact>(plan, std::vector<LumpChoice>(plan.bodies.size()));
  ExactKernels kernels(std::move(plan));
  const std::vector<Exact> tau = kernels(Quantity::inverse, robot.state.inputs());
  std::vector<Exact> a(tau.size());
  for (const bool carried : {true, false}) {
    misprinted::Nasser<Exact, Exact>(geared, carried ? misprinted::NasserReaction::carried : misprinted::NasserReaction::dropped)
        .acceleration(robot.state.q.data(), robot.state.v.data(), tau.data(), a.data());
    EXPECT_EQ(a == robot.state.a, carried);
  }
}

}  // namespace
}  // namespace ulna::test
