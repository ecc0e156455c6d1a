// Decisions from bytes: as long as there are some, then zeros. Small numbers take one byte, so that a changed byte changes one decision.
#pragma once

#include "target.hpp"

namespace ulna::fuzz {

class Bytes {
 public:
  explicit Bytes(Input input) : input_(input) {}
  bool empty() const { return at_ >= input_.size(); }
  std::uint32_t byte() { return empty() ? 0 : input_[at_++]; }
  /// 0 to count - 1.
  std::uint32_t below(std::size_t count) {
    const auto n = static_cast<std::uint32_t>(count);
    return n <= 1 ? 0 : n <= 256 ? byte() % n : (byte() * 256 + byte()) % n;
  }

 private:
  Input input_;
  std::size_t at_ = 0;
};

}  // namespace ulna::fuzz
