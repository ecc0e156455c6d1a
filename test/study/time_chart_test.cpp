// Long runs are thinned before they are drawn: no peak may be lost.
#include "draw/time_chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
  const auto thinned = points_of(ulna::draw::time_chart("long", t, {{"x", {{"line", values, 0}}}}));
  const auto marked =
      points_of(ulna::draw::time_chart("short", {0, t[31'415], t[92'653], 1}, {{"x", {{"line", {0.25, 1, -1, 0.25}, 0}}}}));  // in the same axes
  ASSERT_EQ(marked.size(), 4u);
  EXPECT_LE(thinned.size(), 1300u);
  EXPECT_GE(thinned.size(), 600u);
  for (const auto& [x, y] : marked)
    EXPECT_TRUE(std::any_of(thinned.begin(), thinned.end(), [&, x = x, y = y](const auto& p) { return std::abs(p.first - x) < 1.5 && p.second == y; }))
        << x << " " << y;
  EXPECT_TRUE(std::is_sorted(thinned.begin(), thinned.end(), [](const auto& a, const auto& b) { return a.first < b.first; }));
}

}  // namespace
}  // namespace study_test
