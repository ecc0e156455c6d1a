// Wrenches on the links and a base that moves, by every formulation that says it takes them, against d'Alembert's principle in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "formulation/support_nasser.hpp"

namespace ulna::test {
namespace {

/// Three wrenches on links of any kind, fixed ones and the root among them, in both kinds of axes, and a base that shakes and turns.
struct Acting {
  Acting(const Model& model, Random& random, bool wrenches, bool base) {
    for (int k = 0; wrenches && k < 3; ++k) {
      const auto link = static_cast<std::size_t>(random.uniform(0, static_cast<double>(model.links().size())));
      kept.push_back({std::min(link, model.links().size() - 1), k == 1 ? Axes::world : Axes::link, random.vector(20), random.vector(8)});
    }
    if (wrenches) kept.push_back({model.links().size() - 1, Axes::world, random.vector(20), random.vector(8)});
    if (base) effects.base = {random.vector(2), random.vector(2), random.vector(3), random.vector(5)};
    effects.wrenches = kept;
  }
  std::vector<Wrench> kept;
  Effects effects;
};

/// Every formulation that says that it takes what acts gives what the oracle gives; the others say why not, and refuse. Ids of those that were compared.
std::set<std::string> compare(const Model& model, const State& s, const Effects& effects) {
  std::set<std::string> compared;
  const Prepared prepared(model);
  const Oracle moving(model, s.q, s.v, s.a, effects), unaccelerated(model, s.q, s.v, zeros(s.a), effects);
  const std::vector<double> tau = doubles(moving.torques()), bias = doubles(unaccelerated.torques());
  for (const Quantity quantity : {Quantity::inverse, Quantity::bias, Quantity::forward})
    for (const Formulation& row : formulations()) {
      if (!row.gives(quantity) || row.valid_at == ValidAt::table_nodes || !why_not(row, quantity, prepared).empty()) continue;
      SCOPED_TRACE(std::string(row.id) + ", " + std::string(result_name(quantity)));
      FormulationOnModel run(row, quantity, prepared);
      const bool forward = quantity == Quantity::forward;
      const InputsOf<double> in{s.q.data(), s.v.data(), forward ? tau.data() : s.a.data()};
      std::vector<double> got(s.q.size());
      const ActingLoads acting = acting_loads(quantity, effects);
      if ((acting.wrenches && !row.takes_wrenches) || (acting.base && !row.takes_base)) {
        EXPECT_NE(why_not(row, quantity, prepared, effects), "");
        EXPECT_THROW(run.compute(quantity, in, got.data(), effects), std::invalid_argument);
        continue;
      }
      EXPECT_EQ(why_not(row, quantity, prepared, effects), "");
      run.compute(quantity, in, got.data(), effects);
      const std::vector<double>& wanted = forward ? s.a : quantity == Quantity::bias ? bias : tau;
      const double condition =
          forward ? acceleration_condition(model, s, effects) : (quantity == Quantity::bias ? unaccelerated : moving).torque_size() / largest(wanted);
      EXPECT_LT(relative_error(got, wanted), tolerance(2 * steps(model), condition));  // twice: into the formulation's frames, and there
      compared.emplace(row.id);
    }
  return compared;
}

std::set<std::string> ids(bool (*of)(const Formulation&)) {
  std::set<std::string> found;
  for (const Formulation& row : formulations())
    if (of(row)) found.emplace(row.id);
  return found;
}

// What the equations allow: all Newton-Euler recursions and what is made of them, Hollerbach's recursion of W, Kane's and Nasser's methods take both;
// Lagrange's equations in closed form have no speed of a base.
TEST(Loads, RowsSayWhatTheyTake) {
  EXPECT_EQ(ids([](const Formulation& row) { return row.takes_base; }),
            (std::set<std::string>{"waters", "hollerbach-4x4", "hollerbach-3x3", "newton-euler-base", "newton-euler-link", "newton-euler",
                                   "modified-newton-euler", "kane", "strobing", "nasser", "composite-ldl", "ulna"}));
  EXPECT_EQ(ids([](const Formulation& row) { return row.takes_wrenches && !row.takes_base; }), (std::set<std::string>{"uicker-kahn", "lagrange"}));
  EXPECT_EQ(ids([](const Formulation& row) { return row.loads() == "none"; }),
            (std::set<std::string>{"albus", "raibert", "horn-raibert", "kane-stanford", "lin", "renaud"}));
  EXPECT_EQ(ids([](const Formulation& row) { return row.loads().empty(); }), (std::set<std::string>{"walker-orin", "fijany-bejczy"}));
  for (const Formulation& row : formulations()) EXPECT_TRUE(!row.has_loads() || row.why_no_loads.empty() == (row.takes_wrenches && row.takes_base)) << row.id;
}

TEST(Loads, BuiltInChains) {
  Random random(11);
  for (const char* name : {"planar-2r", "planar-3r", "stanford", "puma560", "puma560-mdh", "ur5", "panda", "iiwa14", "scara", "space-arm"}) {
    SCOPED_TRACE(name);
    const Model model = load(name);
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(model, random);
      EXPECT_EQ(compare(model, s, Acting(model, random, true, true).effects).size(), 12u);
      EXPECT_EQ(compare(model, s, Acting(model, random, true, false).effects).size(), 14u);
      EXPECT_EQ(compare(model, s, Acting(model, random, false, true).effects).size(), 12u);
    }
  }
}

TEST(Loads, ChainsOfEveryMixture) {
  Random random(12);
  for (int n = 1; n <= 5; ++n)
    for (int bits = 0; bits < (1 << n); ++bits) {
      std::string types;
      for (int i = 0; i < n; ++i) types += (bits >> i) & 1 ? 'P' : 'R';
      SCOPED_TRACE(types);
      const Model model = load("general-" + types);
      EXPECT_EQ(compare(model, random_state(model, random), Acting(model, random, true, true).effects).size(), 12u);
    }
}

TEST(Loads, TreesWithFixedJointsAndCouplings) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const std::set<std::string> compared = compare(model, s, Acting(model, random, true, true).effects);
    EXPECT_TRUE(compared.contains("kane") && compared.contains("ulna")) << compared.size();
  });
}

// A scale on a lift: a base that accelerates upwards by g is gravity twice; one that turns about a vertical axis far away pulls outwards.
TEST(Loads, ABaseThatAcceleratesIsGravityTheOtherWay) {
  const Model model = load("puma560");
  Random random(13);
  const State s = random_state(model, random);
  Effects lift;
  lift.base.linear_acceleration = -model.gravity();
  const Prepared prepared(model);
  for (const Formulation& row : formulations()) {
    if (!row.gives(Quantity::inverse) || !row.takes_base) continue;
    FormulationOnModel run(row, Quantity::inverse, prepared);
    std::vector<double> once(6), twice(6), weightless(6);
    const InputsOf<double> in{s.q.data(), s.v.data(), s.a.data()};
    run.compute(Quantity::inverse, in, once.data());
    run.compute(Quantity::inverse, in, twice.data(), lift);
    lift.base.linear_acceleration = model.gravity();  // falling freely
    run.compute(Quantity::inverse, in, weightless.data(), lift);
    lift.base.linear_acceleration = -model.gravity();
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(twice[i] - once[i], once[i] - weightless[i], 1e-12 * largest(once)) << row.id;
    EXPECT_GT(largest(weightless), 0);
  }
}

TEST(Loads, ABadLoadMakesEveryResultNaN) {
  const Model model = load("planar-2r");
  const Prepared prepared(model);
  FormulationOnModel run(*find_formulation("newton-euler"), Quantity::inverse, prepared);
  const std::vector<double> q{0.1, 0.2};
  std::vector<double> tau(2);
  Effects effects;
  effects.base.linear_acceleration.x = std::numeric_limits<double>::quiet_NaN();
  run.compute(Quantity::inverse, {q.data()}, tau.data(), effects);
  EXPECT_TRUE(std::isnan(tau[0]) && std::isnan(tau[1]));
  const std::vector<Wrench> wrench{{1, Axes::link, {std::numeric_limits<double>::infinity(), 0, 0}, {}}}, nowhere{{7, Axes::link, {}, {}}};
  effects = {};
  effects.wrenches = wrench;
  run.compute(Quantity::inverse, {q.data()}, tau.data(), effects);
  EXPECT_TRUE(std::isnan(tau[0]) && std::isnan(tau[1]));
  effects.wrenches = nowhere;
  EXPECT_THROW(run.compute(Quantity::inverse, {q.data()}, tau.data(), effects), std::invalid_argument);
}

TEST(Loads, ARefusalHasCauseAndCure) {
  const Model model = load("stanford");
  const std::vector<Wrench> wrench{{6, Axes::link, {1, 2, 3}, {}}};
  Effects effects;
  effects.wrenches = wrench;
  const std::string why = why_not(*find_formulation("lin"), Quantity::bias, Prepared(model), effects);
  EXPECT_NE(why.find("eqs 54 and 67"), std::string::npos) << why;
  EXPECT_NE(why.find("lagrange, kane, strobing, ulna"), std::string::npos) << why;
  EXPECT_EQ(why_not(*find_formulation("lin"), Quantity::mass, Prepared(model), effects), "");  // nothing of it enters
  effects.base.angular_velocity.x = 1;
  const std::string base = why_not(*find_formulation("lagrange"), Quantity::bias, Prepared(model), effects);
  EXPECT_NE(base.find("no base that moves"), std::string::npos) << base;
  EXPECT_NE(base.find("kane, strobing, ulna"), std::string::npos) << base;
}

}  // namespace
}  // namespace ulna::test
