// Tests look inside: names that no public header declares need no namespace here.
#pragma once

namespace ulna {
namespace internal {}
using namespace internal;
namespace sim {
namespace internal {}
using namespace internal;
}  // namespace sim
namespace campaign {
namespace internal {}
using namespace internal;
}  // namespace campaign
}  // namespace ulna
