#include "campaign/folder.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
namespace fs = std::filesystem;

namespace {

/// The value of a key in a text that to_text() wrote.
std::string value_of(const std::string& text, const std::string& key) {
  const std::string mark = cat("\"", key, "\": ");
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size(), end = text.find_first_of(",\n}", begin);
  std::string value = text.substr(begin, end - begin);
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

std::optional<std::uint64_t> whole_number(const std::string& text) {
  std::uint64_t x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  return x;
}

}  // namespace

Range range_of(const Shard& shard, std::uint64_t runs) {
  constexpr std::uint64_t kMostShards = 1'000'000;
  if (shard.count < 1 || shard.count > kMostShards || shard.index < 1 || shard.index > shard.count)
    throw FolderError(shard.count > kMostShards
                          ? cat(shard.count, " shards are more than ", kMostShards, "; make fewer, larger ones")
                          : cat("shard ", shard.index, " of ", shard.count, " does not exist: they are numbered from 1 to ", shard.count));
  // runs * i / count without leaving 64 bits: i <= count.
  const auto share = [&](std::uint64_t i) { return runs / shard.count * i + runs % shard.count * i / shard.count; };
  return {share(shard.index - 1), share(shard.index)};
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  std::ostringstream text;
  text << in.rdbuf();
  return in.bad() ? std::nullopt : std::optional(text.str());
}

std::string to_text(const Identity& i) {
  return cat("{\n  \"ulna\": \"", i.version, "\",\n  \"spec\": \"", i.hash, "\",\n  \"instruction_set\": \"", i.instruction_set, "\",\n  \"path\": \"", i.path,
             "\",\n  \"sampling\": \"", i.sampling, "\",\n  \"runs\": ", i.runs, ",\n  \"first\": ", i.first, ",\n  \"count\": ", i.count,
             ",\n  \"variations\": ", i.variations, ",\n  \"format\": \"", to_string(i.format), "\",\n  \"checksum\": \"", i.checksum, "\"\n}\n");
}

std::optional<Identity> read_identity(const std::string& folder) {
  const std::string path = (fs::path(folder) / "campaign.json").string();
  const std::optional<std::string> text = read_file(path);
  if (!text) return {};
  const std::string format = value_of(*text, "format");
  if (format == "parquet") throw FolderError(cat(in_quotes(folder), " holds results.parquet, which ulna.campaign() in Python reads and goes on with"));
  const std::optional<std::uint64_t> runs = whole_number(value_of(*text, "runs")), first = whole_number(value_of(*text, "first")),
                                     count = whole_number(value_of(*text, "count")), variations = whole_number(value_of(*text, "variations"));
  Identity i{.version = value_of(*text, "ulna"),
             .hash = value_of(*text, "spec"),
             .instruction_set = value_of(*text, "instruction_set"),
             .path = value_of(*text, "path"),
             .sampling = value_of(*text, "sampling"),
             .checksum = value_of(*text, "checksum"),
             .format = format == "h5" ? Format::h5 : Format::csv};
  if (!runs || !first || !count || !variations || i.hash.empty() || i.version.empty() || i.instruction_set.empty() || i.checksum.empty())
    throw FolderError(cat(path, ": Ulna did not write this campaign.json; make the folder again"));
  i.runs = *runs, i.first = *first, i.count = *count, i.variations = *variations;
  return i;
}

CampaignFile::CampaignFile(const std::string& path)
    : WholeFile(path, true, [path](const std::string& why) {
        throw FolderError(cat(path, " cannot be written: ", why, "; finished parts are kept: solve that, and continue with --resume"));
      }) {}

void write_safely(const std::string& path, std::string_view text) {
  CampaignFile file(path);
  file.write(text);
  file.keep();
}

double free_disk(const std::string& path) {
  std::error_code problem;
  fs::path there = fs::absolute(path, problem);
  while (!there.empty() && !fs::exists(there, problem) && there != there.parent_path()) there = there.parent_path();
  const fs::space_info space = fs::space(there, problem);
  return problem ? std::nan("") : static_cast<double>(space.available);
}

void check_disk(const std::string& path, double needed) {
  const double available = free_disk(path);
  if (available < needed)
    throw FolderError(cat("the results take ", rounded(needed / 1e9), " GB at least, but the disk of ", in_quotes(path), " has ", rounded(available / 1e9),
                          " GB left; take another disk, or make fewer runs"));
}

}  // namespace ulna::internal::campaign
