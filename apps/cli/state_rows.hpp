// The text of a file of states: its header, and its rows as numbers. docs/states.md says what is allowed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>

#include "state_block.hpp"

namespace ulna::cli {

/// What is wrong with a row, or with a state; `line` counts from the first line of the text at hand, which is 0.
struct StateProblem {
  std::size_t line = 0;
  std::string element, what, cure;
};
using StateProblems = std::vector<StateProblem>;

/// A computation's own word on a state that it cannot take.
using StateCheck = std::function<std::optional<StateProblem>(const StateView&)>;

struct StatePart {
  const char* name;
  const char* option;
  std::vector<double> StateBlock::*member;
  const char* what;
  std::vector<std::string> (Model::*names)() const;
};
const std::vector<StatePart>& state_parts();

struct StateColumn {
  std::string header;
  std::vector<double> StateBlock::*part;  // null: passed over
  std::size_t index;
};

/// Such lines are passed over.
bool is_blank(std::string_view line);

/// Columns from the header line. Problems are appended; there are no columns then.
std::vector<StateColumn> read_state_header(std::string_view line, const Model& model, const StateParts& parts, StateProblems& problems);

/// One thread's reader of rows.
class StateRows {
 public:
  /// `translate` is done to every row before it is checked; it may be empty.
  StateRows(const std::vector<StateColumn>& columns, const StateBlock& empty, std::size_t most_line, std::string line_cure, StateCheck translate)
      : columns_(columns), empty_(empty), most_line_(most_line), line_cure_(std::move(line_cure)), translate_(std::move(translate)) {}

  /// Whole lines to states. Reading stops after `most` problems, and at a line that is longer than allowed.
  void read(std::string_view text, std::size_t most, const StateCheck& check);
  /// The same, but nothing is kept: for a check of the whole file.
  void check(std::string_view text, std::size_t most, const StateCheck& check);

  const StateBlock& block() const { return block_; }
  const StateProblems& problems() const { return problems_; }
  std::size_t lines() const { return lines_; }
  std::size_t states() const { return states_; }
  bool too_long() const { return too_long_; }

 private:
  void run(std::string_view text, std::size_t most, const StateCheck& check, bool keep);
  void read_row(std::string_view line, std::size_t row);
  double read_odd_cell(std::string_view cell, const StateColumn& column);
  void problem(std::string element, std::string what, std::string cure) { problems_.push_back({lines_, std::move(element), std::move(what), std::move(cure)}); }

  const std::vector<StateColumn>& columns_;
  const StateBlock& empty_;  // the state at zero, with the parts that are read
  std::size_t most_line_;
  std::string line_cure_;
  StateCheck translate_;
  StateBlock block_;
  StateProblems problems_;
  std::size_t lines_ = 0, states_ = 0;
  bool too_long_ = false;
};

}  // namespace ulna::cli
