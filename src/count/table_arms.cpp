#include "count/table_arms.hpp"

#include <cmath>
#include <string>

#include <ulna/source/load.hpp>

#include "formulation/frames.hpp"

namespace ulna::internal {

Prepared general_arm(std::size_t n) { return Prepared(load("general-" + std::string(n, 'R'))); }

Prepared table_arm(std::size_t n) {
  const Prepared arm = general_arm(n);
  Forms forms = arm.forms();
  for (DhRow<double>& row : forms.dh->rows) row.inertia.xy = row.inertia.xz = row.inertia.yz = 0;
  forms.dh->gravity_0 = {0, 0, -9.81};
  DhRow<double>& first = forms.mdh->rows.front();
  first.a = 0.31;
  first.d = 0.27;
  first.alpha = 0.7;
  first.cos_alpha = std::cos(first.alpha);
  first.sin_alpha = std::sin(first.alpha);
  forms.mdh->gravity_0 = {1.7, -2.3, -9.2};
  return Prepared(arm.model, arm.snap, std::move(forms));
}

std::vector<CountedRow> counted_rows(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  struct Recording {
    explicit Recording(std::vector<CountedRow>& rows) { row_record() = {&rows}; }
    ~Recording() { row_record() = before; }
    RowRecord before = row_record();
  };
  std::vector<CountedRow> rows;
  const Recording recording(rows);
  count_as_written(formulation, quantity, prepared);
  return rows;
}

Arrival last_arrival(const std::vector<CountedRow>& rows) {
  Arrival last;
  for (const CountedRow& row : rows)
    if (row.free.steps > last.steps) last = row.free;
  return last;
}

}  // namespace ulna::internal
