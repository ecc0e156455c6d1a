// Lin's composite bodies: inertia matrix, bias and Coriolis coefficients against the oracle, an independent program, and the article's own claims.
#include "formulation/lin.hpp"

#include <gtest/gtest.h>

#include "formulation/support_lin.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

using composite_body::Lin;

template <class T>
std::vector<double> bias_by(Lin<T, T> method, const std::vector<double>& q, const std::vector<double>& v) {
  std::vector<T> b(q.size());
  method.set_configuration(lin::scalars<T>(q).data());
  method.bias(lin::scalars<T>(v).data(), b.data());
  return lin::numbers(b);
}

TEST(Lin, EqualsAnIndependentProgram) {
  const auto cases = lin::reference_cases();
  ASSERT_GE(cases.size(), 3u);
  for (const lin::ReferenceCase& c : cases) {
    SCOPED_TRACE(c.types);
    const lin::Arm arm = lin::arm_of(c);
    const Oracle oracle(arm.model, c.q, c.v, zeros(c.q));
    const Lin<double, double> method(arm.chain);
    EXPECT_LT(relative_error(lin::mass_by<double>(method, c.q), c.M), tolerance(c.q.size(), lin::mass_condition(arm, c.q, oracle.mass_matrix())));
    EXPECT_LT(relative_error(bias_by<double>(method, c.q, c.v), c.bias), tolerance(c.q.size(), torque_condition(oracle)));
  }
}

TEST(Lin, EveryMixtureEqualsTheOracle) {
  lin::for_each_arm([](const lin::Arm& arm, const State& s) {
    const Oracle oracle(arm.model, s.q, s.v, zeros(s.q));
    const RealMatrix M = oracle.mass_matrix();
    const double mass_cond = lin::mass_condition(arm, s.q, M), torque_cond = torque_condition(oracle);
    const std::size_t n = s.q.size();
    const Lin<double, double> method(arm.chain);
    EXPECT_LT(relative_error(lin::mass_by<double>(method, s.q), doubles(M)), tolerance(n, mass_cond));
    EXPECT_LT(relative_error(bias_by<double>(method, s.q, s.v), doubles(oracle.torques())), tolerance(n, torque_cond));
    const Lin<float, float> single(arm.chain.cast<float>());
    EXPECT_LT(relative_error(lin::mass_by<float>(single, s.q), doubles(M)), tolerance<float>(n, mass_cond));
    EXPECT_LT(relative_error(bias_by<float>(single, s.q, s.v), doubles(oracle.torques())), tolerance<float>(n, torque_cond));
  });
}

TEST(Lin, CountedGivesTheNumbersOfDouble) {
  lin::for_each_arm([](const lin::Arm& arm, const State& s) {
    Lin<double, Counted> counted(arm.chain);
    EXPECT_EQ(lin::mass_by<Counted>(counted, s.q), lin::mass_by<double>(Lin<double, double>(arm.chain), s.q));
    std::vector<Counted> b(s.q.size());
    counted.set_configuration(lin::scalars<Counted>(s.q).data());
    counted.bias(lin::scalars<Counted>(s.v).data(), b.data());
    EXPECT_EQ(lin::numbers(b), bias_by<double>(Lin<double, double>(arm.chain), s.q, s.v));
  });
}

TEST(Lin, OneObjectServesManyStatesAndQuantities) {
  Random random(7);
  const lin::Arm arm = lin::random_arm("RPRRPR", lin::Kind::general, random);
  const std::size_t n = arm.chain.size();
  Lin<double, double> method(arm.chain);
  for (int k = 0; k < 5; ++k) {
    const State s = random_state(arm.model, random);
    std::vector<double> H(n * n), b(n), D(n * n * n), again(n);
    method.set_configuration(s.q.data());
    method.coriolis_coefficients(s.q.data(), D.data());
    method.mass_and_bias(s.v.data(), H.data(), b.data());
    method.mass(H.data());
    method.bias(s.v.data(), again.data());
    EXPECT_EQ(H, lin::mass_by<double>(Lin<double, double>(arm.chain), s.q));
    EXPECT_EQ(b, bias_by<double>(Lin<double, double>(arm.chain), s.q, s.v));
    EXPECT_EQ(again, b);
  }
}

/// ½ (∂H_mk/∂q_j + ∂H_mj/∂q_k - ∂H_kj/∂q_m) from the oracle's inertia matrix, by differences in long double.
std::vector<double> christoffel(const Model& model, const std::vector<double>& q) {
  const std::size_t n = q.size();
  const Reals still(n, 0);
  std::vector<RealMatrix> slope;
  for (std::size_t i = 0; i < n; ++i)
    slope.push_back(derivative(
        [&](Real t) {
          Reals moved = reals(q);
          moved[i] += t;
          return Oracle(model, moved, still, still).mass_matrix();
        },
        Real(1)));
  std::vector<double> D;
  const auto at = [&](std::size_t i, std::size_t row, std::size_t column) {
    return slope[i](static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
  };
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) D.push_back(static_cast<double>((at(j, m, k) + at(k, m, j) - at(m, k, j)) / 2));
  return D;
}

TEST(Lin, CoriolisCoefficientsAreChristoffelSymbols) {
  lin::for_each_arm([](const lin::Arm& arm, const State& s) {
    const std::size_t n = s.q.size();
    std::vector<double> D(n * n * n, 1.0);
    Lin<double, double>(arm.chain).coriolis_coefficients(s.q.data(), D.data());
    const std::vector<double> expected = christoffel(arm.model, s.q);
    const RealMatrix M = Oracle(arm.model, s.q, s.v, s.a).mass_matrix();
    const double most = static_cast<double>(M.cwiseAbs().maxCoeff());
    // Both sides are made of terms of the size that the inertia matrix is made of.
    const double allowed = most * (tolerance(n, lin::mass_condition(arm, s.q, M)) + 2 * difference_tolerance<Real>());
    const auto at = [n](const std::vector<double>& of, std::size_t m, std::size_t k, std::size_t j) { return of[(m * n + k) * n + j]; };
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_NEAR(at(D, m, k, j), at(expected, m, k, j), allowed) << m << k << j;
          for (const bool own : {true, false}) {  // ours are completed by these rules; that the rules hold is shown on the symbols themselves
            const std::vector<double>& of = own ? D : expected;
            const double gap = own ? 0 : allowed;
            ASSERT_NEAR(at(of, m, j, k), at(of, m, k, j), gap);  // (32)
            if (j >= k) {
              ASSERT_NEAR(at(of, j, k, j), 0, gap);  // (33)
              ASSERT_NEAR(at(of, j, j, k), 0, gap);
            }
            if (m >= k && j >= k) {
              ASSERT_NEAR(at(of, j, k, m), -at(of, m, k, j), gap);  // (34)
            }
          }
        }
    // (31): the bias less its gravity is their quadratic form.
    Lin<double, double> method(arm.chain);
    std::vector<double> b(n), eta(n);
    method.set_configuration(s.q.data());
    method.bias(s.v.data(), b.data());
    method.bias(zeros(s.v).data(), eta.data());
    double size = 0;
    for (std::size_t m = 0; m < n; ++m) size = std::max(size, std::abs(b[m]) + std::abs(eta[m]));
    for (std::size_t m = 0; m < n; ++m) {
      double sum = 0, terms = 0;
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) {
          sum += at(D, m, k, j) * s.v[k] * s.v[j];
          terms += allowed * std::abs(s.v[k] * s.v[j]);
        }
      EXPECT_NEAR(b[m] - eta[m], sum, tolerance(n) * size + terms);
    }
  });
}

/// A chain in which nothing is 0 or ±1, not even in the first row or in gravity.
lin::Arm dense_arm(std::size_t n, lin::Kind kind) {
  Random random(n);
  return lin::random_arm(std::string(n, 'R'), kind, random);
}

TEST(Lin, InertiaMatrixCostsWhatTheArticleSays) {
  for (std::size_t n = 2; n <= 8; ++n)
    for (const lin::Kind kind : {lin::Kind::general, lin::Kind::based}) {
      const auto k = static_cast<long>(n);
      const lin::Arm arm = dense_arm(n, kind);
      const OperationCounts counts = lin::mass_counts(Lin<double, Counted>(arm.chain), std::vector<double>(n, 0.3));
      EXPECT_EQ(counts.mul, (21 * k * k + 77 * k) / 2 - 85) << n;
      EXPECT_EQ(counts.add, 6 * k * k + 39 * k - 70) << n;
      EXPECT_EQ(counts.div + counts.sincos, 0);
    }
}

// The conclusion: "changing the reference point from the origin of the base frame to that of any body-fixed frame" works, and costs more.
TEST(Lin, AnyReferencePointGivesTheSame) {
  lin::for_each_arm([](const lin::Arm& arm, const State& s) {
    const Oracle oracle(arm.model, s.q, s.v, zeros(s.q));
    const RealMatrix M = oracle.mass_matrix();
    // Other points may lie as far from the masses as the base does, and there and back again.
    const double mass_cond = 4 * lin::mass_condition(arm, s.q, M), torque_cond = 4 * torque_condition(oracle);
    const std::size_t n = s.q.size();
    for (std::size_t link = 0; link < n; ++link)
      for (const bool mass_centre : {false, true}) {
        SCOPED_TRACE(::testing::Message() << (mass_centre ? "mass centre of link " : "origin of frame ") << link + 1);
        const Lin<double, double> method(arm.chain, {link, mass_centre});
        EXPECT_LT(relative_error(lin::mass_by<double>(method, s.q), doubles(M)), tolerance(n, mass_cond));
        EXPECT_LT(relative_error(bias_by<double>(method, s.q, s.v), doubles(oracle.torques())), tolerance(n, torque_cond));
      }
  });
}

TEST(Lin, OtherReferencePointsCostMore) {
  for (std::size_t n = 2; n <= 8; ++n) {
    const lin::Arm arm = dense_arm(n, lin::Kind::general);
    const auto counts = [&](std::size_t link, bool mass_centre) {
      return lin::mass_counts(Lin<double, Counted>(arm.chain, {link, mass_centre}), std::vector<double>(n, 0.3));
    };
    const OperationCounts base = counts(0, false);
    for (std::size_t link = 0; link < n; ++link)
      for (const bool mass_centre : {false, true}) {
        if (link == 0 && !mass_centre) continue;
        EXPECT_GT(counts(link, mass_centre).mul, base.mul) << n << " " << link << " " << mass_centre;
        EXPECT_GT(counts(link, mass_centre).add, base.add) << n << " " << link << " " << mass_centre;
      }
  }
}

TEST(Lin, BothCostWhatTheArticleSaysUpToTheLostLine) {
  for (std::size_t n = 2; n <= 8; ++n) {
    const auto k = static_cast<long>(n);
    const lin::Arm arm = dense_arm(n, lin::Kind::based);  // the article counts the first joint's rotation in full
    Lin<double, Counted> method(arm.chain);
    const auto q = lin::scalars<Counted>(std::vector<double>(n, 0.3)), v = lin::scalars<Counted>(std::vector<double>(n, 0.7));
    std::vector<Counted> H(n * n), b(n);
    operation_counts() = {};
    method.set_configuration(q.data());
    operation_counts().add -= k;  // theta + q
    method.mass_and_bias(v.data(), H.data(), b.data());
    EXPECT_EQ(operation_counts().mul, 23 * k * k + 44 * k - 82 - 3) << n;
    EXPECT_EQ(operation_counts().add, 15 * k * k + 40 * k - 70 - 2) << n;
    EXPECT_EQ(operation_counts().sincos, k);
  }
}

}  // namespace
}  // namespace ulna::test
