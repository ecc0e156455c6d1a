#include <deque>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"
#include "words.hpp"

namespace ulna::python {

namespace {

nb::tuple row_of(const Parameter& one) { return nb::make_tuple(text(one.name), one.value, text(one.unit)); }

/// Of the bodies, and of the drives.
nb::tuple parameters(const RobotModel& robot, double snap) {
  nb::list bodies, drives;
  for (const Parameter& one : body_parameters(robot.model, snap)) bodies.append(row_of(one));
  for (const Parameter& one : drive_parameters(robot.model, snap)) drives.append(row_of(one));
  return nb::make_tuple(bodies, drives);
}

nb::dict base(const RobotModel& robot, double snap) {
  BaseParameters found;
  {
    const nb::gil_scoped_release release;
    found = base_parameters(robot.model, snap);
  }
  const auto names = [&](const std::vector<std::size_t>& which) {
    nb::list out;
    for (const std::size_t k : which) out.append(text(found.parameters[k].name));
    return out;
  };
  nb::list rows;
  for (const BaseParameter& one : found.base) {
    nb::dict row, terms;
    for (const BaseParameter::Term& term : one.terms) terms[text(found.parameters[term.parameter].name)] = term.factor;
    row["name"] = text(one.name);
    row["expression"] = text(one.expression);
    row["value"] = one.value;
    row["unit"] = text(found.parameters[one.terms[0].parameter].unit);
    row["terms"] = terms;
    rows.append(row);
  }
  nb::dict out;
  out["count"] = found.base.size();
  out["base"] = rows;
  out["no_effect"] = names(found.no_effect);
  out["only_in_sums"] = names(found.only_in_sums);
  return out;
}

/// One log as Python has it: a name, and arrays t, q, v, a, tau, of which v, a and tau may be None.
Log log_of(const nb::tuple& given, std::size_t n) {
  const std::string name = nb::cast<std::string>(given[0]);
  const char* const names[] = {"t", "q", "v", "a", "tau"};
  std::deque<Input> parts;
  const double* data[5] = {};
  std::size_t stride[5] = {}, rows = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    if (given[k + 1].is_none()) continue;
    Input& part = parts.emplace_back(names[k], given[k + 1]);
    const std::vector<std::size_t>& shape = part.shape();
    if (k == 0 && shape.size() == 1) rows = shape[0];
    const bool right = k == 0 ? shape.size() == 1 : shape.size() == 2 && shape[0] == rows && shape[1] == n;
    if (!right)
      throw nb::value_error(
          cat("log ", name, ": ", names[k], " has shape ", shape_text(shape), ", but must have ", k == 0 ? "(N,)" : cat("(", rows, ", ", n, ")")).c_str());
    part.convert_to(Real::float64);
    data[k] = reinterpret_cast<const double*>(part.memory().data());
    stride[k] = k == 0 ? 1 : part.memory().row_stride(1);
  }
  if (data[0] == nullptr || data[1] == nullptr) throw nb::value_error(cat("log ", name, " needs t and q").c_str());
  Log log(name, n, {data[2] != nullptr, data[3] != nullptr, data[4] != nullptr});
  const auto row = [&](std::size_t k, std::size_t r) { return data[k] == nullptr ? nullptr : data[k] + r * stride[k]; };
  for (std::size_t r = 0; r < rows; ++r) log.add(data[0][r * stride[0]], row(1, r), row(2, r), row(3, r), row(4, r));
  return log;
}
std::vector<Log> logs_of(const nb::list& given, std::size_t n) {
  std::vector<Log> logs;
  for (nb::handle one : given) logs.push_back(log_of(nb::cast<nb::tuple>(one), n));
  return logs;
}

/// A CSV file as log_of() takes it; problems as the loader tells them.
nb::tuple read(const RobotModel& robot, const std::string& path, bool torques) {
  Diagnostics found(path);
  LogOptions options;
  options.torques = torques;
  std::optional<Log> log;
  {
    const nb::gil_scoped_release release;
    log = read_log(path, robot.model, found, options);
  }
  if (!log) return nb::make_tuple(nb::none(), problems(found.all()));
  const std::size_t n = log->nv(), rows = log->rows(), width = 1 + 4 * n;
  std::vector<double> all(rows * width), t(rows), parts[4];
  log->read(0, rows, all.data());
  for (std::size_t r = 0; r < rows; ++r) {
    t[r] = all[r * width];
    for (std::size_t p = 0; p < 4; ++p) parts[p].insert(parts[p].end(), &all[r * width + 1 + p * n], &all[r * width + 1 + (p + 1) * n]);
  }
  const auto array = [&](std::size_t p, bool there) { return there ? array_of(parts[p], {rows, n}) : nb::object(nb::none()); };
  return nb::make_tuple(nb::make_tuple(path, array_of(t), array(0, true), array(1, log->columns().v), array(2, log->columns().a), array(3, log->columns().tau)),
                        problems(found.all()));
}

nb::list estimates(const std::vector<Estimate>& all) {
  nb::list out;
  for (const Estimate& one : all) {
    nb::dict row;
    row["name"] = text(one.name);
    row["value"] = one.value;
    row["sigma"] = one.sigma;
    row["given"] = one.given;
    row["unit"] = text(one.unit);
    out.append(row);
  }
  return out;
}

nb::dict validation_of(const Validation& v, const std::vector<std::string>& joints) {
  nb::dict out, by_joint;
  for (std::size_t k = 0; k < v.by_joint.size(); ++k) by_joint[text(joints[k])] = v.by_joint[k];
  out["relative_error"] = v.relative_error;
  out["by_joint"] = by_joint;
  out["rows"] = v.rows;
  return out;
}

/// All of them, and their texts.
void tell(nb::dict& out, const std::vector<Finding>& all) {
  nb::list findings;
  std::vector<std::string> notes;
  for (const Finding& one : all) {
    nb::dict row;
    row["kind"] = text(std::string(to_string(one.kind)));
    row["severity"] = one.severity == Severity::warning ? "warning" : "note";
    row["log"] = text(one.log), row["joint"] = text(one.joint), row["column"] = text(one.column), row["row"] = one.row,
    row["text"] = text(python_words(one.text));
    findings.append(row);
    notes.push_back(to_string(one));
  }
  out["findings"] = findings;
  out["notes"] = strings(notes);
}

nb::dict identified(const RobotModel& robot, const nb::list& logs, const nb::list& validating, const nb::list& predicting, const std::string& friction,
                    bool rotors, double cutoff, bool robust, double train, const std::vector<std::string>& without, double total_mass,
                    const std::vector<std::pair<std::string, double>>& masses, double snap) {
  IdentifyOptions options;
  options.friction = friction_model(friction);
  if (!options.friction && friction != "auto")
    throw nb::value_error(cat("there is no friction '", friction, "'; there are none, viscous, coulomb, asymmetric, stribeck, load, smooth and auto").c_str());
  options.fit_rotors = rotors, options.cutoff = cutoff, options.robust = robust, options.train = train, options.snap = snap;
  options.without = without;
  options.total_mass = total_mass;
  for (const auto& [link, mass] : masses) options.masses.push_back({link, mass});
  const std::size_t n = robot.model.nv();
  const std::vector<Log> given = logs_of(logs, n), others = logs_of(validating, n), wanted = logs_of(predicting, n);
  Identification found(robot.model);
  std::vector<std::vector<double>> predicted;
  std::optional<std::string> urdf;
  Diagnostics told(robot.model.file());
  {
    const nb::gil_scoped_release release;
    found = identify(robot.model, given, options, others);
    for (const Log& log : wanted) {
      predicted.emplace_back();
      predict(found, log, options, [&](double, const double* tau) { predicted.back().insert(predicted.back().end(), tau, tau + n); });
    }
    urdf = write_urdf(found.model, told);
  }
  const std::vector<std::string> joints = robot.model.coordinate_names();
  nb::dict out;
  out["robot"] = text(robot.model.name());
  out["joints"] = strings(joints);
  out["rows"] = found.rows;
  out["cutoff"] = found.cutoff;
  out["cutoff_chosen_by"] = text(found.cutoff_chosen_by);
  out["errors_below"] = found.errors_below;
  out["encoder_noise"] = array_of(found.encoder_noise);
  out["condition"] = found.condition;
  out["outliers"] = found.outliers;
  out["friction_model"] = text(found.friction_model.name);
  out["base"] = estimates(found.base);
  out["friction"] = estimates(found.friction);
  out["untold"] = strings(found.untold);
  out["noise"] = array_of(found.noise);
  out["validation"] = validation_of(found.validation, joints);
  out["least_squares"] = validation_of(found.plain, joints);
  out["before"] = validation_of(found.before, joints);
  out["consistency_price"] = found.consistency_price;
  out["pull"] = found.pull;
  out["delay"] = estimates(found.delay);
  nb::dict written;
  written["bodies"] = found.parameters.size() / kBodyParameters;
  written["friction"] = strings(found.written);
  out["written"] = written;
  const std::size_t p = found.base.size() + found.friction.size();
  out["covariance"] = array_of(found.covariance, {p, p});
  nb::dict parameters_found;
  for (std::size_t k = 0; k < found.parameters.size(); ++k) parameters_found[text(found.structure.parameters[k].name)] = found.parameters[k];
  out["parameters"] = parameters_found;
  nb::list torques;
  for (const std::vector<double>& one : predicted) torques.append(array_of(one, {one.size() / n, n}));
  out["predicted"] = torques;
  tell(out, found.findings);
  out["urdf"] = urdf ? text(*urdf) : nb::object(nb::none());
  return out;
}

/// `urdf`: the robot's file, to be edited in place; empty for none.
nb::dict diagnosed(const RobotModel& robot, const nb::list& logs, double cutoff, const std::string& urdf, double snap) {
  DoctorOptions options;
  options.cutoff = cutoff, options.snap = snap;
  const std::vector<Log> given = logs_of(logs, robot.model.nv());
  Diagnosis found(robot.model);
  std::optional<std::string> edited, written;
  Diagnostics problems("urdf"), told(robot.model.file());
  {
    const nb::gil_scoped_release release;
    found = doctor(robot.model, given, options);
    if (!urdf.empty()) edited = repaired_urdf(urdf, robot.model, found.repaired, problems);
    written = write_urdf(found.repaired, told);
  }
  if (problems.has_errors()) throw std::invalid_argument(SourceError(problems.all()).what());
  nb::dict out;
  nb::list causes;
  for (std::size_t k = 0; k < found.causes.size(); ++k) {
    const Cause& cause = found.causes[k];
    nb::dict row;
    row["kind"] = text(cause.kind);
    row[is_of_link(cause) ? "link" : "joint"] = text(cause.where);
    row["explains"] = cause.share;
    row["edit"] = text(cause.edit);
    row["in"] = found.in_log[k] ? "log" : "model";
    row["left"] = cause.residual_after;
    row["also"] = strings(cause.also);
    causes.append(row);
  }
  out["sound"] = found.sound(), out["causes"] = causes;
  out["before"] = found.before, out["after"] = found.after, out["fitted"] = found.fitted, out["cutoff"] = found.cutoff;
  tell(out, found.findings);
  out["urdf"] = edited ? text(*edited) : nb::object(nb::none());
  out["written"] = written ? text(*written) : nb::object(nb::none());
  return out;
}

nb::dict excited(const RobotModel& robot, double period, std::size_t waves, double acceleration, double speed, double part, bool condition,
                 std::size_t evaluations, std::uint64_t seed, double rate, double snap) {
  ExciteOptions options;
  options.period = period, options.waves = waves, options.acceleration = acceleration, options.speed = speed, options.part = part,
  options.condition = condition, options.evaluations = evaluations, options.seed = seed, options.snap = snap;
  Excitation e;
  ExcitationRows made;
  {
    const nb::gil_scoped_release release;
    e = excite(robot.model, options);
    made = sampled(robot.model, e, rate, options);
  }
  const std::size_t n = robot.model.nv(), rows = made.t.size();
  nb::dict out, followers;
  out["t"] = array_of(made.t);
  out["q"] = array_of(made.q, {rows, n});
  out["v"] = array_of(made.v, {rows, n});
  out["a"] = array_of(made.a, {rows, n});
  out["tau"] = array_of(made.tau, {rows, n});
  out["condition"] = e.condition;
  out["log_det"] = e.log_det;
  out["random_condition"] = e.random_condition;
  out["random_log_det"] = e.random_log_det;
  out["of_limits"] = array_of(e.limit);
  for (const Excitation::Follower& one : e.followers) followers[text(one.joint)] = one.limit;
  out["followers"] = followers;
  out["still"] = strings(e.still);
  return out;
}

/// Arrays t, q, v, a, tau, of which v, a and tau may be None.
nb::list broken_limits(const RobotModel& robot, const nb::list& arrays, double speed, double acceleration, double snap) {
  const char* const names[] = {"t", "q", "v", "a", "tau"};
  std::vector<double> parts[5];
  for (std::size_t k = 0; k < 5; ++k) {
    if (arrays[k].is_none()) continue;
    Input part(names[k], arrays[k]);
    const std::vector<std::size_t>& shape = part.shape();
    const std::size_t width = k == 0 ? 1 : k == 1 ? robot.model.nq() : robot.model.nv();
    if (k == 0 ? shape.size() != 1 : shape.size() != 2 || shape[0] != parts[0].size() || shape[1] != width)
      throw nb::value_error(
          cat(names[k], " has shape ", shape_text(shape), ", but must have ", k == 0 ? std::string("(N,)") : cat("(", parts[0].size(), ", ", width, ")"))
              .c_str());
    part.convert_to(Real::float64);
    const double* data = reinterpret_cast<const double*>(part.memory().data());
    const std::size_t stride = k == 0 ? 1 : part.memory().row_stride(1);
    for (std::size_t r = 0; r < shape[0]; ++r) parts[k].insert(parts[k].end(), data + r * stride, data + r * stride + width);
  }
  nb::list out;
  for (const LimitUse& use : check_motion(robot.model, {parts[0], parts[1], parts[2], parts[3], parts[4]}, {speed, acceleration, true, snap})) {
    nb::dict row;
    row["joint"] = text(robot.model.joints()[use.joint].name);
    row["of"] = text(std::string(to_string(use.kind)));
    row["limit"] = use.limit, row["value"] = use.value, row["t"] = use.t, row["first"] = use.first;
    row["text"] = text(to_string(robot.model, use));
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_identify(nb::module_& m) {
  m.def("read_log", &read);
  m.def("identify", &identified);
  m.def("doctor", &diagnosed);
  m.def("excite", &excited);
  m.def("check_motion", &broken_limits);
  m.def("parameters", &parameters);
  m.def("base_parameters", &base);
  m.def("without_effect", [](const RobotModel& robot, double snap) { return without_effect(robot.model, snap); });
}

}  // namespace ulna::python
