// One copy of a function for each instruction set; the loader takes the best that there is. Contraction is off everywhere, so that all copies give the same
// bits.
#pragma once

// g++ exports the dispatcher of a multiversioned function with external linkage: use it for local ones.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ULNA_FOR_EACH_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ULNA_FOR_EACH_SET
#endif
