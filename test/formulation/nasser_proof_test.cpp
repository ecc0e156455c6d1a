// Nasser's planar arm of two links (his section 1) as an identity: his recursion runs on fractions of polynomials in the lengths, masses, inertias, rates,
// torques, sines and cosines, and what it gives is compared with the textbook's equations as normal forms modulo sin² + cos² = 1. No number is chosen.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "formulation/nasser.hpp"

namespace ulna::test {
namespace {

enum Symbol : std::size_t { s1, c1, s2, c2, q1, q2, v1, v2, tau1, tau2, l1, r1, r2, m1, m2, I1, I2, g, J1, J2, kSymbols };
using Powers = std::array<unsigned char, kSymbols>;

/// Whole coefficients; sin² is always written as 1 - cos².
class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(long number) {
    if (number != 0) terms_[Powers{}] = number;
  }
  static Polynomial of(Symbol symbol) {
    Powers powers{};
    powers[symbol] = 1;
    Polynomial x;
    x.terms_[powers] = 1;
    return x;
  }
  bool zero() const { return terms_.empty(); }
  bool operator==(const Polynomial&) const = default;
  Polynomial operator+(const Polynomial& b) const {
    Polynomial sum = *this;
    for (const auto& [powers, x] : b.terms_) sum.add(powers, x);
    return sum;
  }
  Polynomial operator-() const {
    Polynomial x = *this;
    for (auto& [powers, coefficient] : x.terms_) coefficient = -coefficient;
    return x;
  }
  Polynomial operator*(const Polynomial& b) const {
    Polynomial product;
    for (const auto& [p, x] : terms_)
      for (const auto& [q, y] : b.terms_) {
        Powers powers = p;
        for (std::size_t k = 0; k < kSymbols; ++k) powers[k] = static_cast<unsigned char>(powers[k] + q[k]);
        product.add(powers, x * y);
      }
    return product;
  }

 private:
  void add(Powers powers, long x) {
    for (const auto& [sine, cosine] : {std::pair{s1, c1}, std::pair{s2, c2}})
      if (powers[sine] >= 2) {
        powers[sine] = static_cast<unsigned char>(powers[sine] - 2);
        add(powers, x);
        powers[cosine] = static_cast<unsigned char>(powers[cosine] + 2);
        return add(powers, -x);
      }
    long& coefficient = terms_[powers];
    if ((coefficient += x) == 0) terms_.erase(powers);
  }
  std::map<Powers, long> terms_;
};

/// A polynomial over powers of the few that were divided by.
class Fraction {
 public:
  Fraction() = default;
  explicit Fraction(double number) : top_(static_cast<long>(number)) {}
  explicit Fraction(Polynomial top) : top_(std::move(top)) {}
  const Polynomial& top() const { return top_; }

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    if (a.top_.zero()) return b;
    if (b.top_.zero()) return a;
    Fraction sum;
    sum.below_ = a.below_;
    for (const auto& [divisor, power] : b.below_) sum.below_[divisor] = std::max(sum.below_[divisor], power);
    sum.top_ = a.over(sum.below_) + b.over(sum.below_);
    return sum;
  }
  friend Fraction operator-(const Fraction& a) {
    Fraction x = a;
    x.top_ = -a.top_;
    return x;
  }
  friend Fraction operator-(const Fraction& a, const Fraction& b) { return a + -b; }
  friend Fraction operator*(const Fraction& a, const Fraction& b) {
    Fraction x;
    x.top_ = a.top_ * b.top_;
    if (x.top_.zero()) return x;
    x.below_ = a.below_;
    for (const auto& [divisor, power] : b.below_) x.below_[divisor] += power;
    return x;
  }
  friend Fraction operator/(const Fraction& a, const Fraction& b) {
    Fraction x = a;
    for (const auto& [divisor, power] : b.below_)
      for (int k = 0; k < power; ++k) x.top_ = x.top_ * divisors()[divisor];
    auto at = std::find(divisors().begin(), divisors().end(), b.top_);
    if (at == divisors().end()) at = divisors().insert(at, b.top_);
    ++x.below_[static_cast<std::size_t>(at - divisors().begin())];
    return x;
  }

 private:
  static std::vector<Polynomial>& divisors() {
    static std::vector<Polynomial> all;
    return all;
  }
  Polynomial over(const std::map<std::size_t, int>& common) const {
    Polynomial x = top_;
    for (const auto& [divisor, power] : common) {
      const auto own = below_.find(divisor);
      for (int k = own == below_.end() ? 0 : own->second; k < power; ++k) x = x * divisors()[divisor];
    }
    return x;
  }
  Polynomial top_;
  std::map<std::size_t, int> below_;
};

Fraction symbol(Symbol of) { return Fraction(Polynomial::of(of)); }
SinCos<Fraction> sincos(const Fraction& q) {
  const bool first = q.top() == Polynomial::of(q1);
  return {symbol(first ? s1 : s2), symbol(first ? c1 : c2)};
}

BodyTree<Fraction> planar_arm(bool rotors) {
  const Fraction o(0.0), one(1.0);
  const Mat3<Fraction> E{one, o, o, o, one, o, o, o, one};
  const auto link = [&](std::size_t parent, const Fraction& p, Symbol m, Symbol r, Symbol I, Symbol J) {
    TreeBody<Fraction> body;
    body.parent = parent;
    body.R_PB = E;
    body.p_PB = {p, o, o};
    body.mass = symbol(m);
    body.com = {symbol(r), o, o};
    body.inertia = {o, o, symbol(I), o, o, o};
    body.rotor = rotors ? symbol(J) : o;
    return body;
  };
  BodyTree<Fraction> tree;
  tree.bodies = {link(kNone, o, m1, r1, I1, J1), link(0, symbol(l1), m2, r2, I2, J2)};
  tree.gravity = {o, -symbol(g), o};
  return tree;
}

/// M a + b - tau of the textbook (J. J. Craig, Introduction to Robotics, chapter 6) with his accelerations.
std::array<Fraction, 2> rest(bool rotors, NasserReaction reaction) {
  Nasser<Fraction, Fraction> nasser(planar_arm(rotors), reaction);
  const std::array<Fraction, 2> q{symbol(q1), symbol(q2)}, v{symbol(v1), symbol(v2)}, tau{symbol(tau1), symbol(tau2)};
  std::array<Fraction, 2> a;
  nasser.acceleration(q.data(), v.data(), tau.data(), a.data());
  const Fraction two(2.0), L = symbol(l1), R1 = symbol(r1), R2 = symbol(r2), M1 = symbol(m1), M2 = symbol(m2), h = M2 * L * R2 * symbol(s2),
                           cos12 = symbol(c1) * symbol(c2) - symbol(s1) * symbol(s2);
  const Fraction M22 = symbol(I2) + M2 * R2 * R2, M12 = M22 + M2 * L * R2 * symbol(c2),
                 M11 = symbol(I1) + M1 * R1 * R1 + M2 * L * L + M2 * L * R2 * symbol(c2) + M12;
  const Fraction G2 = symbol(g) * M2 * R2 * cos12, G1 = symbol(g) * (M1 * R1 + M2 * L) * symbol(c1) + G2;
  const Fraction b1 = -(h * (two * v[0] * v[1] + v[1] * v[1])) + G1, b2 = h * v[0] * v[0] + G2;
  const Fraction J[2] = {rotors ? symbol(J1) : Fraction(0.0), rotors ? symbol(J2) : Fraction(0.0)};
  return {(M11 + J[0]) * a[0] + M12 * a[1] + b1 - tau[0], M12 * a[0] + (M22 + J[1]) * a[1] + b2 - tau[1]};
}

TEST(NasserProof, PlanarArmIsTheTextbooks) {
  for (const Fraction& x : rest(false, NasserReaction::carried)) EXPECT_TRUE(x.top().zero());
}

// With actuators: the inertia matrix is M + diag(Ja) where their reaction is carried by the link before, and is not in the literal reading.
TEST(NasserProof, ActuatorsReactOnTheLinkBefore) {
  for (const Fraction& x : rest(true, NasserReaction::carried)) EXPECT_TRUE(x.top().zero());
  const std::array<Fraction, 2> literal = rest(true, NasserReaction::dropped);
  EXPECT_FALSE(literal[0].top().zero() && literal[1].top().zero());
}

// What the second joint transmits is Newton's law of the second link: its mass times the acceleration of its mass centre, less its weight, in its axes.
TEST(NasserProof, ReactionIsNewtonsLaw) {
  Nasser<Fraction, Fraction> nasser(planar_arm(false));
  const std::array<Fraction, 2> q{symbol(q1), symbol(q2)}, v{symbol(v1), symbol(v2)}, tau{symbol(tau1), symbol(tau2)};
  std::array<Fraction, 2> a;
  nasser.acceleration(q.data(), v.data(), tau.data(), a.data());
  const Fraction w = v[0] + v[1], alpha = a[0] + a[1], S = symbol(s2), C = symbol(c2), sin12 = symbol(s1) * C + symbol(c1) * S,
                 cos12 = symbol(c1) * C - symbol(s1) * S;
  const Fraction L = symbol(l1), R = symbol(r2), g_up = symbol(g);
  const Fraction x = -(L * v[0] * v[0]) * C + L * a[0] * S - R * w * w + g_up * sin12, y = L * v[0] * v[0] * S + L * a[0] * C + R * alpha + g_up * cos12;
  const LinkLoad<Fraction> U = nasser.transmitted(1);
  EXPECT_TRUE((U.F.x - symbol(m2) * x).top().zero());
  EXPECT_TRUE((U.F.y - symbol(m2) * y).top().zero());
  EXPECT_TRUE(U.F.z.top().zero());
  EXPECT_TRUE((U.N.z - (tau[1] - R * U.F.y)).top().zero());  // about the mass centre: the drive less the lever of the force
}

}  // namespace
}  // namespace ulna::test
