// Robots with loops, and with friction that depends on loads, in doubles and floats, with derivatives on their duals.
#include "dynamics/compute-inl.hpp"

namespace ulna::internal::kernel {

ULNA_CLOSED(double, double);
ULNA_CLOSED(float, float);
ULNA_CLOSED(double, long double);
ULNA_LOADED(double, double);
ULNA_LOADED(float, float);

}  // namespace ulna::internal::kernel
