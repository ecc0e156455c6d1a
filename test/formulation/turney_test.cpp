// The formulations of Turney, Mudge & Lee against an oracle in long double, numbers of an independent program, the production path with a load in the
// hand, Christoffel symbols by differences, and the paper's way of counting.
#include <array>

#include <ulna/source/load.hpp>

#include "formulation/formulated.hpp"
#include "formulation/lagrange.hpp"
#include "formulation/modified_newton_euler.hpp"
#include "formulation/newton_euler.hpp"
#include "formulation/rows.hpp"
#include "formulation/strobing.hpp"
#include "formulation/support_holl.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

// Each formulation by a name that stands for all its scalars.
struct NewtonEuler {
  template <class P, class T>
  using type = turney::NewtonEuler<P, T>;
};
struct ModifiedNewtonEuler {
  template <class P, class T>
  using type = turney::ModifiedNewtonEuler<P, T>;
};
struct Lagrange {
  template <class P, class T>
  using type = turney::Lagrange<P, T>;
};
struct Strobing {
  template <class P, class T>
  using type = turney::Strobing<P, T>;
};

template <class F>
std::vector<double> mass_of(const DhChain<double>& chain, const std::vector<double>& q) {
  typename F::template type<double, double> arm(chain);
  std::vector<double> M(q.size() * q.size());
  arm.mass(q.data(), M.data());
  return M;
}
template <class F>
std::vector<double> bias_of(const DhChain<double>& chain, const State& s) {
  typename F::template type<double, double> arm(chain);
  std::vector<double> bias(s.q.size());
  arm.bias(s.q.data(), s.v.data(), bias.data());
  return bias;
}

/// M, C and G apart, by the two formulations that give them.
struct Terms {
  std::vector<double> M, C, G;
  explicit Terms(std::size_t n) : M(n * n), C(n * n * n), G(n) {}
};
template <class Arm>
Terms terms_by(const DhChain<double>& chain, const std::vector<double>& q) {
  Terms terms(q.size());
  Arm arm(chain);
  arm.mass(q.data(), terms.M.data());
  arm.coriolis_coefficients(q.data(), terms.C.data());
  arm.gravity(q.data(), terms.G.data());
  return terms;
}
Terms lagrange_terms(const DhChain<double>& chain, const std::vector<double>& q) { return terms_by<turney::Lagrange<double, double>>(chain, q); }
Terms strobing_terms(const DhChain<double>& chain, const std::vector<double>& q) { return terms_by<turney::Strobing<double, double>>(chain, q); }

// body(arm, state), for every mixture of joints, in general position and with zeros, right angles and massless links.
template <class Body>
void for_each_arm(Body body) {
  Random random(112);
  for (const std::string& types : joint_mixtures())
    for (const Parameters parameters : {Parameters::general, Parameters::degenerate}) {
      SCOPED_TRACE(::testing::Message() << types << (parameters == Parameters::general ? " general" : " degenerate"));
      const DhArm arm = random_dh_arm(types, parameters, random);
      const State state = random_state(arm.model, random);
      body(arm, state);
      if (::testing::Test::HasFatalFailure()) return;
    }
}
/// Sizes that a sum of terms is made of are what its rounding is relative to.
double cond_of(const DhArm& arm, const State& s) { return torque_condition(Oracle(arm.model, s.q, s.v, s.a)); }
State resting(const State& s) { return {s.q, zeros(s.q), zeros(s.q)}; }
State unaccelerated(const State& s) { return {s.q, s.v, zeros(s.q)}; }

TEST(Turney, TorquesOfEveryMixtureOfJoints) {
  for_each_arm([](const DhArm& arm, const State& s) {
    const std::vector<double> exact = doubles(Oracle(arm.model, s.q, s.v, s.a).torques());
    const double allowed = tolerance(s.q.size(), cond_of(arm, s));
    EXPECT_LT(relative_error(torque_of<NewtonEuler>(arm.chain, s), exact), allowed);
    EXPECT_LT(relative_error(torque_of<ModifiedNewtonEuler>(arm.chain, s), exact), allowed);
    EXPECT_LT(relative_error(torque_of<Lagrange>(arm.chain, s), exact), allowed);
  });
}

TEST(Turney, InertiaMatrixAndBiasOfEveryMixtureOfJoints) {
  for_each_arm([](const DhArm& arm, const State& s) {
    const std::size_t n = s.q.size();
    const Eigen::MatrixXd M = doubles(Oracle(arm.model, s.q, s.v, s.a).mass_matrix());
    const std::vector<double> lagrange = mass_of<Lagrange>(arm.chain, s.q), strobing = mass_of<Strobing>(arm.chain, s.q);
    EXPECT_LT(relative_error(lagrange, M), tolerance(n));
    EXPECT_LT(relative_error(strobing, M), tolerance(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_EQ(lagrange[i * n + j], lagrange[j * n + i]);
        EXPECT_EQ(strobing[i * n + j], strobing[j * n + i]);
      }
    const State u = unaccelerated(s);
    const std::vector<double> bias = doubles(Oracle(arm.model, u.q, u.v, u.a).torques());
    const double allowed = tolerance(n, cond_of(arm, u));
    EXPECT_LT(relative_error(bias_of<Lagrange>(arm.chain, u), bias), allowed);
    EXPECT_LT(relative_error(bias_of<Strobing>(arm.chain, u), bias), allowed);
  });
}

TEST(Turney, TermsAddUpToTheTorque) {
  for_each_arm([](const DhArm& arm, const State& s) {
    const std::size_t n = s.q.size();
    const std::vector<double> exact = doubles(Oracle(arm.model, s.q, s.v, s.a).torques());
    const Terms by_lagrange = lagrange_terms(arm.chain, s.q), by_strobing = strobing_terms(arm.chain, s.q);
    for (const Terms* terms : {&by_lagrange, &by_strobing}) {
      std::vector<double> tau = terms->G;
      double size = largest(terms->G);  // the sum of sizes, for rounding
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          tau[i] += terms->M[i * n + j] * s.a[j];
          size += std::abs(terms->M[i * n + j] * s.a[j]);
          for (std::size_t k = 0; k < n; ++k) {
            const double C = terms->C[(i * n + j) * n + k];
            EXPECT_EQ(C, terms->C[(i * n + k) * n + j]);
            tau[i] += C * s.v[j] * s.v[k];
            size += std::abs(C * s.v[j] * s.v[k]);
          }
        }
      const double most = largest(exact);
      EXPECT_LT(relative_error(tau, exact), tolerance(n, most > 0 ? size / most : 1));
    }
    const State rest = resting(s);
    const std::vector<double> gravity = doubles(Oracle(arm.model, rest.q, rest.v, rest.a).torques());
    EXPECT_LT(relative_error(by_lagrange.G, gravity), tolerance(n, cond_of(arm, rest)));
    EXPECT_LT(relative_error(by_strobing.G, gravity), tolerance(n, cond_of(arm, rest)));
  });
}

TEST(Turney, CoriolisCoefficientsAreChristoffelSymbols) {
  Random random(2);
  for (const char* types : {"R", "RR", "RPR", "PRR", "RRRR", "RPRPR", "RRPRRR"}) {
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const State s = random_state(arm.model, random);
    const std::size_t n = s.q.size();
    std::vector<RealMatrix> dM;  // by q_k
    for (std::size_t k = 0; k < n; ++k) {
      const auto M_at = [&](Real step) {
        Reals q = reals(s.q);
        q[k] += step;
        const Reals still(n, Real(0));
        return Oracle(arm.model, q, still, still).mass_matrix();
      };
      dM.push_back(derivative(M_at, Real(1)));
    }
    std::vector<double> christoffel;
    const auto index = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
          christoffel.push_back(static_cast<double>((dM[k](index(i), index(j)) + dM[j](index(i), index(k)) - dM[i](index(j), index(k))) / 2));
    const double size = largest(mass_of<Lagrange>(arm.chain, s.q)), most = largest(christoffel);
    const double allowed = tolerance(n, most > 0 ? static_cast<double>(n) * size / most : 1) + difference_tolerance<Real>() * (most > 0 ? size / most : 1);
    const std::vector<double> by_lagrange = lagrange_terms(arm.chain, s.q).C, by_strobing = strobing_terms(arm.chain, s.q).C;
    if (most < difference_tolerance<Real>() * size) {  // none: then both are zero to rounding
      EXPECT_LT(largest(by_lagrange), allowed * size);
      EXPECT_LT(largest(by_strobing), allowed * size);
    } else {
      EXPECT_LT(relative_error(by_lagrange, christoffel), allowed);
      EXPECT_LT(relative_error(by_strobing, christoffel), allowed);
    }
  }
}

TEST(Turney, HandPressesOnTheEnvironment) {
  Random random(3);
  for (const std::string& types : joint_mixtures()) {
    SCOPED_TRACE(types);
    const DhArm arm = random_dh_arm(types, Parameters::general, random);
    const State s = random_state(arm.model, random);
    const Vec3<double> f = random.vector(30), n = random.vector(10);  // the paper's f_{n+1} and n_{n+1}
    std::vector<LinkLoad<double>> loads(s.q.size());
    loads.back() = {-f, -n};
    std::vector<double> tau(s.q.size());
    turney::NewtonEuler<double, double>(arm.chain).torque(s.q.data(), s.v.data(), s.a.data(), tau.data(), {{}, loads});
    // The environment answers with the opposite, at the origin of frame n, which is the last link's.
    const std::array<Wrench, 1> answer{Wrench{types.size(), Axes::link, -f, -n}};
    Effects effects;
    effects.wrenches = answer;
    const Oracle oracle(arm.model, s.q, s.v, s.a, effects);
    EXPECT_LT(relative_error(tau, doubles(oracle.torques())), tolerance(types.size(), torque_condition(oracle)));
    EXPECT_LT(relative_error(tau, inverse_of(make_plan(arm.model), s, effects)), 2 * tolerance(types.size(), torque_condition(oracle)));
  }
}

// --- numbers of an independent double-precision recursion --------------------------------------------------------------------------------------------

TEST(Turney, IndependentNumbers) {
  int compared = 0;
  for (const DhCase& c : dh_cases()) {
    if (c.convention != "standard") continue;
    SCOPED_TRACE(c.types);
    const std::size_t n = c.types.size();
    std::vector<Row> rows;
    for (std::size_t i = 0; i < n; ++i) {
      const double* m = &c.com[3 * i];
      const double* s = &c.inertia[6 * i];
      Row row{c.types[i] == 'P', c.a[i], c.d[i], c.alpha[i], c.theta[i], body("", c.mass[i], {m[0], m[1], m[2]}, {s[0], s[1], s[2], s[3], s[4], s[5]})};
      (row.prismatic ? row.d : row.theta) = 0;  // there q stands for the whole variable
      rows.push_back(row);
    }
    const DhArm arm = make_dh_arm(rows, {c.gravity[0], c.gravity[1], c.gravity[2]});
    const State s{c.q, c.v, zeros(c.q)};
    const double allowed = tolerance(n, cond_of(arm, s));
    EXPECT_LT(relative_error(torque_of<NewtonEuler>(arm.chain, s), c.bias), allowed);
    EXPECT_LT(relative_error(torque_of<ModifiedNewtonEuler>(arm.chain, s), c.bias), allowed);
    EXPECT_LT(relative_error(torque_of<Lagrange>(arm.chain, s), c.bias), allowed);
    EXPECT_LT(relative_error(bias_of<Strobing>(arm.chain, s), c.bias), allowed);
    EXPECT_LT(relative_error(mass_of<Lagrange>(arm.chain, c.q), c.M), tolerance(n));
    EXPECT_LT(relative_error(mass_of<Strobing>(arm.chain, c.q), c.M), tolerance(n));
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

// --- other scalars -------------------------------------------------------------------------------------------------------------------------------

std::vector<double> values(const std::vector<Counted>& from) {
  std::vector<double> to;
  for (const Counted& x : from) to.push_back(x.value());
  return to;
}

template <class F>
void other_scalars(const DhArm& arm, const State& s) {
  // Counted does the same operations in the same order, but for sums and products with structural 0 and 1, which change no bit but the sign of a zero.
  const std::vector<double> tau = torque_of<F>(arm.chain, s);
  EXPECT_EQ(values(torque_of<F, double, Counted>(arm.chain, variables(s.q), variables(s.v), variables(s.a))), tau);
  const std::vector<float> single = torque_of<F, float, float>(arm.chain, numbers_as<float>(s.q), numbers_as<float>(s.v), numbers_as<float>(s.a));
  EXPECT_LT(relative_error(single, tau), tolerance<float>(s.q.size(), cond_of(arm, s)));
}

TEST(Turney, OtherScalars) {
  for_each_arm([](const DhArm& arm, const State& s) {
    other_scalars<NewtonEuler>(arm, s);
    other_scalars<ModifiedNewtonEuler>(arm, s);
    other_scalars<Lagrange>(arm, s);

    const std::size_t n = s.q.size();
    turney::Strobing<float, float> single(arm.chain.cast<float>());
    std::vector<float> M(n * n);
    single.mass(numbers_as<float>(s.q).data(), M.data());
    EXPECT_LT(relative_error(M, mass_of<Strobing>(arm.chain, s.q)), tolerance<float>(n));
    turney::Strobing<double, Counted> counted(arm.chain);
    std::vector<Counted> counted_M(n * n);
    counted.mass(variables(s.q).data(), counted_M.data());
    EXPECT_EQ(values(counted_M), mass_of<Strobing>(arm.chain, s.q));
  });
}

// --- counts --------------------------------------------------------------------------------------------------------------------------------------

/// n revolute joints, principal axes, gravity along -z_0: what the paper counts.
DhChain<double> counted_chain(std::size_t n) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < n; ++i) {
    Row row{false, i % 2 == 0 ? 0.0 : 0.4, 0.1, i % 3 == 0 ? std::numbers::pi / 2 : 0.0, 0, body("", 2, {0, 0.1, 0}, {0.1, 0.2, 0.15, 0, 0, 0})};
    rows.push_back(row);
  }
  return make_dh_arm(rows, {0, 0, -9.81}).chain;
}

template <class F>
OperationCounts counts_of(std::size_t n) {
  typename F::template type<double, Counted> arm(counted_chain(n));
  const std::vector<Counted> x(n, Counted::variable(0.3));
  std::vector<Counted> tau(n);
  operation_counts() = {};
  arm.torque(x.data(), x.data(), x.data(), tau.data());
  return operation_counts();
}

TEST(Turney, CountsAsThePaperCounts) {
  for (long n = 1; n <= 8; ++n) {
    SCOPED_TRACE(n);
    const std::size_t joints = n;
    EXPECT_EQ(counts_of<NewtonEuler>(joints), (OperationCounts{112 * n - 24, 98 * n - 24, 0, n}));
    EXPECT_EQ(counts_of<ModifiedNewtonEuler>(joints), (OperationCounts{94 * n - 42, 83 * n - 39, 0, n}));
    EXPECT_EQ(counts_of<Lagrange>(joints), (OperationCounts{(27 * n * n * n + 181 * n * n + 26 * n) / 2, (32 * n * n * n + 222 * n * n - 8 * n) / 3, 0, n}));
  }
}

// --- the registry's rows -------------------------------------------------------------------------------------------------------------------------

TEST(Turney, RowsOnAModel) {
  const Model model = load("general-RRPRPR");
  const Prepared prepared(model);
  ASSERT_TRUE(prepared.forms().dh);
  Random random(9);
  const State s = random_state(model, random);
  const std::size_t n = s.q.size();
  const double allowed = 4 * tolerance(n, torque_condition(Oracle(model, s.q, s.v, s.a)));  // re-framed first: parameters carry rounding, too
  for (const Formulation& row : {newton_euler_row(), lagrange_row(), modified_newton_euler_row(), strobing_row()}) {
    SCOPED_TRACE(row.id);
    EXPECT_EQ(row.why_not(prepared), "");
    EXPECT_FALSE(row.citation.empty());
    const std::unique_ptr<Evaluator<double>> evaluator = row.make_double(prepared);
    ASSERT_NE(row.make_float(prepared), nullptr);
    ASSERT_NE(row.make_counted(prepared), nullptr);
    std::vector<double> tau(n), M(n * n);
    const Plan plan = make_plan(model);
    Effects bare;
    bare.rotor = false;
    if (row.gives(Quantity::inverse)) {
      evaluator->torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
      EXPECT_LT(relative_error(tau, inverse_of(plan, s, bare)), allowed);
    }
    if (row.gives(Quantity::bias)) {
      evaluator->bias(s.q.data(), s.v.data(), tau.data());
      EXPECT_LT(relative_error(tau, inverse_of(plan, unaccelerated(s), bare)), allowed);
    }
    if (row.gives(Quantity::mass)) {
      evaluator->mass(s.q.data(), M.data());
      EXPECT_LT(relative_error(M, test::mass_of(plan, s.q, false)), 4 * tolerance(n));
    }
  }
}

}  // namespace
}  // namespace ulna::test
