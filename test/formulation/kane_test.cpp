// Kane's equations on chains and trees, for the joint rates as speeds and for speeds that a user chooses.
#include "formulation/kane.hpp"

#include <ulna/source/load.hpp>

#include "formulation/rows.hpp"
#include "support/arm.hpp"
#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

Effects rigid() {
  Effects effects;
  effects.rotor = false;
  return effects;
}

/// Torque, bias and M of one state, whatever the scalar.
struct Answer {
  std::vector<double> tau, bias, M;
};
template <class T>
T number(double x) {
  if constexpr (std::is_same_v<T, Counted>)
    return Counted::variable(x);
  else
    return static_cast<T>(x);
}
double value(double x) { return x; }
double value(float x) { return static_cast<double>(x); }
double value(const Counted& x) { return x.value(); }
template <class T>
std::vector<T> numbers(const std::vector<double>& x) {
  std::vector<T> y;
  for (const double a : x) y.push_back(number<T>(a));
  return y;
}
template <class T>
std::vector<double> values(const std::vector<T>& x) {
  std::vector<double> y;
  for (const T& a : x) y.push_back(value(a));
  return y;
}
template <class T>
Answer evaluate(Evaluator<T>& kane, const State& s) {
  const std::size_t n = s.q.size();
  const std::vector<T> q = numbers<T>(s.q), v = numbers<T>(s.v), a = numbers<T>(s.a);
  std::vector<T> tau(n), bias(n), M(n * n);
  kane.mass(q.data(), M.data());  // the order is not that of the sweeps: nothing may be left over from the call before
  kane.torque(q.data(), v.data(), a.data(), tau.data());
  kane.bias(q.data(), v.data(), bias.data());
  return {values(tau), values(bias), values(M)};
}

double worst_ratio = 0;  // in units of the tolerance

template <class T = double>
void expect_oracle(const Model& model, const State& s, const Answer& answer) {
  const Oracle oracle(model, s.q, s.v, s.a, rigid()), still(model, s.q, s.v, zeros(s.a), rigid());
  const auto close = [](double error, double allowed) {
    worst_ratio = std::max(worst_ratio, error / allowed);
    EXPECT_LE(error, allowed);
  };
  // Torques may cancel, even to nothing: rounding is relative to what they are made of.
  const auto torque = [&](const std::vector<double>& x, const Oracle& exact) {
    const std::vector<double> y = doubles(exact.torques());
    double gap = 0;
    for (std::size_t k = 0; k < y.size(); ++k) gap = std::max(gap, std::isnan(x[k]) ? INFINITY : std::abs(x[k] - y[k]));
    close(gap == 0 ? 0 : gap / exact.torque_size(), tolerance<T>(steps(model)));
  };
  torque(answer.tau, oracle);
  torque(answer.bias, still);
  close(relative_error(answer.M, doubles(oracle.mass_matrix())), tolerance<T>(steps(model)));
}

TEST(Kane, RandomTrees) {
  worst_ratio = 0;
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random&) {
    const auto kane = kane_row().make_double(Prepared(model));
    expect_oracle(model, s, evaluate(*kane, s));
  });
  RecordProperty("worst_in_tolerances", std::to_string(worst_ratio));
}

TEST(Kane, EveryJointMixture) {
  worst_ratio = 0;
  std::vector<std::string> mixtures{"RRRRR", "RRPRPR", "PRPRRPR", "RRRRRRR", "PPPRRRPR"};
  for (std::size_t n = 1; n <= 4; ++n)
    for (std::size_t bits = 0; bits < (1u << n); ++bits) {
      std::string types;
      for (std::size_t i = 0; i < n; ++i) types += (bits >> i) & 1u ? 'P' : 'R';
      mixtures.push_back(types);
    }
  Random random(7);
  for (const std::string& types : mixtures) {
    SCOPED_TRACE(types);
    const Model model = load("general-" + types);
    const auto kane = kane_row().make_double(Prepared(model));
    for (int k = 0; k < kStates; ++k) {
      const State s = random_state(model, random);
      expect_oracle(model, s, evaluate(*kane, s));
    }
  }
  RecordProperty("worst_in_tolerances", std::to_string(worst_ratio));
}

TEST(Kane, NumbersOfAnotherProgram) {
  struct Case {
    std::string_view convention, types;
    std::vector<double> a, d, alpha, theta, mass, com, inertia, gravity, q, v, bias, M;
  };
  const std::vector<Case> all{
#include "dynamics/vectors.inc"
  };
  for (const Case& c : all) {
    SCOPED_TRACE(::testing::Message() << c.convention << " " << c.types);
    Description arm;
    arm.gravity = {c.gravity[0], c.gravity[1], c.gravity[2]};
    const bool standard = c.convention == "standard";
    for (std::size_t i = 0; i < c.types.size(); ++i) {
      const bool prismatic = c.types[i] == 'P';
      const double *m = &c.com[3 * i], *j = &c.inertia[6 * i];
      Row row{prismatic, c.a[i], c.d[i], c.alpha[i], c.theta[i], body("", c.mass[i], {m[0], m[1], m[2]}, {j[0], j[1], j[2], j[3], j[4], j[5]})};
      if (standard) (prismatic ? row.d : row.theta) = 0;  // there q stands for the whole variable
      append(arm, standard, row);
    }
    const Model model = unchecked(arm);
    const auto kane = kane_row().make_double(Prepared(model));
    const State s{c.q, c.v, zeros(c.q)};
    const Answer answer = evaluate(*kane, s);
    EXPECT_LT(relative_error(answer.bias, c.bias), tolerance(c.q.size(), torque_condition(Oracle(model, s.q, s.v, s.a))));
    EXPECT_LT(relative_error(answer.M, c.M), tolerance(c.q.size()));
  }
}

TEST(Kane, SpecialParameters) {
  constexpr double kQuarter = 1.5707963267948966;
  Description arm;  // right angles, no offsets, a massless link, an inertia without mass
  append(arm, true, {.alpha = kQuarter});
  append(arm, true, {.a = 0.5, .link = body("", 2, {-0.2, 0, 0}, {0.01, 0.1, 0.1, 0, 0, 0})});
  append(arm, true, {.prismatic = true, .alpha = -kQuarter, .link = body("", 0, {}, {0.1, 0.1, 0.1, 0, 0, 0})});
  append(arm, true, {.alpha = kQuarter, .link = body("", 1, {}, {0.1, 0.2, 0.25, 0, 0, 0})});
  arm.gravity = {1, 2, -9};
  const Model model = unchecked(arm);
  const auto kane = kane_row().make_double(Prepared(model));
  for (const State& s : {State{{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 1, 1}}, State{{kQuarter, 0, 0.3, -kQuarter}, {1, -2, 3, 4}, {-1, 2, -3, 0}}})
    expect_oracle(model, s, evaluate(*kane, s));
}

TEST(Kane, FloatAndCounted) {
  for_each_case({.most = 8}, [](const Model& model, const State& s, Random&) {
    const Prepared prepared(model);
    const Formulation row = kane_row();
    const Answer exact = evaluate(*row.make_double(prepared), s), counted = evaluate(*row.make_counted(prepared), s);
    // Literal zeros and ones are skipped, which changes no number but the sign of a zero.
    EXPECT_EQ(exact.tau, counted.tau);
    EXPECT_EQ(exact.bias, counted.bias);
    EXPECT_EQ(exact.M, counted.M);
    expect_oracle<float>(model, s, evaluate(*row.make_float(prepared), s));
  });
}

// --- chosen speeds ------------------------------------------------------------------------------------------------------------------------------

/// A_rs = δ_rs + 0.3/n sin(f_rs + q_s + w_rs t), B_r = sin(q_r) + 0.2 t²: diagonally dominant, so solvable everywhere.
template <class T>
GeneralizedSpeeds<T> wavy(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  const std::vector<double> f = random.numbers(n * n, -3, 3), w = random.numbers(n * n, -1, 1);
  const double size = 0.3 / static_cast<double>(n);
  GeneralizedSpeeds<T> speeds;
  speeds.values = [=](const T* q, const T& t, T* A, T* B) {
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t s = 0; s < n; ++s) A[r * n + s] = T(r == s ? 1 : 0) + T(size) * sincos(T(f[r * n + s]) + q[s] + T(w[r * n + s]) * t).sin;
      B[r] = sincos(q[r]).sin + T(0.2) * t * t;
    }
  };
  speeds.rates = [=](const T* q, const T* v, const T& t, T* A_dot, T* B_dot) {
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t s = 0; s < n; ++s) A_dot[r * n + s] = T(size) * sincos(T(f[r * n + s]) + q[s] + T(w[r * n + s]) * t).cos * (v[s] + T(w[r * n + s]));
      B_dot[r] = sincos(q[r]).cos * v[r] + T(0.4) * t;
    }
  };
  return speeds;
}

TEST(KaneSpeeds, AnyChoiceGivesTheSameMotion) {
  worst_ratio = 0;
  for_each_case({.most = 8, .massless = false}, [](const Model& model, const State& s, Random& random) {
    const std::size_t n = s.q.size();
    const BodyTree<double> tree = make_body_tree(model);
    KaneWorkspace<double> ws(tree);
    const GeneralizedSpeeds<double> speeds = wavy<double>(n, 5 + n);
    const double t = random.uniform(-2, 2);
    std::vector<double> u(n), u_dot(n), v_dot(n), tau(n), M(n * n), bias(n), Q(n), force(n);
    speeds_from_rates(speeds, n, s.q.data(), s.v.data(), s.a.data(), t, u.data(), u_dot.data());

    // There and back.
    SpeedState<double> state;
    accelerations_from_speeds(speeds, n, s.q.data(), u.data(), u_dot.data(), t, state, v_dot.data());
    EXPECT_LT(relative_error(state.v, s.v), tolerance(n));
    EXPECT_LT(relative_error(v_dot, s.a), tolerance(n, largest(u_dot) / largest(s.a)));

    const Oracle oracle(model, s.q, s.v, s.a, rigid());
    const RealVector exact = oracle.torques();
    // The sizes that cancel in the torques are those of M u̇ and of the bias apart.
    kane_torque(tree, ws, speeds, s.q.data(), u.data(), u_dot.data(), t, tau.data());
    kane_mass(tree, ws, speeds, s.q.data(), t, M.data());
    kane_bias(tree, ws, speeds, s.q.data(), u.data(), t, bias.data());
    double cancelling = oracle.torque_size();
    for (std::size_t r = 0; r < n; ++r) {
      double size = std::abs(bias[r]);
      for (std::size_t k = 0; k < n; ++k) size += std::abs(M[r * n + k] * u_dot[k]);
      cancelling = std::max(cancelling, size);
    }
    const double cond = cancelling / largest(doubles(exact));
    const double error = relative_error(tau, doubles(exact));
    worst_ratio = std::max(worst_ratio, error / tolerance(steps(model), cond));
    EXPECT_LT(error, tolerance(steps(model), cond));

    // M u̇ + bias is the generalized active force of these torques, and M is Wᵀ M_v W.
    kane_active_forces(speeds, n, s.q.data(), t, state, tau.data(), Q.data());
    for (std::size_t r = 0; r < n; ++r) {
      force[r] = bias[r];
      for (std::size_t k = 0; k < n; ++k) force[r] += M[r * n + k] * u_dot[k];
    }
    EXPECT_LT(relative_error(force, Q), tolerance(steps(model), cancelling / largest(Q)));
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> W(state.W.data(), static_cast<Eigen::Index>(n),
                                                                                                     static_cast<Eigen::Index>(n));
    const Eigen::MatrixXd expected = W.transpose() * doubles(oracle.mass_matrix()) * W;
    EXPECT_LT(relative_error(M, expected), tolerance(steps(model)));
  });
  RecordProperty("worst_in_tolerances", std::to_string(worst_ratio));
}

TEST(KaneSpeeds, JointRatesAreTheDefault) {
  const Model model = load("general-RRPR");
  const BodyTree<double> tree = make_body_tree(model);
  KaneWorkspace<double> ws(tree);
  Random random(3);
  const State s = random_state(model, random);
  const GeneralizedSpeeds<double> speeds = joint_rate_speeds<double>(4);
  std::vector<double> a(4), b(4), Ma(16), Mb(16);
  kane_torque(tree, ws, s.q.data(), s.v.data(), s.a.data(), a.data());
  kane_torque(tree, ws, speeds, s.q.data(), s.v.data(), s.a.data(), 0.0, b.data());
  EXPECT_LT(relative_error(a, b), tolerance(4));
  kane_mass(tree, ws, s.q.data(), Ma.data());
  kane_mass(tree, ws, speeds, s.q.data(), 0.0, Mb.data());
  EXPECT_LT(relative_error(Ma, Mb), tolerance(4));
}

TEST(KaneSpeeds, RatesOfTheBuiltInChoice) {
  const GeneralizedSpeeds<double> speeds = stanford_speeds<double>();
  Random random(11);
  const std::vector<double> q = random.numbers(6, 0.3, 2), v = random.numbers(6, -1, 1);
  std::vector<double> A_dot(36), B_dot(6);
  speeds.rates(q.data(), v.data(), 0.0, A_dot.data(), B_dot.data());
  const auto A_at = [&](Real t) {
    std::vector<double> at = q, A(36), B(6);
    for (std::size_t k = 0; k < 6; ++k) at[k] += static_cast<double>(t) * v[k];
    speeds.values(at.data(), 0.0, A.data(), B.data());
    RealVector out(36);
    for (Eigen::Index k = 0; k < 36; ++k) out(k) = A[k];
    return out;
  };
  const Real h = 1e-3L;  // values are double: the best step of a fourth-order difference is eps^(1/5)
  const RealVector slope = (8 * (A_at(h) - A_at(-h)) - (A_at(2 * h) - A_at(-2 * h))) / (12 * h);
  EXPECT_LT(relative_error(A_dot, doubles(slope)), difference_tolerance<double>());
}

TEST(KaneSpeeds, ClosedInverseAndEliminationAgree) {
  GeneralizedSpeeds<double> closed = stanford_speeds<double>(), eliminated = closed;
  eliminated.inverse = nullptr;
  Random random(12);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> q = random.numbers(6, -3, 3);
    SpeedState<double> a, b;
    solve_speeds(closed, 6, q.data(), 0.0, a);
    solve_speeds(eliminated, 6, q.data(), 0.0, b);
    EXPECT_LT(relative_error(a.W, b.W), tolerance(6, 1 / std::abs(std::sin(q[1]))));
  }
}

TEST(KaneSpeeds, OtherScalars) {
  const BodyTree<double> tree = make_body_tree(load("stanford"));
  KaneWorkspace<double> ws(tree);
  KaneWorkspace<Counted> counting(tree);
  KaneWorkspace<float> coarse(tree);
  const BodyTree<float> coarse_tree = tree.cast<float>();
  const std::vector<double> q{0.3, 1.1, 0.15, -0.4, 0.7, 0.2}, u{0.5, -0.3, 0.8, -0.6, 0.9, 0.12};
  for (const bool closed : {true, false}) {
    std::vector<double> M(36), bias(6);
    std::vector<Counted> M_counted(36), bias_counted(6);
    std::vector<float> M_float(36), bias_float(6);
    GeneralizedSpeeds<double> speeds = stanford_speeds<double>();
    GeneralizedSpeeds<Counted> speeds_counted = stanford_speeds<Counted>();
    GeneralizedSpeeds<float> speeds_float = stanford_speeds<float>();
    if (!closed) speeds.inverse = nullptr, speeds_counted.inverse = nullptr, speeds_float.inverse = nullptr;
    kane_mass(tree, ws, speeds, q.data(), 0.0, M.data());
    kane_bias(tree, ws, speeds, q.data(), u.data(), 0.0, bias.data());
    kane_mass(tree, counting, speeds_counted, numbers<Counted>(q).data(), Counted(0), M_counted.data());
    kane_bias(tree, counting, speeds_counted, numbers<Counted>(q).data(), numbers<Counted>(u).data(), Counted(0), bias_counted.data());
    kane_mass(coarse_tree, coarse, speeds_float, numbers<float>(q).data(), 0.0f, M_float.data());
    kane_bias(coarse_tree, coarse, speeds_float, numbers<float>(q).data(), numbers<float>(u).data(), 0.0f, bias_float.data());
    EXPECT_EQ(M, values(M_counted));
    EXPECT_EQ(bias, values(bias_counted));
    EXPECT_LT(relative_error(M, values(M_float)), tolerance<float>(6));
    EXPECT_LT(relative_error(bias, values(bias_float)), tolerance<float>(6));
  }
}

TEST(KaneSpeeds, SingularChoicesAreRefused) {
  const BodyTree<double> tree = make_body_tree(load("stanford"));
  KaneWorkspace<double> ws(tree);
  std::vector<double> M(36);
  for (const bool closed : {true, false})
    for (const double q2 : {0.0, 3.141592653589793, 1e-9}) {
      GeneralizedSpeeds<double> speeds = stanford_speeds<double>();
      if (!closed) speeds.inverse = nullptr;
      const std::vector<double> q{0.3, q2, 0.15, -0.4, 0.7, 0.2};
      try {
        kane_mass(tree, ws, speeds, q.data(), 0.0, M.data());
        ADD_FAILURE() << "q2 = " << q2;
      } catch (const std::domain_error& error) {
        EXPECT_STREQ(error.what(),
                     "generalized speeds 'angular velocity of body D of the Stanford arm': u = A v + B cannot be solved for the joint rates v at this "
                     "configuration; singular where q2 is 0 or 180 degrees; choose other speeds there");
      }
    }
}

TEST(KaneSpeeds, UnitsDoNotMakeAChoiceSingular) {
  const BodyTree<double> tree = make_body_tree(load("general-RRP"));
  KaneWorkspace<double> ws(tree);
  GeneralizedSpeeds<double> speeds;
  speeds.values = [](const double*, const double&, double* A, double*) {
    A[1] = 1e-9, A[3] = 1e9, A[5] = 3e9, A[8] = 1e-3;  // u = (1e-9 v2, 1e9 v1 + 3e9 v3, 1e-3 v3)
  };
  const std::vector<double> q{0.3, 0.2, 0.1};
  std::vector<double> M(9);
  EXPECT_NO_THROW(kane_mass(tree, ws, speeds, q.data(), 0.0, M.data()));
  speeds.values = [](const double*, const double&, double* A, double*) { A[0] = A[4] = 1; };
  EXPECT_THROW(kane_mass(tree, ws, speeds, q.data(), 0.0, M.data()), std::domain_error);
  speeds.values = [](const double*, const double&, double* A, double*) { A[0] = A[4] = A[8] = std::nan(""); };
  EXPECT_THROW(kane_mass(tree, ws, speeds, q.data(), 0.0, M.data()), std::domain_error);
}

}  // namespace
}  // namespace ulna::test
