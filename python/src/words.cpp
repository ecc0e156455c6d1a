#include "words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ulna::python {

namespace {

using Phrase = std::pair<std::string_view, std::string_view>;

/// What is not an argument of the same name.
constexpr std::array kPhrases{
    Phrase{"'ulna simulate --list'", "ulna.scenarios()"},
    Phrase{"'ulna identify --out DIR'", "ulna.identify()"},
    Phrase{"'ulna convert MODEL --to urdf'", "ulna.load(MODEL).to_urdf()"},
    Phrase{"'ulna campaign SPEC --only K --scenario FILE'", "ulna.campaign_run(SPEC, K, FILE)"},
    Phrase{" (IdentifyOptions::without, without= in Python)", ""},
    Phrase{" (LoadOptions::loops)", ""},
    Phrase{" (LoadOptions::base)", ""},
    Phrase{" (LoadOptions::locks)", ""},
};
constexpr std::array kNames{Phrase{"for", "target"}, Phrase{"package", "packages"}, Phrase{"package-path", "package_paths"}, Phrase{"xacro-arg", "xacro_args"}};
constexpr std::array<std::string_view, 3> kFlags{"unchecked", "resume", "force"}, kLists{"without", "lock", "independent"};
constexpr std::array<std::string_view, 5> kWords{"base", "for", "loops", "mimic", "quantity"};  // whose values are words

template <class List, class Item>
bool has(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

/// The value behind an option: up to a blank, or a mark that ends a clause; whole where it is in quotes.
std::string_view value_at(std::string_view rest) {
  if (rest.empty() || rest[0] != ' ') return {};
  rest.remove_prefix(1);
  if (!rest.empty() && rest[0] == '\'') return rest.substr(0, rest.find('\'', 1) == rest.npos ? 0 : rest.find('\'', 1) + 1);
  std::size_t end = 0;
  const auto ends = [&](char c) {
    return c == ' ' || c == ';' || c == ')' || c == '\n' || ((c == ',' || c == ':') && (end + 1 == rest.size() || rest[end + 1] == ' '));
  };
  while (end < rest.size() && !ends(rest[end])) ++end;
  return rest.substr(0, end);
}

/// `value` as Python writes it for this option; empty where it is the next word of the sentence.
std::string written(std::string_view name, std::string_view value) {
  const std::string text(value);
  const bool word = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return is_lower(c) || c == '_'; });
  if (value.empty() || has(kFlags, name)) return {};
  if (const std::size_t equals = value.find('='); equals != value.npos && equals > 0) {
    const std::size_t end = value[equals - 1] == ':' ? equals - 1 : equals;
    return "{'" + text.substr(0, end) + "': " + text.substr(equals + 1) + "}";
  }
  if (has(kLists, name))
    return value[0] == '\'' || std::isupper(static_cast<unsigned char>(value[0])) != 0 ? "[" + text + "]" : name == "independent" ? "" : "['" + text + "']";
  if (word) return has(kWords, name) ? "'" + text + "'" : "";
  if (name == "package-path" || name == "gravity") return value.find_first_not_of("0123456789.,e+-") == value.npos || name[0] == 'p' ? "[" + text + "]" : "";
  return text;
}

}  // namespace

std::string python_words(std::string_view message) {
  std::string out;
  for (std::size_t i = 0; i < message.size();) {
    const std::string_view rest = message.substr(i);
    if (const auto phrase = std::find_if(kPhrases.begin(), kPhrases.end(), [&](const Phrase& p) { return rest.starts_with(p.first); });
        phrase != kPhrases.end()) {
      out += phrase->second;
      i += phrase->first.size();
      continue;
    }
    const bool begins = i == 0 || message[i - 1] == ' ' || message[i - 1] == '(';
    if (!begins || rest.size() < 3 || !rest.starts_with("--") || !is_lower(rest[2])) {
      out += message[i++];
      continue;
    }
    std::size_t end = 2;
    while (end < rest.size() && (is_lower(rest[end]) || (rest[end] == '-' && end + 1 < rest.size() && is_lower(rest[end + 1])))) ++end;
    std::string_view name = rest.substr(2, end - 2), of;
    if (name.starts_with("a-") || name.starts_with("b-")) of = name.substr(0, 1), name.remove_prefix(2);
    const std::string_view value = value_at(rest.substr(end));
    if (name == "limit") {  // Python has none: the name in C++ follows, behind ", or "
      const std::size_t other = rest.find(", or ", end);
      out += "in C++ ";
      i += other == rest.npos ? end : other + 5;
      continue;
    }
    const auto renamed = std::find_if(kNames.begin(), kNames.end(), [&](const Phrase& p) { return p.first == name; });
    std::string argument(renamed == kNames.end() ? name : renamed->second);
    std::replace(argument.begin(), argument.end(), '-', '_');
    const std::string text = written(name, value);
    out += argument;
    if (has(kFlags, name)) out += "=True";
    if (!text.empty()) out += "=" + text, end += 1 + value.size();
    if (!of.empty()) out += std::string(" in load() of ") + (of == "a" ? "A" : "B");
    i += end;
  }
  return out;
}

}  // namespace ulna::python
