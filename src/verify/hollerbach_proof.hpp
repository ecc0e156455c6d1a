// Appendices A and B of J. M. Hollerbach, "A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation
// complexity", IEEE Transactions on Systems, Man, and Cybernetics SMC-10 (1980) 730-736, executed: eqs A1 to A13, from a particle of a link to the generalized
// forces, and B1 to B5, to their recursion, on any scalar.
//
//   paper                  here                      meaning
//   p_j, W_j               motion.p[j], motion.W[j]  origin and axes of frame j in the base; p_dot, W_dot, … their rates
//   h*_j                   a point of link j, from the origin of its frame, in its axes
//   n_j, J_j               ∫h* dm and ∫h* h*ᵀ dm
//   g                      gravity, pointing down
//
// Derivatives by q_i and q'_i on the left sides are taken by dual numbers, of the energies themselves; rates are those of the recurrences 8 to 10 and 16.
//
// Misprints: A3, A4, A5 lack the T of the last W'ᵀ; the potential energy A6 turns r_j by W_j although r_j is measured from the base: it must be p_j + W_j r*_j,
// so A11 and A13 lack ∂p_j/∂q_i; A9 has p'_jᵀ for p''_jᵀ in its first term; A13 has ∂p'_j/∂q_i p'_jᵀ for ∂p_j/∂q_i p''_jᵀ there. B1, B2 and B5
// lack ∂p_i/∂q_i, and c_i of 13 the moment of the shift of origin. A6, A11, A13, B1, B2, B5 and 13 are run as printed, too.
//
// Takes: chains of turning and sliding joints. Links are rigid bodies alone: no rotors, no friction.
#pragma once

#include "formulation/hollerbach_3x3.hpp"
#include "formulation/newton_euler_base.hpp"
#include "verify/derivation.hpp"
#include "verify/dual_chain.hpp"
#include "verify/link_integral.hpp"

namespace ulna::internal::proof {

/// Origins and axes of all frames in the base; [0] is the base.
template <class T>
struct HollerbachPlaces {
  HollerbachPlaces(const DhChain<T>& chain, const std::vector<T>& q) : W{Mat3<T>::identity()}, p{Vec3<T>{T(0), T(0), T(0)}} {
    for (std::size_t j = 1; j <= chain.size(); ++j) {
      const DhRow<T>& row = chain.rows[j - 1];
      const hollerbach::Place<T> at = hollerbach::place(row, q[j - 1]);
      W.push_back(W[j - 1] * hollerbach::rotation(row, at));  // 8
      p.push_back(p[j - 1] + W[j] * hollerbach::offset(row, at));
    }
  }
  std::vector<Mat3<T>> W;
  std::vector<Vec3<T>> p;
};

/// With their first and second rates.
template <class T>
struct HollerbachMotion : HollerbachPlaces<T> {
  HollerbachMotion(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) : HollerbachPlaces<T>(chain, q) {
    using namespace hollerbach;
    Motion<Mat3<T>> motion = motion_of_base<Mat3<T>, T>();
    W_dot.push_back(motion.W_dot);
    W_ddot.push_back(motion.W_ddot);
    p_dot.push_back(this->p[0]);
    p_ddot.push_back(this->p[0]);
    for (std::size_t j = 1; j <= chain.size(); ++j) {
      const DhRow<T>& row = chain.rows[j - 1];
      const Place<T> at = place(row, q[j - 1]);
      const T &rate = v[j - 1], &acceleration = a[j - 1];
      motion = next_motion(motion, j == 1, joint_matrices3(row, at), rate, acceleration);  // 9, 10
      W_dot.push_back(motion.W_dot);
      W_ddot.push_back(motion.W_ddot);
      const Vec3<T> own = offset(row, at), z{T(0), row.sin_alpha, row.cos_alpha};
      p_dot.push_back(p_dot[j - 1] + motion.W_dot * own);
      p_ddot.push_back(p_ddot[j - 1] + motion.W_ddot * own);  // 16
      if (!row.prismatic) continue;
      p_dot[j] = p_dot[j] + rate * (motion.W * z);
      p_ddot[j] = p_ddot[j] + T(2) * rate * (motion.W_dot * z) + acceleration * (motion.W * z);
    }
  }
  std::vector<Mat3<T>> W_dot, W_ddot;
  std::vector<Vec3<T>> p_dot, p_ddot;
};

template <class T>
struct HollerbachLinks {
  explicit HollerbachLinks(const DhChain<T>& chain) : of(1), g(chain.gravity_0) {
    for (const DhRow<T>& row : chain.rows) of.push_back({row.mass, row.mass * row.com, hollerbach::second_moments(row).full()});
  }
  std::vector<LinkMoments<T>> of;  // m_j, n_j, J_j
  Vec3<T> g;

  /// K_j of eq. A4, without its half, times 2: tr(m p' p'ᵀ + 2 W' n p'ᵀ + W' J W'ᵀ).
  T twice_kinetic(std::size_t j, const Vec3<T>& p_dot, const Mat3<T>& W_dot) const {
    using namespace hollerbach;
    const LinkMoments<T>& link = of[j];
    return trace(link.m * outer(p_dot, p_dot)) + T(2) * trace(outer(W_dot * link.first, p_dot)) + trace(W_dot * link.second * W_dot.transposed());
  }
  /// A5.
  T kinetic(const std::vector<Vec3<T>>& p_dot, const std::vector<Mat3<T>>& W_dot) const {
    return sum(1, of.size() - 1, T(0), [&](std::size_t j) { return T(0.5) * twice_kinetic(j, p_dot[j], W_dot[j]); });
  }
  /// A6 with P-bar = 0; as printed, places of mass centres lack p_j.
  T potential(const HollerbachPlaces<T>& at, bool as_printed = false) const {
    return -sum(1, of.size() - 1, T(0), [&](std::size_t j) {
      const Vec3<T> rotated = at.W[j] * of[j].first;  // m_j W_j r*_j
      return dot(g, as_printed ? rotated : rotated + of[j].m * at.p[j]);
    });
  }
};

/// The energies with their derivatives: those of places and rates along q_i, and along q'_i and time.
template <class T>
class HollerbachDerivatives {
 public:
  using U = Dual<T>;
  using UU = Dual<U>;
  using UUU = Dual<UU>;

  HollerbachDerivatives(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a, std::size_t i)
      : by_q_(constant_chain<UU>(chain), along_q(q, v, i)), by_rate_(constant_chain<UUU>(chain), along_rate(q, v, a, i)) {
    const HollerbachLinks<U> links(constant_chain<U>(chain));
    const HollerbachLinks<UU> links_in_time(constant_chain<UU>(chain));
    const auto rate = [](const auto& x) { return x.rate; };
    const auto value = [](const auto& x) { return x.value; };
    std::vector<Vec3<U>> p_dot;
    std::vector<Mat3<U>> W_dot;
    std::vector<Vec3<UU>> p_dot_in_time;
    std::vector<Mat3<UU>> W_dot_in_time;
    HollerbachPlaces<U> places = HollerbachPlaces<U>(DhChain<U>{}, {});
    places.W.clear();
    places.p.clear();
    for (std::size_t j = 0; j <= chain.size(); ++j) {
      p_dot.push_back(parts<U>(by_q_.p[j], rate));
      W_dot.push_back(parts<U>(by_q_.W[j], rate));
      places.p.push_back(parts<U>(by_q_.p[j], value));
      places.W.push_back(parts<U>(by_q_.W[j], value));
      p_dot_in_time.push_back(parts<UU>(by_rate_.p[j], rate));
      W_dot_in_time.push_back(parts<UU>(by_rate_.W[j], rate));
    }
    K_by_q = links.kinetic(p_dot, W_dot).rate;
    P_by_q = links.potential(places).rate;
    K_by_rate_in_time = links_in_time.kinetic(p_dot_in_time, W_dot_in_time).rate.rate;
  }

  T K_by_q, P_by_q;     // ∂K/∂q_i, ∂P/∂q_i
  T K_by_rate_in_time;  // d/dt ∂K/∂q'_i

  Vec3<T> p_by_q(std::size_t j) const {
    return parts<T>(by_q_.p[j], [](const UU& x) { return x.value.rate; });
  }
  Mat3<T> W_by_q(std::size_t j) const {
    return parts<T>(by_q_.W[j], [](const UU& x) { return x.value.rate; });
  }
  Vec3<T> p_dot_by_q(std::size_t j) const {
    return parts<T>(by_q_.p[j], [](const UU& x) { return x.rate.rate; });
  }
  Mat3<T> W_dot_by_q(std::size_t j) const {
    return parts<T>(by_q_.W[j], [](const UU& x) { return x.rate.rate; });
  }
  Vec3<T> p_dot_by_rate(std::size_t j) const {
    return parts<T>(by_rate_.p[j], [](const UUU& x) { return x.rate.value.rate; });
  }
  Mat3<T> W_dot_by_rate(std::size_t j) const {
    return parts<T>(by_rate_.W[j], [](const UUU& x) { return x.rate.value.rate; });
  }
  Vec3<T> p_dot_by_rate_in_time(std::size_t j) const {
    return parts<T>(by_rate_.p[j], [](const UUU& x) { return x.rate.rate.rate; });
  }
  Mat3<T> W_dot_by_rate_in_time(std::size_t j) const {
    return parts<T>(by_rate_.W[j], [](const UUU& x) { return x.rate.rate.rate; });
  }

 private:
  /// The outer rate is along time, the inner one along q_i.
  static std::vector<UU> along_q(const std::vector<T>& q, const std::vector<T>& v, std::size_t i) {
    std::vector<UU> to;
    for (std::size_t j = 0; j < q.size(); ++j) to.push_back({{q[j], T(j + 1 == i ? 1 : 0)}, {v[j], T(0)}});
    return to;
  }
  /// The outer rate is the one that makes p' of p; of what is within, the outer rate is along time, the inner one along q'_i.
  static std::vector<UUU> along_rate(const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a, std::size_t i) {
    std::vector<UUU> to;
    for (std::size_t j = 0; j < q.size(); ++j) to.push_back({{{q[j], T(0)}, {v[j], T(0)}}, {{v[j], T(j + 1 == i ? 1 : 0)}, {a[j], T(0)}}});
    return to;
  }
  HollerbachPlaces<UU> by_q_;
  HollerbachPlaces<UUU> by_rate_;
};

template <class T>
std::vector<Line<T>> hollerbach_lines(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                                      std::string_view spoiled = {}) {
  using namespace hollerbach;
  using Index = std::size_t;
  Derivation<T> d(spoiled);
  const Index n = chain.size();
  const HollerbachMotion<T> at(chain, q, v, a);
  const HollerbachLinks<T> links(chain);
  const T o(0), e(1), half(0.5);
  const Vec3<T> points[] = {{o, o, o}, {e, o, o}, {o, e, o}, {o, o, e}, {-e, e, o}, {o, -e, e}, {e, o, -e}};
  const auto each_point = [&](auto value) {
    std::vector<T> list;
    for (Index j = 1; j <= n; ++j)
      for (const Vec3<T>& h : points) append(list, value(j, h));
    return list;
  };

  // A particle.
  std::vector<Mat4<T>> W4{Mat4<T>::identity()};
  for (Index j = 1; j <= n; ++j) W4.push_back(W4[j - 1] * joint_matrices4(chain.rows[j - 1], q[j - 1]).A);
  d.begin("3", "h_i = W_i (1, h*_i), 4x4", {each_point([&](Index j, const Vec3<T>& h) {
            const Vec4<T> place = W4[j] * Vec4<T>{{T(1), h.x, h.y, h.z}};
            return Vec3<T>{place[1], place[2], place[3]};
          })});
  d.follows("A1", "p_i + W_i h*_i",
            {each_point([&](Index j, const Vec3<T>&) { return at.p[j]; }), each_point([&](Index j, const Vec3<T>& h) { return at.W[j] * h; })});
  std::vector<Dual<T>> moving;
  for (Index j = 0; j < n; ++j) moving.push_back({q[j], v[j]});
  const HollerbachPlaces<Dual<T>> in_time(constant_chain<Dual<T>>(chain), moving);
  const auto h_dot = [&](Index j, const Vec3<T>& h) { return at.p_dot[j] + at.W_dot[j] * h; };
  d.begin("A2 left", "h'_i, the rate of A1 by dual numbers", {each_point([&](Index j, const Vec3<T>& h) {
            const Vec3<Dual<T>> place = in_time.p[j] + in_time.W[j] * Vec3<Dual<T>>{{h.x, o}, {h.y, o}, {h.z, o}};
            return parts<T>(place, [](const Dual<T>& x) { return x.rate; });
          })});
  d.follows("A2", "p'_i + W'_i h*_i",
            {each_point([&](Index j, const Vec3<T>&) { return at.p_dot[j]; }), each_point([&](Index j, const Vec3<T>& h) { return at.W_dot[j] * h; })});
  const auto particle = [&](Index j, const Vec3<T>& h) { return half * trace(outer(h_dot(j, h), h_dot(j, h))); };
  d.begin("A3 line 1", "½ tr(h'_i h'_iᵀ) dm", {each_point(particle)});
  d.follows("A3 line 2", "½ tr(p' p'ᵀ + 2 W' h* p'ᵀ + W' h* h*ᵀ W'ᵀ) dm",
            {each_point([&](Index j, const Vec3<T>&) { return half * trace(outer(at.p_dot[j], at.p_dot[j])); }),
             each_point([&](Index j, const Vec3<T>& h) { return trace(outer(at.W_dot[j] * h, at.p_dot[j])); }),
             each_point([&](Index j, const Vec3<T>& h) { return half * trace(at.W_dot[j] * outer(h, h) * at.W_dot[j].transposed()); })});

  // The energies.
  d.begin("A4 left", "∫ ½ tr(h'_i h'_iᵀ) dm", {each<T>(n, [&](Index j) { return integral(links.of[j], [&](const Vec3<T>& h) { return particle(j, h); }); })});
  const auto first = [&](Index j) { return half * links.of[j].m * trace(outer(at.p_dot[j], at.p_dot[j])); };
  const auto second = [&](Index j) { return trace(outer(at.W_dot[j] * links.of[j].first, at.p_dot[j])); };
  const auto third = [&](Index j) { return half * trace(at.W_dot[j] * links.of[j].second * at.W_dot[j].transposed()); };
  d.follows("A4", "½ tr(m_i p' p'ᵀ + 2 W' n_i p'ᵀ + W' J_i W'ᵀ)", {each<T>(n, first), each<T>(n, second), each<T>(n, third)});
  const auto all = [&](auto term) { return std::vector<T>{sum(1, n, T(0), term)}; };
  d.begin("A5 left", "Σ_j ½ m_j |c'_j|² + ½ ω_j·I_j ω_j, by the speeds of mass centres and the turns of links", {all([&](Index j) {
            const Vec3<T> c_dot = h_dot(j, chain.rows[j - 1].com);
            const Mat3<T> spin = at.W[j].transposed() * at.W_dot[j];  // ω x in frame j
            const Vec3<T> omega{spin.zy, spin.xz, spin.yx};
            return half * (links.of[j].m * dot(c_dot, c_dot) + dot(omega, chain.rows[j - 1].inertia * omega));
          })});
  d.follows("A5", "½ Σ_j tr(m_j p' p'ᵀ + 2 W' n_j p'ᵀ + W' J_j W'ᵀ)", {all(first), all(second), all(third)});
  d.begin("A6 left", "-Σ_j ∫ gᵀ h_j dm",
          {all([&](Index j) { return -integral(links.of[j], [&](const Vec3<T>& h) { return dot(links.g, at.p[j] + at.W[j] * h); }); })});
  d.follows("A6", "-Σ_j m_j gᵀ (p_j + W_j r*_j)", {{links.potential(at)}});
  d.printed("A6", "no p_j", {{links.potential(at, true)}});

  // Lagrange's equations.
  std::vector<HollerbachDerivatives<T>> by;
  for (Index i = 1; i <= n; ++i) by.emplace_back(chain, q, v, a, i);
  const auto of = [&](Index i) -> const HollerbachDerivatives<T>& { return by[i - 1]; };
  std::vector<T> newton_euler(n), recursive(n);
  NewtonEulerBase<T, T>(chain).torque(q.data(), v.data(), a.data(), newton_euler.data());
  Hollerbach3x3<T, T>(chain).torque(q.data(), v.data(), a.data(), recursive.data());
  const auto momentum_rate = each<T>(n, [&](Index i) { return of(i).K_by_rate_in_time; });
  const auto less_K = each<T>(n, [&](Index i) { return -of(i).K_by_q; });
  const auto P = each<T>(n, [&](Index i) { return of(i).P_by_q; });
  d.begin("Newton-Euler", "τ_i of the formulation newton-euler-base", {newton_euler});
  d.follows("A7", "d/dt(∂L/∂q'_i) - ∂L/∂q_i, L = K - P, by dual numbers", {momentum_rate, each<T>(n, [&](Index i) { return of(i).P_by_q - of(i).K_by_q; })});
  d.follows("A8", "d/dt(∂K/∂q'_i) - ∂K/∂q_i + ∂P/∂q_i", {momentum_rate, less_K, P});

  /// Σ_{j>=i} term(i, j); outside of it nothing depends on q_i.
  const auto over_links = [&](auto term) { return each<T>(n, [&](Index i) { return sum(i, n, T(0), [&](Index j) { return T(term(i, j)); }); }); };
  const auto m = [&](Index j) { return links.of[j].m; };
  const auto n_j = [&](Index j) { return links.of[j].first; };
  const auto J = [&](Index j) { return links.of[j].second; };
  const auto weights = [&](bool as_printed) {
    return over_links([&](Index i, Index j) {
      const Vec3<T> rotated = of(i).W_by_q(j) * n_j(j);
      return -dot(links.g, as_printed ? rotated : rotated + m(j) * of(i).p_by_q(j));
    });
  };
  d.begin("A9 left", "d/dt(∂K/∂q'_i), by dual numbers", {momentum_rate});
  d.follows("A9",
            "Σ_j tr[m ∂p'/∂q'_i p''ᵀ + m d/dt(∂p'/∂q'_i) p'ᵀ + d/dt(∂W'/∂q'_i) n p'ᵀ + ∂W'/∂q'_i n p''ᵀ + W'' n ∂p'ᵀ/∂q'_i + W' n d/dt(∂p'ᵀ/∂q'_i) + ∂W'/∂q'_i "
            "J W''ᵀ + d/dt(∂W'/∂q'_i) J W'ᵀ]",
            {over_links([&](Index i, Index j) { return m(j) * trace(outer(of(i).p_dot_by_rate(j), at.p_ddot[j])); }),
             over_links([&](Index i, Index j) { return m(j) * trace(outer(of(i).p_dot_by_rate_in_time(j), at.p_dot[j])); }),
             over_links([&](Index i, Index j) { return trace(outer(of(i).W_dot_by_rate_in_time(j) * n_j(j), at.p_dot[j])); }),
             over_links([&](Index i, Index j) { return trace(outer(of(i).W_dot_by_rate(j) * n_j(j), at.p_ddot[j])); }),
             over_links([&](Index i, Index j) { return trace(outer(at.W_ddot[j] * n_j(j), of(i).p_dot_by_rate(j))); }),
             over_links([&](Index i, Index j) { return trace(outer(at.W_dot[j] * n_j(j), of(i).p_dot_by_rate_in_time(j))); }),
             over_links([&](Index i, Index j) { return trace(of(i).W_dot_by_rate(j) * J(j) * at.W_ddot[j].transposed()); }),
             over_links([&](Index i, Index j) { return trace(of(i).W_dot_by_rate_in_time(j) * J(j) * at.W_dot[j].transposed()); })});
  d.begin("A10 left", "∂K/∂q_i, by dual numbers", {each<T>(n, [&](Index i) { return of(i).K_by_q; })});
  d.follows("A10", "Σ_j tr(m ∂p'/∂q_i p'ᵀ + ∂W'/∂q_i n p'ᵀ + W' n ∂p'ᵀ/∂q_i + ∂W'/∂q_i J W'ᵀ)",
            {over_links([&](Index i, Index j) { return m(j) * trace(outer(of(i).p_dot_by_q(j), at.p_dot[j])); }),
             over_links([&](Index i, Index j) { return trace(outer(of(i).W_dot_by_q(j) * n_j(j), at.p_dot[j])); }),
             over_links([&](Index i, Index j) { return trace(outer(at.W_dot[j] * n_j(j), of(i).p_dot_by_q(j))); }),
             over_links([&](Index i, Index j) { return trace(of(i).W_dot_by_q(j) * J(j) * at.W_dot[j].transposed()); })});
  d.begin("A11 left", "∂P/∂q_i, by dual numbers", {P});
  d.follows("A11", "-Σ_j m_j gᵀ (∂W_j/∂q_i r*_j + ∂p_j/∂q_i)", {weights(false)});
  d.printed("A11", "no ∂p_j/∂q_i", {weights(true)});

  const auto each_motion = [&](auto value) { return each_below<T>(n, [&](Index j, Index i) { return value(of(i), j); }); };
  using By = HollerbachDerivatives<T>;
  d.begin("A12 line 1 left", "∂p_j/∂q_i", {each_motion([](const By& x, Index j) { return x.p_by_q(j); })});
  d.follows("A12 line 1", "∂p'_j/∂q'_i", {each_motion([](const By& x, Index j) { return x.p_dot_by_rate(j); })});
  d.begin("A12 line 2 left", "∂p'_j/∂q_i", {each_motion([](const By& x, Index j) { return x.p_dot_by_q(j); })});
  d.follows("A12 line 2", "d/dt(∂p'_j/∂q'_i)", {each_motion([](const By& x, Index j) { return x.p_dot_by_rate_in_time(j); })});
  d.begin("A12 line 3 left", "∂W_j/∂q_i", {each_motion([](const By& x, Index j) { return x.W_by_q(j); })});
  d.follows("A12 line 3", "∂W'_j/∂q'_i", {each_motion([](const By& x, Index j) { return x.W_dot_by_rate(j); })});
  d.begin("A12 line 4 left", "∂W'_j/∂q_i", {each_motion([](const By& x, Index j) { return x.W_dot_by_q(j); })});
  d.follows("A12 line 4", "d/dt(∂W'_j/∂q'_i)", {each_motion([](const By& x, Index j) { return x.W_dot_by_rate_in_time(j); })});

  const auto p_p = over_links([&](Index i, Index j) { return m(j) * trace(outer(of(i).p_by_q(j), at.p_ddot[j])); });
  const auto p_W = over_links([&](Index i, Index j) { return trace(outer(of(i).p_by_q(j), at.W_ddot[j] * n_j(j))); });
  const auto W_p = over_links([&](Index i, Index j) { return trace(outer(of(i).W_by_q(j) * n_j(j), at.p_ddot[j])); });
  const auto W_W = over_links([&](Index i, Index j) { return trace(of(i).W_by_q(j) * J(j) * at.W_ddot[j].transposed()); });
  d.begin("A8", "d/dt(∂K/∂q'_i) - ∂K/∂q_i + ∂P/∂q_i", {momentum_rate, less_K, P});
  d.follows("A13", "Σ_j [tr(m ∂p/∂q_i p''ᵀ + ∂p/∂q_i nᵀ W''ᵀ + ∂W/∂q_i n p''ᵀ + ∂W/∂q_i J W''ᵀ) - m gᵀ (∂W/∂q_i r* + ∂p/∂q_i)]",
            {p_p, p_W, W_p, W_W, weights(false)});
  d.printed("A13", "no ∂p_j/∂q_i in the weight", {p_p, p_W, W_p, W_W, weights(true)});
  d.follows("18", "F_i of the formulation hollerbach-3x3, corrected", {recursive});

  // Appendix B. ⁱW_j and ⁱp_j by products of A and sums of p*, from frame i to frame j.
  std::vector<std::vector<Mat3<T>>> W_ij(n + 1);
  std::vector<std::vector<Vec3<T>>> p_ij(n + 1);
  std::vector<Mat3<T>> A(n + 1);
  std::vector<Vec3<T>> p_own(n + 1);
  for (Index i = n; i >= 1; --i) {
    const DhRow<T>& row = chain.rows[i - 1];
    const Place<T> there = place(row, q[i - 1]);
    A[i] = rotation(row, there), p_own[i] = offset(row, there);
    W_ij[i].assign(n + 1, Mat3<T>::identity());
    p_ij[i].assign(n + 1, Vec3<T>{o, o, o});
    for (Index j = i + 1; j <= n; ++j) {
      W_ij[i][j] = W_ij[i][j - 1] * A[j];
      p_ij[i][j] = p_ij[i][j - 1] + W_ij[i][j] * p_own[j];
    }
  }
  const auto dW = [&](Index i) { return of(i).W_by_q(i); };
  const auto dp = [&](Index i) { return of(i).p_by_q(i); };
  const Mat3<T> none{o, o, o, o, o, o, o, o, o};
  const auto step = [&](Index i) { return A[i + 1] * p_own[i + 1]; };  // ⁱp*_{i+1}
  const auto pairs = [&](auto value) { return each_below<T>(n, [&](Index j, Index i) { return value(i, j); }); };
  d.begin("B1 line 1 left", "p_j", {pairs([&](Index, Index j) { return at.p[j]; })});
  d.follows("B1 line 1", "p_i + W_i ⁱp_j", {pairs([&](Index i, Index) { return at.p[i]; }), pairs([&](Index i, Index j) { return at.W[i] * p_ij[i][j]; })});
  const auto rotated = pairs([&](Index i, Index j) { return dW(i) * p_ij[i][j]; });
  d.begin("B1 line 2 left", "∂p_j/∂q_i, by dual numbers", {pairs([&](Index i, Index j) { return of(i).p_by_q(j); })});
  d.follows("B1 line 2", "∂W_i/∂q_i ⁱp_j + ∂p_i/∂q_i", {rotated, pairs([&](Index i, Index) { return dp(i); })});
  d.printed("B1 line 2", "no ∂p_i/∂q_i", {rotated});
  d.begin("B1 line 3 left", "∂W_j/∂q_i, by dual numbers", {pairs([&](Index i, Index j) { return of(i).W_by_q(j); })});
  d.follows("B1 line 3", "∂W_i/∂q_i ⁱW_j", {pairs([&](Index i, Index j) { return dW(i) * W_ij[i][j]; })});

  // Sums over the links from i on: of D, e, c and the masses.
  const auto force = [&](Index j) { return m(j) * at.p_ddot[j] + at.W_ddot[j] * n_j(j); };
  const auto own = [&](Index j) { return outer(n_j(j), at.p_ddot[j]) + J(j) * at.W_ddot[j].transposed(); };
  std::vector<Mat3<T>> D(n + 2, none);
  std::vector<Vec3<T>> e_sum(n + 2, Vec3<T>{o, o, o}), c(n + 2, Vec3<T>{o, o, o}), c_printed(n + 2, Vec3<T>{o, o, o});
  std::vector<T> M(n + 2, o);
  for (Index i = 1; i <= n; ++i) {
    D[i] = own(i);
    for (Index j = i; j <= n; ++j) {
      if (j > i) D[i] = D[i] + outer(p_ij[i][j], force(j)) + W_ij[i][j] * own(j);
      e_sum[i] = e_sum[i] + force(j);
      c_printed[i] = c_printed[i] + W_ij[i][j] * n_j(j);
      c[i] = c[i] + W_ij[i][j] * n_j(j) + m(j) * p_ij[i][j];
      M[i] = M[i] + m(j);
    }
  }
  const auto of_D = each<T>(n, [&](Index i) { return trace(dW(i) * D[i]); });
  const auto weight_of = [&](const std::vector<Vec3<T>>& sums) { return each<T>(n, [&](Index i) { return -dot(links.g, dW(i) * sums[i]); }); };
  const auto of_origin = each<T>(n, [&](Index i) { return dot(dp(i), e_sum[i] - M[i] * links.g); });
  const auto all_terms = over_links([&](Index i, Index j) {
    return trace(dW(i) * outer(p_ij[i][j], m(j) * at.p_ddot[j])) + trace(dW(i) * outer(p_ij[i][j], at.W_ddot[j] * n_j(j))) +
           trace(dW(i) * outer(W_ij[i][j] * n_j(j), at.p_ddot[j])) + trace(dW(i) * W_ij[i][j] * J(j) * at.W_ddot[j].transposed());
  });
  d.begin("A13", "F_i", {p_p, p_W, W_p, W_W, weights(false)});
  d.follows("B2", "tr(∂W_i/∂q_i Σ_j (m ⁱp p''ᵀ + ⁱp nᵀ W''ᵀ + ⁱW n p''ᵀ + ⁱW J W''ᵀ)) - gᵀ ∂W_i/∂q_i Σ_j m (ⁱW r* + ⁱp) + ∂p_iᵀ/∂q_i Σ_j (m p'' + W'' n - m g)",
            {all_terms, weight_of(c), of_origin});
  d.printed("B2", "no ∂p_i/∂q_i, and no ⁱp_j in the weight", {all_terms, weight_of(c_printed)});
  const auto own_D = [&](auto term) { return each<T>(n, term); };
  d.begin("B3 line 1", "D_i = Σ_j (m ⁱp p''ᵀ + ⁱp nᵀ W''ᵀ + ⁱW n p''ᵀ + ⁱW J W''ᵀ)", {each<T>(n, [&](Index i) { return D[i]; })});
  const auto first_own = own_D([&](Index i) { return outer(n_j(i), at.p_ddot[i]); });
  const auto second_own = own_D([&](Index i) { return J(i) * at.W_ddot[i].transposed(); });
  d.follows("B3 line 2", "Σ_{j>i} ((A ⁱ⁺¹p_j + ⁱp*) (m p''ᵀ + nᵀ W''ᵀ) + A ⁱ⁺¹W_j (n p''ᵀ + J W''ᵀ)) + n p''ᵀ + J W''ᵀ",
            {each<T>(n,
                     [&](Index i) {
                       Mat3<T> sum_of = none;
                       for (Index j = i + 1; j <= n; ++j)
                         sum_of = sum_of + outer(A[i + 1] * p_ij[i + 1][j] + step(i), force(j)) + A[i + 1] * W_ij[i + 1][j] * own(j);
                       return sum_of;
                     }),
             first_own, second_own});
  d.follows("B3 line 3", "A_{i+1} D_{i+1} + ⁱp*_{i+1} e_{i+1} + n p''ᵀ + J W''ᵀ",
            {each<T>(n, [&](Index i) { return i == n ? none : A[i + 1] * D[i + 1]; }),
             each<T>(n, [&](Index i) { return i == n ? none : outer(step(i), e_sum[i + 1]); }), first_own, second_own});
  d.begin("B4 line 1", "e_i = Σ_j (m p''ᵀ + nᵀ W''ᵀ)", {each<T>(n, [&](Index i) { return e_sum[i]; })});
  d.follows("B4 line 2", "e_{i+1} + m p''ᵀ + nᵀ W''ᵀ",
            {each<T>(n, [&](Index i) { return e_sum[i + 1]; }), each<T>(n, [&](Index i) { return m(i) * at.p_ddot[i]; }),
             each<T>(n, [&](Index i) { return at.W_ddot[i] * n_j(i); })});
  const auto next_c = each<T>(n, [&](Index i) { return i == n ? Vec3<T>{o, o, o} : A[i + 1] * c[i + 1]; });
  const auto own_c = each<T>(n, [&](Index i) { return n_j(i); });
  d.begin("13 left", "c_i = Σ_j m (ⁱW r* + ⁱp)", {each<T>(n, [&](Index i) { return c[i]; })});
  d.follows("13", "n_i + A_{i+1} c_{i+1} + M_{i+1} ⁱp*_{i+1}, M the mass of the links from there on", {own_c, next_c, each<T>(n, [&](Index i) {
                                                                                                         return i == n ? Vec3<T>{o, o, o} : M[i + 1] * step(i);
                                                                                                       })});
  d.printed("13", "no M_{i+1} ⁱp*_{i+1}", {own_c, next_c});
  d.begin("A13", "F_i", {p_p, p_W, W_p, W_W, weights(false)});
  d.follows("B5", "tr(∂W_i/∂q_i D_i) - gᵀ ∂W_i/∂q_i c_i + ∂p_iᵀ/∂q_i (e_i - M_i g)", {of_D, weight_of(c), of_origin});
  d.printed("B5", "no ∂p_i/∂q_i, and c_i of 13 as printed", {of_D, weight_of(c_printed)});
  return d.take();
}

}  // namespace ulna::internal::proof
