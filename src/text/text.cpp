#include "text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace ulna {

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string visible(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool begins_control = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;  // U+0080 to U+009F
    if (byte < 0x20 || byte == 0x7f || begins_control)
      (out += "\\x").append({kHex[byte >> 4], kHex[byte & 15]});
    else
      out += text[i];
  }
  return out;
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kLongest = 120;
  std::size_t end = std::min(name.size(), kLongest);
  while (end < name.size() && end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80u) --end;  // cut between characters
  return cat("'", visible(name.substr(0, end)), name.size() > kLongest ? "...'" : "'");
}

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 200;  // a longer word is no slip of the keyboard
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(1, std::min<std::size_t>(3, word.size() / 2)) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest || candidate.size() + least <= word.size() || word.size() + least <= candidate.size()) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : cat("; did you mean ", in_quotes(best), "?");
}

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (std::size_t k = 0; k < words.size(); ++k) out += cat(k == 0 ? "" : k + 1 < words.size() ? ", " : cat(" ", last, " "), words[k]);
  return out;
}

bool has_control_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;  // U+0080 to U+009F: terminals obey some of them
  }
  return false;
}

}  // namespace ulna
