#include "formulation/hollerbach_3x3.hpp"

#include <algorithm>

#include "formulation/counting.hpp"
#include "formulation/hollerbach_3x3_printed.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

/// The corrected equations, and the printed ones where they apply: the paper's 3x3 form has revolute joints only.
AsWritten count_hollerbach_3x3(Quantity quantity, const Prepared& robot) {
  AsWritten counts = count_evaluator(row_of(&hollerbach_3x3_row), quantity, robot);
  const DhChain<double>& chain = *robot.forms().dh;
  if (std::any_of(chain.rows.begin(), chain.rows.end(), [](const DhRow<double>& row) { return row.prismatic; })) return counts;
  CountedState s(robot.size());
  OperationCounts printed = operations_of([&] { hollerbach::torque_3x3_as_printed(chain, s.q.data(), s.v.data(), s.a.data(), s.out.data()); });
  printed.sincos = 0;
  counts.parts.push_back({kAsPrinted, printed, false});
  return counts;
}

}  // namespace

Formulation hollerbach_3x3_row() {
  Formulation row = paper_row<hollerbach::Hollerbach3x3, DhChain>("hollerbach-3x3");
  row.title = "Recursive Lagrangian formulation, 3x3 matrices";
  row.citation = "Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 15-18, corrected";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, and prismatic (added)";
  row.takes_wrenches = row.takes_base = true;
  row.count = &count_hollerbach_3x3;
  return row;
}

}  // namespace ulna::internal
