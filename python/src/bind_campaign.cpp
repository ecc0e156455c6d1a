// Campaigns for ulna.campaign, and data sets for ulna.dataset: columns go from the kernels straight into arrays that Arrow takes over.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <exception>
#include <thread>

#include "../../apps/cli/campaign_json.hpp"
#include "programs/interface.hpp"
#include "robot.hpp"

namespace ulna::python {

namespace nb = nanobind;

namespace {

[[noreturn]] void refuse(const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  for (const Diagnostic& d : diagnostics) all += to_string(d) + "\n";
  throw nb::value_error(all.c_str());
}

campaign::Campaign open_campaign(const std::string& path, std::optional<std::uint64_t> runs) {
  campaign::CampaignResult loaded = campaign::try_load_campaign(path, runs);
  if (!loaded.campaign) refuse(loaded.diagnostics);
  return *std::move(loaded.campaign);
}

/// Between blocks of runs: Ctrl-C, and Python's own function for progress, by the thread that called. What either raises ends the work and is raised then.
class Watch {
 public:
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}
  bool operator()(std::uint64_t done, std::uint64_t all) {
    if (std::this_thread::get_id() != own_ || raised_ || Clock::now() - last_ < std::chrono::milliseconds(50)) return !raised_;
    last_ = Clock::now();
    const nb::gil_scoped_acquire acquire;
    try {
      check_signals();
      if (!progress_.is_none()) progress_(done, all);
    } catch (...) {
      raised_ = std::current_exception();
    }
    return !raised_;
  }
  void raise() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  nb::object progress_;
  std::thread::id own_ = std::this_thread::get_id();
  Clock::time_point last_ = Clock::now();
  std::exception_ptr raised_;
};

/// What `work(options)` returns, without Python's lock.
template <class Work>
auto watched(const std::vector<std::uint64_t>& shard, const std::string& format, bool resume, unsigned threads, nb::object progress, Work work) {
  Watch watch(std::move(progress));
  const campaign::CampaignOptions options{.shard = {shard.at(0), shard.at(1)},
                                          .format = format == "h5" ? campaign::Format::h5 : campaign::Format::csv,
                                          .resume = resume,
                                          .threads = threads,
                                          .go_on = std::ref(watch)};
  auto result = [&] {
    const nb::gil_scoped_release free;
    return work(options);
  }();
  watch.raise();
  return result;
}

template <class... Of>
std::string json_of(const Of&... of) {
  ulna::internal::StringSink text;
  ulna::internal::Json json(text);
  cli::write_json(json, of...);
  return text.text();
}

std::string run_campaign(const campaign::Campaign& c, const std::string& folder, const std::string& command, const std::vector<std::uint64_t>& shard,
                         const std::string& format, bool resume, unsigned threads, nb::object progress) {
  const campaign::Report report = watched(shard, format, resume, threads, std::move(progress),
                                          [&](const campaign::CampaignOptions& options) { return campaign::run_campaign(c, folder, options); });
  return json_of(report, folder, command);
}

std::string estimate_campaign(const campaign::Campaign& c, const std::string& folder, const std::string& format, unsigned threads) {
  return json_of(watched({1, 1}, format, false, threads, nb::none(),
                         [&](const campaign::CampaignOptions& options) { return campaign::estimate_campaign(c, folder, options); }));
}

std::string merge_campaigns(const std::vector<std::string>& folders, const std::string& out, const std::string& command) {
  const campaign::Report report = [&] {
    const nb::gil_scoped_release free;
    return campaign::merge_campaigns(folders, out);
  }();
  return json_of(report, out, command);
}

campaign::Dataset open_dataset(const std::string& path, std::optional<std::uint64_t> rows) {
  campaign::DatasetResult loaded = campaign::try_load_dataset(path, rows);
  if (!loaded.dataset) refuse(loaded.diagnostics);
  return *std::move(loaded.dataset);
}

using Block = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void make_rows(const campaign::Dataset& data, std::uint64_t first, Block out) {
  if (out.shape(0) != data.columns().size()) throw nb::value_error("the array has another number of columns than the data set");
  if (first > data.rows() || out.shape(1) > data.rows() - first) throw nb::value_error("the data set has no such rows");
  double* to = out.data();
  const std::size_t count = out.shape(1);
  const nb::gil_scoped_release free;
  data.make(first, count, to);
}

}  // namespace

void bind_campaign(nb::module_& m) {
  nb::exception<campaign::FolderError>(m, "FolderError", PyExc_RuntimeError);
  nb::class_<campaign::Campaign>(m, "Campaign")
      .def_prop_ro("runs", &campaign::Campaign::runs)
      .def_prop_ro("columns", &campaign::Campaign::columns)
      .def_prop_ro("spec", &campaign::Campaign::text)
      .def_prop_ro("hash", &campaign::Campaign::hash)
      .def("run", &run_campaign, nb::arg("folder"), nb::arg("command"), nb::arg("shard"), nb::arg("format"), nb::arg("resume"), nb::arg("threads"),
           nb::arg("progress").none())
      .def("run_file", &campaign::run_file, nb::arg("path"), nb::arg("run"), nb::arg("file"))
      .def("estimate", &estimate_campaign, nb::arg("folder"), nb::arg("format"), nb::arg("threads"));
  m.def("open_campaign", &open_campaign, nb::arg("path"), nb::arg("runs").none());
  m.def("merge_campaigns", &merge_campaigns, nb::arg("folders"), nb::arg("out"), nb::arg("command"));
  m.def("alone_command", &cli::alone_command, nb::arg("file"), nb::arg("runs").none());
  m.def("file_checksum", &internal::campaign::file_checksum, nb::arg("path"));
  nb::class_<campaign::Dataset>(m, "Dataset")
      .def_prop_ro("rows", &campaign::Dataset::rows)
      .def_prop_ro("columns", &campaign::Dataset::columns)
      .def_prop_ro("spec", &campaign::Dataset::text)
      .def_prop_ro("instruction_set", [](const campaign::Dataset& data) { return std::string(data.instruction_set()); })
      .def("make", &make_rows, nb::arg("first"), nb::arg("out"));
  m.def("open_dataset", &open_dataset, nb::arg("path"), nb::arg("rows").none());
}

}  // namespace ulna::python
