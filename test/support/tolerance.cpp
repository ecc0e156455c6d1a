#include "support/tolerance.hpp"

namespace ulna::test {

double condition_number(const Eigen::MatrixXd& M) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(M);
  return svd.singularValues()(0) / svd.singularValues()(M.rows() - 1);
}

double smallest_singular_value(const Eigen::MatrixXd& M) { return Eigen::JacobiSVD<Eigen::MatrixXd>(M).singularValues()(M.rows() - 1); }

Eigen::MatrixXd inverted(const Eigen::MatrixXd& M) { return M.inverse(); }

}  // namespace ulna::test
