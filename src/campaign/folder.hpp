// The files of a campaign: each is there whole or not at all, and says what it belongs to.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/campaign/campaign.hpp>

namespace ulna::campaign::internal {

/// What results belong to: campaign.json.
struct Identity {
  std::string version, hash, instruction_set, path, sampling;  // path: as Report's; sampling: "random", "sobol" or "grid"
  std::uint64_t runs = 0;                                      // of the whole campaign
  std::uint64_t first = 0, count = 0;                          // of this folder
  std::string checksum{};                                      // of the file of results
  std::size_t variations = 0;                                  // columns behind run, status and reason
  Format format = Format::csv;
};
std::string to_text(const Identity& identity);
/// Nothing where there is no such file; throws FolderError where it makes no sense.
std::optional<Identity> read_identity(const std::string& folder);

/// A file that is written beside its place and put there by keep(), after it has reached the disk. Throws FolderError.
class SafeFile {
 public:
  explicit SafeFile(const std::string& path);
  ~SafeFile();
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;
  void write(std::string_view text);
  void keep();

 private:
  [[noreturn]] void fail(const char* what);
  std::string path_, beside_;
  std::FILE* file_;
};
void write_safely(const std::string& path, std::string_view text);

/// Throws FolderError where the disk of this path, which need not exist yet, has less room than this [B].
void check_disk(const std::string& path, double needed);

/// Rows of some runs, one after the other.
struct Part {
  std::uint64_t first = 0, count = 0;
  std::string path;
};
std::string part_path(const std::string& folder, std::uint64_t first);
void write_part(const std::string& folder, const Identity& whole, std::uint64_t first, std::uint64_t count, std::string_view rows);
/// Those of this campaign that are whole, in order; what is not is left where it is, and written anew.
std::vector<Part> sound_parts(const std::string& folder, const Identity& whole);
/// Its rows.
std::string part_rows(const Part& part);

}  // namespace ulna::campaign::internal
