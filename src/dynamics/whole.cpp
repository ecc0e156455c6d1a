#include "dynamics/whole.hpp"

#include "dynamics/guarded.hpp"

#if defined(__GNUC__)
#define ULNA_IN_ONE_PIECE __attribute__((flatten))
#else
#define ULNA_IN_ONE_PIECE
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define ULNA_FUSED __attribute__((flatten, target("avx2,fma")))
#endif

namespace ulna::internal {

namespace {

template <Quantity quantity, class T>
ULNA_IN_ONE_PIECE void plain(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                             std::size_t stride) noexcept {
  guarded(quantity, plan, ws, in, out, effects, stride);
}

#if defined(ULNA_FUSED)
template <Quantity quantity, class T>
ULNA_FUSED void fused(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept {
  guarded(quantity, plan, ws, in, out, effects, stride);
}
#endif

}  // namespace

template <Quantity quantity, class T>
void whole(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept {
#if defined(ULNA_FUSED)
  static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_fma) return fused<quantity>(plan, ws, in, out, effects, stride);
#endif
  plain<quantity>(plan, ws, in, out, effects, stride);
}

#define ULNA_INSTANTIATE(quantity, T) \
  template void whole<quantity>(const PlanOf<T>&, WorkspaceOf<T>&, const InputsOf<T>&, T*, const EffectsOf<T>&, std::size_t) noexcept;
ULNA_INSTANTIATE(Quantity::inverse, double)
ULNA_INSTANTIATE(Quantity::inverse, float)
ULNA_INSTANTIATE(Quantity::mass, double)
ULNA_INSTANTIATE(Quantity::mass, float)
ULNA_INSTANTIATE(Quantity::forward, double)
ULNA_INSTANTIATE(Quantity::forward, float)

}  // namespace ulna::internal
