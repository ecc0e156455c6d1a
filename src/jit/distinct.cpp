#include "jit/distinct.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ulna::internal::jit {

namespace {

constexpr std::size_t kFewest = 4;  // numbers that are worth a piece of their own

/// How many numbers from `first` on stand in one row.
std::size_t run(const std::vector<std::uint32_t>& of, std::size_t first) {
  std::size_t end = first;
  while (end < of.size() && of[end] == of[first]) ++end;
  return end - first;
}

}  // namespace

Rows rows_of(std::vector<std::uint32_t> all, std::uint32_t count) {
  Rows rows{std::move(all), count, {}};
  const std::vector<std::uint32_t>& of = rows.of;
  for (std::size_t at = 0; at < of.size();) {
    const std::size_t same = run(of, at);
    std::size_t end = at + 1;
    if (same >= kFewest)
      end = at + std::min<std::size_t>(same, 8);
    else
      while (end < of.size() && end < at + 8 && run(of, end) < kFewest) ++end;
    rows.pieces.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint8_t>(end - at), same >= kFewest});
    at = end;
  }
  return rows;
}

Distinct distinct(const Program& program) {
  Distinct out{program, {}};
  std::map<std::pair<std::uint32_t, bool>, std::uint32_t> known;
  out.program.results.clear();
  for (const Output& result : program.results) {
    const auto [at, is_new] = known.try_emplace({result.value, result.negative}, out.rows.count);
    if (is_new) out.program.results.push_back(result), ++out.rows.count;
    out.rows.of.push_back(at->second);
  }
  out.program.outputs = {{program.outputs.front().name, out.program.results.size()}};
  out.rows = rows_of(std::move(out.rows.of), out.rows.count);
  return out;
}

}  // namespace ulna::internal::jit
