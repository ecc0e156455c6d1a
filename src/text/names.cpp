#include "text/names.hpp"

#include <algorithm>
#include <numeric>

#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

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

std::string joined(const std::vector<std::string>& names, std::string_view between) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += between;
    out += name;
  }
  return out;
}

std::string listed(const std::vector<std::string>& names, std::string_view last) {
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k) out += cat(k == 0 ? "" : k + 1 < names.size() ? ", " : cat(" ", last, " "), names[k]);
  return out;
}

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

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view otherwise) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? std::string(otherwise) : cat("; did you mean ", in_quotes(best), "?");
}

std::string there_is_no(std::string_view what, std::string_view word, const std::vector<std::string>& known, std::string_view otherwise) {
  return cat("there is no ", what, " ", in_quotes(word), did_you_mean(word, known, otherwise));
}

}  // namespace ulna::internal
