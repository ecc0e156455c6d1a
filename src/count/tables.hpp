// The papers' tables and our counts, each with a verdict from comparing them, not from a list.
//
// Ours are counts of `general-R…`, arms of n revolute joints without special parameters, for n = 1 … kMostTableJoints. As in the papers, links have
// principal axes along the standard frames (Turney), and base and gravity are as general as the rest (Lin).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "count/published.hpp"

namespace ulna::internal {

inline constexpr int kShownTableJoints = 8;  // what the tables show
inline constexpr int kMostTableJoints = 10;  // what a polynomial has to pass through

enum class Verdict {
  exact,          // one run of the counter gives the printed polynomial for every n that it is about
  differs,        // it does not, and the place in the paper is known
  not_determined  // it does not, and the paper does not state enough to know what was counted
};
std::string_view to_string(Verdict verdict);  // "exact", "differs", "not determined by the paper"

/// Multiplications or additions of one entry.
struct ComparedCount {
  PublishedCount printed;                // text empty: the table has no such row
  std::vector<std::int64_t> ours;        // for n = 1, 2, …; for a table about one n that number alone; empty: we have no such method
  std::optional<PolynomialFit> fit;      // of ours; nothing when they are no polynomial
  std::optional<Polynomial> difference;  // ours less printed
  std::optional<Verdict> verdict;        // nothing for rows that are only printed
  std::string_view reason;               // empty when exact
};

struct ComparedEntry {
  std::string name;
  std::string counted;  // what ours is: "lagrange, torque"
  ComparedCount mul;
  ComparedCount add;
};

/// Consistency of the table itself, without our counts.
struct TableCheck {
  std::string what;
  bool holds = false;
  std::string detail;  // what does not hold
};

struct ComparedTable {
  const PublishedTable* published = nullptr;
  std::vector<ComparedEntry> entries;
  std::vector<TableCheck> checks;
  std::vector<std::string> problems;  // faults of this program: a reason on file for what agrees, or none for what does not. Empty.
};

/// A claim about which method is cheapest where, and what becomes of it.
struct Crossover {
  struct Line {
    std::string basis;          // "printed polynomials, mul + add", "our counts, …"
    std::string cheapest;       // "n = 2-4: Lin 1988; 5-14: Present; 15-20: Fijany and Bejczy"
    std::optional<bool> holds;  // the claimed method is the cheapest for the claimed n and for no others; nothing where nothing is claimed
  };
  std::string_view id;
  std::string_view paper;
  std::string_view claim;
  std::vector<Line> lines;
};

/// "turney-1" … "kane", and "crossovers".
std::vector<std::string> table_names();

/// Those named, in the order of table_names(); all for an empty list. "crossovers" is not among them. Throws std::invalid_argument for an unknown name.
/// About 50 ms for all.
std::vector<ComparedTable> compare_tables(const std::vector<std::string>& names = {});
std::vector<Crossover> compare_crossovers();

// How a verdict comes about, and the reasons that are on file for the counts that do not agree.

struct Reason {
  Verdict verdict = Verdict::differs;
  std::string_view text;
};
/// `operation` is "mul" or "add". Nothing when none is on file.
std::optional<Reason> reason_on_file(const PublishedTable& table, std::string_view entry, std::string_view operation);
/// How many there are; a table whose numbers are those of another has the reasons of that one.
std::size_t reasons_on_file();

/// Fills fit, difference, verdict and reason of a count whose `printed` and `ours` are there. `first` is the smallest n that the print is about; for a
/// table about a single n, `ours` has one number. Returns a fault of the file of reasons, or nothing.
std::string judge(ComparedCount& count, int first, bool single, const std::optional<Reason>& reason);

}  // namespace ulna::internal
