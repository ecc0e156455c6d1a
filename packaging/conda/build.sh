#!/bin/sh
# Called by conda build in a copy of the repository; PREFIX is where the package is put together.
set -eu
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DBUILD_SHARED_LIBS=ON -DULNA_BUILD_TESTS=OFF -DULNA_BUILD_EXAMPLES=OFF -DULNA_WEB=OFF
cmake --build build/conda
for component in library development program; do cmake --install build/conda --component "$component"; done
