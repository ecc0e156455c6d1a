// Consistent bodies: the pseudo-inertia P = [S h; hᵀ m] of a body is positive definite (P. M. Wensing, S. Kim & J.-J. E. Slotine, Linear matrix inequalities
// for physically consistent inertial parameter identification, IEEE Robotics and Automation Letters 3(1), 2018). P is linear in the parameters, so that least
// squares under P > 0 are a convex problem with one optimum: Newton steps with a decreasing barrier -log det P. Each step is least squares itself,
// stacked rows, so that nothing is squared. Log-Cholesky numbers of P (Rucker & Wensing 2022) need no barrier, but were tried and got stuck where a
// diagonal entry of the triangle went to zero on the way.
#include <array>
#include <cmath>

#include <Eigen/Dense>

#include "identify/condensed.hpp"

namespace ulna::internal {

namespace {

constexpr double kFloor = 1e-9;  // of the longest row of the data: a pull that rounding does not hide

using Eigen::Matrix4d;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using TenParameters = Eigen::Matrix<double, 10, 1>;

/// m, h, J of a pseudo-inertia.
TenParameters parameters_of(const Matrix4d& P) {
  TenParameters out;
  out << P(3, 3), P(0, 3), P(1, 3), P(2, 3), P(1, 1) + P(2, 2), P(0, 0) + P(2, 2), P(0, 0) + P(1, 1), -P(0, 1), -P(0, 2), -P(1, 2);
  return out;
}
Matrix4d pseudo_inertia_of(const TenParameters& p) {
  const double half = 0.5 * (p[4] + p[5] + p[6]);
  Matrix4d P;
  P << half - p[4], -p[7], -p[8], p[1], -p[7], half - p[5], -p[9], p[2], -p[8], -p[9], half - p[6], p[3], p[1], p[2], p[3], p[0];
  return P;
}

struct Scale {
  double mass, length;
  TenParameters units() const {
    TenParameters out;
    out << mass, mass * length, mass * length, mass * length, TenParameters::Constant(mass * length * length).tail<6>();
    return out;
  }
};

/// A physically consistent body near the given one: moments of its mass are lifted where they are below a small part of its size.
TenParameters possible(const TenParameters& given, const Scale& scale, double part = 1e-5) {
  TenParameters out = given;
  out[0] = std::max(given[0], 100 * part * scale.mass);
  if (out[0] != given[0] && given[0] <= 0) out.segment<3>(1).setZero();
  Matrix4d P = pseudo_inertia_of(out);
  const Eigen::Vector3d c = out.segment<3>(1) / out[0];
  const Eigen::Matrix3d about = P.topLeftCorner<3, 3>() - out[0] * c * c.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(about);
  const double least = part * out[0] * scale.length * scale.length;
  const Eigen::Vector3d moments = axes.eigenvalues().cwiseMax(least);
  if (axes.eigenvalues().minCoeff() < least)
    P.topLeftCorner<3, 3>() = axes.eigenvectors() * moments.asDiagonal() * axes.eigenvectors().transpose() + out[0] * c * c.transpose();
  return parameters_of(P);
}

/// Entries of P that the k-th parameter changes.
std::array<Matrix4d, 10> directions() {
  std::array<Matrix4d, 10> out;
  for (int k = 0; k < 10; ++k) out[static_cast<std::size_t>(k)] = pseudo_inertia_of(TenParameters::Unit(k));
  return out;
}

bool positive(const Matrix4d& P) { return Eigen::LLT<Matrix4d>(P).info() == Eigen::Success && P.allFinite(); }

/// A sum of numbers, from one on, that must be positive.
struct Wall {
  long first;
  VectorXd of;
  double at(const VectorXd& y) const { return of.dot(y.segment(first, of.size())); }
};

/// Of a body in its room, all linear in its parameters: the mass centre in a box, and with density nowhere negative on the ellipsoid a mean of
/// 1 - |(x - centre) / radius|² that is positive (Wensing, Kim & Slotine 2018, 11).
void add_walls(const Room& room, long first, const TenParameters& units, std::vector<Wall>& walls) {
  TenParameters mean = TenParameters::Zero();
  mean[0] = 1;
  for (long i = 0; i < 3; ++i) {
    TenParameters below = TenParameters::Zero(), above = TenParameters::Zero();
    below[0] = -room.low[i], below[1 + i] = 1;
    above[0] = room.high[i], above[1 + i] = -1;
    const double length = room.high[i] - room.low[i], c = room.centre[i], weight = 1 / (room.radius[i] * room.radius[i]);
    for (const TenParameters& wall : {below, above}) walls.push_back({first, (wall / length).cwiseProduct(units)});
    mean[0] -= weight * c * c, mean[1 + i] += 2 * weight * c;
    for (long k = 0; k < 3; ++k) mean[4 + k] -= weight * (k == i ? -0.5 : 0.5);  // the second moment along an axis, by those about the three
  }
  walls.push_back({first, mean.cwiseProduct(units)});
}

/// least squares |A y - b| with bodies and friction inside their bounds, all rows and columns scaled to about 1.
class Inside {
 public:
  Inside(MatrixXd A, VectorXd b, VectorXd target, VectorXd units, long bodies, std::vector<Wall> walls)
      : A_(std::move(A)),
        b_(std::move(b)),
        target_(std::move(target)),
        units_(std::move(units)),
        bodies_(bodies),
        walls_(std::move(walls)),
        directions_(directions()) {}

  /// From y, which is inside, to the optimum. `longest`: of the data's columns, before they were scaled; `strength`: of the pull.
  void solve(VectorXd& y, double longest, double strength, bool roughly = false) {
    constexpr double kWide = 1e-2, kLess = 0.1, kNarrow = 1e-20;  // the barrier at first, how it goes, and where it ends at the latest; rows are of length 1
    const double unnoticed = roughly ? 1e-2 : 1e-4;               // of what the noise may change the sum of squares by
    const double narrow = std::max(kNarrow, unnoticed / (longest * longest));
    for (double barrier = kWide;; barrier = std::max(narrow, kLess * barrier)) {
      settle(y, barrier, std::max(strength, std::sqrt(barrier)));  // parameters without data stay near the target, for any barrier
      if (barrier <= narrow) return;
    }
  }

 private:
  /// To the optimum with this barrier; the last rows of A pull with this strength.
  void settle(VectorXd& y, double barrier, double strength) {
    A_.bottomLeftCorner(10 * bodies_, 10 * bodies_).diagonal().setConstant(strength);
    b_.tail(10 * bodies_) = strength * target_;
    constexpr int kSteps = 40;
    double value = cost(y, barrier);
    for (int step = 0; step < kSteps; ++step) {
      const long rows = A_.rows(), walls = 16 * bodies_ + static_cast<long>(walls_.size());
      MatrixXd system = MatrixXd::Zero(rows + walls, A_.cols());
      VectorXd right(rows + walls);
      system.topRows(rows) = A_;
      right.head(rows) = b_ - A_ * y;
      // The barrier's second derivative is |U⁻¹ dP U⁻ᵀ|², its first -tr(U⁻¹ dP U⁻ᵀ), where P = U Uᵀ.
      const double scale = std::sqrt(barrier);
      for (long i = 0; i < bodies_; ++i) {
        const Eigen::LLT<Matrix4d> root(body(y, i));
        for (long k = 0; k < 10; ++k) {
          Matrix4d X = root.matrixL().solve(Matrix4d(directions_[static_cast<std::size_t>(k)] * units_[10 * i + k]));
          X = root.matrixL().solve(Matrix4d(X.transpose()));
          system.block(rows + 16 * i, 10 * i + k, 16, 1) = scale * Eigen::Map<const VectorXd>(X.data(), 16);
        }
        const Matrix4d one = scale * Matrix4d::Identity();
        right.segment(rows + 16 * i, 16) = Eigen::Map<const VectorXd>(one.data(), 16);
      }
      for (std::size_t k = 0; k < walls_.size(); ++k) {
        const long row = rows + 16 * bodies_ + static_cast<long>(k);
        system.row(row).segment(walls_[k].first, walls_[k].of.size()) = scale / walls_[k].at(y) * walls_[k].of.transpose();
        right[row] = scale;
      }
      const VectorXd move = system.colPivHouseholderQr().solve(right);
      if (!move.allFinite()) return;
      double length = 1, least = value;
      VectorXd best = y;
      for (int tries = 0; tries < 40; ++tries, length *= 0.5) {
        const VectorXd there = y + length * move;
        if (!inside(there)) continue;
        const double now = cost(there, barrier);
        if (now < least) {
          least = now, best = there;
          break;
        }
      }
      const double gain = value - least;
      y = best, value = least;
      if (!(gain > 1e-3 * barrier)) return;
    }
  }
  bool inside(const VectorXd& y) const {
    for (const Wall& wall : walls_)
      if (!(wall.at(y) > 0)) return false;
    for (long i = 0; i < bodies_; ++i)
      if (!positive(body(y, i))) return false;
    return true;
  }
  Matrix4d body(const VectorXd& y, long i) const { return pseudo_inertia_of(y.segment<10>(10 * i).cwiseProduct(units_.segment<10>(10 * i))); }
  double cost(const VectorXd& y, double barrier) const {
    double walls = 0;
    for (long i = 0; i < bodies_; ++i) walls -= 2 * body(y, i).llt().matrixLLT().diagonal().array().log().sum();
    for (const Wall& wall : walls_) walls -= std::log(wall.at(y));
    return 0.5 * (A_ * y - b_).squaredNorm() + barrier * walls;
  }
  MatrixXd A_;
  VectorXd b_, target_, units_;
  long bodies_;
  std::vector<Wall> walls_;
  std::array<Matrix4d, 10> directions_;
};

/// Sizes of a body's parameters, by the given one and the mean mass of all.
Scale scale_of(const TenParameters& given, double mean) {
  const double mass = std::max(given[0], 0.05 * mean);
  return {mass, std::max(0.05, std::sqrt((std::max(0.0, given[4]) + std::max(0.0, given[5]) + std::max(0.0, given[6])) / mass))};
}
double mean_mass(const std::vector<double>& bodies) {
  double total = 0;
  for (std::size_t k = 0; k < bodies.size(); k += 10) total += std::max(0.0, bodies[k]);
  return total > 0 ? total / (static_cast<double>(bodies.size()) / 10) : 1;
}

MatrixXd factors_of(const BaseParameters& structure, long bodies) {
  MatrixXd B = MatrixXd::Zero(static_cast<long>(structure.base.size()), 10 * bodies);
  for (long k = 0; k < B.rows(); ++k)
    for (const BaseParameter::Term& term : structure.base[static_cast<std::size_t>(k)].terms) B(k, static_cast<long>(term.parameter)) = term.factor;
  return B;
}

}  // namespace

Pull pull_to(const BaseParameters& structure, const Bodies& bodies, double strength) {
  const long count = static_cast<long>(bodies.given.size() / 10), nbase = static_cast<long>(structure.base.size());
  const double mean = mean_mass(bodies.given);
  MatrixXd B = factors_of(structure, count);
  const VectorXd given = B * Eigen::Map<const VectorXd>(bodies.given.data(), 10 * count);
  for (long i = 0; i < count; ++i)
    B.middleCols(10 * i, 10) *= scale_of(Eigen::Map<const TenParameters>(bodies.given.data() + 10 * i), mean).units().asDiagonal();
  MatrixXd rows = MatrixXd::Identity(nbase, nbase);
  Eigen::LLT<MatrixXd>(B * B.transpose()).matrixL().solveInPlace(rows);
  const VectorXd right = rows * given;
  Pull out{static_cast<std::size_t>(nbase), {}};
  for (long r = 0; r < nbase; ++r) {
    for (long c = 0; c < nbase; ++c) out.rows.push_back(strength * rows(r, c));
    out.rows.push_back(strength * right[r]);
  }
  return out;
}

ConsistentFit fit_consistent(const LinearFit& linear, const Columns& columns, const BaseParameters& structure, const Bodies& known, double pull, bool roughly) {
  const std::vector<double>& bodies = known.given;
  const long nbody = static_cast<long>(bodies.size() / 10), p = static_cast<long>(linear.columns.size()), nbase = static_cast<long>(columns.base()),
             nx = 10 * nbody, nphi = p - nbase;
  TallQr triangle = linear.triangle;
  const std::vector<double>& numbers = triangle.triangle();
  const Eigen::Map<const MatrixXd> whole(numbers.data(), p + 1, p + 1);
  const MatrixXd R = whole.topLeftCorner(p, p).triangularView<Eigen::Upper>();
  VectorXd solution(p);
  for (long k = 0; k < p; ++k) solution[k] = linear.x[linear.columns[static_cast<std::size_t>(k)]];
  const VectorXd right = R * solution;
  const MatrixXd B = factors_of(structure, nbody);
  const double mean = mean_mass(bodies);
  VectorXd units(nx + nphi), y(nx + nphi);
  std::vector<Wall> walls;
  for (long i = 0; i < nbody; ++i) {
    const TenParameters given = Eigen::Map<const TenParameters>(bodies.data() + 10 * i);
    const Scale scale = scale_of(given, mean);
    units.segment<10>(10 * i) = scale.units();
    y.segment<10>(10 * i) = possible(given, scale).cwiseQuotient(scale.units());
    std::vector<Wall> own;
    add_walls(known.rooms[static_cast<std::size_t>(i)], 10 * i, scale.units(), own);
    // A file whose body is not in its own box gets none.
    if (std::all_of(own.begin(), own.end(), [&](const Wall& wall) { return wall.at(y) > 0; })) walls.insert(walls.end(), own.begin(), own.end());
  }
  const VectorXd target = y.head(nx);
  for (long k = 0; k < nphi; ++k) {
    const double length = R.col(nbase + k).norm(), found = solution[nbase + k];
    const double unit = std::max(std::fabs(found), length > 0 ? 1e-2 * right.norm() / length : 1.0);
    units[nx + k] = unit;
    y[nx + k] = found / unit;
    if (!columns.never_negative(linear.columns[static_cast<std::size_t>(nbase + k)])) continue;
    walls.push_back({nx + k, VectorXd::Ones(1)});
    y[nx + k] = std::max(y[nx + k], 1e-3);
  }
  // Neither direction drives the joint: viscous friction is at least the difference of the two.
  const auto column = [&](long k) -> const FrictionColumn& { return columns.friction()[linear.columns[static_cast<std::size_t>(nbase + k)] - columns.base()]; };
  for (long k = 0; k < nphi; ++k)
    for (long j = 0; j < k && column(k).term == FrictionTerm::asymmetric; ++j) {
      if (column(j).term != FrictionTerm::viscous || column(j).coordinate != column(k).coordinate) continue;
      const double most = (1 - 1e-3) * units[nx + j] * y[nx + j] / units[nx + k];
      y[nx + k] = std::clamp(y[nx + k], -most, most);
      for (const double side : {-1.0, 1.0}) {
        Wall wall{nx + j, VectorXd::Zero(k - j + 1)};
        wall.of[0] = units[nx + j], wall.of[k - j] = side * units[nx + k];
        walls.push_back(std::move(wall));
      }
    }
  MatrixXd data(p, nx + nphi);
  data << R.leftCols(nbase) * B, R.rightCols(nphi);
  data = data * units.asDiagonal();
  const double longest = std::max(data.size() > 0 ? data.colwise().norm().maxCoeff() : 0.0, 1e-300), strength = std::max(pull / longest, kFloor);
  // Weighed masses are rows that outweigh all others.
  constexpr double kFact = 1e3;
  MatrixXd facts = MatrixXd::Zero(nbody + 1, nx + nphi);
  VectorXd of_facts = VectorXd::Zero(nbody + 1);
  for (long i = 0; i < nbody; ++i) {
    const double mass = known.weighed[static_cast<std::size_t>(i)];
    if (mass > 0) facts(i, 10 * i) = kFact * units[10 * i] / mass, of_facts[i] = kFact;
    if (known.total > 0) facts(nbody, 10 * i) = kFact * units[10 * i] / known.total, of_facts[nbody] = kFact;
  }
  MatrixXd A = MatrixXd::Zero(p + nbody + 1 + nx, nx + nphi);
  A.topRows(p) = data / longest;
  A.middleRows(p, nbody + 1) = facts;
  VectorXd b = VectorXd::Zero(A.rows());
  b.head(p) = right / longest;
  b.segment(p, nbody + 1) = of_facts;
  Inside(std::move(A), std::move(b), target, units, nbody, std::move(walls)).solve(y, longest, strength, roughly);
  for (long i = 0; i < nbody; ++i) {  // room for rounding
    const TenParameters own = units.segment<10>(10 * i);
    y.segment<10>(10 * i) = possible(y.segment<10>(10 * i).cwiseProduct(own), {own[0], own[1] / own[0]}, 1e-8).cwiseQuotient(own);
  }

  ConsistentFit out;
  const VectorXd found = y.cwiseProduct(units);
  out.bodies.assign(found.data(), found.data() + nx);
  out.x.assign(columns.size(), 0);
  const VectorXd base = B * found.head(nx);
  for (long k = 0; k < nbase; ++k) out.x[static_cast<std::size_t>(k)] = base[k];
  for (long k = 0; k < nphi; ++k) out.x[linear.columns[static_cast<std::size_t>(nbase + k)]] = found[nx + k];
  return out;
}

std::vector<double> fit_body(const TallQr& triangle, const std::vector<double>& start) {
  TallQr own = triangle;
  const std::vector<double>& numbers = own.triangle();
  const Eigen::Map<const MatrixXd> whole(numbers.data(), 11, 11);
  const MatrixXd R = whole.topLeftCorner(10, 10).triangularView<Eigen::Upper>();
  const TenParameters given = Eigen::Map<const TenParameters>(start.data());
  const Scale scale{given[0], std::max(0.02, std::sqrt((given[4] + given[5] + given[6]) / given[0]))};
  const VectorXd units = scale.units();
  const MatrixXd data = R * units.asDiagonal();
  const double longest = std::max(data.colwise().norm().maxCoeff(), 1e-300);
  MatrixXd A = MatrixXd::Zero(20, 10);
  A.topRows(10) = data / longest;
  VectorXd b = VectorXd::Zero(20), y = possible(given, scale).cwiseQuotient(units);
  b.head(10) = whole.col(10).head(10) / longest;
  Inside(std::move(A), std::move(b), y, units, 1, {}).solve(y, longest, kFloor);
  const VectorXd found = y.cwiseProduct(units);
  return {found.data(), found.data() + 10};
}

}  // namespace ulna::internal
