#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/sim/linearise.hpp>

#include "text/cat.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

std::vector<std::complex<double>> eigenvalues(const std::vector<double>& matrix) {
  const auto n = static_cast<Eigen::Index>(std::llround(std::sqrt(static_cast<double>(matrix.size()))));
  if (static_cast<std::size_t>(n * n) != matrix.size()) throw std::invalid_argument(cat("eigenvalues: ", matrix.size(), " numbers are no square matrix"));
  if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); }))
    return std::vector<std::complex<double>>(static_cast<std::size_t>(n), {std::nan(""), std::nan("")});
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n), false);
  const Eigen::VectorXcd& found = solver.eigenvalues();
  std::vector<std::complex<double>> out(found.begin(), found.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag(); });
  return out;
}

}  // namespace ULNA_API
}  // namespace ulna
