#include <ulna/model/diagnostics.hpp>

#include <algorithm>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {

std::string to_string(const Diagnostic& d) {
  std::string out = visible(d.file);
  if (d.line > 0) out += cat(":", d.line);
  if (!out.empty()) out += ": ";
  out += d.severity == Severity::error ? "error: " : d.severity == Severity::warning ? "warning: " : "note: ";
  if (!d.element.empty()) out += cat(d.element, ": ");
  out += d.problem;
  if (!d.cure.empty()) out += cat("; ", d.cure);
  return out;
}

// What files hold goes into messages, and not always in quotes: a parser may cite them. So every text is made visible here.
void Diagnostics::note(int line, std::string element, std::string problem, std::string cure) {
  all_.push_back({Severity::note, Kind::structural, file_, line, visible(element), visible(problem), visible(cure), false});
}

void Diagnostics::warning(int line, std::string element, std::string problem, std::string cure) {
  all_.push_back({Severity::warning, Kind::structural, file_, line, visible(element), visible(problem), visible(cure), false});
}

void Diagnostics::error(int line, std::string element, std::string problem, std::string cure) {
  all_.push_back({Severity::error, Kind::structural, file_, line, visible(element), visible(problem), visible(cure), false});
}

void Diagnostics::physical(bool tolerated, int line, std::string element, std::string problem, std::string cure) {
  const Severity severity = tolerated ? Severity::warning : Severity::error;
  all_.push_back({severity, Kind::physical, file_, line, visible(element), visible(problem), visible(cure), false});
}

std::size_t Diagnostics::override_physical_errors() {
  std::size_t overridden = 0;
  for (Diagnostic& d : all_) {
    if (d.severity != Severity::error || d.kind != Kind::physical) continue;
    d.severity = Severity::warning;
    d.overridden = true;
    ++overridden;
  }
  return overridden;
}

void Diagnostics::sort_by_line() {
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
}

std::size_t Diagnostics::count(Severity severity) const {
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [severity](const Diagnostic& d) { return d.severity == severity; }));
}

namespace {

std::string all_lines(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity == Severity::note) continue;
    if (!out.empty()) out += '\n';
    out += to_string(d);
  }
  return out;
}

}  // namespace

SourceError::SourceError(std::vector<Diagnostic> diagnostics) : std::runtime_error(all_lines(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace ulna
