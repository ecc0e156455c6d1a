// The columns of a fit: base parameters, then what friction may be made of, coordinate by coordinate.
#pragma once

#include <vector>

#include <ulna/identify/identify.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal {

enum class FrictionTerm { rotor, viscous, coulomb, offset, asymmetric, stribeck, load, gain };

struct FrictionColumn {
  FrictionTerm term{};
  std::size_t coordinate = 0;
  double part = 0;  // of stribeck: its speed in parts of the fastest
};

class Columns {
 public:
  /// Columns of all these models, each once. `speed`: the fastest of each coordinate. `gains`: one that is NaN has a column.
  Columns(const Model& model, const Plan& plan, const BaseParameters& structure, const std::vector<FrictionModel>& models, bool rotors,
          std::vector<double> speed, const std::vector<double>& gains = {});

  std::size_t base() const { return parameter_.size(); }
  std::size_t size() const { return base() + friction_.size(); }
  const std::vector<FrictionColumn>& friction() const { return friction_; }
  /// Those that a model of friction has, base parameters among them.
  std::vector<std::size_t> of(const FrictionModel& model) const;
  /// Those that the torque of a coordinate can have in it.
  const std::vector<std::size_t>& felt(std::size_t coordinate) const { return felt_[coordinate]; }
  /// Of those that are base parameters, which come first: where the entry stands in a regressor.
  const std::vector<std::size_t>& places(std::size_t coordinate) const { return places_[coordinate]; }
  /// Entry of a column in the row of a coordinate it is felt by. Y: the regressor of the state; load: torques of the links, where a column needs them.
  double entry(std::size_t column, std::size_t coordinate, const double* Y, const double* v, const double* a, const double* load) const;
  /// Whether it is a drive's gain: its entries are what was measured.
  bool is_gain(std::size_t column) const { return column >= base() && friction_[column - base()].term == FrictionTerm::gain; }
  /// The same of friction alone.
  double friction(const FrictionColumn& column, const double* v, const double* a, const double* load) const;
  /// Torques of the links by base parameters.
  void links(const double* Y, const double* base, double* tau) const;
  Estimate named(std::size_t column) const;
  const std::vector<double>& speed() const { return speed_; }
  /// Whether they have columns; else they are the model's, and their torque is known.
  bool has_rotors() const { return rotors_; }

 private:
  const Model& model_;
  const BaseParameters& structure_;
  std::size_t n_;
  bool rotors_;
  std::vector<double> speed_;
  std::vector<std::size_t> parameter_;  // of each base column: the regressor's column
  std::vector<FrictionColumn> friction_;
  std::vector<std::vector<std::size_t>> felt_, places_;
};

}  // namespace ulna::internal
