#include "command.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace sim;

namespace {

unsigned threads_of(const Arguments& arguments) {
  const std::optional<double> value = arguments.number("--threads");
  if (!value) return 0;
  if (*value < 1 || *value > 1024 || *value != std::floor(*value)) throw UsageError(cat("option --threads takes a whole number from 1 to 1024, not ", *value));
  return static_cast<unsigned>(*value);
}

/// Of all joints.
const std::vector<double>& speeds_of(const BatchRun& run) { return run.joint_v.empty() ? run.v : run.joint_v; }

/// Results of every run as numbers: run, ending (0 done, 1 stopped, 2 diverged, 3 interrupted), end, drift, the final state, peaks, how it was made.
NumberRows rows_of(const Scenario& scenario, const Overrides& overrides, const std::vector<BatchRun>& runs) {
  const Model& model = scenario.model;
  NumberRows rows{{"run"}, runs.size(), {}};
  for (const std::string& name : overrides.names) rows.names.push_back("set." + name);
  for (const char* name : {"ending", "end", "energy_drift", "evaluations"}) rows.names.emplace_back(name);
  for (const std::string& name : model.position_names()) rows.names.push_back("q." + name);
  const Model tree = without_loops(model);
  for (const std::string& name : tree.velocity_names()) rows.names.push_back("v." + name);
  for (const std::string& name : tree.effort_names()) rows.names.push_back("peak_tau." + name);
  const std::vector<std::size_t> driven = model.driven();
  const std::size_t followed = scenario.reference.kind == ReferenceKind::none ? 0 : driven.size();
  for (std::size_t i = 0; i < followed; ++i) rows.names.push_back("peak_error." + model.joints()[driven[i]].name);
  for (const char* name : {"smallest_pivot", "closed", "together"}) rows.names.emplace_back(name);
  rows.row = [&overrides, &runs, &model, followed](std::size_t k, std::vector<double>& values) {
    const BatchRun& run = runs[k];
    values = {static_cast<double>(k + 1)};
    values.insert(values.end(), overrides.rows[k].begin(), overrides.rows[k].end());
    values.insert(values.end(), {static_cast<double>(run.ending), run.end, run.energy_drift, static_cast<double>(run.evaluations)});
    const std::vector<double> peaks = of_all_joints(model, run.peak_tau);
    for (const std::vector<double>* part : {&run.q, &speeds_of(run), &peaks})
      for (std::size_t i = 0; i < (part == &run.q ? model.nq() : model.nv_tree()); ++i) values.push_back(part->empty() ? NAN : (*part)[i]);
    for (std::size_t i = 0; i < followed; ++i) values.push_back(run.tracking.peak.empty() ? NAN : run.tracking.peak[i]);
    values.insert(values.end(), {run.smallest_pivot, run.closed ? 1.0 : 0.0, run.together ? 1.0 : 0.0});
  };
  return rows;
}

struct Summary {
  std::size_t endings[4] = {0, 0, 0, 0};
  std::vector<Spread> q, v, peak_tau;  // of the runs that came to their end
  Spread drift;
  std::size_t together = 0, broken = 0;                    // in step with others; closing checks that failed
  std::vector<std::pair<std::string, std::size_t>> alone;  // why, and how many
};

Summary summary_of(const Scenario& scenario, const std::vector<BatchRun>& runs) {
  Summary s;
  const std::size_t n = scenario.model.nv_tree(), nq = scenario.model.nq();
  std::vector<double> drift;
  std::vector<std::vector<double>> q(nq), v(n), peak(n);
  for (const BatchRun& run : runs) {
    ++s.endings[static_cast<std::size_t>(run.ending)];
    if (!run.closed) ++s.broken;
    if (run.together) {
      ++s.together;
    } else if (!run.why_alone.empty()) {
      const auto same = std::find_if(s.alone.begin(), s.alone.end(), [&](const auto& reason) { return reason.first == run.why_alone; });
      if (same == s.alone.end())
        s.alone.emplace_back(run.why_alone, 1);
      else
        ++same->second;
    }
    if (run.ending != Ending::done) continue;
    drift.push_back(run.energy_drift);
    for (std::size_t i = 0; i < nq; ++i) q[i].push_back(run.q[i]);
    const std::vector<double> peaks = of_all_joints(scenario.model, run.peak_tau);
    for (std::size_t i = 0; i < n; ++i) {
      v[i].push_back(speeds_of(run)[i]);
      peak[i].push_back(peaks[i]);
    }
  }
  s.drift = spread_of(drift);
  for (std::size_t i = 0; i < nq; ++i) s.q.push_back(spread_of(q[i]));
  for (std::size_t i = 0; i < n; ++i) {
    s.v.push_back(spread_of(v[i]));
    s.peak_tau.push_back(spread_of(peak[i]));
  }
  return s;
}

void print_text(const Scenario& scenario, const std::vector<BatchRun>& runs, const Summary& s) {
  std::string text = cat("scenario ", scenario.name, ": ", runs.size(), " runs, ", s.endings[0], " done, ", s.endings[1], " stopped at a limit, ", s.endings[2],
                         " diverged, ", s.endings[3], " not made\nin step with others, through the batch kernels: ", s.together, "\n");
  for (const auto& [why, count] : s.alone) text += cat("alone: ", count, " (", why, ")\n");
  if (s.broken > 0) text += cat("CLOSING CHECK BROKEN in ", s.broken, " of them\n");
  text += "\nAt the end of the runs that were done:\n";
  Table table("lrrrrrrrr");
  table.row({"joint", "q least", "mean", "most", "deviation", "v mean", "deviation", "peak tau mean", "most"});
  const std::vector<std::string> names = scenario.model.coordinate_names();
  // A base that moves has numbers of q and of v that do not answer to each other.
  const std::size_t base_q = base_nq(scenario.model.base()), base_v = base_nv(scenario.model.base());
  const auto of = [](const Spread& x) { return std::vector<std::string>{brief(x.least), brief(x.mean), brief(x.most), brief(x.deviation)}; };
  for (std::size_t i = 0; i < base_q; ++i) {
    const std::vector<std::string> q = of(s.q[i]);
    table.row({scenario.model.position_names()[i], q[0], q[1], q[2], q[3], "", "", "", ""});
  }
  for (std::size_t i = 0; i < base_v; ++i) table.row({scenario.model.velocity_names()[i], "", "", "", "", brief(s.v[i].mean), brief(s.v[i].deviation), "", ""});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<std::string> q = of(s.q[base_q + i]);
    const Spread &v = s.v[base_v + i], &tau = s.peak_tau[base_v + i];
    table.row({names[i], q[0], q[1], q[2], q[3], brief(v.mean), brief(v.deviation), brief(tau.mean), brief(tau.most)});
  }
  text += table.text() + cat("\nlargest error of an energy balance: ", rounded(s.drift.most), " J\n");
  std::size_t told = 0;
  for (std::size_t k = 0; k < runs.size() && told < 10; ++k)
    if (runs[k].ending == Ending::diverged) {
      text += cat("run ", k + 1, ": ", runs[k].message, "\n");
      ++told;
    }
  std::fputs(text.c_str(), stdout);
}

void print_json(const Scenario& scenario, const Overrides& overrides, const std::vector<BatchRun>& runs, const Summary& s) {
  Output out;
  Json json(out);
  const auto spreads = [&](const char* key, const std::vector<Spread>& values) {
    json.line().key(key).lines(values, [&](const Spread& x) { json.object("least", x.least, "mean", x.mean, "most", x.most, "deviation", x.deviation); });
  };
  json.begin_object().line_fields("scenario", scenario.name, "runs", static_cast<int>(runs.size()));
  for (const Ending ending : {Ending::done, Ending::stopped, Ending::diverged, Ending::interrupted})
    json.line_fields(to_string(ending), static_cast<int>(s.endings[static_cast<std::size_t>(ending)]));
  json.line_fields("together", static_cast<int>(s.together));
  json.list("alone", s.alone, [&](const auto& reason) { json.object("runs", static_cast<int>(reason.second), "why", reason.first); });
  json.line_fields("closing_broken", static_cast<int>(s.broken), "joints", scenario.model.coordinate_names());
  spreads("q", s.q);
  spreads("v", s.v);
  spreads("peak_tau", s.peak_tau);
  json.line_fields("energy_drift_most", s.drift.most);
  const NumberRows rows = rows_of(scenario, overrides, runs);
  json.line_fields("columns", rows.names).line().key("rows").begin_array();
  std::vector<double> values;
  for (std::size_t k = 0; k < rows.rows; ++k) {
    rows.row(k, values);
    json.line().numbers(values.data(), values.size());
  }
  json.end_array().end();
}

}  // namespace

int simulate_batch_command(const Arguments& arguments, const Scenario& scenario) {
  const std::string table = *arguments.value("--batch");
  const unsigned threads = threads_of(arguments);
  Diagnostics diagnostics(table);
  const std::optional<Overrides> overrides = load_overrides(table, scenario, diagnostics, limits_of(arguments));
  for (const Diagnostic& d : diagnostics.all()) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!overrides) throw ModelRefused{};
  const std::optional<std::string> path = arguments.value("--out");
  std::optional<WholeFile> file = file_of(arguments, "--out");
  std::vector<BatchRun> runs;
  {
    Interrupt interrupt;
    Progress progress("ulna simulate");
    runs = simulate_batch(scenario, *overrides, threads, [&](std::size_t done) {
      progress.show(static_cast<double>(done) / static_cast<double>(overrides->rows.size()));
      return !Interrupt::seen();
    });
  }
  if (file) {
    write_rows(file->stream(), is_json_path(*path), rows_of(scenario, *overrides, runs));
    file->keep();
  }
  const Summary summary = summary_of(scenario, runs);
  arguments.has("--json") ? print_json(scenario, *overrides, runs, summary) : print_text(scenario, runs, summary);
  if (summary.endings[3] > 0) std::fprintf(stderr, "ulna: interrupted after %zu of %zu runs\n", runs.size() - summary.endings[3], runs.size());
  if (summary.broken > 0) std::fprintf(stderr, "ulna: the closing check failed in %zu runs\n", summary.broken);
  return summary.endings[2] + summary.endings[3] + summary.broken > 0 ? kAnswerNo : kDone;
}

}  // namespace ulna::cli
