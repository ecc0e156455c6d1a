// Runs of a campaign: those of sim::System, in step with each other, one a lane of the batch kernels, or sequentially.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ulna/robot/dynamics.hpp>

#include "campaign/spec.hpp"
#include "robot/lane_numbers.hpp"

namespace ulna::internal::campaign {

/// What all threads share.
struct Machinery {
  explicit Machinery(const Spec& spec);

  const Spec& spec;
  std::shared_ptr<const Dynamics> believed;              // of the law, which has neither payload nor variation
  std::shared_ptr<const Dynamics> generic;               // of a robot with varied parameters: none that a run may have is zero in it
  std::shared_ptr<const ulna::internal::LaneCode> code;  // null: runs go sequentially
  std::size_t lanes;
  std::string_view instruction_set;
  std::string path;  // how accelerations are computed: "lanes", all of a block by one call of the batch kernels; else "one by one", and the reason
};

/// The scenario of a run with these values: what sim::simulate() makes of it is what the campaign makes, bit for bit. Throws std::invalid_argument where no
/// robot has them.
sim::Scenario scenario_of(const Machinery& machinery, std::uint64_t run, const std::vector<double>& values);

/// A run's row of results.csv.
struct RunRow {
  std::uint64_t run = 0;
  std::string status, reason;   // "done", or why there are no metrics
  std::vector<double> values;   // of the variations
  std::vector<double> metrics;  // in the order of metric_names()
};

/// One per thread. The results of a run do not depend, to the bit, on the other lanes.
class Block {
 public:
  explicit Block(const Machinery& machinery) : m_(machinery) {}

  /// t, q, v, tau and the reference's q (null without one), at every sample of the first run, and at its end, under the torques of the last sample.
  using Record = std::function<void(double t, const double* q, const double* v, const double* tau, const double* reference)>;
  /// `count` runs from `first` on, at most as many as there are lanes.
  std::vector<RunRow> run(std::uint64_t first, std::size_t count, const Record& record = {});

 private:
  const Machinery& m_;
};

}  // namespace ulna::internal::campaign
