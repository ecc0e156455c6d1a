#include "identify/condensed.hpp"

#include <optional>

#include <Eigen/Dense>

namespace ulna::internal {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Columns are scaled to length 1. A direction this short is one that the motion does not excite; where noise is the limit, its sigma says so.
constexpr double kSilent = 1e-10;
// Weights settle in a few rounds.
constexpr int kRounds = 6;

struct Solved {
  VectorXd x;
  MatrixXd covariance;
  std::vector<char> determined;
  double condition;
};

/// min |R x - b|; undetermined parameters keep their given values.
Solved solve(TallQr& triangle, const VectorXd& given) {
  const long p = static_cast<long>(triangle.columns()) - 1;
  const std::vector<double>& numbers = triangle.triangle();
  const Eigen::Map<const MatrixXd> whole(numbers.data(), p + 1, p + 1);
  const MatrixXd R = whole.topLeftCorner(p, p).triangularView<Eigen::Upper>();
  VectorXd length = R.colwise().norm();
  const double longest = length.size() > 0 ? length.maxCoeff() : 0;
  for (double& l : length)
    if (l <= 1e-14 * longest) l = 0;
  const VectorXd inverse = length.unaryExpr([](double l) { return l > 0 ? 1 / l : 0.0; });
  const Eigen::JacobiSVD<MatrixXd> svd(R * inverse.asDiagonal(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& s = svd.singularValues();
  long rank = 0;
  while (rank < s.size() && s[rank] > kSilent * s[0]) ++rank;
  const MatrixXd V = svd.matrixV().leftCols(rank);
  const VectorXd rest = whole.col(p).head(p) - R * given;
  const VectorXd y = V * (svd.matrixU().leftCols(rank).transpose() * rest).cwiseQuotient(s.head(rank));
  Solved out;
  out.x = given + inverse.cwiseProduct(y);
  out.condition = rank > 0 ? s[0] / s[rank - 1] : 0;
  const MatrixXd half = inverse.asDiagonal() * V * s.head(rank).cwiseInverse().asDiagonal();
  out.covariance = half * half.transpose();
  for (long k = 0; k < p; ++k) out.determined.push_back(length[k] > 0 && V.row(k).squaredNorm() > 1 - 1e-6 ? 1 : 0);
  return out;
}

/// R x = b where the rows determine every number; else empty.
std::optional<VectorXd> back_substituted(TallQr& triangle) {
  const long p = static_cast<long>(triangle.columns()) - 1;
  const std::vector<double>& numbers = triangle.triangle();
  const Eigen::Map<const MatrixXd> whole(numbers.data(), p + 1, p + 1);
  for (long k = 0; k < p; ++k)
    if (!(std::fabs(whole(k, k)) > kSilent * whole.col(k).head(k + 1).norm())) return {};
  return VectorXd(whole.topLeftCorner(p, p).triangularView<Eigen::Upper>().solve(whole.col(p).head(p)));
}

/// Least squares with a pull; friction that comes out negative is left out, which takes a few rounds.
LinearFit fit_pulled(const Condensed& data, const Columns& columns, Parts parts, LinearFit out, const std::vector<double>& given, const Pull& pull) {
  for (;;) {
    const std::size_t p = out.columns.size();
    out.triangle = data.stacked(parts, out.columns, out.weight);
    for (std::size_t r = 0; r < pull.rows.size(); r += pull.base + 1) {
      double* row = out.triangle.next();
      for (std::size_t c = 0; c <= p; ++c) row[c * TallQr::kRows] = c < pull.base ? pull.rows[r + c] : c == p ? pull.rows[r + pull.base] : 0;
      out.triangle.take();
    }
    VectorXd start(static_cast<long>(p));
    for (std::size_t c = 0; c < p; ++c) start[static_cast<long>(c)] = given[out.columns[c]];
    const std::optional<VectorXd> direct = back_substituted(out.triangle);
    const VectorXd x = direct ? *direct : solve(out.triangle, start).x;
    out.x.assign(columns.size(), 0);
    for (std::size_t c = 0; c < p; ++c) out.x[out.columns[c]] = x[static_cast<long>(c)];
    if (std::erase_if(out.columns, [&](std::size_t c) { return columns.never_negative(c) && out.x[c] < 0; }) == 0) return out;
  }
}

}  // namespace

LinearFit fit(const Condensed& data, const Columns& columns, Parts parts, const FrictionModel& friction, const std::vector<double>& given,
              std::size_t coordinates, const std::vector<double>* noise, const Pull* pull) {
  LinearFit out;
  out.columns = columns.of(friction);
  const std::size_t p = out.columns.size();
  VectorXd start(static_cast<long>(p));
  for (std::size_t c = 0; c < p; ++c) start[static_cast<long>(c)] = given[out.columns[c]];
  std::vector<double> weight(coordinates, 1);
  double all = 0;
  for (std::size_t k = 0; k < coordinates; ++k) all += data.rows(parts, k);
  Solved solved;
  if (noise != nullptr)
    for (std::size_t k = 0; k < coordinates; ++k) weight[k] = (*noise)[k] > 0 ? 1 / (*noise)[k] : 1;
  if (pull != nullptr) {
    out.noise = *noise, out.weight = weight;
    return fit_pulled(data, columns, parts, std::move(out), given, *pull);
  }
  const auto solve_weighted = [&] {
    out.triangle = data.stacked(parts, out.columns, weight);
    solved = solve(out.triangle, start);
    out.x.assign(columns.size(), 0);
    for (std::size_t c = 0; c < p; ++c) out.x[out.columns[c]] = solved.x[static_cast<long>(c)];
  };
  for (int round = 0; round < kRounds && noise == nullptr; ++round) {
    solve_weighted();
    out.noise.assign(coordinates, 0);
    double largest = 0;
    for (std::size_t k = 0; k < coordinates; ++k) {
      // Fitted numbers take their share of the rows.
      const double rows = data.rows(parts, k), free = rows * std::max(0.1, 1 - static_cast<double>(p) * data.correlated() / all);
      out.noise[k] = rows > 0 ? std::sqrt(data.left(parts, k, out.x) / free) : 0;
      largest = std::max(largest, out.noise[k]);
    }
    // A joint that is fitted to the last digit does not outweigh all others.
    for (std::size_t k = 0; k < coordinates; ++k) weight[k] = largest == 0 ? 1 : 1 / std::max(out.noise[k], 1e-3 * largest);
  }
  solve_weighted();
  if (noise != nullptr) out.noise = *noise;
  out.weight = weight;
  out.condition = solved.condition;
  out.determined = solved.determined;
  out.correlated = data.correlated();
  out.covariance.resize(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) {
      const double value = out.correlated * solved.covariance(static_cast<long>(i), static_cast<long>(j));
      out.covariance[i * p + j] = i == j && out.determined[i] == 0 ? std::numeric_limits<double>::infinity() : value;
    }
  return out;
}

void widen(LinearFit& fit, const std::vector<std::vector<double>>& scores, bool cautious) {
  const std::size_t p = fit.columns.size();
  if (scores.size() < 2) return;
  std::vector<double> ratio(p, 0);  // of the scatter to the variance that was stated
  double mean = 0, count = 0;
  for (const std::vector<double>& block : scores)
    for (std::size_t i = 0; i < p; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < p && fit.determined[i] != 0; ++j)
        if (fit.determined[j] != 0) product += fit.covariance[i * p + j] * block[fit.columns[j]];
      ratio[i] += product * product;
    }
  for (std::size_t i = 0; i < p; ++i) {
    if (fit.determined[i] == 0) continue;
    ratio[i] /= fit.covariance[i * p + i] * fit.correlated * fit.correlated;
    mean += ratio[i], count += 1;
  }
  mean = std::max(1.0, mean / std::max(1.0, count));
  // That of one parameter is as uncertain as its blocks are few: the mean steadies it, or the end of its own scatter is taken.
  const double scatter = 1 + std::sqrt(2 / static_cast<double>(scores.size()));
  for (double& one : ratio) one = std::sqrt(cautious ? scatter * std::max(one, mean) : 0.5 * (one + mean));
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) fit.covariance[i * p + j] *= ratio[i] * ratio[j];
}

double correct_bias(LinearFit& fit, const std::vector<LinearFit>& noisier, std::size_t base) {
  const std::size_t p = fit.columns.size();
  double largest = 0;
  for (std::size_t i = 0; i < p; ++i) {
    if (fit.determined[i] == 0) continue;
    const std::size_t c = fit.columns[i];
    double shift = 0;
    for (const LinearFit& one : noisier) shift += (one.x[c] - fit.x[c]) / static_cast<double>(noisier.size());
    fit.x[c] -= shift;
    double& variance = fit.covariance[i * p + i];
    if (c < base) largest = std::max(largest, std::fabs(shift) / std::sqrt(variance));
    variance += shift * shift;
  }
  return largest;
}

Solution least_squares(const TallQr& triangle, const std::vector<double>& given) {
  TallQr own = triangle;
  const Solved solved = solve(own, Eigen::Map<const VectorXd>(given.data(), static_cast<long>(given.size())));
  Solution out{{solved.x.data(), solved.x.data() + solved.x.size()}, {}, solved.determined};
  for (long i = 0; i < solved.x.size(); ++i)
    for (long j = 0; j < solved.x.size(); ++j) out.covariance.push_back(solved.covariance(i, j));
  return out;
}

}  // namespace ulna::internal
