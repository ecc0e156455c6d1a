#include "source/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <sstream>
#include <unordered_map>

#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

/// Thrown by the handler to leave yaml-cpp; what is wrong has been reported.
struct Stop {};

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits, bool any)
      : text_(text), diagnostics_(diagnostics), what_(what), deepest_(limits.yaml_depth), any_(any) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { add(node(YamlNode::Kind::null, mark)); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (const auto found = anchored_.find(anchor); any_ && found != anchored_.end()) return add(found->second);
    diagnostics_.error(line(mark), "YAML", "aliases (*name) are not accepted", "write the value out");
    add(node(YamlNode::Kind::faulty, mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    refuse_tag(mark, tag);
    refuse_open_quote(mark);
    YamlNode scalar = node(YamlNode::Kind::scalar, mark);
    scalar.text = value;
    if (any_) scalar.tag = tag;
    if (anchor != 0) keep(anchor, scalar);
    add(std::move(scalar));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node(YamlNode::Kind::sequence, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(node(YamlNode::Kind::mapping, mark), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A sequence or mapping under construction, and the key its next value belongs to.
  struct Level {
    YamlNode node;
    bool has_key = false;
    std::string key;
    int key_line = 0;
    YAML::anchor_t anchor = 0;
  };

  static int line(const YAML::Mark& mark) { return mark.line + 1; }

  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode result;
    result.kind = kind;
    result.line = line(mark);
    result.column = mark.column + 1;
    return result;
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (any_ || tag.empty() || tag == "?" || tag == "!") return;  // what yaml-cpp calls plain and quoted
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

  /// Aliases copy what they name; copies of copies could grow without bound.
  void keep(YAML::anchor_t anchor, const YamlNode& node) {
    constexpr std::size_t kMostAnchored = 100'000;
    const auto size = [](const auto& self, const YamlNode& of) -> std::size_t {
      std::size_t sum = 1;
      for (const YamlNode& item : of.items) sum += self(self, item);
      for (const YamlNode::Entry& entry : of.entries) sum += self(self, entry.value);
      return sum;
    };
    copied_ += size(size, node);
    if (any_ && copied_ > kMostAnchored) {
      diagnostics_.error(node.line, "YAML", cat("what anchors (&name) hold is larger than ", kMostAnchored, " values"), "write the values out");
      throw Stop{};
    }
    if (any_) anchored_[anchor] = node;
  }

  void open(YamlNode collection, YAML::anchor_t anchor) {
    if (levels_.size() == deepest_) {
      diagnostics_.error(collection.line, "YAML", cat("lists and mappings are nested more than ", deepest_, " deep"),
                         cat(what_, " needs five levels at most; ", how_to_raise(&ReadLimits::yaml_depth)));
      throw Stop{};
    }
    levels_.push_back({std::move(collection), false, {}, 0, anchor});
  }

  void close() {
    YamlNode done = std::move(levels_.back().node);
    if (levels_.back().anchor != 0) keep(levels_.back().anchor, done);
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
      if (child.kind == YamlNode::Kind::null) child.line = level.key_line;  // yaml-cpp marks a missing value where it expected it: lines below
      level.node.entries.push_back({std::move(level.key), level.key_line, std::move(child)});
      level.has_key = false;
    }
  }

  void take_key(Level& level, YamlNode& key) {
    const bool is_word = key.kind == YamlNode::Kind::scalar && (any_ || !key.text.empty());
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
  bool any_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  std::size_t copied_ = 0;
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

std::optional<YamlNode> parse(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits, bool any) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  TreeBuilder first(text, diagnostics, what, limits, any);
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
  constexpr std::string_view kNames[] = {"nothing", "a single value", "a list", "a mapping", "unreadable"};
  return kNames[static_cast<std::size_t>(node.kind)];
}

std::optional<YamlNode> read_yaml(std::string_view text, Diagnostics& diagnostics, std::string_view what, const ReadLimits& limits, bool any) {
  if (text.size() > limits.yaml_bytes) {
    diagnostics.error(0, "file", cat(what, " of ", text.size(), " bytes is larger than ", limits.yaml_bytes), how_to_raise(&ReadLimits::yaml_bytes));
    return {};
  }
  if (has_tabs(text, diagnostics)) return {};
  try {
    return parse(text, diagnostics, what, limits, any);
  } catch (const Stop&) {
  } catch (const YAML::Exception& problem) {
    diagnostics.error(problem.mark.line + 1, "YAML", cat("the text is broken here (", problem.msg, ")"),
                      "check the indentation, the space after each colon, and that brackets and quotes are closed");
  } catch (const std::bad_alloc&) {
    throw;                                   // not the file's fault
  } catch (const std::exception& problem) {  // yaml-cpp documents no others; a file must not end the program all the same
    diagnostics.error(0, "YAML", cat("the text cannot be read (", problem.what(), ")"), "check it with a YAML checker");
  }
  return {};
}

std::string hint(std::string_view word, const std::vector<std::string>& known, std::string otherwise) {
  const std::string best = nearest(word, known);
  return best.empty() ? otherwise : cat("did you mean ", in_quotes(best), "?");
}

std::optional<YamlNode> read_yaml_mapping(std::string_view text, Diagnostics& diagnostics, std::string_view what, std::string_view begin,
                                          const ReadLimits& limits, std::string_view give) {
  if (!check_text(text, diagnostics, give)) return {};
  std::optional<YamlNode> root = read_yaml(without_mark(text), diagnostics, what, limits);
  if (!root || root->kind == YamlNode::Kind::mapping) return root;
  diagnostics.error(root->line, "file", cat(what, " is a mapping, but this is ", describe(*root)), cat("begin with ", begin));
  return {};
}

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
      diagnostics_.error(entry.line, label(entry.key), cat("this key is already in line ", found->second), "keep one of them");
      continue;
    }
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::size_t colon = entry.key.find(':');
    const bool joins = colon != std::string::npos && std::find(known.begin(), known.end(), entry.key.substr(0, colon)) != known.end();
    diagnostics_.error(entry.line, element_, cat("unknown key ", in_quotes(entry.key)),
                       joins ? "write a space after the colon" : hint(entry.key, known, cat("the keys here are ", joined(known))));
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
