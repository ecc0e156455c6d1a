#include "verify/exact_robot.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

namespace {

constexpr double kDecimals = 1e12;

double to_decimals(double x) { return std::round(x * kDecimals) / kDecimals; }

/// By rows.
using Nine = std::array<Exact, 9>;
Mat3<Exact> matrix(const Nine& e) { return {e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]}; }
Exact signed_as(double sign, Residue size) { return Exact(sign < 0 ? -size : size); }

/// Row i and column j are ±1 where they cross: a rotation about one axis, before or after quarter turns.
Mat3<Exact> about_one_axis(const std::array<double, 9>& R, std::size_t i, std::size_t j) {
  const std::size_t r1 = i == 0 ? 1 : 0, r2 = 3 - i - r1, k1 = j == 0 ? 1 : 0, k2 = 3 - j - k1;
  const CirclePoint at = circle_point(std::atan2(std::fabs(R[3 * r2 + k1]), std::fabs(R[3 * r1 + k1])));
  Nine e;
  e[3 * i + j] = Exact(R[3 * i + j]);
  e[3 * r1 + k1] = signed_as(R[3 * r1 + k1], at.c), e[3 * r2 + k2] = signed_as(R[3 * r2 + k2], at.c);
  e[3 * r1 + k2] = signed_as(R[3 * r1 + k2], at.s), e[3 * r2 + k1] = signed_as(R[3 * r2 + k1], at.s);
  return matrix(e);
}

/// One zero, in row i and column j: u is what else is in the row, w what is in the column, and the rest is their product, turned by quarter turns.
Mat3<Exact> with_one_zero(const std::array<double, 9>& R, std::size_t i, std::size_t j) {
  const std::size_t r1 = i == 0 ? 1 : 0, r2 = 3 - i - r1, k1 = j == 0 ? 1 : 0, k2 = 3 - j - k1;
  const auto pair = [](double x, double y) {
    const CirclePoint at = circle_point(std::atan2(std::fabs(y), std::fabs(x)));
    return std::pair(signed_as(x, at.c), signed_as(y, at.s));
  };
  const auto [a, b] = pair(R[3 * i + k1], R[3 * i + k2]);
  const auto [d, f] = pair(R[3 * r1 + j], R[3 * r2 + j]);
  const double m = R[3 * r2 + j] * R[3 * i + k2];
  const Exact sign(m * R[3 * r1 + k1] < 0 ? -1.0 : 1.0);
  Nine e;
  e[3 * i + j] = Exact(0);
  e[3 * i + k1] = a, e[3 * i + k2] = b, e[3 * r1 + j] = d, e[3 * r2 + j] = f;
  e[3 * r1 + k1] = sign * f * b, e[3 * r1 + k2] = -(sign * f * a);
  e[3 * r2 + k1] = -(sign * d * b), e[3 * r2 + k2] = sign * d * a;
  return matrix(e);
}

/// Of a quaternion that need not be of length 1.
Mat3<Exact> of_quaternion(const Quaternion& given) {
  const auto number = [](double x) { return Exact(to_decimals(x)); };
  const Exact x = number(given.x), y = number(given.y), z = number(given.z), w = number(given.w), two(2.0);
  const Exact xx = x * x, yy = y * y, zz = z * z, ww = w * w, scale = Exact(1.0) / (xx + yy + zz + ww);
  return {scale * (ww + xx - yy - zz),   scale * two * (x * y - z * w), scale * two * (x * z + y * w),
          scale * two * (x * y + z * w), scale * (ww - xx + yy - zz),   scale * two * (y * z - x * w),
          scale * two * (x * z - y * w), scale * two * (y * z + x * w), scale * (ww - xx - yy + zz)};
}

Vec3<Exact> vector(const Vec3<double>& v) { return v.cast<Exact>(); }
Sym3<Exact> rotated(const Mat3<Exact>& R, const Sym3<Exact>& S) { return congruence(R, S); }
Pose<Exact> exact_pose(const Pose<double>& X) { return {exact_rotation(X.R), vector(X.p)}; }

Mat3<Exact> about_x(const Exact& c, const Exact& s) { return {Exact(1), Exact(0), Exact(0), Exact(0), c, -s, Exact(0), s, c}; }
Mat3<Exact> about_z(const Exact& c, const Exact& s) { return {c, -s, Exact(0), s, c, Exact(0), Exact(0), Exact(0), Exact(1)}; }

template <class Chain, class Result>
Result exact_rows(const Chain& chain) {
  Result to;
  for (const DhRow<double>& r : chain.rows) {
    const CirclePoint alpha = circle_point(std::atan2(r.sin_alpha, r.cos_alpha)), theta = circle_point(std::atan2(r.sin_theta, r.cos_theta));
    DhRow<Exact> row{r.prismatic,
                     Exact(r.a),
                     Exact::constant(residue_of(r.alpha), alpha),
                     Exact(alpha.c),
                     Exact(alpha.s),
                     Exact(r.d),
                     Exact::constant(residue_of(r.theta), theta),
                     Exact(theta.c),
                     Exact(theta.s),
                     Exact(r.mass),
                     vector(r.com),
                     r.inertia.cast<Exact>()};
    to.rows.push_back(row);
  }
  to.X_W0 = {};
  to.X_W0.R = Mat3<Exact>::identity();
  to.X_W0.p = {Exact(0), Exact(0), Exact(0)};
  to.gravity_0 = vector(chain.gravity_0);
  to.X_BF = chain.X_BF;
  return to;
}

/// From a pose in the parent and one of the mass centre's frame in the body.
TreeBody<Exact> tree_body(std::size_t i, const DhRow<Exact>& row, const Pose<Exact>& X_PB, const Pose<Exact>& X_BF) {
  return {i - 1, row.prismatic, X_PB.R, X_PB.p, row.mass, X_BF.p + X_BF.R * row.com, rotated(X_BF.R, row.inertia), Exact(0)};
}

Pose<Exact> still() { return {Mat3<Exact>::identity(), {Exact(0), Exact(0), Exact(0)}}; }

/// To four digits, so that a leader has few parts that its followers turn by whole numbers of.
double exact_multiplier(double multiplier) {
  if (multiplier == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::fabs(multiplier))));
  return std::round(multiplier * scale) / scale;
}

/// Parts of a coordinate that followers turn by whole numbers of.
std::int64_t parts_of(const Plan& plan, std::size_t q) {
  std::int64_t parts = 1;
  for (const PlanBody<double>& body : plan.bodies) {
    if (body.q != q || body.prismatic) continue;
    const double multiplier = exact_multiplier(body.multiplier);
    std::int64_t denominator = 1;
    const auto times = [&] { return multiplier * static_cast<double>(denominator); };
    while (denominator < 1'000'000'000 && std::fabs(times() - std::round(times())) > 1e-6) denominator *= 10;
    denominator /= std::gcd(denominator, std::llround(times()));
    parts = std::lcm(parts, denominator);
  }
  return parts;
}

}  // namespace

CirclePoint circle_point(double angle) {
  constexpr double kQuarter = std::numbers::pi / 2, kNear = 1e-12;
  const double quarters = std::round(angle / kQuarter), rest = angle - quarters * kQuarter;
  CirclePoint at{Residue(0), Residue(1)};
  constexpr Residue kHalfRoot(std::int64_t{1} << 30);  // its square is 2^60, half of 2^61, which is 1
  if (std::fabs(std::fabs(rest) - kQuarter / 2) <= kNear)
    at = {kHalfRoot, kHalfRoot};
  else if (std::fabs(rest) > kNear)
    at = CirclePoint::of_half_tangent(residue_of(to_decimals(std::tan(std::fabs(rest) / 2))));
  if (rest < 0) at = at.opposite();
  return CirclePoint{Residue(1), Residue(0)}.times(static_cast<std::int64_t>(std::fmod(quarters, 4))) * at;
}

Exact exact_angle(double angle) { return Exact::constant(residue_of(angle), circle_point(angle)); }

Mat3<Exact> exact_rotation(const Mat3<double>& R) {
  const std::array<double, 9> e{R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
  std::size_t zeros = 0, zero = 0, one = 9;
  for (std::size_t k = 0; k < 9; ++k) {
    const auto beside = [&](std::size_t by) { return e[k - k % 3 + (k + by) % 3] == 0 && e[(k + 3 * by) % 9] == 0; };
    if (e[k] == 0) ++zeros, zero = k;
    if (beside(1) && beside(2)) one = k;  // the cosine of a small angle is rounded to one, too
  }
  if (zeros == 6) return R.cast<Exact>();
  if (zeros == 4 && one != 9) return about_one_axis(e, one / 3, one % 3);
  if (zeros == 1) return with_one_zero(e, zero / 3, zero % 3);
  return of_quaternion(quaternion(R));
}

BodyTree<Exact> exact_tree(const BodyTree<double>& tree) {
  BodyTree<Exact> to = tree.cast<Exact>();
  for (std::size_t i = 0; i < tree.size(); ++i) to.bodies[i].R_PB = exact_rotation(tree.bodies[i].R_PB);
  if (!tree.loops) return to;
  for (std::size_t k = 0; k < tree.loops->loops.size(); ++k)
    to.loops->loops[k].X_A = exact_pose(tree.loops->loops[k].X_A), to.loops->loops[k].X_B = exact_pose(tree.loops->loops[k].X_B);
  return to;
}
DhChain<Exact> exact_chain(const DhChain<double>& chain) { return exact_rows<DhChain<double>, DhChain<Exact>>(chain); }
MdhChain<Exact> exact_chain(const MdhChain<double>& chain) { return exact_rows<MdhChain<double>, MdhChain<Exact>>(chain); }

BodyTree<Exact> tree_of(const BodyTree<Exact>& tree) { return tree; }

BodyTree<Exact> tree_of(const DhChain<Exact>& chain) {
  BodyTree<Exact> tree;
  tree.gravity = chain.gravity_0;
  Pose<Exact> X_PB = still();
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const DhRow<Exact>& r = chain.rows[i];
    const Mat3<Exact> Rz = about_z(r.cos_theta, r.sin_theta);
    const Pose<Exact> X_BF{Rz * about_x(r.cos_alpha, r.sin_alpha), Rz * Vec3<Exact>{r.a, Exact(0), r.d}};
    tree.bodies.push_back(tree_body(i, r, X_PB, X_BF));
    X_PB = X_BF;
  }
  return tree;
}

BodyTree<Exact> tree_of(const MdhChain<Exact>& chain) {
  BodyTree<Exact> tree;
  tree.gravity = chain.gravity_0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const DhRow<Exact>& r = chain.rows[i];
    const Mat3<Exact> Rx = about_x(r.cos_alpha, r.sin_alpha);
    tree.bodies.push_back(
        tree_body(i, r, {Rx * about_z(r.cos_theta, r.sin_theta), Vec3<Exact>{r.a, Exact(0), Exact(0)} + Rx * Vec3<Exact>{Exact(0), Exact(0), r.d}}, still()));
  }
  return tree;
}

BodyTree<Exact> tree_of(const StanfordArm<Exact>& a) {
  BodyTree<Exact> tree;
  const Exact zero(0), one(1);
  // At q = 0 along n1, n2, n3, from where the second axis meets the first: the paper's figure 2. z of a body is its joint's axis.
  const Mat3<Exact> z_along_n2{zero, one, zero, zero, zero, one, one, zero, zero}, z_along_n1{zero, zero, one, one, zero, zero, zero, one, zero};
  struct Placed {
    Vec3<Exact> origin, com;
    Exact mass;
    Vec3<Exact> inertia;
    std::size_t number;  // of the paper's coordinate
  };
  const auto at = [&](const Exact& n1, const Exact& n2) { return Vec3<Exact>{n1, n2, zero}; };
  const Placed placed[] = {
      {at(zero, zero), at(zero, -a.L4), a.mA, {a.A1, a.A2, a.A3}, 1},       {at(zero, zero), at(a.L1, zero), a.mB, {a.B1, a.B2, a.B3}, 2},
      {at(a.L1, zero), at(a.L1, zero), a.mC, {a.C1, a.C2, a.C3}, 6},        {at(a.L1, zero), at(a.L1, a.L5), a.mD, {a.D1, a.D2, a.D3}, 3},
      {at(a.L1, a.L2), at(a.L1, a.L2 + a.L6), a.mE, {a.E1, a.E2, a.E3}, 4}, {at(a.L1, a.L2), at(a.L1, a.L2 + a.L3), a.mF, {a.F1, a.F2, a.F3}, 5}};
  Pose<Exact> X_NP = still();
  for (std::size_t i = 0; i < 6; ++i) {
    const Placed& p = placed[i];
    const Pose<Exact> X_NB{i == 1 || i == 4 ? z_along_n1 : z_along_n2, p.origin};
    const Pose<Exact> X_PB = X_NP.inverse() * X_NB;
    tree.bodies.push_back({i - 1, i == 2, X_PB.R, X_PB.p, p.mass, tmul(X_NB.R, p.com - p.origin),
                           rotated(X_NB.R.transposed(), Sym3<Exact>{p.inertia.x, p.inertia.y, p.inertia.z, zero, zero, zero}), a.rotor[p.number]});
    X_NP = X_NB;
  }
  tree.gravity = {zero, -a.g, zero};
  return tree;
}

PlanOf<Exact> exact_plan(const Plan& like) {
  PlanOf<Exact> plan = like.cast<Exact>();
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    PlanBody<Exact>& body = plan.bodies[i];
    body.multiplier = Exact(exact_multiplier(like.bodies[i].multiplier));
    body.R_PB = exact_rotation(like.bodies[i].R_PB);
    if (!body.prismatic) body.offset = exact_angle(like.bodies[i].offset);
  }
  for (std::size_t k = 0; k < plan.links.size(); ++k) plan.links[k].X_BL = exact_pose(like.links[k].X_BL);
  for (std::size_t k = 0; k < plan.loops.size(); ++k) plan.loops[k].X_A = exact_pose(like.loops[k].X_A), plan.loops[k].X_B = exact_pose(like.loops[k].X_B);
  return plan;
}

PlanOf<Exact> exact_plan(const Plan& like, const BodyTree<Exact>& tree) {
  PlanOf<Exact> plan = exact_plan(like);
  const Exact half(0.5);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const TreeBody<Exact>& from = tree.bodies[i];
    PlanBody<Exact>& to = plan.bodies[i];
    to.R_PB = from.R_PB, to.p_PB = from.p_PB, to.rotor = from.rotor;
    const Sym3<Exact>& I = from.inertia;
    const Vec3<Exact>& c = from.com;
    const Exact trace = half * I.trace(), &m = from.mass;
    to.inertia = {m, m * c,
                  Sym3<Exact>{trace - I.xx, trace - I.yy, trace - I.zz, -I.xy, -I.xz, -I.yz} +
                      m * Sym3<Exact>{c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z}};
    to.lumped = to.inertia;
    to.still = false;
  }
  plan.gravity = tree.gravity;
  for (std::size_t k = 0; tree.loops && k < plan.loops.size(); ++k) plan.loops[k].X_A = tree.loops->loops[k].X_A, plan.loops[k].X_B = tree.loops->loops[k].X_B;
  return plan;
}

PlanOf<Exact> exact_plan(const Plan& like, const Model& model, double snap) {
  if (model.has_balls()) return exact_plan(like);
  return exact_plan(like, exact_tree(make_body_tree(model.base() == RootJoint::planar ? with_base_as_joints(model) : model, snap)));
}

Residue RandomResidues::operator()() {  // splitmix64
  std::uint64_t x = state_ += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return Residue::of_bits(x ^ x >> 31);
}

ExactState::ExactState(const Plan& plan, RandomResidues& random) {
  q.resize(plan.nq);
  for (std::size_t k = 0; k < plan.nq; ++k) q[k] = Exact::coordinate(random(), CirclePoint::of_half_tangent(random()), parts_of(plan, k));
  for (std::size_t k = 0; plan.free && k < 3; ++k) q[k] = Exact::variable(random());
  for (const std::size_t at : plan.quaternions) {  // stereographic: (2r, 1 - r²) / (1 + r²)
    const Residue x = random(), y = random(), z = random(), size = x * x + y * y + z * z, scale = (Residue(1) + size).inverse();
    q[at] = Exact::variable((x + x) * scale), q[at + 1] = Exact::variable((y + y) * scale), q[at + 2] = Exact::variable((z + z) * scale);
    q[at + 3] = Exact::variable((Residue(1) - size) * scale);
  }
  const std::size_t n = plan.sizes().nv;
  for (std::vector<Exact>* x : {&v, &a})
    for (std::size_t k = 0; k < n; ++k) x->push_back(Exact::variable(random()));
}

}  // namespace ulna::internal
