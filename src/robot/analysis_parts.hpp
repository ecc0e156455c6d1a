// What an Analysis has found out.
#pragma once

#include <memory>
#include <tuple>

#include <ulna/robot/analysis.hpp>

#include "robot/state.hpp"
#include "trace/memo.hpp"
#include "trace/searches.hpp"

namespace ulna {

struct Analysis::Parts {
  explicit Parts(Model model) : searches(std::move(model)) {}

  /// Null where machine code may not be made.
  std::shared_ptr<const internal::robot::Code> code_for(DynamicsOptions options, bool single);

  internal::Searches searches;
  internal::Memo<std::pair<Quantity, SearchOptions>, Best> best;
  internal::Memo<std::pair<DynamicsOptions, bool>, std::shared_ptr<const internal::robot::Code>> code;
  std::tuple<internal::Memo<DynamicsOptions, DynamicsOf<double>>, internal::Memo<DynamicsOptions, DynamicsOf<float>>> dynamics;
};

}  // namespace ulna
