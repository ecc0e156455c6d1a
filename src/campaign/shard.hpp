// The runs of a shard.
#pragma once

#include <ulna/campaign/campaign.hpp>

namespace ulna::campaign::internal {

struct Range {
  std::uint64_t first, last;  // one behind
  std::uint64_t count() const { return last - first; }
};

/// Throws FolderError where there is no such shard.
Range range_of(const Shard& shard, std::uint64_t runs);

}  // namespace ulna::campaign::internal
