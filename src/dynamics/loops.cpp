// Robots with loops in doubles and floats, with derivatives on their duals.
#include "dynamics/compute-inl.hpp"

namespace ulna::internal::kernel {

ULNA_CLOSED(double, double);
ULNA_CLOSED(float, float);
ULNA_CLOSED(double, long double);

}  // namespace ulna::internal::kernel
