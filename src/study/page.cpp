#include <algorithm>
#include <string_view>

#include <ulna/version.hpp>

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
  struct Part {
    const char* id;
    const char* label;
    std::string html;
  };
  Part parts[] = {{"robot", "Robot", robot_part(data)},
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
  for (const Part& part : parts) bytes += part.html.size();
  for (Part& part : parts)
    if (std::string_view(part.id) == "equations") part.html = equations_part(data, std::min(kMostEquations, kMostPage - std::min(kMostPage, bytes)));
  const std::string robot = html::name(data.model.name());
  std::string out =
      cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\"/>\n<meta name=\"generator\" content=\"ulna ",
          ULNA_VERSION, "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>", html::text(data.model.name()), ": a study of its dynamics</title>\n<style>",
          page_style(), "</style>\n</head>\n<body>\n");
  out += cat("<a class=\"skip\" href=\"#content\">Skip to the content</a>\n<header>\n<p class=\"kicker\">A study of its dynamics, by Ulna ", ULNA_VERSION,
             "</p>\n<h1>", robot, "</h1>\n<p class=\"lead\">From ", html::name(data.source),
             ": checked, verified, counted, scheduled, timed and simulated.</p>\n</header>\n");
  out += "<nav class=\"contents\" aria-label=\"On this page\"><ol>\n";
  for (const Part& part : parts)
    if (!part.html.empty()) out += cat("<li><a href=\"#", part.id, "\">", part.label, "</a></li>\n");
  out += cat("</ol></nav>\n<main id=\"content\">\n", summary_part(data));
  for (const Part& part : parts) out += part.html;
  out += cat("</main>\n<footer><p>Made by <code>ulna study</code>. This page needs no network; keep it with the files beside it.</p></footer>\n");
  return out + scripts + "</body>\n</html>\n";
}

}  // namespace ulna::internal
