// ulna simulate --linearise and --sensitivity: how a run changes when its state, torques or numbers do.

#include "command.hpp"
#include "progress.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace sim;

namespace {

std::vector<std::string> state_names(const Model& model) {
  std::vector<std::string> names;
  for (const std::string& name : tangent_names(model)) names.push_back("q." + name);
  for (const std::string& name : model.velocity_names()) names.push_back("v." + name);
  return names;
}

/// What `make` makes with options that show progress and end at Ctrl-C; nothing where that, or a motion that diverged, has ended it.
template <class Make>
auto made(const Scenario& scenario, const Make& make) -> std::optional<decltype(make(RunOptions{}))> {
  const char* why = "interrupted";
  std::string told;
  try {
    const WatchedRun run("ulna simulate", scenario.duration);
    auto result = make(run.options());
    if (!Interrupt::seen()) return result;
  } catch (const Diverged& problem) {
    told = problem.what();
    why = told.c_str();
  }
  std::fprintf(stderr, "ulna: %s; nothing was written\n", why);
  return {};
}

void write_json_matrix(Json& json, const double* M, std::size_t rows, std::size_t columns) {
  json.begin_array();
  std::vector<double> row(columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) row[j] = M[i + j * rows];
    json.numbers(row.data(), columns);
  }
  json.end_array();
}

void write_json_eigenvalues(Json& json, const std::vector<double>& A) {
  json.begin_array();
  for (const std::complex<double>& value : eigenvalues(A)) {
    const double parts[] = {value.real(), value.imag()};
    json.numbers(parts, 2);
  }
  json.end_array();
}

void begin(Json& json, const Scenario& scenario) { json.begin_object().line_fields("scenario", scenario.name, "robot", scenario.model.name()); }

/// Row by row, column names joined with `between`.
void add_matrix_names(std::vector<std::string>& names, const std::string& head, const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                      const char* between) {
  for (const std::string& i : rows)
    for (const std::string& j : columns) names.push_back(cat(head, i, between, j));
}
void add_matrix(std::vector<double>& values, const double* M, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) values.push_back(M[i + j * rows]);
}

}  // namespace

int linearise_command(const Arguments& arguments, const Scenario& scenario) {
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  std::optional<WholeFile> file = file_of(arguments, "--out");
  const auto result = made(scenario, [&](const RunOptions& options) { return linearise(scenario, options); });
  if (!result) return kAnswerNo;
  const std::vector<LinearRow>& rows = *result;
  const Model& model = scenario.model;
  const std::size_t n = model.nv();
  const std::vector<std::string> states = state_names(model);
  if (file) {
    NumberRows table{{"t"}, rows.size(), {}};
    std::vector<std::string> efforts;
    for (const std::string& name : model.effort_names()) efforts.push_back("tau." + name);
    add_matrix_names(table.names, "A.", states, states, ".");
    add_matrix_names(table.names, "B.", states, efforts, ".");
    table.row = [&](std::size_t k, std::vector<double>& values) {
      values.assign(1, rows[k].t);
      add_matrix(values, rows[k].open.A.data(), 2 * n, 2 * n);
      add_matrix(values, rows[k].open.B.data(), 2 * n, n);
    };
    write_rows(file->stream(), as_json, table);
    file->keep();
  }
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    begin(json, scenario);
    json.line_fields("states", states).line().key("rows").begin_array();
    for (const LinearRow& row : rows) {
      json.line().begin_object().fields("t", row.t, "q", row.q).key("v").numbers(row.v.data(), n).key("tau").numbers(row.tau.data(), n);
      json.fields(
          "A", [&] { write_json_matrix(json, row.open.A.data(), 2 * n, 2 * n); }, "B", [&] { write_json_matrix(json, row.open.B.data(), 2 * n, n); },
          "eigenvalues", [&] { write_json_eigenvalues(json, row.open.A); });
      if (!row.A.empty()) {
        const std::size_t size = eigenvalues(row.A).size();
        json.fields(
            "A_law", [&] { write_json_matrix(json, row.A.data(), size, size); }, "eigenvalues_law", [&] { write_json_eigenvalues(json, row.A); });
      }
      json.end_object();
    }
    json.end_array().end();
    return kDone;
  }
  Table table("rrrrr");
  table.row({"t [s]", "held: re [1/s]", "im [rad/s]", "with the law: re [1/s]", "im [rad/s]"});
  for (const LinearRow& row : rows) {
    const std::complex<double> held = eigenvalues(row.open.A).front();
    std::vector<std::string> cells{brief(row.t), brief(held.real()), brief(held.imag()), "-", "-"};
    if (!row.A.empty()) {
      const std::complex<double> answered = eigenvalues(row.A).front();
      cells[3] = brief(answered.real()), cells[4] = brief(answered.imag());
    }
    table.row(cells);
  }
  std::fputs("eigenvalues with the largest real part, of the motion about the run's\n", stdout);
  std::fputs(table.text().c_str(), stdout);
  return kDone;
}

int sensitivity_command(const Arguments& arguments, const Scenario& scenario) {
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  std::vector<std::string> by = split(*arguments.value("--sensitivity"));
  if (by.back().empty()) by.pop_back();  // after a last comma
  if (by.empty()) throw UsageError("option --sensitivity: names are missing; 'q,v' are derivatives by the whole initial state");
  std::optional<WholeFile> file = file_of(arguments, "--out");
  const auto result = made(scenario, [&](const RunOptions& options) { return sensitivity(scenario, by, options); });
  if (!result) return kAnswerNo;
  const Sensitivity& found = *result;
  const std::size_t rows = found.rows.size(), columns = found.columns.size(), last = found.t.size() - 1;
  if (file) {
    NumberRows table{{"t"}, found.t.size(), {}};
    add_matrix_names(table.names, "", found.rows, found.columns, "/");
    table.row = [&](std::size_t k, std::vector<double>& values) {
      values.assign(1, found.t[k]);
      add_matrix(values, found.at(k), rows, columns);
    };
    write_rows(file->stream(), as_json, table);
    file->keep();
  }
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    begin(json, scenario);
    json.line_fields("t", found.t[last], "rows", found.rows, "columns", found.columns, "sensitivity",
                     [&] { write_json_matrix(json, found.at(last), rows, columns); });
    json.end();
    return kDone;
  }
  Table table("l" + std::string(columns, 'r'));
  std::vector<std::string> head{cat("at t = ", brief(found.t[last]), " s")};
  head.insert(head.end(), found.columns.begin(), found.columns.end());
  table.row(head);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<std::string> cells{found.rows[i]};
    for (std::size_t j = 0; j < columns; ++j) cells.push_back(brief(found.at(last)[i + j * rows]));
    table.row(cells);
  }
  std::fputs(table.text().c_str(), stdout);
  return kDone;
}

}  // namespace ulna::cli
