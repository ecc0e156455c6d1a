#!/bin/sh
# run.sh SOURCE BUILD COMPILER [FLAGS]: every line printed is a consumer that was built and ran.
set -eu
source=$1 build=$2 compiler=$3 flags=${4:-}
here=$source/test/packaging
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log"; echo "FAILED: $*"; exit 1; }; }

# The library as people build it.
quietly cmake --install "$build" --prefix "$work/static"

# As a part of another project, which must get no tests, no program and no flags from it; shared, and without optimisation.
mkdir "$work/whole"
cat > "$work/whole/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(whole LANGUAGES CXX)
add_subdirectory($source ulna)
find_package(Eigen3 REQUIRED NO_MODULE)
add_executable(consumer $here/consumer/main.cpp)
target_link_libraries(consumer PRIVATE ulna::ulna Eigen3::Eigen)
if(TARGET ulna_cli OR TARGET test_model)
  message(FATAL_ERROR "Ulna builds its program or tests inside another project")
endif()
EOF
quietly cmake -S "$work/whole" -B "$work/whole/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-O0 -g0 $flags" -DBUILD_SHARED_LIBS=ON
quietly cmake --build "$work/whole/build" -j 2
quietly "$work/whole/build/consumer"
echo "add_subdirectory"
quietly cmake --install "$work/whole/build" --prefix "$work/shared"

# Consumers whose flags differ from the library's: peers crash on exactly that.
number=0
for library in static shared; do
  for options in "-O0" "-O2 -DNDEBUG" "-O0 -march=native -UNDEBUG" "-O2 -march=native -DNDEBUG"; do
    number=$((number + 1))
    quietly cmake -S "$here/consumer" -B "$work/consumer-$number" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/$library" \
      -DCMAKE_CXX_FLAGS="$options $flags"
    quietly cmake --build "$work/consumer-$number"
    quietly "$work/consumer-$number/consumer"
    echo "find_package, $library library, consumer $options"
  done
done

for library in static shared; do
  PKG_CONFIG_PATH="$work/$library/lib/pkgconfig:$(ls -d "$work/$library"/lib/*/pkgconfig 2>/dev/null | tail -1)"
  export PKG_CONFIG_PATH
  static=""
  [ $library = static ] && static="--static"
  # shellcheck disable=SC2046,SC2086
  quietly "$compiler" -std=c++20 -O1 $flags "$here/consumer/main.cpp" $(pkg-config --cflags eigen3) $(pkg-config --cflags --libs $static ulna) -o "$work/by-pkg-config"
  LD_LIBRARY_PATH="$(pkg-config --variable=libdir ulna)" quietly "$work/by-pkg-config"
  echo "pkg-config, $library library"
done
