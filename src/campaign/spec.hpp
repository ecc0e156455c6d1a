// A campaign as read from its file, the parameters of one run, and its metrics.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ulna/campaign/campaign.hpp>
#include <ulna/sim/scenario.hpp>

namespace ulna::internal::campaign {

/// Model::independent(), then the joints that follow one of them, which rub at rates of their own: as indices into Model::joints().
std::vector<std::size_t> rubbing_joints(const Model& model);

/// All numbers of one run.
struct RunNumbers {
  sim::Scenario scenario;
  std::vector<Friction> friction;            // of each of rubbing_joints()
  std::vector<double> mass;                  // of each link; its inertia grows with it [kg]
  std::vector<Vec3<double>> com;             // of each link [m]
  std::vector<std::array<double, 10>> more;  // of each link, added to m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz about its origin
  Vec3<double> gravity{};
  double pushes = 1;  // factor on all disturbances
};

enum class Use { value, factor, offset };

/// What can vary, by name.
struct Parameter {
  std::string name, unit;
  double least;             // no smaller value makes sense
  std::optional<Use> only;  // factor: it stands for several numbers that are not the same; offset: it is added to what the robot has
  std::function<std::vector<double*>(RunNumbers&)> numbers;
};
std::vector<Parameter> parameters_of(const RunNumbers& nominal);

enum class VariationKind { uniform, normal, grid, identified };
struct Variation {
  Parameter parameter;
  VariationKind kind = VariationKind::uniform;
  Use use = Use::value;
  double a = 0, b = 0;         // uniform: from, to; normal: mean, standard deviation
  std::vector<double> values;  // grid; identified: its row of L, of the covariance L Lᵀ
  std::string unit;            // of its numbers: that of the parameter, or "1" of a factor
  /// The least and the most that a run can be expected to draw.
  std::pair<double, double> reach() const;
};

struct Spec {
  explicit Spec(RunNumbers numbers) : nominal(std::move(numbers)) {}

  std::string name = "campaign", description;
  std::uint64_t seed = 1, runs = 0;
  bool sobol = false;
  RunNumbers nominal;
  std::uint64_t samples = 0;  // periods of a run
  double settle = 1e-2;       // an error below this counts as settled [rad or m]
  std::vector<Variation> variations;
  std::string text, hash;
  std::vector<std::string> columns;
  double memory = 0;                                 // that was stated [B]; 0: nothing was
  double memory_at_least = 0, memory_of_thread = 0;  // what is needed, and for every thread besides [B]
};

/// The text of a file that describes a campaign or a data set, which is what `element` says; nothing after an error.
std::optional<std::string> read_spec(const std::string& path, const char* element, const ReadLimits& limits, Diagnostics& problems);

/// The values of run k, in the order of the variations.
std::vector<double> drawn(const Spec& spec, std::uint64_t run);
/// The numbers of a run with these values. Throws std::invalid_argument where they are impossible.
RunNumbers numbers_of(const Spec& spec, const std::vector<double>& values);

/// Columns of results.csv before the metrics, and the metrics, with units.
std::vector<std::string> leading_columns(const Spec& spec);
std::vector<std::string> metric_names(const Spec& spec);

/// Metrics accumulated sample by sample, of `lanes` runs in step: number i of lane l at [i * lanes + l].
class Metrics {
 public:
  Metrics(const Spec& spec, std::size_t lanes);
  /// At sample k, and at the end: `error` is reference less position of the joints, null where there is no reference; q, v of the joints.
  void state(std::uint64_t k, const double* error, const double* q, const double* v);
  /// Torques that act for a period from here on, and how far the joints go under them.
  void drive(const double* tau, const double* moved);
  /// In the order of metric_names(); NaN where there is none: a run that did not settle.
  std::vector<double> of(std::size_t lane, double reference_end) const;

 private:
  const Spec& spec_;
  std::size_t n_, lanes_;
  bool follows_;
  std::vector<double> lower_, upper_, speed_, effort_;  // of the joints; infinite where there is none
  std::vector<bool> slides_;
  std::vector<double> peak_error_, square_error_;                    // of each joint
  std::vector<double> peak_tau_, square_tau_, peak_speed_, energy_;  // energy: of each lane
  std::vector<double> violations_, overloads_, outside_;             // of each lane; outside: the last sample at which an error was too large, -1 for none
};

}  // namespace ulna::internal::campaign
