// One target as a libFuzzer program.
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulna::fuzz::ULNA_FUZZ_TARGET({data, size});
  return 0;
}
