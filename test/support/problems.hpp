// Looking into diagnostics: which problem was reported, of what severity, in which words.
#pragma once

#include <string>
#include <string_view>

#include <ulna/check/check.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/model/model.hpp>

namespace ulna::test {

inline std::string listing(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += to_string(d) + "\n";
  return out.empty() ? "(no diagnostics)\n" : out;
}

/// Is there a diagnostic of this severity about `element` whose text holds `words`?
inline bool reports(const Diagnostics& diagnostics, Severity severity, std::string_view element, std::string_view words) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == severity && to_string(d.element) == element && (d.problem + "; " + d.cure).find(words) != std::string::npos) return true;
  return false;
}

inline Diagnostics problems_of_building(const Description& description) {
  Diagnostics diagnostics("robot.test");
  build(description, diagnostics);
  return diagnostics;
}

inline Diagnostics problems_of_checking(const Description& description, const CheckOptions& options = {}) {
  Diagnostics diagnostics("robot.test");
  const std::optional<Model> model = build(description, diagnostics);
  if (model) check(*model, diagnostics, options);
  return diagnostics;
}

}  // namespace ulna::test

#define EXPECT_REPORTS(diagnostics, severity, element, words) \
  EXPECT_TRUE(::ulna::test::reports(diagnostics, ::ulna::Severity::severity, element, words)) << ::ulna::test::listing(diagnostics)
