// Effects besides the drives, and quantities that only the templates compute.
#include <algorithm>

#include "robot/call.hpp"
#include "robot/checks.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// Few numbers for any robot: q and v are checked.
template <std::size_t size, class T, class State>
std::array<T, size> numbers(const State& state, Quantity quantity, VectorView<const T> q, VectorView<const T> v, const EffectsOf<T>& effects) {
  const robot::Checks check(state);
  check.configuration(q);
  check.rates(v.size());
  check.no_prescribed_base(effects);
  std::array<T, size> out;
  robot::call<T>(state, quantity, {q.data(), v.data()}, out.data(), effects);
  return out;
}

}  // namespace

template <class T>
void DynamicsOf<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects) const noexcept {
  robot::call(*state_, quantity, in, out, effects);
}
template <class T>
void DynamicsOf<T>::compute(Quantity quantity, std::initializer_list<In> inputs, Out out, const EffectsOf<T>& effects) const {
  const robot::Checks check(*state_);
  for (const WrenchOf<T>& wrench : effects.wrenches) check.link(wrench.link);
  check.no_prescribed_base(effects);
  robot::call(*state_, quantity, check.state<T>(row_of(quantity), inputs, out), out.data(), effects);
}

template <class T>
EnergyOf<T> DynamicsOf<T>::energy(In q, In v, const EffectsOf<T>& effects) const {
  const auto x = numbers<2>(*state_, Quantity::energy, q, v, effects);
  return {x[0], x[1]};
}
template <class T>
MomentumOf<T> DynamicsOf<T>::momentum(In q, In v, const EffectsOf<T>& effects) const {
  const auto x = numbers<6>(*state_, Quantity::momentum, q, v, effects);
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
template <class T>
CentroidalOf<T> DynamicsOf<T>::centroidal(In q, In v) const {
  const auto x = numbers<18>(*state_, Quantity::centroidal, q, v, EffectsOf<T>{});
  const auto three = [&](std::size_t k) { return Vec3<T>{x[k], x[k + 1], x[k + 2]}; };
  return {three(0), three(3), three(6), three(9), three(12), three(15)};
}
template <class T>
void DynamicsOf<T>::poses(In q, VectorView<Pose<T>> poses) const {
  const PlanOf<T>& plan = state_->plan;
  robot::Checks(*state_).configuration(q);
  if (poses.size() != plan.links.size())
    throw std::invalid_argument(cat("there is room for ", poses.size(), " poses, but robot ", in_quotes(model().name()), " has ", plan.links.size(), " links"));
  robot::with_workspace(plan, [&](WorkspaceOf<T>& ws) { link_poses(plan, ws, q, poses); });
}

template <class T>
std::string DynamicsOf<T>::why_not_compiled(Quantity quantity, std::size_t link) const {
  if (compiled(quantity, link)) return {};
  for (const RefusedKernel& kernel : refused())
    if (kernel.quantity == quantity && kernel.link == link) return to_string(kernel);
  if (state_->code == nullptr) return "no machine code was made of this robot";
  const std::vector<Quantity>& too_long = state_->code->programs.too_long;
  if (std::find(too_long.begin(), too_long.end(), quantity) != too_long.end())
    return cat("machine code of ", to_string(quantity), " would take more than ", robot::kMostOperations, " operations for this robot");
  return cat("no machine code of ", to_string(quantity), " was made of this robot");
}

#define ULNA_INSTANTIATE(T)                                                                                   \
  template void DynamicsOf<T>::compute(Quantity, const InputsOf<T>&, T*, const EffectsOf<T>&) const noexcept; \
  template void DynamicsOf<T>::compute(Quantity, std::initializer_list<In>, Out, const EffectsOf<T>&) const;  \
  template EnergyOf<T> DynamicsOf<T>::energy(In, In, const EffectsOf<T>&) const;                              \
  template MomentumOf<T> DynamicsOf<T>::momentum(In, In, const EffectsOf<T>&) const;                          \
  template CentroidalOf<T> DynamicsOf<T>::centroidal(In, In) const;                                           \
  template void DynamicsOf<T>::poses(In, VectorView<Pose<T>>) const;                                          \
  template std::string DynamicsOf<T>::why_not_compiled(Quantity, std::size_t) const;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)
#undef ULNA_INSTANTIATE

}  // namespace ULNA_API
