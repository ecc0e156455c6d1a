#include "formulation/kane_loops.hpp"

#include "expr/sampled.hpp"
#include "formulation/chosen_speeds.hpp"
#include "formulation/counting.hpp"
#include "formulation/paper_quantity.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {
namespace {

template <class T>
void show_kane(const KaneWorkspace<T>& ws, const PaperVisitor<T>& shown, bool moved = true) {
  static constexpr PaperSymbol omega_r{"omega", "partial angular velocity of body R, numbered Rr", "coefficient of u(r)", "23"},
      v_r{"v", "partial velocity of its mass centre, numbered Rr", "coefficient of u(r)", "44"}, omega{"omega", "angular velocity", "sum omega(Rr) u(r)", "23"},
      alpha_t{"alpha", "angular acceleration while all u' are zero", "", "56 to 60", 0, "t"},
      a_t{"a", "acceleration of the mass centre while all u' are zero", "", "71 to 75", 0, "t"}, T_star{"T*", "inertia torque", "", "79", 0, "", true},
      R_star{"R*", "inertia force", "", "79", 0, "", true};
  const PaperQuantities<T> show(shown);
  for (std::size_t i = 0; i < ws.bodies.size(); ++i)
    for (const std::size_t r : ws.bodies[i].moved_by) {
      show(omega_r, {i + 1, r + 1}, ws.bodies[i].omega_r[r]);
      show(v_r, {i + 1, r + 1}, ws.bodies[i].v_r[r]);
    }
  for (std::size_t i = 0; moved && i < ws.bodies.size(); ++i) {
    show(omega, {i + 1}, ws.bodies[i].omega);
    show(alpha_t, {i + 1}, ws.bodies[i].alpha_t);
    show(a_t, {i + 1}, ws.bodies[i].a_t);
    show(T_star, {i + 1}, ws.bodies[i].T_star);
    show(R_star, {i + 1}, ws.bodies[i].R_star);
  }
}

template <class P, class T>
class Kane {
 public:
  explicit Kane(BodyTree<P> tree) : tree_(std::move(tree)), ws_(tree_) {
    if (tree_.loops) loops_.emplace(tree_);
  }

  // With loops v and a are those of the independent joints, and so are the results.
  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) {
    moved_ = true;
    if (loops_) return loops_->torque(tree_, ws_, q, v, a, tau, loads);
    kane_torque(tree_, ws_, q, v, a, tau, loads);
  }
  void mass(const T* q, T* M) {
    moved_ = false;
    if (loops_) return loops_->mass(tree_, ws_, q, M);
    kane_mass(tree_, ws_, q, M);
  }
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads) { torque(q, v, nullptr, bias, loads); }
  Completed<T> completed() const { return loops_ ? Completed<T>{loops_->v(), loops_->a(), loops_->G()} : Completed<T>{}; }
  /// Those of the last call: partial velocities, and of torque and bias the motion, too.
  void visit(const PaperVisitor<T>& shown) const { show_kane(ws_, shown, moved_); }

 private:
  BodyTree<P> tree_;
  KaneWorkspace<T> ws_;
  bool moved_ = false;  // whether the last call formed the motion, too
  std::optional<KaneLoops<P, T>> loops_;
};

template <class P>
BodyTree<P> without_rotors(BodyTree<P> tree) {
  for (TreeBody<P>& body : tree.bodies) body.rotor = P(0);
  return tree;
}

/// In speeds of a user's choice. On numbers inputs and results are those of the joints; other scalars work in the speeds themselves: v and a are u and u̇, M and
/// bias those of M u̇ + bias = Q. Rotors of the tree are in all results: each adds its part to T* of eq. 79.
template <class P, class T>
class KaneInSpeeds final : public Evaluator<T> {
 public:
  KaneInSpeeds(BodyTree<P> tree, std::shared_ptr<const Speeds> speeds)
      : tree_(std::move(tree)), ws_(tree_), n_(tree_.size()), chosen_(std::move(speeds)), speeds_(speeds_on<T>(chosen_->chosen())), u_(n_), u_dot_(n_), Q_(n_) {
    if constexpr (std::is_same_v<T, Expr>)
      ws_.simplest = [this](const Expr& x) {
        if (x.graph() == nullptr) return x;
        if (!sampled_) sampled_.emplace(*x.graph());
        return sampled_->simplest(x);
      };
  }

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) override {
    if constexpr (kFromRates) {
      speeds_from_rates(speeds_, n_, q, v, a, T(0), u_.data(), u_dot_.data());
      v = u_.data(), a = u_dot_.data();
    }
    force(q, v, a, loads);
    const std::vector<T>& A = ws_.speeds.A;
    for (std::size_t s = 0; s < n_; ++s) {
      tau[s] = T(0);
      for (std::size_t r = 0; r < n_; ++r) tau[s] = tau[s] + A[r * n_ + s] * Q_[r];
    }
  }
  void mass(const T* q, T* M) override {
    moved_ = false;
    kane_mass(tree_, ws_, speeds_, q, T(0), M);
    add_transformed(
        ws_.speeds.W, [&](std::size_t i, std::size_t j) { return i == j ? T(tree_.bodies[i].rotor) : T(0); }, M);
    if constexpr (kFromRates) {
      const std::vector<T> of_speeds(M, M + n_ * n_);
      std::fill(M, M + n_ * n_, T(0));
      add_transformed(
          ws_.speeds.A, [&](std::size_t i, std::size_t j) { return of_speeds[i * n_ + j]; }, M);
    }
  }
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads) override {
    if constexpr (kFromRates) {
      const std::vector<T> rest(n_, T(0));
      return torque(q, v, rest.data(), bias, loads);
    }
    force(q, v, nullptr, loads);
    std::copy(Q_.begin(), Q_.end(), bias);
  }
  std::string why_not_here(const T* q, const T* v, const T*) override {
    try {
      solve_speeds(speeds_, n_, q, T(0), ws_.speeds);
      ws_.speeds.v.assign(v, v + n_);
      differentiate_speeds(speeds_, q, T(0), ws_.speeds);
    } catch (const std::domain_error& singular) {
      return singular.what();
    }
    return {};
  }
  void visit(const PaperVisitor<T>& shown) const override {
    static constexpr PaperSymbol u{"u", "generalized speed", "", "1", 0, "", true}, u_dot{"u", "its rate", "", "1", 1, "", true},
        W{"W", "of v = W (u - B)", "", "8 to 11", 0, "", true};
    const PaperQuantities<T> show(shown);
    show(W, {}, n_, n_, ws_.speeds.W.data());
    for (std::size_t r = 0; kFromRates && moved_ && r < n_; ++r) show(u, {r + 1}, u_[r]), show(u_dot, {r + 1}, u_dot_[r]);
    show_kane(ws_, shown, moved_);
  }

  // For integration, on numbers.
  const GeneralizedSpeeds<T>& speeds() const { return speeds_; }
  void derivatives(const T* q, const T* u, const T* tau, T* u_dot, T* a) {
    std::vector<T> M(n_ * n_), inverse;
    force(q, u, nullptr, {});
    kane_inertia(tree_, ws_, M.data());
    const std::vector<T>& W = ws_.speeds.W;
    add_transformed(
        W, [&](std::size_t i, std::size_t j) { return i == j ? T(tree_.bodies[i].rotor) : T(0); }, M.data());
    for (std::size_t r = 0; r < n_; ++r) {
      Q_[r] = -Q_[r];
      for (std::size_t s = 0; s < n_; ++s) Q_[r] = Q_[r] + W[s * n_ + r] * tau[s];  // (111) to (116)
    }
    if (!speeds_detail::invert(n_, std::move(M), inverse)) throw std::domain_error("the inertia matrix of the speeds is singular");
    speeds_detail::multiply(n_, inverse, Q_.data(), u_dot);
    speeds_detail::multiply(n_, W, u_dot, a);
    for (std::size_t k = 0; k < n_; ++k) a[k] = a[k] + ws_.speeds.v_dot_t[k];
  }

 private:
  static constexpr bool kFromRates = std::floating_point<T>;

  /// Q = M u̇ + bias.
  void force(const T* q, const T* u, const T* u_dot, const Loads<T>& loads) {
    moved_ = true;
    kane_force(tree_, ws_, speeds_, q, u, u_dot, T(0), Q_.data(), loads);
    for (std::size_t s = 0; s < n_; ++s) {
      const T rotor(tree_.bodies[s].rotor);
      T a = ws_.speeds.v_dot_t[s];
      for (std::size_t r = 0; u_dot != nullptr && r < n_; ++r) a = a + ws_.speeds.W[s * n_ + r] * u_dot[r];
      const T torque = rotor * a;
      for (std::size_t r = 0; r < n_; ++r) Q_[r] = Q_[r] + ws_.speeds.W[s * n_ + r] * torque;
    }
  }
  /// M += Xᵀ inner X.
  template <class Inner>
  void add_transformed(const std::vector<T>& X, const Inner& inner, T* M) const {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t r = 0; r < n_; ++r)
          for (std::size_t s = 0; s < n_; ++s) M[r * n_ + s] = M[r * n_ + s] + X[i * n_ + r] * inner(i, j) * X[j * n_ + s];
  }

  BodyTree<P> tree_;
  KaneWorkspace<T> ws_;
  std::size_t n_;
  std::shared_ptr<const Speeds> chosen_;
  GeneralizedSpeeds<T> speeds_;
  std::vector<T> u_, u_dot_, Q_;
  bool moved_ = false;  // as in Kane
  std::optional<Sampled> sampled_;
};

template <class P, class T>
std::unique_ptr<Evaluator<T>> make_kane(const Prepared& robot) {
  BodyTree<double> tree = FormOf<BodyTree>::in(robot);
  if (robot.speeds) return std::make_unique<KaneInSpeeds<P, T>>(without_rotors(std::move(tree)).template cast<P>(), robot.speeds);
  return std::make_unique<EvaluatorOf<Kane<P, T>, T>>(tree.template cast<P>());
}
std::unique_ptr<Evaluator<Expr>> make_symbolic_kane(const SymbolicForm& form) {
  const auto& tree = std::get<BodyTree<Expr>>(form.of);
  if (form.speeds) return std::make_unique<KaneInSpeeds<Expr, Expr>>(tree, form.speeds);
  return std::make_unique<EvaluatorOf<Kane<Expr, Expr>, Expr>>(tree);
}

/// What leads from rates to speeds and back is no part of the equations in the speeds, as in the paper's count.
AsWritten count_kane(Quantity quantity, const Prepared& robot) {
  AsWritten counts = count_evaluator(formulation_of_speeds(), quantity, robot);
  if (!robot.speeds) return counts;
  const GeneralizedSpeeds<Counted> speeds = speeds_on<Counted>(robot.speeds->chosen());
  CountedState s(robot.size());
  const Counted* none = nullptr;
  std::vector<Counted> u_dot(robot.size());
  const OperationCounts from_rates =
      operations_of([&] { speeds_from_rates<Counted>(speeds, robot.size(), s.q.data(), s.v.data(), none, Counted(0), s.out.data(), nullptr); });
  const OperationCounts all =
      operations_of([&] { speeds_from_rates<Counted>(speeds, robot.size(), s.q.data(), s.v.data(), s.a.data(), Counted(0), s.out.data(), u_dot.data()); });
  counts.parts.push_back({kStanfordSpeeds, from_rates, false});
  if (quantity == Quantity::inverse) counts.parts.push_back({kStanfordSpeedRates, difference(all, from_rates), false});
  return counts;
}

class KaneOwnSpeeds final : public OwnSpeeds {
 public:
  explicit KaneOwnSpeeds(const Prepared& prepared) : n_(prepared.size()), kane_(FormOf<BodyTree>::in(prepared), prepared.speeds) {}
  void from_rates(const double* q, const double* v, double* u) override { speeds_from_rates<double>(kane_.speeds(), n_, q, v, nullptr, 0.0, u, nullptr); }
  void to_rates(const double* q, const double* u, double* v) override {
    rates_from_speeds(kane_.speeds(), n_, q, u, 0.0, state_);
    std::copy(state_.v.begin(), state_.v.end(), v);
  }
  void derivatives(const double* q, const double* u, const double* tau, double* u_dot, double* a) override { kane_.derivatives(q, u, tau, u_dot, a); }
  double constant(const double*, const double*) override { return 0; }

 private:
  std::size_t n_;
  KaneInSpeeds<double, double> kane_;
  SpeedState<double> state_;
};

}  // namespace

std::unique_ptr<OwnSpeeds> make_chosen_speeds(const Prepared& prepared) { return prepared.speeds ? std::make_unique<KaneOwnSpeeds>(prepared) : nullptr; }

Formulation kane_row() {
  Formulation row = paper_row<Kane, BodyTree>("kane");
  row.make_double = &make_kane<double, double>;
  row.make_float = &make_kane<float, float>;
  row.make_counted = &make_kane<double, Counted>;
  row.make_expr = &make_kane<Expr, Expr>;
  row.make_symbolic = &make_symbolic_kane;
  row.make_speeds = &make_chosen_speeds;
  row.count = &count_kane;
  row.takes_speeds = true;
  row.title = "Kane's dynamical equations: partial velocities and generalized forces";
  row.citation =
      "T. R. Kane, D. A. Levinson, \"The use of Kane's dynamical equations in robotics\", International Journal of Robotics Research 2(3), 1983, pp. 3-21";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias};
  row.joints = "revolute and prismatic, in any mixture";
  row.growth = {.joints = 2};
  row.growth_of_mass = {.joints = 3};
  row.takes_wrenches = row.takes_base = row.takes_loops = true;
  return row;
}

}  // namespace ulna::internal
