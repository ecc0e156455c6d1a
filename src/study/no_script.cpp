// Stands in for the page's script where the build had no Node: the page is complete without it.
#include "study/page_parts.hpp"

namespace ulna::internal {

std::string_view page_script() { return {}; }

}  // namespace ulna::internal
