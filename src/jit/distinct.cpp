#include "jit/distinct.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ulna::internal::jit {

namespace {

/// Cells of one row, and cells of several, up to two of a kind in a piece. The first and the last cell may be cut.
std::vector<Rows::Piece> pieces_of(const std::vector<std::uint32_t>& of, std::size_t shift) {
  std::vector<Rows::Piece> pieces;
  const auto same = [&](std::size_t from, std::size_t to) {
    return std::all_of(of.begin() + static_cast<std::ptrdiff_t>(from), of.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](std::uint32_t row) { return row == of[from]; });
  };
  for (std::size_t at = 0; at < of.size();) {
    const std::size_t end = std::min(of.size(), at + Rows::kCell - (at + shift) % Rows::kCell);
    const bool one = end - at == Rows::kCell && same(at, end);
    if (!pieces.empty()) {
      Rows::Piece& last = pieces.back();
      const bool fits = last.count + (end - at) <= 8 && last.same == one && (!one || of[last.at] == of[at]);
      if (fits) {
        last.count = static_cast<std::uint8_t>(last.count + (end - at));
        at = end;
        continue;
      }
    }
    pieces.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint8_t>(end - at), one});
    at = end;
  }
  return pieces;
}

}  // namespace

Rows rows_of(std::vector<std::uint32_t> all, std::uint32_t count) {
  Rows rows{std::move(all), count, {}};
  for (std::size_t shift = 0; shift < Rows::kCell; ++shift) rows.pieces[shift] = pieces_of(rows.of, shift);
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
