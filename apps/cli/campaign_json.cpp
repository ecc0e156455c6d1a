#include "campaign_json.hpp"

#include <cmath>

#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna::cli {

using namespace ulna::internal;

std::string alone_command(const std::string& file, const std::optional<std::string>& runs) {
  const bool plain = file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
  return cat("ulna campaign ", plain ? file : cat("'", file, "'"), runs ? cat(" --runs ", *runs) : "", " --only ");
}

void write_json(Json& json, const campaign::Report& report, const std::string& folder, const std::string& command) {
  json.begin_object().line().key("runs").value(report.runs).line().key("failed").value(report.failed).line().key("first").value(report.first);
  json.line().key("out").value(folder).line().key("format").value(to_string(report.format)).line().key("instruction_set").value(report.instruction_set);
  json.line().key("path").value(report.path).line().key("spec").value(report.hash);
  json.line().key("interrupted").value(report.interrupted).line().key("remade").strings(report.remade).line().key("failures").begin_object();
  for (const auto& [status, count] : report.failures) json.key(status).value(count);
  json.end_object().line().key("metrics").begin_object();
  for (const campaign::MetricSummary& m : report.metrics) {
    json.line().key(m.name).begin_object().key("count").value(m.count);
    const double none = std::nan("");
    const bool any = m.count > 0;
    json.key("mean").value(any ? m.mean : none).key("deviation").value(any ? m.deviation : none).key("least").value(any ? m.least : none);
    json.key("most").value(any ? m.most : none).key("quantiles").begin_object();
    for (const auto& [share, value] : m.quantiles) json.key(ulna::internal::to_text(share)).value(value);
    json.end_object().key("upper_tolerance").value(m.upper_tolerance.value_or(none)).key("tolerance").begin_array();
    if (m.tolerance) json.value(m.tolerance->first).value(m.tolerance->second);
    json.end_array().key("explained").begin_object();
    for (const auto& [name, share] : m.explained) json.key(name).value(share);
    json.end_object();
    if (any) json.key("worst_run").value(m.worst_run);
    json.end_object();
  }
  json.end_object().line().key("worst").begin_array();
  for (const campaign::WorstRun& w : report.worst) {
    json.line().begin_object().key("run").value(w.run).key("metric").value(w.metric).key("value").value(w.value).key("variations").begin_object();
    for (const auto& [name, value] : w.variations) json.key(name).value(value);
    json.end_object().key("alone").value(cat(command, w.run)).end_object();
  }
  json.end_array();
  json.end();
}

void write_json(Json& json, const campaign::Estimate& e) {
  json.begin_object().line().key("runs").value(e.runs).line().key("measured_runs").value(e.measured).line().key("measured_seconds").value(e.measured_seconds);
  json.line().key("threads").value(e.threads).line().key("runs_per_second").value(e.runs_per_second).line().key("seconds").value(e.seconds);
  json.line()
      .key("hours")
      .value(e.seconds / 3600)
      .line()
      .key("bytes")
      .value(std::round(e.bytes))
      .line()
      .key("bytes_of_parts")
      .value(std::round(e.bytes_of_parts));
  json.line().key("free_bytes").value(e.free_bytes).line().key("format").value(to_string(e.format)).line().key("instruction_set").value(e.instruction_set);
  json.line().key("path").value(e.path);
  json.end();
}

}  // namespace ulna::cli
