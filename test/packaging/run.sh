#!/bin/sh
# run.sh SOURCE BUILD COMPILER [FLAGS]: every line printed is a consumer that was built and ran.
set -eu
source=$1 build=$2 compiler=$3 flags=${4:-}
here=$source/test/packaging
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

quietly() { "$@" > "$work/log" 2>&1 || { cat "$work/log"; echo "FAILED: $*"; exit 1; }; }

# A second compiler, where there is one and the libraries are not built for a sanitizer of the first.
other=$compiler
if [ -z "$flags" ]; then
  for name in clang++ g++; do
    case $compiler in *$name*) continue ;; esac
    if command -v $name > /dev/null; then other=$name && break; fi
  done
fi

# shows_the_public LIBRARY: what public headers declare, and nothing of its inside.
shows_the_public() {
  nm -DC --defined-only "$1" | sed 's/^[0-9a-f]* //' > "$work/shown"
  if ! grep -q '^T ulna::load(' "$work/shown" || ! grep -q 'ulna::DynamicsOf<double>::inverse' "$work/shown"; then
    echo "FAILED: $1 hides what public headers declare"
    exit 1
  fi
  if nm -D --defined-only "$1" | grep -oE '_Z(T[VTIS])?N[KVr]*4ulna(3sim|8campaign)?(8internal|3jit|4draw).*' | c++filt | grep .; then
    echo "FAILED: $1 shows the names above, which no public header declares"
    exit 1
  fi
}

# The library as people build it, with all its parts. Its objects as one shared library: what this compiler makes of the marks in the headers.
quietly cmake --install "$build" --prefix "$work/static"
archives=$(find "$work/static" -name 'libulna_*.a')
# shellcheck disable=SC2086
quietly "$compiler" $flags -shared -Wl,--whole-archive $archives -Wl,--no-whole-archive -o "$work/all_parts.so"
shows_the_public "$work/all_parts.so"
echo "all parts in a shared library, $compiler: $(grep -c 'ulna::' "$work/shown") names"

# As a part of another project, which must get no tests, no program and no flags from it; shared, without optimisation, and without the parts that a controller does
# not need. In `make soak` it is compiled, too, the one time that the library is compiled for this test, and by the other compiler: so each compiler's consumers meet
# each compiler's library. In batches that are whole folders: it does not matter where one ends.
mkdir "$work/whole"
cat > "$work/whole/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(whole LANGUAGES CXX)
set(ULNA_BUILD_EXTRAS OFF)
add_subdirectory($source ulna)
find_package(Eigen3 REQUIRED NO_MODULE)
add_executable(consumer $here/consumer/main.cpp)
target_link_libraries(consumer PRIVATE ulna::ulna Eigen3::Eigen)
if(TARGET ulna_cli OR TARGET test_model OR TARGET ulna_study)
  message(FATAL_ERROR "Ulna builds its program, tests or extras inside another project")
endif()
EOF
quietly cmake -S "$work/whole" -B "$work/whole/build" -G Ninja -DCMAKE_CXX_COMPILER="$other" -DCMAKE_CXX_FLAGS="-O0 -g0 $flags" -DBUILD_SHARED_LIBS=ON -DULNA_BATCH=100
echo "add_subdirectory, $other: configured"
if [ -n "${ULNA_SOAK:-}" ]; then
  quietly cmake --build "$work/whole/build" -j 2
  quietly "$work/whole/build/consumer"
  echo "add_subdirectory, $other"
  quietly cmake --install "$work/whole/build" --prefix "$work/shared"
  if [ -e "$work/shared/include/ulna/emit" ] || ! [ -e "$work/static/include/ulna/emit/generate.hpp" ]; then
    echo "FAILED: headers of parts that are not there, or not of those that are"
    exit 1
  fi

  library=$(ls "$work"/shared/lib*/libulna.so "$work"/shared/lib/*/libulna.so 2> /dev/null | head -1)
  shows_the_public "$library"
  echo "shared library, $other: $(grep -c 'ulna::' "$work/shown") names"
fi

# A compiler that is set to C++17 says what is missing, in one line.
for name in $(printf '%s\n' "$compiler" "$other" | sort -u); do
  # shellcheck disable=SC2046
  if "$name" -std=c++17 $(pkg-config --cflags eigen3) -I"$work/static/include" -fsyntax-only "$here/consumer/main.cpp" 2> "$work/log"; then
    echo "FAILED: $name takes C++17"
    exit 1
  fi
  if [ "$(grep -c 'error' "$work/log")" -gt 2 ] || ! grep -m 1 'error' "$work/log" | grep -q 'Ulna needs C++20'; then
    cat "$work/log"
    echo "FAILED: $name does not say that Ulna needs C++20, or says more"
    exit 1
  fi
done
echo "C++17: told that Ulna needs C++20"

# Every header needs no other than those that are installed; in `make soak` each stands alone.
headers() {
  (cd "$work/static/include" && find ulna -name '*.hpp' | sort -r | sed 's/.*/#include <&>/') > "$work/headers.cpp"
  quietly "$1" -std=c++20 -fsyntax-only -I "$work/static/include" "$work/headers.cpp"
  [ -z "${ULNA_SOAK:-}" ] || while read -r line; do
    echo "$line" > "$work/header.cpp"
    quietly "$1" -std=c++20 -fsyntax-only -I "$work/static/include" "$work/header.cpp"
  done < "$work/headers.cpp"
  echo "headers, $1"
}
headers "$other"

# consumer LIBRARY COMPILER FLAGS [PARTS]: by find_package, with flags unlike the library's. Peers crash on exactly that.
number=0
consumer() {
  number=$((number + 1))
  quietly cmake -S "$here/consumer" -B "$work/consumer-$number" -G Ninja -DCMAKE_CXX_COMPILER="$2" -DCMAKE_PREFIX_PATH="$work/$1" -DCMAKE_CXX_FLAGS="$3 $flags" \
    -DPARTS="${4:-OFF}"
  quietly cmake --build "$work/consumer-$number" -j 2
  for program in consumer core extras; do
    [ -x "$work/consumer-$number/$program" ] || continue
    quietly "$work/consumer-$number/$program"
    echo "find_package, $1 library, $2 $3: $program"
  done
}
consumer static "$compiler" "-O0 -march=native -UNDEBUG" ON
[ -x "$work/consumer-1/extras" ] || { echo "FAILED: parts of the library are not found"; exit 1; }
[ "$other" != "$compiler" ] || echo "no second compiler: left out"
if [ -n "${ULNA_SOAK:-}" ]; then
  consumer shared "$compiler" "-O2 -DNDEBUG" ON
  ! [ -e "$work/consumer-2/extras" ] || { echo "FAILED: parts of the library that are not there"; exit 1; }
  consumer static "$compiler" "-O2 -march=native -DNDEBUG"
  consumer shared "$compiler" "-O0 -march=native -UNDEBUG"
  if [ "$other" != "$compiler" ]; then
    consumer static "$other" "-O0 -march=native -UNDEBUG" ON
    consumer shared "$other" "-O2 -march=native -DNDEBUG"
  fi
fi

# A part that there is not is named, with those that there are.
mkdir "$work/no_part"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(no_part LANGUAGES CXX)\nfind_package(ulna REQUIRED COMPONENTS core kinematics)\n' > "$work/no_part/CMakeLists.txt"
if cmake -S "$work/no_part" -B "$work/no_part/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/static" > "$work/log" 2>&1; then
  echo "FAILED: find_package takes a part that there is not"
  exit 1
fi
if ! tr -s ' \n' ' ' < "$work/log" | grep -q "this build of Ulna has no part 'kinematics'; it has: core, source"; then
  cat "$work/log"
  echo "FAILED: find_package does not say which part is missing"
  exit 1
fi
echo "find_package, a part that there is not: told"

# by_pkg_config LIBRARY COMPILER: linked as the guide says, and with --static, which changes nothing for who links
by_pkg_config() {
  PKG_CONFIG_PATH="$work/$1/lib/pkgconfig:$(ls -d "$work/$1"/lib/*/pkgconfig 2>/dev/null | tail -1)"
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046,SC2086
  quietly "$2" -std=c++20 -O0 $flags -c "$here/consumer/main.cpp" $(pkg-config --cflags eigen3) $(pkg-config --cflags ulna) -o "$work/by-pkg-config.o"
  for spelling in "" --static; do
    quietly "$2" $flags "$work/by-pkg-config.o" $(pkg-config --cflags --libs $spelling ulna) -o "$work/by-pkg-config"
    LD_LIBRARY_PATH="$(pkg-config --variable=libdir ulna)" quietly "$work/by-pkg-config"
    echo "pkg-config $spelling, $1 library, $2"
  done
}
by_pkg_config static "$other"
# shellcheck disable=SC2046,SC2086
quietly "$other" $flags "$work/by-pkg-config.o" "$work/all_parts.so" $(pkg-config --libs ulna) -Wl,-rpath,"$work" -o "$work/by-shared-library"
quietly "$work/by-shared-library"
echo "all parts in a shared library, called from $other"
[ -z "${ULNA_SOAK:-}" ] || by_pkg_config shared "$other"
