#include "formulation/lin.hpp"

#include "formulation/counting.hpp"
#include "formulation/link_by_link.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

AsWritten count_lin(Quantity quantity, const Prepared& robot) {
  using Method = composite_body::Lin<double, Counted>;
  const MdhChain<double>& chain = *robot.forms().mdh;
  Method method(chain);
  if (quantity == Quantity::mass) {
    AsWritten counts = count_mass(method);
    if (chain.size() > 0) {
      const std::size_t last = chain.size() - 1;
      Method from_origin(chain, {last, false}), from_centre(chain, {last, true});
      counts.parts.push_back({kFromLastFrame, count_mass(from_origin).total, false});
      counts.parts.push_back({kFromLastCentre, count_mass(from_centre).total, false});
      counts.parts.push_back({kLinkByLink, count_mass(composite_body::LinkByLink<double, Counted>(chain)).total, false});
    }
    return counts;
  }
  if (quantity != Quantity::bias) return count_evaluator(row_of(&lin_row), quantity, robot);
  CountedState s(robot.size());
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  const OperationCounts mass = operations_of([&] { method.mass(s.M.data()); });
  const OperationCounts both = operations_of([&] { method.mass_and_bias(s.v.data(), s.M.data(), s.out.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.bias(s.v.data(), s.out.data()); });
  add_setting(counts, setting, true);
  const OperationCounts entries{setting.mul, 0, 0, 0}, with_entries = sum(both, entries);
  counts.parts.push_back({kMassAndBias, with_entries, false});
  counts.parts.push_back({kBeyondMass, difference(with_entries, mass), false});
  const OperationCounts termwise = operations_of([&] { method.mass_and_bias(s.v.data(), s.M.data(), s.out.data(), true); });
  counts.parts.push_back({kZetaTermByTerm, sum(termwise, entries), false});
  return counts;
}

}  // namespace

Formulation lin_row() {
  Formulation row = paper_row<composite_body::Lin, MdhChain>("lin");
  row.title = "Inertia matrix and bias by composite bodies seen from the base";
  row.citation = "S.-K. Lin, A new composite body method for manipulator dynamics, J. Robotic Systems 8(2), 197-219, 1991";
  row.quantities = {Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis};
  row.growth = {.joints = 2};
  row.from_base = true;
  row.why_no_loads = "its b is made of the links' velocities and weight (eqs 54 and 67), seen from a base at rest";
  row.count = &count_lin;
  return row;
}

}  // namespace ulna::internal
