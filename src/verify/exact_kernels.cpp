#include "verify/exact_kernels.hpp"

#include "dynamics/compute-inl.hpp"

namespace ulna::internal {

using DualExact = Dual<Exact>;

std::vector<Exact> ExactKernels::operator()(Quantity quantity, const InputsOf<Exact>& in, bool rotor) {
  std::vector<Exact> out(row_of(quantity).size(plan_.sizes()), Exact(0));
  EffectsOf<Exact> effects;
  effects.rotor = rotor;
  kernel::compute(quantity, plan_, ws_, in, out.data(), effects);
  return out;
}

std::vector<Exact> ExactKernels::rate(Quantity quantity, const InputsOf<Exact>& in, const InputsOf<Exact>& rates, bool rotor) {
  const PlanOf<DualExact> plan = plan_.cast<DualExact>();
  WorkspaceOf<DualExact> ws(plan);
  const auto moving = [](const Exact* x, const Exact* rate, std::size_t n) {
    std::vector<DualExact> to;
    for (std::size_t k = 0; k < n; ++k) to.emplace_back(x == nullptr ? Exact(0) : x[k], rate == nullptr ? Exact(0) : rate[k]);
    return to;
  };
  const Sizes sizes = plan_.sizes();
  const std::vector<DualExact> q = moving(in.q, rates.q, plan_.nq), v = moving(in.v, rates.v, sizes.nv), last = moving(in.last, rates.last, sizes.nv);
  std::vector<DualExact> out(row_of(quantity).size(sizes));
  EffectsOf<DualExact> effects;
  effects.rotor = rotor;
  kernel::compute(quantity, plan, ws, {q.data(), v.data(), last.data(), in.link, in.method}, out.data(), effects);
  std::vector<Exact> result;
  for (const DualExact& x : out) result.push_back(x.rate);
  return result;
}

std::vector<Exact> ExactKernels::tangent(const Exact* q, std::size_t k) {
  std::vector<Exact> to(plan_.nq, Exact(0));
  if (plan_.closed()) {
    kernel::resolve_loops(plan_, ws_, q);
    kernel::dependence(plan_, ws_.closed);
    kernel::closed_tangent(plan_, ws_.closed, q, k, to.data());
  } else {
    kernel::tangent(plan_, q, k, to.data());
  }
  return to;
}

std::vector<Exact> ExactKernels::parameters() const {
  std::vector<Exact> all(kBodyParameters * plan_.sizes().bodies);
  for (std::size_t i = 0; i < plan_.sizes().bodies; ++i) kernel::parameters(plan_, i, all.data() + kBodyParameters * i);
  return all;
}

std::vector<Exact> ExactKernels::dependence(const Exact* q) {
  kernel::resolve_loops(plan_, ws_, q);
  kernel::dependence(plan_, ws_.closed);
  return {ws_.closed.G.begin(), ws_.closed.G.end()};
}

std::vector<Exact> ExactKernels::tree_accelerations(const InputsOf<Exact>& in) {
  kernel::resolve_loops(plan_, ws_, in.q);
  const Exact* v = kernel::complete_speeds(plan_, ws_, in.v);
  const Exact* a = kernel::complete_accelerations(plan_, ws_, v, in.last);
  return {a, a + plan_.nv};
}

}  // namespace ulna::internal
