// The states a command computes on: one from the command line, or the rows of a CSV file.
#pragma once

#include "arguments.hpp"
#include "base_state.hpp"
#include "programs/interface.hpp"
#include "state_rows.hpp"

namespace ulna::cli {

/// --q, --v, … as far as the command reads them, how those of a free base are written, and --states.
std::vector<Option> state_options(const StateParts& parts);

/// Of a robot with loops: states may leave its dependent positions out, which are then closed from the reference assembly.
struct Dependents {
  std::vector<std::size_t> positions;               // independent ones
  std::vector<std::size_t> independent, dependent;  // coordinates of v_tree
  std::vector<double> reference;                    // q
  bool given = false;                               // set by States: some dependent position is in the states, as an initial guess
};

/// A file of states is read from end to end once before the first result, so that a bad cell in the last row costs no half-written output. Then it is read
/// again, piece by piece, on all cores. Input that cannot be read twice (a pipe) is first copied to a temporary file that nobody else can open.
class States {
 public:
  struct Needs {
    StateParts parts;                             // of a state
    std::size_t results = 1;                      // numbers that are computed of each state
    std::function<StateCheck()> make_check = {};  // one for each thread; may be empty, and may give an empty one
    Dependents* dependents = nullptr;             // null for a tree
  };
  /// `model` is a tree: of a robot with loops, all its joints. Throws UsageError for a wrong call, StatesRefused for a bad file.
  States(const Arguments& arguments, const Model& model, const Needs& needs);
  ~States();
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  bool single() const { return file_ < 0; }
  /// The state of the command line, when it is a single one.
  const StateBlock& typed() const { return inline_; }
  /// Pieces of the file; 1 for the state of the command line.
  std::size_t pieces() const { return single() ? 1 : (end_ - begin_ + piece_bytes_ - 1) / piece_bytes_; }
  /// States before a piece.
  std::size_t before(std::size_t piece) const { return before_[piece]; }
  std::size_t count() const { return before_.back(); }

  /// One thread's view of them.
  class Reader {
   public:
    explicit Reader(const States& states);
    /// Valid until the next call. Throws StatesRefused when the file was changed after it was checked.
    const StateBlock& read(std::size_t piece);

   private:
    friend class States;
    const States& states_;
    std::string buffer_;
    StateRows rows_;
  };

  /// To be called before and after each pass over the pieces: throws StatesRefused when the file is no longer what was checked.
  void refuse_change() const;

 private:
  void open(const std::string& path);
  void copy_pipe(int input, bool patient);
  [[noreturn]] void refuse(const std::string& what, const std::string& cure) const;
  void read_header(const Model& model, const StateParts& parts);
  void check_all(const std::function<StateCheck()>& make_check);
  std::string_view lines(std::size_t piece, std::string& buffer) const;
  std::size_t read_at(std::size_t offset, char* to, std::size_t most) const;
  std::string message(const StateProblem& problem, std::size_t line) const;
  void print(const StateProblem& problem, std::size_t line) const;

  BaseState base_;
  StateBlock empty_;  // the state at zero, with the parts that are read
  StateBlock inline_;
  int file_ = -1;
  std::string name_;  // for messages
  ReadLimits limits_;
  FileStamp stamp_;                  // when it was opened
  std::size_t begin_ = 0, end_ = 0;  // of the rows [bytes]
  std::size_t header_line_ = 0;      // counts from 1
  std::size_t piece_bytes_ = 0;
  std::vector<StateColumn> columns_;
  std::vector<std::size_t> before_{0};
};

/// The last message; other problems went to standard error. The program ends with status 2.
struct StatesRefused {
  std::string message = {};
};

}  // namespace ulna::cli
