// Files and texts of speeds.
#include <ulna/formulation/speeds.hpp>

#include <algorithm>
#include <utility>

#include <ulna/source/load.hpp>

#include "source/source_text.hpp"
#include "source/yaml.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr const char* kHow = "begin with 'speeds:' and below it, indented, lines 'u1: v.JOINT'";

void append_definitions(const YamlFields& top, const char* key, bool abbreviations, std::vector<SpeedDefinition>& to) {
  const YamlNode* mapping = top.find(key);
  if (mapping == nullptr) return;
  if (mapping->kind != YamlNode::Kind::mapping) {
    if (mapping->kind != YamlNode::Kind::faulty)
      top.diagnostics().error(mapping->line, key, cat("a mapping of names to expressions, but this is ", describe(*mapping)), kHow);
    return;
  }
  for (const YamlNode::Entry& entry : mapping->entries) {
    if (entry.key.empty() || entry.value.kind == YamlNode::Kind::faulty) continue;
    if (entry.value.kind != YamlNode::Kind::scalar) {
      top.diagnostics().error(entry.line, in_quotes(entry.key), cat("an expression, but this is ", describe(entry.value)),
                              "write v.JOINT, or a sum of such terms");
      continue;
    }
    to.push_back({entry.key, entry.value.text, entry.value.line, entry.value.column, abbreviations});
  }
}

/// "u1 = v.q1, u2 = v.q1 + v.q2".
SpeedDefinitions of_text(const std::string& text) {
  SpeedDefinitions speeds{"--speeds", {}};
  Diagnostics diagnostics(speeds.source);
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size()), equals = text.find('=', from);
    const auto trimmed = [&](std::size_t begin, std::size_t last) {
      begin = std::min(begin, text.size()), last = std::min(last, text.size());
      while (begin < last && text[begin] == ' ') ++begin;
      while (last > begin && text[last - 1] == ' ') --last;
      return std::pair{begin, text.substr(begin, last - begin)};
    };
    const auto [at, name] = trimmed(from, std::min(equals, end));
    const auto [column, expression] = trimmed(std::min(equals, end) + 1, std::max(end, std::min(equals, end) + 1));
    if (equals >= end || name.empty())
      diagnostics.error(1, cat("column ", at + 1), cat(in_quotes(text.substr(at, end - at)), " defines no speed"),
                        "write NAME = EXPRESSION, with commas between");
    else
      speeds.definitions.push_back({name, expression, 1, static_cast<int>(column) + 1, false});
    from = end + 1;
  }
  if (diagnostics.has_errors()) throw SourceError(diagnostics.all());
  return speeds;
}

}  // namespace

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

SpeedDefinitions load_speeds(const std::string& file_or_text) {
  if (file_or_text.find('=') != std::string::npos) return of_text(file_or_text);
  SpeedDefinitions speeds{file_or_text, {}};
  Diagnostics diagnostics(file_or_text);
  const ReadLimits limits;
  if (const std::optional<std::string> text = read_whole(file_or_text, &ReadLimits::yaml_bytes, limits, diagnostics))
    if (const auto root = read_yaml_mapping(*text, diagnostics, "a choice of speeds", "'speeds:'", limits, kHow)) {
      YamlFields top(*root, "", {"speeds", "where", "description"}, diagnostics);
      top.word("description", "");
      top.require("speeds");
      append_definitions(top, "where", true, speeds.definitions);
      append_definitions(top, "speeds", false, speeds.definitions);
    }
  if (diagnostics.has_errors()) throw SourceError(diagnostics.all());
  return speeds;
}

}  // namespace ULNA_API
