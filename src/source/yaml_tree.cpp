#include "source/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <exception>
#include <sstream>

#include "source/source_text.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

/// Thrown by the handler to leave yaml-cpp; what is wrong has been reported.
struct Stop {};

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits)
      : text_(text), diagnostics_(diagnostics), what_(what), deepest_(limits.yaml_depth) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(node(YamlNode::Kind::null, mark)); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.error(line(mark), "YAML", "aliases (*name) are not accepted", "write the value out");
    add(node(YamlNode::Kind::faulty, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    refuse_tag(mark, tag);
    refuse_open_quote(mark);
    YamlNode scalar = node(YamlNode::Kind::scalar, mark);
    scalar.text = value;
    add(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node(YamlNode::Kind::sequence, mark));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node(YamlNode::Kind::mapping, mark));
  }
  void OnMapEnd() override { close(); }

 private:
  /// A sequence or mapping under construction, and the key its next value belongs to.
  struct Level {
    YamlNode node;
    bool has_key = false;
    std::string key;
    int key_line = 0;
  };

  static int line(const YAML::Mark& mark) { return mark.line + 1; }

  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode result;
    result.kind = kind;
    result.line = line(mark);
    return result;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;  // what yaml-cpp calls plain and quoted
    diagnostics_.error(line(mark), "YAML", cat("tag ", in_quotes(tag), " is not accepted"), "remove the tag");
  }

  /// yaml-cpp takes a quoted text that runs to the end of the file.
  void refuse_open_quote(const YAML::Mark& mark) {
    const auto begin = static_cast<std::size_t>(mark.pos);
    if (mark.pos < 0 || begin >= text_.size() || (text_[begin] != '"' && text_[begin] != '\'')) return;
    const char quote = text_[begin];
    for (std::size_t at = begin + 1; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || at + 1 == text_.size() || text_[at + 1] != quote) return;
        ++at;  // '' inside single quotes
      }
    }
    diagnostics_.error(line(mark), "YAML", "the quote that opens here is never closed", cat("close it with ", quote));
    throw Stop{};
  }

  void open(YamlNode collection) {
    if (levels_.size() == deepest_) {
      diagnostics_.error(collection.line, "YAML", cat("lists and mappings are nested more than ", deepest_, " deep"),
                         cat(what_, " needs five levels at most; ", how_to_raise(&ReadLimits::yaml_depth)));
      throw Stop{};
    }
    levels_.push_back({std::move(collection), false, {}, 0});
  }

  void close() {
    YamlNode done = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(done));
  }

  void add(YamlNode child) {
    if (levels_.empty()) {
      root_ = std::move(child);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == YamlNode::Kind::sequence) {
      level.node.items.push_back(std::move(child));
    } else if (!level.has_key) {
      take_key(level, child);
    } else {
      if (child.kind == YamlNode::Kind::null) child.line = level.key_line;  // yaml-cpp marks a missing value where it looked for it: lines below
      level.node.entries.push_back({std::move(level.key), level.key_line, std::move(child)});
      level.has_key = false;
    }
  }

  void take_key(Level& level, YamlNode& key) {
    const bool is_word = key.kind == YamlNode::Kind::scalar && !key.text.empty();
    if (!is_word && key.kind != YamlNode::Kind::faulty)
      diagnostics_.error(key.line, "YAML", cat("a key must be a word, but this one is ", key.kind == YamlNode::Kind::scalar ? "empty" : describe(key)),
                         "write word: value");
    level.has_key = true;
    level.key = std::move(key.text);  // empty when faulty; readers skip empty keys
    level.key_line = key.line;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::string_view what_;
  std::size_t deepest_;
  std::vector<Level> levels_;
  YamlNode root_;
};

/// YAML forbids tabs in indentation; yaml-cpp's own messages on them point elsewhere.
bool has_tabs(std::string_view text, Diagnostics& diagnostics) {
  bool found = false;
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view indentation = text.substr(at, text.substr(at, end - at).find_first_not_of(" \t-"));
    if (indentation.substr(0, end - at).find('\t') != std::string_view::npos) {
      if (too_many_problems(line, diagnostics)) return true;
      diagnostics.error(line, "YAML", "the line is indented with a tab", "use spaces");
      found = true;
    }
    at = end + 1;
  }
  return found;
}

std::optional<YamlNode> parse(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder first(text, diagnostics, what, limits);
  if (!parser.HandleNextDocument(first)) {
    diagnostics.error(0, "file", "it holds nothing but comments", cat("write ", what));
    return {};
  }
  // Of a second document only its first mark matters.
  struct Watcher : YAML::EventHandler {
    int line = 0;
    void seen(const YAML::Mark& mark) {
      line = mark.line + 1;
      throw Stop{};
    }
    void OnDocumentStart(const YAML::Mark& mark) override { seen(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { seen(mark); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { seen(mark); }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override { seen(mark); }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { seen(mark); }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override { seen(mark); }
    void OnMapEnd() override {}
  } second;
  try {
    parser.HandleNextDocument(second);
  } catch (const Stop&) {
    diagnostics.error(second.line, "YAML", "a second document begins here", "keep one in a file: remove '---' and what follows");
  }
  return first.take_root();
}

}  // namespace

std::string_view describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "a single value";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::mapping: return "a mapping";
    case YamlNode::Kind::faulty: break;
  }
  return "unreadable";
}

std::optional<YamlNode> read_yaml(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits) {
  if (text.size() > limits.yaml_bytes) {
    diagnostics.error(0, "file", cat(what, " of ", text.size(), " bytes is larger than ", limits.yaml_bytes), how_to_raise(&ReadLimits::yaml_bytes));
    return {};
  }
  if (has_tabs(text, diagnostics)) return {};
  try {
    return parse(text, diagnostics, what, limits);
  } catch (const Stop&) {
  } catch (const YAML::Exception& problem) {
    diagnostics.error(problem.mark.line + 1, "YAML", cat("the text is broken here (", problem.msg, ")"),
                      "check the indentation, the space after each colon, and that brackets and quotes are closed");
  } catch (const std::exception& problem) {  // yaml-cpp documents no others; a file must not end the program all the same
    diagnostics.error(0, "YAML", cat("the text cannot be read (", problem.what(), ")"), "check it with a YAML checker");
  }
  return {};
}

}  // namespace ulna::internal
