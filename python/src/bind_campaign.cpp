// Data sets for ulna.dataset: columns go from the kernels straight into arrays that Arrow takes over.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <ulna/campaign/dataset.hpp>

#include "robot.hpp"

namespace ulna::python {

namespace nb = nanobind;

namespace {

campaign::Dataset open_dataset(const std::string& path, std::optional<std::uint64_t> rows) {
  campaign::DatasetResult loaded = campaign::try_load_dataset(path, rows);
  if (loaded.dataset) return *std::move(loaded.dataset);
  std::string all;
  for (const Diagnostic& d : loaded.diagnostics) all += to_string(d) + "\n";
  throw nb::value_error(all.c_str());
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
  nb::class_<campaign::Dataset>(m, "Dataset")
      .def_prop_ro("rows", &campaign::Dataset::rows)
      .def_prop_ro("columns", &campaign::Dataset::columns)
      .def_prop_ro("spec", &campaign::Dataset::text)
      .def_prop_ro("instruction_set", [](const campaign::Dataset& data) { return std::string(data.instruction_set()); })
      .def("make", &make_rows, nb::arg("first"), nb::arg("out"));
  m.def("open_dataset", &open_dataset, nb::arg("path"), nb::arg("rows").none());
}

}  // namespace ulna::python
