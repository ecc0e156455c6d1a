// YAML text as a small tree with line numbers. yaml-cpp's own nodes hide duplicate keys, follow aliases and take unclosed quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

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
  std::string text;             // of a scalar
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

/// The one document of a text, or nothing after an error. Aliases, tags, keys that are no text, tabs and a second document are errors.
/// `what` is how messages call the file: "a DH table".
std::optional<YamlNode> read_yaml(std::string_view text, Diagnostics& diagnostics, std::string_view what = "a DH table", const ReadLimits& limits = {});

}  // namespace ulna::internal
