#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

std::vector<std::string> quantity_names(const Formulation& row) {
  std::vector<std::string> names;
  for (const Quantity quantity : row.quantities) names.emplace_back(result_name(quantity));
  return names;
}

/// What it takes besides the drives' torques, and why not more.
std::string loads_of(const Formulation& row) {
  if (!row.has_loads()) return "do not enter what it gives";
  return row.why_no_loads.empty() ? row.loads() : cat(row.loads(), "; ", row.why_no_loads);
}

void print_json(const std::vector<const Formulation*>& rows) {
  JsonOutput json;
  json.line().key("formulations").begin_array();
  for (const Formulation* row : rows) {
    json.line().begin_object();
    json.fields("id", row->id, "title", row->title, "citation", row->citation, "quantities", quantity_names(*row), "joints", row->joints, "topologies",
                row->topologies);
    if (row->has_loads()) {
      json.key("loads").begin_object().fields("wrenches", row->takes_wrenches, "base_motion", row->takes_base);
      if (!row->why_no_loads.empty()) json.fields("why_not", row->why_no_loads);
      json.end_object();
    }
    json.fields("loops", row->takes_loops, "cost", row->cost());
    if (!row->memory.empty()) json.fields("memory", row->memory);
    json.end_object();
  }
  json.end_array().end();
}

std::string in_bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return cat(rounded(bytes), " ", kUnits[unit]);
}

std::string error_percent(double part) { return cat(rounded(100 * part), " %"); }

/// Hollerbach's trade of space for time: how large the tables are, what is left to compute; and, where they can be filled, how far off they are.
int print_sizes(const Arguments& arguments) {
  constexpr double kMostFilled = 16.0 * 1024 * 1024;  // bytes
  LoadResult loaded = try_load(*arguments.value("--sizes"), load_options(arguments));
  if (!loaded.model) {
    for (const Diagnostic& d : loaded.diagnostics) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    throw ModelRefused{};
  }
  const Prepared prepared(*loaded.model);
  const auto n = loaded.model->nv();
  const double wanted = arguments.number("--nodes").value_or(10);
  if (wanted < 2 || wanted > 1e6 || wanted != static_cast<int>(wanted)) throw UsageError("option --nodes takes a whole number from 2 to 1000000");
  const int nodes = static_cast<int>(wanted);
  if (const auto path = arguments.value("--svg")) {
    WholeFile file("--svg", *path, arguments.has("--force"));
    const std::vector<TableTrade> trades = trade_of(prepared);
    if (trades.empty()) throw UsageError("option --svg draws the tables of chains of up to 3 free joints");
    const std::string drawing =
        draw::growth_chart(cat("Storage against computation: ", loaded.model->name()),
                           {"Tables with 2 nodes on each axis and more, up to 4 MiB, read by interpolation unless said; largest error of 500 random states.",
                            "Operations are those behind the look-up, with the numbers that are read; newton-euler needs no table and has no such error."},
                           draw::trade_panels(trades, prepared));
    std::fputs(drawing.c_str(), file.stream());
    file.keep();
  }
  const std::vector<TableTrade> trades = table_trades(prepared, {nodes}, kMostFilled);
  if (arguments.has("--json")) {
    JsonOutput json;
    json.line_fields("robot", loaded.model->name(), "joints", n, "nodes", wanted).line().key("bytes").begin_object();
    for (const TableTrade& trade : trades) json.fields(trade.method->id, table_bytes(*trade.method, n, nodes));
    json.end_object().line().key("tables").begin_array();
    for (const TableTrade& trade : trades) {
      json.line().begin_object();
      json.fields("formulation", trade.method->id, "over", trade.method->over, "bytes", table_bytes(*trade.method, n, nodes), "mul", trade.counts.mul, "add",
                  trade.counts.add);
      for (const TableMeasure& m : trade.at) write_measure(json, m);
      if (!trade.why_not.empty()) json.fields("why_not", trade.why_not);
      json.end_object();
    }
    json.end_array().line_fields("payload", payload_note()).end();
    return kDone;
  }
  Table table("llrrrrrr");
  table.row({"method", "table over", "size", "mul", "add", "error", "nearest node", "with a load"});
  for (const TableTrade& trade : trades) {
    const auto measured = [&](double TableMeasure::*error) { return trade.at.empty() ? std::string("-") : error_percent(trade.at.front().*error); };
    table.row({std::string(trade.method->name), std::string(trade.method->over), in_bytes(table_bytes(*trade.method, n, nodes)),
               std::to_string(trade.counts.mul), std::to_string(trade.counts.add), measured(&TableMeasure::interpolated), measured(&TableMeasure::indexed),
               measured(&TableMeasure::loaded)});
  }
  std::printf("Tables of robot %s, %zu joints, %d nodes an axis:\n%s\n", loaded.model->name().c_str(), n, nodes, table.text().c_str());
  std::printf(
      "Error: the largest of 500 states, in parts of the largest torque, as interpolated; as read at the nearest node; and as interpolated after the hand\n"
      "has picked up a tenth of the robot's mass. - where the table is larger than %s, or the robot is no chain: see --json.\n%s\n",
      in_bytes(kMostFilled).c_str(), std::string(payload_note()).c_str());
  return kDone;
}

int formulations_main(const Arguments& arguments) {
  std::vector<const Formulation*> rows;
  for (const Formulation& row : formulations()) rows.push_back(&row);
  if (!arguments.positional().empty()) {
    const std::string& id = arguments.only("the ID of a formulation");
    rows = {&formulation_named(id)};
  }
  if (arguments.has("--sizes")) {
    if (rows.size() != 1 || rows.front()->valid_at != ValidAt::table_nodes)
      throw UsageError("option --sizes is about tables: 'ulna formulations horn-raibert --sizes MODEL'");
    return print_sizes(arguments);
  }
  for (const char* option : {"--nodes", "--svg"})
    if (arguments.has(option)) throw UsageError(cat("option ", option, " needs --sizes MODEL"));
  if (arguments.has("--json")) {
    print_json(rows);
  } else if (rows.size() == 1) {
    const Formulation& row = *rows.front();
    std::printf("%s: %s\n  from      %s\n  gives     %s\n  joints    %s\n  takes     %s\n  loads     %s\n  cost      %s\n", std::string(row.id).c_str(),
                std::string(row.title).c_str(), std::string(row.citation).c_str(), joined(quantity_names(row)).c_str(), std::string(row.joints).c_str(),
                std::string(row.topologies).c_str(), loads_of(row).c_str(), row.cost().c_str());
  } else {
    Table table("lllll");
    table.row({"formulation", "gives", "takes", "loads", "cost"});
    for (const Formulation* row : rows)
      table.row({std::string(row->id), joined(quantity_names(*row)), std::string(row->topologies), row->has_loads() ? row->loads() : "-", row->cost()});
    std::fputs(table.text().c_str(), stdout);
    std::fputs("\nLoads: --wrench on any link, --base-velocity and --base-acceleration; - where they do not enter.\n", stdout);
    std::fputs("\n'ulna formulations ID' shows its source; '--formulation ID' computes by it; 'ulna verify MODEL' shows that they agree.\n", stdout);
  }
  return kDone;
}

}  // namespace

Command formulations_command() {
  return {"formulations",
          "the papers' formulations that Ulna keeps working",
          "[ID] [options]",
          "Lists every formulation: what it gives, which robots it takes, how its cost grows, and where it comes from. Each has a\n"
          "page in docs/formulations. 'inverse', 'mass', 'bias' and 'forward' take --formulation ID.",
          {{"--json", "", "print one JSON object and nothing else"},
           {"--sizes", "MODEL",
            "for albus, raibert and horn-raibert: the size of their tables for this robot, the operations that are left to compute, and the errors"},
           {"--nodes", "K", "with --sizes: nodes on each axis of the tables (default 10)"},
           {"--svg", "FILE", "with --sizes: draw sizes, errors and operations into this file; for chains of up to 3 joints"}},
          "ulna formulations horn-raibert --sizes stanford",
          formulations_main};
}

}  // namespace ulna::cli
