// Forward dynamics by LDLᵀ (formulation/composite_ldl.hpp) with M and bias from any two formulations of the registry.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "formulation/composite_ldl.hpp"
#include "formulation/rows.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::test {

inline Prepared without_gravity(const Prepared& prepared) {
  const Vec3<double> none{};
  Forms forms = prepared.forms();
  forms.tree.gravity = none;
  if (forms.dh) forms.dh->gravity_0 = none;
  if (forms.mdh) forms.mdh->gravity_0 = none;
  return Prepared(with_gravity(prepared.given, none), prepared.snap, std::move(forms));
}

template <class T>
std::unique_ptr<Evaluator<T>> made_by(const Formulation& row, const Prepared& prepared) {
  if constexpr (std::is_same_v<T, double>)
    return row.make_double ? row.make_double(prepared) : nullptr;
  else if constexpr (std::is_same_v<T, float>)
    return row.make_float ? row.make_float(prepared) : nullptr;
  else if constexpr (std::is_same_v<T, Counted>)
    return row.make_counted ? row.make_counted(prepared) : nullptr;
  else
    return row.make_expr ? row.make_expr(prepared) : nullptr;
}

/// M and bias of two formulations of the registry, as a Source of CompositeLdl.
template <class T>
class Chosen {
 public:
  Chosen(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id)
      : zero_(prepared.size(), T(0)),
        unit_(zero_),
        column_(zero_),
        gives_mass_(formulation_named(mass_id).gives(Quantity::mass)),
        gives_bias_(formulation_named(bias_id).gives(Quantity::bias)) {
    mass_ = made(prepared, formulation_named(mass_id), Quantity::mass);
    bias_ = made(prepared, formulation_named(bias_id), Quantity::bias);
  }

  void mass(const T* q, T* M) {
    if (gives_mass_) return mass_->compute(Quantity::mass, {q}, M);
    const std::size_t n = zero_.size();
    for (std::size_t j = 0; j < n; ++j) {
      unit_[j] = T(1);
      mass_->compute(Quantity::inverse, {q, zero_.data(), unit_.data()}, column_.data());
      unit_[j] = T(0);
      for (std::size_t i = 0; i < n; ++i) M[i * n + j] = column_[i];
    }
  }
  void bias(const T* q, const T* v, T* bias) {
    if (gives_bias_) return bias_->compute(Quantity::bias, {q, v}, bias);
    bias_->compute(Quantity::inverse, {q, v, zero_.data()}, bias);
  }

 private:
  static std::unique_ptr<Evaluator<T>> made(const Prepared& prepared, const Formulation& row, Quantity quantity) {
    if (!row.gives(quantity) && !row.gives(Quantity::inverse))
      throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " gives neither ", result_name(quantity), " nor torque"));
    const std::string why_not = row.why_not(prepared);
    if (!why_not.empty()) throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " does not take this model: ", why_not));
    const bool strobed = quantity == Quantity::mass && !row.gives(quantity);
    std::unique_ptr<Evaluator<T>> evaluator = strobed ? made_by<T>(row, without_gravity(prepared)) : made_by<T>(row, prepared);
    if (evaluator == nullptr) throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " does not run on this scalar"));
    return evaluator;
  }

  std::vector<T> zero_, unit_, column_;
  bool gives_mass_, gives_bias_;
  std::unique_ptr<Evaluator<T>> mass_, bias_;
};

template <class T>
class ChosenLdlEvaluator : public Evaluator<T> {
 public:
  using P = std::conditional_t<std::is_floating_point_v<T>, T, double>;  // the parameter scalar that goes with a state scalar
  ChosenLdlEvaluator(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id)
      : solver_(Chosen<T>(prepared, mass_id, bias_id), rotors(prepared.forms().tree.cast<P>())) {}
  void acceleration(const T* q, const T* v, const T* tau, T* a, const Loads<T>& loads) override { refuse(loads), solver_.acceleration(q, v, tau, a); }

 private:
  CompositeLdl<P, T, Chosen<T>> solver_;
};

/// A formulation that gives only torques yields M by unit accelerations at rest without gravity, and the bias as the torque at zero acceleration (Turney, Mudge
/// & Lee, sec. 7). Throws std::invalid_argument when an id is unknown, when the formulation does not take the model or the scalar, or when it gives neither the
/// quantity nor the torque.
template <class T>
std::unique_ptr<Evaluator<T>> make_composite_ldl(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id) {
  return std::make_unique<ChosenLdlEvaluator<T>>(prepared, mass_id, bias_id);
}

}  // namespace ulna::test
