#include "source/xacro.hpp"

#include <glob.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <unordered_map>

#include "source/packages.hpp"
#include "source/xacro_expression.hpp"
#include "source/xacro_yaml.hpp"
#include "source/xml.hpp"
#include "text/message.hpp"
#include "text/words.hpp"
#include "text/xml.hpp"

namespace ulna::internal {

namespace fs = std::filesystem;

/// An element, or a text where it has no name.
struct XacroNode {
  struct Attribute {
    std::string name, value;
    XacroOrigin origin;
  };
  std::string name, text;
  std::vector<Attribute> attributes{};
  std::vector<std::shared_ptr<XacroNode>> children{};
  XacroOrigin origin{};

  const Attribute* attribute(std::string_view wanted) const {
    for (const Attribute& one : attributes)
      if (one.name == wanted) return &one;
    return nullptr;
  }
};

using XacroNodePtr = std::shared_ptr<XacroNode>;

struct XacroMacro {
  struct Parameter {
    std::string name;  // with its stars, of a block
    bool forward = false;
    std::optional<std::string> otherwise;
  };
  std::string name;
  std::vector<Parameter> parameters;
  std::shared_ptr<const XacroNode> body;
};

/// Properties and macros, those of a macro's call in front of those around it.
struct XacroScope {
  struct Property {
    XacroValue value;
    bool lazy = false;       // its text waits for the first use
    bool resolving = false;  // and is being evaluated
    XacroOrigin origin{};
  };
  std::shared_ptr<XacroScope> parent;
  bool is_namespace = false;
  bool evaluates = false;  // that of $(eval), in which arguments are numbers and booleans where they can be
  std::unordered_map<std::string, Property> properties{};
  std::unordered_map<std::string, std::shared_ptr<const XacroMacro>> macros{};
};

namespace {

using Scope = std::shared_ptr<XacroScope>;

/// Thrown to leave the expansion; what is wrong has been reported.
struct XacroStop {};

constexpr std::string_view kTags[] = {"xacro:arg",     "xacro:attribute",    "xacro:call",  "xacro:element",  "xacro:if",
                                      "xacro:include", "xacro:insert_block", "xacro:macro", "xacro:property", "xacro:unless"};

bool is_identifier(std::string_view name) {
  static const std::set<std::string_view> keywords{"False",  "None",     "True",   "and",     "as",   "assert", "break",  "class", "continue", "def",  "del",
                                                   "elif",   "else",     "except", "finally", "for",  "from",   "global", "if",    "import",   "in",   "is",
                                                   "lambda", "nonlocal", "not",    "or",      "pass", "raise",  "return", "try",   "while",    "with", "yield"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80); };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); }) &&
         !keywords.contains(name);
}

/// Where what opens at `at` with ${ or $( closes: the bracket of its own outside of quotes, or where quotes leave none, the first. npos: nowhere.
std::size_t closing_of(std::string_view text, std::size_t at) {
  const char open = text[at + 1], close = open == '{' ? '}' : ')';
  int depth = 0;
  char quote = 0;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      return i;
    }
  }
  return text.find(close, at);
}

/// The first parameter of a macro's list, which is shortened by it.
XacroMacro::Parameter next_parameter(std::string_view& rest) {
  const auto blanks = [](std::string_view text, std::size_t at) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at;
  };
  std::size_t at = 0;
  while (at < rest.size() && !is_space(rest[at]) && rest[at] != ':' && rest[at] != '=') ++at;
  XacroMacro::Parameter out{std::string(rest.substr(0, at)), false, {}};
  std::size_t sign = blanks(rest, at);
  if (sign + 1 < rest.size() && rest[sign] == ':' && rest[sign + 1] == '=') ++sign;
  if (sign >= rest.size() || rest[sign] != '=') {
    at = std::min(rest.find_first_of(" \t\r\n", at), rest.size());
    out.name = rest.substr(0, at);
    rest.remove_prefix(blanks(rest, at));
    return out;
  }
  std::size_t begin = blanks(rest, sign + 1);
  if (begin < rest.size() && rest[begin] == '^') {
    out.forward = true;
    begin += begin + 1 < rest.size() && rest[begin + 1] == '|' ? 2 : 1;
  }
  std::size_t end = begin;
  const auto ended = [&](std::size_t i) { return i >= rest.size() || is_space(rest[i]); };
  if (rest.substr(begin, 2) == "${" || rest.substr(begin, 2) == "$(") {
    const char close = rest[begin + 1] == '{' ? '}' : ')';
    std::size_t i = rest.find(close, begin);
    while (i != std::string_view::npos && !ended(i + 1)) i = rest.find(close, i + 1);
    if (i != std::string_view::npos) end = i + 1;
  }
  if (end == begin)
    while (!ended(end)) {
      const char c = rest[end];
      const std::size_t close = c == '\'' || c == '"' ? rest.find(c, end + 1) : end;
      end = close == std::string_view::npos ? end + 1 : close + 1;
    }
  if (end > begin) out.otherwise = std::string(rest.substr(begin, end - begin));
  rest.remove_prefix(blanks(rest, end));
  return out;
}

class XacroExpander {
 public:
  XacroExpander(const std::string& file, const LoadOptions& options, const ReadIncluded& read_included, Diagnostics& diagnostics)
      : options_(options),
        limits_(options.limits),
        read_included_(read_included),
        diagnostics_(diagnostics),
        packages_(options, read_included ? file : std::string()) {
    for (const auto& [name, value] : options.xacro_args) arguments_[name] = value;
  }

  std::optional<XacroExpansion> expand(std::string_view text, const std::string& file) {
    try {
      const auto source = document(text, file, 0);
      const auto scope = std::make_shared<XacroScope>();
      open_files_.push_back(0);
      XacroNode root{source->name, {}, {}, {}, source->origin};
      bool done = false;
      try {
        quiet_ = true;
        take_attributes(*source, scope, root);
        done = true;
      } catch (const XacroStop&) {  // an argument that the file sets below
      }
      quiet_ = false, nested_ = 0;
      take_children(*source, scope, root);
      if (!done) root.attributes.clear(), take_attributes(*source, scope, root);
      for (const auto& [name, value] : options_.xacro_args)
        if (!used_arguments_.contains(name))
          report(Severity::warning, source->origin, "<xacro:arg>", cat("the file has no argument ", in_quotes(name)),
                 cat("correct the name", did_you_mean(name, {used_arguments_.begin(), used_arguments_.end()})));
      write(root);
      return std::move(out_);
    } catch (const XacroStop&) {
      return {};
    }
  }

 private:
  // Files.

  std::shared_ptr<const XacroNode> document(std::string_view text, const std::string& path, int main_line) {
    const int number = static_cast<int>(out_.files.size());
    out_.files.push_back({path, main_line});
    Diagnostics problems(path);
    std::shared_ptr<XacroNode> root;
    if (check_text(text, problems)) {
      const XmlDocument xml(text, kXacro, problems, limits_);
      if (xml.root()) root = copy(xml, xml.root(), number);
    }
    diagnostics_.append(problems);
    if (!root) throw XacroStop{};
    return root;
  }

  static XacroNodePtr copy(const XmlDocument& xml, const pugi::xml_node& node, int file) {
    auto out = std::make_shared<XacroNode>();
    out->origin = {file, xml.line(node), nullptr};
    if (node.type() != pugi::node_element) {
      out->text = node.value();
      const std::size_t first = std::min(out->text.find_first_not_of(" \t\r\n"), out->text.size());
      out->origin.line += static_cast<int>(std::count(out->text.begin(), out->text.begin() + static_cast<std::ptrdiff_t>(first), '\n'));
      return out;
    }
    out->name = node.name();
    for (const pugi::xml_attribute& attribute : node.attributes())
      out->attributes.push_back({attribute.name(), attribute.value(), {file, xml.line(attribute), nullptr}});
    for (const pugi::xml_node& child : node.children()) out->children.push_back(copy(xml, child, file));
    return out;
  }

  /// As a path of the machine: names of files are relative to the one that is read, else to the one in which they stand.
  std::string absolute(const std::string& name, const XacroOrigin& origin) {
    std::string path = name;
    if (path.rfind("file://", 0) == 0) path.erase(0, 7);
    if (path.rfind("package://", 0) == 0) {
      const std::size_t slash = std::min(path.find('/', 10), path.size());
      path = package(path.substr(10, slash - 10)) + path.substr(slash);
    }
    if (fs::path(path).is_absolute()) return path;
    const auto beside = [&](int file) { return (fs::path(out_.files[static_cast<std::size_t>(file)].path).parent_path() / path).lexically_normal().string(); };
    std::error_code ignored;
    const std::string first = beside(open_files_.back());
    if (origin.file < 0 || fs::exists(first, ignored)) return first;
    const std::string second = beside(origin.file);
    return fs::exists(second, ignored) ? second : first;
  }

  std::string package(const std::string& name) {
    if (const std::optional<std::string> folder = packages_.find(name)) return *folder;
    throw XacroError{
        cat("the package ", in_quotes(name), " is not found"),
        cat("say where it is: --package ", name, "=DIR, or --package-path DIR to search for its package.xml", did_you_mean(name, packages_.names()))};
  }

  /// Paths below the folder in which the program runs are shown without it.
  static std::string shown(const std::string& path) {
    std::error_code failed;
    const fs::path near = fs::path(path).is_absolute() ? fs::proximate(path, failed) : fs::path(path);
    return failed || near.empty() || *near.begin() == ".." ? path : near.string();
  }

  /// Paths often depend on arguments, whose defaults may be placeholders.
  std::string arguments_in_use() const {
    constexpr std::size_t kMost = 12;
    if (used_arguments_.empty() || used_arguments_.size() > kMost) return {};
    return cat(", or set arguments of the file by --xacro-arg NAME:=VALUE; it has ", joined({used_arguments_.begin(), used_arguments_.end()}));
  }

  std::string text_of_file(const std::string& path, std::string_view what) {
    if (!read_included_)
      throw XacroError{cat("the model is a text without a folder, so the ", what, " ", in_quotes(path), " cannot be found"), "load the model from its file"};
    Diagnostics problems(path);
    const std::optional<std::string> text = read_included_(path, problems);
    if (!text)
      throw XacroError{cat("the ", what, " ", in_quotes(path), ": ", problems.all().empty() ? "it cannot be read" : problems.all().front().problem),
                       cat("check the path", arguments_in_use())};
    spend(1, text->size());
    return *text;
  }

  // Messages.

  void report(Severity severity, const XacroOrigin& origin, const std::string& element, const std::string& problem, const std::string& cure) {
    if (quiet_) return;
    const std::size_t file = origin.file < 0 ? 0 : static_cast<std::size_t>(origin.file);
    if (severity != Severity::error && too_many_problems(origin.line, diagnostics_)) throw XacroStop{};
    diagnostics_.append(
        Diagnostic{severity, Kind::structural, out_.files[file].path, origin.line, Element(element), problem, cure, false, out_.chain(origin.call)});
  }

  [[noreturn]] void stop(const XacroOrigin& origin, const std::string& element, const std::string& problem, const std::string& cure) {
    report(Severity::error, origin, element, problem, cure.empty() ? "correct it there" : cure);
    throw XacroStop{};
  }

  void spend(std::size_t steps, std::size_t bytes) {
    steps_ += steps, bytes_ += bytes;
    if (steps_ > limits_.elements) throw XacroError{cat("the expansion takes more than ", limits_.elements, " steps"), how_to_raise(&ReadLimits::elements)};
    if (bytes_ > limits_.file_bytes)
      throw XacroError{cat("the expanded file is larger than ", limits_.file_bytes, " bytes"), how_to_raise(&ReadLimits::file_bytes)};
  }

  /// An element or attribute as it stands in the file, made by the macro that is expanded.
  XacroOrigin here(const XacroOrigin& origin) const { return {origin.file, origin.line, origin.call != nullptr ? origin.call : call_}; }

  // Properties.

  /// The property and the scope that holds it.
  static std::pair<XacroScope::Property*, Scope> lookup(const Scope& scope, const std::string& name) {
    for (Scope at = scope; at; at = at->parent)
      if (const auto found = at->properties.find(name); found != at->properties.end()) return {&found->second, at};
    return {nullptr, nullptr};
  }

  std::optional<XacroValue> property(const Scope& scope, const std::string& name) {
    const auto [found, owner] = lookup(scope, name);
    if (found == nullptr) return {};
    if (found->lazy) {
      if (found->resolving) throw XacroError{cat("the property ", in_quotes(name), " depends on itself"), "use another name, or write lazy_eval=\"false\""};
      constexpr int kDeepest = 200;
      if (resolving_ >= kDeepest) throw XacroError{cat("properties depend on each other more than ", kDeepest, " deep"), "write lazy_eval=\"false\""};
      ++resolving_, found->resolving = true;
      const int nested = std::exchange(nested_, 0);  // in the text of the property, not in that which uses it
      XacroValue value;
      const std::string text = *found->value.as_text();
      const XacroOrigin origin = found->origin;
      try {
        value = literal(evaluate(text, owner, origin));
        nested_ = nested;
      } catch (XacroError& error) {
        --resolving_;
        if (error.problem.size() < 300) error.problem = cat("property ", in_quotes(name), " of ", place(origin), ": ", error.problem);
        if (const auto still = owner->properties.find(name); still != owner->properties.end()) still->second.resolving = false;
        throw;
      }
      --resolving_;
      XacroScope::Property& target = owner->properties[name];  // evaluation may have added others
      target.value = value, target.lazy = target.resolving = false;
      return value;
    }
    return found->value;
  }

  std::string place(const XacroOrigin& origin) const { return cat(out_.files[static_cast<std::size_t>(std::max(origin.file, 0))].path, ":", origin.line); }

  void set(const Scope& scope, const std::string& name, XacroValue value, bool lazy, const XacroOrigin& origin) {
    value = literal(std::move(value));
    const bool text = lazy && value.as_text() != nullptr, waits = text && value.as_text()->find('$') != std::string::npos;
    if (text && !waits) value = literal(std::move(value));  // xacro reads it again at its first use: "'7'" is a number
    scope->properties[name] = {std::move(value), waits, false, origin};
  }

  std::vector<std::string> known_names(const Scope& scope) const {
    std::vector<std::string> out;
    for (Scope at = scope; at; at = at->parent)
      for (const auto& [name, unused] : at->properties)
        if (name[0] != '*' && out.size() < 2000) out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
  }

  // Texts.

  XacroNames names(const Scope& scope, const XacroOrigin& origin) {
    return {[this, scope](const std::string& name) { return property(scope, name); },
            [this](const XacroValue& of, const std::string& name) {
              if (const std::optional<XacroValue> found = property(*of.as<Scope>(), name)) return *found;
              throw XacroError{cat("the namespace has no property ", in_quotes(name)), "check the name"};
            },
            [this, scope, origin](const std::string& name, const std::vector<XacroValue>& arguments) { return reader_call(name, arguments, scope, origin); },
            [this](std::size_t steps, std::size_t bytes) { spend(steps, bytes); }, [this, scope] { return known_names(scope); }};
  }

  /// A text with its ${…} and $(…) replaced; a single one keeps its type.
  XacroValue evaluate(const std::string& text, const Scope& scope, const XacroOrigin& origin) {
    spend(1, text.size());
    if (text.find('$') == std::string::npos) return text;
    std::vector<XacroValue> pieces;
    std::string plain;
    const auto end_plain = [&] {
      if (!plain.empty()) pieces.emplace_back(std::exchange(plain, {}));
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t dollar = std::min(text.find('$', at), text.size());
      plain += text.substr(at, dollar - at);
      at = dollar;
      if (at == text.size()) break;
      const std::size_t after = std::min(text.find_first_not_of('$', at), text.size());
      const bool opens = after < text.size() && (text[after] == '{' || text[after] == '(');
      if (!opens || after - at > 1) {  // $${ stands for ${
        plain += text.substr(opens ? at + 1 : at, opens ? after - at : after - at);
        at = opens ? after + 1 : after;
        continue;
      }
      const std::size_t end = closing_of(text, at);
      if (end == std::string::npos)
        throw XacroError{cat(text.substr(at, 2), " is never closed in ", in_quotes(text)), text[after] == '{' ? "close it with }" : "close it with )"};
      end_plain();
      const std::string inner = text.substr(at + 2, end - at - 2);
      constexpr int kDeepest = 20;
      if (++nested_ > kDeepest) throw XacroError{cat("${ and $( are nested more than ", kDeepest, " deep"), "use a property"};
      const std::string words = evaluate(inner, scope, origin).str();
      --nested_;
      pieces.push_back(text[after] == '{' ? expression(words, scope, origin) : extension(words, scope, origin));
      at = end + 1;
    }
    end_plain();
    if (pieces.size() == 1) {
      spend(0, pieces[0].as_text() ? pieces[0].as_text()->size() : 0);
      return pieces[0];
    }
    std::string out;
    for (const XacroValue& piece : pieces) out += piece.str();
    spend(0, out.size());
    return out;
  }

  XacroValue expression(const std::string& text, const Scope& scope, const XacroOrigin& origin) {
    try {
      return evaluate_expression(text, names(scope, origin));
    } catch (XacroError& error) {
      if (error.problem.size() < 300) error.problem = cat("${", visible(text.substr(0, 120)), text.size() > 120 ? "…" : "", "}: ", error.problem);
      throw;
    }
  }

  std::string argument(const std::string& name) {
    used_arguments_.insert(name);
    const auto found = arguments_.find(name);
    if (found != arguments_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [one, unused] : arguments_) known.push_back(one);
    throw XacroError{cat("the argument ", in_quotes(name), " has no value"), cat("give one: --xacro-arg ", name, ":=VALUE", did_you_mean(name, known))};
  }

  static std::string environment(const std::string& name, const std::optional<std::string>& otherwise) {
    if (const char* value = std::getenv(name.c_str())) return value;
    if (otherwise) return *otherwise;
    throw XacroError{cat("the environment has no variable ", in_quotes(name)), "set it, or write $(optenv NAME default)"};
  }

  std::string folder_of_file() const {
    std::error_code failed;
    const fs::path folder = fs::absolute(fs::path(out_.files[static_cast<std::size_t>(open_files_.back())].path), failed).parent_path();
    return folder.lexically_normal().string();
  }

  XacroValue extension(const std::string& text, const Scope& scope, const XacroOrigin& origin) {
    const std::string_view whole = trimmed(text);
    const std::size_t space = std::min(whole.find_first_of(" \t\r\n"), whole.size());
    const std::string command(whole.substr(0, space)), rest(trimmed(whole.substr(space)));
    const std::size_t word_end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    const std::string word = rest.substr(0, word_end);
    const bool one = !word.empty() && word.size() == rest.size();
    if (command == "eval") {
      const auto inner = std::make_shared<XacroScope>();
      set(inner, "true", true, false, origin), set(inner, "false", false, false, origin);
      for (const auto& [name, value] : arguments_) {
        if (is_identifier(name)) set(inner, name, value, false, origin);
        used_arguments_.insert(name);
      }
      inner->parent = scope, inner->evaluates = true;
      return expression(rest, inner, origin);
    }
    if (command == "arg" && one) return argument(word);
    if (command == "find" && one) return package(word);
    if (command == "env" && one) return environment(word, {});
    if (command == "optenv" && !word.empty()) return environment(word, std::string(trimmed(std::string_view(rest).substr(word_end))));
    if (command == "dirname" && rest.empty()) return folder_of_file();
    if (command == "cwd" && rest.empty()) return fs::current_path().string();
    const bool known = command == "arg" || command == "find" || command == "env" || command == "optenv" || command == "dirname" || command == "cwd";
    throw XacroError{known ? cat("$(", whole, ") does not have the words that ", command, " takes") : cat("$(", whole, ") is unknown"),
                     known ? cat("write $(", command,
                                 command == "dirname" || command == "cwd" ? ")"
                                 : command == "optenv"                    ? " NAME default)"
                                                                          : " NAME)")
                           : cat("$(arg), $(find), $(env), $(optenv), $(eval) and $(dirname) are there",
                                 did_you_mean(command, {"arg", "find", "env", "optenv", "eval", "dirname"}))};
  }

  // Functions that need the file.

  std::optional<XacroValue> reader_call(const std::string& name, const std::vector<XacroValue>& a, const Scope& scope, const XacroOrigin& origin) {
    const auto text = [&](std::size_t i) -> const std::string& {
      if (i < a.size() && a[i].as_text()) return *a[i].as_text();
      throw XacroError{cat(name, "() takes a text, not ", i < a.size() ? a[i].type() : "nothing"), ""};
    };
    if (name == "load_yaml") return load_yaml(text(0), scope, origin);
    if (name == "abs_filename") return absolute(text(0), origin);
    if (name == "dotify" && a.size() == 1) return a[0];
    if (name == "arg") return scope->evaluates ? literal(argument(text(0))) : XacroValue(argument(text(0)));
    if (name == "find") return package(text(0));
    if (name == "env") return environment(text(0), {});
    if (name == "optenv") return environment(text(0), a.size() > 1 ? text(1) : std::string());
    if (name == "dirname") return folder_of_file();
    if (name == "print_location") return std::string();
    if (name == "tokenize") {
      const std::string by = a.size() > 1 ? text(1) : ",; ";
      const bool skip_empty = a.size() < 3 || a[2].truth();
      std::vector<XacroValue> out;
      const std::string& whole = text(0);
      for (std::size_t at = 0; at <= whole.size();) {
        const std::size_t end = std::min(whole.find_first_of(by, at), whole.size());
        if (end > at || !skip_empty) out.emplace_back(whole.substr(at, end - at));
        at = end + 1;
      }
      return XacroValue::list(std::move(out));
    }
    if (name == "message" || name == "warning" || name == "error" || name == "fatal") {
      std::string said;
      for (const XacroValue& one : a) said += cat(said.empty() ? "" : " ", one.str());
      if (name == "fatal") throw XacroError{cat("the file stops with: ", said), "choose arguments that the file accepts"};
      report(name == "message" ? Severity::note : Severity::warning, here(origin), cat("xacro.", name), cat("the file says: ", said),
             "it is a message of the file itself");
      return std::string();
    }
    return {};
  }

  XacroValue load_yaml(const std::string& name, const Scope&, const XacroOrigin& origin) {
    const std::string path = absolute(name, origin);
    if (const auto known = yaml_.find(path); known != yaml_.end()) return known->second;
    const std::string text = text_of_file(path, "YAML file");
    Diagnostics problems(path);
    const std::optional<YamlNode> tree = read_yaml(without_mark(text), problems, "a YAML file", limits_, true);
    for (const Diagnostic& d : problems.all())
      if (d.severity == Severity::error)
        throw XacroError{cat("the YAML file ", in_quotes(path), d.line > 0 ? cat(", line ", d.line) : "", ": ", d.problem), d.cure};
    if (!tree || (tree->kind != YamlNode::Kind::mapping && tree->kind != YamlNode::Kind::sequence))
      throw XacroError{cat("the YAML file ", in_quotes(path), " is ", tree ? describe(*tree) : "empty", ", and a mapping or a list belongs there"),
                       "begin with key: value"};
    XacroValue value;
    try {
      value = yaml_value(*tree, names(std::make_shared<XacroScope>(), origin));
    } catch (XacroError& error) {
      error.problem = cat("the YAML file ", in_quotes(path), ": ", error.problem);
      throw;
    }
    yaml_[path] = value;
    return value;
  }

  // Elements.

  std::string text_attribute(const XacroNode& node, std::string_view name, const Scope& scope) {
    const XacroNode::Attribute* found = node.attribute(name);
    if (found == nullptr) throw XacroError{cat("attribute ", in_quotes(name), " is missing"), cat("write <", node.name, " ", name, "=\"...\">")};
    return evaluate(found->value, scope, here(found->origin)).str();
  }

  void expect(const XacroNode& node, std::initializer_list<std::string_view> known) {
    for (const XacroNode::Attribute& attribute : node.attributes)
      if (std::find(known.begin(), known.end(), attribute.name) == known.end() && attribute.name.rfind("xmlns:", 0) != 0)
        report(Severity::warning, here(attribute.origin), tag_text(node.name), cat("attribute ", in_quotes(attribute.name), " is unknown and ignored"),
               cat("remove it", did_you_mean(attribute.name, {known.begin(), known.end()})));
  }

  void take_attributes(const XacroNode& source, const Scope& scope, XacroNode& target) {
    for (const XacroNode::Attribute& attribute : source.attributes) {
      if (attribute.name.rfind("xacro:", 0) == 0 || attribute.name == "xmlns:xacro") continue;
      guarded(here(attribute.origin), source, [&] {
        target.attributes.push_back({attribute.name, evaluate(attribute.value, scope, here(attribute.origin)).str(), here(attribute.origin)});
      });
    }
  }

  /// An error of an expression is reported where it stands.
  template <class Act>
  void guarded(const XacroOrigin& origin, const XacroNode& node, const Act& act) {
    try {
      act();
    } catch (const XacroError& error) {
      stop(origin, tag_text(node.name.empty() ? "text" : node.name), error.problem, error.cure);
    }
  }

  void take_children(const XacroNode& source, const Scope& scope, XacroNode& target) {
    for (const XacroNodePtr& child : source.children) take(*child, scope, target);
  }

  void take(const XacroNode& node, const Scope& scope, XacroNode& target) {
    constexpr int kDeepest = 1000;
    const XacroOrigin origin = here(node.origin);
    if (++depth_ > kDeepest)
      stop(origin, tag_text(node.name), cat("elements and macros are nested more than ", kDeepest, " deep"), "does a block insert itself?");
    guarded(origin, node, [&] {
      spend(1, 0);
      if (node.name.empty())
        take_text(node, scope, target);
      else if (node.name.rfind("xacro:", 0) == 0)
        take_xacro(node, scope, target, origin);
      else
        take_element(node, node.name, scope, target, origin);
    });
    --depth_;
  }

  void take_text(const XacroNode& node, const Scope& scope, XacroNode& target) {
    std::string text = evaluate(node.text, scope, here(node.origin)).str();
    if (trimmed(text).empty()) return;
    auto out = std::make_shared<XacroNode>();
    out->text = std::move(text), out->origin = here(node.origin);
    target.children.push_back(std::move(out));
  }

  void take_element(const XacroNode& node, const std::string& name, const Scope& scope, XacroNode& target, const XacroOrigin& origin) {
    auto out = std::make_shared<XacroNode>();
    out->name = name, out->origin = origin;
    take_attributes(node, scope, *out);
    take_children(node, scope, *out);
    target.children.push_back(std::move(out));
  }

  void take_xacro(const XacroNode& node, const Scope& scope, XacroNode& target, const XacroOrigin& origin) {
    const std::string& name = node.name;
    if (name == "xacro:property") return take_property(node, scope, origin);
    if (name == "xacro:macro") return take_macro(node, scope);
    if (name == "xacro:include") return take_include(node, scope, target, origin);
    if (name == "xacro:insert_block") return insert_block(node, scope, target);
    if (name == "xacro:arg") {
      expect(node, {"name", "default"});
      const std::string argument = text_attribute(node, "name", scope);
      used_arguments_.insert(argument);
      if (!arguments_.contains(argument) && node.attribute("default")) arguments_[argument] = text_attribute(node, "default", scope);
      return;
    }
    if (name == "xacro:if" || name == "xacro:unless") {
      expect(node, {"value"});
      const XacroNode::Attribute* value = node.attribute("value");
      if (value == nullptr) throw XacroError{"attribute 'value' is missing", cat("write <", name, " value=\"...\">")};
      bool holds = false;
      guarded(here(value->origin), node, [&] { holds = condition(evaluate(value->value, scope, here(value->origin)), value->value); });
      if (holds == (name == "xacro:if")) take_children(node, scope, target);
      return;
    }
    if (name == "xacro:element") {
      XacroNode renamed = node;
      renamed.name = text_attribute(node, "xacro:name", scope);
      if (renamed.name.empty()) throw XacroError{"the name of the element is empty", "write a name"};
      std::erase_if(renamed.attributes, [](const XacroNode::Attribute& attribute) { return attribute.name == "xacro:name"; });
      return take(renamed, scope, target);
    }
    if (name == "xacro:attribute") {
      const std::string attribute = text_attribute(node, "name", scope), value = text_attribute(node, "value", scope);
      if (attribute.empty()) throw XacroError{"the name of the attribute is empty", "write a name"};
      std::erase_if(target.attributes, [&](const XacroNode::Attribute& known) { return known.name == attribute; });
      target.attributes.push_back({attribute, value, origin});
      return;
    }
    if (name == "xacro:call") {
      XacroNode renamed = node;
      renamed.name = cat("xacro:", text_attribute(node, "macro", scope));
      std::erase_if(renamed.attributes, [](const XacroNode::Attribute& attribute) { return attribute.name == "macro"; });
      return call_macro(renamed, scope, target, origin);
    }
    call_macro(node, scope, target, origin);
  }

  void take_property(const XacroNode& node, const Scope& scope, const XacroOrigin& origin) {
    expect(node, {"name", "value", "default", "remove", "scope", "lazy_eval"});
    std::string name = text_attribute(node, "name", scope);
    if (!is_identifier(name) || name.rfind("__", 0) == 0)
      throw XacroError{cat("the name ", in_quotes(name), " cannot stand in an expression"), "write letters, digits and _"};
    const auto flag = [&](std::string_view attribute, bool otherwise) {
      return node.attribute(attribute) ? condition(evaluate(node.attribute(attribute)->value, scope, origin), node.attribute(attribute)->value) : otherwise;
    };
    const XacroNode::Attribute *value = node.attribute("value"), *otherwise = node.attribute("default");
    const bool remove = flag("remove", false);
    if ((value != nullptr) + (otherwise != nullptr) + remove > 1)
      throw XacroError{cat("the property ", in_quotes(name), " has several of value, default and remove"), "keep one of them"};
    if (remove) {
      for (Scope at = scope; at; at = at->parent) at->properties.erase(name), at->properties.erase("**" + name);
      return;
    }
    if (otherwise != nullptr) {
      if (lookup(scope, name).first != nullptr) return;
      value = otherwise;
    }
    bool lazy = flag("lazy_eval", true);
    Scope target = scope;
    const std::string where = node.attribute("scope") ? node.attribute("scope")->value : "";
    if (where == "global") {
      while (target->parent) target = target->parent;
      lazy = false;
    } else if (where == "parent") {
      if (!scope->parent) {
        report(Severity::warning, origin, tag_text(node.name), "scope is parent, and it stands in no macro", "remove scope");
        return;
      }
      target = scope->parent;
      while (!scope->is_namespace && target->is_namespace && target->parent) target = target->parent;
      lazy = false;
    } else if (!where.empty() && where != "local") {
      throw XacroError{cat("scope is ", in_quotes(where)), "write parent or global"};
    }
    if (value == nullptr) {
      target->properties["**" + name] = {std::shared_ptr<const XacroNode>(std::make_shared<XacroNode>(node)), false, false, origin};
      return;
    }
    const XacroOrigin at = here(value->origin);
    guarded(at, node, [&] { set(target, name, lazy ? XacroValue(value->value) : evaluate(value->value, scope, at), lazy, at); });
  }

  void take_macro(const XacroNode& node, const Scope& scope) {
    expect(node, {"name", "params"});
    const XacroNode::Attribute* name = node.attribute("name");
    if (name == nullptr || name->value.empty()) throw XacroError{"the macro has no name", "write <xacro:macro name=\"...\">"};
    auto macro = std::make_shared<XacroMacro>();
    macro->name = name->value.rfind("xacro:", 0) == 0 ? name->value.substr(6) : name->value;
    if (macro->name == "call" || macro->name.find('.') != std::string::npos)
      throw XacroError{cat("a macro cannot be called ", in_quotes(macro->name)), "choose another name"};
    macro->body = std::make_shared<XacroNode>(node);
    if (const XacroNode::Attribute* params = node.attribute("params")) {
      std::string_view rest = trimmed(params->value);
      while (!rest.empty()) {
        macro->parameters.push_back(next_parameter(rest));
        if (macro->parameters.back().name.empty())
          throw XacroError{cat("the parameters ", in_quotes(params->value), " cannot be read"), "write params=\"name other:=default *block\""};
      }
    }
    scope->macros[macro->name] = std::move(macro);
  }

  struct FoundMacro {
    std::shared_ptr<const XacroMacro> macro;
    Scope scope;  // in which its body is expanded
  };

  static std::shared_ptr<const XacroMacro> macro_in(const Scope& scope, const std::string& name) {
    for (Scope at = scope; at; at = at->parent)
      if (const auto found = at->macros.find(name); found != at->macros.end()) return found->second;
    return nullptr;
  }

  FoundMacro macro_named(const Scope& scope, const std::string& name) {
    if (auto found = macro_in(scope, name)) return {found, scope};
    Scope at = scope;
    std::string rest = name;
    for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
      const auto found = lookup(at, rest.substr(0, dot)).first;
      const Scope* inner = found == nullptr ? nullptr : found->value.as<Scope>();
      if (inner == nullptr) break;
      at = *inner;
      rest.erase(0, dot + 1);
    }
    if (rest != name)
      if (auto found = macro_in(at, rest)) return {found, at};
    std::set<std::string> known;
    for (const std::string_view tag : kTags) known.emplace(tag.substr(6));
    for (Scope s = scope; s; s = s->parent)
      for (const auto& [one, unused] : s->macros) known.insert(one);
    throw XacroError{cat("there is no macro ", in_quotes(name)),
                     cat("define or include it before its first use", did_you_mean(name, {known.begin(), known.end()}))};
  }

  void call_macro(const XacroNode& node, const Scope& scope, XacroNode& target, const XacroOrigin& origin) {
    const FoundMacro found = macro_named(scope, node.name.substr(6));
    const XacroMacro& macro = *found.macro;
    constexpr int kMostNested = 250;
    if (macros_ >= kMostNested)
      throw XacroError{cat("macros call each other more than ", kMostNested, " deep",
                           call_ != nullptr && call_->macro == macro.name ? cat(": ", in_quotes(macro.name), " calls itself") : ""),
                       "end the recursion by <xacro:if>"};
    const auto inside = std::make_shared<XacroScope>();
    inside->parent = found.scope;
    std::vector<const XacroMacro::Parameter*> left;
    for (const XacroMacro::Parameter& parameter : macro.parameters) left.push_back(&parameter);
    const auto take_out = [&](const std::string& name) {
      const auto at = std::find_if(left.begin(), left.end(), [&](const XacroMacro::Parameter* one) { return one->name == name; });
      if (at == left.end()) return false;
      left.erase(at);
      return true;
    };
    for (const XacroNode::Attribute& attribute : node.attributes) {
      if (attribute.name.rfind("xmlns:", 0) == 0) continue;
      guarded(here(attribute.origin), node, [&] {
        if (!take_out(attribute.name)) {
          std::vector<std::string> names = names_of(macro.parameters, &XacroMacro::Parameter::name);
          throw XacroError{cat("the macro ", in_quotes(macro.name), " has no parameter ", in_quotes(attribute.name)),
                           cat("remove it", did_you_mean(attribute.name, names, names.empty() ? std::string() : cat("; there are ", joined(names))))};
        }
        set(inside, attribute.name, evaluate(attribute.value, scope, here(attribute.origin)), false, here(attribute.origin));
      });
    }
    XacroNode content;
    take_children(node, scope, content);
    std::erase_if(content.children, [](const XacroNodePtr& child) { return child->name.empty(); });
    std::size_t next = 0;
    for (const XacroMacro::Parameter& parameter : macro.parameters) {
      if (parameter.name[0] != '*') continue;
      if (next == content.children.size())
        throw XacroError{cat("the macro ", in_quotes(macro.name), " needs a block ", in_quotes(parameter.name)), "write an element between its tags"};
      inside->properties[parameter.name] = {std::shared_ptr<const XacroNode>(content.children[next++]), false, false, origin};
      take_out(parameter.name);
    }
    if (next < content.children.size())
      throw XacroError{cat("the macro ", in_quotes(macro.name), " takes no block ", tag_text(content.children[next]->name)),
                       "remove it, or add a parameter *block"};
    std::vector<std::string> missing;
    for (const XacroMacro::Parameter* parameter : left) {
      if (parameter->forward)
        if (std::optional<XacroValue> value = property(scope, parameter->name)) {
          set(inside, parameter->name, *std::move(value), false, origin);
          continue;
        }
      if (parameter->otherwise)
        set(inside, parameter->name, evaluate(*parameter->otherwise, scope, origin), false, origin);
      else if (parameter->forward)
        throw XacroError{cat("the macro ", in_quotes(macro.name), " takes ", in_quotes(parameter->name), " from around it, where there is none"),
                         "define that property, or give the parameter"};
      else
        missing.push_back(parameter->name);
    }
    if (!missing.empty())
      throw XacroError{cat("the macro ", in_quotes(macro.name), " needs ", listed(missing, "and")), cat("write ", missing.front(), "=\"...\"")};
    out_.calls.push_back({macro.name, origin.file, origin.line, origin.call});
    const XacroCall* const before = std::exchange(call_, &out_.calls.back());
    ++macros_;
    take_children(*macro.body, inside, target);
    --macros_;
    call_ = before;
  }

  void insert_block(const XacroNode& node, const Scope& scope, XacroNode& target) {
    expect(node, {"name"});
    const std::string name = text_attribute(node, "name", scope);
    for (const std::string_view stars : {"**", "*"}) {
      const auto found = lookup(scope, cat(stars, name)).first;
      if (found == nullptr) continue;
      const auto block = *found->value.as<std::shared_ptr<const XacroNode>>();
      return stars == "**" ? take_children(*block, scope, target) : take(*block, scope, target);
    }
    std::vector<std::string> known;
    for (Scope at = scope; at; at = at->parent)
      for (const auto& [one, unused] : at->properties)
        if (one[0] == '*') known.push_back(one.substr(one.find_first_not_of('*')));
    throw XacroError{cat("there is no block ", in_quotes(name)), cat("add a parameter *", name, " to the macro", did_you_mean(name, known))};
  }

  void take_include(const XacroNode& node, const Scope& scope, XacroNode& target, const XacroOrigin& origin) {
    expect(node, {"filename", "ns", "optional"});
    const std::string wanted = text_attribute(node, "filename", scope), path = absolute(wanted, origin);
    const bool optional =
        node.attribute("optional") && condition(evaluate(node.attribute("optional")->value, scope, origin), node.attribute("optional")->value);
    Scope inside = scope;
    if (node.attribute("ns")) {
      inside = std::make_shared<XacroScope>();
      inside->parent = scope, inside->is_namespace = true;
      scope->properties[text_attribute(node, "ns", scope)] = {inside, false, false, origin};
    }
    std::vector<std::string> paths{path};
    if (path.find_first_of("*?[") != std::string::npos && read_included_) {
      glob_t found{};
      paths.clear();
      if (glob(path.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
      globfree(&found);
      if (paths.empty() && !optional) report(Severity::warning, origin, tag_text(node.name), cat("no file is called ", in_quotes(wanted)), "check the pattern");
    }
    for (const std::string& one : paths) {
      const std::string name = shown(fs::path(one).lexically_normal().string());
      std::error_code ignored;
      if (optional && !fs::exists(one, ignored)) continue;
      for (const int open : open_files_)
        if (out_.files[static_cast<std::size_t>(open)].path == name || (open == 0 && shown(fs::path(out_.files[0].path).lexically_normal().string()) == name))
          throw XacroError{cat("the file ", in_quotes(name), " includes itself"), "remove one of the includes"};
      const auto [known, is_new] = documents_.try_emplace(name);
      if (is_new) {
        const std::string text = text_of_file(one, "included file");
        const int number = static_cast<int>(out_.files.size());
        known->second = {document(text, name, out_.main_line(origin)), number};
      }
      open_files_.push_back(known->second.second);
      const std::shared_ptr<const XacroNode> root = known->second.first;
      take_children(*root, inside, target);
      open_files_.pop_back();
    }
  }

  // The expanded text: a line for each place that it comes from.

  void end_line(const XacroOrigin& origin) {
    out_.text += '\n';
    out_.lines.push_back(origin);
  }

  void write(const XacroNode& node) {
    if (node.name.empty()) {
      const std::string text = xml_text(trimmed(node.text));
      out_.text += text;
      for (std::size_t i = 0; i <= static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); ++i) out_.lines.push_back(node.origin);
      out_.text += '\n';
      return;
    }
    out_.text += cat("<", node.name);
    XacroOrigin at = node.origin;
    for (const XacroNode::Attribute& attribute : node.attributes) {
      if (attribute.origin.file != at.file || attribute.origin.line != at.line || attribute.origin.call != at.call) {
        end_line(at);
        at = attribute.origin;
      }
      std::string value = xml_text(attribute.value);
      std::replace_if(value.begin(), value.end(), is_space, ' ');  // a line end would shift the lines below
      out_.text += cat(" ", attribute.name, "=\"", value, "\"");
    }
    out_.text += node.children.empty() ? "/>" : ">";
    end_line(at);
    if (node.children.empty()) return;
    for (const XacroNodePtr& child : node.children) write(*child);
    out_.text += cat("</", node.name, ">");
    end_line(node.origin);
  }

  const LoadOptions& options_;
  const ReadLimits& limits_;
  const ReadIncluded& read_included_;
  Diagnostics& diagnostics_;
  Packages packages_;
  XacroExpansion out_;
  std::map<std::string, std::string> arguments_;
  std::set<std::string> used_arguments_;
  std::map<std::string, std::pair<std::shared_ptr<const XacroNode>, int>> documents_;
  std::map<std::string, XacroValue> yaml_;
  std::vector<int> open_files_;      // that are read, the innermost last
  const XacroCall* call_ = nullptr;  // that is expanded
  int macros_ = 0, depth_ = 0, resolving_ = 0, nested_ = 0;
  std::size_t steps_ = 0, bytes_ = 0;
  bool quiet_ = false;
};

}  // namespace

bool is_xacro(std::string_view text, std::string_view file) { return file.ends_with(".xacro") || text.find("xacro:") != std::string_view::npos; }

std::optional<XacroExpansion> expand_xacro(std::string_view text, const std::string& file, const LoadOptions& options, const ReadIncluded& read_included,
                                           Diagnostics& diagnostics) {
  return XacroExpander(file, options, read_included, diagnostics).expand(text, file);
}

}  // namespace ulna::internal
