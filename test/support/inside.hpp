// Tests look inside: names that no public header declares need no namespace here.
#pragma once

namespace ulna {
namespace sim {}
namespace campaign {}
namespace internal::sim {
using namespace ulna::sim;
}
namespace internal::campaign {
using namespace ulna::campaign;
}
namespace test {
using namespace internal;
namespace sim = internal::sim;
namespace campaign = internal::campaign;
}  // namespace test
}  // namespace ulna
