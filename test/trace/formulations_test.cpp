// Every row of the registry as a program: the same numbers as the row on doubles, and never more operations than the row as it is written.
#include <array>

#include <ulna/source/load.hpp>
#include "expr/minimise.hpp"

#include "formulation/composite_ldl.hpp"
#include "formulation/kane.hpp"
#include "formulation/support_nasser.hpp"
#include "formulation/trace.hpp"
#include "support/builtin.hpp"

namespace ulna::test {
namespace {

constexpr std::array kFormulated{Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::forward};

/// A state, the torques that belong to it, and how large the terms are that each result is made of: what rounding is relative to.
struct Case {
  State state;
  std::vector<double> tau;
  Eigen::MatrixXd M;  // rotors included
  std::size_t n;      // of tolerance()
  double torque_size, bias_size, mass_size, effort_size;

  Case(const Model& model, const Plan& plan, Random& random) : state(random_state(model, random)), tau(inverse_of(plan, state)), n(steps(model)) {
    const Effects bodies{.rotor = false};
    M = mass_of(plan, state.q);
    torque_size = Oracle(model, state.q, state.v, state.a, bodies).torque_size();
    bias_size = Oracle(model, state.q, state.v, zeros(state.q), bodies).torque_size();
    mass_size = largest(mass_of(plan, state.q, false));
    effort_size = Oracle(model, state.q, state.v, state.a).torque_size();
  }
  /// The largest difference of two results over the rounding that is to be expected.
  double error(Quantity quantity, const std::vector<double>& expected, const std::vector<double>& got) const {
    const auto rows = static_cast<Eigen::Index>(expected.size());
    Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(got.data(), rows) - Eigen::Map<const Eigen::VectorXd>(expected.data(), rows);
    double size = torque_size;
    if (quantity == Quantity::mass) size = mass_size;
    if (quantity == Quantity::bias) size = bias_size;
    if (quantity == Quantity::forward) {  // what is left over of the equations of motion: then the condition of M does not matter
      gap = M * gap;
      size = effort_size;
    }
    return largest(gap) / (size * tolerance(n));
  }
  /// In the order of the program's inputs.
  std::vector<double> inputs(Quantity quantity) const {
    std::vector<double> all;
    for (const std::string_view input : row_of(quantity).inputs) {
      const std::vector<double>& more = input == "q" ? state.q : input == "v" ? state.v : input == "a" ? state.a : tau;
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }
};

template <class T>
void run(Evaluator<T>& evaluator, Quantity quantity, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a, const std::vector<T>& tau,
         std::vector<T>& out) {
  evaluator.compute(quantity, {q.data(), v.data(), quantity == Quantity::forward ? tau.data() : a.data()}, out.data());
}

std::size_t results(Quantity quantity, std::size_t n) { return row_of(quantity).size({n, n}); }

long operations(const OperationCounts& counts) { return counts.mul + counts.add + counts.div; }

OperationCounts as_written(const Formulation& row, Quantity quantity, const Prepared& prepared) {
  const std::size_t n = prepared.size();
  const std::vector<Counted> state(n, Counted::variable(0.7));
  std::vector<Counted> out(results(quantity, n));
  const auto evaluator = row.make_counted(prepared);
  operation_counts() = {};
  run(*evaluator, quantity, state, state, state, state, out);
  return operation_counts();
}

/// All rows that take the model, all their quantities, as four programs each. Forms whose cost grows as n⁴ only up to `quartic` joints. Returns how many traces
/// were made.
int check_all_rows(const Model& model, Random& random, int states, std::size_t quartic) {
  const Prepared prepared(model);
  const Plan plan = make_plan(model);
  const std::size_t n = prepared.size();
  std::vector<Case> cases;
  for (int k = 0; k < states; ++k) cases.emplace_back(model, plan, random);
  int made = 0;
  for (const Formulation& row : formulations()) {
    if (row.growth.joints == 4 && n > quartic) continue;
    for (const Quantity quantity : kFormulated) {
      if (!why_not_traced(row, quantity, prepared).empty()) continue;
      SCOPED_TRACE(::testing::Message() << row.id << " " << result_name(quantity));
      ++made;
      const Trace traced = trace(row, quantity, prepared);
      const OperationCounts counts = traced.counts(), written = as_written(row, quantity, prepared);
      EXPECT_LE(operations(counts), operations(written));
      EXPECT_LE(counts.sincos, written.sincos);

      const Minimised fewer = minimised(*traced.graph, traced.results);
      const std::array<OutputOf, 1> output{OutputOf{traced.output, fewer.results}};
      struct {
        const char* name;
        Program program;
      } const programs[]{{"as traced", traced.program()},
                         {"fused", traced.program(Fuse::yes)},
                         {"minimised", make_program(*fewer.graph, output)},
                         {"minimised and fused", make_program(*fewer.graph, output, Fuse::yes)}};
      EXPECT_EQ(programs[0].program.counts(), counts);
      EXPECT_EQ(programs[1].program.counts(), counts);
      EXPECT_LE(operations(programs[2].program.counts()), operations(counts));

      const auto evaluator = row.make_double(prepared);
      std::vector<double> expected(results(quantity, n)), got(expected.size());
      for (const auto& [name, program] : programs) {
        SCOPED_TRACE(name);
        Evaluation evaluate(program);
        for (const Case& c : cases) {
          run(*evaluator, quantity, c.state.q, c.state.v, c.state.a, c.tau, expected);
          evaluate(c.inputs(quantity), got);
          EXPECT_LT(record(std::string(row.id) + " " + std::string(result_name(quantity)) + ", " + name + ": error / bound", c.error(quantity, expected, got)),
                    1);
        }
      }
    }
  }
  return made;
}

TEST(Trace, BuiltInRobots) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    SCOPED_TRACE(robot.id);
    Random random(21);
    const Model model = with_free_mimics(load(std::string(robot.id)));
    EXPECT_GE(check_all_rows(model, random, 2, 6), 10);  // kane 3, walker-orin 1, nasser 1, composite-ldl 1, ulna 4 take any tree
  }
}

TEST(Trace, EveryMixtureOfJoints) {
  for (const char* id : {"general-R", "general-P", "general-RR", "general-RP", "general-PR", "general-PP", "general-RRP", "general-RPR", "general-PRR",
                         "general-RPP", "general-PRP", "general-PPR", "general-PPP", "general-RRRR", "general-RPRP", "general-PRPR"}) {
    SCOPED_TRACE(id);
    Random random(31);
    EXPECT_GE(check_all_rows(load(id), random, 2, 4), 24);
  }
}

TEST(Trace, RandomChains) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 9000);
    EXPECT_GE(check_all_rows(random_model(seed + 600, {.most = 6, .branches = false}), random, 1, 4), 23);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Trace, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed + 11000);
    EXPECT_GE(check_all_rows(random_model(seed + 900, {.fewest = 3, .most = 12}), random, 1, 4), 10);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Trace, InputsAndOutputs) {
  const Prepared prepared(load("general-RPR"));
  const Formulation& row = *find_formulation("ulna");
  const std::vector<Signal> q{{"q", 3}}, qv{{"q", 3}, {"v", 3}}, qva{{"q", 3}, {"v", 3}, {"a", 3}}, qvt{{"q", 3}, {"v", 3}, {"tau", 3}};
  const auto expect = [&](Quantity quantity, const std::vector<Signal>& inputs, const Signal& output) {
    const Program program = trace(row, quantity, prepared).program();
    EXPECT_EQ(program.inputs, inputs);
    EXPECT_EQ(program.outputs, std::vector<Signal>{output});
    EXPECT_TRUE(program.parameters.empty());
    EXPECT_EQ(program.precomputed, 0u);  // numbers fold: nothing is left to be computed beforehand
    EXPECT_EQ(program.hash(), trace(row, quantity, prepared).program().hash());
  };
  expect(Quantity::inverse, qva, {"tau", 3});
  expect(Quantity::mass, q, {"M", 9});
  expect(Quantity::bias, qv, {"bias", 3});
  expect(Quantity::forward, qvt, {"a", 3});
}

TEST(Trace, OnlyTheTablesHaveNone) {
  for (const Formulation& row : formulations()) EXPECT_EQ(row.make_expr == nullptr, row.valid_at == ValidAt::table_nodes) << row.id;
}

void expect_refused(const char* id, Quantity quantity, const Prepared& prepared, const std::vector<std::string>& pieces) {
  const Formulation& row = *find_formulation(id);
  const std::string reason = why_not_traced(row, quantity, prepared);
  for (const std::string& piece : pieces) EXPECT_NE(reason.find(piece), std::string::npos) << reason;
  try {
    trace(row, quantity, prepared);
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(id), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

TEST(Trace, SaysWhyNot) {
  const Prepared small(load("general-RPR"));
  expect_refused("horn-raibert", Quantity::inverse, small, {"branches on values"});
  expect_refused("lin", Quantity::inverse, small, {"mass, bias", "torque"});
  expect_refused("kane-stanford", Quantity::inverse, small, {"Stanford"});
  const Prepared large(load("general-RRRRRRRRRRR"));
  ASSERT_EQ(large.size(), 11u);
  expect_refused("uicker-kahn", Quantity::inverse, large, {"O(n^4)", "10", "11"});
  EXPECT_EQ(why_not_traced(*find_formulation("waters"), Quantity::inverse, large), "");
  EXPECT_EQ(why_not_traced(*find_formulation("uicker-kahn"), Quantity::inverse, Prepared(load("general-RRRRRRRRRR"))), "");
}

// M and bias from two other rows: strobed from torques where the row has nothing else.
TEST(Trace, CompositeLdlWithChosenRows) {
  const Model model = load("general-RPRR");
  const Prepared prepared(model);
  Random random(5);
  const Case c(model, make_plan(model), random);
  const std::size_t n = prepared.size();
  for (const auto& [mass_id, bias_id] : {std::pair{"lin", "newton-euler"}, std::pair{"modified-newton-euler", "lin"}}) {
    SCOPED_TRACE(mass_id);
    Graph graph;
    const std::vector<Expr> q = graph.inputs("q", 4), v = graph.inputs("v", 4), tau = graph.inputs("tau", 4);
    std::vector<Expr> a(n);
    make_composite_ldl<Expr>(prepared, mass_id, bias_id)->acceleration(q.data(), v.data(), tau.data(), a.data());
    const std::array<OutputOf, 1> output{OutputOf{"a", a}};
    const Program program = make_program(graph, output);
    std::vector<double> expected(n), got(n);
    make_composite_ldl<double>(prepared, mass_id, bias_id)->acceleration(c.state.q.data(), c.state.v.data(), c.tau.data(), expected.data());
    Evaluation evaluate(program);
    evaluate(c.inputs(Quantity::forward), got);
    EXPECT_LT(c.error(Quantity::forward, expected, got), 1);
  }
  EXPECT_THROW(make_composite_ldl<Expr>(prepared, "lin", "horn-raibert"), std::invalid_argument);
}

// Kane's equations in speeds of one's own: by a closed inverse, because expressions have no size to choose pivots by.
TEST(Trace, KaneWithChosenSpeeds) {
  const Model model = load("stanford");
  const Prepared prepared(model);
  Random random(6);
  const Case c(model, make_plan(model), random);
  const std::size_t n = prepared.size();
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", 6), u = graph.inputs("v", 6), u_dot = graph.inputs("a", 6);
  const Expr t(0.0);
  std::vector<Expr> tau(n);
  KaneWorkspace<Expr> ws(prepared.forms().tree);
  GeneralizedSpeeds<Expr> speeds = stanford_speeds<Expr>();
  kane_torque(prepared.forms().tree, ws, speeds, q.data(), u.data(), u_dot.data(), t, tau.data());
  const std::array<OutputOf, 1> output{OutputOf{"tau", tau}};
  const Program program = make_program(graph, output);

  std::vector<double> expected(n), got(n);
  KaneWorkspace<double> numbers(prepared.forms().tree);
  kane_torque(prepared.forms().tree, numbers, stanford_speeds<double>(), c.state.q.data(), c.state.v.data(), c.state.a.data(), 0.0, expected.data());
  Evaluation evaluate(program);
  evaluate(c.inputs(Quantity::inverse), got);
  const double s2 = std::sin(c.state.q[1]);  // W divides by it, and rates of W by its square
  EXPECT_LT(relative_error(expected, got), tolerance(steps(model), 1 / (s2 * s2)));

  speeds.inverse = nullptr;
  EXPECT_THROW(kane_torque(prepared.forms().tree, ws, speeds, q.data(), u.data(), u_dot.data(), t, tau.data()), std::logic_error);
}

}  // namespace
}  // namespace ulna::test
