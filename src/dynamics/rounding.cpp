#include "dynamics/rounding.hpp"

#include "dynamics/compute-inl.hpp"

#include "scalar/rounded.hpp"

namespace ulna::internal {

namespace kernel {
// In rounded_inverse.cpp, for speed: every payload's table is checked by it.
extern template void inverse_dynamics(const Plan&, WorkspaceOf<Rounded<Either>>&, const Rounded<Either>*, const Rounded<Either>*, const Rounded<Either>*,
                                      Rounded<Either>*, const EffectsOf<Rounded<Either>>&) noexcept;
}  // namespace kernel

double unit_roundoff(Precision precision) {
  return precision == Precision::single ? static_cast<double>(std::numeric_limits<float>::epsilon()) / 2 : std::numeric_limits<double>::epsilon() / 2;
}

struct Rounding::Kernels {
  using T = Rounded<Either>;
  Kernels(const Plan& plan, Precision precision, bool rotor) : range(precision == Precision::single ? kRange<float> : kRange<double>), ws(plan) {
    effects.rotor = rotor;
  }
  Kernels(const Plan& plan, const Effects& acting) : ws(plan), rounded_inputs(true) {
    Either::range = range;
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

  NumberRange range = kRange<double>;
  WorkspaceOf<T> ws;
  bool rounded_inputs = false;
  std::vector<WrenchOf<T>> wrenches;
  EffectsOf<T> effects;
  std::vector<T> q, v, last, out;
};

Rounding::Rounding(const Plan& plan, Precision precision, bool rotor) : kernels_(std::make_unique<Kernels>(plan, precision, rotor)) {}
Rounding::Rounding(const Plan& plan, const Effects& effects) : kernels_(std::make_unique<Kernels>(plan, effects)) {}
Rounding::~Rounding() = default;
Rounding::Rounding(Rounding&&) noexcept = default;

const Rounding::Results& Rounding::of(Quantity quantity, const Plan& plan, const std::vector<double>& q, const std::vector<double>& v,
                                      const std::vector<double>& last, std::size_t link) {
  Kernels& k = *kernels_;
  Either::range = k.range;
  k.out.resize(row_of(quantity).size(plan.sizes()));
  kernel::compute(quantity, plan, k.ws, {k.given(k.q, q), k.given(k.v, v), k.given(k.last, last), link}, k.out.data(), k.effects);
  results_.value.clear(), results_.error.clear();
  for (const auto& x : k.out) results_.value.push_back(x.value()), results_.error.push_back(x.absolute_error());
  return results_;
}

}  // namespace ulna::internal
