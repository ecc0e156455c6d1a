#include <ulna/model/diagnostics.hpp>

#include <algorithm>
#include <tuple>

#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::string_view to_string(ElementKind kind) {
  static constexpr std::string_view kTexts[] = {"", "robot", "link", "joint", "transmission", "lock", "column"};
  return kTexts[static_cast<std::size_t>(kind)];
}

Element Element::with(std::string_view more) const {
  Element whole = *this;
  whole.part += cat(part.empty() ? "" : " ", more);
  return whole;
}

std::string to_string(const Element& element) {
  if (element.kind == ElementKind::other) return element.part;
  return cat(to_string(element.kind), " ", in_quotes(element.name), element.part.empty() ? "" : " ", element.part);
}

std::string to_string(const Diagnostic& d) {
  std::string out = visible(d.file);
  if (d.line > 0) out += cat(":", d.line);
  if (!out.empty()) out += ": ";
  out += d.severity == Severity::error ? "error: " : d.severity == Severity::warning ? "warning: " : "note: ";
  if (!d.element.empty()) out += cat(to_string(d.element), ": ");
  out += d.problem;
  if (!d.cure.empty()) out += cat("; ", d.cure);
  if (!d.chain.empty()) out += cat(" (", d.chain, ")");
  return out;
}

// Messages contain text from files, not always in quotes: a parser may cite it. So control characters are made visible here.
void Diagnostics::add(Severity severity, Kind kind, int line, Element element, const std::string& problem, const std::string& cure) {
  element.part = visible(element.part);
  all_.push_back({severity, kind, file_, line, std::move(element), visible(problem), visible(cure), false, {}});
}

void Diagnostics::note(int line, Element element, const std::string& problem, const std::string& cure) {
  add(Severity::note, Kind::structural, line, std::move(element), problem, cure);
}

void Diagnostics::warning(int line, Element element, const std::string& problem, const std::string& cure) {
  add(Severity::warning, Kind::structural, line, std::move(element), problem, cure);
}

void Diagnostics::error(int line, Element element, const std::string& problem, const std::string& cure) {
  add(Severity::error, Kind::structural, line, std::move(element), problem, cure);
}

void Diagnostics::physical(bool tolerated, int line, Element element, const std::string& problem, const std::string& cure) {
  add(tolerated ? Severity::warning : Severity::error, Kind::physical, line, std::move(element), problem, cure);
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
  // Files that this one includes come after it, each by itself.
  const auto place = [&](const Diagnostic& d) { return std::tuple<bool, std::string_view, int>(d.file != file_, d.file, d.line); };
  std::stable_sort(all_.begin(), all_.end(), [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
}

void Diagnostics::append(const Diagnostics& other) { all_.insert(all_.end(), other.all_.begin(), other.all_.end()); }

void Diagnostics::append(Diagnostic one) {
  one.element.part = visible(one.element.part);
  one.problem = visible(one.problem), one.cure = visible(one.cure), one.chain = visible(one.chain);
  all_.push_back(std::move(one));
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

}  // namespace ULNA_API
