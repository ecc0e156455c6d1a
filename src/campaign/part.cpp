#include "campaign/part.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>

#include "campaign/block.hpp"
#include "campaign/checksum.hpp"
#include "campaign/little_endian.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
namespace fs = std::filesystem;

namespace {

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

/// Nothing of a file that is not as it was written.
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
  if (!rows) throw FolderError(cat(part.path, " has changed while it was used (its checksum differs); go on with --resume, which makes its runs again"));
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
                            "; go on with the Ulna that made it, or take another folder"));
    if (head && head->label != label_of(whole)) {
      std::istringstream label(head->label);
      std::string hash, set, version;
      label >> hash >> set >> version;
      throw FolderError(hash != whole.hash ? cat(in_quotes(folder), " holds parts of another campaign (", hash, ", not ", whole.hash,
                                                 "): the file or its robot has changed; take another folder")
                                           : cat(in_quotes(folder), " holds parts made by Ulna ", version, " for ", set, ", not ", whole.version, " for ",
                                                 whole.instruction_set, "; go on where they were made, or take another folder"));
    }
    if (head && rows_of(*bytes, *head))
      parts.sound.push_back({head->first, head->count, path});
    else
      parts.damaged.push_back(path);
  }
  std::sort(parts.sound.begin(), parts.sound.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
  std::sort(parts.damaged.begin(), parts.damaged.end());
  return parts;
}

}  // namespace ulna::internal::campaign
