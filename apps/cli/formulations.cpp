#include <cstdio>

#include "formulation/horn_raibert.hpp"

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"

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
  Output out;
  Json json(out);
  json.begin_object().line().key("formulations").begin_array();
  for (const Formulation* row : rows) {
    json.line().begin_object();
    json.key("id").value(row->id).key("title").value(row->title).key("citation").value(row->citation);
    json.key("quantities").strings(quantity_names(*row));
    json.key("joints").value(row->joints).key("topologies").value(row->topologies);
    if (row->has_loads()) {
      json.key("loads").begin_object().key("wrenches").value(row->takes_wrenches).key("base_motion").value(row->takes_base);
      if (!row->why_no_loads.empty()) json.key("why_not").value(row->why_no_loads);
      json.end_object();
    }
    json.key("cost").value(row->cost());
    json.end_object();
  }
  json.end_array();
  out.write("\n");
  json.end_object();
  json.finish();
}

std::string in_bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return cat(rounded(bytes), " ", kUnits[unit]);
}

/// The trade of space for time that Hollerbach describes: how large the tables are.
int print_sizes(const Arguments& arguments) {
  LoadResult loaded = try_load(*arguments.value("--sizes"), load_options(arguments));
  if (!loaded.model) {
    for (const Diagnostic& d : loaded.diagnostics) std::fprintf(stderr, "%s\n", to_string(d).c_str());
    throw ModelRefused{};
  }
  const auto n = loaded.model->nv();
  const double wanted = arguments.number("--nodes").value_or(10);
  if (wanted < 2 || wanted > 1e6 || wanted != static_cast<int>(wanted)) throw UsageError("option --nodes takes a whole number from 2 to 1000000");
  const TableSizes sizes = table_sizes(n, static_cast<int>(wanted));
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object();
    json.line().key("robot").value(loaded.model->name()).line().key("joints").value(n).line().key("nodes").value(wanted);
    json.line()
        .key("bytes")
        .begin_object()
        .key("albus")
        .value(sizes.albus)
        .key("raibert")
        .value(sizes.raibert)
        .key("horn-raibert")
        .value(sizes.horn_raibert)
        .end_object();
    json.line().key("payload").value(payload_note());
    out.write("\n");
    json.end_object();
    json.finish();
    return kDone;
  }
  Table table("llr");
  table.row({"method", "table over", "size"});
  table.row({"Albus", "q, v, a", in_bytes(sizes.albus)});
  table.row({"Raibert", "q, v", in_bytes(sizes.raibert)});
  table.row({"Horn-Raibert", "q", in_bytes(sizes.horn_raibert)});
  std::printf("Tables of robot %s, %zu joints, %.0f nodes an axis:\n%s\n%s\n", loaded.model->name().c_str(), n, wanted, table.text().c_str(),
              std::string(payload_note()).c_str());
  return kDone;
}

int run(const Arguments& arguments) {
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
    std::fputs("\n'ulna formulations ID' tells where one comes from; '--formulation ID' computes by it; 'ulna verify MODEL' shows that they agree.\n", stdout);
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
           {"--sizes", "MODEL", "for horn-raibert: the sizes of the tables of Albus, Raibert, and Horn and Raibert for this robot"},
           {"--nodes", "K", "with --sizes: nodes on each axis of the tables (default 10)"}},
          "ulna formulations horn-raibert --sizes stanford",
          run};
}

}  // namespace ulna::cli
