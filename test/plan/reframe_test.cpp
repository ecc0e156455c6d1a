// Other frames and other shares of the same masses: nothing that a user can ask of a plan may change.
#include <numbers>

#include "plan/reframe.hpp"

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

/// Every kind of change at random places.
void shuffle(Plan& plan, Random& random) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const double s = random.uniform(-0.3, 0.3);
    if (random.integer(0, 1) == 0) slide(plan, i, plan.bodies[i].prismatic ? Vec3<double>{s, random.uniform(-0.3, 0.3), -2 * s} : Vec3<double>{0, 0, s});
    if (random.integer(0, 1) == 0) rotate_frame(plan, i, random.integer(0, 2) == 0 ? std::numbers::pi / 2 : random.uniform(-3, 3));
    if (random.integer(0, 1) == 0) strip(plan, i);
  }
}

std::vector<LumpChoice> random_choices(const Plan& plan, Random& random) {
  constexpr Lumping kinds[] = {Lumping::none, Lumping::szz, Lumping::jyy, Lumping::jxx};
  std::vector<LumpChoice> choices(plan.bodies.size());
  for (LumpChoice& choice : choices) choice.lumping = kinds[random.integer(0, 3)];
  for (std::size_t c = 0; c < plan.bodies.size(); ++c) {
    if (plan.bodies[c].parent == kNone) continue;
    LumpChoice& choice = choices[plan.bodies[c].parent];
    if (random.integer(0, 1) == 0) choice.mass_to = c, choice.axis = random.integer(0, 1);
    if (random.integer(0, 1) == 0) choice.moment_to = c, choice.entry = random.integer(0, 2);
  }
  return choices;
}

/// Offsets and axes that are nearly parallel to what is to vanish make large masses of opposite sign, and with them large terms that cancel.
double largest_parameter(const Plan& plan) {
  double most = 0;
  for (const PlanBody<double>& b : plan.bodies)
    for (const double x : {b.lumped.m, b.lumped.h.x, b.lumped.h.y, b.lumped.h.z, b.lumped.S.xx, b.lumped.S.yy, b.lumped.S.zz})
      most = std::max(most, std::fabs(x));
  return most;
}

// Chains and trees whose axes are parallel, antiparallel or across, frames turned anyhow: bodies whose axes are still give what they gave before.
TEST(Reframe, StillAxesChangeNothing) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 900);
    Description d = random_description(seed, {.fewest = 3, .most = 9, .prismatic = seed % 3 == 0, .massless = false, .mimic = seed % 4 == 0});
    for (Description::JointEntry& entry : d.joints) {
      if (random.chance(0.25)) continue;
      entry.joint.axis = {0, 0, random.chance(0.5) ? 1.0 : -1.0};  // parallel to the one before, unless that is across
      entry.joint.X_PF.R = Mat3<double>::identity();
      entry.joint.X_MB.R = Mat3<double>::identity();
      if (random.chance(0.3)) entry.joint.X_PF.R = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    }
    const Model model = build(d);
    const State s = random_state(model, random);
    Plan plan = make_plan(model, {.lumping = Lumping::none});
    for (std::size_t i = 0; i < plan.bodies.size(); ++i)
      if (random.chance(0.5) && !plan.bodies[i].prismatic) rotate_frame(plan, i, random.uniform(-3, 3));
    lump(plan, Lumping::szz);
    Plan still = plan;
    for (std::size_t i = 0; i < plan.bodies.size(); ++i)
      if (random.chance(0.8)) held += hold_still(still, i) ? 1 : 0;
    const Oracle oracle(model, s.q, s.v, s.a);
    const double cond = 8 * torque_condition(oracle);
    for (const QuantityRow& row : quantities()) {
      if (!row.lumps) continue;
      SCOPED_TRACE(row.id);
      const double more = row.takes("tau") || row.quantity == Quantity::mass_inverse ? 1e6 : 1;  // M⁻¹ magnifies
      for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
        if (method != ForwardMethod::mass_matrix && (row.quantity != Quantity::forward || plan.coupled)) continue;
        EXPECT_LT(relative_error(numbers_of(row.quantity, still, s, kNone, method), numbers_of(row.quantity, plan, s, kNone, method)),
                  tolerance(steps(model), more * cond));
      }
    }
  }
  EXPECT_GT(held, 100);
}

TEST(Reframe, FramesChangeNothing) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    Random random(seed + 500);
    const State s = random_state(model, random);
    const Oracle oracle(model, s.q, s.v, s.a);
    Plan plan = make_plan(model);
    shuffle(plan, random);
    lump(plan, Lumping::szz);
    const double allowed = tolerance(steps(model), 4 * torque_condition(oracle));
    EXPECT_LT(relative_error(inverse_of(plan, s), doubles(oracle.torques())), allowed);
    EXPECT_LT(relative_error(mass_of(plan, s.q), doubles(oracle.mass_matrix())), tolerance(steps(model), 4));
    // Links stay where they are.
    Workspace ws(plan);
    const Plan before = make_plan(model);
    Workspace ws_before(before);
    for (std::size_t link = 0; link < model.links().size(); ++link) {
      const Pose<double> a = link_pose(plan, ws, s.q, link), b = link_pose(before, ws_before, s.q, link);
      EXPECT_NEAR(a.p.x, b.p.x, 1e-12);
      EXPECT_NEAR(a.p.y, b.p.y, 1e-12);
      EXPECT_NEAR(a.p.z, b.p.z, 1e-12);
      EXPECT_NEAR(a.R.xx, b.R.xx, 1e-12);
      EXPECT_NEAR(a.R.yz, b.R.yz, 1e-12);
    }
  }
}

TEST(Reframe, SharesOfMassChangeNoTorque) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 3 * kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, {.most = 8});
    Random random(seed + 900);
    const State s = random_state(model, random);
    const Oracle oracle(model, s.q, s.v, s.a);
    Plan plan = make_plan(model);
    const double plain = largest_parameter(plan);
    shuffle(plan, random);
    const std::vector<LumpChoice> choices = random_choices(plan, random);
    lump(plan, choices);
    const double blown_up = std::max(1.0, largest_parameter(plan) / plain);
    if (blown_up > 1e3) continue;
    ++compared;
    EXPECT_LT(relative_error(inverse_of(plan, s), doubles(oracle.torques())), tolerance(steps(model), 4 * blown_up * torque_condition(oracle)));
    EXPECT_LT(relative_error(mass_of(plan, s.q), doubles(oracle.mass_matrix())), tolerance(steps(model), 4 * blown_up));
  }
  EXPECT_GT(compared, static_cast<int>(kModels));
}

TEST(Reframe, BalancingMakesTheEntryVanish) {
  int general = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = random_model(seed, {.fewest = 5, .most = 5, .prismatic = false, .branches = false, .massless = false});
    Plan plan = make_plan(model);
    const Vec3<double> z = plan.bodies[2].R_PB.column_z();
    if (z.y * z.z == 0 || plan.bodies[2].p_PB.y == 0) continue;  // this axis does not reach the entry
    ++general;
    std::vector<LumpChoice> choices(plan.bodies.size());
    choices[1] = {.mass_to = 2, .axis = 1, .moment_to = 2, .entry = 2};
    lump(plan, choices);
    EXPECT_EQ(plan.bodies[1].lumped.h.y, 0);
    EXPECT_EQ(plan.bodies[1].lumped.S.yz, 0);
    EXPECT_EQ(plan.bodies[1].lumped.S.zz, 0);
    EXPECT_NE(plan.bodies[2].lumped.m, 0);
    EXPECT_NE(plan.bodies[2].lumped.S.zz, 0);
    EXPECT_FALSE(plan.bodies[2].flat);
    EXPECT_TRUE(plan.bodies[1].flat);
  }
  EXPECT_GE(general, 5);
}

TEST(Reframe, LengthUnitKeepsTorques) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = random_model(seed, {.most = 10, .prismatic = false});
    Random random(seed);
    const State s = random_state(model, random);
    const Plan plan = make_plan(model);
    const Plan other = in_length_unit(plan, 0.37);
    EXPECT_LT(relative_error(inverse_of(plan, s), inverse_of(other, s)), tolerance(steps(model), torque_condition(Oracle(model, s.q, s.v, s.a))));
    EXPECT_LT(relative_error(mass_of(plan, s.q), mass_of(other, s.q)), tolerance(steps(model)));
  }
  const Model sliding = random_model(1, {.fewest = 20, .most = 20});
  EXPECT_THROW(in_length_unit(make_plan(sliding), 2.0), std::invalid_argument);
}

TEST(Reframe, ChoicesMustMatchBodies) {
  Plan plan = make_plan(random_model(1, {.fewest = 3, .most = 3}));
  const std::vector<LumpChoice> two(2);
  try {
    lump(plan, two);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "lump: 2 choices for 3 bodies");
  }
}

}  // namespace
}  // namespace ulna::test
