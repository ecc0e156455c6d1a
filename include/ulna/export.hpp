// What the shared library shows: the names in a namespace that carries ULNA_API, which are those of the public headers, and no others. What is
// in a namespace `internal` is not exported and may change at any time. Definitions stand in
// such a block, too: gcc looks at the declaration, clang at the definition.
#pragma once

#if __cplusplus < 202002L
// Not #error, after which compilers go on and report hundreds of lines: a header that is missing ends the compilation.
#include <Ulna needs C++20: compile with -std=c++20, or link the CMake target ulna::ulna>
#endif

#if defined(__GNUC__)
#define ULNA_API __attribute__((visibility("default")))
#else
#define ULNA_API
#endif
