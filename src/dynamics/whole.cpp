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

template <class T>
ULNA_IN_ONE_PIECE void derivatives_in_one_piece(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* out, std::size_t stride,
                                                const EffectsOf<T>& effects) noexcept {
  kernel::inverse_derivatives(plan, ws, q, v, a, out, stride, effects);
}
template <class T>
ULNA_IN_ONE_PIECE void accelerate_in_one_piece(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, const EffectsOf<T>& effects) noexcept {
  kernel::forward_by_mass(plan, ws, in.q, in.v, in.last, ws.a.data(), effects);
}
template <class T>
ULNA_IN_ONE_PIECE void solve_in_one_piece(const PlanOf<T>& plan, const WorkspaceOf<T>& ws, T* out, std::size_t stride) noexcept {
  kernel::solve_side_by_side(plan, ws, out, stride);
}

/// Derivatives of trees in a few pieces; false for what has them in another way. In doubles: the pieces of floats would be as large and serve few.
inline bool derivatives(Quantity quantity, const PlanOf<double>& plan, WorkspaceOf<double>& ws, const InputsOf<double>& in, double* out,
                        const EffectsOf<double>& effects, std::size_t stride) noexcept {
  if (plan.closed() || plan.has_balls() || (plan.loaded && effects.friction) || plan.nv > kernel::kMostSolvedSideBySide) return false;
  const std::size_t column = stride == 0 ? plan.nv : stride;
  const double* a = in.last;
  if (quantity == Quantity::forward_derivatives) {
    accelerate_in_one_piece(plan, ws, in, effects);
    a = ws.a.data();
  }
  derivatives_in_one_piece(plan, ws, in.q, in.v, a, out, column, effects);
  if (quantity == Quantity::forward_derivatives) solve_in_one_piece(plan, ws, out, column);
  guard(quantity, plan, in, out, effects, stride);
  return true;
}

}  // namespace

template <Quantity quantity, class T>
void whole(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool has_fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (!has_fma) return guarded_in_pieces(quantity, plan, ws, in, out, effects, stride);
#endif
  if constexpr (quantity == Quantity::inverse_derivatives || quantity == Quantity::forward_derivatives) {
    if constexpr (std::is_same_v<T, double>) {
      if (derivatives(quantity, plan, ws, in, out, effects, stride)) return;
    }
    guarded_in_pieces(quantity, plan, ws, in, out, effects, stride);
  } else {
    in_one_piece<quantity>(plan, ws, in, out, effects, stride);
  }
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
ULNA_INSTANTIATE(Quantity::inverse_derivatives, double)
ULNA_INSTANTIATE(Quantity::inverse_derivatives, float)
ULNA_INSTANTIATE(Quantity::forward_derivatives, double)
ULNA_INSTANTIATE(Quantity::forward_derivatives, float)

}  // namespace ulna::internal
