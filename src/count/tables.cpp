#include "count/tables.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include <ulna/formulation/formulation.hpp>

#include "count/table_arms.hpp"
#include "formulation/stanford_count.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Counts of table_arm(1) … table_arm(kMostTableJoints), each made once.
class Counts {
 public:
  struct Series {
    std::vector<std::int64_t> mul, add;
    bool divides = false;  // a division is one multiplication
  };
  const Series& of(const CountOfOurs& source) {
    const auto key = std::tuple(source.formulation, source.quantity, source.part);
    if (const auto at = made_.find(key); at != made_.end()) return at->second;
    Series series;
    for (const Prepared& arm : arms()) {
      const AsWritten counts = count_as_written(*source.formulation, source.quantity, arm);
      const OperationCounts& c = source.part.empty() ? counts.total : counts.find(source.part)->counts;
      series.mul.push_back(c.mul + c.div);
      series.add.push_back(c.add);
      series.divides = series.divides || c.div != 0;
    }
    return made_.emplace(key, std::move(series)).first->second;
  }
  /// The lines of a formulation's torques, for n = 1, 2, …
  const std::vector<std::vector<CountedRow>>& lines(const Formulation& formulation) {
    std::vector<std::vector<CountedRow>>& lines = lines_[&formulation];
    if (lines.empty())
      for (const Prepared& arm : arms()) lines.push_back(counted_rows(formulation, Quantity::inverse, arm));
    return lines;
  }
  /// One row of them; all rows for an empty name.
  Series row(const Formulation& formulation, std::string_view name) {
    Series series;
    for (const std::vector<CountedRow>& rows : lines(formulation)) {
      std::int64_t mul = 0, add = 0;
      for (const CountedRow& row : rows)
        if (row.name == name || name.empty()) mul += row.counts.mul, add += row.counts.add;
      series.mul.push_back(mul);
      series.add.push_back(add);
    }
    return series;
  }

 private:
  const std::vector<Prepared>& arms() {
    if (arms_.empty())
      for (int n = 1; n <= kMostTableJoints; ++n) arms_.push_back(table_arm(static_cast<std::size_t>(n)));
    return arms_;
  }
  std::vector<Prepared> arms_;
  std::map<std::tuple<const Formulation*, Quantity, std::string_view>, Series> made_;
  std::map<const Formulation*, std::vector<std::vector<CountedRow>>> lines_;
};

class Comparison {
 public:
  Comparison(const PublishedTable& published, Counts& counts) : counts_(counts) { table_.published = &published; }

  ComparedTable run() {
    const PublishedTable& p = *table_.published;
    if (p.of_steps)
      steps();
    else if (p.lines_of != nullptr)
      lines();
    else if (p.of_stanford_arm)
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
      const std::string fault = judge(*count, p.first, p.only != 0, reason_on_file(p, entry.name, name));
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
    if (published.ours.empty()) judge_entry(entry_of(published));
    for (const CountOfOurs& source : published.ours) {
      ComparedEntry entry = entry_of(published);
      entry.name += source.suffix;
      entry.counted = cat(source.formulation->id, ", ", source.part.empty() ? result_name(source.quantity) : source.part);
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

  void lines() {
    const PublishedTable& p = *table_.published;
    constexpr const char* kAlone = "the lines of this row alone";
    for (const PublishedEntry& published : p.entries) {
      const bool total = &published == p.total();
      if (total)  // rows of our own before it
        for (const CountedRow& row : counts_.lines(*p.lines_of).front()) {
          if (p.find(row.name) != nullptr) continue;
          const Counts::Series series = counts_.row(*p.lines_of, row.name);
          judge_entry({std::string(row.name), kAlone, {{}, series.mul, {}, {}, {}, {}}, {{}, series.add, {}, {}, {}, {}}});
        }
      ComparedEntry entry = entry_of(published);
      const Counts::Series series = counts_.row(*p.lines_of, total ? std::string_view{} : published.name);
      entry.counted = total ? "all rows" : kAlone;
      entry.mul.ours = series.mul;
      entry.add.ours = series.add;
      judge_entry(std::move(entry));
    }
  }

  void stanford() {
    const AsWritten counts = count_stanford_torque(general_stanford_arm());
    const auto add = [&](const OperationCounts& c, std::string_view suffix, std::string_view counted) {
      ComparedEntry entry = entry_of(table_.published->entries.front());
      entry.name += suffix;
      entry.counted = counted;
      entry.mul.ours = {c.mul + c.div};
      entry.add.ours = {c.add};
      judge_entry(std::move(entry));
    };
    add(counts.total, "", "kane-stanford, torque from q, u, du/dt; no parameter 0 or 1; products of constants known before");
    add(counts.find(kStanfordUnfolded)->counts, ", constants not folded", "the same with every product of constants counted");
    for (std::size_t k = 1; k < table_.published->entries.size(); ++k) judge_entry(entry_of(table_.published->entries[k]));  // quoted from others
  }

  /// Steps of units that work side by side: in lock-step, as the paper has it, each step as long as its longest row; and as a flow of data, where a unit for
  /// each line begins as soon as its operands are there, along the longest chain.
  void steps() {
    const PublishedTable& p = *table_.published;
    const Formulation& formulation = *p.lines_of;
    const std::size_t most = counts_.lines(formulation).size();
    Counts::Series sum{std::vector<std::int64_t>(most), std::vector<std::int64_t>(most)};
    for (const PublishedEntry& published : p.entries) {
      if (&published == p.total()) continue;
      std::int64_t mul = 0, add = 0;  // of one link
      for (const std::string_view name : published.lock_step.rows) {
        const Counts::Series row = counts_.row(formulation, name);
        mul = std::max(mul, row.mul[most - 1] - row.mul[most - 2]);
        add = std::max(add, row.add[most - 1] - row.add[most - 2]);
      }
      Counts::Series series{std::vector<std::int64_t>(most), std::vector<std::int64_t>(most)};
      for (std::size_t k = 0; k < most; ++k) {
        const std::int64_t times = published.lock_step.each_link ? static_cast<std::int64_t>(k) + 1 : 1;
        sum.mul[k] += series.mul[k] = times * mul;
        sum.add[k] += series.add[k] = times * add;
      }
      judge_steps(published, "", "the longest of its rows, of one link", std::move(series));
    }
    judge_steps(*p.total(), "", "the sum of these", std::move(sum));
    Counts::Series chain;
    for (const std::vector<CountedRow>& rows : counts_.lines(formulation)) {
      const Arrival last = last_arrival(rows);
      chain.mul.push_back(last.mul);
      chain.add.push_back(last.add);
    }
    judge_steps(*p.total(), ", without lock-step",
                cat(formulation.id, ", a unit for each of its ", counts_.lines(formulation).back().size(), " vector equations"), std::move(chain));
  }
  void judge_steps(const PublishedEntry& published, std::string_view suffix, std::string counted, Counts::Series series) {
    ComparedEntry entry = entry_of(published);
    entry.name += suffix;
    entry.counted = std::move(counted);
    entry.mul.ours = std::move(series.mul);
    entry.add.ours = std::move(series.add);
    judge_entry(std::move(entry));
  }

  // --- what a table must fulfil by itself --------------------------------------------------------------------------------------------------------

  void check() {
    const PublishedTable& p = *table_.published;
    if (const PublishedEntry* total = p.total()) {
      check_polynomial("the printed rows add up to the printed total", *total, [&](auto count) {
        Polynomial sum;
        for (const PublishedEntry& entry : p.entries)
          if (&entry != total) sum = sum + (entry.*count).polynomial;
        return sum;
      });
    }
    for (const PublishedEntry& entry : p.entries) {
      if (entry.total_of.empty()) continue;
      const PublishedTable& rows = *find_published(entry.total_of);
      check_polynomial(cat(entry.name, " is the total of ", rows.where), entry, [&](auto count) { return (rows.total()->*count).polynomial; });
    }
    if (p.cells_of == p.id)
      check_cells("the printed numbers are those of the printed polynomials", p);
    else if (const PublishedTable* other = find_published(p.cells_of))
      check_cells(cat("the numbers are those of ", other->where, " at n = ", p.only), *other);
    if (p.difference) {
      const PublishedDifference& d = *p.difference;
      check_polynomial(std::string(d.claim), *p.find(d.entry),
                       [&](auto count) { return (p.find(d.of)->*count).polynomial - (find_published(d.less_table)->find(d.less)->*count).polynomial; });
    }
  }

  /// Compares the printed polynomials of an entry with what `follows(&PublishedEntry::mul)` and `follows(&PublishedEntry::add)` give.
  template <class Follows>
  void check_polynomial(std::string what, const PublishedEntry& entry, Follows follows) {
    TableCheck check{std::move(what), true, {}};
    for (const auto count : {&PublishedEntry::mul, &PublishedEntry::add}) {
      const Polynomial is = (entry.*count).polynomial, must = follows(count);
      if (!(is == must)) refute(check, cat(entry.name, ", ", operation(count), ": ", is.text(), " is printed, ", must.text(), " follows"));
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

}  // namespace ulna::internal
