#include "study/campaign_page.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/version.hpp>

#include "draw/bar_chart.hpp"
#include "draw/svg_pen.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

using campaign::MetricSummary;
using campaign::Report;
using campaign::WorstRun;

bool of_one_joint(const MetricSummary& m) { return m.name.substr(0, m.name.find(' ')).find('.') != std::string::npos; }

/// Bars from the least to the largest value, with the 5 % and 95 % quantiles and the tolerance limit as lines.
std::string histogram(const MetricSummary& m) {
  constexpr double kWidth = 520, kHeight = 150, kLeft = 12, kTop = 10, kPlot = 110;
  const draw::Theme& theme = draw::page_theme();
  std::string out = draw::svg_begin(kWidth, kHeight, m.name, theme);
  const double most = static_cast<double>(*std::max_element(m.histogram.begin(), m.histogram.end())), width = kWidth - 2 * kLeft;
  const double each = width / static_cast<double>(m.histogram.size());
  for (std::size_t k = 0; k < m.histogram.size(); ++k) {
    const double height = kPlot * static_cast<double>(m.histogram[k]) / most;
    if (height > 0)
      out += cat("<rect x=\"", draw::text_of(kLeft + each * static_cast<double>(k)), "\" y=\"", draw::text_of(kTop + kPlot - height), "\" width=\"",
                 draw::text_of(each - 1), "\" height=\"", draw::text_of(height), "\" fill=\"", theme.colours.front(), "\"/>\n");
  }
  const auto place = [&](double value) { return kLeft + (m.most > m.least ? (value - m.least) / (m.most - m.least) : 0) * width; };
  const auto mark = [&](double value, const std::string& style) { out += draw::line(place(value), kTop, place(value), kTop + kPlot, style); };
  for (const auto& [share, value] : m.quantiles)
    if (share == 0.05 || share == 0.5 || share == 0.95) mark(value, cat("stroke=\"", theme.muted, "\" stroke-dasharray=\"3 3\""));
  if (m.upper_tolerance) mark(*m.upper_tolerance, cat("stroke=\"", theme.ink, "\""));
  out += draw::line(kLeft, kTop + kPlot, kWidth - kLeft, kTop + kPlot, cat("stroke=\"", theme.rule, "\""));
  out += draw::words(kLeft, kHeight - 12, cat("fill=\"", theme.muted, "\" font-size=\"11\""), html::number(m.least));
  out += draw::words(kWidth - kLeft, kHeight - 12, cat("fill=\"", theme.muted, "\" font-size=\"11\" text-anchor=\"end\""), html::number(m.most));
  return out + "</svg>\n";
}

std::string distributions(const Report& report) {
  std::vector<html::View> views;
  std::vector<std::vector<std::string>> rows;
  for (const MetricSummary& m : report.metrics) {
    if (m.count == 0) continue;
    std::vector<std::string> cells{html::name(m.name), html::whole(m.count), html::number(m.mean), html::number(m.deviation)};
    for (const auto& [share, value] : m.quantiles)
      if (share == 0.05 || share == 0.5 || share == 0.95) cells.push_back(html::number(value));
    cells.push_back(m.upper_tolerance ? html::number(*m.upper_tolerance) : "");
    cells.push_back(html::number(m.most));
    rows.push_back(std::move(cells));
    if (m.most > m.least) views.push_back({html::text(m.name), histogram(m)});
  }
  const std::string table = html::table("lrrrrrrrr", {"metric", "runs", "mean", "deviation", "5 %", "median", "95 %", "tolerance", "most"}, rows);
  const std::string caption =
      "Runs by their value, from the least to the largest. Dashed: 5 %, median, 95 %. Solid: what 95 % of all runs stay below, at 95 % confidence, whatever "
      "the distribution.";
  std::string out = views.empty() ? "" : html::choice("distribution", "Metric", views) + cat("<p>", caption, "</p>\n");
  return html::section("distributions", "Distributions", out + table);
}

std::string causes(const Report& report) {
  std::vector<draw::BarPanel> panels;
  for (const MetricSummary& m : report.metrics) {
    if (m.explained.empty() || of_one_joint(m)) continue;
    draw::BarPanel panel{m.name, {}};
    std::vector<std::pair<std::string, double>> sorted = m.explained;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (std::size_t k = 0; k < std::min<std::size_t>(sorted.size(), 6); ++k) panel.rows.push_back({sorted[k].first, {100 * sorted[k].second}});
    panels.push_back(std::move(panel));
  }
  if (panels.empty()) return {};
  return html::section(
      "causes", "What explains the variance",
      draw::bar_chart("share of the variance that each variation explains alone [%]", {"share [%]"}, panels, draw::page_theme(), {}, draw::BarScale::linear));
}

std::string worst(const Report& report, const std::string& file) {
  std::vector<std::vector<std::string>> rows;
  for (const WorstRun& w : report.worst) {
    std::string numbers;
    for (const auto& [name, value] : w.variations) numbers += cat(numbers.empty() ? "" : ", ", html::name(name), " ", html::number(value));
    rows.push_back({html::name(w.metric), html::number(w.value), std::to_string(w.run), numbers,
                    cat("<code>ulna campaign ", html::text(file), " --only ", w.run, " --out run-", w.run, ".csv</code>")});
  }
  if (rows.empty()) return {};
  return html::section("worst", "Worst runs", html::table("lrrll", {"metric", "value", "run", "its numbers", "alone"}, rows));
}

}  // namespace

std::string campaign_page(const Report& report, const std::string& file) {
  const std::string title = file.substr(file.find_last_of('/') + 1);  // all of it where there is none
  std::string out =
      cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"generator\" content=\"ulna ",
          ULNA_VERSION, "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>", html::text(title), ": a campaign</title>\n<style>", page_style(),
          "</style>\n</head>\n<body>\n<header>\n<p class=\"kicker\">A campaign, by Ulna ", ULNA_VERSION, "</p>\n<h1>", html::name(title),
          "</h1>\n<p class=\"lead\">", html::whole(report.runs), " runs, ", html::whole(report.failed), " failed; ", html::text(report.instruction_set),
          ", spec ", html::text(report.hash), ".</p>\n</header>\n<main id=\"content\">\n");
  out += distributions(report) + causes(report) + worst(report, file);
  return out + "</main>\n<footer><p>Made by <code>ulna campaign --report</code>. This page needs nothing from elsewhere.</p></footer>\n</body>\n</html>\n";
}

}  // namespace ulna::internal
