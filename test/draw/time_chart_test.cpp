// Charts: long runs are thinned without losing a peak, and a drawing says truly where its axes and boxes lie, because the page's script relies on it.
#include "draw/charts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace study_test {
namespace {

/// The points of the first line of a chart.
std::vector<std::pair<double, double>> points_of(const std::string& svg) {
  const std::string before = "<polyline points=\"";
  const std::size_t begin = svg.find(before) + before.size();
  std::istringstream in(svg.substr(begin, svg.find('"', begin) - begin));
  std::vector<std::pair<double, double>> points;
  char comma;
  for (double x, y; in >> x >> comma >> y;) points.emplace_back(x, y);
  return points;
}

TEST(TimeChart, ThinnedLinesKeepTheirPeaks) {
  constexpr std::size_t kRows = 100'000;
  std::vector<double> t, values;
  for (std::size_t k = 0; k < kRows; ++k) {
    t.push_back(static_cast<double>(k) / (kRows - 1));
    values.push_back(0.25);
  }
  values[31'415] = 1, values[92'653] = -1;
  const auto thinned = points_of(ulna::internal::draw::time_chart("long", t, {{"x", {{"line", values, 0}}}}));
  const auto marked =
      points_of(ulna::internal::draw::time_chart("short", {0, t[31'415], t[92'653], 1}, {{"x", {{"line", {0.25, 1, -1, 0.25}, 0}}}}));  // in the same axes
  ASSERT_EQ(marked.size(), 4u);
  EXPECT_LE(thinned.size(), 1300u);
  EXPECT_GE(thinned.size(), 600u);
  for (const auto& [x, y] : marked)
    EXPECT_TRUE(std::any_of(thinned.begin(), thinned.end(), [&, x = x, y = y](const auto& p) { return std::abs(p.first - x) < 1.5 && p.second == y; }))
        << x << " " << y;
  EXPECT_TRUE(std::is_sorted(thinned.begin(), thinned.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
}

double data(const std::string& svg, const std::string& name) {
  const std::string before = " data-" + name + "=\"";
  const std::size_t at = svg.find(before);
  EXPECT_NE(at, std::string::npos) << name;
  return std::stod(svg.substr(at + before.size()));
}

TEST(TimeChart, ItsFrameTellsWhereValuesAre) {
  const std::vector<double> t{1, 2, 5}, values{-3, 0.5, 4};
  const std::string svg = ulna::internal::draw::time_chart("x", t, {{"x", {{"line", values, 0}}, "q"}});
  EXPECT_NE(svg.find("<g class=\"plot\" data-of=\"q\""), std::string::npos);
  const auto points = points_of(svg);
  ASSERT_EQ(points.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(points[k].first, data(svg, "left") + data(svg, "width") * (t[k] - data(svg, "from")) / (data(svg, "to") - data(svg, "from")), 0.06);
    EXPECT_NEAR(points[k].second, data(svg, "top") + data(svg, "height") * (data(svg, "high") - values[k]) / (data(svg, "high") - data(svg, "low")), 0.06);
  }
}

TEST(GrowthChart, ItsFrameTellsWhereValuesAre) {
  const std::string svg = ulna::internal::draw::growth_chart("x", {}, {{"torque", {{"line", {{1, 20}, {3, 700}, {8, 31000}}}}}});
  EXPECT_NE(svg.find("data-scale=\"log\""), std::string::npos);
  EXPECT_NE(svg.find("<g class=\"curve\" data-row=\"line\">"), std::string::npos);
  const auto points = points_of(svg);
  ASSERT_EQ(points.size(), 3u);
  const double n[] = {1, 3, 8}, cost[] = {20, 700, 31000};
  for (std::size_t k = 0; k < 3; ++k) {
    const double x = std::log(n[k] / data(svg, "from")) / std::log(data(svg, "to") / data(svg, "from"));
    const double y = std::log(data(svg, "high") / cost[k]) / std::log(data(svg, "high") / data(svg, "low"));
    EXPECT_NEAR(points[k].first, data(svg, "left") + data(svg, "width") * x, 0.06);
    EXPECT_NEAR(points[k].second, data(svg, "top") + data(svg, "height") * y, 0.06);
  }
}

TEST(TimeChart, HiddenLinesAreDrawnAndLeaveTheLabelsAlone) {
  const auto chart = [](bool hidden) { return ulna::internal::draw::time_chart("x", {0, 1}, {{"x", {{"a", {0, 1}, 0}, {"b", {0, 1}, 1, hidden}}}}); };
  const auto label = [](const std::string& svg) {
    const std::size_t at = svg.rfind("<text", svg.find(">a</text>"));
    return svg.substr(at, svg.find('>', at) - at);
  };
  EXPECT_EQ(chart(true).find("visibility=\"hidden\""), chart(true).rfind("visibility=\"hidden\"")) << "one of the two";
  EXPECT_NE(chart(true).find("visibility=\"hidden\""), std::string::npos);
  EXPECT_NE(chart(true).find(">b</text>"), std::string::npos);
  EXPECT_EQ(chart(false).find("visibility"), std::string::npos);
  EXPECT_NE(label(chart(true)), label(chart(false))) << "two labels at one height move apart; a hidden one takes no room";
}

TEST(TimeChart, ThirtyEightLinesLookDifferent) {
  std::set<std::pair<std::string, std::string>> looks;
  for (std::size_t k = 0; k < 38; ++k) {
    const ulna::internal::draw::Look look = ulna::internal::draw::look_of(k, ulna::internal::draw::page_theme());
    looks.emplace(look.colour, look.dashes);
  }
  EXPECT_EQ(looks.size(), 38u);
}

TEST(ScheduleDrawing, ItsMeasuresTellWhereBoxesAre) {
  ulna::Graph graph;
  const std::vector<ulna::Expr> x = graph.inputs("x", 4);
  const ulna::Expr y = (x[0] * x[1]) + (x[2] * x[3]);
  const ulna::OutputOf output{"y", std::span(&y, 1)};
  const ulna::TaskGraph tasks(ulna::make_program(graph, {&output, 1}));
  const ulna::Schedule schedule = ulna::list_schedule(tasks, 2);
  const std::string svg = ulna::internal::draw::schedule_svg("x", "", tasks, schedule, {});
  for (std::size_t k = 0; k < tasks.tasks().size(); ++k) {
    const auto& place = schedule.placements[k];
    const long left = std::lround(data(svg, "left") + data(svg, "cell") * static_cast<double>(place.start));
    const long top = std::lround(data(svg, "top") + data(svg, "cell") * static_cast<double>(place.unit));
    EXPECT_NE(svg.find("M" + std::to_string(left) + " " + std::to_string(top) + "h"), std::string::npos) << left << " " << top;
  }
  EXPECT_GT(data(svg, "columns"), 0);
  EXPECT_GT(data(svg, "panel"), 2 * data(svg, "cell"));
}

}  // namespace
}  // namespace study_test
