// Kane and Levinson's own experiment: the arm under their feedback law (eqs 128-133), brought from rest to q* in ten seconds (fig. 3), and its check by a
// constant of the motion: with tau_1 = 0 the angular momentum about the vertical, W_31, stays what it was, zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "formulation/kane_stanford.hpp"

namespace ulna::test {
namespace {

using Seven = std::array<double, 7>;  // index 0 unused, as in the paper

class Task {
 public:
  explicit Task(bool first_drive) : first_drive_(first_drive) {}

  /// Runge-Kutta of order four; `visit(t, q, quantities)` after every step.
  template <class Visit>
  void run(double seconds, double h, Visit visit) {
    Seven q{0, 0, std::numbers::pi / 2, 0, 0, 0, 0}, u{};  // q2(0) = 90 degrees: the printed "q_r(0) = 0" would be singular
    const int steps = static_cast<int>(std::lround(seconds / h));
    for (int i = 1; i <= steps; ++i) {
      const Slope s1 = slope(q, u);
      const Slope s2 = slope(step(q, h / 2, s1.q), step(u, h / 2, s1.u));
      const Slope s3 = slope(step(q, h / 2, s2.q), step(u, h / 2, s2.u));
      const Slope s4 = slope(step(q, h, s3.q), step(u, h, s3.u));
      for (std::size_t r = 1; r <= 6; ++r) {
        q[r] += h / 6 * (s1.q[r] + 2 * s2.q[r] + 2 * s3.q[r] + s4.q[r]);
        u[r] += h / 6 * (s1.u[r] + 2 * s2.u[r] + 2 * s3.u[r] + s4.u[r]);
      }
      visit(i * h, q, at(q, u));
    }
  }
  const StanfordArm<double>& arm() const { return arm_; }

 private:
  struct Slope {
    Seven q, u;
  };

  StanfordQuantities<double> at(const Seven& q, const Seven& u) const {
    StanfordQuantities<double> k;
    stanford_place(q, k);
    k.u = u;
    stanford_Z(arm_, k);
    stanford_X(arm_, k);
    return k;
  }

  Seven law(const StanfordQuantities<double>& k, const Seven& qd) const {
    constexpr double kGain[] = {0, 3, 5, 1, 3, 0.3, 0.6, 0.3, 0.6, 0.25, 0.25, 30, 41};  // k_1 … k_12
    constexpr double kAngle = std::numbers::pi / 3, kSlide = 0.1;                        // q*
    const Seven& q = k.q;
    const std::array<double, 6>&s = k.s, &c = k.c;
    const StanfordArm<double>& a = arm_;
    const double wrist = a.mE * a.L6 + a.mF * a.L3;
    Seven force{};
    force[1] = first_drive_ ? kGain[1] * (kAngle - q[1]) - kGain[2] * qd[1] : 0;  // (128)
    force[2] =
        kGain[3] * (q[2] - kAngle) + kGain[4] * qd[2] +
        a.g * (((a.mC + a.mD) * q[6] + a.mD * a.L5) * s[2] + wrist * (c[4] * s[2] + c[3] * s[4] * c[2]) + (a.mE + a.mF) * (q[6] + a.L2) * s[2]);  // (129)
    force[3] = kGain[5] * (q[3] - kAngle) + kGain[6] * qd[3] - a.g * wrist * s[2] * s[3] * s[4];                                                  // (130)
    force[4] = kGain[7] * (q[4] - kAngle) + kGain[8] * qd[4] + a.g * wrist * (c[2] * s[4] + s[2] * c[3] * c[4]);                                  // (131)
    force[5] = kGain[9] * (q[5] - kAngle) + kGain[10] * qd[5];                                                                                    // (132)
    force[6] = kGain[11] * (q[6] - kSlide) + kGain[12] * qd[6] - a.g * (a.mC + a.mD + a.mE + a.mF) * c[2];                                        // (133)
    return force;
  }

  Slope slope(const Seven& q, const Seven& u) const {
    const StanfordQuantities<double> k = at(q, u);
    const Seven qd{0, k.Z[1], k.Z[2], k.Z[3], u[4], u[5], u[6]};
    return {qd, stanford_accelerations(arm_, k, law(k, qd))};
  }

  static Seven step(const Seven& x, double h, const Seven& d) {
    Seven y = x;
    for (std::size_t r = 1; r <= 6; ++r) y[r] += h * d[r];
    return y;
  }

  StanfordArm<double> arm_;
  bool first_drive_;
};

// Positions from an independent integration of the corrected equations at tighter tolerance; g = 9.81, which the paper does not give.
constexpr double kHalfSecond[] = {0.14730679146043593, 1.5313405224497108, 0.2222407100698667, 0.22908571539452957, 0.4077658044497272, 0.03043706520678878};
constexpr double kTenSeconds[] = {1.0471646572791145, 1.056016803855097, 1.043204829223762, 1.0408879623685563, 1.047144300450311, 0.09995408360623703};
constexpr double kTenSecondsFree[] = {-0.03243327746620665, 1.0560393467210965, 1.0417874115968477, 1.03962914172855, 1.0471495861413767, 0.09998777149519128};

TEST(KaneFigure3, TheTaskIsAccomplished) {
  Seven half{}, end{};
  Task(true).run(10, 1e-3, [&](double t, const Seven& q, const StanfordQuantities<double>&) {
    if (std::abs(t - 0.5) < 1e-9) half = q;
    end = q;
  });
  for (std::size_t r = 1; r <= 6; ++r) {
    EXPECT_NEAR(half[r], kHalfSecond[r - 1], 1e-8) << "q" << r;
    EXPECT_NEAR(end[r], kTenSeconds[r - 1], 1e-8) << "q" << r;
  }
}

TEST(KaneFigure3, MomentumStaysZeroWithoutTheFirstDrive) {
  Task task(false);
  double largest = 0;
  Seven end{};
  task.run(10, 1e-3, [&](double, const Seven& q, const StanfordQuantities<double>& k) {
    largest = std::max(largest, std::abs(stanford_W(task.arm(), k)[31]));
    end = q;
  });
  EXPECT_LT(largest, 1e-9);  // "values differing by less than 10^-9 from zero", says the paper
  for (std::size_t r = 1; r <= 6; ++r) EXPECT_NEAR(end[r], kTenSecondsFree[r - 1], 1e-8) << "q" << r;
}

}  // namespace
}  // namespace ulna::test
