#include "arguments.hpp"

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

std::vector<std::string> option_names(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options) names.emplace_back(option.name);
  names.emplace_back("--help");
  return names;
}

// "-0.5" and "-pi" are values, "-x" is a mistyped option.
bool looks_like_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' || !(std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.' || word.compare(1, 2, "pi") == 0);
}

/// What options were called once, and how the same is said now.
constexpr struct { std::string_view command, was, is; } kRenamed[] = {{"derivatives", "--load", "--payload LINK:m,x,y,z"}};

}  // namespace

Arguments Arguments::parse(std::string_view command, const std::vector<std::string>& words, const std::vector<Option>& options) {
  Arguments result;
  result.command_ = command;
  const std::string page = cat("'ulna ", command, " --help' lists them");
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      result.positional_.insert(result.positional_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (!looks_like_option(word)) {
      result.positional_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
    if (option == options.end()) {
      for (const auto& renamed : kRenamed)
        if (renamed.command == command && renamed.was == name) throw UsageError(cat("option ", name, " is ", renamed.is, " now"));
      const std::string hint = did_you_mean(name, option_names(options));
      throw UsageError(cat("'ulna ", command, "' has no option ", in_quotes(name), hint.empty() ? cat("; ", page) : hint));
    }
    if (!option->repeatable && result.has(name)) throw UsageError(cat("option ", name, " is given twice"));
    if (option->value.empty()) {
      if (equals != std::string::npos) throw UsageError(cat("option ", name, " takes no value"));
      result.options_.emplace_back(name, "");
    } else if (equals != std::string::npos) {
      result.options_.emplace_back(name, word.substr(equals + 1));
    } else {
      if (i + 1 >= words.size() || (words[i + 1].starts_with("--") && words[i + 1] != "--"))
        throw UsageError(cat("option ", name, " needs a value: ", name, " ", option->value));
      result.options_.emplace_back(name, words[++i]);
    }
  }
  return result;
}

const std::string& Arguments::only(std::string_view what) const {
  if (positional_.empty()) throw UsageError(cat("'ulna ", command_, "' needs ", what, "; 'ulna ", command_, " --help' shows an example"));
  if (positional_.size() > 1)
    throw UsageError(
        cat("'ulna ", command_, "' takes ", what, " only, but ", in_quotes(positional_[1]), " follows it; 'ulna ", command_, " --help' lists the options"));
  return positional_.front();
}

bool Arguments::has(std::string_view option) const {
  return std::any_of(options_.begin(), options_.end(), [&](const auto& given) { return given.first == option; });
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const std::vector<std::string> all = values(option);
  if (all.empty()) return {};
  return all.front();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  std::vector<std::string> result;
  for (const auto& [name, text] : options_)
    if (name == option) result.push_back(text);
  return result;
}

void Arguments::refuse(std::initializer_list<std::string_view> options, std::string_view where, std::string_view cure) const {
  for (const std::string_view option : options)
    if (has(option)) throw UsageError(cat("option ", option, " has no effect ", where, "; ", cure));
}

void Arguments::refuse_all_but(std::initializer_list<std::string_view> used, std::string_view where) const {
  for (const auto& [name, text] : options_)
    if (std::find(used.begin(), used.end(), name) == used.end()) refuse({name}, where);
}

bool Arguments::on_off(std::string_view option, bool otherwise) const {
  const std::optional<std::string> text = value(option);
  if (!text) return otherwise;
  if (*text != "on" && *text != "off") throw UsageError(cat("option ", option, " takes on or off, not ", in_quotes(*text)));
  return *text == "on";
}

std::optional<double> Arguments::number(std::string_view option) const {
  const std::optional<std::vector<double>> one = numbers(option, 1);
  if (!one) return {};
  return one->front();
}

std::size_t Arguments::whole_number(std::string_view option, std::size_t otherwise, std::size_t least) const {
  constexpr double kMost = 1e9;
  const std::optional<double> value = number(option);
  if (!value) return otherwise;
  if (!(*value >= static_cast<double>(least) && *value <= kMost) || *value != std::floor(*value))
    throw UsageError(cat("option ", option, " takes a whole number from ", least, " to 1000000000"));
  return static_cast<std::size_t>(*value);
}

std::optional<std::vector<double>> Arguments::numbers(std::string_view option, std::size_t count) const {
  const std::optional<std::string> text = value(option);
  if (!text) return {};
  std::vector<double> result = parse_numbers(*text, cat("option ", option));
  if (count > 0 && result.size() != count)
    throw UsageError(cat("option ", option, " takes ", count, count == 1 ? " number" : " numbers", ", but ", result.size(), " are given"));
  return result;
}

std::string Arguments::choice(std::string_view option, const std::vector<std::string>& choices) const {
  const std::optional<std::string> text = value(option);
  if (!text) return choices.front();
  if (std::find(choices.begin(), choices.end(), *text) != choices.end()) return *text;
  throw UsageError(cat("option ", option, " takes ", listed(choices, "or"), ", not ", in_quotes(*text), did_you_mean(*text, choices)));
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  for (const char c : list)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<double> parse_numbers(std::string_view text, const std::string& what, bool gaps) {
  std::vector<double> result;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view piece = trimmed(text.substr(0, comma));
    if (gaps && is_nan(piece)) {
      result.push_back(std::numeric_limits<double>::quiet_NaN());
    } else {
      NumberProblem problem;
      const std::optional<double> number = parse_angle(piece, problem);
      if (!number)
        throw UsageError(cat(what, ": ", piece.empty() ? "a number is missing between commas" : problem.problem, piece.empty() ? "" : cat("; ", problem.cure)));
      result.push_back(*number);
    }
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace ulna::cli
