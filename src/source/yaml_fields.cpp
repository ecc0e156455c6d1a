#include "source/yaml_fields.hpp"

#include <algorithm>
#include <unordered_map>

#include "source/source_text.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/parse_number.hpp"
#include "text/quote.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

YamlFields::YamlFields(const YamlNode& mapping, Element element, const std::vector<std::string>& known, Diagnostics& diagnostics)
    : mapping_(mapping), element_(std::move(element)), diagnostics_(diagnostics) {
  check_keys(known);
}

void YamlFields::check_keys(const std::vector<std::string>& known) {
  std::unordered_map<std::string_view, int> first_line;
  for (const YamlNode::Entry& entry : mapping_.entries) {
    if (too_many_problems(entry.line, diagnostics_)) return;
    if (entry.key.empty()) continue;  // reported already
    const auto [found, is_new] = first_line.try_emplace(entry.key, entry.line);
    if (!is_new) {
      diagnostics_.error(entry.line, label(entry.key), cat("this key stands in line ", found->second, " already"), "keep one of them");
      continue;
    }
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::size_t colon = entry.key.find(':');
    std::string cure;
    if (colon != std::string::npos && std::find(known.begin(), known.end(), entry.key.substr(0, colon)) != known.end()) {
      cure = "write a space after the colon";
    } else {
      const std::string hint = nearest(entry.key, known);
      cure = hint.empty() ? cat("the keys here are ", joined(known)) : cat("did you mean ", in_quotes(hint), "?");
    }
    diagnostics_.error(entry.line, element_, cat("unknown key ", in_quotes(entry.key)), std::move(cure));
  }
}

const YamlNode* YamlFields::find(std::string_view key) const {
  for (const YamlNode::Entry& entry : mapping_.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

const YamlNode* YamlFields::require(std::string_view key) {
  const YamlNode* found = find(key);
  if (!found) diagnostics_.error(mapping_.line, element_, cat("the key ", in_quotes(key), " is missing"), cat("add '", key, ": ...'"));
  return found;
}

int YamlFields::line(std::string_view key) const {
  for (const YamlNode::Entry& entry : mapping_.entries)
    if (entry.key == key) return entry.line;
  return mapping_.line;
}

void YamlFields::error(std::string_view key, std::string problem, std::string cure) {
  diagnostics_.error(line(key), label(key), std::move(problem), std::move(cure));
}

void YamlFields::warning(std::string_view key, std::string problem, std::string cure) {
  diagnostics_.warning(line(key), label(key), std::move(problem), std::move(cure));
}

std::optional<double> YamlFields::value(std::string_view key, const YamlNode& node, const std::string& what, Parser parse) {
  if (node.kind == YamlNode::Kind::faulty) return {};
  NumberProblem problem{cat("a number belongs here, not ", describe(node)), "write a number"};
  if (node.kind == YamlNode::Kind::null) problem.problem = "the value is missing";
  if (node.kind == YamlNode::Kind::scalar)
    if (const std::optional<double> result = parse(node.text, problem)) return result;
  diagnostics_.error(node.line > 0 ? node.line : line(key), label(key), cat(what, problem.problem), problem.cure);
  return {};
}

double YamlFields::scalar(std::string_view key, double fallback, Parser parse) {
  const YamlNode* node = find(key);
  return node ? value(key, *node, "", parse).value_or(fallback) : fallback;
}

double YamlFields::number(std::string_view key, double fallback) { return scalar(key, fallback, parse_number); }
double YamlFields::angle(std::string_view key, double fallback) { return scalar(key, fallback, parse_angle); }

double YamlFields::not_negative(std::string_view key, double fallback) {
  const double result = number(key, fallback);
  if (result >= 0) return result;
  error(key, cat(result, " is negative"), "write a positive number, or leave the key out");
  return fallback;
}

std::string YamlFields::word(std::string_view key, std::string fallback) {
  const YamlNode* node = find(key);
  if (!node || node->kind == YamlNode::Kind::faulty) return fallback;
  if (node->kind != YamlNode::Kind::scalar || node->text.empty()) {
    const bool nothing = node->kind == YamlNode::Kind::null || node->kind == YamlNode::Kind::scalar;
    error(key, nothing ? "the value is missing" : cat("a word belongs here, not ", describe(*node)), cat("write '", key, ": word'"));
    return fallback;
  }
  if (!is_utf8(node->text)) {
    error(key, cat(in_quotes(node->text), " is not UTF-8"), "save the file as UTF-8");
    return fallback;
  }
  return node->text;
}

std::string YamlFields::name(std::string_view key, std::string fallback, const ReadLimits& limits) {
  std::string text = word(key, fallback);
  if (has_control_character(text))
    error(key, cat("the name ", in_quotes(text), " holds a control character"), "remove it");
  else if (text.size() > limits.name_bytes)
    error(key, cat("the name ", in_quotes(text), " has ", text.size(), " bytes, more than ", limits.name_bytes), how_to_raise(&ReadLimits::name_bytes));
  else
    return text;
  return fallback;
}

Vec3<double> YamlFields::three(std::string_view key, const Vec3<double>& fallback, Parser parse) {
  const YamlNode* node = find(key);
  if (!node || node->kind == YamlNode::Kind::faulty) return fallback;
  if (node->kind != YamlNode::Kind::sequence) {
    error(key, cat("three numbers belong here, not ", describe(*node)), cat("write '", key, ": [0, 0, 0]'"));
    return fallback;
  }
  if (node->items.size() != 3) {
    error(key, cat("it has ", node->items.size(), node->items.size() == 1 ? " component" : " components", ", but 3 are needed"),
          cat("write '", key, ": [x, y, z]'"));
    return fallback;
  }
  const auto component = [&](std::size_t i) { return value(key, node->items[i], cat("component ", i + 1, ": "), parse); };
  const std::optional<double> x = component(0), y = component(1), z = component(2);
  return x && y && z ? Vec3<double>{*x, *y, *z} : fallback;
}

Vec3<double> YamlFields::vector(std::string_view key, const Vec3<double>& fallback) { return three(key, fallback, parse_number); }
Vec3<double> YamlFields::angle_vector(std::string_view key, const Vec3<double>& fallback) { return three(key, fallback, parse_angle); }

}  // namespace ulna::internal
