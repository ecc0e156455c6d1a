#include "campaign_json.hpp"
#include "command.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "shard.hpp"
#include "simulate.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace campaign;

namespace {

Campaign load(const Arguments& arguments, const std::string& path) {
  CampaignResult loaded = try_load_campaign(path, count_of(arguments, "--runs"), limits_of(arguments));
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity >= Severity::warning) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!loaded.campaign) throw ModelRefused{};
  return *std::move(loaded.campaign);
}

void print_report(const Report& report, const std::string& folder) {
  std::string text = cat(report.runs, " runs, ", report.failed, " failed; results in ", folder, "/results.", to_string(report.format), " (",
                         report.instruction_set, ", ", report.path, ")\n\n");
  Table table("lrrrrrrr");
  table.row({"metric", "mean", "deviation", "5 %", "median", "95 %", "most", "in run"});
  for (const MetricSummary& m : report.metrics) {
    if (m.count == 0) continue;
    const auto at = [&](double share) {
      for (const auto& [s, value] : m.quantiles)
        if (s == share) return brief(value);
      return std::string();
    };
    table.row({m.name, brief(m.mean), brief(m.deviation), at(0.05), at(0.5), at(0.95), brief(m.most), std::to_string(m.worst_run)});
  }
  text += table.text();
  bool head = false;
  for (const MetricSummary& m : report.metrics) {
    std::string causes;
    for (const auto& [name, share] : m.explained)
      if (share >= 0.05) causes += cat(causes.empty() ? "" : ", ", name, " ", std::to_string(static_cast<int>(std::lround(100 * share))), " %");
    if (causes.empty() || m.name.substr(0, m.name.find(' ')).find('.') != std::string::npos) continue;
    if (!head) text += "\nWhat explains the variance:\n";
    head = true;
    text += cat("  ", m.name, ": ", causes, "\n");
  }
  std::fputs(text.c_str(), stdout);
}

/// The page, opened before the work begins unless it goes into the folder of the results, which is not there yet.
std::optional<WholeFile> page_of(const Arguments& arguments, const std::string& folder) {
  const std::optional<std::string> path = arguments.value("--report");
  if (!path || std::filesystem::path(*path).parent_path() == std::filesystem::path(folder)) return {};
  return std::optional<WholeFile>(std::in_place, "--report", *path, arguments.has("--force"));
}

/// Prints the report, and writes its page on request. `campaign` is none where its file cannot be read again.
void tell(const Arguments& arguments, const Report& report, const std::string& folder, const std::string& file, const std::optional<Campaign>& campaign,
          std::optional<WholeFile>& opened) {
  if (const std::optional<std::string> path = arguments.value("--report")) {
    if (!opened) opened.emplace("--report", *path, arguments.has("--force"));
    WholeFile& page = *opened;
    const ulna::internal::CampaignViews views = campaign ? ulna::internal::campaign_views(*campaign, report) : ulna::internal::CampaignViews{};
    const std::string html = ulna::internal::campaign_page(report, file, alone_command(file, arguments.value("--runs")), views);
    std::fwrite(html.data(), 1, html.size(), page.stream());
    page.keep();
  }
  if (!arguments.has("--json")) return print_report(report, folder);
  Output out;
  Json json(out);
  write_json(json, report, folder, alone_command(file, arguments.value("--runs")));
}

/// A folder of results is never replaced.
void refuse_idle_force(const Arguments& arguments) {
  if (!arguments.has("--report")) arguments.refuse({"--force"}, "without --report, the only file that it replaces");
}

int merge(const Arguments& arguments) {
  arguments.refuse_all_but({"--out", "--report", "--force", "--json"}, "on 'campaign merge', which puts finished runs together");
  refuse_idle_force(arguments);
  const std::vector<std::string>& words = arguments.positional();
  const std::optional<std::string> out = arguments.value("--out");
  if (!out) throw UsageError("campaign merge needs --out DIR, the folder for the merged results");
  if (words.size() < 2) throw UsageError("campaign merge needs the folders to merge");
  std::optional<WholeFile> page = page_of(arguments, *out);
  const Report report = merge_campaigns({words.begin() + 1, words.end()}, *out);
  tell(arguments, report, *out, *out + "/spec.yaml", try_load_campaign(*out + "/spec.yaml").campaign, page);
  return kDone;
}

std::string three_digits(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x >= 1000 && x < 1e6 ? "%.0f" : "%.3g", x);
  return text;
}

/// What it would take, and nothing is written.
int estimate(const Arguments& arguments, const Campaign& campaign, const CampaignOptions& options) {
  const std::string folder = arguments.value("--out").value_or("");
  const campaign::Estimate e = estimate_campaign(campaign, folder, options);
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    write_json(json, e);
    return kDone;
  }
  const auto size = [](double bytes) { return bytes < 1e9 ? cat(three_digits(bytes / 1e6), " MB") : cat(three_digits(bytes / 1e9), " GB"); };
  std::string text = cat(e.runs, " runs would take ", three_digits(e.seconds / 3600), " h (", three_digits(e.seconds), " s) at ",
                         three_digits(e.runs_per_second), " runs a second\nresults.", to_string(e.format), ": ", size(e.bytes), ", and until it is written ",
                         size(e.bytes_of_parts), " of parts beside it", folder.empty() ? "" : cat("; ", size(e.free_bytes), " are free"), "\n");
  text += cat("measured on ", e.measured, " of the runs, in ", three_digits(e.measured_seconds), " s on ", e.threads, " threads (", e.instruction_set, ", ",
              e.path, ")\n");
  std::fputs(text.c_str(), stdout);
  return kDone;
}

/// A run alone, sample by sample.
int only(const Arguments& arguments, const Campaign& campaign, const std::string& path_of_campaign, std::uint64_t number) {
  if (number >= campaign.runs()) throw UsageError(cat("option --only: there is no run ", number, "; the last is ", campaign.runs() - 1));
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  std::optional<WholeFile> file = file_of(arguments, "--out");
  if (const std::optional<std::string> scenario = arguments.value("--scenario")) {
    std::error_code ignored;
    for (const std::string& other : {path_of_campaign, path.value_or("")})
      if (*scenario == other || std::filesystem::equivalent(*scenario, other, ignored))
        throw UsageError(
            cat("option --scenario: ", in_quotes(*scenario), " is also the file of ", other == path_of_campaign ? "the campaign" : "--out", "; name another"));
    WholeFile run("--scenario", *scenario, arguments.has("--force"));
    std::fputs(run_file(campaign, path_of_campaign, number, *scenario).c_str(), run.stream());
    run.keep();
  }
  const Replay replay = campaign::replay(campaign, number);
  if (file) {
    write_rows(file->stream(), as_json, {replay.names, replay.rows.size(), [&](std::size_t row, std::vector<double>& values) { values = replay.rows[row]; }});
    file->keep();
  }
  if (arguments.has("--json")) {
    JsonOutput json;
    for (std::size_t i = 0; i < replay.cells.size(); ++i) json.line_fields(campaign.columns()[i], replay.cells[i]);
    json.end();
    return kDone;
  }
  Table table("lr");
  for (std::size_t i = 0; i < replay.cells.size(); ++i) table.row({campaign.columns()[i], replay.cells[i]});
  std::fputs(table.text().c_str(), stdout);
  return kDone;
}

int campaign_main(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.positional();
  if (!words.empty() && words.front() == "merge") return merge(arguments);
  const std::string& path = arguments.only("a CAMPAIGN (a YAML file; examples are in campaigns/)");
  const bool only_one = arguments.has("--only");
  if (only_one)
    arguments.refuse_all_but({"--only", "--scenario", "--runs", "--out", "--force", "--limit", "--instruction-set", "--json"},
                             "with --only, which makes one run");
  else if (arguments.has("--estimate"))
    arguments.refuse({"--resume", "--report", "--force"}, "with --estimate, which writes nothing");
  else
    refuse_idle_force(arguments);
  if (!only_one) arguments.refuse({"--scenario"}, "without --only, which says which run");
  const Format format = format_of(arguments, Format::csv, "ulna.campaign");
  const std::size_t threads = arguments.whole_number("--threads", 0, 1);
  const Shard shard = shard_of(arguments);
  const Campaign campaign = load(arguments, path);
  if (only_one) return only(arguments, campaign, path, arguments.whole_number("--only", 0, 0));
  CampaignOptions options{.shard = shard, .format = format, .resume = arguments.has("--resume"), .threads = static_cast<unsigned>(threads)};
  if (arguments.has("--estimate")) return estimate(arguments, campaign, options);
  const std::optional<std::string> out = arguments.value("--out");
  if (!out) throw UsageError("campaign needs --out DIR, the folder for results.csv and spec.yaml");
  std::optional<WholeFile> page = page_of(arguments, *out);
  Interrupt interrupt;
  std::optional<Progress> progress(std::in_place, "ulna campaign");
  const auto start = std::chrono::steady_clock::now();
  options.go_on = [&](std::uint64_t done, std::uint64_t all) {
    progress->show(static_cast<double>(done) / static_cast<double>(all));
    return !Interrupt::seen();
  };
  const Report report = run_campaign(campaign, *out, options);
  progress.reset();
  for (const std::string& part : report.remade)
    std::fprintf(stderr, "ulna: note: %s was damaged (its checksum differed); its runs were made again\n", part.c_str());
  if (report.interrupted) {
    std::fprintf(stderr, "ulna: interrupted; finished parts are in %s: continue with --resume\n", in_quotes(*out).c_str());
    return kAnswerNo;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  tell(arguments, report, *out, path, campaign, page);
  if (!arguments.has("--json")) std::printf("\n%s s\n", rounded(seconds).c_str());
  return kDone;
}

}  // namespace

Command campaign_command() {
  return {"campaign",
          "many runs of a scenario whose numbers vary: metrics, quantiles, worst runs; in shards, resumable",
          "FILE.yaml --out DIR [options] | FILE.yaml --estimate | merge DIR... --out DIR",
          "FILE.yaml names a scenario, what varies and how, and the number of runs (docs/campaign.md has every key). DIR gets\n"
          "results.csv with one row per run in the order of their numbers, spec.yaml and campaign.json. Run k depends only on\n"
          "the file and on k: any --shard, any number of threads and any interruption give the same bytes on one instruction\n"
          "set. The row of a failed run says why it failed. 'merge' joins shards and refuses those that do not belong together.\n"
          "Status 0: all rows are written; 1: interrupted; 2: the file or the folder is wrong, or the disk is full; finished\n"
          "parts are kept for --resume.",
          {{"--out", "DIR", "folder of the results; with --only FILE.csv or FILE.json"},
           {"--shard", "i/n", "make part i of n, i from 1 to n"},
           {"--runs", "N", "number of runs of the whole campaign, in place of the file's"},
           {"--resume", "", "continue with what DIR holds; an absent or complete folder is fine, too"},
           {"--threads", "N", "number of threads (default: all cores)"},
           {"--format", "csv|h5", "format of the results: results.csv (default) or results.h5, a table in HDF5; ulna.campaign() in Python writes Parquet"},
           {"--estimate", "", "measure a few of the runs, and print runs a second, hours and bytes; nothing is written"},
           {"--only", "K", "make run K alone; --out FILE.csv gets t, q, v, tau and the reference at every sample"},
           {"--scenario", "FILE", "with --only: write the run as a file that 'ulna simulate FILE' makes, bit for bit, with its audit"},
           {"--report", "FILE.html", "write a page: distributions, tolerance limits, what explains the variance, worst runs in motion, torque margins"},
           limit_option(),
           {"--json", "", "print one JSON object and nothing else: runs, failed, metrics, worst; with --estimate runs_per_second, hours, bytes"}},
          "ulna campaign campaigns/panda-payload.yaml --runs 1000 --out payload",
          campaign_main};
}

}  // namespace ulna::cli
