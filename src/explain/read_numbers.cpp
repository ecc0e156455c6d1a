#include <limits>
#include <map>

#include <ulna/explain/explain.hpp>
#include <ulna/model/model.hpp>

#include "model/unit_quaternion.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/words.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// Where a column goes.
struct Column {
  std::vector<double> Numbers::*of = nullptr;  // null: passed over
  std::size_t index = 0, width = 0;
};

class NumbersReader {
 public:
  NumbersReader(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {
    const auto list = [](const std::vector<std::string>& names) {
      Index index;
      for (std::size_t k = 0; k < names.size(); ++k) index[names[k]] = k;
      return index;
    };
    positions_ = list(model.position_names());
    velocities_ = list(model.velocity_names());
    efforts_ = list(model.effort_names());
  }

  std::optional<Numbers> read(std::string_view text) {
    int line_number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      ++line_number;
      if (trimmed(line).empty()) continue;
      std::vector<std::string> cells;
      if (!read_csv_cells(trimmed(line), cells)) {
        diagnostics_.error(line_number, "row", "a quotation mark is not closed", "close it");
        return {};
      }
      if (columns_.empty())
        read_header(cells, line_number);
      else
        read_row(cells, line_number);
      constexpr std::size_t kMost = 20;
      if (diagnostics_.count(Severity::error) >= kMost) return {};
    }
    if (columns_.empty()) diagnostics_.error(0, "file", "it has no header", "write a line such as q.J1,v.J1,a.J1,tau.J1");
    if (numbers_.states == 0 && !diagnostics_.has_errors()) diagnostics_.error(0, "file", "it has no rows", "write one row a state");
    if (diagnostics_.has_errors()) return {};
    return std::move(numbers_);
  }

 private:
  using Index = std::map<std::string, std::size_t, std::less<>>;
  static std::vector<std::string> names(const Index& index) {
    std::vector<std::string> out;
    for (const auto& [name, unused] : index) out.push_back(name);
    return out;
  }

  void read_header(const std::vector<std::string>& cells, int line) {
    const std::size_t n = model_.nv();
    bool compared = false;
    std::map<std::string, bool> seen;
    for (const std::string& cell : cells) {
      Column column;
      const std::size_t point = cell.find('.');
      const std::string part = cell.substr(0, point), rest = point == std::string::npos ? "" : cell.substr(point + 1);
      const std::map<std::string, std::vector<double> Numbers::*> parts{
          {"q", &Numbers::q}, {"v", &Numbers::v}, {"a", &Numbers::a}, {"tau", &Numbers::tau}, {"g", &Numbers::gravity}};
      if (point != std::string::npos && !seen.emplace(cell, true).second)
        diagnostics_.error(line, Element::column(cell), "it is there twice", "keep one of them");
      if (const auto found = parts.find(part); found != parts.end() && point != std::string::npos) {
        const Index& index = part == "q" ? positions_ : part == "tau" || part == "g" ? efforts_ : velocities_;
        if (const auto joint = index.find(rest); joint != index.end())
          column = {found->second, joint->second, part == "q" ? model_.nq() : n};
        else
          diagnostics_.error(line, Element::column(cell), cat("there is no coordinate ", in_quotes(rest)),
                             cat("use the names that 'ulna info' lists", did_you_mean(rest, names(index))));
        compared = compared || part == "tau" || part == "g";
      } else if (part == "M" && point != std::string::npos) {
        // Names may hold points themselves: any of them may be the one between the two.
        bool good = false;
        for (std::size_t at = rest.find('.'); at != std::string::npos && !good; at = rest.find('.', at + 1)) {
          const auto one = velocities_.find(rest.substr(0, at)), two = velocities_.find(rest.substr(at + 1));
          if (one == velocities_.end() || two == velocities_.end()) continue;
          column = {&Numbers::mass, one->second * n + two->second, n * n};
          good = true;
        }
        if (!good) diagnostics_.error(line, Element::column(cell), "it names no two coordinates", "write M.J.K with names that 'ulna info' lists");
        compared = true;
      }
      columns_.push_back(column);
    }
    if (!compared) diagnostics_.error(line, "header", "there is nothing to compare", "add columns tau.J, g.J or M.J.K");
  }

  void read_row(const std::vector<std::string>& cells, int line) {
    if (cells.size() != columns_.size()) {
      diagnostics_.error(line, "row", cat("it has ", cells.size(), " cells, and the header ", columns_.size()), "write as many");
      return;
    }
    ++numbers_.states;
    constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> zero = neutral(model_);
    numbers_.q.insert(numbers_.q.end(), zero.begin(), zero.end());
    for (const auto of : {&Numbers::v, &Numbers::a}) (numbers_.*of).resize(numbers_.states * model_.nv(), 0.0);
    for (const Column& column : columns_)
      if (column.of == &Numbers::tau || column.of == &Numbers::gravity || column.of == &Numbers::mass)
        (numbers_.*column.of).resize(numbers_.states * column.width, kNotGiven);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_[i];
      if (column.of == nullptr) continue;
      NumberProblem problem;
      const std::optional<double> value = parse_angle(cells[i], problem);
      if (!value) {
        diagnostics_.error(line, "row", cat("cell ", i + 1, " ", problem.problem), problem.cure);
        continue;
      }
      (numbers_.*column.of)[(numbers_.states - 1) * column.width + column.index] = *value;
    }
    if (model_.base() != RootJoint::free) return;
    const double length = normalize(model_, {&numbers_.q[(numbers_.states - 1) * model_.nq()], model_.nq()});
    if (is_no_unit(length, kWrittenQuaternion)) diagnostics_.error(line, "row", quaternion_problem(length), kQuaternionCure);
  }

  const Model& model_;
  Index positions_, velocities_, efforts_;
  Diagnostics& diagnostics_;
  std::vector<Column> columns_;
  Numbers numbers_;
};

}  // namespace

std::optional<Numbers> read_numbers(std::string_view text, const Model& model, Diagnostics& diagnostics) {
  return NumbersReader(model, diagnostics).read(text);
}

}  // namespace ULNA_API
