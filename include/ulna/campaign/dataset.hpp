// States of a robot at random and what is computed of them, as columns of numbers. The file: docs/campaign.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

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

struct DatasetResult {  // What was written.
  std::optional<Dataset> dataset;
  std::vector<Diagnostic> diagnostics;
};

/// Never throws for a bad file. `rows`, where it is given, stands for the file's.
DatasetResult try_load_dataset(const std::string& path, std::optional<std::uint64_t> rows = {}, const ReadLimits& limits = {});
DatasetResult try_parse_dataset(std::string_view text, const std::string& file, std::optional<std::uint64_t> rows = {}, const ReadLimits& limits = {});

}  // namespace ULNA_API
}  // namespace ulna
