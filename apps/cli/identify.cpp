#include "command.hpp"
#include "effects.hpp"
#include "json.hpp"
#include "logs.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

/// "LINK=kg" pairs.
std::vector<KnownMass> masses_of(const Arguments& arguments, const Model& model) {
  std::vector<KnownMass> out;
  for (const std::string& text : arguments.values("--mass")) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || !model.find_link(name))
      throw UsageError(cat("option --mass ", text, ": give LINK=kg, the mass of a link that was weighed",
                           equals == std::string::npos ? "" : cat("; ", there_is_no("link", name, names_of(model.links(), &Link::name)))));
    const std::vector<double> value = parse_numbers(std::string_view(text).substr(equals + 1), cat("option --mass ", text));
    if (value.size() != 1 || !(value[0] > 0)) throw UsageError(cat("option --mass ", text, " takes one mass above 0 kg"));
    out.push_back({name, value[0]});
  }
  return out;
}

/// "JOINT=number" pairs.
std::vector<double> gains_of(const Arguments& arguments, const Model& model) {
  if (!arguments.has("--current")) {
    if (arguments.has("--gain")) throw UsageError("option --gain is for logs of currents: give --current, too");
    return {};
  }
  const std::vector<std::string> names = model.driven_names();
  std::vector<double> gains(names.size(), std::numeric_limits<double>::quiet_NaN());
  for (const std::string& text : arguments.values("--gain")) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string::npos || found == names.end())
      throw UsageError(cat("option --gain ", text, ": give JOINT=N, the torque of a joint for each ampere",
                           equals == std::string::npos ? "" : cat("; ", there_is_no("joint", name, names))));
    const std::vector<double> value = parse_numbers(std::string_view(text).substr(equals + 1), cat("option --gain ", text));
    if (value.size() != 1 || !(value[0] != 0)) throw UsageError(cat("option --gain ", text, " takes one number that is not zero"));
    gains[static_cast<std::size_t>(found - names.begin())] = value[0];
  }
  return gains;
}

void write_estimates(Json& json, const std::vector<Estimate>& estimates) {
  json.lines(estimates,
             [&](const Estimate& one) { json.object("name", one.name, "value", one.value, "sigma", one.sigma, "given", one.given, "unit", one.unit); });
}

void write_validation(Json& json, const Validation& v, const std::vector<std::string>& joints) {
  json.begin_object().fields("relative_error", v.relative_error).key("by_joint").begin_object();
  for (std::size_t k = 0; k < v.by_joint.size(); ++k) json.fields(joints[k], v.by_joint[k]);
  json.end_object().fields("rows", v.rows).end_object();
}

void write_json(std::FILE* file, const Identification& found, const std::vector<std::string>& joints, const std::optional<PayloadEstimate>& payload) {
  JsonOutput json(file);
  json.line_fields(
      "robot", found.model.name(), "joints", joints, "rows", found.rows, "cutoff", found.cutoff, "cutoff_chosen_by", found.cutoff_chosen_by, "errors_below",
      found.errors_below, "encoder_noise", found.encoder_noise, "condition", found.condition, "outliers", found.outliers, "friction_model",
      found.friction_model.name, "base", [&] { write_estimates(json, found.base); }, "friction", [&] { write_estimates(json, found.friction); });
  if (!found.gains.empty()) {
    json.line_fields("gains", [&] { write_estimates(json, found.gains); });
  }
  json.line_fields(
      "untold", found.untold, "noise", found.noise, "validation", [&] { write_validation(json, found.validation, joints); }, "least_squares",
      [&] { write_validation(json, found.plain, joints); }, "before", [&] { write_validation(json, found.before, joints); }, "consistency_price",
      found.consistency_price, "pull", found.pull, "delay", [&] { write_estimates(json, found.delay); });
  json.line().key("written").begin_object().fields("bodies", found.parameters.size() / kBodyParameters, "friction", found.written).end_object();
  json.line().key("parameters").begin_array();
  for (std::size_t k = 0; k < found.parameters.size(); ++k) {
    const Parameter& one = found.structure.parameters[k];
    json.line().object("name", one.name, "value", found.parameters[k], "given", one.value, "unit", one.unit);
  }
  json.end_array();
  if (payload) {
    json.line().key("payload").begin_object().fields("mass", payload->payload.mass, "mass_sigma", payload->mass.sigma);
    const Vec3<double>& c = payload->payload.com;
    const double com[] = {c.x, c.y, c.z}, errors[] = {payload->com[0].sigma, payload->com[1].sigma, payload->com[2].sigma};
    json.key("com").numbers(com, 3).key("com_sigma").numbers(errors, 3);
    const Sym3<double>& I = payload->payload.inertia;
    json.key("inertia").object("ixx", I.xx, "iyy", I.yy, "izz", I.zz, "ixy", I.xy, "ixz", I.xz, "iyz", I.yz);
    json.line_fields(
        "parameters", [&] { write_estimates(json, payload->parameters); }, "relative_error", payload->with.relative_error);
    json.fields("without_it", payload->without.relative_error).end_object();
  }
  std::vector<std::string> notes;
  json.line().key("findings").begin_array();
  for (const Finding& one : found.findings) {
    notes.push_back(to_string(one));
    json.line().object("kind", to_string(one.kind), "severity", one.severity == Severity::warning ? "warning" : "note", "log", one.log, "joint", one.joint,
                       "column", one.column, "row", one.row, "text", one.text);
  }
  json.end_array().line_fields("notes", notes).end_object().finish();
}

/// What the files hold that are written.
std::string written_text(const Identification& found) {
  return cat("identified.urdf holds the bodies and ", found.written.empty() ? "no friction" : cat("the friction terms ", joined(found.written)), ".\n");
}

std::string text_of(const Identification& found, const std::vector<std::string>& joints, const std::optional<PayloadEstimate>& payload) {
  std::string text = cat("robot ", found.model.name(), ": ", found.rows, " rows, low-pass ", rounded(std::round(100 * found.cutoff) / 100), " Hz",
                         found.cutoff_chosen_by == "prediction" ? " (chosen by prediction of held-out torques)" : "", ", friction ", found.friction_model.name,
                         "\n", "errors of torques below ", rounded(found.errors_below), " Hz, whatever the low-pass of the fit\n\n");
  Table errors("lrrr");
  errors.row({"torques that were not fitted", "file", "least squares", "consistent bodies"});
  errors.row({"all joints", percent(found.before.relative_error), percent(found.plain.relative_error), percent(found.validation.relative_error)});
  for (std::size_t k = 0; k < joints.size() && k < found.validation.by_joint.size(); ++k)
    errors.row({joints[k], percent(found.before.by_joint[k]), percent(found.plain.by_joint[k]), percent(found.validation.by_joint[k])});
  text += errors.text() + "\n";
  const auto list = [&](const char* title, const std::vector<Estimate>& estimates) {
    if (estimates.empty()) return;
    Table table("lrrlr");
    table.row({title, "value", "± sigma", "", "file"});
    for (const Estimate& one : estimates)
      table.row({one.name, brief(one.value), std::isinf(one.sigma) ? "undetermined" : brief(one.sigma), one.unit, brief(one.given)});
    text += table.text() + "\n";
  };
  list("base parameter", found.base);
  list("friction", found.friction);
  list("gain", found.gains);
  Table masses("lrrrr");
  masses.row({"link", "mass [kg]", "x", "y", "z of the mass centre [m]"});
  for (const Link& link : found.model.links())
    if (link.mass > 0) masses.row({link.name, brief(link.mass), brief(link.com.x), brief(link.com.y), brief(link.com.z)});
  text += cat("Physically consistent bodies, near to those of the file where the data say nothing; they change the error by ",
              percent(found.validation.relative_error - found.plain.relative_error), ":\n") +
          masses.text() + "\n" + written_text(found);
  Table delays("lrr");
  delays.row({"torque later than motion", "[ms]", "± sigma"});
  bool late = false;
  for (const Estimate& one : found.delay)
    if (std::fabs(one.value) > 4 * one.sigma) late = true, delays.row({one.name, brief(1e3 * one.value), brief(1e3 * one.sigma)});
  if (late) text += "\n" + delays.text();
  if (payload) {
    const Vec3<double>& c = payload->payload.com;
    text +=
        cat("\nload: ", rounded(payload->payload.mass), " ± ", rounded(payload->mass.sigma), " kg at (", rounded(c.x), " ± ", rounded(payload->com[0].sigma),
            ", ", rounded(c.y), " ± ", rounded(payload->com[1].sigma), ", ", rounded(c.z), " ± ", rounded(payload->com[2].sigma),
            ") m; its log is predicted to ", percent(payload->with.relative_error), ", without it to ", percent(payload->without.relative_error), "\n");
  }
  return text;
}

/// Measured and predicted torques and what is left, over the last log, thinned to what a chart shows.
std::string chart(const Identification& found, const Log& log, const IdentifyOptions& options) {
  const std::size_t n = found.model.nv(), every = std::max<std::size_t>(1, log.rows() / 4000), width = 1 + 4 * n;
  std::vector<double> t, measured, predicted, left, row(width);
  std::size_t at = 0;
  predict(found, log, options, [&](double time, const double* tau) {
    if (at++ % every != 0) return;
    log.read(at - 1, 1, row.data());
    t.push_back(time);
    for (std::size_t k = 0; k < n; ++k) {
      const double m = row[1 + 3 * n + k] * (options.gains.empty() || std::isnan(options.gains[k]) ? 1 : options.gains[k]);
      measured.push_back(m), predicted.push_back(tau[k]), left.push_back(m - tau[k]);
    }
  });
  std::vector<draw::TimePanel> panels;
  for (const auto& [title, values] : {std::pair{"measured", &measured}, std::pair{"predicted", &predicted}, std::pair{"measured less predicted", &left}})
    for (draw::TimePanel& panel : draw::joint_panels(found.model, title, draw::Numbers::effort, *values, 7)) panels.push_back(std::move(panel));
  return draw::time_chart(cat("torques of ", found.model.name(), " in ", log.name()), t, panels);
}

void write_covariance(std::FILE* file, const Identification& found) {
  NumberRows rows;
  for (const std::vector<Estimate>* list : {&found.base, &found.friction})
    for (const Estimate& one : *list) rows.names.push_back(one.name);
  rows.rows = rows.names.size();
  rows.row = [&](std::size_t i, std::vector<double>& row) { row.assign(&found.covariance[i * rows.rows], &found.covariance[i * rows.rows] + rows.rows); };
  write_rows(file, false, rows);
}

int identify_main(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positional();
  if (words.size() < 2) throw UsageError("give MODEL and at least one LOG.csv");
  const Robot robot = load_robot(arguments, words[0], true);
  const std::vector<std::string> joints = robot.model.driven_names();
  if (joints.empty()) throw UsageError(cat("robot ", in_quotes(robot.model.name()), " has no joint that moves: there is nothing to identify"));
  IdentifyOptions options;
  options.snap = snap_of(arguments);
  const std::string friction = arguments.choice("--friction", {"coulomb", "none", "viscous", "asymmetric", "stribeck", "load", "smooth", "auto"});
  options.friction = friction_model(friction);
  options.fit_rotors = arguments.choice("--rotors", {"file", "fit"}) == "fit";
  options.robust = arguments.on_off("--robust", true);
  options.cutoff = arguments.number("--cutoff").value_or(0);
  if (arguments.has("--cutoff") && !(options.cutoff > 0)) throw UsageError("option --cutoff takes a frequency above 0 Hz");
  if (arguments.has("--validate")) arguments.refuse({"--train"}, "with --validate: all rows of the logs are fitted, and its rows compared with");
  options.train = arguments.number("--train").value_or(options.train);
  if (!(options.train >= 0.1 && options.train <= 1)) throw UsageError(cat("option --train takes a part from 0.1 to 1, not ", options.train));
  options.gains = gains_of(arguments, robot.model);
  options.masses = masses_of(arguments, robot.model);
  options.total_mass = arguments.number("--total-mass").value_or(0);
  if (arguments.has("--total-mass") && !(options.total_mass > 0)) throw UsageError("option --total-mass takes a mass above 0 kg");
  options.without = arguments.values("--without");
  if (arguments.has("--predict") && !arguments.has("--out")) throw UsageError("option --predict writes predicted.csv into the folder of --out: give --out DIR");
  if (arguments.has("--unloaded") && !arguments.has("--payload"))
    throw UsageError("option --unloaded is for --payload LINK: logs of the robot without the load");
  if (arguments.has("--loaded") != arguments.has("--load"))
    throw UsageError("options --loaded LOG and --load LINK:m,x,y,z belong together: a log with a load that is known");

  LogOptions reading;
  reading.currents = arguments.has("--current");
  reading.limits = limits_of(arguments);
  std::vector<std::string> paths(words.begin() + 1, words.end());
  std::vector<Log> carrying;  // the load to be found
  if (const auto link = arguments.value("--payload")) {
    if (!robot.model.find_link(*link)) throw UsageError(cat("option --payload: ", there_is_no("link", *link, names_of(robot.model.links(), &Link::name))));
    if (arguments.has("--unloaded")) {
      carrying = read_logs(paths, robot.model, reading);
      paths = arguments.values("--unloaded");
    } else {
      throw UsageError("option --payload needs logs of the robot without the load: --unloaded LOG.csv");
    }
  }
  const std::vector<std::string> loaded = arguments.values("--loaded"), loads = arguments.values("--load");
  if (loaded.size() != loads.size())
    throw UsageError(cat("there are ", loaded.size(), " of --loaded LOG, but ", loads.size(), " of --load LINK:m,x,y,z: one for each"));
  for (std::size_t k = 0; k < loaded.size(); ++k) {
    const Load load = load_of(robot.model, loads[k], "--load");
    options.loads.push_back({load.link, load.payload, paths.size()});
    paths.push_back(loaded[k]);
  }
  const std::vector<Log> logs = read_logs(paths, robot.model, reading);
  const std::vector<Log> validating = read_logs(arguments.values("--validate"), robot.model, reading);
  LogOptions to_predict = reading;
  to_predict.torques = false;
  const std::vector<Log> predicting = read_logs(arguments.values("--predict"), robot.model, to_predict);

  std::optional<WholeFolder> folder;
  std::optional<Identification> found;
  std::optional<PayloadEstimate> payload;
  try {
    Steps steps("ulna identify");
    steps.begin("parameters");
    found = identify(robot.model, logs, options, validating);
    if (!carrying.empty()) {
      steps.begin("the load");
      payload = identify_payload(*found, carrying, *arguments.value("--payload"), options);
    }
    if (const auto path = arguments.value("--out")) {
      folder.emplace("--out", *path, arguments.has("--force"));
      Diagnostics problems(robot.model.file());
      const std::optional<std::string> urdf = write_urdf(found->model, problems);
      tell(problems.all());
      if (!urdf) return kWrong;
      folder->file("identified.urdf").write(*urdf);
      write_covariance(folder->file("covariance.csv").stream(), *found);
      write_json(folder->file("identification.json").stream(), *found, joints, payload);
      folder->file("torques.svg").write(chart(*found, validating.empty() ? logs.back() : validating.back(), options));
      for (std::size_t l = 0; l < predicting.size(); ++l) {
        Output out(folder->file(l == 0 ? "predicted.csv" : cat("predicted-", l + 1, ".csv")).stream());
        out.write("t");
        for (const std::string& joint : joints) out.write(cat(",", csv_cell(cat("tau.", joint))));
        out.write("\n");
        predict(*found, predicting[l], options, [&](double t, const double* tau) {
          out.write_number(t);
          for (std::size_t k = 0; k < joints.size(); ++k) out.write(","), out.write_number(tau[k]);
          out.write("\n");
        });
      }
      folder->keep();
    }
  } catch (const UnusableLog& refused) {
    tell(refused.findings());
    return kWrong;
  }
  tell(found->findings);
  if (payload) tell(payload->findings);
  if (arguments.has("--json"))
    write_json(stdout, *found, joints, payload);
  else
    std::fputs(text_of(*found, joints, payload).c_str(), stdout);
  return kDone;
}

}  // namespace

Command identify_command() {
  return {"identify",
          "the robot's true parameters and friction from logs of its motion",
          "MODEL LOG.csv… [--validate LOG2.csv] [--predict LOG3.csv] [--out DIR] [options]",
          "Finds the parameters that predict the torques in the logs best. A log has the columns t, q.NAME and tau.NAME for\n"
          "every joint, and v.NAME and a.NAME if they were measured. Otherwise velocities and accelerations are derived by a\n"
          "zero-phase low-pass and central differences, and the torques go through the same low-pass. Uneven time steps are\n"
          "resampled, with a note. Each joint is weighted by its noise, and outliers count less. Base parameters ('ulna\n"
          "parameters') come with standard errors.\n"
          "The cut-off of the low-pass is the one by which held-out torques are predicted best; errors are those of torques\n"
          "through one fixed low-pass (errors_below in JSON), whatever the cut-off of the fit.\n"
          "Then physically consistent bodies are found: positive masses, mass centres and inertias that fit between the\n"
          "joints' frames, and values near to the model's where the data say nothing. The printed errors are of torques that were not fitted: the last 40 % of "
          "the\n"
          "rows, or --validate; they show what consistency costs. Files and --predict use a fit to all rows of the logs. DIR\n"
          "gets identified.urdf, identification.json, covariance.csv, torques.svg and, with --predict, predicted.csv. The mass\n"
          "of links that are fixed to each other is given to the first of them.\n"
          "Channels are checked: positions, velocities or accelerations that are dead or in degrees, and torques that are\n"
          "constant, clipped most of the time, of a few values only, or uncorrelated with the motion are refused by name, and\n"
          "nothing is written; --without JOINT leaves a torque out. Clipped rows are left out. Warnings name torques that come\n"
          "later than the motion or with the opposite sign, joints that stand still, and links of more than three times the\n"
          "mass of the robot.",
          std::vector<Option>{
              {"--out", "DIR", "write identified.urdf, identification.json, covariance.csv and torques.svg into this folder"},
              {"--validate", "LOG", "log to compare torques with, in place of the last part of the logs; may be repeated", true},
              {"--predict", "LOG", "write predicted.csv: t and tau.NAME for each row of this log, friction and offsets included; may be repeated", true},
              {"--friction", "coulomb|none|viscous|asymmetric|stribeck|load|smooth|auto",
               "friction model (default coulomb: viscous, Coulomb and an offset); auto chooses by cross-validation"},
              {"--rotors", "file|fit", "rotor inertias: those of the model (default), or fitted"},
              {"--cutoff", "HZ",
               "cut-off frequency of the zero-phase low-pass (fourth-order Butterworth, forwards and backwards; default: by prediction of held-out torques)"},
              {"--robust", "on|off", "give outliers less weight (Huber; default on)"},
              {"--train", "PART", "without --validate: share of the rows that the validated fit uses (default 0.6)"},
              {"--total-mass", "KG", "mass of the whole robot, weighed: the bodies sum up to it"},
              {"--mass", "LINK=KG", "mass of a link, weighed; may be repeated", true},
              {"--payload", "LINK", "find the load that the robot carries on this link in LOG…; needs --unloaded"},
              {"--unloaded", "LOG", "a log without that load; may be repeated", true},
              {"--loaded", "LOG", "a log with a known load, which --load gives; may be repeated", true},
              {"--load", kLoadForm, "the known load: mass [kg], mass centre in the link's axes [m], and inertia about the mass centre [kg m²]", true},
              {"--without", "JOINT", "leave the torques of this joint out: its channel is dead or wrong; may be repeated", true},
              {"--current", "", "the logs hold the drives' currents i.NAME in place of tau.NAME"},
              {"--gain", "JOINT=N", "torque of a joint per ampere; gains that are not given are fitted; may be repeated", true},
              limit_option(),
              {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna identify ur10.urdf log.csv --friction auto --out found\n"
          "    parameters, friction and an identified URDF from a log",
          identify_main};
}

}  // namespace ulna::cli
