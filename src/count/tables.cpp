#include "count/tables.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include <ulna/count/as_written.hpp>

#include "count/stanford_count.hpp"
#include "count/table_arms.hpp"
#include "count/turney_rows.hpp"
#include "count/verdict.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna {

namespace {

/// Where the count of an entry comes from.
struct Source {
  std::string_view entry;  // of the published table
  std::string_view id;     // formulation; empty: we have none
  Quantity quantity = Quantity::inverse;
  std::string_view part = {};    // in place of the total
  std::string_view suffix = {};  // for a second count beside the same entry
};

// Table II has the entries of Table I. Entries without a row here are methods we do not have.
const std::map<std::string_view, std::vector<Source>>& sources() {
  static const std::map<std::string_view, std::vector<Source>> all{
      {"turney", {{"Lagrange", "lagrange"}, {"Newton-Euler", "newton-euler"}, {"Modified Newton-Euler", "modified-newton-euler"}}},
      {"hollerbach",
       {{"Uicker/Kahn", "uicker-kahn"},
        {"Waters", "waters"},
        {"Hollerbach (4x4)", "hollerbach-4x4"},
        {"Hollerbach (3x3)", "hollerbach-3x3", Quantity::inverse, kAsPrinted},
        {"Hollerbach (3x3)", "hollerbach-3x3", Quantity::inverse, {}, ", corrected"},
        {"Newton-Euler", "newton-euler"},
        {"Horn, Raibert", "horn-raibert"}}},
      {"lin",
       {{"Walker and Orin", "walker-orin", Quantity::mass}, {"Renaud", "renaud", Quantity::mass}, {"Fijany and Bejczy", "fijany-bejczy", Quantity::mass}}},
      {"lin-1", {{"Present", "lin", Quantity::mass}}},
      {"lin-2", {{"Present", "lin", Quantity::bias, kBeyondMass}, {"Present, H and b", "lin", Quantity::bias, kMassAndBias}}},
      {"nasser", {{"Nasser", "nasser", Quantity::forward}}},
  };
  return all;
}
std::vector<Source> sources_of(std::string_view table, std::string_view entry) {
  std::vector<Source> found;
  for (const std::string_view key : {table, table.substr(0, table.find('-'))}) {
    const auto at = sources().find(key);
    if (at == sources().end()) continue;
    for (const Source& source : at->second)
      if (source.entry == entry) found.push_back(source);
    if (!found.empty()) break;
  }
  return found;
}

/// Counts of table_arm(1) … table_arm(kMostTableJoints), each made once.
class Counts {
 public:
  struct Series {
    std::vector<std::int64_t> mul, add;
    bool divides = false;  // a division is one multiplication
  };
  const Series& of(const Source& source) {
    const auto key = std::tuple(source.id, source.quantity, source.part);
    if (const auto at = made_.find(key); at != made_.end()) return at->second;
    Series series;
    for (const Prepared& arm : arms()) {
      const AsWritten counts = count_as_written(*find_formulation(source.id), source.quantity, arm);
      const OperationCounts& c = source.part.empty() ? counts.total : counts.find(source.part)->counts;
      series.mul.push_back(c.mul + c.div);
      series.add.push_back(c.add);
      series.divides = series.divides || c.div != 0;
    }
    return made_.emplace(key, std::move(series)).first->second;
  }

 private:
  const std::vector<Prepared>& arms() {
    if (arms_.empty())
      for (int n = 1; n <= kMostTableJoints; ++n) arms_.push_back(table_arm(static_cast<std::size_t>(n)));
    return arms_;
  }
  std::vector<Prepared> arms_;
  std::map<std::tuple<std::string_view, Quantity, std::string_view>, Series> made_;
};

/// One row of Tables 2 to 4 for n = 1, 2, …; "Total" sums all rows.
Counts::Series row_series(std::string_view table, std::string_view row) {
  Counts::Series series;
  for (std::size_t n = 1; n <= kMostTableJoints; ++n) {
    const std::vector<CountedRow> rows = table == "turney-2" ? lagrange_rows(n) : table == "turney-3" ? newton_euler_rows(n) : modified_newton_euler_rows(n);
    std::int64_t mul = 0, add = 0;
    for (const CountedRow& counted : rows)
      if (counted.name == row || row == "Total") mul += counted.counts.mul, add += counted.counts.add;
    series.mul.push_back(mul);
    series.add.push_back(add);
  }
  return series;
}

class Comparison {
 public:
  Comparison(const PublishedTable& published, Counts& counts) : counts_(counts) { table_.published = &published; }

  ComparedTable run() {
    const PublishedTable& p = *table_.published;
    if (p.only_sums)
      printed_rows();
    else if (p.id == "turney-2" || p.id == "turney-3" || p.id == "turney-4")
      counted_rows();
    else if (p.id == "kane")
      stanford();
    else
      for (const PublishedEntry& entry : p.entries) methods(entry);
    check();
    return std::move(table_);
  }

 private:
  void judge_entry(ComparedEntry entry) {
    const PublishedTable& p = *table_.published;
    for (const auto& [name, count] : {std::pair("mul", &entry.mul), std::pair("add", &entry.add)}) {
      const std::string fault = judge(*count, p.first, p.only != 0, reason_on_file(p.id, entry.name, name));
      if (!fault.empty()) table_.problems.push_back(cat(p.id, ", ", entry.name, ", ", name, ": ", fault));
    }
    table_.entries.push_back(std::move(entry));
  }
  ComparedEntry entry_of(const PublishedEntry& published) const {
    ComparedEntry entry;
    entry.name = published.name;
    entry.mul.printed = published.mul;
    entry.add.printed = published.add;
    return entry;
  }

  void methods(const PublishedEntry& published) {
    const std::vector<Source> found = sources_of(table_.published->id, published.name);
    if (found.empty()) judge_entry(entry_of(published));
    for (const Source& source : found) {
      ComparedEntry entry = entry_of(published);
      entry.name += source.suffix;
      entry.counted = cat(source.id, ", ", source.part.empty() ? result_name(source.quantity) : source.part);
      const Counts::Series& series = counts_.of(source);
      if (series.divides) entry.counted += ", divisions counted as multiplications";
      entry.mul.ours = series.mul;
      entry.add.ours = series.add;
      if (const int n = table_.published->only; n != 0) {
        const auto at = static_cast<std::size_t>(n - 1);
        entry.mul.ours = {series.mul[at]};
        entry.add.ours = {series.add[at]};
      }
      judge_entry(std::move(entry));
    }
  }

  void counted_rows() {
    const PublishedTable& p = *table_.published;
    for (const PublishedEntry& published : p.entries) {
      if (published.name == "Total" && p.id != "turney-2") {  // a row of our own before it
        const Counts::Series series = row_series(p.id, "tau");
        judge_entry({"tau", "the lines of this row alone", {{}, series.mul, {}, {}, {}, {}}, {{}, series.add, {}, {}, {}, {}}});
      }
      ComparedEntry entry = entry_of(published);
      const Counts::Series series = row_series(p.id, published.name);
      entry.counted = published.name == "Total" ? "all rows" : "the lines of this row alone";
      entry.mul.ours = series.mul;
      entry.add.ours = series.add;
      judge_entry(std::move(entry));
    }
  }

  void stanford() {
    const OperationCounts total = count_stanford_torque(general_stanford_arm()).total;
    ComparedEntry entry = entry_of(table_.published->entries.front());
    entry.counted = "kane-stanford, torque from q, u, du/dt; no parameter 0 or 1";
    entry.mul.ours = {total.mul + total.div};
    entry.add.ours = {total.add};
    judge_entry(std::move(entry));
  }

  /// Rows that are no counts; their sum stands in for ours.
  void printed_rows() {
    Polynomial mul, add;
    for (const PublishedEntry& published : table_.published->entries) {
      ComparedEntry entry = entry_of(published);
      if (published.name != "Total") {
        mul = mul + published.mul.polynomial;
        add = add + published.add.polynomial;
        table_.entries.push_back(std::move(entry));
        continue;
      }
      entry.counted = "sum of the printed rows";
      for (int n = 1; n <= kMostTableJoints; ++n) {
        entry.mul.ours.push_back(mul(n).numerator());
        entry.add.ours.push_back(add(n).numerator());
      }
      judge_entry(std::move(entry));
    }
  }

  // --- what a table must fulfil by itself --------------------------------------------------------------------------------------------------------

  void check() {
    const PublishedTable& p = *table_.published;
    if (p.has_total) {
      check_polynomial("the printed rows add up to the printed total", "Total", [&](auto count) {
        Polynomial sum;
        for (const PublishedEntry& entry : p.entries)
          if (entry.name != "Total") sum = sum + (entry.*count).polynomial;
        return sum;
      });
    }
    if (p.id == "turney-1")
      for (const auto& [entry, id] :
           {std::pair("Lagrange", "turney-2"), std::pair("Newton-Euler", "turney-3"), std::pair("Modified Newton-Euler", "turney-4")}) {
        const PublishedTable& rows = *find_published(id);
        check_polynomial(cat(entry, " is the total of ", rows.where), entry, [&](auto count) { return (rows.find("Total")->*count).polynomial; });
      }
    if (p.id == "hollerbach-2") check_cells("the numbers are those of Table I at n = 6", *find_published("hollerbach-1"));
    if (p.id == "lin-1" || p.id == "lin-2") check_cells("the printed numbers are those of the printed polynomials", p);
    if (p.id == "lin-2")
      check_polynomial("the bias is H and b together, less H of Table I", "Present", [&](auto count) {
        return (p.find("Present, H and b")->*count).polynomial - (find_published("lin-1")->find("Present")->*count).polynomial;
      });
  }

  /// Compares the printed polynomials of an entry with what `follows(&PublishedEntry::mul)` and `follows(&PublishedEntry::add)` give.
  template <class Follows>
  void check_polynomial(std::string what, std::string_view name, Follows follows) {
    TableCheck check{std::move(what), true, {}};
    for (const auto count : {&PublishedEntry::mul, &PublishedEntry::add}) {
      const Polynomial is = (table_.published->find(name)->*count).polynomial, must = follows(count);
      if (!(is == must)) refute(check, cat(name, ", ", operation(count), ": ", is.text(), " is printed, ", must.text(), " follows"));
    }
    table_.checks.push_back(std::move(check));
  }

  void check_cells(std::string what, const PublishedTable& polynomials) {
    TableCheck check{std::move(what), true, {}};
    for (const PublishedEntry& entry : table_.published->entries)
      for (const auto count : {&PublishedEntry::mul, &PublishedEntry::add})
        for (const PublishedCell& cell : (entry.*count).cells) {
          const Rational must = (polynomials.find(entry.name)->*count).polynomial(cell.n);
          if (!(must == Rational(cell.value)))
            refute(check, cat(entry.name, ", ", operation(count), ", n = ", cell.n, ": ", cell.value, " is printed, ", must.text(), " follows"));
        }
    table_.checks.push_back(std::move(check));
  }

  static std::string_view operation(PublishedCount PublishedEntry::*count) { return count == &PublishedEntry::mul ? "mul" : "add"; }
  static void refute(TableCheck& check, const std::string& detail) {
    check.holds = false;
    check.detail += cat(check.detail.empty() ? "" : "; ", detail);
  }

  Counts& counts_;
  ComparedTable table_;
};

}  // namespace

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const PublishedTable& table : published_tables()) names.emplace_back(table.id);
  names.emplace_back("crossovers");
  return names;
}

std::vector<ComparedTable> compare_tables(const std::vector<std::string>& names) {
  const std::vector<std::string> known = table_names();
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) throw std::invalid_argument(there_is_no("table", name, known));
  Counts counts;
  std::vector<ComparedTable> tables;
  for (const PublishedTable& table : published_tables())
    if (names.empty() || std::find(names.begin(), names.end(), table.id) != names.end()) tables.push_back(Comparison(table, counts).run());
  return tables;
}

}  // namespace ulna
