#include "study/campaign_page.hpp"

#include <algorithm>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/version.hpp>

#include "draw/charts.hpp"
#include "draw/svg_pen.hpp"
#include "sim/forward_model.hpp"
#include "study/data.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "text/json.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

using campaign::MetricSummary;
using campaign::Report;
using campaign::TorqueMap;
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
      out += draw::rect(kLeft + each * static_cast<double>(k), kTop + kPlot - height, each - 1, height, cat("fill=\"", theme.colours.front(), "\""));
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
  html::Rows rows;
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
      "Number of runs by value. Dashed lines: 5 %, median and 95 %. Solid line, and <em>tolerance</em> in the table: 95 % of all runs stay below it, at 95 % "
      "confidence, whatever the distribution.";
  const std::string out = views.empty() ? "" : html::figure("figure-distribution", html::choice("distribution", "Metric", views), caption, "");
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
      html::figure("figure-causes", bars("Share of the variance that each variation explains alone [%]", {"share [%]"}, panels, draw::BarScale::linear),
                   "Share of the variance of each metric that each variation explains alone, in percent.", ""));
}

std::string worst(const Report& report, const std::string& command) {
  html::Rows rows;
  for (const WorstRun& w : report.worst) {
    std::string numbers;
    for (const auto& [name, value] : w.variations) numbers += cat(numbers.empty() ? "" : ", ", html::name(name), " ", html::number(value));
    rows.push_back({html::name(w.metric), html::number(w.value), std::to_string(w.run), numbers,
                    cat("<code>", html::text(command), w.run, " --out run-", w.run, ".csv</code>")});
  }
  if (rows.empty()) return {};
  return html::section("worst", "Worst runs", html::table("lrrll", {"metric", "value", "run", "its variations", "the command that makes it alone"}, rows));
}

constexpr std::size_t kShown = 5;      // runs
constexpr std::size_t kSamples = 240;  // of a run

/// Some of its rows, as the page's script reads them.
sim::Trajectory trajectory_of(const Model& model, const campaign::Replay& replay) {
  sim::Trajectory t;
  t.size = model.nv();
  t.positions = model.nq();
  const std::size_t count = std::min(kSamples, replay.rows.size());
  for (std::size_t k = 0; k < count; ++k) {
    const double* row = replay.rows[count < 2 ? 0 : k * (replay.rows.size() - 1) / (count - 1)].data();
    t.t.push_back(*row++);
    for (auto [numbers, size] : {std::pair(&t.q, t.positions), std::pair(&t.v, t.size), std::pair(&t.tau, t.size)}) {
      numbers->insert(numbers->end(), row, row + size);
      row += size;
    }
  }
  if (model.closed()) {  // the script shows all joints
    const Dynamics templates(model, {.threads = 1, .most = InstructionSet::none});
    internal::sim::ForwardModel robot(model, "ulna", true, &templates);
    for (std::size_t k = 0; k < count; ++k) {
      const double* speeds = robot.joint_speeds(&t.q[k * t.positions], &t.v[k * t.size]);
      t.joint_v.insert(t.joint_v.end(), speeds, speeds + model.nv_tree());
    }
  }
  return t;
}

/// The robot in the worst runs: a drawing, which the script makes a view in three dimensions with a player for each run.
std::string motions(const CampaignViews& views) {
  if (views.runs.empty()) return {};
  const Model& model = views.campaign->model();
  const Plan plan = make_plan(model);
  Workspace workspace(plan);
  Moments moments;
  const sim::Trajectory t = trajectory_of(model, views.runs.front().replay);
  for (const double share : {0.0, 0.15, 0.3, 1.0}) {
    const std::size_t row = static_cast<std::size_t>(std::lround(share * static_cast<double>(t.rows() - 1)));
    moments.emplace_back(model.links().size());
    link_poses(plan, workspace, VectorView<const double>(&t.q[row * t.positions], t.positions),
               VectorView<Pose<double>>(moments.back().data(), model.links().size()));
  }
  html::Rows rows;
  for (const ShownRun& run : views.runs) {
    const sim::Trajectory own = trajectory_of(model, run.replay);
    double most = 0;
    for (const double x : own.tau) most = std::max(most, std::fabs(x));
    rows.push_back({html::text(run.title), html::text(run.replay.status), html::number(own.t.back()), html::number(most)});
  }
  const std::string caption = cat("<span class=\"static-note\">The robot at the end of ", html::text(views.runs.front().title),
                                  "; earlier moments in grey.</span> The worst runs, made again with the variations and the noise that each of them had.");
  return html::section(
      "replay", "The worst runs in motion",
      html::figure("figure-arm", robot_drawing(model, moments), caption, html::table("llrr", {"run", "status", "end [s]", "largest torque or force"}, rows)));
}

std::string run_report(const CampaignViews& views, const std::string& file) {
  StringSink sink;
  Json json(sink);
  json.begin_object().key("format").value(1).key("ulna").value(ULNA_VERSION);
  if (!views.runs.empty()) {
    const Model& model = views.campaign->model();
    json.key("model");
    write_model(json, model, file);
    json.key("runs").begin_array();
    for (const ShownRun& run : views.runs) write_motion(json, model, run.title, trajectory_of(model, run.replay), {}, false);
    json.end_array();
  }
  json.end_object();
  return sink.text();
}

/// Cells in the colour of what is left, from none to all; what cannot be held in another colour.
std::string map_drawing(const TorqueMap& map) {
  constexpr double kWidth = 560, kHeight = 460, kLeft = 72, kTop = 12, kPlot = 400;
  const draw::Theme& theme = draw::page_theme();
  const double wide = map.distance, tall = std::max(map.high - map.low, 1e-9), scale = std::min((kWidth - kLeft - 12) / wide, kPlot / tall);
  std::string out = draw::svg_begin(kWidth, kHeight, "Least margin of torque over the workspace", theme);
  const double dx = scale * wide / static_cast<double>(map.columns), dy = scale * tall / static_cast<double>(map.rows), bottom = kTop + scale * tall;
  for (std::size_t r = 0; r < map.rows; ++r)
    for (std::size_t c = 0; c < map.columns; ++c) {
      const double margin = map.margin[r * map.columns + c];
      if (std::isnan(margin)) continue;
      out += draw::rect(kLeft + dx * static_cast<double>(c), bottom - dy * static_cast<double>(r + 1), dx, dy,
                        cat("fill=\"", margin < 0 ? "var(--bad)" : theme.colours.front(), "\" fill-opacity=\"",
                            draw::text_of(margin < 0 ? 1 : 0.08 + 0.92 * (1 - margin)), "\""));
    }
  const std::string style = cat("fill=\"", theme.muted, "\" font-size=\"11\"");
  out += draw::line(kLeft, bottom, kLeft + scale * wide, bottom, cat("stroke=\"", theme.rule, "\"")) +
         draw::line(kLeft, kTop, kLeft, bottom, cat("stroke=\"", theme.rule, "\""));
  out += draw::words(kLeft, bottom + 16, style, "0") +
         draw::words(kLeft + scale * wide, bottom + 16, style + " text-anchor=\"end\"", cat(html::number(wide), " m from the base's vertical"));
  out += draw::words(kLeft - 6, kTop + 10, style + " text-anchor=\"end\"", cat(html::number(map.high), " m")) +
         draw::words(kLeft - 6, bottom, style + " text-anchor=\"end\"", cat(html::number(map.low), " m"));
  return out + "</svg>\n";
}

std::string workspace(const CampaignViews& views) {
  if (!views.map) return {};
  const TorqueMap& map = *views.map;
  html::Rows rows;
  for (const TorqueMap::OfJoint& joint : map.joints)
    rows.push_back({html::name(joint.name), cat(html::number(100 * joint.least), " %"), cat(html::number(100 * joint.weakest), " %")});
  const std::string caption = cat("Where ", html::name(map.tip),
                                  " can be, by distance from the vertical through the base and by height. The stronger the colour, the less torque the weakest "
                                  "drive has left while it holds the robot still there, in the worst of the random postures. The variations are those of run ",
                                  map.run, ", its payload included. ",
                                  map.overloaded > 0 ? cat("Red: <strong>", html::number(100 * map.overloaded), " % of the postures cannot be held.</strong>")
                                                     : "All postures can be held.");
  return html::section(
      "workspace", "Margins of torque over the workspace",
      html::figure("figure-workspace", map_drawing(map), caption,
                   html::table("lrr", {"joint", "least margin", "weakest in"}, rows,
                               "Margin: share of the limit that is left. Weakest in: share of the postures in which this drive has the least")));
}

}  // namespace

CampaignViews campaign_views(const campaign::Campaign& campaign, const Report& report) {
  CampaignViews views{.campaign = campaign};
  std::vector<std::uint64_t> seen;
  std::string metric;
  for (const WorstRun& w : report.worst) {
    const bool first = w.metric != metric;  // the worst of each metric
    metric = w.metric;
    if (views.runs.size() == kShown || !first || std::find(seen.begin(), seen.end(), w.run) != seen.end()) continue;
    seen.push_back(w.run);
    campaign::Replay replay = campaign::replay(campaign, w.run);
    if (!replay.rows.empty()) views.runs.push_back({cat("run ", w.run, ": ", w.metric.substr(0, w.metric.find(' '))), std::move(replay)});
  }
  std::uint64_t heaviest = report.first;
  for (const MetricSummary& m : report.metrics)
    if (m.name == "torque_rms_of_limit [1]" && m.count > 0) heaviest = m.worst_run;
  if (report.runs > 0) {
    try {
      views.map = campaign::torque_map(campaign, heaviest);
    } catch (const std::invalid_argument&) {  // its numbers are those of no robot: the run is a row that says so
    }
  }
  return views;
}

std::string campaign_page(const Report& report, const std::string& file, const std::string& command, const CampaignViews& views) {
  const std::string title = file.substr(file.find_last_of('/') + 1);  // all of it where there is none
  return html::page(
      {cat(title, ": a campaign"), "A campaign", html::name(title),
       cat(html::whole(report.runs), " runs, ", html::whole(report.failed), " failed; ", html::text(report.instruction_set), ", spec ", html::text(report.hash),
           "."),
       "", "Made by <code>ulna campaign --report</code>. This page needs no network.", views.runs.empty() ? "" : script_part(run_report(views, file))},
      {{"distributions", "Distributions", distributions(report)},
       {"causes", "Causes", causes(report)},
       {"worst", "Worst runs", worst(report, command)},
       {"replay", "In motion", motions(views)},
       {"workspace", "Workspace", workspace(views)}});
}

}  // namespace ulna::internal
