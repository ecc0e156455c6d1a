// Looking into diagnostics: which problem was reported, of what severity, in which line and words; all are printed when it is not there.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/model/model.hpp>

namespace ulna::test {

inline std::string listing(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) out += to_string(d) + "\n";
  return out.empty() ? "(no diagnostics)\n" : out;
}
inline std::string listing(const Diagnostics& diagnostics) { return listing(diagnostics.all()); }

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

/// Whether a message of that line and severity contains `piece`. Line 0: no line applies.
inline bool has_problem(const std::vector<Diagnostic>& diagnostics, Severity severity, int line, std::string_view piece) {
  for (const Diagnostic& d : diagnostics)
    if (d.severity == severity && d.line == line && to_string(d).find(piece) != std::string::npos) return true;
  return false;
}

inline int count(const std::vector<Diagnostic>& diagnostics, Severity severity) {
  int n = 0;
  for (const Diagnostic& d : diagnostics) n += d.severity == severity ? 1 : 0;
  return n;
}

/// A text and the one message it must give.
struct BadInput {
  std::string_view name;  // of the case
  std::string text;
  int line;
  std::string_view piece;
  Severity severity = Severity::error;
  bool alone = true;  // no other message of this severity
};

inline void expect_problem(const BadInput& bad, const std::vector<Diagnostic>& diagnostics) {
  EXPECT_TRUE(has_problem(diagnostics, bad.severity, bad.line, bad.piece)) << bad.name << ": expected in line " << bad.line << ": " << bad.piece << "\ngot:\n"
                                                                           << listing(diagnostics);
  if (bad.alone) {
    EXPECT_EQ(count(diagnostics, bad.severity), 1) << bad.name << ", got:\n" << listing(diagnostics);
  }
}

/// Every message must have a cause and a cure, and no bytes that disturb a terminal.
inline void expect_well_formed(const std::vector<Diagnostic>& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    EXPECT_FALSE(d.problem.empty()) << to_string(d);
    EXPECT_TRUE(d.severity == Severity::note || !d.cure.empty()) << to_string(d);
    for (const char c : to_string(d)) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << to_string(d);
  }
}

inline std::string repeated(std::string_view piece, int times) {
  std::string out;
  out.reserve(piece.size() * times);
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test's own text has no " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace ulna::test

#define EXPECT_REPORTS(diagnostics, severity, element, words) \
  EXPECT_TRUE(::ulna::test::reports(diagnostics, ::ulna::Severity::severity, element, words)) << ::ulna::test::listing(diagnostics)
