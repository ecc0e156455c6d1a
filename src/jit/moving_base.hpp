// A register that points into a stretch of memory. For large robots short code is fast code, and a displacement of one byte goes from -128 to 127:
// so the register is moved when that makes the following code shorter.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::jit {

struct MovingBase {
  static constexpr std::size_t kReach = 128;

  std::size_t at = 0;               // where the register points, from the beginning of the stretch
  std::vector<std::size_t> coming;  // offsets that will be accessed, in this order
  std::size_t served = 0;           // how many of them have been

  void foresee_nothing() { coming.clear(), served = 0; }

  /// For an access to `offset`: where the register should point for it and the next ones; unchanged, if no move pays or nothing was foreseen.
  /// Displacements are counted in units (AVX-512: operands).
  std::size_t ask(std::size_t offset, std::size_t unit = 1);

 private:
  std::size_t better_place(std::size_t offset, std::size_t reach) const;
};

}  // namespace ulna::internal::jit
