#include "results.hpp"

#include <cerrno>
#include <cstring>
#include <numeric>

#include "in_order.hpp"
#include "progress.hpp"
#include "states.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

std::size_t numbers_of(const Column& column) { return std::accumulate(column.shape.begin(), column.shape.end(), std::size_t{1}, std::multiplies<>()); }

}  // namespace

std::size_t Result::size() const {
  std::size_t all = 0;
  for (const Column& column : columns) all += numbers_of(column);
  return all;
}

std::size_t Result::add(Column column) {
  first.push_back(size());
  columns.push_back(std::move(column));
  return first.back();
}

std::size_t Result::add_list(const std::string& name, const std::string& prefix, const std::vector<std::string>& names, const std::string& group) {
  Column column{name, {names.size()}, {}, group};
  for (const std::string& one : names) column.headers.push_back(cat(prefix, ".", one));
  return add(std::move(column));
}

std::size_t Result::add_matrix(const std::string& name, const std::vector<std::string>& rows, const std::vector<std::string>& columns_of_it) {
  Column column{name, {rows.size(), columns_of_it.size()}, {}};
  for (const std::string& row : rows)
    for (const std::string& one : columns_of_it) column.headers.push_back(cat(name, ".", row, ".", one));
  return add(std::move(column));
}

void Result::show_matrix(const std::string& name, const std::vector<std::string>& rows, const std::vector<std::string>& columns_of_it) {
  sheets.push_back(matrix_sheet(name, rows, columns_of_it, add_matrix(name, rows, columns_of_it)));
}

void Result::arrange(const std::vector<std::size_t>& from) {
  for (MakeCompute* each : {&make, &make_errors}) *each = gathered(*each, from.size(), from);
}

MakeCompute gathered(MakeCompute make, std::size_t size, std::vector<std::size_t> from) {
  return [make = std::move(make), size, from = std::move(from)]() -> Compute {
    return [compute = make(), size, from, all = std::vector<double>()](const StateBlock& states, double* rows) mutable {
      all.resize(states.count * size);
      compute(states, all.data());
      for (std::size_t k = 0; k < states.count; ++k)
        for (const std::size_t i : from) *rows++ = i == kNone ? 0 : all[k * size + i];
    };
  };
}

std::vector<std::size_t> by_rows(std::size_t first, std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) from.push_back(first + i + j * rows);
  return from;
}

Sheet matrix_sheet(const std::string& head, const std::vector<std::string>& rows, const std::vector<std::string>& columns, std::size_t first) {
  Sheet sheet{{head}, {}};
  sheet.head.insert(sheet.head.end(), columns.begin(), columns.end());
  for (const std::string& row : rows) {
    std::vector<std::size_t> numbers(columns.size());
    std::iota(numbers.begin(), numbers.end(), first);
    first += columns.size();
    sheet.lines.push_back({{row}, std::move(numbers)});
  }
  return sheet;
}

namespace {

/// Text that has to wait until other text is written: in memory, and beyond a megabyte in a file that vanishes with the program and nobody else can open.
class Spool : public TextSink {
 public:
  void write(std::string_view text) override {
    memory_ += text;
    if (memory_.size() < kMostMemory) return;
    if (file_ == nullptr) file_.reset(std::tmpfile());
    if (file_ == nullptr || std::fwrite(memory_.data(), 1, memory_.size(), file_.get()) != memory_.size()) refuse();
    memory_.clear();
  }
  void copy_to(TextSink& out) {
    if (file_ != nullptr) {
      std::rewind(file_.get());
      std::vector<char> buffer(std::size_t{1} << 18);
      while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file_.get())) out.write({buffer.data(), got});
      if (std::ferror(file_.get()) != 0) refuse();
    }
    out.write(memory_);
  }

 private:
  static constexpr std::size_t kMostMemory = std::size_t{1} << 20;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] static void refuse() {
    throw std::runtime_error(
        cat("cannot keep results in a temporary file until they are printed: ", std::strerror(errno), "; free some disk space, or set TMPDIR"));
  }
  std::string memory_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Appends the text of one state's numbers, each piece to the text of one sink. The number of the state counts from 0. Errors are null unless they are asked
/// for.
using RowFormat = std::function<void(std::vector<std::string>& texts, const double* row, const double* errors, std::size_t number)>;

void write_states(const std::vector<TextSink*>& sinks, const States& states, const Result& result, bool errors, const RowFormat& format) {
  Progress progress("states");
  struct RowWorker {
    States::Reader reader;
    Compute compute, compute_errors;
    const RowFormat& format;
    const States& states;
    const std::vector<TextSink*>& sinks;
    Progress& progress;
    std::size_t size;
    std::vector<double> rows = {}, errors = {};
    std::vector<std::string> texts = {};

    void work(std::size_t piece) {
      const std::size_t count = states.before(piece + 1) - states.before(piece);
      texts.assign(sinks.size(), {});
      rows.resize(count * size);
      if (const StateBlock& block = reader.read(piece); count > 0) {
        compute(block, rows.data());
        if (compute_errors) errors.resize(count * size), compute_errors(block, errors.data());
      }
      for (std::size_t k = 0; k < count; ++k)
        format(texts, rows.data() + k * size, compute_errors ? errors.data() + k * size : nullptr, states.before(piece) + k);
    }
    bool take(std::size_t piece) {
      for (std::size_t k = 0; k < sinks.size(); ++k) sinks[k]->write(texts[k]);
      if (!states.single()) progress.show(static_cast<double>(piece + 1) / static_cast<double>(states.pieces()));
      return true;
    }
  };
  states.refuse_change();
  in_order(states.pieces(), [&] {
    return RowWorker{States::Reader(states), result.make(), errors && result.make_errors ? result.make_errors() : Compute{}, format, states, sinks, progress,
                     result.size()};
  });
  states.refuse_change();
}

/// Nested JSON lists of the given shape. Advances `at`.
void append_json(std::string& out, const double*& at, const std::vector<std::size_t>& shape, std::size_t depth = 0) {
  if (depth == shape.size()) {
    const double value = *at++;
    if (!std::isfinite(value)) {
      out += "null";
      return;
    }
    const std::size_t size = out.size();
    out.resize(size + kNumberBytes);  // so that its digits are written in their place
    out.resize(static_cast<std::size_t>(write_number(out.data() + size, value) - out.data()));
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < shape[depth]; ++i) {
    if (i > 0) out += ", ";
    append_json(out, at, shape, depth + 1);
  }
  out += ']';
}

/// [{"joint": "q1", "force": [1, 2, 3]}, …], without its brackets for a single state.
void append_objects(std::string& out, const double*& at, const Column& column, bool single) {
  const std::vector<std::size_t> numbers(column.shape.begin() + 2, column.shape.end());
  const char* between = single ? ",\n    " : ", ";
  if (!single) out += '[';
  for (std::size_t k = 0; k < column.objects.size(); ++k) {
    out += cat(k > 0 ? between : "", column.objects[k]);
    for (const std::string& key : column.keys) {
      out += cat(", \"", key, "\": ");
      append_json(out, at, numbers);
    }
    out += '}';
  }
  if (!single) out += ']';
}

/// Numbers with commas between them, and a line break.
void append_csv_row(std::string& out, const double* row, std::size_t size) {
  const std::size_t before = out.size();
  out.resize(before + size * (kNumberBytes + 1) + 1);
  char* at = out.data() + before;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) *at++ = ',';
    at = write_number(at, row[i]);
  }
  *at++ = '\n';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

std::string csv_head(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) line += cat(line.empty() ? "" : ",", csv_cell(name));
  return line + "\n";
}

/// 0 where rounding alone can have made the number. Machine code may lose twice what the kernels lose whose errors these are.
std::string number_text(double value, double error) {
  constexpr double kOfMachineCode = 2;
  return std::isfinite(error) && std::fabs(value) <= kOfMachineCode * error ? "0" : brief(value);
}

std::string sheet_text(const Sheet& sheet, const double* row, const double* errors) {
  const std::size_t width = sheet.lines.empty() ? sheet.head.size() : sheet.lines.front().words.size() + sheet.lines.front().numbers.size();
  Table table("l" + std::string(width - 1, 'r') + "l");
  if (!sheet.head.empty()) table.row(sheet.head);
  for (const Sheet::Line& line : sheet.lines) {
    std::vector<std::string> cells = line.words;
    for (const std::size_t i : line.numbers) cells.push_back(number_text(row[i], errors == nullptr ? 0 : errors[i]));
    cells.push_back(line.unit);
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

void print_text(Output& out, const States& states, const Result& result) {
  write_states({&out}, states, result, true, [&](std::vector<std::string>& texts, const double* row, const double* errors, std::size_t number) {
    std::string& text = texts.front();
    if (!states.single()) text += cat(number == 0 ? "" : "\n", "state ", number + 1, "\n");
    for (const Sheet& sheet : result.sheets) text += cat(&sheet == &result.sheets.front() ? "" : "\n", sheet_text(sheet, row, errors));
    if (result.residual != kNone) text += cat("\nloops closed to ", rounded(row[result.residual]), "\n");
  });
}

void print_csv(Output& out, const States& states, const Result& result) {
  const std::size_t size = result.size();
  std::vector<std::string> headers(size);
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    std::copy(result.columns[c].headers.begin(), result.columns[c].headers.end(), headers.begin() + static_cast<std::ptrdiff_t>(result.first[c]));
  out.write(csv_head(headers));
  write_states({&out}, states, result, false,
               [size](std::vector<std::string>& texts, const double* row, const double*, std::size_t) { append_csv_row(texts.front(), row, size); });
}

void print_json(Output& out, Json& json, const States& states, const Result& result) {
  // Entries of one column stand together, so all but those of the first one have to wait.
  std::vector<Spool> waiting(result.columns.size());
  std::vector<TextSink*> sinks{&out};
  for (std::size_t c = 1; c < result.columns.size(); ++c) sinks.push_back(&waiting[c]);
  std::string group;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const Column& column = result.columns[c];
    if (column.group != group) {
      if (!group.empty()) json.end_object();
      if (!column.group.empty()) json.line().key(column.group).begin_object().line_fields("joints", result.group_joints);
      group = column.group;
    }
    json.line().key(column.name).begin_array();
    if (c == 0)
      write_states(sinks, states, result, false, [&](std::vector<std::string>& texts, const double* row, const double*, std::size_t number) {
        for (std::size_t k = 0; k < texts.size(); ++k) {
          texts[k] += number == 0 ? "\n    " : ",\n    ";
          const double* at = row + result.first[k];
          result.columns[k].objects.empty() ? append_json(texts[k], at, result.columns[k].shape)
                                            : append_objects(texts[k], at, result.columns[k], states.single());
        }
      });
    else
      waiting[c].copy_to(out);
    json.end_array();
  }
  if (!group.empty()) json.end_object();
}

void write_rows(std::FILE* file, bool json, const NumberRows& rows) {
  std::vector<double> values;
  if (json) {
    JsonOutput text(file);
    text.line_fields("columns", rows.names).line().key("rows").begin_array();
    for (std::size_t k = 0; k < rows.rows; ++k) {
      rows.row(k, values);
      text.line().numbers(values.data(), values.size());
    }
    text.end_array().end();
    return;
  }
  Output out(file);
  out.write(csv_head(rows.names));
  std::string line;
  for (std::size_t k = 0; k < rows.rows; ++k) {
    rows.row(k, values);
    line.clear();
    append_csv_row(line, values.data(), values.size());
    out.write(line);
  }
}

}  // namespace ulna::cli
