// The columns of a log as they were written: which of them are dead, clipped, quantised or in other units.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <ulna/identify/identify.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal {

/// f(row, numbers) for all rows, as Log::read() gives them.
template <class F>
void each_row(const Log& log, F f) {
  constexpr std::size_t kPiece = 4096;
  const std::size_t width = 1 + 4 * log.nv();
  std::vector<double> rows;
  for (std::size_t at = 0; at < log.rows(); at += kPiece) {
    const std::size_t count = std::min(kPiece, log.rows() - at);
    rows.resize(count * width);
    log.read(at, count, rows.data());
    for (std::size_t k = 0; k < count; ++k) f(at + k, rows.data() + k * width);
  }
}

/// The torque of one coordinate.
struct TorqueChannel {
  double low = HUGE_VAL, high = -HUGE_VAL;
  bool constant = false;                              // one value in all rows
  bool still = false;                                 // the joint does not move
  std::size_t levels = 0;                             // distinct values; kManyLevels for these and more
  double clip_low = -HUGE_VAL, clip_high = HUGE_VAL;  // values from here on are clipped
  std::size_t clipped = 0;                            // rows
  std::size_t clipped_row = 0;                        // the first one, from 1
  std::size_t frozen = 0, frozen_row = 0;             // rows of one value while the joint moves, where they are no dwell of a quantised wave; their first
  double frozen_at = 0;                               // that value
};
inline constexpr std::size_t kManyLevels = 17;
inline constexpr std::size_t kFewLevels = 4;  // the error of rounding to them is a quarter of a torque's spread, or more

/// Channels of every coordinate. Findings of severity error mean that the log cannot be used.
std::vector<TorqueChannel> check_channels(const Log& log, const Model& model, std::vector<Finding>& findings);

/// Throws UnusableLog where one of them is an error.
void refuse_errors(const std::vector<Finding>& findings);

}  // namespace ulna::internal
