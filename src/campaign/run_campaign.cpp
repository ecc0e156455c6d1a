#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include <ulna/campaign/campaign.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/version.hpp>

#include "campaign/block.hpp"
#include "campaign/results.hpp"
#include "text/crew.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"

namespace ulna {
namespace campaign ULNA_API {

using namespace internal;
using namespace internal::campaign;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPartRuns = 1000;  // a second or so of work, which kill -9 can lose
constexpr double kEstimate = 1;            // [s] of an estimate: no block begins after

/// The remaining runs, in pieces of at most `piece`.
std::vector<Range> gaps(const Range& all, const std::vector<Part>& parts, std::uint64_t piece) {
  std::vector<Range> out;
  const auto fill = [&](std::uint64_t from, std::uint64_t to) {
    for (; from < to; from = std::min(from + piece, to)) out.push_back({from, std::min(from + piece, to)});
  };
  std::uint64_t next = all.first;
  for (const Part& part : parts) {
    if (part.first + part.count <= next || part.first >= all.last) continue;
    if (part.first > next) fill(next, part.first);
    next = part.first + part.count;
  }
  fill(next, all.last);
  return out;
}

unsigned threads_of(const CampaignOptions& options) { return options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.threads; }

/// Passes the rows of each piece to `take`, on the thread that made them. `made` is called with every block's runs, one thread at a time, and ends the work by
/// false: then pieces are left, and this is false. What a thread throws first is thrown here.
bool make_rows(const Machinery& machinery, const std::vector<Range>& pieces, unsigned threads, const std::function<bool(std::uint64_t)>& made,
               const std::function<void(Rows)>& take) {
  const std::uint64_t lanes = machinery.lanes;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex reporting;
  const auto crew = [&] {
    Block block(machinery);
    for (std::size_t k = next++; k < pieces.size() && !stop; k = next++) {
      Rows rows(pieces[k].first, static_cast<std::size_t>(pieces[k].count()), machinery.spec.columns.size() - kLeading);
      std::uint64_t first = pieces[k].first;
      for (; first < pieces[k].last && !stop; first += lanes) {
        const std::uint64_t count = std::min(lanes, pieces[k].last - first);
        for (const RunRow& row : block.run(first, static_cast<std::size_t>(count))) rows.set(row);
        const std::lock_guard lock(reporting);
        if (!made(count)) stop = true;
      }
      if (first >= pieces[k].last) take(std::move(rows));
    }
  };
  run_crew(std::min<std::size_t>(threads, pieces.size()), crew, [&] { stop = true; });
  return !stop;
}

/// Rows of a part that no part before it has.
struct Slice {
  Part part;
  std::size_t from, to;
};
std::vector<Slice> slices_of(std::vector<Part> parts, const Range& range) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.first < b.first; });
  std::vector<Slice> out;
  std::uint64_t next = range.first;
  for (const Part& part : parts) {
    const std::uint64_t end = std::min(part.first + part.count, range.last);
    if (end <= next || part.first > next) continue;
    out.push_back({part, static_cast<std::size_t>(next - part.first), static_cast<std::size_t>(end - part.first)});
    next = end;
  }
  if (next != range.last) throw FolderError(cat("runs from ", next, " on are missing; continue with --resume"));
  return out;
}

std::string inside(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

void make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || !fs::is_directory(folder))
    throw FolderError(cat("the folder ", in_quotes(folder), " cannot be made: ", problem ? problem.message() : "there is a file of this name"));
}

/// And temporary files of a killed process.
void remove_parts(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".tmp") fs::remove(entry.path(), ignored);
  fs::remove_all(fs::path(folder) / "parts", ignored);
}

/// Refuses runs that need more memory than stated, and disks that will certainly become full.
void check_room(const Spec& spec, const std::string& folder, const Range& range, unsigned threads) {
  const double needed = spec.memory_at_least + threads * spec.memory_of_thread;
  if (spec.memory > 0 && needed > spec.memory)
    throw FolderError(cat(threads, " threads would take ", rounded(needed / 1e6), " MB, more than the ", rounded(spec.memory / 1e6),
                          " MB that the file states; take ", std::floor((spec.memory - spec.memory_at_least) / spec.memory_of_thread),
                          " threads, or state more"));
  constexpr double kCell = 8;  // bytes of a number at the least
  check_disk(folder, static_cast<double>(range.count()) * static_cast<double>(spec.columns.size()) * kCell);
}

std::string_view sampling_of(const Spec& spec) {
  const bool grid = std::any_of(spec.variations.begin(), spec.variations.end(), [](const Variation& v) { return v.kind == VariationKind::grid; });
  return grid ? "grid" : spec.sobol ? "sobol" : "random";
}

}  // namespace

Report run_campaign(const Campaign& campaign, const std::string& folder, const CampaignOptions& options) {
  const Spec& spec = campaign.spec();
  const Range range = range_of(options.shard, spec.runs);
  std::error_code ignored;
  const bool used = fs::exists(folder, ignored) && !(fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored));
  if (used && !options.resume) throw FolderError(cat(in_quotes(folder), " exists and is not empty; use --resume to continue, or name another folder"));
  check_room(spec, folder, range, threads_of(options));
  const Machinery machinery(spec);
  Identity identity{.version = ULNA_VERSION,
                    .hash = spec.hash,
                    .instruction_set = std::string(machinery.instruction_set),
                    .path = std::string(machinery.path),
                    .sampling = std::string(sampling_of(spec)),
                    .runs = spec.runs,
                    .first = range.first,
                    .count = range.count(),
                    .variations = spec.variations.size(),
                    .format = options.format};
  results_head(identity, spec.columns, spec.text);  // checked before the work
  make_folder(folder);
  if (const std::optional<Identity> there = read_identity(folder)) {
    if (there->hash != identity.hash)
      throw FolderError(cat(in_quotes(folder), " holds another campaign (", there->hash, ", not ", identity.hash, "); take another folder"));
    if (there->first != identity.first || there->count != identity.count)
      throw FolderError(cat(in_quotes(folder), " holds runs ", there->first, " to ", there->first + there->count, ", not ", range.first, " to ", range.last,
                            "; take another folder"));
    if (there->instruction_set != identity.instruction_set || there->version != identity.version)
      throw FolderError(cat(in_quotes(folder), " was made by Ulna ", there->version, " for ", there->instruction_set, ", not ", identity.version, " for ",
                            identity.instruction_set));
    if (there->format != identity.format)
      throw FolderError(cat(in_quotes(folder), " holds results.", to_string(there->format), ", not results.", to_string(identity.format),
                            "; ask for this format, or take another folder"));
    if (fs::exists(results_path(folder, identity.format), ignored)) {
      check_results(folder, *there);
      remove_parts(folder);
      return summarise(folder);
    }
  }
  if (fs::exists(inside(folder, "spec.yaml"), ignored) && read_file(inside(folder, "spec.yaml")) != spec.text)
    throw FolderError(cat(in_quotes(folder), " holds another campaign: its spec.yaml differs; use another folder"));
  make_folder(inside(folder, "parts"));
  Parts parts = find_parts(folder, identity);
  write_safely(inside(folder, "spec.yaml"), spec.text);

  const std::uint64_t lanes = machinery.lanes;
  const std::uint64_t piece = std::min(kPartRuns, std::max<std::uint64_t>(1, identity.count / 16 / lanes) * lanes);
  const std::vector<Range> work = gaps(range, parts.intact, piece);
  std::uint64_t left = 0;
  for (const Range& r : work) left += r.count();
  std::uint64_t done = identity.count - left;
  const auto made = [&](std::uint64_t runs) { return !options.go_on || options.go_on(done += runs, identity.count); };
  // Flushing a part to the disk takes time: the next runs do not wait for it, unless more parts wait than there are threads.
  std::mutex listing;
  std::deque<std::future<Part>> writing;
  const auto list_oldest = [&] {
    std::future<Part> oldest = std::move(writing.front());
    writing.pop_front();
    parts.intact.push_back(oldest.get());
  };
  const bool finished = make_rows(machinery, work, threads_of(options), made, [&](Rows rows) {
    const std::lock_guard lock(listing);
    if (writing.size() >= threads_of(options)) list_oldest();
    writing.push_back(std::async(std::launch::async, [&, rows = std::move(rows)] { return write_part(folder, identity, rows); }));
  });
  while (!writing.empty()) list_oldest();
  if (!finished) {
    Report report = begin_report(identity);
    report.interrupted = true;
    report.remade = std::move(parts.damaged);
    return report;
  }

  const std::vector<Slice> slices = slices_of(std::move(parts.intact), range);
  ResultsWriter results(folder, identity, spec.columns, spec.text);
  for (const Slice& s : slices) results.add(read_part(s.part), s.from, s.to);
  identity.checksum = results.checksum();
  write_safely(inside(folder, "campaign.json"), internal::campaign::to_text(identity));
  results.keep();
  Report report = summarise_rows(identity, spec.columns, [&](const RowFunction& row) {
    std::vector<double> x(spec.columns.size() - kLeading);
    for (const Slice& s : slices) {
      const Rows rows = read_part(s.part);
      for (std::size_t r = s.from; r < s.to; ++r) {
        for (std::size_t c = 0; c < x.size(); ++c) x[c] = rows.numbers[c * rows.count + r];
        row(rows.first + r, rows.status[r], x);
      }
    }
  });
  remove_parts(folder);
  report.remade = std::move(parts.damaged);
  return report;
}

Estimate estimate_campaign(const Campaign& campaign, const std::string& folder, const CampaignOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const Spec& spec = campaign.spec();
  const Range range = range_of(options.shard, spec.runs);
  const Clock::time_point begin = Clock::now();
  const Machinery machinery(spec);
  const double once = since(begin);
  Estimate out{.runs = range.count(), .free_bytes = folder.empty() ? std::nan("") : free_disk(folder), .path = std::string(machinery.path)};
  out.instruction_set = machinery.instruction_set;
  out.format = options.format;
  out.threads = threads_of(options);
  // Blocks from all over the shard, on as many threads as the campaign would have, so that their contention is measured, too.
  const std::uint64_t lanes = machinery.lanes, all = (range.count() + lanes - 1) / lanes, blocks = std::min<std::uint64_t>(all, 64 * out.threads);
  std::vector<Range> pieces;
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t first = range.first + all / blocks * k * lanes;
    pieces.push_back({first, std::min(first + lanes, range.last)});
  }
  const Clock::time_point start = Clock::now();
  const auto made = [&](std::uint64_t count) {
    out.measured += count;
    return since(start) < kEstimate && (!options.go_on || options.go_on(out.measured, out.runs));
  };
  std::mutex adding;
  std::string text;
  make_rows(machinery, pieces, out.threads, made, [&](const Rows& rows) {
    const std::lock_guard lock(adding);
    for (std::size_t r = 0; r < rows.count; ++r) append_row(text, rows, r, options.format);
  });
  out.measured_seconds = since(start);
  if (out.measured == 0) return out;
  const double runs = static_cast<double>(out.runs), measured = static_cast<double>(out.measured);
  out.runs_per_second = measured / out.measured_seconds;
  out.seconds = once + runs / out.runs_per_second;
  out.bytes = runs * static_cast<double>(text.size()) / measured;
  out.bytes_of_parts = runs * row_bytes_of_part(spec.columns.size() - kLeading);
  return out;
}

Report summarise(const std::string& folder) {
  const std::optional<Identity> identity = read_identity(folder);
  if (!identity) throw FolderError(cat(in_quotes(folder), " holds no campaign: there is no campaign.json"));
  const std::vector<std::string> names = results_columns(folder, identity->format);
  if (identity->variations > names.size() - kLeading)
    throw FolderError(cat(in_quotes(folder), " has changed since it was written: campaign.json has more variations than there are columns"));
  return summarise_rows(*identity, names, [&](const RowFunction& row) { each_row(folder, identity->format, row); });
}

Report merge_campaigns(const std::vector<std::string>& folders, const std::string& out) {
  std::error_code ignored;
  if (folders.empty()) throw FolderError("there is nothing to merge: name the folders");
  if (fs::exists(out, ignored) && !(fs::is_directory(out, ignored) && fs::is_empty(out, ignored)))
    throw FolderError(cat(in_quotes(out), " exists and is not empty; name another folder"));
  struct Source {
    Identity identity;
    std::string folder;
  };
  std::vector<Source> sources;
  for (const std::string& folder : folders) {
    const std::optional<Identity> identity = read_identity(folder);
    if (!identity || !fs::exists(results_path(folder, identity->format), ignored))
      throw FolderError(cat(in_quotes(folder), " holds no finished results", fs::exists(inside(folder, "parts"), ignored) ? ": finish it by --resume" : ""));
    sources.push_back({*identity, folder});
    const Identity &a = sources.front().identity, &b = *identity;
    const auto refuse = [&](const char* what, const std::string& x, const std::string& y) {
      throw FolderError(cat(in_quotes(folders.front()), " and ", in_quotes(folder), " do not belong together: the ", what, " is ", x, " of the first and ", y,
                            " of the second"));
    };
    if (a.hash != b.hash || a.runs != b.runs) refuse("campaign", a.hash, b.hash);
    if (a.instruction_set != b.instruction_set) refuse("instruction set", a.instruction_set, b.instruction_set);
    if (a.version != b.version) refuse("version of Ulna", a.version, b.version);
    if (a.format != b.format) refuse("format", std::string(to_string(a.format)), std::string(to_string(b.format)));
    if (read_file(inside(folder, "spec.yaml")) != read_file(inside(folders.front(), "spec.yaml")))
      throw FolderError(cat(in_quotes(folders.front()), " and ", in_quotes(folder),
                            " do not belong together: their files spec.yaml differ, though the results were made by one; put the right one back"));
  }
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.identity.first < b.identity.first; });
  std::uint64_t next = 0;
  for (const Source& s : sources) {
    if (s.identity.first != next && s.identity.count > 0)
      throw FolderError(s.identity.first > next ? cat("runs ", next, " to ", s.identity.first - 1, " are missing: no folder holds them")
                                                : cat("runs ", s.identity.first, " to ", next - 1, " are in two folders, one of them ", in_quotes(s.folder)));
    next += s.identity.count;
  }
  Identity whole = sources.front().identity;
  if (next != whole.runs) throw FolderError(cat("runs ", next, " to ", whole.runs - 1, " are missing: no folder holds them"));
  make_folder(out);
  whole.first = 0;
  whole.count = whole.runs;
  const std::string spec = read_file(inside(sources.front().folder, "spec.yaml")).value_or("");
  ResultsWriter results(out, whole, results_columns(sources.front().folder, whole.format), spec);
  for (const Source& s : sources) results.add_folder(s.folder, s.identity);
  whole.checksum = results.checksum();
  write_safely(inside(out, "spec.yaml"), spec);
  write_safely(inside(out, "campaign.json"), internal::campaign::to_text(whole));
  results.keep();
  return summarise(out);
}

Replay replay(const Campaign& campaign, std::uint64_t run) {
  const Spec& spec = campaign.spec();
  if (run >= spec.runs) throw std::invalid_argument(cat("run ", run, " does not exist: the last is ", spec.runs - 1));
  const Machinery machinery(spec);
  const Model& model = spec.nominal.scenario.model;
  Replay out;
  out.names.emplace_back("t");
  for (const std::string& name : model.position_names()) out.names.push_back("q." + name);
  for (const std::string& name : model.velocity_names()) out.names.push_back("v." + name);
  for (const std::string& name : model.effort_names()) out.names.push_back("tau." + name);
  const bool follows = spec.nominal.scenario.reference.kind != ulna::sim::ReferenceKind::none;
  if (follows)
    for (const std::size_t j : model.driven()) out.names.push_back("reference." + model.joints()[j].name);
  Block block(machinery);
  const std::size_t nq = model.nq(), nv = model.nv(), joints = model.driven().size();
  const std::vector<RunRow> rows = block.run(run, 1, [&](double t, const double* q, const double* v, const double* tau, const double* reference) {
    std::vector<double> row{t};
    row.insert(row.end(), q, q + nq);
    for (const double* part : {v, tau}) row.insert(row.end(), part, part + nv);
    if (reference != nullptr) row.insert(row.end(), reference, reference + joints);
    out.rows.push_back(std::move(row));
  });
  out.status = rows.front().status;
  out.reason = rows.front().reason;
  Rows row(run, 1, spec.columns.size() - kLeading);
  row.set(rows.front());
  std::string line;
  append_row(line, row, 0, Format::csv);
  line.pop_back();
  read_csv_cells(line, out.cells);
  return out;
}

}  // namespace ULNA_API
}  // namespace ulna
