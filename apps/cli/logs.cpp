#include "logs.hpp"

#include <cmath>
#include <cstdio>

#include "model_options.hpp"

namespace ulna::cli {

void tell(const std::vector<Diagnostic>& problems) {
  constexpr std::size_t kMostPrinted = 20;
  for (std::size_t k = 0; k < problems.size() && k < kMostPrinted; ++k) std::fprintf(stderr, "%s\n", to_string(problems[k]).c_str());
}

void tell(const std::vector<Finding>& findings) {
  for (const Finding& one : findings) {
    const char* const level = one.severity == Severity::error ? "error" : one.severity == Severity::warning ? "warning" : "note";
    std::fprintf(stderr, "ulna: %s: %s\n", level, to_string(one).c_str());
  }
}

std::vector<Log> read_logs(const std::vector<std::string>& paths, const Model& model, const LogOptions& options) {
  std::vector<Log> logs;
  bool refused = false;
  for (const std::string& path : paths) {
    Diagnostics problems(path);
    std::optional<Log> log = read_log(path, model, problems, options);
    tell(problems.all());
    refused = refused || !log;
    if (log) logs.push_back(*std::move(log));
  }
  if (refused) throw ModelRefused{};
  return logs;
}

std::string percent(double part) {
  if (std::isnan(part)) return "-";  // nothing to compare with
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * part);
  return text;
}

}  // namespace ulna::cli
