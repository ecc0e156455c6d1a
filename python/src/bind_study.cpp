#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace {

/// What loading found, with the notes that `ulna lint` and `ulna study` add, in the order of the file.
std::vector<Diagnostic> advised(const RobotModel& robot) {
  Diagnostics notes(robot.model.file());
  advise(robot.model, notes);
  std::vector<Diagnostic> all = robot.diagnostics;
  all.insert(all.end(), notes.all().begin(), notes.all().end());
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  return all;
}

nb::dict as_dict(const StudyStep& step) {
  nb::dict row;
  row["name"] = text(step.name);
  row["result"] = text(step.result);
  row["seconds"] = step.seconds;
  row["good"] = step.good;
  return row;
}

nb::dict as_dict(const Study& study, const std::string& folder) {
  const auto path = [&](const std::string& file) { return text((std::filesystem::path(folder) / file).string()); };
  nb::dict out;
  out["robot"] = text(study.robot);
  out["page"] = path("index.html");
  out["good"] = study.good;
  nb::list steps, files;
  for (const StudyStep& step : study.steps) steps.append(as_dict(step));
  for (const StudyFile& file : study.files) {
    nb::dict row;
    row["path"] = path(file.name);
    row["bytes"] = file.text.size();
    files.append(row);
  }
  out["steps"] = steps;
  out["files"] = files;
  return out;
}

[[noreturn]] void refuse(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

/// Before the work: is the folder free, or a study that may be replaced?
void check_folder(const std::string& folder, bool force) {
  const std::string reason = why_not_written(folder, force);
  if (reason.empty()) return;
  std::error_code ignored;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(folder, ignored));
  const bool a_study = !force && why_not_written(folder, true).empty();
  refuse(there ? PyExc_FileExistsError : PyExc_ValueError, a_study ? cat("folder ", in_quotes(folder), " holds a study; force=True replaces it") : reason);
}

/// `step_done`: None, or a function that is called with each step. What it raises ends the study, as Ctrl-C does, and nothing is written.
nb::dict study_robot(const RobotModel& robot, const std::string& folder, const std::string& source, std::size_t samples, std::uint64_t seed, double snap,
                     bool bench, bool self_test, bool force, nb::object step_done) {
  check_folder(folder, force);
  using Clock = std::chrono::steady_clock;
  std::optional<nb::python_error> raised;
  Clock::time_point last{};
  StudyOptions options;
  options.source = source;
  options.diagnostics = advised(robot);
  options.samples = samples;
  options.seed = seed;
  options.snap = snap;
  options.timing = bench;
  options.self_test = self_test;
  options.go_on = [&] {
    if (raised) return false;
    if (Clock::now() - last < std::chrono::milliseconds(20)) return true;
    last = Clock::now();
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) raised.emplace();
    return !raised.has_value();
  };
  options.done = [&](const StudyStep& step) {
    last = {};
    if (step_done.is_none() || raised) return;
    const nb::gil_scoped_acquire acquire;
    try {
      step_done(as_dict(step));
    } catch (nb::python_error& error) {
      raised.emplace(std::move(error));
    }
  };
  Study result;
  std::string not_written;
  try {
    const nb::gil_scoped_release release;
    result = study(robot.analysis, options);
    if (options.go_on()) {
      try {
        write_study(result, folder, force);
      } catch (const std::exception& error) {
        not_written = error.what();
      }
    }
  } catch (const StudyInterrupted&) {
    if (!raised) throw;
  }
  if (!not_written.empty()) refuse(PyExc_OSError, not_written);
  if (raised) throw nb::python_error(std::move(*raised));
  return as_dict(result, folder);
}

}  // namespace

void bind_study(nb::module_& m) {
  m.def("study", &study_robot, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none());
}

}  // namespace ulna::python
