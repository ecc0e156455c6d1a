#include "jit/moving_base.hpp"

#include <algorithm>

namespace ulna::internal::jit {

namespace {

bool within(std::size_t offset, std::size_t at, std::size_t reach) { return offset + reach >= at && offset < at + reach; }

constexpr std::size_t kAhead = 8;                             // more was not better (humanoid-38)
constexpr int kFarBytes = 3, kStepBytes = 4, kMoveBytes = 7;  // what a displacement of four bytes, a move by at most 128, and any other move cost

}  // namespace

std::size_t MovingBase::ask(std::size_t offset, std::size_t unit) {
  if (served >= coming.size()) return at;
  const std::size_t reach = kReach * unit, to = within(offset, at, reach) ? at : better_place(offset, reach);
  ++served;
  return to;
}

/// At most kAhead² steps.
std::size_t MovingBase::better_place(std::size_t offset, std::size_t reach) const {
  const std::size_t end = std::min(served + kAhead, coming.size());
  const auto gain = [&](std::size_t place) {
    int bytes = 0;
    for (std::size_t k = served; k < end; ++k) bytes += within(coming[k], place, reach) ? kFarBytes : 0;
    return bytes;
  };
  std::size_t best = at;
  int most = gain(at);
  for (std::size_t k = served; k < end; ++k) {  // the lowest of what will be in reach
    const std::size_t place = coming[k] + reach, far = place > at ? place - at : at - place;
    if (coming[k] > offset || !within(offset, place, reach)) continue;
    const int bytes = gain(place) - (far <= kReach ? kStepBytes : kMoveBytes);
    if (bytes > most) most = bytes, best = place;
  }
  return best;
}

}  // namespace ulna::internal::jit
