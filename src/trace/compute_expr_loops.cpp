// Robots with loops on expressions: a file of its own, because it is compiled for size.
#include "trace/compute_expr.hpp"

namespace ulna::internal::kernel {

ULNA_CLOSED(Expr, Expr);

}  // namespace ulna::internal::kernel
