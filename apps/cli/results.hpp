// What a command computes, in typed columns: computed once, printed as text, CSV or JSON.
#pragma once

#include <ulna/model/model.hpp>

#include "json.hpp"
#include "state_rows.hpp"

namespace ulna::cli {

class States;

/// Computes a row of numbers for each state. One thread's own.
using Compute = std::function<void(const StateBlock& states, double* rows)>;
using MakeCompute = std::function<Compute()>;  // one for each thread

/// Numbers of one kind. Files have one row per state with a cell for each number, JSON has a list with one entry per state.
struct Column {
  std::string name;                  // key in JSON
  std::vector<std::size_t> shape;    // of an entry: {} is a number, {n} a list, {n, m} a list of rows
  std::vector<std::string> headers;  // of each number, in CSV
  std::string group = {};            // a JSON object that holds it, with others of its group
  /// Of entries that are lists of objects in JSON: what each begins with, its brace included, and the names of its lists. Shape: objects, lists, numbers. A
  /// single state has no list around its entry.
  std::vector<std::string> objects = {}, keys = {};
};

/// A table for people: lines of words, numbers of a state by their index, and a unit.
struct Sheet {
  struct Line {
    std::vector<std::string> words;
    std::vector<std::size_t> numbers;
    std::string unit = {};
  };
  std::vector<std::string> head;  // empty: none
  std::vector<Line> lines;
};

/// A command's result: a row of numbers for each state, and how to show it.
struct Result {
  std::vector<Column> columns;     // in the order of JSON
  std::vector<std::size_t> first;  // index of the first number of each column, which says where it stands in a row
  std::vector<Sheet> sheets;
  MakeCompute make;                                                          // the numbers
  MakeCompute make_errors = {};                                              // rounding bounds of each of them; empty where unknown
  std::vector<std::size_t> links = {};                                       // whose poses or Jacobians it has
  std::function<StateCheck()> make_check = {};                               // what a state must be besides, one for each thread
  std::vector<std::pair<std::string, std::vector<std::string>>> lists = {};  // further JSON entries: names
  std::vector<std::string> group_joints = {};                                // names that a group begins with
  std::vector<std::pair<std::string, std::string>> labels = {};              // and single words
  std::vector<std::pair<std::string, std::vector<double>>> numbers = {};     // and numbers that no state changes
  std::size_t residual = kNone;                                              // the number that says how near to closed the loops are

  /// Numbers of a state.
  std::size_t size() const;
  /// Appends a column behind the numbers that there are, and returns where it begins.
  std::size_t add(Column column);
  /// A list with these names, whose headers are prefix.NAME; a matrix, whose headers are name.ROW.COLUMN.
  std::size_t add_list(const std::string& name, const std::string& prefix, const std::vector<std::string>& names, const std::string& group = {});
  std::size_t add_matrix(const std::string& name, const std::vector<std::string>& rows, const std::vector<std::string>& columns);
  /// Takes the numbers from others, which `make` and `make_errors` give so far, and of which there are as many: from[k] is the index of number k.
  void arrange(const std::vector<std::size_t>& from);
  /// A matrix and the sheet that shows it.
  void show_matrix(const std::string& name, const std::vector<std::string>& rows, const std::vector<std::string>& columns);
};

/// The numbers of a state, taken from `size` others: from[k] is the index of number k; 0 where it is kNone.
MakeCompute gathered(MakeCompute make, std::size_t size, std::vector<std::size_t> from);

/// A matrix for output, row by row: the places of its numbers among those of kernels, which write it column by column from `first` on.
std::vector<std::size_t> by_rows(std::size_t first, std::size_t rows, std::size_t columns);

/// Rows with names in front, headed by the names of the columns; numbers from `first` on.
Sheet matrix_sheet(const std::string& head, const std::vector<std::string>& rows, const std::vector<std::string>& columns, std::size_t first);

// Each computes all states once, on all cores, and writes them in their order as they are computed; memory does not grow with their number.
void print_text(Output& out, const States& states, const Result& result);
void print_csv(Output& out, const States& states, const Result& result);
/// The entries of the columns, in an object that the caller began.
void print_json(Output& out, Json& json, const States& states, const Result& result);

/// A table of numbers: names, number of rows, and how to get one.
struct NumberRows {
  std::vector<std::string> names;
  std::size_t rows = 0;
  std::function<void(std::size_t row, std::vector<double>& values)> row;
};
/// As CSV or as JSON: {"columns": […], "rows": [[…], …]}.
void write_rows(std::FILE* file, bool json, const NumberRows& rows);

}  // namespace ulna::cli
