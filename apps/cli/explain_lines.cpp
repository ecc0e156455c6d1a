#include "explain_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ulna/explain/explain.hpp>

#include "command.hpp"
#include "intermediates.hpp"
#include "model_options.hpp"
#include "states.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

const StateParts kParts{"q", "v", "a", "tau"};

/// What of an input of the line: it agrees, it differs, it was not given; coordinates are the state's.
std::string status_of(const LineExplanation& found, const std::string& name) {
  const auto line = std::find_if(found.lines.begin(), found.lines.end(), [&](const ComparedLine& one) { return one.name == name; });
  if (line == found.lines.end()) return "of the state";
  return line->given.empty() ? "not given" : line->agrees ? "agrees" : "differs";
}

std::vector<std::string> names_where(const LineExplanation& found, bool (*holds)(const ComparedLine&)) {
  std::vector<std::string> names;
  for (const ComparedLine& line : found.lines)
    if (holds(line)) names.push_back(line.name);
  return names;
}
std::vector<std::string> differing(const LineExplanation& found) {
  return names_where(found, [](const ComparedLine& line) { return !line.agrees; });
}
std::vector<std::string> missing(const LineExplanation& found) {
  return names_where(found, [](const ComparedLine& line) { return line.given.empty(); });
}

void print_json(const LineExplanation& found, const Formulation& formulation, Quantity quantity) {
  JsonOutput json;
  json.line_fields("agree", found.agree(), "formulation", formulation.id, "quantity", row_of(quantity).id, "quantities", found.lines.size(), "first", [&] {
    if (found.agree()) return void(json.null());
    const ComparedLine& line = found.lines[found.first];
    json.begin_object().fields(
        "name", line.name, "symbol", line.right.symbol, "equation", line.right.equation, "link", line.right.link, "difference", line.difference, "given",
        [&] { write_entries(json, line.right, line.given); }, "right", [&] { write_entries(json, line.right, line.right.value); });
    json.key("inputs").begin_array();
    for (const std::string& name : line.inputs) json.object("name", name, "status", status_of(found, name));
    json.end_array().fields("hints", found.hints).end_object();
  });
  json.line_fields("differ", differing(found), "missing", missing(found)).end();
}

std::string in_lines(const std::vector<std::string>& names) { return wrapped(joined(names), "  ", "  ", 100); }

void print_text(const std::string& file, const Model& model, const LineExplanation& found, const Formulation& formulation, Quantity quantity) {
  const std::vector<std::string> without = missing(found), differ = differing(found);
  std::string text = cat(file, " against formulation ", formulation.id, " (", row_of(quantity).id, ") of robot ", model.name(), ": ",
                         found.lines.size() - without.size(), " of ", found.lines.size(), " quantities are given.\n");
  if (found.agree()) {
    text += "All that are given agree.\n";
  } else {
    const ComparedLine& line = found.lines[found.first];
    text += cat("First line that differs: ", line.name, line.right.equation.empty() ? "" : " ", in_brackets(line.right.equation), ", ", line.right.meaning,
                ": by ", scientific(line.difference), " of the largest.\n\n");
    Intermediate given = line.right, right = line.right;
    given.symbol = "given", right.symbol = "right", given.link = right.link = given.equation = right.equation = "";
    given.value = line.given;
    text += intermediates_text({given, right});
    if (!line.inputs.empty()) {
      text += "\nIt is computed from:\n";
      Table inputs("ll");
      for (const std::string& name : line.inputs) inputs.row({name, status_of(found, name)});
      text += inputs.text();
    }
    text += found.hints.empty() ? "\nNo simple mistake explains it: compare the line with its equation, term by term.\n" : "\nWhat explains it:\n";
    for (const std::string& hint : found.hints) text += cat("  ", hint, "\n");
    if (differ.size() > 1) text += cat("\nLater lines that differ:\n", in_lines({differ.begin() + 1, differ.end()}));
  }
  if (!without.empty()) text += cat("\nNot given:\n", in_lines(without));
  std::fputs(text.c_str(), stdout);
}

Quantity quantity_of(const Arguments& arguments, const Formulation& formulation) {
  std::vector<std::string> names;
  for (const Quantity quantity : formulation.quantities) names.emplace_back(row_of(quantity).id);
  const std::string name = arguments.choice("--what", names);
  return formulation.quantities[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
}

}  // namespace

std::vector<Option> explain_lines_options() {
  std::vector<Option> options{
      {"--intermediates", "FILE",
       "the only other side: the quantities that an own implementation of a formulation computes on the way, as CSV (columns symbol, link, value) or JSON"},
      {"--formulation", "ID", "with --intermediates: the formulation; 'ulna formulations' lists them"},
      {"--what", "QUANTITY", "with --intermediates: what it computes: inverse, forward, mass, … (default the first that it gives)"}};
  for (const Option& option : state_options(kParts))
    if (option.name != "--states") options.push_back(option);
  Option speeds = speeds_option();
  speeds.description = "with --intermediates and --formulation kane: the generalized speeds that the file is in, as for 'ulna inverse'";
  options.push_back(speeds);
  options.push_back(snap_option());
  return options;
}

int explain_lines(const Arguments& arguments) {
  if (arguments.positional().size() != 1)
    throw UsageError(cat("explain --intermediates takes one model, but ", arguments.positional().size(), " things are given"));
  arguments.refuse({"--samples", "--seed", "--svg", "--a-lock", "--a-mimic", "--a-loops", "--a-gravity", "--a-base", "--b-lock", "--b-mimic", "--b-loops",
                    "--b-gravity", "--b-base"},
                   "with --intermediates, which compares one state of one model");
  const std::optional<std::string> id = arguments.value("--formulation");
  if (!id) throw UsageError("option --intermediates needs --formulation ID: the formulation whose quantities the file has");
  const Formulation& formulation = formulation_named(*id);
  const double tolerance = arguments.number("--tolerance").value_or(1e-9);
  if (!(tolerance > 0 && tolerance < 1)) throw UsageError(cat("option --tolerance takes a number between 0 and 1, not ", tolerance));
  const Quantity quantity = quantity_of(arguments, formulation);
  const Model model = load_robot(arguments, true).model;
  const QuantityRow& row = row_of(quantity);
  for (const std::string_view part : {"v", "a", "tau"})
    if (!row.takes(part))
      arguments.refuse({cat("--", part)}, cat("with the ", result_name(quantity), " of formulation ", *id, ", which does not depend on it"));
  const States states(arguments, model, {{row.inputs.begin(), row.inputs.end()}, 1, {}, nullptr});
  const StateView state = states.typed().at(0);
  Prepared prepared(model, snap_of(arguments));
  prepared.speeds = speeds_of(arguments, model);

  const std::string path = *arguments.value("--intermediates");
  Diagnostics diagnostics(path);
  std::optional<LineExplanation> found;
  if (const std::optional<std::string> text = read_whole(path, &ReadLimits::csv_bytes, load_options(arguments).limits, diagnostics))
    if (const std::optional<std::vector<GivenLine>> given = read_lines(*text, diagnostics))
      found = explain_lines(formulation, quantity, prepared, {state.q, state.v, state.tau != nullptr ? state.tau : state.a}, *given, diagnostics, tolerance);
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!found) throw ModelRefused{};
  arguments.has("--json") ? print_json(*found, formulation, quantity) : print_text(path, model, *found, formulation, quantity);
  return found->agree() ? kDone : kAnswerNo;
}

}  // namespace ulna::cli
