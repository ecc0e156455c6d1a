#include "formulation/kane_stanford-inl.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/spatial/spatial.hpp>

#include "formulation/rows.hpp"
#include "formulation/stanford_count.hpp"
#include "formulation/stanford_speeds.hpp"
#include "text/message.hpp"

namespace ulna::internal {
namespace {

/// One body at q = 0 in the paper's axes n1, n2, n3, from a point of the first axis.
struct Placed {
  Vec3<double> axis, origin, com;
  Sym3<double> inertia;
};

bool same(double x, double y, double size) { return std::abs(x - y) <= kKeptDigits * size; }
bool same(const Vec3<double>& x, const Vec3<double>& y, double size) { return same(x.x, y.x, size) && same(x.y, y.y, size) && same(x.z, y.z, size); }

std::string letters(const BodyTree<double>& tree) {
  std::string out;
  for (const TreeBody<double>& body : tree.bodies) out += body.prismatic ? 'P' : 'R';
  return out;
}

/// Checks one thing after the other; the first that fails is the answer.
class Fit {
 public:
  explicit Fit(const BodyTree<double>& tree) : tree_(tree) {}

  StanfordFit run() {
    if (!joints() || !axes() || !lengths() || !principal_axes() || !gravity()) return {cat("not the Stanford arm of Kane & Levinson: ", why_), {}};
    return {{}, arm_};
  }

 private:
  bool no(const std::string& why) {
    why_ = why;
    return false;
  }

  bool joints() {
    const std::string is = letters(tree_);
    if (is != "RRPRRR") return no(cat("it has the joints RRPRRR, this model ", is.empty() ? "none" : is));
    for (std::size_t i = 0; i < 6; ++i)
      if (tree_.bodies[i].parent != i - 1) return no("its joints form one chain");
    return true;
  }

  /// n2 is the first joint's axis, n1 the second's.
  bool axes() {
    std::array<Pose<double>, 6> X_WB;
    for (std::size_t i = 0; i < 6; ++i) {
      const Pose<double> X_PB{tree_.bodies[i].R_PB, tree_.bodies[i].p_PB};
      X_WB[i] = i == 0 ? X_PB : X_WB[i - 1] * X_PB;
    }
    const Vec3<double> n2 = X_WB[0].R.column_z(), n1 = X_WB[1].R.column_z(), n3 = cross(n1, n2);
    if (!same(dot(n1, n2), 0, 1)) return no("its first two joint axes are at right angles");
    R_NW_ = {n1.x, n1.y, n1.z, n2.x, n2.y, n2.z, n3.x, n3.y, n3.z};
    for (std::size_t i = 0; i < 6; ++i) {
      const TreeBody<double>& body = tree_.bodies[i];
      const Pose<double>& X = X_WB[i];
      placed_[i] = {R_NW_ * X.R.column_z(), R_NW_ * (X.p - X_WB[0].p), R_NW_ * (X.p + X.R * body.com - X_WB[0].p), congruence(R_NW_ * X.R, body.inertia)};
      size_ = std::max({size_, std::abs(placed_[i].origin.x), std::abs(placed_[i].origin.y), std::abs(placed_[i].origin.z)});
    }
    constexpr Vec3<double> along1{1, 0, 0}, along2{0, 1, 0};
    for (std::size_t i = 0; i < 6; ++i)
      if (!same(placed_[i].axis, i == 1 || i == 4 ? along1 : along2, 1))
        return no(cat("at q = 0 the axis of joint ", i + 1, i == 1 || i == 4 ? " is that of joint 2" : " is that of joint 1", " in direction"));
    return true;
  }

  /// Where the axes lie gives L1, L2 and L4, where the mass centres lie gives L3, L5 and L6 (of a body without mass: any, it does not matter).
  bool lengths() {
    const Placed &A = placed_[0], &B = placed_[1], &D = placed_[3], &E = placed_[4], &F = placed_[5];
    arm_.L1 = D.origin.x;
    arm_.L4 = B.origin.y - A.com.y;
    arm_.L2 = E.origin.y - B.origin.y;
    arm_.L5 = D.com.y - B.origin.y;
    arm_.L6 = E.com.y - E.origin.y;
    arm_.L3 = F.com.y - E.origin.y;
    if (!same(B.origin.z, 0, size_)) return no("the axis of joint 2 meets that of joint 1");
    if (!same(D.origin.z, 0, size_)) return no("the axis of joint 4 meets that of joint 2");
    if (!same(E.origin.z, 0, size_)) return no("the axis of joint 5 meets that of joint 4");
    if (!same(F.origin.x, arm_.L1, size_) || !same(F.origin.z, 0, size_)) return no("the axis of joint 6 is that of joint 4 at q = 0");
    const std::array<Vec3<double>, 6> coms{Vec3<double>{0, A.com.y, 0}, {arm_.L1, B.origin.y, 0}, {arm_.L1, B.origin.y, 0},
                                           {arm_.L1, D.com.y, 0},       {arm_.L1, E.com.y, 0},    Vec3<double>{arm_.L1, F.com.y, 0}};
    constexpr std::array<const char*, 6> where{"on its joint's axis", "where the axes of joints 2 and 4 meet", "at q = 0 where the axes of joints 2 and 4 meet",
                                               "on its joint's axis", "at q = 0 on the axis of joint 4",       "on its joint's axis"};
    for (std::size_t i = 0; i < 6; ++i)
      if (tree_.bodies[i].mass != 0 && !same(placed_[i].com, coms[i], size_))
        return no(cat("the mass centre of body ", "ABCDEF"[i], " (joint ", i + 1, ") lies ", where[i]));
    return true;
  }

  bool principal_axes() {
    std::array<Vec3<double>, 6> I;
    for (std::size_t i = 0; i < 6; ++i) {
      const Sym3<double>& J = placed_[i].inertia;
      const double size = std::max({std::abs(J.xx), std::abs(J.yy), std::abs(J.zz)});
      if (!same(J.xy, 0, size) || !same(J.xz, 0, size) || !same(J.yz, 0, size))
        return no(cat("the principal axes of body ", "ABCDEF"[i], " (joint ", i + 1, ") are parallel to joint axes 1 and 2 at q = 0"));
      I[i] = {J.xx, J.yy, J.zz};
    }
    const auto& b = tree_.bodies;
    StanfordArm<double>& a = arm_;
    a.mA = b[0].mass, a.mB = b[1].mass, a.mC = b[2].mass, a.mD = b[3].mass, a.mE = b[4].mass, a.mF = b[5].mass;
    a.A1 = I[0].x, a.A2 = I[0].y, a.A3 = I[0].z, a.B1 = I[1].x, a.B2 = I[1].y, a.B3 = I[1].z;
    a.C1 = I[2].x, a.C2 = I[2].y, a.C3 = I[2].z, a.D1 = I[3].x, a.D2 = I[3].y, a.D3 = I[3].z;
    a.E1 = I[4].x, a.E2 = I[4].y, a.E3 = I[4].z, a.F1 = I[5].x, a.F2 = I[5].y, a.F3 = I[5].z;
    for (std::size_t r = 1; r <= 6; ++r) a.rotor[r] = b[kStanfordChain[r]].rotor;
    return true;
  }

  bool gravity() {
    const Vec3<double> g = R_NW_ * tree_.gravity;
    arm_.g = -g.y;
    const double size = std::max({std::abs(g.x), std::abs(g.y), std::abs(g.z)});
    return (same(g.x, 0, size) && same(g.z, 0, size)) || no("gravity acts along the axis of joint 1");
  }

  const BodyTree<double>& tree_;
  std::string why_;
  Mat3<double> R_NW_;
  std::array<Placed, 6> placed_;
  double size_ = 0;  // largest length
  StanfordArm<double> arm_;
};

template <class P, class T>
class KaneStanford {
 public:
  explicit KaneStanford(const StanfordArm<P>& arm) : arm_(arm) {}

  std::string why_not_here(const T* q) {
    stanford_place(stanford_from_chain(q), k_);
    return stanford_why_not_here(k_);
  }

  void torque(const T* q, const T* v, const T* a, T* tau) {
    const std::array<T, 7> qd = stanford_from_chain(v);
    prepare(q, qd);
    u_dot_ = stanford_speed_rates(k_, qd, stanford_from_chain(a));
    stanford_forces_to_chain(stanford_forces(k_, u_dot_), tau);
  }

  void acceleration(const T* q, const T* v, const T* tau, T* a) {
    prepare(q, stanford_from_chain(v));
    u_dot_ = stanford_accelerations(arm_, k_, stanford_forces_from_chain(tau));
    stanford_to_chain(stanford_joint_accelerations(k_, u_dot_), a);
  }

  /// With the paper's numbers; those of a matrix are its row and its column. One that is another with or without its sign has the name of the first.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol u{"u", "generalized speeds", "", "2, 3"}, u_dot{"u", "their rates", "", "118 to 123", 1},
        C{"C", "direction cosines c(i) . e(j)", "", "36 to 39"}, Z{"Z", "the paper's intermediate quantities", "", "appendix 1"},
        X{"X", "coefficients of the rates in Kane's equations", "", "appendix 2"},
        W{"W", "the check by the angular momentum about the vertical, which is W31", "", "appendix 4", 0, "", true};
    const PaperQuantities<T> show(shown);
    const auto entries = [&](const PaperSymbol& symbol, const auto& matrix) {
      for (std::size_t i = 1; i < matrix.size(); ++i)
        for (std::size_t j = 1; j < matrix.size(); ++j) show(symbol, {i, j}, matrix[i][j]);
    };
    for (std::size_t i = 1; i <= 6; ++i) show(u, {i}, k_.u[i]);
    entries(C, k_.C);
    for (std::size_t i = 1; i < k_.Z.size(); ++i) show(Z, {i}, k_.Z[i]);
    entries(X, k_.X);
    for (std::size_t i = 1; i <= 6; ++i) show(u_dot, {i}, u_dot_[i]);
    const std::array<T, 32> momentum = stanford_W(arm_, k_);
    for (std::size_t i = 1; i < momentum.size(); ++i) show(W, {i}, momentum[i]);
  }

 private:
  void prepare(const T* q, const std::array<T, 7>& qd) {
    stanford_place(stanford_from_chain(q), k_);
    refuse_singular_speeds(k_);
    stanford_speeds_from_rates(k_, qd);
    stanford_Z(arm_, k_);
    stanford_X(arm_, k_);
  }

  StanfordArm<P> arm_;
  StanfordQuantities<T> k_;
  std::array<T, 7> u_dot_{};
};

AsWritten count_kane_stanford(Quantity quantity, const Prepared& robot) {
  const StanfordArm<double> arm = fit_stanford(robot.forms().tree).arm;
  return quantity == Quantity::inverse ? count_stanford_torque(arm) : count_stanford_acceleration(arm);
}

}  // namespace

StanfordFit fit_stanford(const BodyTree<double>& tree) { return Fit(tree).run(); }
std::string takes_stanford(const Prepared& prepared) { return fit_stanford(prepared.forms().tree).why_not; }

template void stanford_Z(const StanfordArm<double>&, StanfordQuantities<double>&);
template void stanford_Z(const StanfordArm<float>&, StanfordQuantities<float>&);
template void stanford_Z(const StanfordArm<double>&, StanfordQuantities<Counted>&);
template void stanford_Z(const StanfordArm<Expr>&, StanfordQuantities<Expr>&);
template void stanford_Z(const StanfordArm<Exact>&, StanfordQuantities<Exact>&);
template void stanford_X(const StanfordArm<Exact>&, StanfordQuantities<Exact>&);
template void stanford_X(const StanfordArm<double>&, StanfordQuantities<double>&);
template void stanford_X(const StanfordArm<float>&, StanfordQuantities<float>&);
template void stanford_X(const StanfordArm<double>&, StanfordQuantities<Counted>&);
template void stanford_X(const StanfordArm<Expr>&, StanfordQuantities<Expr>&);
template std::array<double, 32> stanford_W(const StanfordArm<double>&, const StanfordQuantities<double>&);
template std::array<Expr, 32> stanford_W(const StanfordArm<Expr>&, const StanfordQuantities<Expr>&);

Formulation kane_stanford_row() {
  Formulation row = paper_row<KaneStanford, StanfordArm>("kane-stanford");
  row.title = "Kane's equations of the Stanford arm, written out: Z1 … Z196, X, W";
  row.citation =
      "T. R. Kane, D. A. Levinson, \"The use of Kane's dynamical equations in robotics\", International Journal of Robotics Research 2(3), 1983, pp. 3-21";
  row.quantities = {Quantity::inverse, Quantity::forward};
  row.joints = "RRPRRR as in the Stanford arm";
  row.growth = {.joints = 0};
  const OperationCounts cost = count_stanford_torque(general_stanford_arm()).total;
  row.counts = {.mul = cost.mul + cost.div, .add = cost.add};
  row.valid_at = ValidAt::regular_states;
  row.written_out = true;
  row.numbering.resize(6);
  for (std::size_t r = 1; r <= 6; ++r) row.numbering[kStanfordChain[r]] = r;
  row.amplification = [](const double* q) { return 1 / (std::sin(q[1]) * std::sin(q[1])); };  // Z1 divides by sin q2, its derivatives by the square
  row.count = &count_kane_stanford;
  row.make_speeds = &make_stanford_speeds;
  row.constant = {.symbol = "W31", .joint = 0};
  row.why_no_loads = "its Z and X are written out for the arm alone, on a base at rest";
  return row;
}

}  // namespace ulna::internal
