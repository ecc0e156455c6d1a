#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include <ulna/campaign/campaign.hpp>

#include "campaign/block.hpp"
#include "campaign/results.hpp"
#include "campaign/shard.hpp"

namespace ulna {
namespace campaign ULNA_API {

namespace {

constexpr double kSeconds = 1;  // no block begins after

double since(std::chrono::steady_clock::time_point start) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

}  // namespace

Estimate estimate_campaign(const Campaign& campaign, const std::string& folder, const CampaignOptions& options) {
  const Spec& spec = campaign.spec();
  const Range range = range_of(options.shard, spec.runs);
  const auto begin = std::chrono::steady_clock::now();
  const Machinery machinery(spec);
  const double once = since(begin);
  const std::uint64_t lanes = machinery.lanes, all = (range.count() + lanes - 1) / lanes;
  Estimate out{.runs = range.count(), .free_bytes = folder.empty() ? std::nan("") : free_disk(folder)};
  out.instruction_set = machinery.instruction_set;
  out.path = machinery.path;
  out.format = options.format;
  out.threads = options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.threads;
  out.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(all, 1, out.threads));
  const std::uint64_t blocks = std::min<std::uint64_t>(all, std::max(64u, 8 * out.threads));
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;  // of what follows
  double bytes = 0, busy = 0;
  std::exception_ptr problem;
  const auto start = std::chrono::steady_clock::now();
  // As many threads as in the campaign: what they take from each other is measured, too.
  const auto crew = [&] {
    try {
      Block block(machinery);
      for (std::uint64_t k = next++; k < blocks && (k < out.threads || since(start) < kSeconds); k = next++) {
        const std::uint64_t first = range.first + all / blocks * k * lanes;
        const auto from = std::chrono::steady_clock::now();
        const std::vector<RunRow> made = block.run(first, static_cast<std::size_t>(std::min(lanes, range.last - first)));
        const double seconds = since(from);
        Rows rows(first, made.size(), spec.columns.size() - kLeading);
        std::string text;
        for (const RunRow& row : made) rows.set(row), append_row(text, rows, static_cast<std::size_t>(row.run - first), options.format);
        const std::lock_guard lock(mutex);
        busy += seconds, bytes += static_cast<double>(text.size()), out.measured += made.size();
        if (options.go_on && !options.go_on(out.measured, out.runs)) next = blocks;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!problem) problem = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned k = 1; k < out.threads; ++k) others.emplace_back(crew);
  crew();
  for (std::thread& other : others) other.join();
  if (problem) std::rethrow_exception(problem);
  out.measured_seconds = since(start);
  if (out.measured == 0) return out;
  const double runs = static_cast<double>(out.runs), measured = static_cast<double>(out.measured);
  out.runs_per_second = measured * out.threads / busy;
  out.seconds = once + runs / out.runs_per_second;
  out.bytes = runs * bytes / measured;
  out.bytes_of_parts = runs * row_bytes_of_part(spec.columns.size() - kLeading);
  return out;
}

}  // namespace ULNA_API
}  // namespace ulna
