#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include <ulna/campaign/campaign.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/version.hpp>

#include "campaign/block.hpp"
#include "campaign/results.hpp"
#include "campaign/shard.hpp"
#include "text/cat.hpp"
#include "text/csv.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna {
namespace campaign ULNA_API {

using namespace ulna::internal;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPartRuns = 1000;  // a second or so of work: what kill -9 can lose

/// What is left to do, in pieces of at most `piece` runs.
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
  if (next != range.last) throw FolderError(cat("runs from ", next, " on are missing; go on with --resume"));
  return out;
}

std::string inside(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

void make_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || !fs::is_directory(folder))
    throw FolderError(cat("the folder ", in_quotes(folder), " cannot be made: ", problem ? problem.message() : "there is a file of this name"));
}

/// And what a process that was killed left half-written.
void remove_parts(const std::string& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".tmp") fs::remove(entry.path(), ignored);
  fs::remove_all(fs::path(folder) / "parts", ignored);
}

/// Memory that was stated, and a disk that is sure to become full.
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
  const bool grid = std::any_of(spec.variations.begin(), spec.variations.end(), [](const Variation& v) { return v.kind == Kind::grid; });
  return grid ? "grid" : spec.sobol ? "sobol" : "random";
}

}  // namespace

Range internal::range_of(const Shard& shard, std::uint64_t runs) {
  constexpr std::uint64_t kMostShards = 1'000'000;
  if (shard.count < 1 || shard.count > kMostShards || shard.index < 1 || shard.index > shard.count)
    throw FolderError(shard.count > kMostShards
                          ? cat(shard.count, " shards are more than ", kMostShards, "; make fewer, larger ones")
                          : cat("shard ", shard.index, " of ", shard.count, " does not exist: they are numbered from 1 to ", shard.count));
  // runs * i / count without leaving 64 bits: i <= count.
  const auto share = [&](std::uint64_t i) { return runs / shard.count * i + runs % shard.count * i / shard.count; };
  return {share(shard.index - 1), share(shard.index)};
}

Report run_campaign(const Campaign& campaign, const std::string& folder, const CampaignOptions& options) {
  const Spec& spec = campaign.spec();
  const Range range = range_of(options.shard, spec.runs);
  std::error_code ignored;
  const bool used = fs::exists(folder, ignored) && !(fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored));
  if (used && !options.resume) throw FolderError(cat(in_quotes(folder), " is there already and not empty; go on with it by --resume, or name another folder"));
  unsigned threads = options.threads == 0 ? std::max(1u, std::thread::hardware_concurrency()) : options.threads;
  check_room(spec, folder, range, threads);
  const Machinery machinery(spec);
  make_folder(folder);
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
    throw FolderError(cat(in_quotes(folder), " holds another campaign: its spec.yaml differs; take another folder"));
  make_folder(inside(folder, "parts"));
  Parts parts = find_parts(folder, identity);
  write_safely(inside(folder, "spec.yaml"), spec.text);

  const std::uint64_t lanes = machinery.lanes;
  const std::uint64_t piece = std::min(kPartRuns, std::max<std::uint64_t>(1, identity.count / 16 / lanes) * lanes);
  const std::vector<Range> work = gaps(range, parts.sound, piece);
  std::uint64_t left = 0;
  for (const Range& r : work) left += r.count();
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex telling;
  std::uint64_t done = identity.count - left;
  std::exception_ptr problem;
  const std::size_t numbers = spec.columns.size() - kLeading;
  const auto crew = [&] {
    try {
      Block block(machinery);
      for (std::size_t k = next++; k < work.size() && !stop; k = next++) {
        Rows rows(work[k].first, static_cast<std::size_t>(work[k].count()), numbers);
        for (std::uint64_t first = work[k].first; first < work[k].last && !stop; first += lanes) {
          const std::size_t count = static_cast<std::size_t>(std::min(lanes, work[k].last - first));
          for (const RunRow& row : block.run(first, count)) rows.set(row);
          const std::lock_guard lock(telling);
          done += count;
          if (options.go_on && !options.go_on(done, identity.count)) stop = true;
        }
        if (stop) return;
        Part part = write_part(folder, identity, rows);
        const std::lock_guard lock(telling);
        parts.sound.push_back(std::move(part));
      }
    } catch (...) {
      const std::lock_guard lock(telling);
      if (!problem) problem = std::current_exception();
      stop = true;
    }
  };
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, std::max<std::size_t>(1, work.size())));
  std::vector<std::thread> others;
  for (unsigned k = 1; k < threads; ++k) others.emplace_back(crew);
  crew();
  for (std::thread& other : others) other.join();
  if (problem) std::rethrow_exception(problem);
  if (stop) {
    Report report = begin_report(identity);
    report.interrupted = true;
    report.remade = std::move(parts.damaged);
    return report;
  }

  const std::vector<Slice> slices = slices_of(std::move(parts.sound), range);
  ResultsWriter results(folder, identity, spec.columns, spec.text);
  for (const Slice& s : slices) results.add(read_part(s.part), s.from, s.to);
  identity.checksum = results.checksum();
  write_safely(inside(folder, "campaign.json"), internal::to_text(identity));
  results.keep();
  Report report = summarise_rows(identity, spec.columns, [&](const RowFunction& row) {
    std::vector<double> x(numbers);
    for (const Slice& s : slices) {
      const Rows rows = read_part(s.part);
      for (std::size_t r = s.from; r < s.to; ++r) {
        for (std::size_t c = 0; c < numbers; ++c) x[c] = rows.numbers[c * rows.count + r];
        row(rows.first + r, rows.status[r], x);
      }
    }
  });
  remove_parts(folder);
  report.remade = std::move(parts.damaged);
  return report;
}

Report merge_campaigns(const std::vector<std::string>& folders, const std::string& out) {
  std::error_code ignored;
  if (folders.empty()) throw FolderError("there is nothing to put together: name the folders");
  if (fs::exists(out, ignored) && !(fs::is_directory(out, ignored) && fs::is_empty(out, ignored)))
    throw FolderError(cat(in_quotes(out), " is there already and not empty; name another folder"));
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
  write_safely(inside(out, "campaign.json"), internal::to_text(whole));
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
  const bool follows = spec.nominal.scenario.reference.kind != sim::ReferenceKind::none;
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
