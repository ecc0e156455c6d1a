// What messages and files are put together from.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

// --- Numbers.

inline constexpr std::size_t kNumberBytes = 32;  // no number is longer
/// The shortest text that reads back to the same bits; nan, inf and -inf as words. Returns the end of what was written.
char* write_number(char* to, double value);
/// The same as a string.
std::string to_text(double value);

/// Six significant digits, for numbers in sentences.
std::string rounded(double value);

// --- Values joined.

namespace cat_detail {
inline void append(std::string& out, std::string_view piece) { out += piece; }
inline void append(std::string& out, char piece) { out += piece; }
inline void append(std::string& out, double value) { out += to_text(value); }
template <class I>
requires std::integral<I>
void append(std::string& out, I value) { out += std::to_string(value); }
}  // namespace cat_detail

/// All pieces in a row: cat("q has ", 5, " entries").
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (cat_detail::append(out, pieces), ...);
  return out;
}

// --- Text from a file inside a message: one line, without control characters.

/// Control characters as \xNN.
std::string visible(std::string_view text);

/// 'name', made visible and cut where it is over-long.
std::string in_quotes(std::string_view name);

/// Line ends and tabs, too: names have none.
bool has_control_character(std::string_view text);

// --- Lists of names, and messages for a name that is not in one.

/// The names of some rows: names_of(model.links(), &Link::name).
template <class Rows, class Name>
std::vector<std::string> names_of(const Rows& rows, Name name) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(std::invoke(name, row));
  return out;
}

/// "a, b, c"
std::string joined(const std::vector<std::string>& names, std::string_view between = ", ");

/// "a, b and c", with `last` for "and".
std::string listed(const std::vector<std::string>& names, std::string_view last);

/// The candidate with the fewest edits from `word`, when it is close enough to be a slip; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Equal but for the case of its letters.
bool same_but_case(std::string_view word, std::string_view other);

/// The candidate that `word` is a slip of: another case, one letter missing, too many, wrong or swapped with the next, or two such of six or more; else empty.
/// Of equally near ones, the one of the same letters. Stricter than nearest(): for refusals, where a name that only resembles another must pass.
std::string slip_of(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?", or `otherwise` when none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view otherwise = {});

/// "there is no robot 'pnda'; did you mean 'panda'?"
std::string there_is_no(std::string_view what, std::string_view word, const std::vector<std::string>& known, std::string_view otherwise = {});

}  // namespace ulna::internal
