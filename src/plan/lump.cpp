#include "plan/reframe-inl.hpp"

namespace ulna::internal {

template void lump(Plan&, std::span<const LumpChoice>);

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

void lump(Plan& plan, Lumping lumping) {
  const std::vector<LumpChoice> same(plan.bodies.size(), LumpChoice{lumping});
  lump<double>(plan, same);
}

}  // namespace ULNA_API
