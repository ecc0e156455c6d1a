#include "verify/laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <ulna/dynamics/on_plan.hpp>
#include "dynamics/regressor-inl.hpp"

#include "dynamics/pivots.hpp"

namespace ulna::internal {

namespace {

using Real = Reference::Real;
using Vector = std::vector<Real>;

/// Of differences, for rates of about 1: truncation and rounding of extended precision are both below 1e-16 of the terms then.
constexpr Real kStep = 1e-3L;

/// d/dt of f at 0 by central differences of sixth order, in extended precision, from difference(t) = f(t) - f(-t).
template <class F>
Real derivative(F difference, Real step) {
  return (45 * difference(step) - 9 * difference(2 * step) + difference(3 * step)) / (60 * step);
}

/// Largest rotation of a link per unit of each coordinate: a gear's or a screw's follower rotates hundreds of times as far as its leader.
std::vector<double> turns(const Reference& reference, const Terms& terms, const Vector& q) {
  std::vector<double> rates;
  for (std::size_t j = 0; j < reference.nv(); ++j) {
    const Vector way = reference.moved_by(q, j);
    double turn = 0;
    for (std::size_t k = 0; k < way.size(); ++k) turn += terms.shares()[k].moment * static_cast<double>(std::abs(way[k]));
    rates.push_back(std::max(1.0, turn));
  }
  return rates;
}

/// The same direction with rotations that add up to 1; of zero, all joints alike. Laws hold at any rates, so these are used where they are differentiated: in
/// time kStep no link rotates by more than that, for any number of joints, and it does rotate, however slow the joints are.
std::vector<double> at_unit_rate(std::vector<double> v, const std::vector<double>& turns) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) sum += std::abs(v[i]) * turns[i];
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = sum > 0 ? v[i] / sum : 1 / (turns[i] * static_cast<double>(v.size()));
  return v;
}

}  // namespace

class Laws::Tests {
 public:
  Tests(const Model& model, const Reference& reference, const Terms& terms, double snap, const Effects& effects)
      : reference_(reference), terms_(terms), plan_(make_plan(model, {.snap = snap, .lumping = Lumping::szz})), ws_(plan_), effects_(effects), n_(model.nv()) {
    const double rounding = verify_tolerance(std::max<std::size_t>(model.nv_tree(), 1));
    // A derivative by differences loses digits: truncation at h⁶ and rounding of extended precision over h stay below this.
    const double differences = rounding + 1e-13;
    symmetric_ = {"symmetric", "M equals its transpose", 0, rounding, true};
    definite_ = {"positive-definite", "every pivot of M, over its diagonal entry, is positive (the smallest is shown)", std::numeric_limits<double>::infinity(),
                 0, true};
    inverse_ = {"inverse-forward", "forward(inverse(a)) = a, by articulated bodies and by the inertia matrix", 0, rounding, true};
    energy_ = {"energy", "kinetic energy = v·M v / 2, and gravity torques = gradient of the potential energy", 0, differences, true};
    power_ = {"power-balance", "d(T + V)/dt = tau·v", 0, differences, true};
    linear_ = {"linear", "torques = Y pi + rotors: the regressor times the parameters of the bodies", 0, rounding, true};
    derivatives_ = {"derivatives",
                    "dtau/dv v = 2 (bias - gravity), and dtau/dq of gravity is symmetric (of a ball joint: but for the bracket of its rotations)", 0, rounding,
                    true};
    momentum_ = {"momentum", "what changes the momentum is the wrench on the free base and the weight, and nothing else", 0, differences, true};
    skew_ = {"skew", "dM/dt - 2 C is skew-symmetric, C of Christoffel symbols", 0, differences, true};
  }

  void add(const Bounds& exact, const Bounds& loaded, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
    q_ = q;
    v_ = v;
    a_ = a;
    check_mass(exact);
    check_inverse(loaded);
    check_linear(exact);
    check_derivatives(exact);
    constexpr int kEvery = 10;
    if (states_++ % kEvery != 0) return;
    const Vector here(q.begin(), q.end());
    turns_ = turns(reference_, terms_, here);
    step_ = kStep / reference_.condition(here);  // near a singular assembly loops rotate fast
    check_energy(exact);
    v_ = at_unit_rate(v, turns_);
    a_ = at_unit_rate(a, turns_);
    check_power();
    check_skew(exact, v);
    if (reference_.free()) check_momentum();
  }

  std::vector<LawCheck> result() const {
    const auto judged = [](LawCheck law, bool holds) {
      law.holds = holds;
      return law;
    };
    const auto within = [&](const LawCheck& law) { return judged(law, law.worst <= law.tolerance); };
    std::vector<LawCheck> laws{
        within(symmetric_), judged(definite_, definite_.worst > 0), within(inverse_), within(energy_), within(power_), within(skew_), within(derivatives_),
        within(linear_)};
    if (reference_.free()) laws.push_back(within(momentum_));
    return laws;
  }

 private:
  static void worsen(LawCheck& law, Real difference, Real scale) {
    const double relative = difference == 0 ? 0 : static_cast<double>(std::abs(difference) / scale);
    law.worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(law.worst, relative);
  }

  void check_mass(const Bounds& exact) {
    M_.resize(n_ * n_);
    mass_matrix(plan_, ws_, q_.data(), M_.data());
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < i; ++j) worsen(symmetric_, M_[i * n_ + j] - M_[j * n_ + i], exact.mass_bound[i + j * n_]);
    std::vector<double> L = M_;
    for_each_pivot(L.data(), n_, [&](std::size_t k, double pivot) {
      const double ratio = pivot / M_[k * n_ + k];
      definite_.worst = std::isnan(ratio) ? -std::numeric_limits<double>::infinity() : std::min(definite_.worst, ratio);
      return true;
    });
  }

  void check_inverse(const Bounds& exact) {
    std::vector<double> tau(n_), back(n_);
    inverse_dynamics(plan_, ws_, q_, v_, a_, tau, effects_);
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
      if (method == ForwardMethod::articulated && plan_.coupled) continue;
      forward_dynamics(plan_, ws_, q_, v_, tau, back, effects_, method);
      for (std::size_t i = 0; i < n_; ++i) worsen(inverse_, back[i] - a_[i], exact.acceleration_bound[i]);
    }
  }

  void check_linear(const Bounds& exact) {
    const std::size_t columns = kBodyParameters * plan_.sizes().bodies;
    std::vector<double> Y(n_ * columns), pi(columns);
    compute(Quantity::regressor, plan_, ws_, {q_.data(), v_.data(), a_.data()}, Y.data());
    for (std::size_t i = 0; i < plan_.sizes().bodies; ++i) kernel::parameters(plan_, i, pi.data() + kBodyParameters * i);
    std::vector<Real> sum(n_, 0), size(n_, 0);
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t k = 0; k < n_; ++k) {
        const Real term = static_cast<Real>(Y[k + c * n_]) * pi[c];
        sum[k] += term, size[k] += std::abs(term);
      }
    // Rotors rotate with the tree's coordinates, which transmit their torques.
    const Vector ql(q_.begin(), q_.end()), a_tree = reference_.accelerations(ql, {v_.begin(), v_.end()}, {a_.begin(), a_.end()});
    for (std::size_t k = 0; k < n_; ++k) {
      const Vector way = reference_.moved_by(ql, k);
      for (const PlanBody<double>& body : plan_.bodies) sum[k] += way[body.v] * body.multiplier * body.multiplier * body.rotor * a_tree[body.v];
    }
    // Parameters were carried to the links' origins, which may lie far from the masses: their own terms count, too.
    for (std::size_t k = 0; k < n_; ++k) worsen(linear_, sum[k] - exact.tau[k], exact.torque_bound[k] + size[k]);
  }

  /// Torques of velocities are quadratic forms of them, and gravity's are the gradient of an energy.
  void check_derivatives(const Bounds& exact) {
    const std::size_t n = n_;
    std::vector<double> D(3 * n * n);
    compute(Quantity::inverse_derivatives, plan_, ws_, {q_.data(), v_.data()}, D.data());
    for (std::size_t i = 0; i < n; ++i) {
      Real twice = 2 * (exact.bias[i] - exact.gravity[i]), size = 2 * (exact.torque_bound[i] + exact.gravity_bound[i]);
      for (std::size_t j = 0; j < n; ++j) {
        twice -= static_cast<Real>(D[i + (n + j) * n]) * v_[j];
        size += exact.derivatives_bound[i + (n + j) * n] * std::abs(v_[j]);
      }
      worsen(derivatives_, twice, size);
    }
    compute(Quantity::inverse_derivatives, plan_, ws_, {q_.data()}, D.data());
    const std::size_t base = reference_.free() ? base_nv(RootJoint::free) : 0;  // its rotations do not commute
    for (std::size_t i = base; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        worsen(derivatives_, D[i + j * n] - D[j + i * n] - around(exact.gravity, i, j),
               exact.derivatives_bound[i + j * n] + exact.derivatives_bound[j + i * n]);
  }
  /// dtau_i/dq_j less dtau_j/dq_i, j < i. It is not zero in a ball joint: rotations about the child's axes do not commute, [X_x, X_y] = X_z and so on.
  Real around(const Vector& gravity, std::size_t i, std::size_t j) const {
    for (const PlanBody<double>& body : plan_.bodies) {
      if (body.ball != 1 || j < body.v || i >= body.v + 3) continue;
      const std::size_t third = 3 * body.v + 3 - i - j;
      return (i - body.v + 1) % 3 == j - body.v ? -gravity[third] : gravity[third];
    }
    return 0;
  }

  void check_energy(const Bounds& exact) {
    const Energy e = energy(plan_, ws_, q_, v_);
    const Vector ql(q_.begin(), q_.end()), vl(v_.begin(), v_.end());
    Real twice = 0, size = 0;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        twice += vl[i] * exact.M[i * n_ + j] * vl[j];
        size += std::abs(vl[i]) * exact.mass_bound[i * n_ + j] * std::abs(vl[j]);
      }
    worsen(energy_, e.kinetic - twice / 2, size);
    std::vector<double> g(n_);
    gravity_forces(plan_, ws_, q_, g);
    const Vector steady(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      Vector unit(n_, 0);
      unit[i] = 1;
      const auto potential = [&](Real t) {
        return reference_.potential_difference(reference_.along(ql, unit, steady, -t), reference_.along(ql, unit, steady, t));
      };
      worsen(energy_, g[i] - derivative(potential, step_ / turns_[i]), exact.torque_bound[i]);
    }
  }

  void check_power() {
    std::vector<double> tau(n_);
    inverse_dynamics(plan_, ws_, q_, v_, a_, tau);
    const Bounds terms(reference_, terms_, q_, v_, a_, false);
    Real power = 0, size = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      power += static_cast<Real>(tau[i]) * v_[i];
      size += terms.torque_bound[i] * std::abs(v_[i]);
    }
    const Vector q0(q_.begin(), q_.end()), v0(v_.begin(), v_.end()), a0(a_.begin(), a_.end());
    const auto kinetic = [&](const Vector& q, Real t) { return reference_.kinetic(q, velocity_at(t)); };
    const auto total = [&](Real t) {
      const Vector before = reference_.along(q0, v0, a0, -t), after = reference_.along(q0, v0, a0, t);
      return kinetic(after, t) - kinetic(before, -t) + reference_.potential_difference(before, after);
    };
    worsen(power_, power - derivative(total, step_), size);
  }

  /// With the production path's C.
  void check_skew(const Bounds& exact, const std::vector<double>& given) {
    const std::size_t n = n_;
    std::vector<double> C(n * n);
    compute(Quantity::coriolis, plan_, ws_, {q_.data(), v_.data()}, C.data());
    double from = 0, to = 0;  // terms are linear in v, which was made longer or shorter
    for (std::size_t i = 0; i < n; ++i) from += std::abs(given[i]), to += std::abs(v_[i]);
    std::vector<double> size = from > 0 ? exact.coriolis_bound : Bounds(reference_, terms_, q_, v_, a_).coriolis_bound;
    for (double& x : size) x *= from > 0 ? to / from : 1;
    // dM/dt along v, all entries from the same six matrices.
    const Vector q0(q_.begin(), q_.end()), v0(v_.begin(), v_.end()), steady(n, 0);
    Vector Mdot(n * n, 0), M;
    for (const auto& [step, weight] : {std::pair{1, Real(45)}, std::pair{2, Real(-9)}, std::pair{3, Real(1)}})
      for (const int sign : {1, -1}) {
        reference_.mass(reference_.along(q0, v0, steady, sign * step * step_), M);
        for (std::size_t i = 0; i < n * n; ++i) Mdot[i] += sign * weight * M[i] / (60 * step_);
      }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const Real scale = size[i + j * n] + size[j + i * n] + exact.mass_bound[i * n + j] + exact.mass_bound[j * n + i];
        worsen(skew_, Mdot[i * n + j] - C[i * n + j] - C[j * n + i], scale);
      }
  }

  /// Of a free base: what its classical linear acceleration is more than the derivative of the numbers of its velocity.
  std::array<Real, 3> w_cross_v() const {
    const Vec3<Real> w{v_[0], v_[1], v_[2]}, v{v_[3], v_[4], v_[5]}, x = cross(w, v);
    return {x.x, x.y, x.z};
  }
  /// Velocities a time t later.
  Vector velocity_at(Real t) const {
    Vector v(n_);
    for (std::size_t i = 0; i < n_; ++i) v[i] = v_[i] + t * a_[i];
    for (std::size_t k = 0; reference_.free() && k < 3; ++k) v[3 + k] -= t * w_cross_v()[k];
    return v;
  }

  /// Of a free base: the wrench that moves it, and the weight, are what changes the momentum.
  void check_momentum() {
    std::vector<double> tau(n_);
    inverse_dynamics(plan_, ws_, q_, v_, a_, tau);
    const Vector q0(q_.begin(), q_.end()), v0(v_.begin(), v_.end()), a0(a_.begin(), a_.end());
    const auto doubles = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
    const Terms::Size terms = terms_.torque(q_, doubles(reference_.speeds(q0, v0)), doubles(reference_.accelerations(q0, v0, a0)));
    const Real condition = reference_.condition(q0);
    const Pose<Real> X = reference_.pose(q0, 0);
    const Vec3<Real> f = X.R * Vec3<Real>{tau[3], tau[4], tau[5]}, n = X.R * Vec3<Real>{tau[0], tau[1], tau[2]} + cross(X.p, f);
    const Real wrench[] = {n.x, n.y, n.z, f.x, f.y, f.z};
    const Vector weight = reference_.weight(q0);
    const double far = static_cast<double>(std::sqrt(dot(X.p, X.p)));
    for (std::size_t k = 0; k < 6; ++k) {
      const auto change = [&](Real t) {
        return reference_.momentum(reference_.along(q0, v0, a0, t), velocity_at(t))[k] -
               reference_.momentum(reference_.along(q0, v0, a0, -t), velocity_at(-t))[k];
      };
      worsen(momentum_, wrench[k] + weight[k] - derivative(change, step_), condition * (k < 3 ? terms.moment + far * terms.force : terms.force));
    }
  }

  const Reference& reference_;
  const Terms& terms_;
  std::vector<double> turns_;
  Plan plan_;
  Workspace ws_;
  Effects effects_;
  std::size_t n_;
  int states_ = 0;
  Real step_ = kStep;
  std::vector<double> q_, v_, a_, M_;
  LawCheck symmetric_, definite_, inverse_, energy_, power_, skew_, momentum_, derivatives_, linear_;
};

Laws::Laws(const Model& model, const Reference& reference, const Terms& terms, double snap, const Effects& effects)
    : tests_(std::make_unique<Tests>(model, reference, terms, snap, effects)) {}
Laws::~Laws() = default;
void Laws::add(const Bounds& alone, const Bounds& loaded, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  tests_->add(alone, loaded, q, v, a);
}
std::vector<LawCheck> Laws::result() const { return tests_->result(); }

}  // namespace ulna::internal
