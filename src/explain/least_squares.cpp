#include "explain/least_squares.hpp"

#include <cmath>
#include <cstddef>

namespace ulna::internal {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
void subtract(std::vector<double>& from, double times, const std::vector<double>& of) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * of[i];
}

}  // namespace

void Basis::add(const std::vector<std::vector<double>>& columns) {
  constexpr double kDependent = 1e-8;
  for (const std::vector<double>& column : columns) {
    std::vector<double> left = column, coefficients(q_.size(), 0.0);
    const double before = std::sqrt(dot(column, column));
    for (int round = 0; round < 2; ++round)
      for (std::size_t k = 0; k < q_.size(); ++k) {
        const double c = dot(q_[k], left);
        subtract(left, c, q_[k]);
        coefficients[k] += c;
      }
    const double size = std::sqrt(dot(left, left));
    const std::size_t index = columns_++;
    if (!(size > kDependent * before)) continue;
    for (double& x : left) x /= size;
    coefficients.push_back(size);
    q_.push_back(std::move(left));
    r_.push_back(std::move(coefficients));
    column_of_.push_back(index);
  }
}

std::vector<double> Basis::rest(std::vector<double> of) const {
  for (int round = 0; round < 2; ++round)
    for (const std::vector<double>& q : q_) subtract(of, dot(q, of), q);
  return of;
}

std::vector<double> Basis::solve(const std::vector<double>& of) const {
  std::vector<double> right(q_.size()), left = of;
  for (int round = 0; round < 2; ++round)
    for (std::size_t k = 0; k < q_.size(); ++k) {
      const double c = dot(q_[k], left);
      subtract(left, c, q_[k]);
      right[k] += c;
    }
  std::vector<double> out(columns_, 0.0);
  for (std::size_t k = q_.size(); k-- > 0;) {
    const double x = right[k] / r_[k][k];
    out[column_of_[k]] = x;
    for (std::size_t i = 0; i < k; ++i) right[i] -= x * r_[k][i];
  }
  return out;
}

}  // namespace ulna::internal
