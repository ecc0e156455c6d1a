// The operation counts that the papers print, cell by cell.
//
//   turney-1 … turney-5         J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", University of Michigan, 1980
//   hollerbach-1, hollerbach-2  J. M. Hollerbach, IEEE Trans. Systems, Man, and Cybernetics SMC-10 (11), 1980
//   lin-1, lin-2                S.-K. Lin, Journal of Robotic Systems 8 (2), 1991
//   nasser                      M. G. Nasser, NASA N90-29862, 1990, sec. 3.3
//   kane                        T. R. Kane, D. A. Levinson, Int. J. Robotics Research 2 (3), 1983, sec. 3
#pragma once

#include <string_view>
#include <vector>

#include <ulna/count/polynomial.hpp>

namespace ulna {

/// A number that stands in a table for n joints.
struct PublishedCell {
  int n = 0;
  std::int64_t value = 0;
};

struct PublishedCount {
  std::string_view text;             // as printed
  Polynomial polynomial;             // what it says, an obvious misprint put right
  std::string_view misprint;         // what was put right; empty for nothing
  std::vector<PublishedCell> cells;  // numbers printed beside it
};

struct PublishedEntry {
  std::string_view name;
  PublishedCount mul;
  PublishedCount add;
};

struct PublishedTable {
  std::string_view id;     // "turney-1"
  std::string_view paper;  // authors and year
  std::string_view where;  // "Table 1"
  std::string_view title;
  int first = 1;           // smallest n that it is about
  int only = 0;            // the one n that it is about, when it has no polynomials
  bool has_total = false;  // the last entry is the sum of the others
  bool only_sums = false;  // its rows are no counts of operations: nothing but their sum can be checked
  std::vector<PublishedEntry> entries;

  const PublishedEntry* find(std::string_view name) const;
};

const std::vector<PublishedTable>& published_tables();
const PublishedTable* find_published(std::string_view id);

}  // namespace ulna
