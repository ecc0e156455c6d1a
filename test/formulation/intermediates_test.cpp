// The quantities that a formulation computes on the way, against values that are computed here: closed forms of a planar arm, Newton's and Euler's laws on
// motions that are differentiated along t, geometry of the Stanford arm, and numbers of other programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/Dense>

#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include "formulation/frames.hpp"
#include "formulation/trace.hpp"
#include "support/cases.hpp"
#include "support/jet.hpp"

namespace ulna::test {
namespace {

#include "formulation/kane_vectors.inc"

using internal::BodyTree;
using internal::TracedLine;
using internal::TreeBody;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Three = Eigen::Vector3d;

/// A formulation's quantities by name.
class Lines {
 public:
  Lines(std::string_view id, Quantity what, const Model& model, const State& s, const std::vector<double>& last) {
    for (const Intermediate& line : intermediates(*find_formulation(id), what, Prepared(model), {s.q.data(), s.v.data(), last.data()}))
      all_.emplace(line.name(), line);
  }
  Lines(std::string_view id, Quantity what, const Model& model, const State& s) : Lines(id, what, model, s, s.a) {}
  const Intermediate& line(const std::string& name) const {
    const auto at = all_.find(name);
    if (at == all_.end()) throw std::out_of_range("there is no " + name);
    return at->second;
  }
  double number(const std::string& name) const { return line(name).value.at(0); }
  Matrix operator[](const std::string& name) const {
    const Intermediate& of = line(name);
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(of.value.data(), static_cast<Eigen::Index>(of.rows),
                                                                                                    static_cast<Eigen::Index>(of.columns));
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::map<std::string, Intermediate> all_;
};

void expect_near(const Matrix& a, const Matrix& b, double size, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * std::max(size, 1.0)) << what << "\n" << a << "\n against\n" << b;
}

// --- a motion along t: numbers with their first and second derivatives in time -------------------------------------------------------------------------

using JetVector = std::array<Jet, 3>;
using JetMatrix = std::array<std::array<Jet, 3>, 3>;
JetMatrix operator*(const JetMatrix& a, const JetMatrix& b) {
  JetMatrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[i][j] = c[i][j] + a[i][k] * b[k][j];
  return c;
}
JetVector operator*(const JetMatrix& a, const JetVector& b) {
  JetVector c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) c[i] = c[i] + a[i][k] * b[k];
  return c;
}
JetVector operator+(const JetVector& a, const JetVector& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Three value(const JetVector& v) { return {v[0].x, v[1].x, v[2].x}; }
Three rate(const JetVector& v) { return {v[0].d, v[1].d, v[2].d}; }
Three acceleration(const JetVector& v) { return {v[0].dd, v[1].dd, v[2].dd}; }
Eigen::Matrix3d part(const JetMatrix& m, double Jet::*of) {
  Eigen::Matrix3d out;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = m[i][j].*of;
  return out;
}
Three axial(const Eigen::Matrix3d& W) { return {W(2, 1), W(0, 2), W(1, 0)}; }
/// Of the angular velocity: R' R^T, and its derivative R'' R^T + R' R'^T.
Three spin(const JetMatrix& R) { return axial(part(R, &Jet::d) * part(R, &Jet::x).transpose()); }
Three spin_rate(const JetMatrix& R) { return axial(part(R, &Jet::dd) * part(R, &Jet::x).transpose() + part(R, &Jet::d) * part(R, &Jet::d).transpose()); }

JetMatrix about(int axis, const Jet& angle) {
  const Jet c = cosine(angle), s = sine(angle), m{-s.x, -s.d, -s.dd}, one{1}, o{};
  if (axis == 0) return {{{one, o, o}, {o, c, m}, {o, s, c}}};
  if (axis == 1) return {{{c, o, s}, {o, one, o}, {m, o, c}}};
  return {{{c, m, o}, {s, c, o}, {o, o, one}}};
}
JetVector along(const Three& v) { return {Jet{v.x()}, Jet{v.y()}, Jet{v.z()}}; }
JetMatrix constant(const Mat3<double>& R) {
  return {{{Jet{R.xx}, Jet{R.xy}, Jet{R.xz}}, {Jet{R.yx}, Jet{R.yy}, Jet{R.yz}}, {Jet{R.zx}, Jet{R.zy}, Jet{R.zz}}}};
}
Three vector(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Eigen::Matrix3d matrix(const Sym3<double>& s) {
  Eigen::Matrix3d m;
  m << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz;
  return m;
}
Eigen::Matrix3d matrix(const Mat3<double>& s) {
  Eigen::Matrix3d m;
  m << s.xx, s.xy, s.xz, s.yx, s.yy, s.yz, s.zx, s.zy, s.zz;
  return m;
}

/// The bodies of a tree in a motion q + v t + a t²/2.
struct Moving {
  Moving(const Model& model, const State& s) : tree(Prepared(model).forms().tree), gravity(vector(tree.gravity)) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeBody<double>& b = tree.bodies[i];
      const Jet q{s.q[i], s.v[i], s.a[i]};
      const bool rooted = b.parent == kNone;
      const JetMatrix parent = rooted ? constant(Mat3<double>::identity()) : R[b.parent];
      before.push_back(parent * constant(b.R_PB));
      fixed.push_back((rooted ? JetVector{} : p[b.parent]) + parent * along(vector(b.p_PB)));
      R.push_back(b.prismatic ? before[i] : before[i] * about(2, q));
      p.push_back(b.prismatic ? fixed[i] + before[i] * JetVector{Jet{}, Jet{}, q} : fixed[i]);
      centre.push_back(p[i] + R[i] * along(vector(b.com)));
    }
  }
  bool carried(std::size_t body, std::size_t by) const {
    for (; body != kNone; body = tree.bodies[body].parent)
      if (body == by) return true;
    return false;
  }
  Eigen::Matrix3d inertia(std::size_t i) const {
    const Eigen::Matrix3d now = part(R[i], &Jet::x);
    return now * matrix(tree.bodies[i].inertia) * now.transpose();
  }
  /// Newton and Euler: what accelerates a body and all that it carries, less its weight; the moment about a point.
  std::pair<Three, Three> load(std::size_t i, const Three& point) const {
    Three f = Three::Zero(), n = Three::Zero();
    for (std::size_t k = 0; k < tree.size(); ++k) {
      if (!carried(k, i)) continue;
      const Three force = tree.bodies[k].mass * (acceleration(centre[k]) - gravity), w = spin(R[k]);
      f += force;
      n += inertia(k) * spin_rate(R[k]) + w.cross(inertia(k) * w) + (value(centre[k]) - point).cross(force);
    }
    return {f, n};
  }
  BodyTree<double> tree;
  Three gravity;
  std::vector<JetMatrix> R, before;  // axes of a body, and what they were at q = 0 of its own joint
  std::vector<JetVector> p, fixed, centre;
};

State state_of(const Model& model, std::uint64_t seed) {
  Random random(seed);
  return random_state(model, random);
}

std::string at(const char* letter, std::size_t i) { return letter + std::to_string(i + 1); }

// --- f, n: Newton and Euler ------------------------------------------------------------------------------------------------------------------------------

TEST(Intermediates, ReactionsAreRatesOfMomentum) {
  for (const char* robot : {"stanford", "planar-2r", "general-RRPR", "panda"})
    for (const std::uint64_t seed : {3u, 4u}) {
      SCOPED_TRACE(robot);
      const Model model = load(robot);
      const State s = state_of(model, seed);
      const Moving bodies(model, s);
      const Prepared prepared(model);
      const auto& chain = *prepared.forms().dh;
      std::vector<std::size_t> links;  // bodies of the chain's rows are those of the tree
      for (const char* id : {"newton-euler", "modified-newton-euler", "newton-euler-base"}) {
        SCOPED_TRACE(id);
        const Lines lines(id, Quantity::inverse, model, s);
        const bool base = std::string_view(id) == "newton-euler-base";
        for (std::size_t i = 0; i < bodies.tree.size(); ++i) {
          // Frame i stands in body i; moments are taken about the origin of frame i-1, which lies on the axis of joint i.
          const Eigen::Matrix3d F = part(bodies.R[i], &Jet::x) * matrix(chain.X_BF[i].R);
          const Eigen::Matrix3d axes = base ? matrix(chain.X_W0.R) : F;
          const auto origin = [&](std::size_t k) { return Three(value(bodies.p[k]) + part(bodies.R[k], &Jet::x) * vector(chain.X_BF[k].p)); };
          const Three before = i == 0 ? Three(vector(chain.X_W0.p)) : origin(i - 1);
          const auto [force, moment] = bodies.load(i, before);
          expect_near(lines[at("f", i)], axes.transpose() * force, force.norm(), at("f", i));
          expect_near(lines[at("n", i)], axes.transpose() * moment, moment.norm(), at("n", i));
          const Three own = bodies.tree.bodies[i].mass * (acceleration(bodies.centre[i]) - bodies.gravity);
          expect_near(lines[at("F", i)], axes.transpose() * own, own.norm(), at("F", i));
          expect_near(lines[at("omega", i)], axes.transpose() * spin(bodies.R[i]), 1, at("omega", i));
          const std::string name = base ? at("omega", i) + "'" : at("alpha", i);
          expect_near(lines[name], axes.transpose() * spin_rate(bodies.R[i]), spin_rate(bodies.R[i]).norm(), name);
          EXPECT_EQ(lines.line(at("f", i)).link, std::to_string(i + 1));
        }
      }
    }
}

// Two links in a plane, by hand: l1 = 1, masses 6 and 4 at 0.5 and 0.4 from the joints, gravity along -y; frames with x along the links.
TEST(Intermediates, PlanarArmByHand) {
  const Model model = load("planar-2r");
  State s;
  s.q = {0.7, -1.1}, s.v = {1.3, -0.4}, s.a = {0.9, 2.1};
  const Lines lines("newton-euler", Quantity::inverse, model, s);
  const double w = 0.9, al = 3.0, c2 = std::cos(-1.1), s2 = std::sin(-1.1), g = 9.81, c12 = std::cos(-0.4), s12 = std::sin(-0.4);
  expect_near(lines["omega2"], Three(0, 0, w), 1, "omega2");
  expect_near(lines["alpha2"], Three(0, 0, al), 1, "alpha2");
  // The end of link 1 has (-v1², a1) l1 along and across it, and gravity as an acceleration g upward.
  const Three a1{-1.3 * 1.3 + g * std::sin(0.7), 0.9 + g * std::cos(0.7), 0};
  expect_near(lines["a1"], a1, 10, "a1");
  const double along = c2 * (-1.3 * 1.3) + s2 * 0.9 + g * s12, across = -s2 * (-1.3 * 1.3) + c2 * 0.9 + g * c12;
  const Three f2 = 4 * Three(along - 0.4 * w * w, across + 0.4 * al, 0);
  expect_near(lines["f2"], f2, 100, "f2");
  expect_near(lines["n2"], Three(0, 0, 0.2 * al + 0.4 * f2.y()), 10, "n2");
  EXPECT_EQ(lines.line("f2").equation, "3.19");
  EXPECT_EQ(lines.line("n2").equation, "3.20, 3.21");
  EXPECT_EQ(lines.line("omega2").equation, "3.15");
}

// --- A*, B*, U: articulated bodies -----------------------------------------------------------------------------------------------------------------------

// What a body and all beyond it, whose joints yield, oppose to an acceleration of the frame before: with M of the frame's six accelerations and those of the
// joints beyond, made of kinetic energy, A* = M_bb - M_bj M_jj^-1 M_jb. B* is the load when the frame does not accelerate, and U the load that there is.
TEST(Intermediates, NassersInertiasAndLoads) {
  for (const char* robot : {"planar-2r", "stanford", "general-RRPR", "torso"}) {
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    State s = state_of(model, 5);
    const std::vector<double> tau = s.a;
    const Lines lines("nasser", Quantity::forward, model, s, tau);
    const std::size_t n = model.nv();
    for (std::size_t i = 0; i < n; ++i) s.a[i] = lines.number("q" + std::to_string(i + 1) + "''");
    const Moving moving(model, s);
    State still = s;
    for (std::size_t i = 0; i < n; ++i) {
      SCOPED_TRACE(i);
      const Eigen::Matrix3d axes = part(moving.before[i], &Jet::x);
      const Three origin = value(moving.fixed[i]);
      const auto six = [&](const std::pair<Three, Three>& load) {
        Vector x(6);
        x << axes.transpose() * load.first, axes.transpose() * load.second;
        return x;
      };
      const std::size_t z = moving.tree.bodies[i].prismatic ? 2 : 5;
      // U: Newton and Euler on the body and all that it carries; the acceleration stands at the place of the drive.
      Vector U = six(moving.load(i, origin));
      const double size = U.cwiseAbs().maxCoeff();
      U[static_cast<Eigen::Index>(z)] = s.a[i];
      expect_near(lines[at("U", i)], U, size, at("U", i));

      std::vector<std::size_t> beyond;
      still.a = s.a;
      for (std::size_t k = 0; k < n; ++k)
        if (moving.carried(k, i)) still.a[k] = 0, k == i ? void() : beyond.push_back(k);
      const Moving held(model, still);
      const auto m = static_cast<Eigen::Index>(6 + beyond.size());
      Matrix M = Matrix::Zero(m, m);
      for (std::size_t k = 0; k < n; ++k) {
        if (!moving.carried(k, i)) continue;
        Matrix J = Matrix::Zero(6, m);  // velocity of the mass centre over angular velocity
        for (Eigen::Index c = 0; c < 3; ++c) {
          J.block<3, 1>(0, c) = axes.col(c);
          J.block<3, 1>(0, 3 + c) = axes.col(c).cross(value(moving.centre[k]) - origin);
          J.block<3, 1>(3, 3 + c) = axes.col(c);
        }
        for (std::size_t j = 0; j < beyond.size(); ++j) {
          if (!moving.carried(k, beyond[j])) continue;
          const Three axis = part(moving.R[beyond[j]], &Jet::x).col(2);
          const bool slides = moving.tree.bodies[beyond[j]].prismatic;
          const auto c = static_cast<Eigen::Index>(6 + j);
          J.block<3, 1>(0, c) = slides ? axis : Three(axis.cross(value(moving.centre[k]) - value(moving.p[beyond[j]])));
          if (!slides) J.block<3, 1>(3, c) = axis;
        }
        M += moving.tree.bodies[k].mass * J.topRows(3).transpose() * J.topRows(3) + J.bottomRows(3).transpose() * moving.inertia(k) * J.bottomRows(3);
      }
      Vector free(m - 6), acceleration(6);  // of the drives beyond; of the frame before, at this origin, less gravity
      acceleration << axes.transpose() * (ulna::test::acceleration(moving.fixed[i]) - moving.gravity), axes.transpose() * spin_rate(moving.before[i]);
      expect_near(lines[at("a", i)], acceleration, acceleration.norm(), at("a", i));
      for (std::size_t j = 0; j < beyond.size(); ++j) {
        M(static_cast<Eigen::Index>(6 + j), static_cast<Eigen::Index>(6 + j)) += moving.tree.bodies[beyond[j]].rotor;
        const Three axis = part(moving.R[beyond[j]], &Jet::x).col(2);
        const auto [f, t] = held.load(beyond[j], value(moving.p[beyond[j]]));
        free[static_cast<Eigen::Index>(j)] = tau[beyond[j]] - axis.dot(moving.tree.bodies[beyond[j]].prismatic ? f : t);
      }
      const Matrix M_bj = M.topRightCorner(6, m - 6), M_jj = M.bottomRightCorner(m - 6, m - 6);
      Matrix A = M.topLeftCorner(6, 6);
      Vector B = six(held.load(i, origin)) - A * acceleration;
      if (m > 6) {
        B += M_bj * M_jj.ldlt().solve(free + M_bj.transpose() * acceleration);
        A -= M_bj * M_jj.ldlt().solve(M_bj.transpose());
      }
      B[static_cast<Eigen::Index>(z)] -= tau[i];
      expect_near(lines["A*" + std::to_string(i + 1)], A, 10 * A.cwiseAbs().maxCoeff(), "A*");
      expect_near(lines["B*" + std::to_string(i + 1)], B, 100 * std::max(B.cwiseAbs().maxCoeff(), size), "B*");
    }
  }
}

// --- Z, X, W: geometry of the Stanford arm ---------------------------------------------------------------------------------------------------------------

/// The paper's figure 2: bodies A to F in the axes n1, n2, n3, n2 upward, from the point A*; q from 1.
struct Figure2 {
  explicit Figure2(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a = std::vector<double>(6)) {
    const auto jet = [&](std::size_t r) { return Jet{q[r - 1], v[r - 1], a[r - 1]}; };
    constexpr double L1 = 0.1, L2 = 0.6, L3 = 0.2, L4 = 0.1, L5 = 0.7, L6 = 0.06;
    A = about(1, jet(1)), B = A * about(0, jet(2)), D = B * about(1, jet(3)), E = D * about(0, jet(4)), F = E * about(1, jet(5));
    const JetVector b = A * along({L1, L4, 0}), c = b + B * JetVector{Jet{}, jet(6), Jet{}};
    p = {JetVector{}, b, c, c + D * along({0, L5, 0}), c + D * along({0, L2, 0}) + E * along({0, L6, 0}), c + D * along({0, L2, 0}) + E * along({0, L3, 0})};
    R = {A, B, B, D, E, F};
  }
  JetMatrix A, B, D, E, F;
  std::vector<JetMatrix> R;
  std::vector<JetVector> p;  // mass centres
};
const double kMasses[] = {9, 6, 4, 1, 0.6, 0.5};
const Three kInertias[] = {{0.01, 0.02, 0.01}, {0.06, 0.01, 0.05}, {0.4, 0.01, 0.4}, {0.0005, 0.001, 0.001}, {0.0005, 0.0002, 0.0005}, {0.001, 0.002, 0.003}};

/// The paper's order of joints to the model's.
std::vector<double> chain_order(const std::vector<double>& x) { return {x[0], x[1], x[5], x[2], x[3], x[4]}; }
Lines stanford(Quantity what = Quantity::inverse) {
  State s;
  s.q = chain_order(kQ), s.v = chain_order(kQd), s.a = chain_order(kQdd);
  return Lines("kane-stanford", what, load("stanford"), s);
}

TEST(Intermediates, StanfordLettersAreThoseOfAnotherProgram) {
  const Lines lines = stanford();
  EXPECT_EQ(lines.size(), 6u + 9 + 196 + 36 + 6 + 31 + 6);
  for (std::size_t k = 0; k < kZ.size(); ++k) EXPECT_NEAR(lines.number("Z" + std::to_string(k + 1)), kZ[k], 1e-12) << "Z" << k + 1;
  for (std::size_t k = 0; k < kW.size(); ++k) EXPECT_NEAR(lines.number("W" + std::to_string(k + 1)), kW[k], 1e-12) << "W" << k + 1;
  for (std::size_t r = 0; r < 6; ++r) {
    EXPECT_NEAR(lines.number("u" + std::to_string(r + 1)), kU[r], 1e-12);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(lines.number("X" + std::to_string(r + 1) + std::to_string(k + 1)), kX[6 * r + k], 1e-12);
  }
  EXPECT_EQ(lines.line("Z196").equation, "appendix 1");
  EXPECT_EQ(lines.line("X12").equation, "appendix 2");
  EXPECT_EQ(lines.line("W31").equation, "appendix 4");
  EXPECT_EQ(lines.line("Z20").symbol, "Z20");
  EXPECT_EQ(lines.line("Z20").link, "");
  // tau1 to tau5 and sigma, which but the first act on the inner body.
  const std::vector<double> tau = chain_order(kForce);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(lines.number(at("tau", i)), i == 0 ? tau[i] : -tau[i], 1e-11);
}

TEST(Intermediates, StanfordLettersAreGeometry) {
  const Lines lines = stanford();
  const Figure2 arm(kQ, kQd);
  const auto in = [](const JetMatrix& axes, const Three& x) { return Three(part(axes, &Jet::x).transpose() * x); };
  const auto expect = [&](const char* letter, std::array<int, 3> numbers, const Three& x) {
    for (int k = 0; k < 3; ++k)
      if (const int number = numbers[static_cast<std::size_t>(k)]; number > 0) {
        EXPECT_NEAR(lines.number(letter + std::to_string(number)), x[k], 1e-13) << letter << number;
      }
  };
  expect("Z", {12, 13, 14}, in(arm.E, spin(arm.E)));  // (19) to (22)
  expect("Z", {19, 20, 21}, in(arm.F, spin(arm.F)));
  expect("Z", {2, 10, 11}, in(arm.B, spin(arm.B)));
  expect("u", {1, 2, 3}, in(arm.D, spin(arm.D)));
  expect("Z", {31, 32, 33}, in(arm.B, rate(arm.p[2])));  // velocities of C*, D*, E*, F*
  expect("Z", {38, 32, 39}, in(arm.B, rate(arm.p[3])));
  expect("Z", {54, 55, 57}, in(arm.E, rate(arm.p[4])));
  expect("Z", {61, 55, 62}, in(arm.E, rate(arm.p[5])));
  expect("W", {5, 9, 8}, in(arm.E, value(arm.p[4])));  // places of E*, F*, and their moments of velocity
  expect("W", {5, 10, 8}, in(arm.E, value(arm.p[5])));
  expect("W", {0, 14, 15}, in(arm.B, value(arm.p[2]).cross(rate(arm.p[2]))));
  expect("W", {0, 17, 18}, in(arm.B, value(arm.p[3]).cross(rate(arm.p[3]))));
  expect("W", {19, 20, 21}, in(arm.E, value(arm.p[4]).cross(rate(arm.p[4]))));
  expect("W", {22, 23, 24}, in(arm.E, value(arm.p[5]).cross(rate(arm.p[5]))));
  const Three up{0, 1, 0};
  expect("W", {25, 0, 26}, in(arm.D, up));
  expect("W", {25, 27, 28}, in(arm.E, up));
  expect("W", {29, 27, 30}, in(arm.F, up));
  double momentum = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const Eigen::Matrix3d R = part(arm.R[k], &Jet::x);
    momentum += up.dot(kMasses[k] * value(arm.p[k]).cross(rate(arm.p[k])) + R * kInertias[k].asDiagonal() * R.transpose() * spin(arm.R[k]));
  }
  EXPECT_NEAR(lines.number("W31"), momentum, 1e-12);

  // X: minus the inertia matrix in the speeds u, whose partial velocities are those of unit rates, put together.
  Matrix rates = Matrix::Zero(6, 6), u = Matrix::Zero(6, 6);  // of unit rates, and the speeds that these are
  std::vector<std::pair<Matrix, Matrix>> partial(6, {Matrix::Zero(3, 6), Matrix::Zero(3, 6)});
  for (std::size_t j = 0; j < 6; ++j) {
    std::vector<double> unit(6);
    unit[j] = 1;
    const Figure2 one(kQ, unit);
    const auto column = static_cast<Eigen::Index>(j);
    u.block<3, 1>(0, column) = in(one.D, spin(one.D));
    for (Eigen::Index r = 3; r < 6; ++r) u(r, column) = r == column ? 1 : 0;
    for (std::size_t k = 0; k < 6; ++k) partial[k].first.col(column) = rate(one.p[k]), partial[k].second.col(column) = spin(one.R[k]);
  }
  Matrix X = Matrix::Zero(6, 6);
  for (std::size_t k = 0; k < 6; ++k) {
    const Eigen::Matrix3d R = part(arm.R[k], &Jet::x);
    const Matrix v = partial[k].first * u.inverse(), w = partial[k].second * u.inverse();
    X -= kMasses[k] * v.transpose() * v + w.transpose() * (R * kInertias[k].asDiagonal() * R.transpose()) * w;
  }
  for (int r = 0; r < 6; ++r)
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(lines.number("X" + std::to_string(r + 1) + std::to_string(k + 1)), X(r, k), 1e-11) << r << k;
}

// Kane's partial velocities of any tree are derivatives along the coordinates.
TEST(Intermediates, PartialVelocitiesAreColumnsOfJacobians) {
  const Model model = load("torso");
  const State s = state_of(model, 8);
  const Lines lines("kane", Quantity::inverse, model, s);
  for (std::size_t r = 0; r < model.nv(); ++r) {
    State one = s;
    std::fill(one.v.begin(), one.v.end(), 0.0);
    one.v[r] = 1;
    const Moving bodies(model, one);
    for (std::size_t i = 0; i < bodies.tree.size(); ++i) {
      if (!bodies.carried(i, r)) continue;
      const std::string number = std::to_string(i + 1) + (i < 9 && r < 9 ? "" : ",") + std::to_string(r + 1);
      const Eigen::Matrix3d axes = part(bodies.R[i], &Jet::x);
      expect_near(lines["omega" + number], axes.transpose() * spin(bodies.R[i]), 1, "omega" + number);
      expect_near(lines["v" + number], axes.transpose() * rate(bodies.centre[i]), 1, "v" + number);
    }
  }
}

// --- all formulations -------------------------------------------------------------------------------------------------------------------------------------

TEST(Intermediates, EveryFormulationNamesItsQuantities) {
  std::set<std::string> seen;
  for (const Formulation& row : formulations())
    for (const char* robot : {"stanford", "planar-2r", "general-RRPR"})
      for (const Quantity what : row.quantities) {
        const Model model = load(robot);
        Prepared prepared(model);
        prepared.accept_interpolation = row.valid_at == ValidAt::table_nodes;
        if (!why_not(row, what, prepared).empty() || !row_of(what).parts.empty()) continue;
        SCOPED_TRACE(std::string(row.id) + " " + std::string(row_of(what).id) + " of " + robot);
        State s = state_of(model, 6);
        const std::vector<Intermediate> lines = intermediates(row, what, prepared, {s.q.data(), s.v.data(), s.a.data()});
        std::set<std::string> names;
        std::size_t own = 0;
        for (const Intermediate& line : lines) {
          EXPECT_TRUE(names.insert(line.name()).second) << line.name() << " is there twice";
          EXPECT_EQ(line.value.size(), line.rows * line.columns);
          EXPECT_FALSE(line.meaning.empty() && row.id != "lin") << line.name();
          EXPECT_EQ(line.equation.empty(), line.meaning == "result") << line.name();
          own += line.meaning != "result";
          for (const double x : line.value) EXPECT_TRUE(std::isfinite(x) || row.id == "renaud" || row.id == "fijany-bejczy" || row.production) << line.name();
        }
        EXPECT_GE(own, model.nv() == 2 || row.valid_at == ValidAt::table_nodes ? 1u : model.nv()) << own;
        seen.insert(std::string(row.id));
      }
  EXPECT_EQ(seen.size(), formulations().size());
}

TEST(Intermediates, InputsOfALine) {
  const Prepared arm(load("general-RRRR"));  // links whose next is not the last one, where sums have one term
  const auto of = [](const char* id, Quantity what, const Prepared& robot, const std::string& name) {
    for (const TracedLine& line : internal::trace_lines(*find_formulation(id), what, robot))
      if (line.name == name) return std::set<std::string>(line.inputs.begin(), line.inputs.end());
    throw std::out_of_range(name);
  };
  using Names = std::set<std::string>;
  const auto newton = [&](const char* name) { return of("newton-euler", Quantity::inverse, arm, name); };
  EXPECT_EQ(newton("omega2"), (Names{"omega1", "R2", "q2'"}));                    // (3.15)
  EXPECT_EQ(newton("alpha2"), (Names{"omega1", "alpha1", "R2", "q2'", "q2''"}));  // (3.16)
  EXPECT_EQ(newton("a2"), (Names{"a1", "omega2", "alpha2", "R2"}));               // (3.17)
  EXPECT_EQ(newton("f2"), (Names{"F2", "R3", "f3"}));                             // (3.19)
  EXPECT_EQ(newton("n2"), (Names{"omega2", "alpha2", "F2", "R3", "f3", "n3"}));   // (3.20)
  const auto hollerbach = [&](const char* name) { return of("hollerbach-3x3", Quantity::inverse, arm, name); };
  EXPECT_EQ(hollerbach("W3'"), (Names{"W2", "W2'", "A3", "q3'"}));                           // (9); the entries of dA are those of A
  EXPECT_EQ(hollerbach("p3''"), (Names{"p2''", "W3''"}));                                    // (16)
  EXPECT_EQ(hollerbach("D2"), (Names{"A3", "D3", "e3", "p2''", "W2''"}));                    // (18)
  EXPECT_EQ(of("nasser", Quantity::forward, arm, "U2"), (Names{"A*2", "B*2", "G2", "a2"}));  // (2.1.19)
  const Prepared stanford(load("stanford"));
  const auto kane = [&](const char* name) { return of("kane-stanford", Quantity::inverse, stanford, name); };
  EXPECT_EQ(kane("Z12"), (Names{"u1", "u4"}));
  EXPECT_EQ(kane("Z13"), (Names{"C22", "C23", "u2", "u3"}));
}

TEST(Intermediates, OfLoopsFreeBasesAndWrenches) {
  // A wrench on the hand is what the links before it transmit.
  const Model model = load("panda");
  const State s = state_of(model, 2);
  const Formulation& row = *find_formulation("newton-euler-base");
  const Prepared prepared(model);
  const Wrench push{model.links().size() - 1, Axes::world, {3, -2, 5}, {}};
  Effects effects;
  effects.wrenches = {&push, 1};
  const InputsOf<double> in{s.q.data(), s.v.data(), s.a.data()};
  std::map<std::string, std::vector<double>> with, without;
  for (const Intermediate& line : intermediates(row, Quantity::inverse, prepared, in, effects)) with[line.name()] = line.value;
  for (const Intermediate& line : intermediates(row, Quantity::inverse, prepared, in)) without[line.name()] = line.value;
  for (std::size_t i = 0; i < 7; ++i) {
    const Vec3<double> force = tmul(prepared.forms().dh->X_W0.R, Vec3<double>{3, -2, 5});
    EXPECT_NEAR(with[at("f", i)][0] - without[at("f", i)][0], -force.x, 1e-11);
    EXPECT_NEAR(with[at("f", i)][2] - without[at("f", i)][2], -force.z, 1e-11);
    EXPECT_EQ(with[at("omega", i)], without[at("omega", i)]);
  }
  const Model loop = load("four-bar");
  const State closed{loop.reference(), std::vector<double>(loop.nv(), 0.3), std::vector<double>(loop.nv(), -0.2)};
  EXPECT_THROW(intermediates(row, Quantity::inverse, Prepared(loop), in), std::invalid_argument);
  EXPECT_FALSE(intermediates(formulation_of_loops(), Quantity::inverse, Prepared(loop), {closed.q.data(), closed.v.data(), closed.a.data()}).empty());
  const Model free = with_base(load("panda"), RootJoint::free);
  const State floating = state_of(free, 1);
  for (const char* id : {"nasser", "ulna"})
    EXPECT_GT(intermediates(*find_formulation(id), Quantity::forward, Prepared(free), {floating.q.data(), floating.v.data(), floating.a.data()}).size(), 13u)
        << id;
  // Where the speeds of the arm are singular there is no right answer.
  const std::vector<double> zero(6);
  EXPECT_THROW(intermediates(*find_formulation("kane-stanford"), Quantity::inverse, Prepared(load("stanford")), {zero.data(), zero.data(), zero.data()}),
               std::domain_error);
}

}  // namespace
}  // namespace ulna::test
