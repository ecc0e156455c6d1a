#include "print.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

using draw::text_of, draw::words;

namespace {

// All in pixels.
constexpr double kNames = 150, kPlot = 190, kGap = 46, kBar = 14, kStep = 19, kTitle = 34, kHeader = 66, kFooter = 30, kLeftEdge = 16;
constexpr std::array kChartTasks{"inverse", "mass", "forward"};

/// A bar is the fastest row of a library in a mode.
struct ChartKind {
  const char* label;
  const char* library;
  const char* path;  // how it begins
  const char* mode;
  const char* real;
  const char* colour;
};
constexpr std::array kKinds{ChartKind{"Ulna, batch, float", "ulna", "kernel", "batch", "float", "#00517f"},
                            ChartKind{"Ulna, batch", "ulna", "kernel", "batch", "double", "#0067a8"},
                            ChartKind{"Ulna, one call", "ulna", "kernel", "one", "double", "#3b93cc"},
                            ChartKind{"Ulna, generated C", "ulna", "generated", "one", "double", "#7fb9dd"},
                            ChartKind{"Ulna, templates", "ulna", "template", "one", "double", "#a9cfe6"},
                            ChartKind{"CppADCodeGen", "pinocchio-cppadcg", "", "one", "double", "#8a6d00"},
                            ChartKind{"RBDL", "rbdl", "", "one", "double", "#8b5a9c"},
                            ChartKind{"Pinocchio, clang", "pinocchio-clang", "", "one", "double", "#c04f00"},
                            ChartKind{"Pinocchio, gcc", "pinocchio-gcc", "", "one", "double", "#d98a55"},
                            ChartKind{"Bullet", "bullet", "", "one", "double", "#7a7a7a"},
                            ChartKind{"KDL", "kdl", "", "one", "double", "#7a7a7a"},
                            ChartKind{"MuJoCo", "mujoco", "", "one", "double", "#7a7a7a"}};

double time_of(const BenchReport& report, const std::string& robot, const std::string& task, const ChartKind& kind) {
  const auto drawn = [&](const BenchRow& r) {
    return r.robot == robot && r.task == task && r.library == kind.library && r.path.starts_with(kind.path) && r.mode == kind.mode && r.real == kind.real &&
           r.threads == 1;
  };
  return report.fastest(drawn).value_or(0);
}

}  // namespace

std::string bench_chart(const BenchReport& report) {
  std::vector<std::string> robots;
  for (const BenchRow& r : report.rows)
    if (std::find(robots.begin(), robots.end(), r.robot) == robots.end()) robots.push_back(r.robot);
  std::vector<ChartKind> kinds;  // those that were timed on some robot
  double least = std::numeric_limits<double>::infinity(), most = 1;
  for (const ChartKind& kind : kKinds) {
    bool timed = false;
    for (const std::string& robot : robots)
      for (const char* task : kChartTasks) {
        const double ns = time_of(report, robot, task, kind);
        if (ns == 0) continue;
        timed = true;
        least = std::min(least, ns);
        most = std::max(most, ns);
      }
    if (timed) kinds.push_back(kind);
  }
  const double low = std::floor(std::log10(std::min(least, most))), high = std::max(low + 1, std::ceil(std::log10(most)));
  const double panel = kTitle + kStep * static_cast<double>(kinds.size()) + 24;
  const double width = kLeftEdge + kNames + (kPlot + kGap) * static_cast<double>(kChartTasks.size()),
               height = kHeader + panel * static_cast<double>(robots.size()) + kFooter;
  std::string out = draw::svg_begin(width, height, "Time of one state");
  out += words(kLeftEdge, 26, "font-size=\"16\" font-weight=\"bold\"", "Time of one state in nanoseconds, one core (logarithmic: shorter is faster)");
  out += words(kLeftEdge, 46, "fill=\"#444\"",
               cat(report.machine.processor, ", ", text_of(report.machine.clock), " GHz; doubles unless it says float; the fastest way through each library"));
  for (std::size_t r = 0; r < robots.size(); ++r) {
    const double top = kHeader + panel * static_cast<double>(r) + kTitle;
    out += words(kLeftEdge, top - 10, "font-weight=\"bold\"", robots[r]);
    for (std::size_t k = 0; k < kinds.size(); ++k)
      out += words(kLeftEdge + kNames - 8, top + kStep * static_cast<double>(k) + kBar - 3, "text-anchor=\"end\"", kinds[k].label);
    for (std::size_t t = 0; t < kChartTasks.size(); ++t) {
      const double left = kLeftEdge + kNames + (kPlot + kGap) * static_cast<double>(t), bottom = top + kStep * static_cast<double>(kinds.size());
      out += words(left, top - 10, "font-weight=\"bold\"", kChartTasks[t]);
      for (int power = static_cast<int>(low); power <= static_cast<int>(high); ++power) {
        const double x = left + kPlot * (power - low) / (high - low);
        out += draw::line(x, top - 4, x, bottom, "stroke=\"#d9d9d9\"");
        out += words(x, bottom + 14, "text-anchor=\"middle\" fill=\"#444\" font-size=\"11\"", draw::power_of_ten(power));
      }
      for (std::size_t k = 0; k < kinds.size(); ++k) {
        const double ns = time_of(report, robots[r], kChartTasks[t], kinds[k]), y = top + kStep * static_cast<double>(k);
        if (ns == 0) continue;
        const double length = kPlot * (std::log10(ns) - low) / (high - low);
        out += draw::rect(left, y, length, kBar, cat("fill=\"", kinds[k].colour, "\""));
        char text[32];
        std::snprintf(text, sizeof text, ns < 100 ? "%.1f" : "%.0f", ns);
        out += words(left + length + 4, y + kBar - 3, "font-size=\"11\"", text);
      }
    }
  }
  out +=
      words(kLeftEdge, height - 10, "fill=\"#444\"", "Made by ulna bench --svg. What is missing was not installed, or does not have the task for that robot.");
  return out + "</svg>\n";
}

}  // namespace ulna::cli
