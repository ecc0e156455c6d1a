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
using namespace internal;
namespace test {
namespace sim = internal::sim;
namespace campaign = internal::campaign;
}  // namespace test
namespace sim {
using namespace internal::sim;
}
namespace campaign {
using namespace internal::campaign;
}
}  // namespace ulna
