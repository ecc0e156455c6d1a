#include <set>

#include "command.hpp"
#include "json.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

/// Titles, paragraphs and grids, for a terminal or for Markdown.
class Page {
 public:
  virtual ~Page() = default;
  virtual void title(const std::string& id, const std::string& text) = 0;
  virtual void paragraph(const std::string& text) = 0;
  virtual void item(const std::string& text) = 0;
  /// The first row is the heading; `alignment` as in Table.
  virtual void grid(const std::string& alignment, const std::vector<std::vector<std::string>>& rows) = 0;
  const std::string& text() const { return out_; }

 protected:
  std::string out_;
};

class TerminalPage : public Page {
 public:
  void title(const std::string& id, const std::string& text) override { out_ += cat(out_.empty() ? "" : "\n", id, ": ", text, "\n\n"); }
  void paragraph(const std::string& text) override { out_ += wrapped(text, "  ", "  ", 120) + '\n'; }
  void item(const std::string& text) override { out_ += wrapped(text, "  ", "      ", 120); }
  void grid(const std::string& alignment, const std::vector<std::vector<std::string>>& rows) override {
    Table table(alignment);
    for (const auto& row : rows) table.row(row);
    out_ += table.text() + '\n';
  }
};

class MarkdownPage : public Page {
 public:
  void title(const std::string& id, const std::string& text) override { block(cat("## ", id, ": ", text)); }
  void paragraph(const std::string& text) override { block(text); }
  void item(const std::string& text) override {
    out_ += cat(in_list_ || out_.empty() ? "" : "\n", "* ", text, "\n");
    in_list_ = true;
  }
  void grid(const std::string& alignment, const std::vector<std::vector<std::string>>& rows) override {
    std::string text = line(rows.front()) + "\n|";
    for (const char c : alignment) text += c == 'r' ? "---:|" : "---|";
    for (std::size_t k = 1; k < rows.size(); ++k) text += '\n' + line(rows[k]);
    block(text);
  }

 private:
  void block(const std::string& text) {
    out_ += cat(out_.empty() ? "" : "\n", text, "\n");
    in_list_ = false;
  }
  static std::string line(const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += cat(" ", cell, " |");
    return out;
  }
  bool in_list_ = false;
};

// --- text ----------------------------------------------------------------------------------------------------------------------------------------

std::string printed_text(const ComparedCount& count) { return count.printed.text.empty() ? "-" : std::string(count.printed.text); }

std::string our_text(const ComparedTable& table, const ComparedCount& count) {
  if (count.ours.empty()) return "-";
  if (!count.fit) return "not a polynomial in n";
  std::string text = count.fit->polynomial.text();
  if (count.fit->from > table.published->first) text += cat(", n >= ", count.fit->from);
  return text;
}

std::string difference_text(const ComparedCount& count) {
  return !count.verdict || *count.verdict == Verdict::exact || !count.difference ? "" : count.difference->text();
}

std::string verdict_text(const ComparedCount& count) { return count.verdict ? std::string(to_string(*count.verdict)) : ""; }

/// The printed count for n joints: the number in the table, else the polynomial's; empty below the range.
std::string printed_at(const ComparedTable& table, const ComparedCount& count, int n) {
  if (count.printed.text.empty() || n < table.published->first) return "";
  for (const PublishedCell& cell : count.printed.cells)
    if (cell.n == n) return std::to_string(cell.value);
  return table.published->only != 0 ? "" : count.printed.polynomial(n).text();
}
std::string ours_at(const ComparedCount& count, int n) {
  const auto at = static_cast<std::size_t>(n - 1);
  return at < count.ours.size() ? std::to_string(count.ours[at]) : "";
}

void write_polynomials(Page& page, const ComparedTable& table) {
  const bool single = table.published->only != 0;
  std::vector<std::vector<std::string>> rows{{"entry", "", "printed", "our count", "ours - printed", "verdict"}};
  for (const ComparedEntry& entry : table.entries) {
    rows.push_back({entry.name, "mul", printed_text(entry.mul), our_text(table, entry.mul), difference_text(entry.mul), verdict_text(entry.mul)});
    rows.push_back({"", "add", printed_text(entry.add), our_text(table, entry.add), difference_text(entry.add), verdict_text(entry.add)});
  }
  page.grid(single ? "llrrrl" : "llllll", rows);
}

/// Numbers for n = 1 … 8; of a table of rows only the total.
void write_cells(Page& page, const ComparedTable& table) {
  std::vector<std::vector<std::string>> rows{{"n =", "", ""}};
  for (int n = 1; n <= kShownTableJoints; ++n) rows.front().push_back(std::to_string(n));
  for (const ComparedEntry& entry : table.entries) {
    if (table.published->has_total && !entry.name.starts_with("Total")) continue;
    for (const auto& [operation, count] : {std::pair("mul", &entry.mul), std::pair("add", &entry.add)}) {
      std::vector<std::string> printed{operation == std::string("mul") ? entry.name : "", operation, "printed"}, ours{"", "", "ours"};
      for (int n = 1; n <= kShownTableJoints; ++n) {
        printed.push_back(printed_at(table, *count, n));
        ours.push_back(ours_at(*count, n));
      }
      rows.push_back(printed);
      if (!count->ours.empty()) rows.push_back(ours);
    }
  }
  page.grid("lll" + std::string(kShownTableJoints, 'r'), rows);
}

/// What our counts are of, the same thing only once.
std::string counted_text(const ComparedTable& table) {
  std::string text, before;
  for (const ComparedEntry& entry : table.entries) {
    if (!entry.counted.empty() && entry.counted != before) text += cat(text.empty() ? "Ours: " : "; ", entry.counted);
    if (!entry.counted.empty()) before = entry.counted;
  }
  return text + ".";
}

void write_reasons(Page& page, const ComparedTable& table) {
  page.item(counted_text(table));
  for (const ComparedEntry& entry : table.entries) {
    const bool same = entry.mul.reason == entry.add.reason;
    for (const auto& [operation, count] : {std::pair("mul", &entry.mul), std::pair("add", &entry.add)}) {
      if (!count->printed.misprint.empty()) page.item(cat(entry.name, ", ", operation, ": misprint put right: ", count->printed.misprint, "."));
      if (count->reason.empty() || (same && count == &entry.add)) continue;
      page.item(cat(entry.name, same ? "" : ", ", same ? "" : operation, ": ", to_string(*count->verdict), ": ", count->reason, "."));
    }
  }
  for (const TableCheck& check : table.checks) page.item(cat("The paper with itself: ", check.what, check.holds ? ": yes." : cat(": no: ", check.detail, ".")));
  for (const std::string& problem : table.problems) page.item(cat("Fault of this program: ", problem, "."));
}

void write_table(Page& page, const ComparedTable& table) {
  const PublishedTable& p = *table.published;
  page.title(std::string(p.id), cat(p.paper, ", ", p.where, ": ", p.title));
  write_polynomials(page, table);
  if (p.only == 0) write_cells(page, table);
  write_reasons(page, table);
}

void write_crossovers(Page& page, const std::vector<Crossover>& crossovers) {
  page.title("crossovers", "which method is cheapest for how many joints");
  for (const Crossover& crossover : crossovers) {
    page.paragraph(cat(crossover.paper, ": ", crossover.claim, "."));
    std::vector<std::vector<std::string>> rows{{"by", "cheapest", "holds"}};
    for (const Crossover::Line& line : crossover.lines) rows.push_back({line.basis, line.cheapest, !line.holds ? "" : *line.holds ? "yes" : "no"});
    page.grid("lll", rows);
  }
}

// --- JSON ----------------------------------------------------------------------------------------------------------------------------------------

double number(const Rational& value) { return static_cast<double>(value.numerator()) / static_cast<double>(value.denominator()); }

/// Constant term first; a fraction as text, "32/3", so that nothing is lost.
void write_coefficients(Json& json, const Polynomial& polynomial) {
  json.begin_array();
  for (const Rational& c : polynomial.coefficients()) {
    if (c.text().find('/') == std::string::npos)
      json.value(number(c));
    else
      json.value(c.text());
  }
  json.end_array();
}

void write_count(Json& json, const ComparedTable& table, const ComparedCount& count) {
  const PublishedTable& p = *table.published;
  const int first = p.only != 0 ? p.only : 1, last = p.only != 0 ? p.only : kShownTableJoints;
  json.begin_object();
  if (!count.printed.text.empty()) {
    json.fields("printed", count.printed.text, "printed_coefficients", [&] { write_coefficients(json, count.printed.polynomial); });
    json.key("printed_cells").begin_array();
    for (const PublishedCell& cell : count.printed.cells) json.object("n", cell.n, "value", static_cast<double>(cell.value));
    json.end_array();
    if (!count.printed.misprint.empty()) json.fields("misprint", count.printed.misprint);
  }
  if (!count.ours.empty()) {
    json.key("ours").begin_array();
    for (int n = first; n <= last; ++n) json.value(static_cast<double>(count.ours[static_cast<std::size_t>(p.only != 0 ? 0 : n - 1)]));
    json.end_array();
  }
  if (count.fit) {
    json.fields(
        "polynomial", count.fit->polynomial.text(), "coefficients", [&] { write_coefficients(json, count.fit->polynomial); }, "from", count.fit->from);
  }
  if (count.difference) json.fields("difference", count.difference->text());
  if (count.verdict) json.fields("verdict", to_string(*count.verdict));
  if (!count.reason.empty()) json.fields("reason", count.reason);
  json.end_object();
}

void write_json(const std::vector<ComparedTable>& tables, const std::vector<Crossover>& crossovers) {
  JsonOutput json;
  json.line().key("tables").begin_array();
  for (const ComparedTable& table : tables) {
    const PublishedTable& p = *table.published;
    json.line().begin_object();
    json.fields("id", p.id, "paper", p.paper, "where", p.where, "title", p.title, "first", p.only != 0 ? p.only : 1, "last",
                p.only != 0 ? p.only : kShownTableJoints);
    json.line().key("entries").begin_array();
    for (const ComparedEntry& entry : table.entries) {
      json.line().begin_object().fields("name", entry.name, "counted", entry.counted);
      json.line_fields(
          "mul", [&] { write_count(json, table, entry.mul); }, "add", [&] { write_count(json, table, entry.add); });
      json.end_object();
    }
    json.end_array();
    json.list("checks", table.checks, [&](const TableCheck& check) { json.object("what", check.what, "holds", check.holds, "detail", check.detail); });
    json.end_object();
  }
  json.end_array().line().key("crossovers").begin_array();
  for (const Crossover& crossover : crossovers) {
    json.line().begin_object().fields("id", crossover.id, "paper", crossover.paper, "claim", crossover.claim).line().key("lines").begin_array();
    for (const Crossover::Line& line : crossover.lines) {
      json.line().begin_object().fields("basis", line.basis, "cheapest", line.cheapest);
      if (line.holds) json.fields("holds", *line.holds);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end();
}

int tables_main(const Arguments& arguments) {
  if (arguments.has("--json") && arguments.has("--markdown")) throw UsageError("options --json and --markdown exclude each other; give one of them");
  const std::vector<std::string>& names = arguments.positional();
  const std::vector<std::string> known = table_names();
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(there_is_no("table", name, known, cat("; the tables are ", joined(known))));
  const std::vector<ComparedTable> tables = compare_tables(names);
  const bool crossing = names.empty() || std::set<std::string>(names.begin(), names.end()).count("crossovers") != 0;
  const std::vector<Crossover> crossovers = crossing ? compare_crossovers() : std::vector<Crossover>{};
  if (arguments.has("--json")) {
    write_json(tables, crossovers);
    return kDone;
  }
  TerminalPage terminal;
  MarkdownPage markdown;
  Page& page = arguments.has("--markdown") ? static_cast<Page&>(markdown) : terminal;
  for (const ComparedTable& table : tables) write_table(page, table);
  if (crossing) write_crossovers(page, crossovers);
  std::fputs(page.text().c_str(), stdout);
  return kDone;
}

}  // namespace

Command tables_command() {
  return {"tables",
          "the papers' operation counts, compared with ours",
          "[NAME...] [options]",
          "Shows the tables of operation counts that the founding papers print, each number beside our own count of the same\n"
          "formulation as written, for n = 1 to 8 joints and as a polynomial that passes exactly through the counts of n = 1 to\n"
          "10. Each has a verdict: 'exact'; 'differs', with the place in the paper that causes the difference; or 'not\n"
          "determined by the paper', when the text does not say enough. 'crossovers' says which method is cheapest for how many\n"
          "joints, as the papers claim and as our counts give. Without a NAME all are shown: turney-1 to turney-5,\n"
          "hollerbach-1, hollerbach-2, lin-1, lin-2, lin-frames, nasser, kane, crossovers.",
          {{"--markdown", "", "print Markdown"}, {"--json", "", "print one JSON object and nothing else"}},
          "ulna tables lin-1\n"
          "    the inertia matrix by five methods: Renaud's and Lin's printed polynomials come out exactly",
          tables_main};
}

}  // namespace ulna::cli
