// A YAML mapping read field by field, with a message for every way a field can be wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/spatial/spatial.hpp>

#include "source/yaml_tree.hpp"

namespace ulna::internal {

class YamlFields {
 public:
  /// Reports unknown and repeated keys. `element` is how messages call the mapping; empty for the top of the file.
  YamlFields(const YamlNode& mapping, Element element, const std::vector<std::string>& known, Diagnostics& diagnostics);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// The first value of a key, or null.
  const YamlNode* find(std::string_view key) const;
  /// The same; a missing key is an error.
  const YamlNode* require(std::string_view key);
  int line(std::string_view key) const;

  // Each returns `fallback` when the key is missing (no error) or its value is wrong (an error).
  double number(std::string_view key, double fallback);
  double angle(std::string_view key, double fallback);
  double not_negative(std::string_view key, double fallback);
  std::string word(std::string_view key, std::string fallback);
  /// A word of one line and not too many bytes.
  std::string name(std::string_view key, std::string fallback, const ReadLimits& limits);
  Vec3<double> vector(std::string_view key, const Vec3<double>& fallback);
  Vec3<double> angle_vector(std::string_view key, const Vec3<double>& fallback);

  void error(std::string_view key, std::string problem, std::string cure);
  void warning(std::string_view key, std::string problem, std::string cure);
  /// How messages call the things named by further keys from here on.
  void rename(Element element) { element_ = std::move(element); }
  const Element& element() const { return element_; }
  Diagnostics& diagnostics() const { return diagnostics_; }
  /// How they call what stands at a key.
  Element label(std::string_view key) const { return element_.with(key); }

 private:
  using Parser = std::optional<double> (*)(std::string_view, struct NumberProblem&);
  void check_keys(const std::vector<std::string>& known);
  double scalar(std::string_view key, double fallback, Parser parse);
  std::optional<double> value(std::string_view key, const YamlNode& node, const std::string& what, Parser parse);
  Vec3<double> three(std::string_view key, const Vec3<double>& fallback, Parser parse);

  const YamlNode& mapping_;
  Element element_;
  Diagnostics& diagnostics_;
};

}  // namespace ulna::internal
