// Small text helpers that messages need: joining values, quoting, the nearest right word.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace ulna {

/// Shortest decimal text that reads back to the same number; "nan", "inf", "-inf" for the rest.
std::string to_text(double value);

/// Six significant digits, for numbers in sentences.
std::string rounded(double value);

namespace detail {
inline void append(std::string& out, std::string_view piece) { out += piece; }
inline void append(std::string& out, char piece) { out += piece; }
inline void append(std::string& out, double value) { out += to_text(value); }
template <class I>
requires std::integral<I>
void append(std::string& out, I value) { out += std::to_string(value); }
}  // namespace detail

/// All pieces in a row: cat("q has ", 5, " entries").
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (detail::append(out, pieces), ...);
  return out;
}

/// Control characters as \xNN: a message is one line whatever a file holds.
std::string visible(std::string_view text);

/// 'name', with control characters shown as \xNN and over-long names cut, so that a hostile file cannot disturb a terminal.
std::string in_quotes(std::string_view name);

/// The candidate with the fewest edits from `word`, when it is close enough to be a slip; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b and c", with `last` for "and".
std::string listed(const std::vector<std::string>& words, std::string_view last);

/// Line ends and tabs, too: names have none.
bool has_control_character(std::string_view text);

}  // namespace ulna
