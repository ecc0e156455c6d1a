
#include <algorithm>
#include <cstdio>
#include <optional>

#include "command.hpp"
#include "features.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "programs/interface.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

std::vector<std::string> quantity_names(const std::vector<Quantity>& all) {
  std::vector<std::string> names;
  for (const Quantity what : all) names.emplace_back(to_string(what));
  return names;
}

std::vector<Quantity> chosen_quantities(const Arguments& arguments) {
  const std::string text = arguments.value("--what").value_or("inverse");
  const std::vector<Quantity>& all = equation_quantities();
  const std::vector<std::string> names = quantity_names(all);
  std::vector<Quantity> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, end - from);
    const auto known = std::find(names.begin(), names.end(), word);
    if (known == names.end()) {
      const std::string hint = did_you_mean(word, names);
      throw UsageError(cat("option --what takes ", listed(names, "and"), ", separated by commas, not ", in_quotes(word), hint));
    }
    const Quantity what = all[static_cast<std::size_t>(known - names.begin())];
    if (std::find(out.begin(), out.end(), what) != out.end()) throw UsageError(cat("option --what names ", word, " twice"));
    out.push_back(what);
    from = end + 1;
  }
  return out;
}

EquationFormat chosen_format(const Arguments& arguments) {
  EquationFormat format = EquationFormat::text;
  std::string_view chosen;
  const auto consider = [&](std::string_view option, EquationFormat its) {
    if (!arguments.has(option)) return;
    if (!chosen.empty()) throw UsageError(cat("options ", chosen, " and ", option, " exclude each other; call the program once for each"));
    chosen = option;
    format = its;
  };
  consider("--latex", EquationFormat::latex);
  consider("--markdown", EquationFormat::markdown);
  consider("--html", EquationFormat::html);
  consider("--json", EquationFormat::text);
  return format;
}

EquationForm chosen_form(const Arguments& arguments) {
  const std::string form = arguments.choice("--form", {"automatic", "closed", "recursive"});
  return form == "closed" ? EquationForm::closed : form == "recursive" ? EquationForm::recursive : EquationForm::automatic;
}

/// A row for each link and speed, in which none is left out because it is zero.
void write_partial_velocities(Json& json, const Model& model, const EquationSet& set) {
  const std::size_t n = set.speeds.size();
  const auto three = [&](const char* letter, std::size_t link, std::size_t speed) {
    std::vector<std::string> texts;
    for (const char* axis : {"x", "y", "z"}) {
      const EquationMark mark{letter, cat(link, n < 10 ? "" : ",", speed), "", 0, axis};
      const auto found = std::find_if(set.results.begin(), set.results.end(), [&](const Equation& equation) { return equation.left == mark; });
      texts.push_back(found == set.results.end() ? "0" : plain_text(found->right));
    }
    return texts;
  };
  json.line().key("partial_velocities").begin_array();
  std::size_t link = 0;
  for (const Joint& joint : model.joints()) {
    if (joint.type == JointType::fixed) continue;
    ++link;
    for (std::size_t r = 1; r <= n; ++r) {
      const std::string speed = set.own_speeds.empty() ? cat("v.", model.coordinate_names()[r - 1]) : set.own_speeds[r - 1].text();
      json.line().begin_object().fields("link", model.links()[joint.child].name, "speed", speed, "omega", three("omega", link, r), "v", three("v", link, r));
      json.end_object();
    }
  }
  json.end_array().line();
}

void write_json(Output& out, const Robot& robot, const std::vector<EquationSet>& sets, const std::vector<EquationSet>& beside, const Features& features) {
  Json json(out);
  const auto equations = [&](const char* key, const std::vector<Equation>& all) {
    json.key(key).lines(all, [&](const Equation& equation) { json.object("left", equation.left.text(), "right", plain_text(equation.right)); });
  };
  json.begin_object().fields("model", robot.model.name(), "coordinates", robot.model.coordinate_names());
  if (!sets.empty() && !sets.front().own_speeds.empty())
    json.line().key("speeds").lines(sets.front().own_speeds, [&](const EquationMark& mark) {
      json.object("name", mark.text(), "expression", sets.front().own_speeds_are[static_cast<std::size_t>(&mark - sets.front().own_speeds.data())]);
    });
  if (!sets.empty() && !sets.front().heading.empty()) write_partial_velocities(json, robot.model, sets.front());
  const auto write_set = [&](const EquationSet& set) {
    json.line().begin_object().fields("what", set.heading.empty() ? to_string(set.what) : "partial_velocities", "form", to_string(set.form));
    if (!set.formulation.empty()) json.fields("formulation", set.formulation);
    if (!set.link.empty()) json.fields("link", set.link);
    json.key("symbols");
    json.lines(set.symbols, [&](const EquationSymbol& symbol) {
      json.object("name", symbol.mark.text(), "value", symbol.value, "unit", symbol.unit, "meaning", symbol.meaning);
    });
    json.key("letters");
    json.lines(set.letters, [&](const EquationLetter& letter) {
      json.object("letter", letter.mark.text(), "rows", letter.rows, "columns", letter.columns, "meaning", letter.meaning, "rule", letter.rule);
    });
    json.key("quantities").begin_array();
    for (const EquationQuantity& quantity : set.quantities) {
      json.line().begin_object().fields("name", quantity.mark.text(), "rows", quantity.rows, "columns", quantity.columns).key("entries").begin_array();
      for (const EquationQuantity::Entry& entry : quantity.entries) json.value(entry.needed ? plain_text(entry.formula) : "");
      json.end_array().end_object();
    }
    json.end_array();
    equations("definitions", set.definitions);
    equations("results", set.results);
    json.end_object();
  };
  json.key("equations").begin_array();
  for (const EquationSet& set : sets) write_set(set);
  json.end_array();
  if (!beside.empty()) {
    json.key("beside").begin_array();
    for (const EquationSet& set : beside) write_set(set);
    json.end_array();
  }
  json.fields("features", [&] { write_features(json, features); });
  json.end_object().finish();
}

int equations_main(const Arguments& arguments) {
  const std::vector<Quantity> quantities = chosen_quantities(arguments);
  const EquationFormat format = chosen_format(arguments);
  EquationOptions options;
  options.form = chosen_form(arguments);
  options.rotor = arguments.on_off("--rotor", true);
  options.snap = snap_of(arguments);
  if (std::none_of(quantities.begin(), quantities.end(), [](Quantity quantity) { return row_of(quantity).of_link; }))
    arguments.refuse({"--link"}, "on equations of the whole robot", "add pose or jacobian to --what, or leave it out");
  options.link = arguments.value("--link").value_or("");
  if (const auto id = arguments.value("--formulation")) options.formulation = formulation_named(*id).id;
  EquationOptions other = options;
  const auto beside = arguments.value("--beside");
  if (beside) {
    other.formulation = formulation_named(*beside).id;
    if (other.formulation == options.formulation)
      throw UsageError(cat("option --beside names the formulation of --formulation, ", *beside, "; take another one"));
  }
  const Robot robot = load_robot(arguments, options.rotor);
  const bool partial = arguments.has("--partial-velocities");
  if (partial) {
    arguments.refuse({"--what", "--beside", "--formulation", "--link"}, "with --partial-velocities, which lists them and nothing else");
    if (const auto choice = arguments.value("--speeds")) options.speeds = speeds_named(*choice, robot.model);
  } else {
    options.speeds = speeds_of(arguments, robot.model);
  }
  std::optional<WholeFile> file = file_of(arguments, "--out");

  std::vector<EquationSet> sets, others;
  const Analysis analysis(robot.model);
  if (partial) sets.push_back(partial_velocities(analysis, options));
  for (const Quantity what : partial ? std::vector<Quantity>{} : quantities) {
    sets.push_back(make_equations(analysis, what, options));
    if (beside) others.push_back(make_equations(analysis, what, other));
  }
  {
    Output out(file ? file->stream() : stdout);
    if (arguments.has("--json")) {
      PlanOptions plan_options;
      plan_options.snap = options.snap;
      Effects effects;
      effects.rotor = options.rotor;
      Influences influences;
      for (const Quantity quantity : quantities) {
        influences.gravity = influences.gravity || row_of(quantity).influences.gravity;
        influences.rotor = influences.rotor || row_of(quantity).influences.rotor;
      }
      write_json(out, robot, sets, others, collect_features(robot, make_plan(robot.model, plan_options), influences, effects));
    } else {
      out.write(beside ? write_equations_beside(robot.model, sets, others, format, options.snap) : write_equations(robot.model, sets, format, options.snap));
    }
  }  // written before the file is put in its place
  if (file) file->keep();
  return kDone;
}

}  // namespace

Command equations_command() {
  static const std::string kWhat = cat("quantities, with commas: ", joined(quantity_names(equation_quantities())), " (default inverse)");
  return {"equations",
          "the equations of motion, for people to read",
          "MODEL [options]",
          "Writes the equations with the robot's lengths, masses and inertias as symbols; terms that are zero by the robot's\n"
          "structure are left out. A short result is multiplied out as in a textbook (closed form). Otherwise quantities are\n"
          "defined link by link, under their usual names or as Z1, Z2, ..., and the results follow (recursive form). A table\n"
          "lists each symbol with its meaning and value. Rotor inertia is included unless switched off; friction is not.\n"
          "--formulation writes a paper's equations in its own frames, with its own vectors and matrices; those of the Stanford\n"
          "arm carry the numbers that Kane and Levinson gave them. --beside puts another formulation of the same robot next to\n"
          "them.",
          std::vector<Option>{{"--what", "LIST", kWhat},
                              {"--link", "NAME", "link of pose and Jacobian (default: the last link)"},
                              {"--formulation", "ID", "the equations of this formulation, in recursive form (ulna formulations lists them)"},
                              speeds_option(),
                              {"--partial-velocities", "",
                               "list the partial angular velocities and partial velocities of all links (Kane & Levinson, eqs 23, 44), for --speeds if given"},
                              {"--beside", "ID", "put the equations of another formulation beside them, in a second column"},
                              {"--latex", "", "write a LaTeX document that needs nothing but amsmath"},
                              {"--markdown", "", "write Markdown with mathematics as GitHub shows it"},
                              {"--html", "", "write an HTML page that needs no network"},
                              {"--form", "F", "automatic, closed or recursive (default automatic: closed if that is short)"},
                              {"--out", "FILE", "write to this file instead of standard output"},
                              {"--rotor", "on|off", "rotor inertia (default on)"},
                              {"--json", "", "write one JSON object, formulas as text"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna equations planar-2r --what mass,inverse --latex --out planar.tex\n"
          "    the textbook's equations of two links in a plane",
          equations_main};
}

}  // namespace ulna::cli
