// Forms of the inertia matrix.
#pragma once

#include <utility>
#include <vector>

#include <ulna/robot/dynamics.hpp>

namespace ulna::internal::robot {

/// Row and column of each number. `parent`: PlanOf::mass_parent.
inline std::vector<std::pair<std::size_t, std::size_t>> mass_entries(const std::vector<std::size_t>& parent, MassForm form) {
  const std::size_t n = parent.size();
  std::vector<std::pair<std::size_t, std::size_t>> entries;
  if (form == MassForm::sparse) {
    for (std::size_t row = 0; row < n; ++row) {
      const auto first = static_cast<std::ptrdiff_t>(entries.size());
      for (std::size_t k = row; k != kNone; k = parent[k]) entries.insert(entries.begin() + first, {row, k});  // from the base on
    }
    return entries;
  }
  for (std::size_t column = 0; column < n; ++column)
    for (std::size_t row = form == MassForm::full ? 0 : column; row < n; ++row) entries.emplace_back(row, column);
  return entries;
}

}  // namespace ulna::internal::robot
