#include "dynamics/rounding.hpp"

#include "dynamics/compute-inl.hpp"

#include "scalar/rounded.hpp"

namespace ulna::internal {

namespace kernel {
// In rounded_inverse.cpp, for speed: every payload's table is checked by it.
extern template void inverse_dynamics(const Plan&, WorkspaceOf<Rounded<double>>&, const Rounded<double>*, const Rounded<double>*, const Rounded<double>*,
                                      Rounded<double>*, const EffectsOf<Rounded<double>>&) noexcept;
}  // namespace kernel

double unit_roundoff(Precision precision) {
  return precision == Precision::single ? static_cast<double>(std::numeric_limits<float>::epsilon()) / 2 : std::numeric_limits<double>::epsilon() / 2;
}

template <class Real>
struct Rounding::Kernels {
  using T = Rounded<Real>;
  Kernels(const Plan& plan, bool rotor) : ws(plan) { effects.rotor = rotor; }
  Kernels(const Plan& plan, const Effects& acting) : ws(plan), rounded_inputs(true) {
    Either::range = kRange<double>;
    const auto number = [](const Vec3<double>& x) { return Vec3<T>{T(x.x), T(x.y), T(x.z)}; };
    for (const Wrench& w : acting.wrenches) wrenches.push_back({w.link, w.axes, number(w.force), number(w.moment)});
    const BaseMotion& base = acting.base;
    effects = {acting.rotor,
               acting.friction,
               {number(base.angular_velocity), number(base.linear_velocity), number(base.angular_acceleration), number(base.linear_acceleration)},
               wrenches};
  }

  const T* given(std::vector<T>& to, const std::vector<double>& from) {
    to.clear();
    for (const double x : from) to.push_back(rounded_inputs ? T(x) : T::exact(x));
    return from.empty() ? nullptr : to.data();
  }

  WorkspaceOf<T> ws;
  bool rounded_inputs = false;
  std::vector<WrenchOf<T>> wrenches;
  EffectsOf<T> effects;
  std::vector<T> q, v, last, out;
};

Rounding::Rounding(const Plan& plan, Precision precision, bool rotor) : precision_(precision), rotor_(rotor) {
  if (precision == Precision::full) torques_ = std::make_unique<Kernels<double>>(plan, rotor);
}
Rounding::Rounding(const Plan& plan, const Effects& effects) : any_(std::make_unique<Kernels<Either>>(plan, effects)) {}
Rounding::~Rounding() = default;
Rounding::Rounding(Rounding&&) noexcept = default;

const Rounding::Results& Rounding::of(Quantity quantity, const Plan& plan, const std::vector<double>& q, const std::vector<double>& v,
                                      const std::vector<double>& last, std::size_t link) {
  const auto run = [&](auto& k, const auto& compute) {
    k.out.resize(row_of(quantity).size(plan.sizes()));
    compute({k.given(k.q, q), k.given(k.v, v), k.given(k.last, last), link});
    results_.value.clear(), results_.error.clear();
    for (const auto& x : k.out) results_.value.push_back(x.value()), results_.error.push_back(x.absolute_error());
  };
  if (torques_ != nullptr && quantity == Quantity::inverse && !plan.closed()) {
    Kernels<double>& k = *torques_;
    run(k, [&](const InputsOf<Rounded<double>>& in) { kernel::inverse_dynamics(plan, k.ws, in.q, in.v, in.last, k.out.data(), k.effects); });
    return results_;
  }
  if (any_ == nullptr) any_ = std::make_unique<Kernels<Either>>(plan, rotor_);
  Kernels<Either>& k = *any_;
  Either::range = precision_ == Precision::single ? kRange<float> : kRange<double>;
  run(k, [&](const InputsOf<Rounded<Either>>& in) { kernel::compute(quantity, plan, k.ws, in, k.out.data(), k.effects); });
  return results_;
}

}  // namespace ulna::internal
