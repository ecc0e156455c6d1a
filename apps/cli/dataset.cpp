#include "command.hpp"
#include "in_order.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "shard.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

using namespace campaign;
using namespace ulna::internal::campaign;

namespace {

constexpr std::size_t kPiece = 16384;  // rows: some megabytes

Dataset load(const Arguments& arguments) {
  DatasetResult loaded =
      try_load_dataset(arguments.only("a DATASET (a YAML file; examples are in campaigns/)"), count_of(arguments, "--rows"), limits_of(arguments));
  for (const Diagnostic& d : loaded.diagnostics)
    if (d.severity >= Severity::warning) std::fprintf(stderr, "%s\n", to_string(d).c_str());
  if (!loaded.dataset) throw ModelRefused{};
  return *std::move(loaded.dataset);
}

enum class Form { raw, csv, h5 };

Form form_of(const Arguments& arguments, const std::string& path) {
  if (path == "-") return Form::raw;
  const bool named = path.size() > 3 && path.compare(path.size() - 3, 3, ".h5") == 0;
  return format_of(arguments, named ? Format::h5 : Format::csv, "ulna.dataset") == Format::h5 ? Form::h5 : Form::csv;
}

/// Makes rows on all cores and writes them in their order.
struct Worker {
  const Dataset& data;
  std::uint64_t first, last;
  Form form;
  std::FILE* to;
  Progress& progress;
  std::atomic<std::uint64_t>& bad;  // rows in which a number is not finite
  std::vector<double> numbers{};
  std::vector<unsigned char> is_bad{};
  std::string text{};

  void work(std::size_t k) {
    const std::uint64_t begin = first + k * kPiece;
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, last - begin)), columns = data.columns().size();
    numbers.resize(columns * count);
    data.make(begin, count, numbers.data());
    is_bad.assign(count, 0);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < count; ++r) is_bad[r] |= !std::isfinite(numbers[c * count + r]);
    bad += static_cast<std::uint64_t>(std::count(is_bad.begin(), is_bad.end(), 1));
    if (form == Form::raw) return;
    text.clear();
    if (form == Form::h5) {
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t c = 0; c < columns; ++c) put(text, numbers[c * count + r]);
      return;
    }
    char cell[kNumberBytes];
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t c = 0; c < columns; ++c) {
        text.append(cell, write_number(cell, numbers[c * count + r]));
        text += c + 1 < columns ? ',' : '\n';
      }
  }
  bool take(std::size_t k) {
    const void* bytes = form == Form::raw ? static_cast<const void*>(numbers.data()) : text.data();
    const std::size_t size = form == Form::raw ? numbers.size() * sizeof(double) : text.size();
    progress.show(static_cast<double>(k * kPiece) / static_cast<double>(last - first));
    return std::fwrite(bytes, 1, size, to) == size && !Interrupt::seen();
  }
};

std::string h5_top(const Dataset& data, std::uint64_t rows, const std::string& about) {
  H5Table table{"states", {}, rows, {{"dataset", about}, {"spec", data.text()}}};
  for (const std::string& name : data.columns()) table.columns.push_back({name});
  try {
    return h5_head(table);
  } catch (const std::length_error& problem) {
    throw UsageError(cat("option --out: ", problem.what(), "; write CSV, or Parquet by ulna.dataset() in Python"));
  }
}

int dataset_main(const Arguments& arguments) {
  const Dataset data = load(arguments);
  const std::optional<std::string> path = arguments.value("--out");
  if (path && path->ends_with(".parquet")) throw UsageError("option --out: Parquet is written by ulna.dataset() in Python; here FILE.csv or FILE.h5");
  if (!path) throw UsageError("dataset needs --out FILE.csv or FILE.h5, or --out - for columns of raw numbers on standard output");
  if (*path == "-") arguments.refuse({"--format", "--force", "--json"}, "with --out -, which writes raw columns to standard output");
  const Form form = form_of(arguments, *path);
  const bool raw = form == Form::raw;
  const auto [first, last] = range_of(shard_of(arguments), data.rows());
  if (!raw) check_disk(*path, static_cast<double>(last - first) * static_cast<double>(data.columns().size()) * (form == Form::h5 ? 8 : 4));
  std::optional<WholeFile> file;
  if (!raw) file.emplace("--out", *path, arguments.has("--force"));
  std::FILE* to = raw ? stdout : file->stream();
  StringSink head;
  Json json(head);
  json.object("rows", last - first, "first", first, "piece", kPiece, "columns", data.columns(), "instruction_set", data.instruction_set(), "spec", data.text());
  std::string header = head.text();
  for (char& c : header)
    if (c == '\n') c = ' ';
  std::string names;
  for (std::size_t i = 0; i < data.columns().size(); ++i) names += cat(i == 0 ? "" : ",", csv_cell(data.columns()[i]));
  const std::string top = form == Form::h5 ? h5_top(data, last - first, header) : (raw ? header : names) + "\n";
  std::fwrite(top.data(), 1, top.size(), to);
  const auto start = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> bad{0};
  {
    Interrupt interrupt;
    Progress progress("ulna dataset");
    const std::size_t pieces = static_cast<std::size_t>((last - first + kPiece - 1) / kPiece);
    in_order(pieces, [&] { return Worker{data, first, last, form, to, progress, bad}; });
    if (Interrupt::seen()) {
      std::fprintf(stderr, "ulna: interrupted; nothing was kept\n");
      return kAnswerNo;
    }
  }
  if (bad > 0 && bad == last - first && !raw)
    throw UsageError(
        "every row has a number that is not finite, so that nothing was kept: masses, lengths or ranges are out of the range of numbers; 'ulna lint' lists "
        "suspicious "
        "values of the model");
  if (bad > 0)
    std::fprintf(stderr, "ulna: note: %llu of %llu rows have a number that is not finite\n", static_cast<unsigned long long>(bad),
                 static_cast<unsigned long long>(last - first));
  if (raw) return std::fflush(to) == 0 && std::ferror(to) == 0 ? kDone : kWrong;
  file->keep();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (arguments.has("--json")) {
    JsonOutput report;
    report.line_fields("rows", last - first, "first", first, "columns", data.columns(), "out", *path, "instruction_set", data.instruction_set(), "seconds",
                       seconds, "not_finite", bad.load());
    report.end();
  } else {
    std::printf("%llu rows of %zu columns in %s (%.3g s)\n", static_cast<unsigned long long>(last - first), data.columns().size(), path->c_str(), seconds);
  }
  return kDone;
}

}  // namespace

Command dataset_command() {
  return {"dataset",
          "random states of a robot and any quantities computed from them, as columns",
          "FILE.yaml --out FILE.csv|FILE.h5 [options]",
          "FILE.yaml names a robot, the number of rows, the quantities (inverse, forward, mass, inverse_derivatives, ...) and,\n"
          "if they are not the joint limits, the ranges of q, v, a and tau (docs/campaign.md). Row k depends only on the file\n"
          "and on k, so that shards in sequence make the whole. --out - writes one line of JSON (rows, piece, columns, spec),\n"
          "then the columns of each piece of rows as raw doubles; ulna.dataset() in Python writes them as Parquet.",
          {{"--out", "FILE", "FILE.csv or FILE.h5, written whole or not at all; - for raw columns on standard output"},
           {"--format", "csv|h5", "format of FILE (default: by its name, else csv); h5 is a table in HDF5"},
           {"--rows", "N", "number of rows, in place of the file's"},
           {"--shard", "i/n", "make part i of n, i from 1 to n"},
           limit_option(),
           {"--json", "", "print one JSON object about the file that was written"}},
          "ulna dataset campaigns/panda-torques.yaml --rows 1000 --out torques.csv",
          dataset_main};
}

}  // namespace ulna::cli
