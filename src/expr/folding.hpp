// Constant folding observed: for callers that need the exact value of a program's constant.
#pragma once

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// While it exists, it receives all numbers that expressions of this thread fold.
class Folding {
 public:
  Folding();
  virtual ~Folding();
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;
  /// The operands of a sine or cosine: the angle twice.
  virtual void folded(Operation operation, double a, double b, double result) = 0;

 private:
  Folding* before_;
};

}  // namespace ulna::internal
