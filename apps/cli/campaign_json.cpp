#include "campaign_json.hpp"

namespace ulna::cli {

using namespace ulna::internal;

std::string alone_command(const std::string& file, const std::optional<std::string>& runs) {
  const bool plain = file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
  return cat("ulna campaign ", plain ? file : cat("'", file, "'"), runs ? cat(" --runs ", *runs) : "", " --only ");
}

void write_json(Json& json, const campaign::Report& report, const std::string& folder, const std::string& command) {
  json.begin_object();
  json.line_fields("runs", report.runs, "failed", report.failed, "first", report.first, "out", folder, "format", to_string(report.format), "instruction_set",
                   report.instruction_set, "path", report.path, "spec", report.hash, "interrupted", report.interrupted, "remade", report.remade);
  json.line().key("failures").begin_object();
  for (const auto& [status, count] : report.failures) json.fields(status, count);
  json.end_object().line().key("metrics").begin_object();
  for (const campaign::MetricSummary& m : report.metrics) {
    json.line().key(m.name).begin_object().fields("count", m.count);
    const double none = std::nan("");
    const bool any = m.count > 0;
    json.fields("mean", any ? m.mean : none, "deviation", any ? m.deviation : none, "least", any ? m.least : none, "most", any ? m.most : none);
    json.key("quantiles").begin_object();
    for (const auto& [share, value] : m.quantiles) json.fields(ulna::internal::to_text(share), value);
    json.end_object().fields("upper_tolerance", m.upper_tolerance.value_or(none)).key("tolerance").begin_array();
    if (m.tolerance) json.value(m.tolerance->first).value(m.tolerance->second);
    json.end_array().key("explained").begin_object();
    for (const auto& [name, share] : m.explained) json.fields(name, share);
    json.end_object();
    if (any) json.fields("worst_run", m.worst_run);
    json.end_object();
  }
  json.end_object().line().key("worst").begin_array();
  for (const campaign::WorstRun& w : report.worst) {
    json.line().begin_object().fields("run", w.run, "metric", w.metric, "value", w.value).key("variations").begin_object();
    for (const auto& [name, value] : w.variations) json.fields(name, value);
    json.end_object().fields("alone", cat(command, w.run)).end_object();
  }
  json.end_array().end();
}

void write_json(Json& json, const campaign::Estimate& e) {
  json.begin_object();
  json.line_fields("runs", e.runs, "measured_runs", e.measured, "measured_seconds", e.measured_seconds, "threads", e.threads, "runs_per_second",
                   e.runs_per_second, "seconds", e.seconds, "hours", e.seconds / 3600, "bytes", std::round(e.bytes), "bytes_of_parts",
                   std::round(e.bytes_of_parts), "free_bytes", e.free_bytes, "format", to_string(e.format), "instruction_set", e.instruction_set, "path",
                   e.path);
  json.end();
}

}  // namespace ulna::cli
