// Torques on Rounded numbers, compiled for speed; rounding.cpp, which runs every other quantity, is compiled for size.
#include "dynamics/compute-inl.hpp"

#include "scalar/rounded.hpp"

namespace ulna::internal::kernel {

template void inverse_dynamics(const Plan&, WorkspaceOf<Rounded<Either>>&, const Rounded<Either>*, const Rounded<Either>*, const Rounded<Either>*,
                               Rounded<Either>*, const EffectsOf<Rounded<Either>>&) noexcept;

}  // namespace ulna::internal::kernel
