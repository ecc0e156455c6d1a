// The reference at one state, and how large the terms are that each result is made of: what rounding errors are measured against.
#pragma once

#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>
#include "verify/reference.hpp"

#include "dynamics/rounding.hpp"
#include "dynamics/terms.hpp"

namespace ulna::internal {

struct Bounds {
  /// Without `matrices` there are tau, bias and torque_bound alone, in O(n) instead of O(n³).
  Bounds(const Reference& reference, const Terms& terms, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a,
         bool matrices = true);
  /// With terms in the model's own frames.
  Bounds(const Reference& reference, const Model& model, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);
  /// Adds the terms of other frames in the same state: for methods whose parameters were carried over from the first frames to these, with rounding, and that
  /// then compute there.
  void add(const Terms& terms, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);

  /// What a quantity must be at this state, and how large its terms are, number by number; of those that there is a reference for. Throws std::logic_error for
  /// others.
  struct Exact {
    const std::vector<long double>& value;
    const std::vector<double>& bound;
  };
  Exact of(Quantity quantity) const;
  /// The same of a formulation, whose way to the result may have larger terms.
  Exact of(Quantity quantity, const Formulation& by) const;

  std::vector<long double> tau, bias, gravity, M, C, acceleration;  // matrices column by column
  std::vector<double> torque_bound;                                 // per coordinate: force or moment, whichever it is
  std::vector<double> gravity_bound;                                // the same at rest
  std::vector<double> mass_bound;                                   // per entry, column by column; not symmetric: row i, column j is [i + j n]
  std::vector<double> coriolis_bound;                               // per entry
  std::vector<double> coriolis_bound_runs;                          // the same for differences of runs with one or two unit speeds
  std::vector<double> mass_bound_base;                              // the same for methods that measure all points from the base
  std::vector<double> acceleration_bound;                           // |M⁻¹| times (torque bound + mass bound times |a|)
  std::vector<double> acceleration_bound_drives;                    // the same for methods that carry the drives' forces through the links
  std::vector<long double> derivatives, forward_derivatives;        // three matrices side by side, column by column
  std::vector<double> derivatives_bound, forward_derivatives_bound;

 private:
  bool matrices_ = true;
  void add_derivatives(const Terms& terms, const std::vector<double>& q);
  /// Sizes of a coordinate's torque from those of the tree's joints, times the condition number, by which rounding of the loops' coefficients is amplified.
  std::vector<Terms::Share> shares(const Terms& terms) const;
  double rotor(const Terms& terms, std::size_t i, const std::vector<double>& a) const;     // in coordinate i, at accelerations of the tree
  double friction(const Terms& terms, std::size_t i, const std::vector<double>& v) const;  // the same at speeds of the tree

  std::vector<long double> inverse_;  // M⁻¹
  // Of the tree: rates, accelerations, how its coordinates move with each of v, and how fast that changes, at most.
  std::vector<double> v_, a_;
  std::vector<std::vector<double>> ways_, way_rates_;
  double condition_ = 1;
};

/// Whether accelerations mean anything in this precision: not where a pivot of M (row by row) is rounding of the entry that it is left over from.
bool pivots_hold(const std::vector<long double>& M, std::size_t n, Precision precision);

/// The largest |got - wanted| over its bound, and over `amplification`. A NaN is a difference, not an agreement.
double largest_difference(const std::vector<double>& got, const std::vector<long double>& wanted, const std::vector<double>& bound, double amplification = 1);

/// The model with its merged rotations snapped as the plan snaps them: one link for each moving body, the same dynamics.
Model snapped_model(const Model& model, double snap);

}  // namespace ulna::internal
