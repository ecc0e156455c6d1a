// Least squares on few columns: an orthonormal basis that grows, with columns that add nothing left out.
#pragma once

#include <vector>

namespace ulna::internal {

class Basis {
 public:
  /// Adds columns (Gram and Schmidt, twice over); one that lies in the span of the others to eight digits is left out.
  void add(const std::vector<std::vector<double>>& columns);
  /// What is left of a vector.
  std::vector<double> rest(std::vector<double> of) const;
  /// Coefficients of all columns that were added, in their order, with the smallest rest; 0 for those that were left out.
  std::vector<double> solve(const std::vector<double>& of) const;
  std::size_t rank() const { return q_.size(); }

 private:
  std::vector<std::vector<double>> q_;
  std::vector<std::vector<double>> r_;  // of each column that counts: its coefficients in q
  std::vector<std::size_t> column_of_;  // of each q: which column it was made of
  std::size_t columns_ = 0;
};

}  // namespace ulna::internal
