#include <ulna/robot/analysis.hpp>

#include <algorithm>

#include "robot/analysis_parts.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::shared_ptr<const robot::Code> Analysis::Parts::code_for(DynamicsOptions options, bool single) {
  const InstructionSet most = best_instruction_set(options.most);
  if (most == InstructionSet::none || searches.model().nv() == 0) return nullptr;
  options.friction = false, options.threads = 0;  // code has no part of them
  return code({options, single}, [&] {
    auto made = std::make_shared<const robot::Code>(searches, options, most, single);
    return made->routines->ok() ? made : nullptr;
  });
}

Analysis::Analysis(Model model) : parts_(std::make_shared<Parts>(std::move(model))) {}

const Model& Analysis::model() const { return parts_->searches.model(); }

const Plan& Analysis::plan(const PlanOptions& options) const { return parts_->searches.plan(options); }

const Best& Analysis::best(Quantity quantity, const SearchOptions& options) const {
  return parts_->best({quantity, options}, [&] { return find_best(parts_->searches, quantity, options); });
}

template <class T>
const DynamicsOf<T>& Analysis::dynamics(const DynamicsOptions& options) const {
  return std::get<Memo<DynamicsOptions, DynamicsOf<T>>>(parts_->dynamics)(options, [&] { return DynamicsOf<T>(*this, options); });
}

template const DynamicsOf<double>& Analysis::dynamics(const DynamicsOptions&) const;
template const DynamicsOf<float>& Analysis::dynamics(const DynamicsOptions&) const;

}  // namespace ULNA_API
