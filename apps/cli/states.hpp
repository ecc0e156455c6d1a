// The states a command computes on: one from the command line, or the rows of a CSV file.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/source/limits.hpp>

#include "arguments.hpp"
#include "source/whole_text.hpp"

namespace ulna::cli {

struct State {
  std::vector<double> q, v, a, tau;
};

/// Which of its parts a command reads: any of "q", "v", "a", "tau".
using StateParts = std::vector<std::string>;

/// --q, --v, … as far as the command reads them, and --states.
std::vector<Option> state_options(const StateParts& parts);

/// A file of states is read from end to end once before the first result, so that a bad cell in the last row costs no half-written output. Then it is
/// read again row by row. Input that cannot be read twice (a pipe) is first copied to a temporary file that nobody else can open.
class States {
 public:
  /// Throws UsageError for a wrong call, StatesRefused (problems printed) for a bad file.
  States(const Arguments& arguments, const Model& model, const StateParts& parts);
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  /// From the first state on again.
  void rewind();
  /// False after the last one.
  bool next(State& state);
  bool single() const { return file_ == nullptr; }

 private:
  void open(const std::string& path);
  void copy_pipe(int input, bool patient);
  void refuse_change();
  [[noreturn]] void refuse(const std::string& what, const std::string& cure);
  void read_header(const Model& model, const StateParts& parts);
  void check_all();
  bool read_line();
  bool parse_row(State& state);
  void problem(std::size_t line, const std::string& element, const std::string& what, const std::string& cure);
  void show_progress(bool done);

  State empty_;  // zeros of the right sizes
  State inline_;
  bool inline_given_ = false;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  File file_;
  std::string name_;  // for messages
  ReadLimits limits_;
  FileStamp stamp_;  // when it was opened
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::string line_;
  std::size_t line_number_ = 0;
  std::size_t rows_ = 0, total_rows_ = 0;
  struct Column {
    std::string header;
    std::vector<double> State::*part;  // null: passed over
    std::size_t index;
  };
  std::vector<Column> columns_;
  std::size_t problems_ = 0;
  bool progress_ = false;  // standard error is a terminal
  long long last_shown_ = 0;
};

/// The problems went to standard error; the program ends with status 2.
struct StatesRefused {};

}  // namespace ulna::cli
