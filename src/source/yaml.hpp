// YAML text as a small tree with line numbers. yaml-cpp's own nodes hide duplicate keys, follow aliases and take unclosed quotes. Mappings are read
// field by field, with a message for every way a field can be wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

#include "source/source_text.hpp"

namespace ulna::internal {

struct YamlNode {
  enum class Kind {
    null,
    scalar,
    sequence,
    mapping,
    faulty  // reported already: say nothing more about it
  };
  struct Entry;

  Kind kind = Kind::null;
  int line = 0;
  int column = 0;               // of its first character
  std::string text;             // of a scalar
  std::string tag;              // "!degrees"; "!" of a quoted scalar; where any content is read
  std::vector<YamlNode> items;  // of a sequence
  std::vector<Entry> entries;   // of a mapping, as written: keys may repeat
};

struct YamlNode::Entry {
  std::string key;
  int line = 0;
  YamlNode value;
};

/// "a list", "a text", "nothing": for messages.
std::string_view describe(const YamlNode& node);

/// The cure of a word that is not among those that are known: "did you mean 'x'?", or `otherwise`.
std::string hint(std::string_view word, const std::vector<std::string>& known, std::string otherwise);

/// The one document of a text, or nothing after an error. Aliases, tags, keys that are no text, tabs and a second document are errors.
/// `what` is how messages call the file: "a DH table".
/// `any`: aliases, tags and keys of any text are accepted, as in files of other programs.
std::optional<YamlNode> read_yaml(std::string_view text, Diagnostics& diagnostics, std::string_view what = "a DH table", const ReadLimits& limits = {},
                                  bool any = false);
/// The same of a file that is a mapping: all else is an error. `begin` is how such a file begins, `give` what to give in place of an empty one.
std::optional<YamlNode> read_yaml_mapping(std::string_view text, Diagnostics& diagnostics, std::string_view what, std::string_view begin,
                                          const ReadLimits& limits, std::string_view give = kModelFiles);

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
