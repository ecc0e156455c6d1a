#include "formulation/walker_orin.hpp"

#include "formulation/counting.hpp"
#include "formulation/rows.hpp"
#include "formulation/walker_orin_chain.hpp"

namespace ulna::internal {

namespace {

/// What the same text costs in frames of Denavit and Hartenberg, less what it costs in driving-axis frames, for a chain of such joints in which no parameter is
/// 0 or 1.
OperationCounts saved_by_frames(const MdhChain<double>& chain) {
  std::vector<DhRow<double>> rows = chain.rows;
  for (DhRow<double>& row : rows) {
    row.a = 0.3, row.d = 0.2, row.mass = 1.7;
    row.sin_alpha = row.sin_theta = 0.6, row.cos_alpha = row.cos_theta = 0.8;
    row.com = {0.11, 0.12, 0.13};
    row.inertia = {1.1, 1.2, 1.3, 0.21, 0.22, 0.23};
  }
  composite_body::WalkerOrinChain<Counted, composite_body::DhStep<Counted>> far_end(rows);
  composite_body::WalkerOrinChain<Counted, composite_body::DrivingAxisStep<Counted>> driving_axis(rows);
  return difference(count_mass(far_end).total, count_mass(driving_axis).total);
}

/// As the other inertia matrices, but these frames are not modified ones: entries and offsets cannot be distinguished.
AsWritten count_walker_orin(Quantity, const Prepared& robot) {
  composite_body::WalkerOrin<double, Counted> method(robot.forms().tree);
  CountedState s(robot.size());
  const OperationCounts setting = operations_of([&] { method.set_configuration(s.q.data()); });
  AsWritten counts;
  counts.total = operations_of([&] { method.mass(s.M.data()); });
  counts.total.sincos = setting.sincos;
  counts.parts.push_back({kRotationEntries, {setting.mul, setting.add, setting.div, 0}, false});
  if (robot.forms().mdh) counts.parts.push_back({kSavedByFrames, saved_by_frames(*robot.forms().mdh), false});
  return counts;
}

}  // namespace

Formulation walker_orin_row() {
  Formulation row = paper_row<composite_body::WalkerOrin, BodyTree>("walker-orin");
  row.title = "Inertia matrix by composite rigid bodies";
  row.citation =
      "M. W. Walker and D. E. Orin, Efficient dynamic computer simulation of robotic mechanisms, ASME J. Dyn. Syst. Meas. Control 104, 205-211, 1982, "
      "doi:10.1115/1.3139699";
  row.quantities = {Quantity::mass};
  row.growth = {.joints = 1, .depth = 1};
  row.count = &count_walker_orin;
  return row;
}

}  // namespace ulna::internal
