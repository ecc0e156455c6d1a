#pragma once

#include <cmath>
#include <cstring>

namespace ulna::test {

/// Same bits, or both NaN.
template <class T>
bool same_bits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

}  // namespace ulna::test
