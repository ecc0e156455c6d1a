// Rows of a data set, column by column and in lanes, against one state after the other.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/campaign/campaign.hpp>
#include <ulna/dynamics/quantity.hpp>
#include <ulna/robot/dynamics.hpp>

#include "campaign/draw_states.hpp"
#include "sim/random.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal::sim;

namespace {

TEST(DrawPair, IsThatOfEachRowAlone) {
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 3, std::uint64_t{1} << 50})
    for (const std::size_t count : {std::size_t{1}, std::size_t{255}, std::size_t{257}, std::size_t{1000}}) {
      std::vector<double> a(count), b(count);
      const DrawnColumn one{-1.25, 3.5, a.data()}, other{2, 2.5, b.data()};
      draw_pair(77, first, count, 5, one, &other);
      for (std::size_t r = 0; r < count; ++r) {
        const Pair u = unit_pair(77, Stream::states, first + r, 5);
        ASSERT_EQ(a[r], -1.25 + 4.75 * u.first) << first << " " << r;
        ASSERT_EQ(b[r], 2 + 0.5 * u.second) << first << " " << r;
      }
      std::vector<double> alone(count);
      draw_pair(77, first, count, 5, {-1.25, 3.5, alone.data()}, nullptr);
      EXPECT_EQ(alone, a);
    }
}

TEST(Dataset, RowsAreThoseOfOneStateAtATime) {
  const DatasetResult result = try_parse_dataset(
      "model: panda\nseed: 9\nrows: 5000\na: [-5, 5]\ntau: [-20, 20]\n"
      "quantities: [gravity, inverse, mass, forward, bias, coriolis, mass_inverse, regressor, inverse_derivatives, forward_derivatives]\n",
      "d.yaml");
  for (const Diagnostic& d : result.diagnostics) ADD_FAILURE() << to_string(d);
  ASSERT_TRUE(result.dataset);
  const Dataset& data = *result.dataset;
  const Model model = load("panda");
  const Dynamics plain(model, {.threads = 1, .most = InstructionSet::none});
  const std::size_t columns = data.columns().size(), n = 7;
  for (const std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{133}}) {  // lanes are left over
    std::vector<double> all(columns * count);
    data.make(40, count, all.data());
    for (std::size_t r = 0; r < count; ++r) {
      const auto number = [&](std::size_t c) { return all[c * count + r]; };
      std::vector<double> q, v, a, tau;
      for (std::size_t i = 0; i < n; ++i) q.push_back(number(i)), v.push_back(number(n + i)), a.push_back(number(2 * n + i)), tau.push_back(number(3 * n + i));
      std::size_t c = 4 * n;
      for (const Quantity quantity : {Quantity::gravity, Quantity::inverse, Quantity::mass, Quantity::forward, Quantity::bias, Quantity::coriolis,
                                      Quantity::mass_inverse, Quantity::regressor, Quantity::inverse_derivatives, Quantity::forward_derivatives}) {
        const QuantityRow& row = row_of(quantity);
        std::vector<double> wanted(row.size(model.sizes()));
        plain.compute(quantity, {q.data(), v.data(), row.takes("tau") ? tau.data() : a.data()}, wanted.data());
        double scale = 1;
        for (const double x : wanted) scale = std::max(scale, std::fabs(x));
        for (const double x : wanted) ASSERT_NEAR(number(c++), x, 1e-10 * scale) << row.id << " " << r << " " << data.columns()[c - 1];
      }
      ASSERT_EQ(c, columns);
    }
    // A row does not depend on those that are made with it.
    std::vector<double> last(columns);
    data.make(40 + count - 1, 1, last.data());
    for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(last[c], all[c * count + count - 1]) << data.columns()[c];
  }
}

TEST(Dataset, RefusesWhatIsWrong) {
  const auto problem = [](const std::string& more) {
    const DatasetResult result = try_parse_dataset("model: panda\nrows: 5\nquantities: [inverse]\n" + more, "d.yaml");
    return result.diagnostics.empty() ? "" : to_string(result.diagnostics.front());
  };
  EXPECT_EQ(problem("q: [-90, 90 deg]\n"), "");  // the unit is that of both
  EXPECT_EQ(problem("a: [-90, 90 deg/s2]\n"), "");
  EXPECT_NE(problem("q: [-1e308, 1e308]\n").find("is no interval"), std::string::npos);
  EXPECT_EQ(problem("q: [-1e6, 1e6]\nv: [-1e9, 1e9]\na: [-1e12, 1e12]\n"), "");
  EXPECT_EQ(problem("q: [-1e9, 1e9]\n"),
            "d.yaml:4: error: q: the range of 'joint1' reaches 1e+09 rad, but sine and cosine are exact up to 1.6471e+06 rad; take off whole turns");
  EXPECT_EQ(problem("v: [-1e200, 1e200]\n"),
            "d.yaml:4: error: v: the range of 'joint1' reaches 1e+200, but nothing is computed beyond 1e+12; write a range that a robot can have");
  EXPECT_NE(problem("v: [0, 1 m/s]\n").find("'0 m/s' is in m/s, but this is counted in rad/s"), std::string::npos);
  const DatasetResult twice = try_parse_dataset("model: panda\nrows: 5\nquantities: [inverse, inverse]\n", "d.yaml");
  ASSERT_EQ(twice.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(twice.diagnostics[0]), "d.yaml:3: error: quantities: 'inverse' stands there twice; remove one of them");
}

}  // namespace
}  // namespace ulna::internal::campaign
