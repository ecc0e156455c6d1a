// The implicit midpoint rule in q and p = M(q) v, and by plain midpoints for what else the state holds:
//
//   q1 = q0 + h v,   p1 = p0 + h ṗ(q̄, v),   q̄ = (q0 + q1) / 2,   M(q̄) v = (p0 + p1) / 2 = p0 + h/2 ṗ(q̄, v)
//
// A free base moves along the screw of its velocity: q1 = q0 exp(h v), q̄ = q0 exp(h/2 v), and its part of p is the robot's momentum in the world, which is
// turned into the base's axes where M is (the midpoint rule on a Lie group, as in P. Krysl, "Explicit momentum-conserving integrator for dynamics of rigid
// bodies approximating the midpoint Lie algorithm", Int. J. Numer. Meth. Engng 63, 2005).
//
// Bolted down it is symplectic; on any base it is symmetric in time, of order two, and keeps every momentum that is conserved (they are linear in p). The
// midpoint's v is found by fixed-point iteration: each round halves the error at least where h is small against the fastest oscillation, and costs one f and
// one M⁻¹.
#include <algorithm>
#include <cmath>

#include "sim/steppers.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna::internal::sim {

namespace {

class ImplicitMidpoint : public Stepper {
 public:
  ImplicitMidpoint(std::size_t size, const Derivative& f, const Momenta& momenta)
      : f_(f), momenta_(momenta), middle_(size), slope_(size), before_(momenta.nq), p_(momenta.n), rate_(momenta.n), v_(momenta.n), right_(momenta.n) {}

  void step(double t, double h, std::vector<double>& x, bool) override {
    const std::size_t nq = momenta_.nq, n = momenta_.n, size = x.size();
    momenta_.p(x.data(), x.data() + nq, p_.data());
    std::copy_n(x.data(), nq, before_.begin());
    std::copy_n(x.data() + nq, n, v_.begin());
    middle_ = x;
    double change = 0, last = INFINITY;
    int round = 0;
    do {
      if (++round > kMostRounds) throw Diverged(cat("the implicit midpoint rule does not converge at t = ", rounded(t), " s: make the step smaller"));
      momenta_.move(before_.data(), v_.data(), h / 2, middle_.data());
      std::copy_n(v_.data(), n, middle_.data() + nq);
      f_(t + h / 2, middle_.data(), slope_.data());
      momenta_.rate(middle_.data(), v_.data(), slope_.data() + nq, rate_.data());
      for (std::size_t i = 0; i < n; ++i) right_[i] = p_[i] + h / 2 * rate_[i];
      momenta_.v(middle_.data(), right_.data(), v_.data());
      last = change > 0 ? change : INFINITY;
      change = 0;
      double size_of_v = 1e-3;
      for (std::size_t i = 0; i < n; ++i) {
        change = std::max(change, std::abs(v_[i] - middle_[nq + i]));
        size_of_v = std::max(size_of_v, std::abs(v_[i]));
      }
      if (!std::isfinite(change)) throw Diverged(cat("the state is no longer finite at t = ", rounded(t), " s"));
      for (std::size_t i = nq + n; i < size; ++i) middle_[i] = x[i] + h / 2 * slope_[i];
      // Rounding ends the iteration where the changes no longer shrink.
      if (change <= 1e-15 * size_of_v || (change <= 1e-12 * size_of_v && change >= last)) break;
    } while (true);
    momenta_.move(before_.data(), v_.data(), h, x.data());
    for (std::size_t i = 0; i < n; ++i) p_[i] += h * rate_[i];
    momenta_.v(x.data(), p_.data(), x.data() + nq);
    for (std::size_t i = nq + n; i < size; ++i) x[i] += h * slope_[i];
  }

 private:
  static constexpr int kMostRounds = 100;
  const Derivative& f_;
  Momenta momenta_;
  std::vector<double> middle_, slope_, before_, p_, rate_, v_, right_;
};

}  // namespace

std::unique_ptr<Stepper> make_implicit_midpoint(std::size_t size, const Derivative& f, const Momenta& momenta) {
  return std::make_unique<ImplicitMidpoint>(size, f, momenta);
}

}  // namespace ulna::internal::sim
