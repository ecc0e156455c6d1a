// Solutions by the factors of M, many columns at a time, against dense matrices: L and D are drawn, M = Lᵀ D L is inverted by Eigen.
#include "jit/tree_solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>

#include "jit/machine_code.hpp"

namespace ulna::test {
namespace {

/// The parents of a forest's joints: mostly chains, some branches, and roots now and then.
std::vector<std::size_t> forest(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::size_t> parent;
  for (std::size_t k = 0; k < n; ++k) {
    const unsigned draw = random() % 8;
    parent.push_back(k == 0 || (draw == 0 && seed % 3 == 0) ? kNone : draw < 6 ? k - 1 : random() % k);
  }
  return parent;
}

struct Drawn {
  std::size_t n;
  Eigen::MatrixXd torques, L, wanted;  // L has no diagonal
  Eigen::VectorXd d;                   // 1/D
};

Drawn draw(const std::vector<std::size_t>& parent, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(-1, 1);
  const auto n = static_cast<Eigen::Index>(parent.size());
  Drawn drawn{parent.size(), Eigen::MatrixXd::Zero(n, 2 * n), Eigen::MatrixXd::Zero(n, n), {}, Eigen::VectorXd(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    drawn.d(k) = 1.5 + some(random);
    for (std::size_t i = parent[static_cast<std::size_t>(k)]; i != kNone; i = parent[i]) {
      const auto j = static_cast<Eigen::Index>(i);
      drawn.L(k, j) = 0.5 * some(random);
      for (const Eigen::Index part : {Eigen::Index{0}, n}) drawn.torques(k, part + j) = some(random), drawn.torques(j, part + k) = some(random);
    }
    drawn.torques(k, k) = some(random), drawn.torques(k, n + k) = some(random);
  }
  const Eigen::MatrixXd L = drawn.L + Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd inverse = (L.transpose() * drawn.d.cwiseInverse().asDiagonal() * L).inverse();
  drawn.wanted.resize(n, 3 * n);
  drawn.wanted << -inverse * drawn.torques, inverse;
  return drawn;
}

std::vector<double> given_to(const jit::TreeSolve& solve, const Drawn& drawn) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> L = drawn.L;
  return solve.given<double>(drawn.torques.data(), L.data(), drawn.d.data());
}

template <class T>
T* at_boundary(std::vector<T>& memory, std::size_t numbers) {
  constexpr std::size_t kBoundary = 64;
  memory.assign(numbers + kBoundary / sizeof(T), T(-7));
  const std::size_t off = reinterpret_cast<std::uintptr_t>(memory.data()) % kBoundary;
  return memory.data() + (off == 0 ? 0 : (kBoundary - off) / sizeof(T));
}

template <class T>
std::vector<T> one(const jit::TreeSolve& solve, InstructionSet set, const std::vector<double>& given) {
  std::vector<T> memory, out(solve.results() + 1, T(-7));
  T* scratch = at_boundary(memory, solve.scratch(false));
  std::transform(given.begin(), given.end(), scratch, [](double x) { return static_cast<T>(x); });
  jit::TreeSolve::one<T>(set)(solve, scratch, out.data());
  EXPECT_EQ(out.back(), T(-7));
  out.pop_back();
  return out;
}

template <class T>
void compare(InstructionSet set) {
  const std::size_t width = jit::Form{set, sizeof(T) == 4}.width();
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << to_string(set) << " seed " << seed);
    const std::vector<std::size_t> parent = forest(1 + seed * 7 % 41, seed);
    const jit::TreeSolve solve(parent, {set, sizeof(T) == 4});
    ASSERT_FALSE(solve.too_long());
    std::vector<std::vector<T>> ones;
    std::vector<T> memory, lanes(solve.results() * width);
    T* block = at_boundary(memory, solve.scratch(true) * width);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const Drawn drawn = draw(parent, 100 * seed + static_cast<unsigned>(lane));
      const std::vector<double> given = given_to(solve, drawn);
      ASSERT_EQ(given.size(), solve.given());
      const double size = drawn.wanted.cwiseAbs().maxCoeff(), allowed = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
      ones.push_back(one<T>(solve, set, given));
      const std::vector<double> plainly = solve.solved(given);
      for (std::size_t k = 0; k < ones.back().size(); ++k) {
        ASSERT_NEAR(static_cast<double>(ones.back()[k]), drawn.wanted.data()[k], allowed) << k;
        ASSERT_NEAR(plainly[k], drawn.wanted.data()[k], 1e-12 * size) << k;
      }
      for (std::size_t k = 0; k < given.size(); ++k) block[k * width + lane] = static_cast<T>(given[k]);
    }
    jit::TreeSolve::lanes<T>(set)(solve, block, lanes.data());
    for (std::size_t lane = 0; lane < width; ++lane)
      for (std::size_t k = 0; k < solve.results(); ++k) ASSERT_EQ(lanes[k * width + lane], ones[lane][k]) << lane << " " << k;
  }
}

TEST(TreeSolve, IsTheDenseSolutionInOneStateAndInLanes) {
  for (const InstructionSet set : available_sets()) compare<double>(set), compare<float>(set);
}

// Every number is read: what is not a number in one of them shows.
TEST(TreeSolve, HasNothingFiniteWhereNothingIsGiven) {
  for (const InstructionSet set : available_sets()) {
    const jit::TreeSolve solve(forest(23, 3), {set});
    for (const double x : one<double>(solve, set, std::vector<double>(solve.given(), std::nan("")))) ASSERT_TRUE(std::isnan(x));
  }
}

// Of a chain nothing lies outside of a support, and the operations are those of dense factors.
TEST(TreeSolve, CountsOperations) {
  constexpr long n = 12, terms = n * (n - 1) / 2;
  std::vector<std::size_t> chain{kNone};
  for (std::size_t k = 1; k < n; ++k) chain.push_back(k - 1);
  const jit::TreeSolve solve(chain, {InstructionSet::avx512});
  EXPECT_EQ(solve.counts().add, 3 * n * 2 * terms);
  EXPECT_EQ(solve.counts().mul, 3 * n * (2 * terms + n));
  EXPECT_EQ(solve.given(), static_cast<std::size_t>(3 * 8 * n + terms + n + 1));
}

}  // namespace
}  // namespace ulna::test
