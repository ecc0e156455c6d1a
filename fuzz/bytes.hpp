// Decisions from bytes: as long as there are some, then zeros. Small numbers take one byte, so that a changed byte changes one decision.
#pragma once

#include "target.hpp"

namespace ulna::fuzz {

class Bytes {
 public:
  explicit Bytes(Input input) : input_(input) {}
  bool empty() const { return at_ >= input_.size(); }
  int byte() { return empty() ? 0 : input_[at_++]; }
  /// 0 to count - 1.
  int below(int count) { return count <= 1 ? 0 : count <= 256 ? byte() % count : (byte() * 256 + byte()) % count; }

 private:
  Input input_;
  std::size_t at_ = 0;
};

}  // namespace ulna::fuzz
