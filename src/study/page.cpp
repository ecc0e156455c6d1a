#include <algorithm>
#include <string_view>

#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kMostPage = 1450 * 1000, kMostEquations = 400 * 1000;  // bytes

/// Inside <script> nothing may look like its end or a comment: '<' is written as an escape, which JSON reads back as it was. Blanks between values go.
std::string for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  bool quoted = false, escaped = false;
  for (const char c : json) {
    if (!quoted && (c == ' ' || c == '\n')) continue;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = quoted && c == '\\' && !escaped;
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

/// The bundle as it may stand in a page. Where these letters stand in its strings, the escape means the same.
std::string inline_script(std::string_view script) {
  std::string out;
  out.reserve(script.size());
  for (std::size_t k = 0; k < script.size(); ++k) {
    const auto ahead = [&](std::string_view what) {
      if (script.size() - k < what.size()) return false;
      for (std::size_t i = 0; i < what.size(); ++i)
        if ((script[k + i] | 0x20) != (what[i] | 0x20)) return false;
      return true;
    };
    out += script[k];
    if (script[k] == '<' && (ahead("</script") || ahead("<!--"))) out += '\\';
  }
  return out;
}

}  // namespace

std::string script_part(const std::string& report) {
  const std::string script = inline_script(page_script());
  return cat("<script type=\"application/json\" id=\"report\">", for_script(report), "</script>\n",
             script.empty() ? "" : cat("<script>", script, "</script>\n"));
}

std::string study_page(const StudyData& data, const std::string& report) {
  std::vector<html::Part> parts{{"robot", "Robot", robot_part(data)},
                                {"model", "Checks", warnings_part(data)},
                                {"motion", "Motion", motion_part(data)},
                                {"torques", "Torques", torques_part(data)},
                                {"inertia", "Inertia", inertia_part(data)},
                                {"certificate", "Certificate", certificate_part(data)},
                                {"parameters", "Parameters", parameters_part(data)},
                                {"counts", "Costs", counts_part(data)},
                                {"schedule", "Schedule", schedule_part(data)},
                                {"timing", "Timing", timing_part(data)},
                                {"race", "Race", race_part(data)},
                                {"memory", "Tables", memory_part(data)},
                                {"code", "C", code_part(data)},
                                {"equations", "Equations", ""},
                                {"files", "Data", files_part(data)},
                                {"cite", "Citing", citations_part(data)}};
  const std::string scripts = script_part(report);
  std::size_t bytes = scripts.size();
  for (const html::Part& part : parts) bytes += part.html.size();
  for (html::Part& part : parts)
    if (std::string_view(part.id) == "equations") part.html = equations_part(data, std::min(kMostEquations, kMostPage - std::min(kMostPage, bytes)));
  return html::page({cat(data.model.name(), ": a study of its dynamics"), "A study of its dynamics", html::name(data.model.name()),
                     cat("From ", html::name(data.source), ": checked, verified, counted, scheduled, timed and simulated."), summary_part(data),
                     "Made by <code>ulna study</code>. This page needs no network; keep it with the files next to it.", scripts},
                    parts);
}

}  // namespace ulna::internal
