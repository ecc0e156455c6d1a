// T. R. Kane, D. A. Levinson, "The use of Kane's dynamical equations in robotics", International Journal of Robotics Research 2(3), 1983, 3-21, executed for
// any chain: from the particles of a body to generalized inertia forces (eqs 76 to 88), and from all forces between bodies to those that count (89 to 117),
// line by line, on any scalar.
//
//   paper               here                        meaning, in the axes of the base
//   u_r          (1)    u_r = q'_r + q'_{r+1}       generalized speeds that are no joint rates, so that every body has several partial velocities
//   ω_r^R, v_r^P (23)   omega_r(i, r), v_r(i, h, r) partial velocities of link i and of its point h, from the origin of its frame
//   T*, R*       (79)   T_star, R_star              inertia torque and inertia force
//   G_R          (91)   m g                         gravity, at the mass centre
//   T^{B/A}, R^{B/A}    torque, force               what link i-1 exerts on link i, at origin i-1; on link i-1 with a minus
//   τ, σ   (102, 103)   drive                       their part along the axis of the joint, of the torque if it is revolute
//
// Left sides: integrals over the particles of a link, of derivatives of places as matrix products (turney_arm.hpp).
// Misprints: (106) has ω_r^B for ω_3^B. The text after (86) says that the first body adds nothing to K_r* for r > 1, which no choice of speeds but joint rates
// bears out; it is run as printed, too. The paper prints (80) to (88) and (111) to (116) for the Stanford arm: here they are of every chain.
//
// Takes: chains of revolute and prismatic joints. Links are rigid bodies alone: no rotors, no friction.
#pragma once

#include "formulation/newton_euler_base.hpp"
#include "verify/chain_motion.hpp"
#include "verify/derivation.hpp"

namespace ulna::internal::proof {

template <class T>
std::vector<Line<T>> kane_lines(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                                std::string_view spoiled = {}) {
  using Index = std::size_t;
  using Vec = Vec3<T>;
  Derivation<T> d(spoiled);
  const ChainMotion<T> at(chain, q, v, a);
  const TurneyArm<T>& arm = at.arm;
  const Index n = arm.n;
  const Vec none = zero<T>(), g = chain.gravity_0;
  const T o(0);

  // 1 with q'_{n+1} = 0, and solved for the rates: q'_s = u_s - u_{s+1} + u_{s+2} - …
  const auto speed = [&](const std::vector<T>& rates, Index r) { return r == n ? rates[r - 1] : rates[r - 1] + rates[r]; };
  const auto W = [](Index s, Index r) { return s > r ? T(0) : T((r - s) % 2 == 0 ? 1 : -1); };  // coefficient of u_r in q'_s
  const auto partial = [&](const Vec& zero_of, Index i, Index r, const auto& by_rate) {
    return sum(1, i, zero_of, [&](Index s) { return W(s, r) * by_rate(s); });
  };
  const auto omega_r = [&](Index i, Index r) { return partial(none, i, r, [&](Index s) { return at.rotated(i, s); }); };
  const auto v_r = [&](Index i, const Vec& h, Index r) { return partial(none, i, r, [&](Index s) { return at.moved(i, h, s); }); };
  const auto over_speeds = [&](const Vec& start, const auto& term) { return sum(1, n, start, term); };
  const auto com = [&](Index i) { return arm.rbar[i]; };
  const auto each_of = [&](auto value) {  // value(i, r) of every link and speed
    std::vector<T> list;
    for (Index i = 1; i <= n; ++i)
      for (Index r = 1; r <= n; ++r) append(list, value(i, r));
    return list;
  };
  const auto over_links = [&](auto term) { return each<T>(n, [&](Index r) { return sum(1, n, T(0), [&](Index i) { return term(i, r); }); }); };

  // Speeds, partial velocities, accelerations.
  d.begin("9 left", "q'_s", {v});
  d.follows("9", "u_s - u_{s+1} + …, u_r = q'_r + q'_{r+1} by 1",
            {each<T>(n, [&](Index s) { return sum(1, n, o, [&](Index r) { return W(s, r) * speed(v, r); }); })});
  d.begin("13", "ω of link i, of the rate of its rotation", {each<T>(n, [&](Index i) { return at.omega(i); })});
  d.follows("23", "Σ_r ω_r u_r", {each<T>(n, [&](Index i) { return over_speeds(none, [&](Index r) { return speed(v, r) * omega_r(i, r); }); })});
  d.begin("28", "v of the mass centre of link i", {each<T>(n, [&](Index i) { return at.velocity(i, com(i)); })});
  d.follows("44", "Σ_r v_r u_r", {each<T>(n, [&](Index i) { return over_speeds(none, [&](Index r) { return speed(v, r) * v_r(i, com(i), r); }); })});
  const auto alpha_t = [&](Index i) { return at.alpha(i) - over_speeds(none, [&](Index r) { return speed(a, r) * omega_r(i, r); }); };

  // Generalized inertia forces.
  const auto T_star = [&](Index i) { return -(at.inertia(i) * at.alpha(i)) - cross(at.omega(i), at.inertia(i) * at.omega(i)); };
  const auto R_star = [&](Index i) { return -(arm.m[i] * at.acceleration(i, com(i))); };
  d.begin("79 line 1 left", "-∫ (P - R*) x a^P dm",
          {each<T>(n, [&](Index i) { return at.integral(i, [&](const Vec& h) { return -cross(arm.R(0, i) * (h - com(i)), at.acceleration(i, h)); }); })});
  d.follows("79 line 1", "T* = -α · I - ω x I · ω", {each<T>(n, [&](Index i) { return -(at.inertia(i) * at.alpha(i)); }), each<T>(n, [&](Index i) {
                                                       return -cross(at.omega(i), at.inertia(i) * at.omega(i));
                                                     })});
  d.begin("79 line 2 left", "-∫ a^P dm", {each<T>(n, [&](Index i) { return at.integral(i, [&](const Vec& h) { return -at.acceleration(i, h); }); })});
  d.follows("79 line 2", "R* = -M a*", {each<T>(n, R_star)});
  const auto of_particles = [&](Index i, Index r, const auto& force) {
    return integral(arm.moments(i), [&](const Vec& h) { return dot(v_r(i, h, r), force(h)); });
  };
  const auto inertia_of_particles = [&](Index i, Index r) { return of_particles(i, r, [&](const Vec& h) { return -at.acceleration(i, h); }); };
  const auto by_torque = [&](Index i, Index r) { return dot(omega_r(i, r), T_star(i)); };
  const auto by_force = [&](Index i, Index r) { return dot(v_r(i, com(i), r), R_star(i)); };
  d.begin("77 of a body", "∫ v_r^P · R*, R* = -a^P dm by 76", {each_of(inertia_of_particles)});
  d.follows("78", "(K_r*)_R = ω_r · T* + v_r · R*, T* and R* by 79", {each_of(by_torque), each_of(by_force)});
  const auto first_body = [&](bool printed) { return each<T>(n, [&](Index r) { return printed && r > 1 ? T(0) : by_torque(1, r) + by_force(1, r); }); };
  d.begin("85 left", "(K_r*)_A of the first body, of its particles", {each<T>(n, [&](Index r) { return inertia_of_particles(1, r); })});
  d.follows("85", "ω_r · T* + v_r · R*", {first_body(false)});
  d.printed("86", "zero for r > 1, in the text", {first_body(true)});
  d.begin("77", "K_r* = Σ_i v_r · R*, over all particles", {over_links(inertia_of_particles)});
  d.follows("87", "(K_r*)_A + … + (K_r*)_F", {over_links(by_torque), over_links(by_force)});
  const auto X = [&](Index i, Index r, Index s) {
    return -dot(omega_r(i, r), at.inertia(i) * omega_r(i, s)) - arm.m[i] * dot(v_r(i, com(i), r), v_r(i, com(i), s));
  };
  const auto a_t = [&](Index i) { return at.acceleration(i, com(i)) - over_speeds(none, [&](Index r) { return speed(a, r) * v_r(i, com(i), r); }); };
  d.follows("88", "Σ_s X_rs u'_s + Z_{181+r}: the part of accelerations, and that of velocities",
            {over_links([&](Index i, Index r) {
               return -dot(omega_r(i, r), at.inertia(i) * alpha_t(i) + cross(at.omega(i), at.inertia(i) * at.omega(i))) -
                      arm.m[i] * dot(v_r(i, com(i), r), a_t(i));
             }),
             over_links([&](Index i, Index r) { return sum(1, n, T(0), [&](Index s) { return X(i, r, s) * speed(a, s); }); })});

  // Generalized active forces: gravity.
  const auto weight = [&](Index i, Index r) { return dot(v_r(i, com(i), r), arm.m[i] * g); };
  d.begin("89 of weight", "Σ_i v_r · g dm, over all particles",
          {over_links([&](Index i, Index r) { return of_particles(i, r, [&](const Vec&) { return g; }); })});
  d.follows("90", "v_r of the mass centre · G_R, G by 91, 92", {over_links(weight)});

  // Forces between bodies: those of all links from i on, reduced to origin i-1. They keep each body in motion, which is what the left sides say.
  std::vector<Vec> force(n + 2, none), torque(n + 2, none);
  for (Index i = n; i >= 1; --i) {
    const Vec F = -R_star(i) - arm.m[i] * g;
    force[i] = force[i + 1] + F;
    torque[i] = torque[i + 1] - T_star(i) + cross(at.place(i, com(i)) - arm.p(0, i - 1), F) + cross(arm.p(0, i) - arm.p(0, i - 1), force[i + 1]);
  }
  const auto near = [&](Index i) { return -arm.r[i]; };  // the point of link i at origin i-1
  const auto far = [&](Index) { return none; };          // and at origin i
  const auto before = [&](Index i, Index r) { return i == 1 ? none : v_r(i - 1, far(i - 1), r); };
  const auto omega_before = [&](Index i, Index r) { return i == 1 ? none : omega_r(i - 1, r); };
  d.begin("78 of a body", "-(K_r*)_R", {each_of([&](Index i, Index r) { return -by_torque(i, r) - by_force(i, r); })});
  d.follows("93", "(K_r)_R = v_r · G_R - v_r of origin i · R^{C/B} + v_r of origin i-1 · R^{B/A} + ω_r · (T^{B/A} - T^{C/B})",
            {each_of(weight), each_of([&](Index i, Index r) { return -dot(v_r(i, far(i), r), force[i + 1]); }),
             each_of([&](Index i, Index r) { return dot(v_r(i, near(i), r), force[i]); }),
             each_of([&](Index i, Index r) { return dot(omega_r(i, r), torque[i] - torque[i + 1]); })});
  const auto axis = [&](Index i) { return arm.z(0, i); };
  const auto slides = [&](Index i, const Vec& x) { return arm.revolute[i] ? none : x; };
  const auto rotates = [&](Index i, const Vec& x) { return arm.revolute[i] ? x : none; };
  d.begin("96 left", "v of origin i-1, a point of link i-1", {each<T>(n, [&](Index i) { return i == 1 ? none : at.velocity(i - 1, far(i - 1)); })});
  d.follows("96", "-K_i q'_i z + v of the point of link i there",
            {each<T>(n, [&](Index i) { return slides(i, -(v[i - 1] * axis(i))); }), each<T>(n, [&](Index i) { return at.velocity(i, near(i)); })});
  d.begin("98", "v_r of origin i-1, a point of link i-1", {each_of(before)});
  d.follows("99", "-K_i (coefficient of u_r in q'_i) z + v_r of the point of link i there",
            {each_of([&](Index i, Index r) { return slides(i, -(W(i, r) * axis(i))); }), each_of([&](Index i, Index r) { return v_r(i, near(i), r); })});
  d.begin("104 left", "ω^A - ω^B", {each<T>(n, [&](Index i) { return (i == 1 ? none : at.omega(i - 1)) - at.omega(i); })});
  d.follows("104", "-q'_i z, of a revolute joint", {each<T>(n, [&](Index i) { return rotates(i, -(v[i - 1] * axis(i))); })});
  d.begin("105", "ω_r^A - ω_r^B", {each_of([&](Index i, Index r) { return omega_before(i, r) - omega_r(i, r); })});
  d.follows("106", "-(coefficient of u_r in q'_i) z", {each_of([&](Index i, Index r) { return rotates(i, -(W(i, r) * axis(i))); })});
  const auto all_weights = over_links(weight);
  d.begin("78, all bodies", "-K_r*", {over_links([&](Index i, Index r) { return -inertia_of_particles(i, r); })});
  d.follows("110", "(K_r)_A + … + (K_r)_F, forces between two bodies taken together",
            {all_weights, over_links([&](Index i, Index r) { return dot(v_r(i, near(i), r) - before(i, r), force[i]); }),
             over_links([&](Index i, Index r) { return dot(omega_r(i, r) - omega_before(i, r), torque[i]); })});
  const auto drive = [&](Index i) { return dot(axis(i), arm.revolute[i] ? torque[i] : force[i]); };  // 102, 103, 108, 109
  d.follows("111", "and on to 116: K_r = Σ_i (coefficient of u_r in q'_i) τ_i, σ for a slide, + v_r · G_R",
            {all_weights, over_links([&](Index i, Index r) { return W(i, r) * drive(i); })});
  std::vector<T> tau(n);
  hollerbach::NewtonEulerBase<T, T>(chain).torque(q.data(), v.data(), a.data(), tau.data());
  d.follows("117", "K_r with τ of the formulation newton-euler-base: K_r* + K_r = 0",
            {all_weights, over_links([&](Index i, Index r) { return W(i, r) * tau[i - 1]; })});
  return d.take();
}

}  // namespace ulna::internal::proof
