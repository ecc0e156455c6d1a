// Tables over the configuration: exact at the nodes, converging between them, refused when too large.
#include <ulna/source/load.hpp>

#include "formulation/formulated.hpp"
#include "formulation/horn_raibert.hpp"
#include "formulation/modified_newton_euler.hpp"
#include "formulation/rows.hpp"
#include "formulation/support_holl.hpp"

namespace ulna::test {
namespace {

/// Over q alone.
class Table : public TorqueTable {
 public:
  explicit Table(Grid grid, double limit = kTableLimit) : TorqueTable(horn_raibert_method(), std::move(grid), limit) {}
};
Grid horn_raibert_grid(const Prepared& prepared) { return table_grid(horn_raibert_method(), prepared); }

Grid wide_grid(std::string_view types, int nodes) {
  Grid grid;
  for (const char type : types) grid.push_back(type == 'P' ? GridAxis{nodes, -0.5, 0.7, false} : GridAxis{nodes, -2.9, 2.3, false});
  return grid;
}
std::vector<double> read(Table& table, const State& s) {
  std::vector<double> tau(s.q.size());
  table.torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
  return tau;
}
/// Sum of the sizes of what a torque at a node is added up from, over the largest torque: the cond of its rounding.
double sum_condition(Table& table, const State& s) {
  std::vector<double> sizes = table.at(s.q.data()), v = s.v, a = s.a, tau(v.size());
  for (std::vector<double>* numbers : {&sizes, &v, &a})
    for (double& x : *numbers) x = std::abs(x);
  const std::size_t n = v.size();
  HornRaibert::sums(n, sizes.data(), v.data(), a.data(), tau.data());
  const double most = largest(read(table, s));
  return most > 0 ? largest(tau) / most : 1;
}

TEST(HornRaibert, ExactAtEveryNode) {
  Random random(1978);
  for (const std::string& types : joint_mixtures()) {
    if (types.size() > 4) continue;
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const std::size_t n = types.size();
    Table table(wide_grid(types, 4));
    table.fill(arm.chain);
    EXPECT_EQ(table.bytes(), table.node_count() * (n + n * n + n * n * n) * sizeof(double));
    EXPECT_GE(table.fill_seconds(), 0);
    std::vector<int> k(n, 0);
    for (std::size_t count = 0; count < table.node_count(); ++count) {
      State s{std::vector<double>(n), random.numbers(n, -2, 2), random.numbers(n, -2, 2)};
      for (std::size_t i = 0; i < n; ++i) s.q[i] = table.grid()[i].node(k[i]);
      EXPECT_EQ(nearest_node(table.grid(), s.q.data()), s.q);
      const double cond = sum_condition(table, s) + torque_condition(Oracle(arm.model, s.q, s.v, s.a));
      ASSERT_LT(relative_error(read(table, s), exact_torque(arm.chain, s)), tolerance(n, cond));
      for (std::size_t i = 0; i < n; ++i) {  // the first joint fastest: another order than the table's own
        if (++k[i] < 4) break;
        k[i] = 0;
      }
    }
  }
}

TEST(HornRaibert, ErrorFallsWithTheSquareOfTheSpacing) {
  Random random(2);
  const DhArm arm = random_dh_arm("RPR", Parameters::general, random);
  double before = 0;
  for (const int nodes : {9, 17, 33}) {
    Table table(wide_grid("RPR", nodes));
    table.fill(arm.chain);
    const TorqueTable::Error error = table.worst_error(arm.chain, 2000, 7);
    EXPECT_GT(error.relative, 0);
    // Multilinear interpolation is of second order: half the spacing, a quarter of the error (1/3 allows for where the samples fall).
    if (before > 0) {
      EXPECT_LT(error.relative, before / 3);
    }
    before = error.relative;
  }
  EXPECT_LT(before, 0.02);
}

TEST(HornRaibert, LinearInQIsReadExactlyBetweenNodes) {
  // A pendulum's torque is not linear in q, a slide's under gravity and with its inertia is constant: there the table is right everywhere.
  Random random(3);
  const DhArm arm = random_dh_arm("PP", Parameters::general, random);
  Table table(wide_grid("PP", 2));
  table.fill(arm.chain);
  const State s{{0.123, -0.321}, {0.5, 1.5}, {1, -2}};
  EXPECT_LT(relative_error(read(table, s), exact_torque(arm.chain, s)), tolerance(2, torque_condition(Oracle(arm.model, s.q, s.v, s.a)), 16));
}

TEST(HornRaibert, WrapsWholeTurnsAndRefusesWhatLiesOutside) {
  Random random(4);
  const DhArm arm = random_dh_arm("RP", Parameters::general, random);
  Table table({{5, -std::numbers::pi, std::numbers::pi, true}, {3, -1, 1, false}});
  const State s{{0.4, 0.2}, {1, 1}, {1, 1}};
  EXPECT_THROW(read(table, s), std::logic_error);  // not filled
  table.fill(arm.chain);
  const State turned{{0.4 + 6 * std::numbers::pi, 0.2}, {1, 1}, {1, 1}};
  EXPECT_LT(relative_error(read(table, turned), read(table, s)), tolerance(2, 100));  // 6 pi + 0.4 has lost digits of 0.4
  for (const double q : {1.001, -7.0, std::numeric_limits<double>::quiet_NaN()}) {
    const State outside{{0.4, q}, {1, 1}, {1, 1}};
    EXPECT_THROW(read(table, outside), std::out_of_range);
  }
  const State endless{{std::numeric_limits<double>::infinity(), 0.2}, {1, 1}, {1, 1}};
  EXPECT_THROW(read(table, endless), std::out_of_range);
  Table odd({{3, -0.7, 0.7, false}, {3, -0.1, 0.1, false}});
  odd.fill(arm.chain);
  const State rounded{{static_cast<double>(0.7F), static_cast<double>(0.1F)}, {1, 1}, {1, 1}}, end{{0.7, 0.1}, {1, 1}, {1, 1}};
  ASSERT_GT(rounded.q[1], 0.1);  // an end that was rounded to float is still the end
  EXPECT_LT(relative_error(read(odd, rounded), read(odd, end)), tolerance<float>(2));
  const std::vector<double> far{100, 100};
  EXPECT_EQ(nearest_node(table.grid(), far.data()).back(), 1);
  const std::vector<double> nowhere{0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(nearest_node(table.grid(), nowhere.data()), std::out_of_range);
}

TEST(HornRaibert, RefusesLargeTablesWithTheirSize) {
  try {
    Table table(wide_grid("RRRRRR", 10));
    ADD_FAILURE() << "a table of 2 GB was made";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("1968.38 MiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("256 MiB"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(Table(wide_grid("RRR", 10)));
  EXPECT_THROW(Table(wide_grid("RRR", 10), 1000), std::invalid_argument);
  EXPECT_THROW(Table({{1, 0, 1, false}}), std::invalid_argument);
  EXPECT_THROW(Table({{3, 1, 1, false}}), std::invalid_argument);
  Table table(wide_grid("RR", 3));
  Random random(1);
  EXPECT_THROW(table.fill(random_dh_arm("RRR", Parameters::general, random).chain), std::invalid_argument);
}

TEST(HornRaibert, ALoadMakesTheTableWrongUntilItIsFilledAgain) {
  Random random(6);
  DhArm arm = random_dh_arm("RR", Parameters::general, random);
  Table table(wide_grid("RR", 5));
  table.fill(arm.chain);
  arm.chain.rows.back().mass += 1;
  const State s{{table.grid()[0].node(1), table.grid()[1].node(3)}, {1, -1}, {2, 1}};
  EXPECT_GT(relative_error(read(table, s), exact_torque(arm.chain, s)), 0.01);
  table.fill(arm.chain);
  EXPECT_LT(relative_error(read(table, s), exact_torque(arm.chain, s)), tolerance(2, sum_condition(table, s)));
}

TEST(HornRaibert, DefaultGridFollowsTheLimits) {
  Description description;
  append(description, true, {false, 0.3, 0, 0, 0, body("", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0})});
  append(description, true, {true, 0, 0, 0, 0, body("", 1)});
  append(description, true, {false, 0.3, 0, 0, 0, body("", 1)});
  append(description, true, {false, 0.3, 0, 0, 0, body("", 1)});
  append(description, true, {true, 0.3, 0, 0, 0, body("", 1)});
  description.joints[2].joint.lower = -0.5, description.joints[2].joint.upper = 1.5;
  description.joints[3].joint.lower = -6.5, description.joints[3].joint.upper = 6.5;
  description.joints[4].joint.lower = 0.2, description.joints[4].joint.upper = 0.2;
  const Prepared prepared(unchecked(description));
  const Grid grid = table_grid(horn_raibert_method(), prepared, 3);
  ASSERT_EQ(grid.size(), 5u);
  EXPECT_TRUE(grid[0].wraps);
  EXPECT_DOUBLE_EQ(grid[0].upper - grid[0].lower, 2 * std::numbers::pi);
  const auto reaches = [&](std::size_t joint, double lower, double upper) {
    // Limits are widened to keep nodes off zeros, by less than half of the spacing.
    EXPECT_FALSE(grid[joint].wraps);
    EXPECT_LE(grid[joint].lower, lower);
    EXPECT_GE(grid[joint].upper, upper);
    EXPECT_LT(grid[joint].upper - grid[joint].lower, 1.8 * (upper - lower));
  };
  reaches(1, -1, 1);
  reaches(2, -0.5, 1.5);
  EXPECT_TRUE(grid[3].wraps);
  EXPECT_LT(grid[4].lower, 0.2);
  EXPECT_GT(grid[4].upper, 0.2);
}

// Where a sine vanishes, a table of nonsense there could not be told from a right one: q2 of the Stanford arm needs no torque when it stands upright.
TEST(HornRaibert, DefaultNodesKeepOffTheZeros) {
  for (const char* name : {"stanford", "puma560", "panda", "ur5", "scara", "planar-2r", "planar-3r", "general-RPR", "space-arm"})
    for (const int nodes : {2, 3, 4, 5, 6, 7, 8, 9}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(nodes));
      const Prepared prepared(load(name));
      const Grid grid = table_grid(horn_raibert_method(), prepared, nodes);
      for (std::size_t i = 0; i < grid.size(); ++i)
        for (int k = 0; k < nodes; ++k) {
          const DhRow<double>& row = prepared.forms().dh->rows[i];
          const double q = grid[i].node(k), zero = row.prismatic ? std::abs(row.d + q) : std::abs(std::sin(2 * (row.theta + q)));
          EXPECT_GT(zero, row.prismatic ? 0.01 * (grid[i].upper - grid[i].lower) : 0.05) << "joint " << i + 1 << ", node " << k;
        }
    }
}

// The table is compared with another method on random states: the bound must hold in each, and not be for show. It falls to nothing towards the nodes.
TEST(HornRaibert, TheBoundHoldsAndIsOfTheSizeOfTheError) {
  Random random(1980);
  for (const std::string& types : joint_mixtures()) {
    if (types.size() > 4 && types != "RRPRRR") continue;
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const std::size_t n = types.size();
    Grid grid;
    const int nodes = n > 4 ? 3 : 6;
    for (const char type : types) grid.push_back(type == 'P' ? GridAxis{nodes, -0.5, 0.7, false} : GridAxis{nodes, -2.9, -2.9 + 2 * std::numbers::pi, true});
    Table table(grid);
    table.fill(arm.chain);
    double worst = 0, largest_bound = 0, errors = 0, bounds = 0;
    for (int sample = 0; sample < 1000; ++sample) {
      State s{std::vector<double>(n), random.numbers(n, -2, 2), random.numbers(n, -4, 4)};
      if (sample % 4 == 0) s.v.assign(n, 0), s.a.assign(n, 0);
      for (std::size_t i = 0; i < n; ++i) s.q[i] = types[i] == 'P' ? random.uniform(-0.5, 0.7) : random.uniform(-9, 9);
      if (sample % 3 == 0) s.q[0] = table.grid()[0].node(1);  // on the nodes of some joints
      std::vector<double> bound(n);
      table.error_bound(s.q.data(), s.v.data(), s.a.data(), bound.data());
      const std::vector<double> got = read(table, s), exact = exact_torque(arm.chain, s);
      const double rounding = 1e-12 * (1 + largest(exact)) * sum_condition(table, s);
      for (std::size_t k = 0; k < n; ++k) {
        ASSERT_LE(std::abs(got[k] - exact[k]), bound[k] + rounding) << "joint " << k + 1 << " of state " << sample;
        if (bound[k] > 1e3 * rounding) worst = std::max(worst, std::abs(got[k] - exact[k]) / bound[k]);
        largest_bound = std::max(largest_bound, bound[k]);
        errors += std::abs(got[k] - exact[k]);
        bounds += bound[k];
      }
    }
    if (largest_bound < 1e-9) continue;  // slides alone: their torques are linear in q
    EXPECT_GT(worst, 0.2);               // some state comes near to it,
    EXPECT_GT(errors, bounds / 100);     // and on the average it is not beyond all measure
  }
}

TEST(HornRaibert, TheBoundIsZeroAtTheNodesAndSmallBesideThem) {
  Random random(5);
  const DhArm arm = random_dh_arm("RRR", Parameters::general, random);
  Table table({{4, 0.3, 0.3 + 2 * std::numbers::pi, true}, {5, -1, 2, false}, {3, -2, 1, false}});
  table.fill(arm.chain);
  const State node{{table.grid()[0].node(3), table.grid()[1].node(2), table.grid()[2].node(2)}, {1, -2, 3}, {3, 2, 1}};
  std::vector<double> bound(3), beside(3);
  EXPECT_TRUE(table.at_node(node.q.data()));
  table.error_bound(node.q.data(), node.v.data(), node.a.data(), bound.data());
  EXPECT_EQ(bound, std::vector<double>(3, 0));
  State turned = node;
  turned.q[0] -= 4 * std::numbers::pi;
  EXPECT_TRUE(table.at_node(turned.q.data()));
  State moved = node;
  moved.q[1] += 1e-6;
  EXPECT_FALSE(table.at_node(moved.q.data()));
  table.error_bound(moved.q.data(), moved.v.data(), moved.a.data(), beside.data());
  for (const double b : beside) {
    EXPECT_GT(b, 0);
    EXPECT_LT(b, 1e-3);
  }
}

// Between its nodes the row has no answer unless the caller accepts one with an error.
TEST(HornRaibert, RowRefusesWhatLiesBetweenTheNodes) {
  Prepared prepared(load("stanford"));
  const Formulation row = horn_raibert_row();
  EXPECT_EQ(row.valid_at, ValidAt::table_nodes);
  const std::vector<double> q{0.3, 1.1, 0.15, -0.4, 0.7, 0.2}, rest(6);
  std::vector<double> tau(6), bound(6);
  const auto refusing = row.make_double(prepared);
  EXPECT_NE(refusing->why_not_here(q.data(), rest.data(), rest.data()).find("nearest node"), std::string::npos);
  EXPECT_THROW(refusing->torque(q.data(), rest.data(), rest.data(), tau.data()), std::domain_error);
  const std::vector<double> node = nearest_node(horn_raibert_grid(prepared), q.data());
  EXPECT_EQ(refusing->why_not_here(node.data(), rest.data(), rest.data()), "");
  refusing->torque(node.data(), rest.data(), rest.data(), tau.data());
  prepared.accept_interpolation = true;
  const auto accepting = row.make_double(prepared);
  EXPECT_EQ(accepting->why_not_here(q.data(), rest.data(), rest.data()), "");
  accepting->torque(q.data(), rest.data(), rest.data(), tau.data());
  accepting->error_bound(q.data(), rest.data(), rest.data(), bound.data());
  // By the Newton-Euler recursion q2 needs -21.16 N m here.
  EXPECT_LE(std::abs(tau[1] - -21.15824), bound[1] + 1e-4);
  EXPECT_GT(std::abs(tau[1] - -21.15824), 0.02 * bound[1]);
}

TEST(HornRaibert, DefaultNodesFitAndEndWhereTheLimitIs) {
  for (std::size_t n = 1; n <= 13; ++n) {
    const int nodes = default_nodes(horn_raibert_method(), n);
    EXPECT_GE(nodes, 2) << n;
    EXPECT_LE(table_bytes(horn_raibert_method(), n, nodes), kTableLimit) << n;
  }
  EXPECT_EQ(default_nodes(horn_raibert_method(), 14), 0);
  EXPECT_EQ(horn_raibert_row().why_not(Prepared(load("general-RRRRRR"))), "");
  const std::string why = horn_raibert_row().why_not(Prepared(load("general-RRRRRRRRRRRRRR")));
  EXPECT_NE(why.find("14 joints"), std::string::npos) << why;
  EXPECT_NE(why.find("MiB"), std::string::npos) << why;
}

TEST(HornRaibert, RowIsExactAtNodesOnEveryScalar) {
  for (const char* name : {"general-R", "general-RP", "general-RRPR", "general-RRPRPR"}) {
    SCOPED_TRACE(name);
    const Prepared prepared(load(name));
    const std::size_t n = prepared.size();
    const Formulation row = horn_raibert_row();
    Random random(8);
    State s = random_state(prepared.model, random);
    s.q = nearest_node(horn_raibert_grid(prepared), s.q.data());
    const std::vector<double> exact = exact_torque(*prepared.forms().dh, s);
    Table table(horn_raibert_grid(prepared));
    table.fill(*prepared.forms().dh);
    const double cond = sum_condition(table, s) + torque_condition(Oracle(prepared.model, s.q, s.v, s.a));

    std::vector<double> tau(n);
    row.make_double(prepared)->torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
    EXPECT_LT(relative_error(tau, exact), tolerance(n, cond));

    // A node is a number of double precision: rounded to float it lies a hair beside, where the torque differs by as much.
    const std::vector<float> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end());
    std::vector<float> single(n);
    row.make_float(prepared)->torque(q.data(), v.data(), a.data(), single.data());
    EXPECT_LT(relative_error(single, exact), tolerance<float>(n, cond));

    std::vector<Counted> cq, cv, ca, counted(n);
    for (std::size_t i = 0; i < n; ++i) {
      cq.push_back(Counted::variable(s.q[i]));
      cv.push_back(Counted::variable(s.v[i]));
      ca.push_back(Counted::variable(s.a[i]));
    }
    const std::unique_ptr<Evaluator<Counted>> evaluator = row.make_counted(prepared);
    operation_counts() = {};
    evaluator->torque(cq.data(), cv.data(), ca.data(), counted.data());
    const auto m = static_cast<long>(n);
    EXPECT_EQ(operation_counts(), (OperationCounts{2 * m * m * m + m * m, m * m * m + m * m, 0, 0}));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(counted[i].value(), tau[i]);
  }
}

}  // namespace
}  // namespace ulna::test
