#include "command.hpp"
#include "count.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace draw;

namespace {

constexpr int kMostJoints = 30;

long cost(const OperationCounts& counts) { return counts.mul + counts.add + counts.div; }

void print_json(const std::vector<Growth>& all) {
  JsonOutput json;
  json.line_fields("robots", "general arms of n revolute joints").line().key("lines").begin_array();
  for (const Growth& growth : all) {
    json.line().begin_object().fields("id", growth.id, "quantity", result_name(growth.quantity), "missing", growth.missing).key("counts").begin_array();
    for (const CountAt& c : growth.counts) {
      json.object("n", c.joints, "mul", c.counts.mul, "add", c.counts.add, "div", c.counts.div, "sincos", c.counts.sincos);
    }
    json.end_array().end_object();
  }
  json.end_array().end();
}

void print_text(const std::vector<Growth>& all) {
  constexpr int kShown[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30};
  std::string text = "Multiplications, additions and divisions for general arms of n revolute joints, as written; best: the program that the search finds.\n\n";
  Table table("ll" + std::string(std::size(kShown), 'r'));
  std::vector<std::string> head{"quantity", "n ="};
  for (const int n : kShown) head.push_back(std::to_string(n));
  table.row(std::move(head));
  std::string last;
  std::map<std::string, std::string> gaps;  // by reason
  for (const Growth& growth : all) {
    const std::string quantity(result_name(growth.quantity));
    if (!growth.missing.empty()) gaps[growth.missing] += cat(gaps[growth.missing].empty() ? "" : ", ", growth.id, " (", quantity, ")");
    if (growth.counts.empty()) continue;
    std::vector<std::string> line{quantity == last ? "" : quantity, growth.id};
    last = quantity;
    for (const int n : kShown) {
      const std::optional<OperationCounts> counts = growth.at(n);
      line.push_back(counts ? std::to_string(cost(*counts)) : "-");
    }
    table.row(std::move(line));
  }
  text += table.text();
  text += "\nGaps:\n";
  for (const auto& [reason, names] : gaps) text += cat("  ", names, ": ", reason, "\n");
  std::fputs(text.c_str(), stdout);
}

std::string drawing(const std::vector<Growth>& all) {
  return growth_chart("Operations by number of joints",
                      {"Multiplications, additions and divisions for general arms of revolute joints, each formulation as its paper writes it;",
                       "best: the program that the search finds. Sines and cosines are counted separately; a count of 0 has no place on the axis."},
                      growth_panels(all));
}

}  // namespace

int count_growth(const Arguments& arguments) {
  std::optional<WholeFile> file = file_of(arguments, "--svg");
  const std::vector<Growth> all = measure_growth(kMostJoints);
  if (file) {
    std::fputs(drawing(all).c_str(), file->stream());
    file->keep();
  }
  arguments.has("--json") ? print_json(all) : print_text(all);
  return kDone;
}

}  // namespace ulna::cli
