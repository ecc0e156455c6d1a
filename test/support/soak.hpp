// How long the tests may take: `make test` has minutes, `make soak` has hours, and sets ULNA_SOAK.
#pragma once

#include <cstdlib>

namespace ulna::test {

inline bool soaks() { return std::getenv("ULNA_SOAK") != nullptr; }

/// How many of something are tried.
template <class N>
N so_many(N few, N many) {
  return soaks() ? many : few;
}

}  // namespace ulna::test
