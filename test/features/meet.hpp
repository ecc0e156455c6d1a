// Draws robots until every cell of a path has enough of them, and compares each. A robot that fails is made smaller and left as a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "features/drawn.hpp"
#include "features/feature.hpp"
#include "support/soak.hpp"

namespace ulna::test {

/// All paths that ran in this process; printed by --table.
Counts& counted();

/// Robots in every cell: `make test` has a few, `make soak` a hundred.
inline std::size_t robots_of_a_cell() { return so_many<std::size_t>(2, 100); }

struct Comparing {
  Path path{};
  DrawOptions drawing{};
  std::size_t robots = robots_of_a_cell();
  /// Empty, or why the path does not take robots with these features together: then none is drawn.
  std::function<std::string(const Features&)> refuses = [](const Features&) { return std::string(); };
  /// Empty, or what differs. Adds what was compared.
  std::function<std::string(const Drawn&, Counts&)> check{};
};

/// Empty when all agree and no cell is short of robots; else what is wrong, with seeds.
std::string compare(const Comparing& comparing);

}  // namespace ulna::test
