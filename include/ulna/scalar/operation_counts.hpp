// How many arithmetic operations something takes.
#pragma once

namespace ulna {

/// Subtractions count as additions; changes of sign are free; a sine with its cosine is one sincos.
struct OperationCounts {
  long mul = 0;
  long add = 0;
  long div = 0;
  long sincos = 0;
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

}  // namespace ulna
