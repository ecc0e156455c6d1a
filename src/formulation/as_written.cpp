#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <stdexcept>

#include "formulation/counting.hpp"
#include "formulation/evaluator.hpp"
#include "text/message.hpp"

namespace ulna::internal {

AsWritten count_evaluator(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  CountedState s(prepared.size());
  const std::unique_ptr<Evaluator<Counted>> evaluator = formulation.make_counted(prepared);
  const InputsOf<Counted> in{s.q.data(), s.v.data(), row_of(quantity).takes("tau") ? s.tau.data() : s.a.data()};
  const std::size_t n = prepared.size();
  std::vector<Counted> out(row_of(quantity).size({n, n, n}));
  return {operations_of([&] { evaluator->compute(quantity, in, out.data()); }), {}};
}

void add_setting(AsWritten& counts, const OperationCounts& setting, bool entries_in_total) {
  const OperationCounts entries{setting.mul, 0, 0, 0}, offsets{0, setting.add, 0, 0};
  counts.parts.push_back({kRotationEntries, entries, entries_in_total});
  counts.parts.push_back({kJointOffsets, offsets, false});
  if (entries_in_total) counts.total = sum(counts.total, entries);
  counts.total.sincos = setting.sincos;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

const CountedPart* AsWritten::find(std::string_view label) const {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const CountedPart& part) { return part.label == label; });
  return found == parts.end() ? nullptr : &*found;
}

AsWritten count_as_written(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", formulation.id, " cannot be counted for the ", to_string(quantity), " of robot ", in_quotes(prepared.model.name()), ": ", reason));
  if (formulation.count != nullptr) return formulation.count(quantity, prepared);
  if (formulation.make_counted == nullptr) throw std::invalid_argument(cat("formulation ", formulation.id, " does not run on numbers that count"));
  return count_evaluator(formulation, quantity, prepared);
}

}  // namespace ULNA_API
