#include "text/message.hpp"

#include <algorithm>
#include <numeric>

namespace ulna::internal {

namespace {

/// Letters missing, too many or wrong, and, with `swaps`, swapped with the next: the fewest of these that lead from a to b. Three rows of the table.
std::size_t edit_distance(std::string_view a, std::string_view b, bool swaps = false) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before.swap(last), last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      if (swaps && i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

std::string lower_case(std::string_view word) {
  std::string out(word);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
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

bool same_but_case(std::string_view word, std::string_view other) { return lower_case(word) == lower_case(other); }

std::string slip_of(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string lower = lower_case(word);
  std::string best;
  std::size_t least = 3;
  for (const std::string& candidate : candidates) {
    if (lower.size() > candidate.size() + 2) continue;  // however long it is
    const std::size_t distance = edit_distance(lower, candidate, true);
    const bool nearer = distance < least || (distance == least && std::is_permutation(lower.begin(), lower.end(), candidate.begin(), candidate.end()));
    if (nearer && distance <= (candidate.size() >= 6 ? 2u : 1u)) least = distance, best = candidate;
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
