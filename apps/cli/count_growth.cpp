#include <cstdio>
#include <map>
#include <optional>

#include <ulna/count/as_written.hpp>
#include <ulna/formulation/on_model.hpp>
#include <ulna/source/load.hpp>
#include <ulna/trace/best.hpp>

#include "command.hpp"
#include "count.hpp"
#include "growth_chart.hpp"
#include "model/text.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

constexpr int kMostJoints = 30;
constexpr const char* kBest = "best";

struct CountAt {
  int joints;
  OperationCounts counts;
};

/// One formulation and quantity, or the best program, from 1 joint up.
struct Growth {
  std::string id;
  Quantity quantity;
  bool ours = false;
  std::vector<CountAt> counts{};
  std::string missing{};  // why there are gaps; empty for none

  std::optional<OperationCounts> at(int joints) const {
    for (const CountAt& c : counts)
      if (c.joints == joints) return c.counts;
    return {};
  }
};

long cost(const OperationCounts& counts) { return counts.mul + counts.add + counts.div; }

/// The search takes time that grows faster than the count; beyond a few joints every fifth shows the line as well.
bool has_best(int joints) { return joints <= 8 || joints % 5 == 0; }

std::vector<Growth> measure() {
  std::vector<Growth> all;
  constexpr Quantity kQuantities[] = {Quantity::torque, Quantity::mass, Quantity::bias, Quantity::acceleration};
  for (const Quantity quantity : kQuantities) {
    for (const Formulation& row : formulations())
      if (row.gives(quantity)) all.push_back({std::string(row.id), quantity});
    all.push_back({kBest, quantity, true});
  }
  for (int n = 1; n <= kMostJoints; ++n) {
    const Model model = load("general-" + std::string(static_cast<std::size_t>(n), 'R'));
    const Prepared prepared(model);
    for (Growth& growth : all) {
      if (growth.ours) {
        if (has_best(n))
          growth.counts.push_back({n, find_best(model, growth.quantity).counts});
        else
          growth.missing = "searched for up to 8 joints and then every fifth, to save time";
        continue;
      }
      const Formulation& formulation = *find_formulation(growth.id);
      if (!growth.missing.empty()) continue;  // the first reason tells
      if (const std::string reason = why_not(formulation, growth.quantity, prepared); !reason.empty())
        growth.missing = cat(n, n == 1 ? " joint: " : " joints: ", reason);
      else
        growth.counts.push_back({n, count_as_written(formulation, growth.quantity, prepared).total});
    }
  }
  return all;
}

void print_json(const std::vector<Growth>& all) {
  Output out;
  Json json(out);
  json.begin_object().line().key("robots").value("general arms of n revolute joints").line().key("lines").begin_array();
  for (const Growth& growth : all) {
    json.line().begin_object().key("id").value(growth.id).key("quantity").value(to_string(growth.quantity));
    json.key("missing").value(growth.missing).key("counts").begin_array();
    for (const CountAt& c : growth.counts) {
      json.begin_object().key("n").value(c.joints).key("mul").value(static_cast<int>(c.counts.mul)).key("add").value(static_cast<int>(c.counts.add));
      json.key("div").value(static_cast<int>(c.counts.div)).key("sincos").value(static_cast<int>(c.counts.sincos)).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  out.write("\n");
  json.end_object();
  json.finish();
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
    const std::string quantity(to_string(growth.quantity));
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
  std::vector<GrowthPanel> panels;
  for (const Growth& growth : all) {
    const auto title = [&]() -> std::string {
      switch (growth.quantity) {
        case Quantity::torque: return "inverse dynamics";
        case Quantity::mass: return "inertia matrix";
        case Quantity::bias: return "bias";
        case Quantity::acceleration: break;
      }
      return "forward dynamics";
    }();
    if (panels.empty() || panels.back().title != title) panels.push_back({title, {}});
    if (growth.counts.empty()) continue;
    GrowthLine line{growth.id, {}, growth.ours};
    for (const CountAt& c : growth.counts) line.points.push_back({c.joints, static_cast<double>(cost(c.counts))});
    panels.back().lines.push_back(std::move(line));
  }
  return growth_chart("Operations by number of joints",
                      {"Multiplications, additions and divisions for general arms of revolute joints, each formulation as its paper writes it;",
                       "best: the program that the search finds. Sines and cosines are apart; a count of 0 has no place on the axis."},
                      panels);
}

}  // namespace

int count_growth(const Arguments& arguments) {
  std::optional<WholeFile> file;
  if (const auto path = arguments.value("--svg")) file.emplace("--svg", *path, arguments.has("--force"));
  const std::vector<Growth> all = measure();
  if (file) {
    std::fputs(drawing(all).c_str(), file->stream());
    file->keep();
  }
  if (arguments.has("--json"))
    print_json(all);
  else
    print_text(all);
  return kDone;
}

}  // namespace ulna::cli
