#include "campaign/results.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "campaign/block.hpp"
#include "campaign/bytes.hpp"
#include "campaign/h5_table.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
namespace fs = std::filesystem;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kStatusBytes = 8, kReasonBytes = 128;  // of results.h5
constexpr std::size_t kBuffer = 1 << 20;

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) line += cat(i == 0 ? "" : ",", csv_cell(columns[i]));
  return line + "\n";
}

std::string h5_header(const Identity& identity, const std::vector<std::string>& names, const std::string& spec) {
  std::vector<H5Column> columns;
  for (const std::string& name : names) columns.push_back({name});
  columns[0].kind = H5Column::Kind::whole;
  columns[1] = {names[1], H5Column::Kind::text, kStatusBytes};
  columns[2] = {names[2], H5Column::Kind::text, kReasonBytes};
  try {
    return h5_head({"results", columns, identity.count, {{"campaign", to_text(identity)}, {"spec", spec}}});
  } catch (const std::length_error& problem) {
    throw FolderError(cat(problem.what(), "; write CSV"));
  }
}

/// The cells of a row that is no failure's hold no quotation marks: numbers, split at commas.
double number_of(std::string_view cell) {
  double x = kNothing;
  std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return x;
}

void append_h5_row(std::string& text, const Rows& rows, std::size_t r) {
  put(text, rows.first + r, 8);
  append_text(text, rows.status[r], kStatusBytes);
  append_text(text, rows.reason[r], kReasonBytes);
  for (std::size_t c = 0; c < rows.columns; ++c) put(text, rows.numbers[c * rows.count + r]);
}

void append_csv_row(std::string& text, const Rows& rows, std::size_t r) {
  std::string reason = rows.reason[r];
  for (char& c : reason)
    if (c == '\n' || c == '\r') c = ' ';
  text += cat(rows.first + r, ",", rows.status[r], ",", csv_cell(reason));
  char cell[kNumberBytes];
  for (std::size_t c = 0; c < rows.columns; ++c) {
    const double x = rows.numbers[c * rows.count + r];
    text += ',';
    if (!std::isnan(x)) text.append(cell, write_number(cell, x));
  }
  text += '\n';
}

[[noreturn]] void changed(const std::string& path) { throw FolderError(cat(path, " has changed since it was written; make it again")); }

[[noreturn]] void damaged(const std::string& path) {
  throw FolderError(cat(path, " has changed since it was written (its checksum differs); make it again, in another folder"));
}

constexpr std::size_t h5_row_bytes(std::size_t columns) { return 8 + kStatusBytes + kReasonBytes + 8 * (columns - kLeading); }

/// Names of the columns; the stream stands at the first row then.
std::vector<std::string> read_head(std::ifstream& in, const std::string& path, Format format) {
  std::vector<std::string> names;
  std::string line;
  if (format == Format::h5) {
    const std::optional<H5Table> table = read_h5_head(in);
    if (!table || table->columns.size() < kLeading || row_bytes(table->columns) != h5_row_bytes(table->columns.size())) changed(path);
    for (const H5Column& c : table->columns) names.push_back(c.name);
  } else if (std::getline(in, line)) {
    read_csv_cells(line, names);
  }
  if (names.size() < kLeading || in.eof()) changed(path);
  return names;
}

constexpr std::string_view kMagic = "ULNAPART";
constexpr std::uint64_t kVersion = 2;  // 1 was text
constexpr std::size_t kHead = 40, kTail = 8;

/// What the rows belong to.
std::string label_of(const Identity& whole) { return cat(whole.hash, " ", whole.instruction_set, " ", whole.version); }

std::size_t rounded_up(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// A part as its file begins.
struct Head {
  std::uint64_t version = 0, first = 0, count = 0, columns = 0;
  std::string label{};
};

/// Nothing for a file that was changed.
std::optional<Head> head_of(std::string_view bytes) {
  if (bytes.size() < kHead + kTail || bytes.substr(0, kMagic.size()) != kMagic) return {};
  if (get(bytes, bytes.size() - kTail, kTail) != checksum(bytes.substr(0, bytes.size() - kTail))) return {};
  Head head{.version = get(bytes, 8, 4), .first = get(bytes, 16, 8), .count = get(bytes, 24, 8), .columns = get(bytes, 32, 8)};
  const std::uint64_t label = get(bytes, 12, 4);
  if (head.version != kVersion) return head;  // whose other bytes may mean other things
  if (head.count > bytes.size() || head.columns > bytes.size() || rounded_up(kHead + label) + 8 * head.count * (head.columns + 1) + kTail > bytes.size())
    return {};
  head.label = bytes.substr(kHead, label);
  return head;
}

std::optional<Rows> rows_of(std::string_view bytes, const Head& head) {
  Rows rows(head.first, head.count, head.columns);
  std::size_t at = rounded_up(kHead + head.label.size());
  for (double& x : rows.numbers) x = get_number(bytes, at), at += 8;
  for (std::vector<std::string>* texts : {&rows.status, &rows.reason}) {
    std::size_t lengths = at;
    at += 4 * rows.count;
    for (std::string& text : *texts) {
      const std::size_t length = get(bytes, lengths, 4);
      if (at + length > bytes.size()) return {};
      text = bytes.substr(at, length);
      lengths += 4, at += length;
    }
  }
  return at + kTail == bytes.size() ? std::optional(std::move(rows)) : std::nullopt;
}

}  // namespace

std::string file_checksum(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::uint64_t sum = kChecksumStart;
  std::string buffer(kBuffer, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0)
    sum = checksum(std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())), sum);
  return to_hex(sum);
}

void check_results(const std::string& folder, const Identity& identity) {
  const std::string path = results_path(folder, identity.format);
  if (file_checksum(path) != identity.checksum) damaged(path);
}

std::string results_path(const std::string& folder, Format format) { return (fs::path(folder) / cat("results.", to_string(format))).string(); }

std::string results_head(const Identity& identity, const std::vector<std::string>& columns, const std::string& spec) {
  Identity unsummed = identity;  // a file cannot hold its own checksum
  unsummed.checksum.clear();
  return identity.format == Format::h5 ? h5_header(unsummed, columns, spec) : csv_header(columns);
}

ResultsWriter::ResultsWriter(const std::string& folder, const Identity& identity, const std::vector<std::string>& columns, const std::string& spec)
    : format_(identity.format), columns_(columns.size()), file_(results_path(folder, identity.format)), sum_(kChecksumStart) {
  write(results_head(identity, columns, spec));
}

void ResultsWriter::write(std::string_view bytes) {
  file_.write(bytes);
  sum_ = campaign::checksum(bytes, sum_);
}

void append_row(std::string& text, const Rows& rows, std::size_t r, Format format) {
  format == Format::h5 ? append_h5_row(text, rows, r) : append_csv_row(text, rows, r);
}

void ResultsWriter::add(const Rows& rows, std::size_t from, std::size_t to) {
  if (rows.columns + kLeading != columns_) throw FolderError(cat("a part has ", rows.columns, " columns of numbers, not ", columns_ - kLeading));
  std::string text;
  for (std::size_t r = from; r < to; ++r) append_row(text, rows, r, format_);
  write(text);
}

void ResultsWriter::add_folder(const std::string& folder, const Identity& identity) {
  const std::string path = results_path(folder, identity.format);
  std::ifstream in(path, std::ios::binary);
  if (read_head(in, path, format_).size() != columns_) changed(path);
  std::size_t left = static_cast<std::size_t>(in.tellg());  // bytes of the head
  in.seekg(0);
  std::uint64_t own = kChecksumStart;
  std::string buffer(kBuffer, '\0');
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(in.gcount()));
    own = campaign::checksum(bytes, own);
    const std::size_t head = std::min(left, bytes.size());
    left -= head;
    write(bytes.substr(head));
  }
  if (to_hex(own) != identity.checksum) damaged(path);
}

std::string ResultsWriter::checksum() const { return to_hex(sum_); }

std::vector<std::string> results_columns(const std::string& folder, Format format) {
  const std::string path = results_path(folder, format);
  std::ifstream in(path, std::ios::binary);
  return read_head(in, path, format);
}

void each_row(const std::string& folder, Format format, const RowFunction& row) {
  const std::string path = results_path(folder, format);
  std::ifstream in(path, std::ios::binary);
  const std::size_t columns = read_head(in, path, format).size();
  std::vector<double> numbers;
  std::uint64_t run = 0;
  if (format == Format::h5) {
    std::string bytes(h5_row_bytes(columns), '\0');
    numbers.resize(columns - kLeading);
    while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = get_number(bytes, h5_row_bytes(kLeading + i));
      const std::string_view status = std::string_view(bytes).substr(8, kStatusBytes);
      row(get(bytes, 0, 8), status.substr(0, status.find('\0')), numbers);
    }
    return;
  }
  std::string line;
  while (std::getline(in, line)) {
    numbers.clear();
    std::string_view left = line;
    std::from_chars(line.data(), line.data() + line.size(), run);
    left.remove_prefix(std::min(left.find(','), left.size() - 1) + 1);
    const std::string_view status = left.substr(0, left.find(','));
    if (status == "done") {
      left.remove_prefix(std::min(status.size() + 2, left.size()));  // and no reason
      while (true) {
        const std::size_t end = std::min(left.find(','), left.size());
        numbers.push_back(number_of(left.substr(0, end)));
        if (end == left.size()) break;
        left.remove_prefix(end + 1);
      }
      if (numbers.size() + kLeading != columns)
        throw FolderError(cat(path, ": the row of run ", run, " has ", numbers.size() + kLeading, " cells, not ", columns));
    }
    row(run, status, numbers);
  }
}

Rows::Rows(std::uint64_t first_run, std::size_t runs, std::size_t numbers_of_row)
    : first(first_run),
      count(runs),
      columns(numbers_of_row),
      numbers(runs * numbers_of_row, std::numeric_limits<double>::quiet_NaN()),
      status(runs),
      reason(runs) {}

void Rows::set(const RunRow& row) {
  std::size_t at = static_cast<std::size_t>(row.run - first);
  status[at] = row.status;
  reason[at] = row.reason;
  for (const std::vector<double>* of : {&row.values, &row.metrics})
    for (const double x : *of) numbers[at] = x, at += count;
}

Part write_part(const std::string& folder, const Identity& whole, const Rows& rows) {
  const std::string label = label_of(whole);
  std::string bytes(kMagic);
  put(bytes, kVersion, 4), put(bytes, label.size(), 4), put(bytes, rows.first, 8), put(bytes, rows.count, 8), put(bytes, rows.columns, 8);
  bytes += label;
  bytes.resize(rounded_up(bytes.size()), '\0');
  for (const double x : rows.numbers) put(bytes, x);
  for (const std::vector<std::string>* texts : {&rows.status, &rows.reason}) {
    for (const std::string& text : *texts) put(bytes, text.size(), 4);
    for (const std::string& text : *texts) bytes += text;
  }
  put(bytes, checksum(bytes), kTail);
  std::string number = std::to_string(rows.first);
  number.insert(0, 13 - std::min<std::size_t>(13, number.size()), '0');
  Part part{rows.first, rows.count, (fs::path(folder) / "parts" / (number + ".part")).string()};
  write_safely(part.path, bytes);
  return part;
}

Rows read_part(const Part& part) {
  const std::optional<std::string> bytes = read_file(part.path);
  const std::optional<Head> head = bytes ? head_of(*bytes) : std::nullopt;
  std::optional<Rows> rows =
      head && head->version == kVersion && head->first == part.first && head->count == part.count ? rows_of(*bytes, *head) : std::nullopt;
  if (!rows) throw FolderError(cat(part.path, " has changed while it was used (its checksum differs); continue with --resume, which makes its runs again"));
  return *std::move(rows);
}

Parts find_parts(const std::string& folder, const Identity& whole) {
  Parts parts;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(folder) / "parts", ignored)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".csv")
      throw FolderError(
          cat(path, " is text, as earlier versions of Ulna wrote their parts; finish the folder by the version that began it, or take another folder"));
    if (entry.path().extension() != ".part") continue;
    const std::optional<std::string> bytes = read_file(path);
    const std::optional<Head> head = bytes ? head_of(*bytes) : std::nullopt;
    if (head && head->version != kVersion)
      throw FolderError(cat(path, " has version ", head->version, " of the format, but this Ulna reads version ", kVersion,
                            "; continue with the version of Ulna that made it, or use another folder"));
    if (head && head->label != label_of(whole)) {
      std::istringstream label(head->label);
      std::string hash, set, version;
      label >> hash >> set >> version;
      throw FolderError(hash != whole.hash ? cat(in_quotes(folder), " holds parts of another campaign (", hash, ", not ", whole.hash,
                                                 "): the file or its robot has changed; take another folder")
                                           : cat(in_quotes(folder), " holds parts made by Ulna ", version, " for ", set, ", not ", whole.version, " for ",
                                                 whole.instruction_set, "; continue on the computer that made them, or use another folder"));
    }
    if (head && rows_of(*bytes, *head))
      parts.intact.push_back({head->first, head->count, path});
    else
      parts.damaged.push_back(path);
  }
  std::sort(parts.intact.begin(), parts.intact.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
  std::sort(parts.damaged.begin(), parts.damaged.end());
  return parts;
}

}  // namespace ulna::internal::campaign
