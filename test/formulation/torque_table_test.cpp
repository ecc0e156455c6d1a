// Tables as memory: Albus', Raibert's, and Horn and Raibert's beside them. Exact at the nodes; between them as far off as the closed forms of small arms say.
#include "formulation/torque_table.hpp"
#include "formulation/formulated.hpp"

#include <ulna/source/load.hpp>

#include "formulation/albus.hpp"
#include "formulation/raibert.hpp"
#include "formulation/rows.hpp"
#include "formulation/support_holl.hpp"
#include "formulation/table_trade.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

constexpr double kGravity = 9.81;

/// Point masses at the ends of links in a vertical plane, x and y; gravity along -y.
DhChain<double> planar(const std::vector<double>& masses, const std::vector<double>& lengths) {
  DhChain<double> chain;
  chain.gravity_0 = {0, -kGravity, 0};
  for (std::size_t i = 0; i < masses.size(); ++i) {
    DhRow<double> row{};
    row.a = lengths[i];
    row.cos_alpha = 1;
    row.mass = masses[i];
    chain.rows.push_back(row);
  }
  return chain;
}
Grid grid_of(const TableMethod& method, std::size_t n, int nodes) {
  Grid grid;
  for (std::size_t i = 0; i < n; ++i) grid.push_back({nodes, -2.9, 2.3, false});
  for (std::size_t i = 0; i < n && method.groups() > 1; ++i) grid.push_back({nodes, -2.1, 2, false, "velocity of "});
  for (std::size_t i = 0; i < n && method.groups() > 2; ++i) grid.push_back({nodes, -4.1, 4, false, "acceleration of "});
  return grid;
}
TorqueTable filled(const TableMethod& method, const DhChain<double>& chain, int nodes) {
  TorqueTable table(method, grid_of(method, chain.size(), nodes));
  table.fill(chain);
  return table;
}
std::vector<double> read(TorqueTable& table, const State& s, Reading reading = Reading::interpolated) {
  std::vector<double> tau(s.q.size());
  table.torque(s.q.data(), s.v.data(), s.a.data(), tau.data(), reading);
  return tau;
}
double middle(const GridAxis& axis, int cell) { return (axis.node(cell) + axis.node(cell + 1)) / 2; }

// m l² a + m g l cos q. Between two nodes, h apart, the line through cos errs in the middle by cos q (1 - cos(h / 2)); the accelerations are linear.
TEST(TorqueTable, PendulumErrsAsTheChordOfItsCosine) {
  const double m = 2, l = 0.7;
  const DhChain<double> chain = planar({m}, {l});
  for (const TableMethod* method : table_methods()) {
    SCOPED_TRACE(method->id);
    for (const int nodes : {5, 9, 17}) {
      TorqueTable table = filled(*method, chain, nodes);
      const GridAxis axis = table.grid().front();
      for (int cell = 0; cell < axis.cells(); ++cell) {
        const State s{{middle(axis, cell)}, {0.83}, {1.7}};
        const double off = m * kGravity * l * std::cos(s.q[0]) * (1 - std::cos(axis.spacing() / 2));
        EXPECT_NEAR(read(table, s)[0], m * l * l * 1.7 + m * kGravity * l * std::cos(s.q[0]) - off, 1e-12);
        std::vector<double> bound(1);
        table.error_bound(s.q.data(), s.v.data(), s.a.data(), bound.data());
        EXPECT_LE(std::abs(off), bound[0]);
        EXPECT_NEAR(bound[0], m * kGravity * l * axis.spacing() * axis.spacing() / 8, 1e-12);  // the largest that it can be for any cosine
      }
    }
  }
}

// Two links, point masses: K_1 has - m2 l1 l2 sin q2 (2 v1 v2 + v2²), K_2 has m2 l1 l2 sin q2 v1². At nodes of q, a square v_j² is read too large by
// t (1 - t) h², the product v1 v2 is read as it is. Over q alone, velocities are multiplied in and there is no such error.
TEST(TorqueTable, VelocitiesErrByTheirSquareAlone) {
  const double m2 = 1.3, l1 = 0.6, l2 = 0.4;
  const DhChain<double> chain = planar({2, m2}, {l1, l2});
  for (const TableMethod* method : table_methods()) {
    SCOPED_TRACE(method->id);
    TorqueTable table = filled(*method, chain, 5);
    const Grid& grid = table.grid();
    for (const double t : {0.0, 0.25, 0.5}) {
      State s{{grid[0].node(1), grid[1].node(3)}, {0.4, -0.9}, {0.3, 1.1}};
      double off = 0;
      if (method->groups() > 1) {
        const double h = grid[2].spacing();
        for (std::size_t j = 0; j < 2; ++j) s.v[j] = grid[2 + j].node(1) + t * h;
        off = t * (1 - t) * h * h * m2 * l1 * l2 * std::sin(s.q[1]);
      }
      const std::vector<double> got = read(table, s), exact = exact_torque(chain, s);
      EXPECT_NEAR(got[0] - exact[0], -off, 1e-12);
      EXPECT_NEAR(got[1] - exact[1], off, 1e-12);
      std::vector<double> bound(2);
      table.error_bound(s.q.data(), s.v.data(), s.a.data(), bound.data());
      for (const double b : bound) EXPECT_LE(std::abs(off), b + 1e-15);
    }
  }
}

// Torques are linear in accelerations, so the axes that Albus has more change nothing where both are interpolated.
TEST(TorqueTable, AlbusInterpolatedIsRaibert) {
  Random random(1975);
  for (const char* types : {"R", "RP", "PR", "RR"}) {
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const std::size_t n = arm.chain.size();
    TorqueTable albus = filled(albus_method(), arm.chain, 4), raibert = filled(raibert_method(), arm.chain, 4);
    EXPECT_EQ(albus.bytes(), 8 * n * static_cast<std::size_t>(std::pow(4, 3 * n)));
    EXPECT_EQ(raibert.bytes(), 8 * (n * n * static_cast<std::size_t>(std::pow(4, n)) + n * static_cast<std::size_t>(std::pow(4, 2 * n))));
    for (int sample = 0; sample < 50; ++sample) {
      const State s{random.numbers(n, -2.9, 2.3), random.numbers(n, -2, 2), random.numbers(n, -4, 4)};
      EXPECT_LT(relative_error(read(albus, s), read(raibert, s)), tolerance(n, 1000));
      std::vector<double> bound(n), other(n);
      albus.error_bound(s.q.data(), s.v.data(), s.a.data(), bound.data());
      raibert.error_bound(s.q.data(), s.v.data(), s.a.data(), other.data());
      EXPECT_EQ(bound, other);
    }
  }
}

// Interpolated, half the spacing leaves a quarter of the error; at the nearest node a half. (1/3 and 2/3 allow for where the samples fall.)
TEST(TorqueTable, ErrorFallsWithTheGrid) {
  Random random(2);
  const DhArm arm = random_dh_arm("RR", Parameters::general, random);
  for (const TableMethod* method : table_methods()) {
    SCOPED_TRACE(method->id);
    double before = 0, indexed_before = 0;
    for (const int nodes : method->groups() == 3 ? std::vector{5, 9} : std::vector{9, 17}) {
      TorqueTable table = filled(*method, arm.chain, nodes);
      const double error = table.worst_error(arm.chain, 2000, 7).absolute, indexed = table.worst_error(arm.chain, 2000, 7, Reading::indexed).absolute;
      EXPECT_GT(error, 0);
      EXPECT_GT(indexed, error);
      if (before > 0) {
        EXPECT_LT(error, before / 3);
        EXPECT_GT(error, before / 6);
        EXPECT_LT(indexed, indexed_before * 2 / 3);
        EXPECT_GT(indexed, indexed_before / 3);
      }
      before = error, indexed_before = indexed;
    }
  }
}

TEST(TorqueTable, TheBoundHoldsAndIsOfTheSizeOfTheError) {
  Random random(1980);
  for (const char* types : {"R", "P", "RR", "RP", "PR", "RPR", "RRR"}) {
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const std::size_t n = arm.chain.size();
    TorqueTable table = filled(raibert_method(), arm.chain, n > 2 ? 4 : 6);
    double worst = 0, largest_bound = 0;
    for (int sample = 0; sample < 1000; ++sample) {
      const State s{random.numbers(n, -2.9, 2.3), random.numbers(n, -2, 2), random.numbers(n, -4, 4)};
      std::vector<double> bound(n);
      table.error_bound(s.q.data(), s.v.data(), s.a.data(), bound.data());
      const std::vector<double> got = read(table, s), exact = exact_torque(arm.chain, s);
      for (std::size_t k = 0; k < n; ++k) {
        ASSERT_LE(std::abs(got[k] - exact[k]), bound[k] + 1e-11 * (1 + largest(exact))) << "joint " << k + 1 << " of state " << sample;
        if (bound[k] > 1e-6) worst = std::max(worst, std::abs(got[k] - exact[k]) / bound[k]);
        largest_bound = std::max(largest_bound, bound[k]);
      }
    }
    if (largest_bound > 1e-9) {  // a slide alone is linear
      EXPECT_GT(worst, 0.05);    // some state comes near to it: a tenth for a slide that turns, more for the others
    }
  }
}

TEST(TorqueTable, ALoadMakesEveryTableWrongUntilItIsFilledAgain) {
  DhChain<double> chain = planar({2, 1}, {0.6, 0.4});
  for (const TableMethod* method : table_methods()) {
    SCOPED_TRACE(method->id);
    TorqueTable table = filled(*method, chain, 4);
    DhChain<double> loaded = chain;
    loaded.rows.back().mass += 0.3;
    std::vector<double> x;
    for (const GridAxis& axis : table.grid()) x.push_back(axis.node(1));
    x.resize(6, 0.5);
    const State s{{x[0], x[1]}, {x[2], x[3]}, {x[4], x[5]}};
    EXPECT_LT(relative_error(read(table, s), exact_torque(chain, s)), tolerance(2, 100));
    // By as much as the load's own torque: it is a point mass at the end.
    DhChain<double> load = planar({0, 0.3}, {0.6, 0.4});
    const std::vector<double> was = exact_torque(chain, s), is = exact_torque(loaded, s), more = exact_torque(load, s);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(is[k] - read(table, s)[k], more[k], 1e-12 * (1 + std::abs(was[k])));
    EXPECT_GT(largest(more), 0.1);
    table.fill(loaded);
    EXPECT_LT(relative_error(read(table, s), is), tolerance(2, 100));
  }
}

TEST(TorqueTable, SizesOfTheThreeTables) {
  const auto bytes = [](const TableMethod& method, std::size_t n) { return table_bytes(method, n, 10); };
  EXPECT_EQ(bytes(albus_method(), 1), 8 * 1000);
  EXPECT_EQ(bytes(raibert_method(), 1), 8 * (10 + 100));
  EXPECT_EQ(bytes(horn_raibert_method(), 1), 8 * 3 * 10);
  EXPECT_DOUBLE_EQ(bytes(albus_method(), 6), 48e18);
  EXPECT_DOUBLE_EQ(bytes(raibert_method(), 6), 8 * (36e6 + 6e12));
  EXPECT_DOUBLE_EQ(bytes(horn_raibert_method(), 6), 8 * 258e6);
  EXPECT_NE(payload_note().find("filled again"), std::string_view::npos);
}

TEST(TorqueTable, RefusesWhatLiesOutsideAndWhatDoesNotFit) {
  const DhChain<double> chain = planar({1}, {1});
  TorqueTable table = filled(albus_method(), chain, 3);
  const auto message = [&](const State& s) {
    try {
      read(table, s);
    } catch (const std::out_of_range& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({{0}, {0}, {0}}), "");
  EXPECT_EQ(message({{3}, {0}, {0}}).find("joint 1 at 3 lies outside its table"), 0u);
  EXPECT_EQ(message({{0}, {2.5}, {0}}).find("velocity of joint 1 at 2.5 lies outside its table"), 0u);
  EXPECT_EQ(message({{0}, {0}, {-9}}).find("acceleration of joint 1 at -9 lies outside its table"), 0u);
  EXPECT_THROW(TorqueTable(albus_method(), {{3, 0, 1, false}, {3, 0, 1, false}}), std::invalid_argument);  // no accelerations
  EXPECT_THROW(TorqueTable(raibert_method(), grid_of(raibert_method(), 2, 10), 1000), std::invalid_argument);
  EXPECT_EQ(default_nodes(albus_method(), 5), 2);
  EXPECT_EQ(default_nodes(albus_method(), 6), 0);
  EXPECT_EQ(default_nodes(raibert_method(), 7), 2);
  EXPECT_EQ(default_nodes(raibert_method(), 8), 0);
  const std::string why = albus_row().why_not(Prepared(load("puma560")));
  for (const char* piece : {"6 joints over q, v, a", "12 MiB", "4 MiB allowed"}) EXPECT_NE(why.find(piece), std::string::npos) << why;
}

// The rows: right at the nodes on every scalar, refused between them, or with a bound.
TEST(TorqueTable, RowsAreExactAtNodesAndBoundedBetweenThem) {
  for (const char* name : {"general-R", "general-RP", "planar-2r", "general-RRR"})
    for (const MakeRow make : {&albus_row, &raibert_row}) {
      const Formulation row = make();
      if (!soaks() && row.id == "albus" && name == std::string("general-RRR")) continue;  // a table over nine numbers
      SCOPED_TRACE(std::string(name) + " " + std::string(row.id));
      Prepared prepared(load(name));
      const std::size_t n = prepared.size();
      Random random(8);
      const auto refusing = row.make_double(prepared);
      prepared.accept_interpolation = true;
      const auto accepting = row.make_double(prepared);
      for (int sample = 0; sample < 20; ++sample) {
        const State between{random.numbers(n, 0.05, 0.45), random.numbers(n, -1, 1), random.numbers(n, -1, 1)};
        std::vector<double> tau(n), bound(n);
        EXPECT_NE(refusing->why_not_here(between.q.data(), between.v.data(), between.a.data()).find("nearest node"), std::string::npos);
        EXPECT_THROW(refusing->torque(between.q.data(), between.v.data(), between.a.data(), tau.data()), std::domain_error);
        const std::vector<double> there = exact_torque(*prepared.forms().dh, between);
        accepting->torque(between.q.data(), between.v.data(), between.a.data(), tau.data());
        accepting->error_bound(between.q.data(), between.v.data(), between.a.data(), bound.data());
        for (std::size_t k = 0; k < n; ++k) EXPECT_LE(std::abs(tau[k] - there[k]), bound[k] + 1e-11);

        State node = between;
        refusing->to_node(node.q.data(), node.v.data(), node.a.data());
        EXPECT_EQ(refusing->why_not_here(node.q.data(), node.v.data(), node.a.data()), "");
        refusing->torque(node.q.data(), node.v.data(), node.a.data(), tau.data());
        const std::vector<double> exact = exact_torque(*prepared.forms().dh, node);
        EXPECT_LT(relative_error(tau, exact), tolerance(n, 1000));
        const std::vector<float> q(node.q.begin(), node.q.end()), v(node.v.begin(), node.v.end()), a(node.a.begin(), node.a.end());
        std::vector<float> single(n);
        row.make_float(prepared)->torque(q.data(), v.data(), a.data(), single.data());
        EXPECT_LT(relative_error(single, exact), tolerance<float>(n, 1000));
      }
    }
}

TEST(TorqueTable, TradeOfASmallArm) {
  const Prepared prepared(load("planar-2r"));
  const std::vector<TableTrade> trades = table_trades(prepared, {3, 5}, 1e6);
  ASSERT_EQ(trades.size(), 3u);
  EXPECT_EQ(trades[0].counts, (OperationCounts{}));
  EXPECT_EQ(trades[1].counts, (OperationCounts{4, 4, 0, 0}));
  EXPECT_EQ(trades[2].counts, (OperationCounts{20, 12, 0, 0}));
  for (const TableTrade& trade : trades) {
    ASSERT_EQ(trade.at.size(), 2u) << trade.method->id;
    EXPECT_LT(trade.at[1].interpolated, trade.at[0].interpolated);
    EXPECT_GT(trade.at[1].indexed, trade.at[1].interpolated);
    EXPECT_GT(trade.at[1].loaded, 0.05);  // a tenth of the mass
  }
  // Over more, more is needed and less is left to do.
  EXPECT_GT(trades[0].at[0].bytes, trades[1].at[0].bytes);
  EXPECT_GT(trades[1].at[1].bytes, trades[2].at[1].bytes);
}

}  // namespace
}  // namespace ulna::test
