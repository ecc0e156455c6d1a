#include "state_rows.hpp"

#include <charconv>
#include <cstring>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

const char* find(const char* from, const char* end, char what) {
  return static_cast<const char*>(std::memchr(from, what, static_cast<std::size_t>(end - from)));
}

std::string_view up_to(const char* from, const char* comma, const char* end) {
  return {from, static_cast<std::size_t>((comma == nullptr ? end : comma) - from)};
}

}  // namespace

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

const std::vector<StatePart>& state_parts() {
  static const std::vector<StatePart> parts{
      {"q", "--q", &StateBlock::q, "joint positions, rad or m", &Model::position_names},
      {"v", "--v", &StateBlock::v, "joint velocities, rad/s or m/s", &Model::velocity_names},
      {"a", "--a", &StateBlock::a, "joint accelerations, rad/s² or m/s²", &Model::velocity_names},
      {"tau", "--tau", &StateBlock::tau, "joint torques or forces, N m or N", &Model::effort_names},
  };
  return parts;
}

std::vector<StateColumn> read_state_header(std::string_view line, const Model& model, const StateParts& parts, StateProblems& problems) {
  const auto refuse = [&](const std::string& element, const std::string& what, const std::string& cure) { problems.push_back({0, element, what, cure}); };
  std::vector<std::string> known;
  std::vector<StateColumn> meaning;  // of each of them
  for (const StatePart& part : state_parts()) {
    const bool used = std::find(parts.begin(), parts.end(), part.name) != parts.end();
    std::size_t index = 0;
    for (const std::string& name : (model.*part.names)()) {
      known.push_back(cat(part.name, ".", name));
      meaning.push_back({known.back(), used ? part.member : nullptr, index++});
    }
  }
  std::vector<std::string> cells;
  if (!read_csv_cells(line, cells)) refuse("header", "a quotation mark is not closed", "close it, or double it inside a name");
  bool useful = false;
  std::vector<std::string> seen;
  std::vector<StateColumn> columns;
  for (const std::string& header : cells) {
    const auto found = std::find(known.begin(), known.end(), header);
    if (std::find(seen.begin(), seen.end(), header) != seen.end()) refuse(cat("column ", in_quotes(header)), "this column stands twice", "remove one");
    seen.push_back(header);
    if (header == "t") {  // time, as simulations write it
      columns.push_back({header, nullptr, 0});
    } else if (found == known.end()) {
      refuse(cat("column ", in_quotes(header)), "no coordinate of this robot has that name",
             cat("headers are q.NAME, v.NAME, a.NAME, tau.NAME with the joints of 'ulna info'", did_you_mean(header, known)));
    } else {
      columns.push_back(meaning[static_cast<std::size_t>(found - known.begin())]);
      useful = useful || columns.back().part != nullptr;
    }
  }
  if (problems.empty() && !useful) {
    std::string wanted;
    for (const std::string& part : parts) wanted += cat(wanted.empty() ? "" : ", ", part, ".NAME");
    refuse("header", "no column says anything this command uses", cat("it reads ", wanted));
  }
  return columns;
}

void StateRows::read(std::string_view text, std::size_t most, const StateCheck& check) { run(text, most, check, true); }
void StateRows::check(std::string_view text, std::size_t most, const StateCheck& check) { run(text, most, check, false); }

void StateRows::run(std::string_view text, std::size_t most, const StateCheck& check, bool keep) {
  block_.nq = empty_.nq;
  block_.nv = empty_.nv;
  lines_ = states_ = 0;
  problems_.clear();
  too_long_ = false;
  for (const StatePart& part : state_parts()) (block_.*part.member) = empty_.*part.member;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end && problems_.size() <= most && !too_long_) {
    const char* const newline = find(at, end, '\n');
    std::string_view line(at, static_cast<std::size_t>((newline == nullptr ? end : newline) - at));
    at = newline == nullptr ? end : newline + 1;
    if (line.size() > most_line_) {
      problem("", cat("this line is longer than ", most_line_, " bytes"), line_cure_);
      too_long_ = true;
    } else {
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (!is_blank(line)) {
        const std::size_t row = keep ? states_ : 0, before = problems_.size();
        if (row > 0 || translate_)
          for (const StatePart& part : state_parts()) {
            std::vector<double>& all = block_.*part.member;
            const std::vector<double>& zero = empty_.*part.member;
            all.resize(row * zero.size());
            all.insert(all.end(), zero.begin(), zero.end());
          }
        read_row(line, row);
        ++states_;
        if (translate_ && problems_.size() == before)
          if (std::optional<StateProblem> own = translate_(block_.at(row))) problem(std::move(own->element), std::move(own->what), std::move(own->cure));
        if (check && problems_.size() == before)
          if (std::optional<StateProblem> own = check(block_.at(row))) problem(std::move(own->element), std::move(own->what), std::move(own->cure));
      }
    }
    ++lines_;
  }
  block_.count = states_;
}

void StateRows::read_row(std::string_view line, std::size_t row) {
  const char* at = line.data();
  const char* const end = at + line.size();
  std::size_t count = 0;
  while (true) {
    const char* comma = nullptr;
    // The common case, a plain number up to a comma or the end, is read in one go.
    double value = 0;
    const auto plain = std::from_chars(at, end, value);
    if (plain.ec == std::errc{} && (plain.ptr == end || *plain.ptr == ',') && std::isfinite(value)) {
      comma = plain.ptr == end ? nullptr : plain.ptr;
      if (count < columns_.size()) {
        const StateColumn& column = columns_[count];
        if (column.part != nullptr) (block_.*column.part)[row * block_.size(column.part) + column.index] = value;
      }
    } else {
      std::string_view cell;
      if (at < end && *at == '"') {
        const char* close = find(at + 1, end, '"');
        while (close != nullptr && close + 1 < end && close[1] == '"') close = find(close + 2, end, '"');  // doubled, it is a part of the cell
        if (close == nullptr) return problem("", "a quotation mark is not closed", "close it");
        comma = find(close, end, ',');
        cell = {at + 1, static_cast<std::size_t>(close - at - 1)};
        // What follows the quotes belongs to the cell, which is no number then.
        const std::string_view whole = up_to(at, comma, end);
        if (!trimmed(whole.substr(cell.size() + 2)).empty()) cell = whole;
      } else {
        comma = find(at, end, ',');
        cell = up_to(at, comma, end);
      }
      if (count < columns_.size()) {
        const StateColumn& column = columns_[count];
        value = read_odd_cell(trimmed(cell), column);
        if (column.part != nullptr) (block_.*column.part)[row * block_.size(column.part) + column.index] = value;
      }
    }
    ++count;
    if (comma == nullptr) break;
    at = comma + 1;
  }
  if (count != columns_.size())
    problem("", cat("this row has ", count, count == 1 ? " cell" : " cells", ", but the header has ", columns_.size()),
            "give every row a cell for each column");
}

/// Quoted, padded, with a plus, a gap, or no number at all.
double StateRows::read_odd_cell(std::string_view cell, const StateColumn& column) {
  if (is_nan(cell)) return std::numeric_limits<double>::quiet_NaN();
  NumberProblem why;
  if (const std::optional<double> number = parse_number(cell, why)) return *number;
  problem(cat("column ", in_quotes(column.header)), cell.empty() ? "the cell is empty" : why.problem,
          cell.empty() ? "write a number, or nan for a gap" : why.cure);
  return 0;
}

}  // namespace ulna::cli
