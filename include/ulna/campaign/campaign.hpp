// Many runs of one scenario with varied parameters, and their statistics. The files: docs/campaign.md.
//
//   const ulna::campaign::Campaign campaign = ulna::campaign::load_campaign("payload.yaml");
//   const ulna::campaign::Report report = ulna::campaign::run_campaign(campaign, "out");
//
// Run k depends on the file and on k alone. So any part of a campaign can be made anywhere, and parts put together are the whole, byte for byte, on computers
// with the same instruction set (Report::instruction_set) and the same version of Ulna.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/source/load.hpp>

namespace ulna::campaign {}
namespace ulna::internal::campaign {
using namespace ulna::campaign;  // internal code uses public names
struct Spec;
}  // namespace ulna::internal::campaign

namespace ulna {
namespace campaign ULNA_API {

/// A campaign as its file describes it, read and checked. Immutable and cheap to copy.
class Campaign {
 public:
  explicit Campaign(std::shared_ptr<const internal::campaign::Spec> spec) : spec_(std::move(spec)) {}

  std::uint64_t runs() const;  // Number of runs.
  /// The file, with the requested number of runs: the content of spec.yaml.
  const std::string& text() const;
  /// Of what decides the results: the file, and the files that it names. 16 hexadecimal digits.
  const std::string& hash() const;
  /// Names of the columns of results.csv, with units: run, status, reason, what varies, metrics.
  const std::vector<std::string>& columns() const;
  /// Of the scenario, before anything varies.
  const Model& model() const;
  const internal::campaign::Spec& spec() const { return *spec_; }

 private:
  std::shared_ptr<const internal::campaign::Spec> spec_;
};

struct CampaignResult {  // A campaign, or nothing when the diagnostics hold errors.
  std::optional<Campaign> campaign;
  std::vector<Diagnostic> diagnostics;
};

/// Never throws for a bad file. `runs`, where it is given, stands for the file's.
CampaignResult try_load_campaign(const std::string& path, std::optional<std::uint64_t> runs = {}, const ReadLimits& limits = {});
CampaignResult try_parse_campaign(std::string_view text, const std::string& file, std::optional<std::uint64_t> runs = {}, const ReadLimits& limits = {});
/// Throws SourceError listing every problem, with lines.
Campaign load_campaign(const std::string& path, std::optional<std::uint64_t> runs = {});

/// The folder cannot be used, a disk is full, or parts do not belong together. What was finished before is kept.
struct FolderError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Part i of n, i = 1 … n.
struct Shard {
  std::uint64_t index = 1, count = 1;
};

/// Of the file of results. HDF5: one table `results` with the columns of the CSV, where a missing number is NaN and a reason is cut to 128 bytes; spec and
/// campaign.json are attributes `spec` and `campaign` of the file.
enum class Format { csv, h5 };
constexpr std::string_view to_string(Format format) { return format == Format::csv ? "csv" : "h5"; }

struct CampaignOptions {        // How a campaign runs.
  Shard shard{};                // Which part of the runs.
  Format format = Format::csv;  // Of the files of results.
  bool resume = false;          // go on with what the folder holds; an empty or complete one is fine, too
  unsigned threads = 0;         // 0: one per core
  /// Called now and then, by one thread at a time, with the runs that are done and those that there are; false ends the work and keeps finished parts.
  std::function<bool(std::uint64_t done, std::uint64_t all)> go_on{};
};

struct MetricSummary {  // One metric over all runs.
  std::string name;
  std::uint64_t count = 0;  // runs that came to their end and have this metric
  double mean = 0, deviation = 0, least = 0, most = 0;
  std::vector<std::pair<double, double>> quantiles;  // share, value: between the two nearest runs
  /// What 95 % of all runs that could be drawn stay below, at 95 % confidence, whatever the distribution (Wilks 1941); none with fewer than 59 runs, and where
  /// runs were not drawn at random.
  std::optional<double> upper_tolerance;
  std::optional<std::pair<double, double>> tolerance;  // between these two lie 95 % of all runs, at 95 % confidence; none with fewer than 93 runs
  /// Share of the variance that each variation explains, by means over its tenths (first order); empty for fewer than 100 runs.
  std::vector<std::pair<std::string, double>> explained;
  std::uint64_t worst_run = 0;           // that with the largest value
  std::vector<std::uint64_t> histogram;  // runs in each of equal intervals from `least` to `most`
};

/// An extreme run, and what reproduces it.
struct WorstRun {
  std::uint64_t run = 0;
  std::string metric;
  double value = 0;
  std::vector<std::pair<std::string, double>> variations;
};

/// Everything about a finished campaign.
struct Report {
  std::uint64_t runs = 0, failed = 0;                           // of this folder
  std::uint64_t first = 0;                                      // number of the first run
  std::vector<std::pair<std::string, std::uint64_t>> failures;  // how many "diverged", "stopped" and "refused", where there are any
  std::string instruction_set, hash;
  std::string path;  // "lanes": accelerations of several runs by one call of the batch kernels; else "one by one", and the reason. Results are the same bits
  Format format = Format::csv;  // Of the files of results.
  bool interrupted = false;
  std::vector<std::string> remade;  // parts that were found damaged: their runs were made again
  std::vector<MetricSummary> metrics;
  std::vector<WorstRun> worst;
};

/// Makes all runs of the shard, and writes results.csv or results.h5, campaign.json and spec.yaml into the folder. Throws FolderError; a run that fails is a
/// row.
Report run_campaign(const Campaign& campaign, const std::string& folder, const CampaignOptions& options = {});

/// Estimated cost of a campaign, from a few of its runs.
struct Estimate {
  std::uint64_t runs = 0, measured = 0;  // of the shard, and those of them that were made to measure
  unsigned threads = 0;
  double measured_seconds = 0, runs_per_second = 0, seconds = 0;  // seconds: of the shard
  double bytes = 0, bytes_of_parts = 0;                           // of the results, and of temporary files until they are written
  double free_bytes = 0;                                          // of the disk; NaN where no folder was named
  std::string instruction_set{}, path{};
  Format format = Format::csv;  // Of the files of results.
};
/// Makes runs from all over the shard for about a second, one for each lane and thread at least, and writes nothing. `folder`: where the results would go.
Estimate estimate_campaign(const Campaign& campaign, const std::string& folder = {}, const CampaignOptions& options = {});

/// Merges folders that hold all runs of one campaign. Throws FolderError where specs, instruction sets, versions or formats differ, or runs are
/// missing or double.
Report merge_campaigns(const std::vector<std::string>& folders, const std::string& out);

/// What a finished folder holds.
Report summarise(const std::string& folder);

/// One run alone, as rows of numbers: t, q, v, tau and the reference at every sample. Names of the columns first.
struct Replay {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::string status, reason;
  std::vector<std::string> cells;  // its row of results.csv
};
Replay replay(const Campaign& campaign, std::uint64_t run);  // One run again, with its motion.

/// A run as a file that is simulated by itself, bit for bit as in the campaign, whose file `path` is; `file` is where it will stand. Throws
/// std::invalid_argument for a run that does not exist.
std::string run_file(const Campaign& campaign, const std::string& path, std::uint64_t run, const std::string& file);
bool is_run_file(const std::string& path);  // Whether a file is one.
/// The scenario of such a file. Never throws for a bad one.
ulna::sim::ScenarioResult try_load_run(const std::string& path, const ReadLimits& limits = {});

/// Torque margins of the drives that hold the robot still, over the whole workspace, with the parameters and payloads of one run.
struct TorqueMap {
  /// Margin of one drive.
  struct OfJoint {
    std::string name;
    double least;    // margin: 1 - |torque| / limit
    double weakest;  // share of the postures in which no other joint has less
  };
  std::uint64_t run = 0;
  std::string tip{};  // the link that is mapped: the one with the most joints before it
  std::size_t columns = 0, rows = 0;
  double distance = 0, low = 0, high = 0;  // cells go from 0 to `distance` from the vertical through the base, and from `low` to `high` [m]
  std::vector<double> margin{};            // row by row from `low` on: the least of the postures there; NaN where no posture was drawn
  double overloaded = 0;                   // share of the postures that cannot be held
  std::vector<OfJoint> joints{};
};
/// Of postures drawn evenly within the joints' limits. Nothing where no joint has a limit of torque, and for a base that moves.
std::optional<TorqueMap> torque_map(const Campaign& campaign, std::uint64_t run);

}  // namespace ULNA_API
}  // namespace ulna

// Random states of a robot and quantities computed from them, as columns of numbers. The file: docs/campaign.md.

namespace ulna {
namespace campaign ULNA_API {

/// Row k depends on the file and on k alone. Immutable; several threads may use it.
class Dataset {
 public:
  struct Parts;
  explicit Dataset(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::uint64_t rows() const;                       // Number of rows.
  const std::vector<std::string>& columns() const;  // with units
  const std::string& text() const;                  // the file
  std::string_view instruction_set() const;         // What computes it.
  /// Rows from `first` on: number r of column c at out[c * count + r].
  void make(std::uint64_t first, std::size_t count, double* out) const;

 private:
  std::shared_ptr<const Parts> parts_;
};

struct DatasetResult {  // A data set, or nothing when the diagnostics hold errors.
  std::optional<Dataset> dataset;
  std::vector<Diagnostic> diagnostics;
};

/// Never throws for a bad file. `rows`, where it is given, stands for the file's.
DatasetResult try_load_dataset(const std::string& path, std::optional<std::uint64_t> rows = {}, const ReadLimits& limits = {});
DatasetResult try_parse_dataset(std::string_view text, const std::string& file, std::optional<std::uint64_t> rows = {}, const ReadLimits& limits = {});

}  // namespace ULNA_API
}  // namespace ulna
