// Formulations on symbolic parameters, (Expr, Expr): the program takes the robot's numbers as parameters, and then gives what the formulation gives on doubles.
#include <array>
#include <map>

#include <ulna/source/load.hpp>

#include "formulation/evaluator.hpp"
#include "formulation/kane.hpp"
#include "formulation/kane_stanford-inl.hpp"
#include "formulation/lin.hpp"
#include "formulation/modified_newton_euler.hpp"
#include "formulation/nasser.hpp"
#include "formulation/newton_euler.hpp"
#include "formulation/renaud.hpp"
#include "formulation/trace.hpp"
#include "formulation/walker_orin.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

/// Takes numbers, gives symbols. 0 and ±1 are the structure of the robot and stay, and so do equal numbers: they are one symbol with two signs (a sine stands
/// twice in a rotation).
class Symbols {
 public:
  explicit Symbols(Graph& graph) : graph_(graph) {}
  const std::vector<double>& values() const { return values_; }

  Expr operator()(double x) {
    if (x == 0 || x == 1 || x == -1) return Expr(x);
    const auto [known, is_new] = known_.try_emplace(std::abs(x));
    if (is_new) known->second = of_its_own(std::abs(x));
    return x < 0 ? -known->second : known->second;
  }
  Expr of_its_own(double x) {
    values_.push_back(x);
    return graph_.parameters("p" + std::to_string(values_.size()), 1).front();
  }
  Vec3<Expr> operator()(const Vec3<double>& v) { return {(*this)(v.x), (*this)(v.y), (*this)(v.z)}; }
  Sym3<Expr> operator()(const Sym3<double>& s) { return {(*this)(s.xx), (*this)(s.yy), (*this)(s.zz), (*this)(s.xy), (*this)(s.xz), (*this)(s.yz)}; }
  Mat3<Expr> operator()(const Mat3<double>& m) {
    return {(*this)(m.xx), (*this)(m.xy), (*this)(m.xz), (*this)(m.yx), (*this)(m.yy), (*this)(m.yz), (*this)(m.zx), (*this)(m.zy), (*this)(m.zz)};
  }
  ChainRows<Expr> operator()(const ChainRows<double>& chain) {
    ChainRows<Expr> to = cast_rows<Expr>(chain);
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const DhRow<double>& from = chain.rows[i];
      to.rows[i] = {from.prismatic,          (*this)(from.a),    (*this)(from.alpha), (*this)(from.cos_alpha),
                    (*this)(from.sin_alpha), (*this)(from.d),    (*this)(from.theta), (*this)(from.cos_theta),
                    (*this)(from.sin_theta), (*this)(from.mass), (*this)(from.com),   (*this)(from.inertia)};
    }
    to.gravity_0 = (*this)(chain.gravity_0);
    return to;
  }
  BodyTree<Expr> operator()(const BodyTree<double>& tree) {
    BodyTree<Expr> to;
    for (const TreeBody<double>& b : tree.bodies)
      to.bodies.push_back({b.parent, b.prismatic, (*this)(b.R_PB), (*this)(b.p_PB), (*this)(b.mass), (*this)(b.com), (*this)(b.inertia), (*this)(b.rotor)});
    to.gravity = (*this)(tree.gravity);
    return to;
  }
  StanfordArm<Expr> operator()(const StanfordArm<double>& arm) {
    StanfordArm<Expr> to = arm.cast<Expr>();
    for (Expr* p : {&to.L1, &to.L2, &to.L3, &to.L4, &to.L5, &to.L6, &to.mA, &to.mB, &to.mC, &to.mD, &to.mE, &to.mF, &to.A1, &to.A2, &to.A3, &to.B1,
                    &to.B2, &to.B3, &to.C1, &to.C2, &to.C3, &to.D1, &to.D2, &to.D3, &to.E1, &to.E2, &to.E3, &to.F1, &to.F2, &to.F3, &to.g})
      *p = of_its_own(p->number());
    return to;
  }

 private:
  Graph& graph_;
  std::vector<double> values_;
  std::map<double, Expr> known_;
};

/// One robot in one state, and the traces of its formulations on symbols.
class SymbolicRobot {
 public:
  explicit SymbolicRobot(const std::string& id)
      : general_(id.starts_with("general")), model_(load(id)), prepared_(model_), n_(prepared_.size()), symbols_(graph_) {
    const auto inputs = [&](const char* name) { return graph_.inputs(name, static_cast<int>(n_)); };
    q_ = inputs("q");
    v_ = inputs("v");
    a_ = inputs("a");  // joint forces, of accelerations
    Random random(17);
    state_ = random_state(model_, random);
  }
  DhChain<Expr> dh() { return {symbols_(*prepared_.forms().dh)}; }
  MdhChain<Expr> mdh() { return {symbols_(*prepared_.forms().mdh)}; }
  BodyTree<Expr> tree() { return symbols_(prepared_.forms().tree); }
  StanfordArm<Expr> stanford() { return symbols_(fit_stanford(prepared_.forms().tree).arm); }
  std::size_t n() const { return n_; }
  const Expr* q() const { return q_.data(); }
  const Expr* v() const { return v_.data(); }
  const Expr* a() const { return a_.data(); }

  /// The results of the row of the registry, on numbers, are those of the program; `blow_up` is that of its rounding.
  void expect_row(const char* id, Quantity quantity, const std::vector<Expr>& results, double blow_up = 1) {
    SCOPED_TRACE(id);
    const std::array<OutputOf, 1> output{OutputOf{"result", results}};
    const Program program = make_program(graph_, output);
    EXPECT_GT(program.precomputed, 0u);
    Evaluation evaluate(program, symbols_.values());
    std::vector<double> inputs, got(results.size()), expected(results.size());
    for (const std::vector<double>* part : {&state_.q, &state_.v, &state_.a}) inputs.insert(inputs.end(), part->begin(), part->end());
    evaluate(inputs, got);
    const Formulation& row = *find_formulation(id);
    const auto evaluator = row.make_double(prepared_);
    evaluator->compute(quantity, {state_.q.data(), state_.v.data(), state_.a.data()}, expected.data());
    EXPECT_LT(relative_error(expected, got), tolerance(n_, blow_up));
    // What is known of the robot is free, whether it is a number or a symbol. But numbers may coincide by chance, or cancel.
    const OperationCounts symbolic = program.counts(), numeric = trace(row, quantity, prepared_).counts();
    if (general_)
      EXPECT_EQ(symbolic, numeric);
    else
      EXPECT_GE(symbolic.mul + symbolic.add, numeric.mul + numeric.add);
  }
  double condition() const { return condition_number(mass_of(make_plan(model_), state_.q)); }
  const State& state() const { return state_; }

 private:
  bool general_;  // no number of the robot is special
  Model model_;
  Prepared prepared_;
  std::size_t n_;
  Graph graph_;
  Symbols symbols_;
  std::vector<Expr> q_, v_, a_;
  State state_;
};

TEST(Symbols, NewtonEuler) {
  SymbolicRobot robot("general-RRPR");
  std::vector<Expr> tau(robot.n());
  turney::NewtonEuler<Expr, Expr>(robot.dh()).torque(robot.q(), robot.v(), robot.a(), tau.data());
  robot.expect_row("newton-euler", Quantity::inverse, tau);
}

TEST(Symbols, ModifiedNewtonEuler) {
  SymbolicRobot robot("general-RRPR");
  std::vector<Expr> tau(robot.n());
  turney::ModifiedNewtonEuler<Expr, Expr>(robot.dh()).torque(robot.q(), robot.v(), robot.a(), tau.data());
  robot.expect_row("modified-newton-euler", Quantity::inverse, tau);
}

TEST(Symbols, Lin) {
  SymbolicRobot robot("general-RRPR");
  std::vector<Expr> M(robot.n() * robot.n()), bias(robot.n());
  composite_body::Lin<Expr, Expr> lin(robot.mdh());
  lin.set_configuration(robot.q());
  lin.mass(M.data());
  robot.expect_row("lin", Quantity::mass, M);
  lin.bias(robot.v(), bias.data());
  robot.expect_row("lin", Quantity::bias, bias);
}

TEST(Symbols, Renaud) {
  SymbolicRobot robot("general-RRPR");
  std::vector<Expr> M(robot.n() * robot.n());
  composite_body::Renaud<Expr, Expr> renaud(robot.mdh());
  renaud.set_configuration(robot.q());
  renaud.mass(M.data());
  robot.expect_row("renaud", Quantity::mass, M);
}

TEST(Symbols, WalkerOrin) {
  SymbolicRobot robot("general-RRRR");  // rows of a sliding joint's rotation are perpendicular: numbers cancel where symbols cannot know it
  std::vector<Expr> M(robot.n() * robot.n());
  composite_body::WalkerOrin<Expr, Expr> walker_orin(robot.tree());
  walker_orin.set_configuration(robot.q());
  walker_orin.mass(M.data());
  robot.expect_row("walker-orin", Quantity::mass, M);
}

TEST(Symbols, Kane) {
  SymbolicRobot robot("general-RRPR");
  const BodyTree<Expr> tree = robot.tree();
  KaneWorkspace<Expr> ws(tree);
  std::vector<Expr> tau(robot.n());
  kane_torque(tree, ws, robot.q(), robot.v(), robot.a(), tau.data());
  robot.expect_row("kane", Quantity::inverse, tau);
}

TEST(Symbols, Nasser) {
  SymbolicRobot robot("general-RRPR");
  std::vector<Expr> a(robot.n());
  Nasser<Expr, Expr>(robot.tree()).acceleration(robot.q(), robot.v(), robot.a(), a.data());
  robot.expect_row("nasser", Quantity::forward, a, robot.condition());
}

// Every parameter of the paper is a symbol of its own.
TEST(Symbols, KaneStanford) {
  SymbolicRobot robot("stanford");
  const StanfordArm<Expr> arm = robot.stanford();
  StanfordQuantities<Expr> k;
  const std::array<Expr, 7> qd = stanford_from_chain(robot.v());
  stanford_place(stanford_from_chain(robot.q()), k);
  stanford_speeds_from_rates(k, qd);
  stanford_Z(arm, k);
  stanford_X(arm, k);
  std::vector<Expr> tau(robot.n());
  stanford_forces_to_chain(stanford_forces(k, stanford_speed_rates(k, qd, stanford_from_chain(robot.a()))), tau.data());
  robot.expect_row("kane-stanford", Quantity::inverse, tau, find_formulation("kane-stanford")->amplification(robot.state().q.data()));
}

}  // namespace
}  // namespace ulna::test
