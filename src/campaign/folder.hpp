// The files of a campaign: each is whole or absent, and names the campaign it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <ulna/campaign/campaign.hpp>

#include "text/whole_file.hpp"

namespace ulna::internal::campaign {

struct Range {
  std::uint64_t first, last;  // one behind
  std::uint64_t count() const { return last - first; }
};
/// Of a shard. Throws FolderError where there is none.
Range range_of(const Shard& shard, std::uint64_t runs);

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
std::optional<std::string> read_file(const std::string& path);
/// Nothing where there is no such file; throws FolderError where it makes no sense, or its results are of a format that Python alone reads.
std::optional<Identity> read_identity(const std::string& folder);

/// Replaces one of the same name. Throws FolderError.
struct CampaignFile : ulna::internal::WholeFile {
  explicit CampaignFile(const std::string& path);
};
void write_safely(const std::string& path, std::string_view text);

/// Bytes that are free on the disk of this path, which need not exist yet; NaN where unknown.
double free_disk(const std::string& path);
/// Throws FolderError where the disk of this path, which need not exist yet, has less room than this [B].
void check_disk(const std::string& path, double needed);

}  // namespace ulna::internal::campaign
