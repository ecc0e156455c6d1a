#include "formulation/fijany_bejczy.hpp"

#include "formulation/counting.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation fijany_bejczy_row() {
  Formulation row = paper_row<composite_body::FijanyBejczy, MdhChain>("fijany-bejczy");
  row.title = "Inertia matrix with all forces in one frame";
  row.citation = "A. Fijany and A. K. Bejczy, IEEE ICRA 1989, 1366-1373; as in S.-K. Lin, J. Robotic Systems 8(2), 197-219, 1991, (A10)-(A15)";
  row.quantities = {Quantity::mass};
  row.growth = {.joints = 2};
  row.count = [](Quantity, const Prepared& robot) {
    using Method = composite_body::FijanyBejczy<double, Counted>;
    const MdhChain<double>& chain = *robot.forms().mdh;
    AsWritten counts = count_mass(Method(chain));
    counts.parts.push_back({kInEndEffector, count_mass(Method(chain, chain.size())).total, false});
    return counts;
  };
  return row;
}

}  // namespace ulna::internal
