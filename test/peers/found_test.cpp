// Says which peers this build compares with, so that a green run cannot hide that there were none.
#include <cstdio>

#include <gtest/gtest.h>

TEST(Peers, Found) {
#ifdef ULNA_HAVE_KDL
  std::puts("peer found: KDL");
#else
  std::puts("peer not found: KDL");
#endif
#ifdef ULNA_HAVE_MUJOCO
  std::puts("peer found: MuJoCo");
#else
  std::puts("peer not found: MuJoCo");
#endif
}
