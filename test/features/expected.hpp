// What every quantity of a drawn robot must be, from the laws of mechanics for its links in extended precision, and how far rounding may take a result from it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "dynamics/terms.hpp"
#include "features/drawn.hpp"
#include "verify/reference.hpp"

namespace ulna::test {

using Real = long double;
inline std::vector<Real> wide(const std::vector<double>& x) { return {x.begin(), x.end()}; }

/// Values of all quantities at any state. It knows the model of Drawn::apart() and nothing of plans, kernels or the table of variants.
class Truth {
 public:
  explicit Truth(const Drawn& drawn) : Truth(drawn, drawn.apart()) {}
  /// For states near this one, of another description with the same joints. Whole turns are taken from its angles: differences of far ones would lose digits.
  Truth(const Drawn& drawn, const Description& description, const std::vector<double>& q = {});
  /// A configuration near it: this, for value().
  const std::vector<Real>& near() const { return near_; }

  using Vector = std::vector<Real>;
  /// `last`: a, or tau, as the quantity takes it. Matrices column by column.
  Vector value(Quantity quantity, const Vector& q, const Vector& v, const Vector& last) const;

  /// Friction of a coordinate; `smooth` > 0: Coulomb's is spread over this speed, as simulations have it.
  Vector friction(const Vector& v, double smooth = 0) const;
  /// From now on Coulomb's friction has the signs that it has at v, as where derivatives are taken: differences across rest would be those of a jump.
  void hold_signs(const Vector& v) { held_ = v; }
  Vector friction_slope(const Vector& v, double smooth = 0) const;
  /// How large the terms of friction are.
  std::vector<double> friction_size(const std::vector<double>& v) const;

  const internal::Reference& reference() const { return reference_; }
  const Model& model() const { return model_; }  // whose planar base is joints
  std::size_t nv() const { return nv_; }
  bool free() const { return reference_.free(); }

 private:
  struct Moving {  // a link's mass centre and frame, in the world's axes
    Vec3<Real> com, velocity, w;
    Sym3<Real> inertia;
  };
  std::vector<Moving> moving(const Vector& q, const Vector& v, bool base) const;
  Vector centroidal_momentum(const Vector& q, const Vector& v) const;  // mass centre, its velocity, momentum about it

  std::vector<Real> near_;
  Model model_;
  internal::Reference reference_, acted_;
  BaseMotion motion_;
  bool friction_on_;
  Vector held_{};
  std::size_t nv_, link_;
};

/// Values and bounds at one state: a result may be off by verify_tolerance(joints) times its bound, in floats by so much more as their roundings are larger.
class Expected {
 public:
  Expected(const Drawn& drawn, const State& state);

  struct Number {
    std::vector<Real> value;
    std::vector<double> bound;
  };
  const Number& of(Quantity quantity) const;

  const Truth& truth() const { return truth_; }
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& v() const { return v_; }
  const std::vector<double>& a() const { return a_; }
  const std::vector<double>& tau() const { return tau_; }  // of a, rounded
  /// The inputs of a quantity, in the order of its row.
  std::vector<const std::vector<double>*> inputs(Quantity quantity) const;
  double allowed(Quantity quantity, std::size_t number, double roundoff = 1) const { return roundings_ * roundoff * of(quantity).bound[number]; }
  bool holds(bool single) const;  // whether accelerations mean anything
  /// Empty, or what is off. `roundoff`: of the numbers that were computed with.
  template <class T>
  std::string differs(Quantity quantity, const T* got, double* used = nullptr) const;

 private:
  Number compute(Quantity quantity) const;
  std::vector<double> bound(Quantity quantity, const std::vector<Real>& value) const;

  Truth truth_;
  std::vector<double> q_, v_, a_, tau_;
  internal::Terms terms_;
  double base_w_ = 0, base_v_ = 0, roundings_ = 0;
  std::vector<Real> inverse_;  // M⁻¹
  std::vector<double> mass_bound_, torque_bound_, acceleration_bound_, derivatives_bound_;
  std::vector<Real> derivatives_, forward_derivatives_;
  mutable std::map<Quantity, Number> numbers_;
};

/// A x = b by Gauss, with pivots; A row by row, n x n, b of n x m column by column.
std::vector<Real> solved(std::vector<Real> A, std::vector<Real> b, std::size_t n);

}  // namespace ulna::test
