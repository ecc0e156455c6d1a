#include "verify/multipliers.hpp"  // where they are now
