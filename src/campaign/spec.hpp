// A campaign as it was read, and the numbers of one run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ulna/campaign/campaign.hpp>
#include <ulna/sim/scenario.hpp>

namespace ulna::internal::campaign {

/// A joint that follows a coordinate: it has friction of its own, at its own rate.
struct Follower {
  std::size_t index = 0;       // into Model::joints()
  std::size_t coordinate = 0;  // into Model::independent()
  double multiplier = 1;
};
std::vector<Follower> followers(const Model& model);
/// Model::independent(), then those, as indices into Model::joints().
std::vector<std::size_t> rubbing_joints(const Model& model);

/// All numbers of one run.
struct RunNumbers {
  sim::Scenario scenario;
  std::vector<Friction> friction;            // of each joint of Model::independent(), then of followers()
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
  double least() const;        // that a run can be expected to draw
  double most() const;
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
  std::size_t first_metric = 0;                      // among the columns
};

/// The values of run k, in the order of the variations.
std::vector<double> drawn(const Spec& spec, std::uint64_t run);
/// The numbers of a run with these values. Throws std::invalid_argument where no robot has them.
RunNumbers numbers_of(const Spec& spec, const std::vector<double>& values);

}  // namespace ulna::internal::campaign
