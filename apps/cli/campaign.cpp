#include <ulna/campaign/campaign.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "command.hpp"
#include "limits.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "simulate.hpp"
#include "study/campaign_page.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace campaign;

namespace {

Shard shard_of(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("--shard");
  if (!text) return {};
  const std::size_t slash = text->find('/');
  unsigned long long index = 0, count = 0;
  char behind = 0;
  if (slash == std::string::npos || std::sscanf(text->c_str(), "%llu/%llu%c", &index, &count, &behind) != 2 || index < 1 || index > count)
    throw UsageError(cat("option --shard takes i/n with i from 1 to n, such as 1/4, not ", in_quotes(*text)));
  return {index, count};
}

Campaign load(const Arguments& arguments, const std::string& path) {
  std::optional<std::uint64_t> runs;
  if (const std::optional<double> n = arguments.number("--runs")) {
    if (!(*n >= 1 && *n <= 1e12 && *n == std::floor(*n))) throw UsageError(cat("option --runs takes a whole number from 1 to 1e12, not ", *n));
    runs = static_cast<std::uint64_t>(*n);
  }
  CampaignResult loaded = try_load_campaign(path, runs, limits_of(arguments));
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity >= Severity::warning) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!loaded.campaign) throw ModelRefused{};
  return *std::move(loaded.campaign);
}

/// What makes one of its runs again, up to the run's number. A file that is read again by its own name finds the files that it names.
std::string alone(const Arguments& arguments, const std::string& file) {
  const std::optional<std::string> runs = arguments.value("--runs");
  const bool plain = file.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == std::string::npos;
  return cat("ulna campaign ", plain ? file : cat("'", file, "'"), runs ? cat(" --runs ", *runs) : "", " --only ");
}

void write_report(const Report& report, const std::string& folder, const std::string& command) {
  Output out;
  Json json(out);
  json.begin_object().line().key("runs").value(report.runs).line().key("failed").value(report.failed).line().key("first").value(report.first);
  json.line()
      .key("out")
      .value(folder)
      .line()
      .key("format")
      .value(to_string(report.format))
      .line()
      .key("instruction_set")
      .value(report.instruction_set)
      .line()
      .key("path")
      .value(report.path)
      .line()
      .key("spec")
      .value(report.hash);
  json.line().key("interrupted").value(report.interrupted).line().key("failures").begin_object();
  for (const auto& [status, count] : report.failures) json.key(status).value(count);
  json.end_object().line().key("metrics").begin_object();
  for (const MetricSummary& m : report.metrics) {
    json.line().key(m.name).begin_object().key("count").value(m.count);
    const double none = std::nan("");
    const bool any = m.count > 0;
    json.key("mean").value(any ? m.mean : none).key("deviation").value(any ? m.deviation : none).key("least").value(any ? m.least : none);
    json.key("most").value(any ? m.most : none).key("quantiles").begin_object();
    for (const auto& [share, value] : m.quantiles) json.key(ulna::internal::to_text(share)).value(value);
    json.end_object().key("upper_tolerance").value(m.upper_tolerance.value_or(none)).key("tolerance").begin_array();
    if (m.tolerance) json.value(m.tolerance->first).value(m.tolerance->second);
    json.end_array().key("explained").begin_object();
    for (const auto& [name, share] : m.explained) json.key(name).value(share);
    json.end_object();
    if (any) json.key("worst_run").value(m.worst_run);
    json.end_object();
  }
  json.end_object().line().key("worst").begin_array();
  for (const WorstRun& w : report.worst) {
    json.line().begin_object().key("run").value(w.run).key("metric").value(w.metric).key("value").value(w.value).key("variations").begin_object();
    for (const auto& [name, value] : w.variations) json.key(name).value(value);
    json.end_object().key("alone").value(cat(command, w.run)).end_object();
  }
  json.end_array();
  json.end();
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

/// Prints the report, and writes its page where one is asked for. `campaign` is none where its file cannot be read again.
void tell(const Arguments& arguments, const Report& report, const std::string& folder, const std::string& file, const std::optional<Campaign>& campaign,
          std::optional<WholeFile>& opened) {
  if (const std::optional<std::string> path = arguments.value("--report")) {
    if (!opened) opened.emplace("--report", *path, arguments.has("--force"));
    WholeFile& page = *opened;
    const ulna::internal::CampaignViews views = campaign ? ulna::internal::campaign_views(*campaign, report) : ulna::internal::CampaignViews{};
    const std::string html = ulna::internal::campaign_page(report, file, alone(arguments, file), views);
    std::fwrite(html.data(), 1, html.size(), page.stream());
    page.keep();
  }
  arguments.has("--json") ? write_report(report, folder, alone(arguments, file)) : print_report(report, folder);
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

/// A run alone, sample by sample.
int only(const Arguments& arguments, const Campaign& campaign, std::uint64_t number) {
  if (number >= campaign.runs()) throw UsageError(cat("option --only: there is no run ", number, "; the last is ", campaign.runs() - 1));
  std::optional<WholeFile> file;
  const std::optional<std::string> path = arguments.value("--out");
  const bool as_json = path && is_json_path(*path);
  if (path) file.emplace("--out", *path, arguments.has("--force"));
  const Replay replay = campaign::replay(campaign, number);
  if (file) {
    write_rows(file->stream(), as_json, {replay.names, replay.rows.size(), [&](std::size_t row, std::vector<double>& values) { values = replay.rows[row]; }});
    file->keep();
  }
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object();
    for (std::size_t i = 0; i < replay.cells.size(); ++i) json.line().key(campaign.columns()[i]).value(replay.cells[i]);
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
  try {
    if (!words.empty() && words.front() == "merge") return merge(arguments);
    const std::string& path = arguments.only("a CAMPAIGN (a YAML file; examples stand under campaigns/)");
    const bool only_one = arguments.has("--only");
    if (only_one)
      arguments.refuse_all_but({"--only", "--runs", "--out", "--force", "--limit", "--instruction-set", "--json"}, "with --only, which makes one run");
    else
      refuse_idle_force(arguments);
    const Format format = arguments.choice("--format", {"csv", "h5"}) == "h5" ? Format::h5 : Format::csv;
    const std::size_t threads = arguments.whole_number("--threads", 0, 1);
    const Shard shard = shard_of(arguments);
    const Campaign campaign = load(arguments, path);
    if (only_one) return only(arguments, campaign, arguments.whole_number("--only", 0, 0));
    const std::optional<std::string> out = arguments.value("--out");
    if (!out) throw UsageError("campaign needs --out DIR, the folder for results.csv and spec.yaml");
    std::optional<WholeFile> page = page_of(arguments, *out);
    Interrupt interrupt;
    std::optional<Progress> progress(std::in_place, "ulna campaign");
    const auto start = std::chrono::steady_clock::now();
    CampaignOptions options{.shard = shard, .format = format, .resume = arguments.has("--resume"), .threads = static_cast<unsigned>(threads)};
    options.go_on = [&](std::uint64_t done, std::uint64_t all) {
      progress->show(static_cast<double>(done) / static_cast<double>(all));
      return !Interrupt::seen();
    };
    const Report report = run_campaign(campaign, *out, options);
    progress.reset();
    if (report.interrupted) {
      std::fprintf(stderr, "ulna: interrupted; finished parts are in %s: go on with --resume\n", in_quotes(*out).c_str());
      return kAnswerNo;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tell(arguments, report, *out, path, campaign, page);
    if (!arguments.has("--json")) std::printf("\n%s s\n", rounded(seconds).c_str());
    return kDone;
  } catch (const FolderError& problem) {
    std::fprintf(stderr, "ulna: %s\n", problem.what());
    return kWrong;
  }
}

}  // namespace

Command campaign_command() {
  return {"campaign",
          "many runs of a scenario whose numbers vary: metrics, quantiles, worst runs; in shards, resumable",
          "FILE.yaml --out DIR [options] | merge DIR... --out DIR",
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
           {"--format", "csv|h5", "format of the results: results.csv (default) or results.h5, a table in HDF5"},
           {"--only", "K", "make run K alone; --out FILE.csv gets t, q, v, tau and the reference at every sample"},
           {"--report", "FILE.html", "write a page: distributions, tolerance limits, what explains the variance, worst runs in motion, torque margins"},
           limit_option(),
           {"--json", "", "print one JSON object and nothing else: runs, failed, metrics, worst"}},
          "ulna campaign campaigns/panda-payload.yaml --runs 1000 --out payload",
          campaign_main};
}

}  // namespace ulna::cli
