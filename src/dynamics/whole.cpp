#include "dynamics/whole.hpp"

#define ULNA_KERNELS_IN_ONE_PIECE  // which are called, and so not in one piece, where they are compiled elsewhere
#include "dynamics/guarded.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
#define ULNA_IN_ONE_PIECE __attribute__((flatten, target("avx2,fma")))
#elif defined(__GNUC__)
#define ULNA_IN_ONE_PIECE __attribute__((flatten))
#else
#define ULNA_IN_ONE_PIECE
#endif

namespace ulna::internal {

namespace {

template <Quantity quantity, class T>
ULNA_IN_ONE_PIECE void in_one_piece(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                                    std::size_t stride) noexcept {
  guarded(quantity, plan, ws, in, out, effects, stride);
}

}  // namespace

template <Quantity quantity, class T>
void whole(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!has_fma) return guarded_in_pieces(quantity, plan, ws, in, out, effects, stride);
#endif
  in_one_piece<quantity>(plan, ws, in, out, effects, stride);
}

template <Quantity quantity, class T>
void whole_everywhere(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  guarded_in_pieces(quantity, plan, ws, in, out, effects, 0);
#else
  in_one_piece<quantity>(plan, ws, in, out, effects, 0);
#endif
}

template void whole_everywhere<Quantity::forward>(const PlanOf<double>&, WorkspaceOf<double>&, const InputsOf<double>&, double*,
                                                  const EffectsOf<double>&) noexcept;
template void whole_everywhere<Quantity::forward>(const PlanOf<float>&, WorkspaceOf<float>&, const InputsOf<float>&, float*, const EffectsOf<float>&) noexcept;

#define ULNA_INSTANTIATE(quantity, T) \
  template void whole<quantity>(const PlanOf<T>&, WorkspaceOf<T>&, const InputsOf<T>&, T*, const EffectsOf<T>&, std::size_t) noexcept;
ULNA_INSTANTIATE(Quantity::inverse, double)
ULNA_INSTANTIATE(Quantity::inverse, float)
ULNA_INSTANTIATE(Quantity::mass, double)
ULNA_INSTANTIATE(Quantity::mass, float)
ULNA_INSTANTIATE(Quantity::forward, double)
ULNA_INSTANTIATE(Quantity::forward, float)

}  // namespace ulna::internal
