#include "count/counted_rows.hpp"

#include <algorithm>

#include <ulna/formulation/formulation.hpp>

namespace ulna::internal {

std::vector<CountedRow> counted_rows(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  class Recording {
   public:
    explicit Recording(std::vector<CountedRow>& rows) { row_record() = {&rows}; }
    ~Recording() { row_record() = before_; }

   private:
    RowRecord before_ = row_record();
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
