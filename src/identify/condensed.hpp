// All rows of logs condensed to triangles: one for each coordinate and each part of the time, so that joints can be weighed, columns left out and parts held
// back without going over the rows again.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "identify/columns.hpp"
#include "identify/motion.hpp"
#include "identify/regressors.hpp"
#include "identify/tall_qr.hpp"

namespace ulna::internal {

/// Parts that a log is divided into, one behind the other in time.
inline constexpr std::size_t kParts = 10;
/// Some of them: bit k is part k.
using Parts = std::uint32_t;
inline constexpr Parts kAllParts = (Parts{1} << kParts) - 1;

/// A row is counted with this weight: by its coordinate and what is left of it.
using RowWeight = std::function<double(std::size_t coordinate, double left)>;

class Condensed {
 public:
  Condensed(const Regressors& regressors, const Columns& columns) : regressors_(&regressors), columns_(&columns) {}

  struct Pass {
    const std::vector<double>* load_base = nullptr;  // base parameters that the load of friction is computed by
    const std::vector<double>* values = nullptr;     // of all columns: rows are weighed by what they leave
    RowWeight weight{};
    std::vector<double> gains{};  // torque of a coordinate: gain * measured; empty for ones, NaN where the gain has a column
    std::vector<double> known{};  // base parameters of a load that is known: its torque is taken off
    std::vector<char> without{};  // coordinates whose torques are left out; empty for none
    std::size_t threads = 1;
  };
  /// Adds a log. Parts are of the log's own time.
  void add(const Motion& motion, const Pass& pass);

  /// Least squares |A x - b| over these parts and these columns: b is the column behind the last one. Rows of coordinate k count `weight[k]`.
  TallQr stacked(Parts parts, const std::vector<std::size_t>& columns, const std::vector<double>& weight) const;
  /// |A x - b|² of a coordinate's rows, and their number; x: of all columns.
  double left(Parts parts, std::size_t coordinate, const std::vector<double>& x) const;
  double rows(Parts parts, std::size_t coordinate) const;
  /// What part of a coordinate's torque, less its mean, none of its columns explains: 1 - R², by a fit of its own, adjusted for the number of columns. NaN
  /// where there are too few rows.
  double unexplained(std::size_t coordinate) const;
  /// Root mean square of its torques, less what is known of them; 0 where the gain is unknown.
  double rms(std::size_t coordinate) const;
  /// How many samples of a filtered signal tell as much as one independent row.
  double correlated() const { return correlated_; }

 private:
  const Regressors* regressors_;
  const Columns* columns_;
  std::vector<std::vector<TallQr>> parts_;  // [part][coordinate]
  double correlated_ = 1;
};

/// Runs job(k) for k below count on as many threads.
void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& job);

}  // namespace ulna::internal
