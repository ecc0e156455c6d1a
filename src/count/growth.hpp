// How costs grow with the number of joints, on general arms of revolute joints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

struct CountAt {
  int joints;
  OperationCounts counts;
};

/// One formulation and quantity, or the best program, from 1 joint up.
struct Growth {
  std::string id;
  Quantity quantity;
  bool ours = false;
  std::vector<CountAt> counts{};
  std::string missing{};  // why there are gaps; empty for none

  std::optional<OperationCounts> at(int joints) const {
    for (const CountAt& c : counts)
      if (c.joints == joints) return c.counts;
    return {};
  }
};

/// Every formulation and the best program, for 1 to `most` joints. 3 s for 30, a tenth of it for 10.
std::vector<Growth> measure_growth(int most);

}  // namespace ulna::internal
