// The operation counts that the papers print, cell by cell.
//
//   turney-1 … turney-5         J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", University of Michigan, 1980
//   hollerbach-1, hollerbach-2  J. M. Hollerbach, IEEE Trans. Systems, Man, and Cybernetics SMC-10 (11), 1980
//   lin-1, lin-2                S.-K. Lin, Journal of Robotic Systems 8 (2), 1991
//   nasser                      M. G. Nasser, NASA N90-29862, 1990, sec. 3.3
//   kane                        T. R. Kane, D. A. Levinson, Int. J. Robotics Research 2 (3), 1983, sec. 3
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include "count/polynomial.hpp"

namespace ulna::internal {

/// A number that stands in a table for n joints.
struct PublishedCell {
  int n = 0;
  std::int64_t value = 0;
};

struct PublishedCount {
  std::string_view text;             // as printed
  Polynomial polynomial;             // what it says, an obvious misprint put right
  std::string_view misprint;         // what was put right; empty for nothing
  std::vector<PublishedCell> cells;  // numbers printed next to it
};

/// A count of ours that is compared with a printed one.
struct CountOfOurs {
  const Formulation* formulation = nullptr;
  Quantity quantity = Quantity::inverse;
  std::string_view part{};    // of the count, in place of its total
  std::string_view suffix{};  // suffix of the entry's name, where a second count stands next to it
};

struct PublishedEntry {
  std::string_view name;
  PublishedCount mul;
  PublishedCount add;
  std::vector<CountOfOurs> ours{};  // empty: a method that we do not have
  std::string_view total_of{};      // id of the table of its rows, whose total it is
  bool quoted = false;              // from another paper, and about other robots than the rest of the table
  struct LockStep {
    std::vector<std::string_view> rows{};  // of the formulation that go at the same time; the step takes as long as the longest of them
    bool each_link = false;                // once for each of n links, else once
  } lock_step{};
};

/// An entry that must be one of its table less one of another.
struct PublishedDifference {
  std::string_view claim;  // in words
  std::string_view entry, of, less, less_table;
};

struct PublishedTable {
  std::string_view id{};     // "turney-1"
  std::string_view paper{};  // authors and year
  std::string_view where{};  // "Table 1"
  std::string_view title{};
  int first = 1;           // smallest n that it is about
  int only = 0;            // the one n that it is about, when it has no polynomials
  bool has_total = false;  // the last entry is the sum of the others
  bool of_steps = false;   // its numbers are steps of units that work side by side, one for each row of `lines_of`: see PublishedEntry::lock_step
  Quantity quantity = Quantity::inverse;
  bool of_stanford_arm = false;  // about this robot; else about chains of n revolute joints
  std::string_view cells_of{};   // id of the table whose polynomials give its numbers, its own or another
  std::optional<PublishedDifference> difference{};
  const Formulation* lines_of = nullptr;  // the formulation whose lines are its rows
  std::vector<PublishedEntry> entries;

  /// Null where it has none.
  const PublishedEntry* total() const { return has_total ? &entries.back() : nullptr; }
  const PublishedEntry* find(std::string_view name) const;
};

const std::vector<PublishedTable>& published_tables();
const PublishedTable* find_published(std::string_view id);

}  // namespace ulna::internal
