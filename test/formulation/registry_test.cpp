// Every row of the registry against the production path, on every robot it takes; the production path against the slow oracle.
#include <algorithm>
#include <array>
#include <set>
#include <type_traits>

#include <ulna/source/load.hpp>

#include "formulation/rows.hpp"
#include "formulation/support_nasser.hpp"

#include "support/builtin.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

constexpr std::array kQuantities{Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::forward};

struct Expected {
  std::string_view id;
  std::vector<Quantity> quantities;
  std::string_view cost;
};
const std::vector<Expected>& expected_rows() {
  using enum Quantity;
  static const std::vector<Expected> rows{
      {"uicker-kahn", {inverse}, "O(n^4)"},
      {"waters", {inverse}, "O(n^2)"},
      {"hollerbach-4x4", {inverse}, "O(n)"},
      {"hollerbach-3x3", {inverse}, "O(n)"},
      {"newton-euler-base", {inverse}, "O(n)"},
      {"newton-euler-link", {inverse}, "O(n)"},
      {"newton-euler", {inverse}, "O(n)"},
      {"lagrange", {inverse, mass, bias, gravity, coriolis}, "O(n^3)"},
      {"modified-newton-euler", {inverse}, "O(n)"},
      {"albus", {inverse}, "O(1), tables O(k^3n)"},
      {"raibert", {inverse}, "O(n^2), tables O(k^2n)"},
      {"horn-raibert", {inverse}, "O(n^3), tables O(k^n)"},
      {"kane", {inverse, mass, bias}, "O(n^2), mass O(n^3)"},
      {"kane-stanford", {inverse, forward}, "638 mul, 400 add"},
      {"strobing", {mass, bias, gravity, coriolis}, "O(n^2)"},
      {"walker-orin", {mass}, "O(n d)"},
      {"renaud", {mass, bias, gravity, coriolis}, "O(n^2)"},
      {"fijany-bejczy", {mass}, "O(n^2)"},
      {"lin", {mass, bias, gravity, coriolis}, "O(n^2)"},
      {"nasser", {forward}, "O(n)"},
      {"composite-ldl", {forward}, "O(n^3)"},
      {"ulna", {inverse, mass, bias, gravity, coriolis, forward}, "O(n), mass O(n d)"},
  };
  return rows;
}

TEST(Registry, RowsOfThePapers) {
  ASSERT_EQ(formulations().size(), expected_rows().size());
  std::set<std::string_view> ids;
  for (std::size_t k = 0; k < formulations().size(); ++k) {
    const Formulation& row = formulations()[k];
    SCOPED_TRACE(row.id);
    EXPECT_EQ(row.id, expected_rows()[k].id);
    EXPECT_TRUE(ids.insert(row.id).second) << "twice";
    EXPECT_EQ(find_formulation(row.id), &row);
    for (const Quantity quantity : {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis, Quantity::forward}) {
      const std::vector<Quantity>& wanted = expected_rows()[k].quantities;
      EXPECT_EQ(row.gives(quantity), std::find(wanted.begin(), wanted.end(), quantity) != wanted.end()) << result_name(quantity);
    }
    for (const std::string_view text : {row.title, row.citation, row.joints, row.topologies}) EXPECT_FALSE(text.empty());
    EXPECT_EQ(row.cost(), expected_rows()[k].cost);
    EXPECT_NE(row.why_not, nullptr);
    EXPECT_NE(row.make_double, nullptr);
    EXPECT_NE(row.make_float, nullptr);
    EXPECT_NE(row.make_counted, nullptr);
  }
  EXPECT_EQ(find_formulation("newton"), nullptr);
  // What is asked for by its facts is there once.
  const auto having = [](auto fact) { return std::count_if(formulations().begin(), formulations().end(), fact); };
  EXPECT_EQ(having([](const Formulation& row) { return row.production; }), 1);
  EXPECT_EQ(&production_path(), &formulations().back());
  EXPECT_TRUE(production_path().production);
  EXPECT_EQ(having([](const Formulation& row) { return row.valid_at == ValidAt::table_nodes; }), 3);
  EXPECT_EQ(having([](const Formulation& row) { return row.written_out; }), 1);
  for (const MakeRow make : kRows) EXPECT_EQ(row_of(make).id, make().id);
}

/// What the production path says of one robot in one state, rotors in the acceleration only. Errors of a quantity are measured against `size`, rounding of
/// its own against tolerance(n, condition).
struct Reference {
  struct Entry {
    std::vector<double> value;
    double size = 0;
    double condition = 1;
  };
  Entry torque, mass, bias, acceleration;
  std::vector<double> tau;  // that leads to the acceleration

  Reference(const Model& model, const Plan& plan, const State& s) : tau(inverse_of(plan, s)) {
    const Effects bodies{.rotor = false};
    const State coasting{s.q, s.v, zeros(s.q)};
    // Torques may cancel, even to zero: what counts is what they are made of.
    torque = {inverse_of(plan, s, bodies), Oracle(model, s.q, s.v, s.a, bodies).torque_size()};
    bias = {inverse_of(plan, coasting, bodies), Oracle(model, s.q, s.v, coasting.a, bodies).torque_size()};
    const Eigen::MatrixXd M = mass_of(plan, s.q, false);
    mass = {{M.data(), M.data() + M.size()}, largest(M)};
    acceleration.value = forward_of(plan, s, tau);
    acceleration.size = largest(acceleration.value);
    acceleration.condition = 2 * acceleration_condition(model, s, {});  // both sides of the comparison err
  }
  const Entry& operator[](Quantity quantity) const {
    switch (quantity) {
      case Quantity::inverse: return torque;
      case Quantity::mass: return mass;
      case Quantity::bias: return bias;
      default: return acceleration;
    }
  }
};

template <class T>
std::vector<T> numbers_of(const std::vector<double>& x) {
  std::vector<T> out;
  for (const double number : x)
    if constexpr (std::is_same_v<T, Counted>)
      out.push_back(Counted::variable(number));
    else
      out.push_back(static_cast<T>(number));
  return out;
}
template <class T>
std::vector<double> plain(const std::vector<T>& x) {
  std::vector<double> out;
  for (const T& number : x)
    if constexpr (std::is_same_v<T, Counted>)
      out.push_back(number.value());
    else
      out.push_back(static_cast<double>(number));
  return out;
}

/// One quantity by one evaluator, compared with the reference, over the rounding that is to be expected.
template <class T>
double error_over_bound(Evaluator<T>& evaluator, Quantity quantity, const State& s, const Reference& reference, std::size_t n) {
  const std::vector<T> q = numbers_of<T>(s.q), v = numbers_of<T>(s.v), a = numbers_of<T>(s.a), tau = numbers_of<T>(reference.tau);
  const Reference::Entry& expected = reference[quantity];
  std::vector<T> out(expected.value.size());
  evaluator.compute(quantity, {q.data(), v.data(), quantity == Quantity::forward ? tau.data() : a.data()}, out.data());
  const std::vector<double> got = plain(out);
  double gap = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double here = std::abs(got[k] - expected.value[k]);
    if (!(here <= gap)) gap = here;  // NaN stays
  }
  if (gap == 0) return 0;
  using Rounded = std::conditional_t<std::is_same_v<T, float>, float, double>;
  return gap / (expected.size * tolerance<Rounded>(n, expected.condition));
}

/// Runs every row that takes the model; returns how many did.
int check_all_rows(const Model& model, Random& random, int states) {
  const Prepared prepared(model);
  const Plan plan = make_plan(model);
  const std::size_t n = steps(model);
  std::vector<State> all;
  std::vector<Reference> references;
  for (int k = 0; k < states; ++k) {
    all.push_back(random_state(model, random));
    references.emplace_back(model, plan, all.back());
  }
  int took = 0;
  for (const Formulation& row : formulations()) {
    SCOPED_TRACE(row.id);
    const std::string why_not = row.why_not(prepared);
    if (!why_not.empty()) {
      EXPECT_GE(why_not.size(), 10u) << "no reason: " << why_not;
      EXPECT_TRUE(row.id == "kane-stanford" || row.valid_at == ValidAt::table_nodes || !prepared.forms().why_not_chain.empty()) << why_not;
      continue;
    }
    ++took;
    const auto on_double = row.make_double(prepared);
    const auto on_float = row.make_float == nullptr ? nullptr : row.make_float(prepared);
    const auto on_counted = row.make_counted == nullptr ? nullptr : row.make_counted(prepared);
    for (int k = 0; k < states; ++k) {
      State s = all[k];
      Reference reference = references[k];
      const bool table = row.valid_at == ValidAt::table_nodes;  // exact at the nodes of its grid
      if (table) {
        on_double->to_node(s.q.data(), s.v.data(), s.a.data());
        reference = Reference(model, plan, s);
      }
      for (const Quantity quantity : kQuantities) {
        if (!row.gives(quantity)) {
          EXPECT_THROW(error_over_bound(*on_double, quantity, s, reference, n), std::logic_error) << result_name(quantity);
          continue;
        }
        SCOPED_TRACE(::testing::Message() << result_name(quantity) << ", state " << k);
        const std::string name = std::string(row.id) + " " + std::string(result_name(quantity)) + ": error / bound";
        EXPECT_LT(record(name, error_over_bound(*on_double, quantity, s, reference, n)), 1);
        if (on_counted) {
          EXPECT_LT(record(name + ", Counted", error_over_bound(*on_counted, quantity, s, reference, n)), 1);
        }
        if (on_float && !table) {  // a node rounded to float is none
          EXPECT_LT(record(name + ", float", error_over_bound(*on_float, quantity, s, reference, n)), 1);
        }
      }
    }
  }
  return took;
}

TEST(Registry, BuiltInRobots) {
  int took = 0;
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    SCOPED_TRACE(robot.id);
    Random random(11);
    const int here = check_all_rows(with_free_mimics(load(std::string(robot.id))), random, 3);
    EXPECT_GE(here, 5);  // kane, walker-orin, nasser, composite-ldl, ulna take any tree
    took += here;
  }
  EXPECT_GT(took, 12 * 10);
}

TEST(Registry, RandomChains) {
  for (std::uint64_t seed = 1; seed <= so_many(25u, 200u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 5000);
    EXPECT_GE(check_all_rows(random_model(seed, {.most = 8, .branches = false}), random, 1), 16);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Registry, EveryMixtureOfJoints) {
  for (int n = 1; n <= 4; ++n)
    for (int mixture = 0; mixture < 1 << n; ++mixture) {
      std::string id = "general-";
      for (int k = 0; k < n; ++k) id += (mixture >> k & 1) != 0 ? 'P' : 'R';
      if (id.find("PPPP") != std::string::npos) continue;  // a fourth slide in a row moves nothing that three do not
      SCOPED_TRACE(id);
      Random random(static_cast<std::uint64_t>(100 * n + mixture));
      check_all_rows(load(id), random, 2);
    }
}

TEST(Registry, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= so_many(40u, 100u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 7000);
    EXPECT_GE(check_all_rows(random_model(seed + 300, {.fewest = 3, .most = 24}), random, 1), 5);
    if (::testing::Test::HasFailure()) return;
  }
}

// The row that all others are compared with, against a program that shares nothing with it.
TEST(Registry, ProductionRowAgainstTheOracle) {
  const Formulation& row = *find_formulation("ulna");
  for_each_case({}, [&](const Model& model, const State& s, Random&) {
    const auto evaluator = row.make_double(Prepared(model));
    const Effects bodies{.rotor = false};
    const Oracle moving(model, s.q, s.v, s.a, bodies), still(model, s.q, s.v, zeros(s.q), bodies);
    const auto nv = static_cast<Eigen::Index>(s.q.size());
    std::vector<double> tau(s.q.size()), a(s.q.size());
    Eigen::MatrixXd M(nv, nv);
    evaluator->compute(Quantity::inverse, {s.q.data(), s.v.data(), s.a.data()}, tau.data());
    EXPECT_LT(relative_error(tau, doubles(moving.torques())), tolerance(steps(model), torque_condition(moving)));
    evaluator->compute(Quantity::bias, {s.q.data(), s.v.data()}, tau.data());
    EXPECT_LT(relative_error(tau, doubles(still.torques())), tolerance(steps(model), torque_condition(still)));
    evaluator->compute(Quantity::mass, {s.q.data()}, M.data());
    EXPECT_LT(relative_error(M, doubles(moving.mass_matrix())), tolerance(steps(model)));
    const std::vector<double> drive = doubles(Oracle(model, s.q, s.v, s.a).torques());  // rotors included
    evaluator->compute(Quantity::forward, {s.q.data(), s.v.data(), drive.data()}, a.data());
    EXPECT_LT(relative_error(a, s.a), tolerance(steps(model), acceleration_condition(model, s, {})));
  });
}

}  // namespace
}  // namespace ulna::test
