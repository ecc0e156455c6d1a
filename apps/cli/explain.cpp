#include <algorithm>
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "explain_lines.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "programs/interface.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

bool is_table(const std::string& source) { return source.size() > 4 && (source.ends_with(".csv") || source.ends_with(".CSV")); }

/// A model that broke a law of mechanics may be what must be explained: it is reported, and compared all the same.
Model load_side(const Arguments& arguments, const std::string& source, char side) {
  LoadOptions options = load_options(arguments, side);
  options.unchecked = true;
  return load_robot(source, options).model;
}

ulna::Numbers load_numbers(const Arguments& arguments, const std::string& path, const Model& model) {
  Diagnostics diagnostics(path);
  const std::optional<std::string> text = read_whole(path, &ReadLimits::csv_bytes, load_options(arguments).limits, diagnostics);
  std::optional<ulna::Numbers> numbers;
  if (text) numbers = read_numbers(*text, model, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!numbers) throw ModelRefused{};
  return *std::move(numbers);
}

/// Causes say what to do to A; where A is numbers, the model is B.
void exchange_sides(Explanation& explanation) {
  for (Cause& cause : explanation.causes) {
    std::swap(cause.from, cause.to);
    cause.edit = cat("in B: ", cause.edit);
  }
}

void write_value(Json& json, const CauseValue& value) {
  if (!value.words.empty())
    json.value(value.words);
  else if (value.numbers.size() == 1)
    json.value(value.numbers[0]);
  else
    json.numbers(value.numbers.data(), value.numbers.size());
}

void print_json(const Explanation& e) {
  JsonOutput json;
  json.line_fields("agree", e.agree).line().key("causes").begin_array();
  for (const Cause& cause : e.causes) {
    json.line().object(
        "kind", cause.kind, "where", cause.where, "share", cause.share, "from", [&] { write_value(json, cause.from); }, "to",
        [&] { write_value(json, cause.to); }, "edit", cause.edit, "residual_after", cause.residual_after, "also", cause.also);
  }
  json.end_array().line_fields("difference", e.before, "residual", e.residual).end();
}

std::string value_text(const CauseValue& value) {
  if (!value.words.empty()) return value.words;
  std::string out;
  for (const double x : value.numbers) out += cat(out.empty() ? "" : ", ", brief(x));
  return value.numbers.size() > 1 ? cat("(", out, ")") : out;
}

std::string shortened(const std::string& where) {
  constexpr std::size_t kLongest = 40;
  return where.size() <= kLongest ? where : cat(where.substr(0, kLongest - 3), "...");
}

void print_text(const std::string& a, const std::string& b, const Explanation& e, double tolerance) {
  std::string text = cat("A is ", a, ", B is ", b, ".\n");
  text += e.agree ? cat("Torques agree: they differ by ", scientific(e.before), " of the largest of each joint.\n")
                  : cat("Torques differ by ", scientific(e.before), " of the largest of each joint (root mean square).\n");
  const auto silent = [](const Cause& cause) { return cause.share == 0; };
  if (!std::all_of(e.causes.begin(), e.causes.end(), silent)) {
    Table table("rllll");
    table.row({"share", "cause", "where", "left", ""});
    for (const Cause& cause : e.causes)
      if (!silent(cause))
        table.row({cat(brief(std::round(1000 * cause.share) / 10), " %"), cause.kind, shortened(cause.where), scientific(cause.residual_after), ""});
    text += cat("\n", table.text(), "\nEdits of A that remove it, one after the other:\n");
    int number = 0;
    for (const Cause& cause : e.causes) {
      if (silent(cause)) continue;
      text += cat("  ", ++number, ". ", cause.edit, "\n     ", cause.where, ": ", value_text(cause.from), " -> ", value_text(cause.to), "\n");
      for (const std::string& other : cause.also) text += cat("     fits as well: ", other, "\n");
    }
  }
  if (std::any_of(e.causes.begin(), e.causes.end(), silent)) {
    text += "\nOther differences, without effect on torques:\n";
    for (const Cause& cause : e.causes)
      if (silent(cause))
        text += cat("  ", cause.kind, " ", shortened(cause.where), ": ", value_text(cause.from), " -> ", value_text(cause.to), " (", cause.edit, ")\n");
  }
  if (!e.agree)
    text += e.residual <= tolerance ? cat("\nAll of it is explained: ", scientific(e.residual), " is left.\n")
                                    : cat("\nNot all of it is explained: ", scientific(e.residual), " is left.\n");
  std::fputs(text.c_str(), stdout);
}

/// The difference before, and after each edit, in units of 1e-16 of the largest torques: what rounding leaves is 1.
void draw_chart(WholeFile& file, const std::string& title, const Explanation& e) {
  constexpr double kUnit = 1e-16;
  draw::BarPanel panel{"difference that is left [1e-16 of the largest torque of each joint]", {{"before", {e.before / kUnit}, true}}};
  for (const Cause& cause : e.causes)
    if (cause.share > 0) panel.rows.push_back({cat(cause.kind, " ", shortened(cause.where)), {std::max(1.0, cause.residual_after / kUnit)}});
  const std::string svg = draw::bar_chart(title, {"left"}, {panel});
  std::fwrite(svg.data(), 1, svg.size(), file.stream());
  file.keep();
}

int explain_main(const Arguments& arguments) {
  if (arguments.has("--intermediates")) return explain_lines(arguments);
  arguments.refuse({"--formulation", "--speeds", "--what", "--q", "--v", "--a", "--tau", "--snap"},
                   "without --intermediates, whose state and formulation they are");
  const std::vector<std::string>& sides = arguments.positional();
  if (sides.size() != 2)
    throw UsageError(cat("explain takes two things, A and B (two models, or a model and a CSV file of numbers), but ", sides.size(), " are given"));
  if (is_table(sides[0]) && is_table(sides[1])) throw UsageError("explain needs a model: both A and B are tables of numbers");
  ExplainOptions options;
  options.tolerance = arguments.number("--tolerance").value_or(options.tolerance);
  if (!(options.tolerance > 0 && options.tolerance < 1)) throw UsageError(cat("option --tolerance takes a number between 0 and 1, not ", options.tolerance));
  options.states = arguments.whole_number("--samples", options.states, 1);
  options.seed = arguments.whole_number("--seed", 1, 0);
  std::optional<WholeFile> chart = file_of(arguments, "--svg");

  Explanation explanation;
  if (is_table(sides[0]) || is_table(sides[1])) {
    const bool first = is_table(sides[0]);
    arguments.refuse({"--samples", "--seed"}, cat("with ", sides[first ? 0 : 1], ": its states are compared, and none are drawn"));
    if (first)
      arguments.refuse({"--a-lock", "--a-mimic", "--a-loops", "--a-gravity", "--a-base"}, "where A is a table of numbers");
    else
      arguments.refuse({"--b-lock", "--b-mimic", "--b-loops", "--b-gravity", "--b-base"}, "where B is a table of numbers");
    const Model model = load_side(arguments, sides[first ? 1 : 0], first ? 'b' : 'a');
    explanation = explain(model, load_numbers(arguments, sides[first ? 0 : 1], model), options);
    if (first) exchange_sides(explanation);
  } else {
    const Model a = load_side(arguments, sides[0], 'a'), b = load_side(arguments, sides[1], 'b');
    try {
      explanation = explain(a, b, options);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }
  if (chart) draw_chart(*chart, cat(sides[0], " and ", sides[1]), explanation);
  arguments.has("--json") ? print_json(explanation) : print_text(sides[0], sides[1], explanation, options.tolerance);
  return explanation.agree ? kDone : explanation.residual <= options.tolerance ? kAnswerNo : kLeft;
}

}  // namespace

Command explain_command() {
  return {"explain",
          "why two models, or a model and another program's numbers, disagree",
          "A B [options] | MODEL --intermediates FILE --formulation ID [options]",
          "A and B are two models, or a model and a CSV file with the results of another program: columns q.J, v.J, a.J and any\n"
          "of tau.J, g.J (gravity alone) and M.J.K (inertia matrix), where J and K are joints. Torques are compared with rotors\n"
          "and friction on. Causes are listed by size, each with its share, the edit of A that removes it, and what is left\n"
          "after the edit. Differences that do not affect torques are listed separately. Exit status: 0 they agree; 1 they differ,\n"
          "and the causes explain it; 3 they differ, and a part is left unexplained; 2 the input or the call is wrong.\n"
          "\n"
          "With --intermediates one side is the quantities that an own implementation of a formulation computes on the way in one\n"
          "state: a CSV file with columns symbol, link and value, or JSON, as 'ulna inverse --formulation ID --intermediates' writes\n"
          "them. They are compared in the order of computation. Named are the first line that differs, its equation, the inputs of\n"
          "that line that agree, the simple mistake that explains it, and lines that are not given. Exit status: 0 all that are\n"
          "given agree; 1 some differ; 2 the input or the call is wrong.",
          model_options() + side_options() + explain_lines_options() +
              std::vector<Option>{
                  {"--tolerance", "TOL", "largest difference that counts as agreement, relative to the largest torque of each joint (default 1e-9)"},
                  {"--samples", "N", "random states on which two models are compared (default 40)"},
                  {"--seed", "N", "seed of the random states (default 1)"},
                  {"--svg", "FILE", "draw the difference before and after each edit"},
                  {"--json", "", "print one JSON object and nothing else"}},
          "ulna explain panda.xml panda.urdf --b-lock finger_joint1",
          explain_main};
}

}  // namespace ulna::cli
