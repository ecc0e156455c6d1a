// A register that points into a stretch of memory. Code is as fast as it is short where a robot is large, and a displacement of one byte goes from -128 to 127:
// so the register is moved along when that makes what follows shorter.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::jit {

struct MovingBase {
  static constexpr std::size_t kReach = 128;

  std::size_t at = 0;               // where the register points, from the beginning of the stretch
  std::vector<std::size_t> coming;  // offsets that will be asked for, in this order
  std::size_t served = 0;           // how many of them have been

  void foresee_nothing() { coming.clear(), served = 0; }

  /// `offset` is asked for: where the register should point for its sake and that of the next ones; where it is, if no move pays or nothing was foreseen.
  /// Displacements are counted in units (AVX-512: operands).
  std::size_t ask(std::size_t offset, std::size_t unit = 1);

 private:
  std::size_t better_place(std::size_t offset, std::size_t reach) const;
};

}  // namespace ulna::internal::jit
