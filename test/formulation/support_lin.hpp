// Arms in modified frames for the composite-body methods of Lin's article: the same robot as an MdhChain and, joint by joint, as a Model, so that
// the oracle and the production path answer for it without sharing a line of code.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include "formulation/frames.hpp"
#include "scalar/counted.hpp"

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test::lin {

struct Arm {
  Model model;
  MdhChain<double> chain;
};

enum class Kind {
  general,     // every parameter is its own number, but for the first row, which is zero
  based,       // the first row is general, too
  degenerate,  // zeros and right angles, and some links without mass or with inertia alone
};

/// cosine and sine, exact at multiples of a right angle.
inline void set_angles(DhRow<double>& row) {
  const auto exact = [](double angle, double& cosine, double& sine) {
    const double quarters = angle / (std::numbers::pi / 2);
    if (quarters == std::round(quarters)) {
      constexpr double table[] = {1, 0, -1, 0};
      const int k = ((static_cast<int>(quarters) % 4) + 4) % 4;
      cosine = table[k];
      sine = table[(k + 3) % 4];
    } else {
      cosine = std::cos(angle);
      sine = std::sin(angle);
    }
  };
  exact(row.alpha, row.cos_alpha, row.sin_alpha);
  exact(row.theta, row.cos_theta, row.sin_theta);
}

inline Arm make_arm(std::string_view types, const std::vector<DhRow<double>>& rows, const Vec3<double>& gravity) {
  Description description;
  description.name = types;
  description.gravity = gravity;
  MdhChain<double> chain;
  chain.gravity_0 = gravity;
  for (DhRow<double> row : rows) {
    set_angles(row);
    chain.rows.push_back(row);
    append(description, false, {row.prismatic, row.a, row.d, row.alpha, row.theta, body("", row.mass, row.com, row.inertia)});
  }
  return {unchecked(description), chain};
}

inline Arm random_arm(std::string_view types, Kind kind, Random& random) {
  std::vector<DhRow<double>> rows;
  const bool special = kind == Kind::degenerate;
  const auto length = [&] { return special && random.chance(0.5) ? 0.0 : random.uniform(-0.5, 0.5); };
  const auto angle = [&] { return special && random.chance(0.7) ? random.integer(-2, 2) * (std::numbers::pi / 2) : random.uniform(-3, 3); };
  for (const char type : types) {
    DhRow<double> row;
    row.prismatic = type == 'P';
    if (!rows.empty() || kind == Kind::based) {
      row.a = length();
      row.d = length();
      row.alpha = angle();
      row.theta = angle();
    }
    Link link;
    set_random_inertia(link, random);
    row.mass = link.mass;
    row.com = link.com;
    row.inertia = link.inertia;
    if (special && random.chance(0.3)) {
      row.mass = 0;
      row.com = {};
      if (random.chance(0.5)) row.inertia = {};
    }
    rows.push_back(row);
  }
  return make_arm(types, rows, special && random.chance(0.5) ? Vec3<double>{0, 0, -9.81} : random.vector(9));
}

/// Every mixture of 1 to 4 joints, and some of 5 to 8.
inline std::vector<std::string> all_types() {
  std::vector<std::string> types;
  for (unsigned n = 1; n <= 4; ++n)
    for (unsigned bits = 0; bits < (1u << n); ++bits) {
      std::string word;
      for (unsigned k = 0; k < n; ++k) word += (bits >> k) & 1u ? 'P' : 'R';
      types.push_back(word);
    }
  for (const char* word :
       {"RRRRR", "PRPRP", "PPPRR", "RRPRPR", "PPPPPP", "PPPPPR", "RPPPPP", "RRRRRR", "PRRPRRP", "RRRRRRR", "RPRPRPRP", "PPRRRRRP", "RRRRRRRR"})
    types.push_back(word);
  return types;
}

/// Robots and states of this file's tests: body(arm, state), both in the failure's trace.
template <class Body>
void for_each_arm(Body body) {
  std::uint64_t seed = 1;
  for (const std::string& types : all_types())
    for (const Kind kind : {Kind::general, Kind::based, Kind::degenerate}) {
      SCOPED_TRACE(::testing::Message() << types << " kind " << static_cast<int>(kind) << " seed " << seed);
      Random random(seed++);
      const Arm arm = random_arm(types, kind, random);
      for (int k = 0; k < kStates; ++k) body(arm, random_state(arm.model, random));
      if (::testing::Test::HasFatalFailure()) return;
    }
}

// Numbers into and out of any scalar.
inline double number(double x) { return x; }
inline double number(float x) { return static_cast<double>(x); }
inline double number(const Counted& x) { return x.value(); }
inline double set(double, double x) { return x; }
inline float set(float, double x) { return static_cast<float>(x); }
inline Counted set(const Counted&, double x) { return Counted::variable(x); }

template <class T>
std::vector<T> scalars(const std::vector<double>& numbers) {
  std::vector<T> out;
  for (const double x : numbers) out.push_back(set(T{}, x));
  return out;
}
template <class T>
std::vector<double> numbers(const std::vector<T>& from) {
  std::vector<double> out;
  for (const T& x : from) {
    out.push_back(number(x));
    EXPECT_TRUE(std::isfinite(out.back())) << "entry " << out.size() - 1;
  }
  return out;
}

template <class T, class Method>
std::vector<double> mass_by(Method method, const std::vector<double>& q) {
  std::vector<T> H(q.size() * q.size());
  method.set_configuration(scalars<T>(q).data());
  method.mass(H.data());
  return numbers(H);
}

/// Operations of mass() alone: the entries of the rotation matrices are formed before.
template <class Method>
OperationCounts mass_counts(Method method, const std::vector<double>& q) {
  std::vector<Counted> H(q.size() * q.size());
  method.set_configuration(scalars<Counted>(q).data());
  operation_counts() = {};
  method.mass(H.data());
  return operation_counts();
}

/// The cond of tolerance() for an inertia matrix that is put together from distances to one far point, the first joint's origin as in Lin's method:
/// what its entries are differences of, over its largest entry.
inline double mass_condition(const Arm& arm, const std::vector<double>& q, const RealMatrix& M) {
  const Oracle oracle(arm.model, q, q, q);
  Real size = 0;
  bool slides = false;
  for (const DhRow<double>& row : arm.chain.rows) slides = slides || row.prismatic;
  for (std::size_t i = 1; i < arm.model.links().size(); ++i) {
    const Link& link = arm.model.links()[i];
    const Real reach = (oracle.link(i).p_WL - oracle.link(1).p_WL).norm() + std::sqrt(static_cast<Real>(dot(link.com, link.com)));
    const Real square = reach * reach;
    size += static_cast<Real>(link.mass) * (slides ? std::max(Real(1), square) : square) + static_cast<Real>(link.inertia.trace());
  }
  const Real most = M.cwiseAbs().maxCoeff();
  return most > 0 ? static_cast<double>(size / most) : 1;
}

struct ReferenceCase {
  std::string_view convention, types;
  std::vector<double> a, d, alpha, theta, mass, com, inertia, gravity, q, v, bias, M;
};
/// Arms in general position with numbers from an independent double-precision recursion.
inline std::vector<ReferenceCase> reference_cases() {
  std::vector<ReferenceCase> all{
#include "dynamics/vectors.inc"
  };
  std::erase_if(all, [](const ReferenceCase& c) { return c.convention != "modified"; });
  return all;
}
inline Arm arm_of(const ReferenceCase& c) {
  std::vector<DhRow<double>> rows;
  for (std::size_t i = 0; i < c.types.size(); ++i) {
    const double* m = &c.com[3 * i];
    const double* s = &c.inertia[6 * i];
    rows.push_back(
        {c.types[i] == 'P', c.a[i], c.alpha[i], 0, 0, c.d[i], c.theta[i], 0, 0, c.mass[i], {m[0], m[1], m[2]}, {s[0], s[1], s[2], s[3], s[4], s[5]}});
  }
  return make_arm(c.types, rows, {c.gravity[0], c.gravity[1], c.gravity[2]});
}

}  // namespace ulna::test::lin
