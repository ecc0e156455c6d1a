// The five formulations of Hollerbach's paper against an oracle in long double, numbers of an independent program, and the paper's way of counting.
#include <array>

#include <ulna/source/load.hpp>

#include "formulation/formulated.hpp"
#include "formulation/hollerbach_3x3.hpp"
#include "formulation/hollerbach_4x4.hpp"
#include "formulation/newton_euler_base.hpp"
#include "formulation/rows.hpp"
#include "formulation/support_holl.hpp"
#include "formulation/uicker_kahn.hpp"
#include "formulation/waters.hpp"

namespace ulna::test {
namespace {

template <template <class P, Scalar T> class F>
struct Named {
  template <class P, class T>
  using type = F<P, T>;
};
struct UickerKahnForm : Named<hollerbach::UickerKahn> {
  static constexpr std::string_view id = "uicker-kahn";
  static Formulation row() { return uicker_kahn_row(); }
};
struct WatersForm : Named<hollerbach::Waters> {
  static constexpr std::string_view id = "waters";
  static Formulation row() { return waters_row(); }
};
struct Hollerbach4x4Form : Named<hollerbach::Hollerbach4x4> {
  static constexpr std::string_view id = "hollerbach-4x4";
  static Formulation row() { return hollerbach_4x4_row(); }
};
struct Hollerbach3x3Form : Named<hollerbach::Hollerbach3x3> {
  static constexpr std::string_view id = "hollerbach-3x3";
  static Formulation row() { return hollerbach_3x3_row(); }
};
struct NewtonEulerBaseForm : Named<hollerbach::NewtonEulerBase> {
  static constexpr std::string_view id = "newton-euler-base";
  static Formulation row() { return newton_euler_base_row(); }
};

template <class Form>
class HollerbachPaper : public ::testing::Test {};
struct FormNames {
  template <class Form>
  static std::string GetName(int) {
    return std::string(Form::id);
  }
};
using Forms = ::testing::Types<UickerKahnForm, WatersForm, Hollerbach4x4Form, Hollerbach3x3Form, NewtonEulerBaseForm>;
TYPED_TEST_SUITE(HollerbachPaper, Forms, FormNames);

// body(arm, state, cond), for every mixture of joints.
template <class Body>
void for_each_state(Body body) {
  Random random(1980);
  for (const std::string& types : joint_mixtures())
    for (const Parameters parameters : {Parameters::general, Parameters::degenerate}) {
      SCOPED_TRACE(::testing::Message() << types << (parameters == Parameters::general ? " general" : " degenerate"));
      const DhArm arm = random_dh_arm(types, parameters, random);
      for (int k = 0; k < kStates; ++k) {
        const State s = random_state(arm.model, random);
        body(arm, s, torque_condition(Oracle(arm.model, s.q, s.v, s.a)));
      }
    }
}

TYPED_TEST(HollerbachPaper, EqualsOracleOnAllMixturesOfJoints) {
  double worst = 0;
  for_each_state([&](const DhArm& arm, const State& s, double cond) {
    const double bound = tolerance(arm.chain.size(), cond);
    const double error = relative_error(torque_of<TypeParam>(arm.chain, s), doubles(Oracle(arm.model, s.q, s.v, s.a).torques()));
    EXPECT_LT(error, bound);
    worst = std::max(worst, error / bound);
  });
  this->RecordProperty("worst_part_of_tolerance", std::to_string(worst));
}

TYPED_TEST(HollerbachPaper, EqualsProductionPath) {
  for_each_state([](const DhArm& arm, const State& s, double cond) {
    EXPECT_LT(relative_error(torque_of<TypeParam>(arm.chain, s), inverse_of(make_plan(arm.model), s)), tolerance(arm.chain.size(), cond));
  });
}

TYPED_TEST(HollerbachPaper, RunsInFloat) {
  for_each_state([](const DhArm& arm, const State& s, double cond) {
    const auto tau = torque_of<TypeParam, float, float>(arm.chain, numbers_as<float>(s.q), numbers_as<float>(s.v), numbers_as<float>(s.a));
    EXPECT_LT(relative_error(numbers_as<double>({tau.begin(), tau.end()}), torque_of<TypeParam>(arm.chain, s)), tolerance<float>(arm.chain.size(), cond));
  });
}

TYPED_TEST(HollerbachPaper, CountedGivesTheSameNumbers) {
  for_each_state([](const DhArm& arm, const State& s, double) {
    const std::vector<double> tau = torque_of<TypeParam>(arm.chain, s);
    const std::vector<Counted> counted = torque_of<TypeParam, double, Counted>(arm.chain, variables(s.q), variables(s.v), variables(s.a));
    for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_EQ(counted[i].value(), tau[i]) << "joint " << i + 1;
  });
}

TYPED_TEST(HollerbachPaper, OneObjectServesManyCalls) {  // nothing of an earlier state stays behind
  Random random(4);
  const DhArm arm = random_dh_arm("RPRRP", Parameters::general, random);
  typename TypeParam::template type<double, double> formulation(arm.chain);
  std::vector<double> tau(5);
  for (int k = 0; k < 4; ++k) {
    const State s = random_state(arm.model, random);
    formulation.torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
    EXPECT_EQ(tau, torque_of<TypeParam>(arm.chain, s));
  }
}

// --- numbers from an independent double-precision recursion --------------------------------------------------------------------------------------

DhArm arm_of(const DhCase& c) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < c.types.size(); ++i) {
    const double* r = &c.com[3 * i];
    const double* I = &c.inertia[6 * i];
    Row row{c.types[i] == 'P', c.a[i], c.d[i], c.alpha[i], c.theta[i], body("", c.mass[i], {r[0], r[1], r[2]}, {I[0], I[1], I[2], I[3], I[4], I[5]})};
    (row.prismatic ? row.d : row.theta) = 0;  // there q stands for the whole variable
    rows.push_back(row);
  }
  return make_dh_arm(rows, {c.gravity[0], c.gravity[1], c.gravity[2]});
}

TYPED_TEST(HollerbachPaper, EqualsIndependentNumbers) {
  int compared = 0;
  for (const DhCase& c : dh_cases()) {
    if (c.convention != "standard") continue;
    SCOPED_TRACE(c.types);
    const DhArm arm = arm_of(c);
    const std::size_t n = c.q.size();
    for (std::size_t j = 0; j <= n; ++j) {  // no acceleration, then that of one joint after the other
      State s{c.q, c.v, zeros(c.q)};
      std::vector<double> expected = c.bias;
      if (j < n) {
        s.a[j] = 1;
        for (std::size_t i = 0; i < n; ++i) expected[i] += c.M[i * n + j];
      }
      const double cond = torque_condition(Oracle(arm.model, s.q, s.v, s.a));
      EXPECT_LT(relative_error(torque_of<TypeParam>(arm.chain, s), expected), tolerance(n, cond));
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

// --- through the registry's row ------------------------------------------------------------------------------------------------------------------

TYPED_TEST(HollerbachPaper, RowOnBuiltInRobots) {
  const Formulation row = TypeParam::row();
  EXPECT_EQ(row.id, TypeParam::id);
  EXPECT_TRUE(row.gives(Quantity::inverse));
  EXPECT_FALSE(row.gives(Quantity::mass));
  Random random(7);
  for (const char* name : {"puma560", "stanford", "scara", "ur5", "panda", "planar-2r"}) {
    SCOPED_TRACE(name);
    const Model model = load(name);
    const Prepared prepared(model);
    ASSERT_EQ(row.why_not(prepared), "");
    const auto formulation = row.make_double(prepared);
    Effects bodies_alone;
    bodies_alone.rotor = false;
    const Plan plan = make_plan(model);
    for (int k = 0; k < kStates; ++k) {
      const State s = random_state(model, random);
      std::vector<double> tau(s.q.size());
      formulation->torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
      const double cond = torque_condition(Oracle(model, s.q, s.v, s.a, bodies_alone));
      EXPECT_LT(relative_error(tau, inverse_of(plan, s, bodies_alone)), tolerance(steps(model), cond));
    }
  }
}

TYPED_TEST(HollerbachPaper, RowRefusesTrees) {
  const Prepared prepared(load("torso"));
  EXPECT_NE(TypeParam::row().why_not(prepared), "");
}

// --- counts --------------------------------------------------------------------------------------------------------------------------------------

template <class Form>
OperationCounts counts_of(std::size_t n, Parameters parameters) {
  Random random(n);
  const DhArm arm = random_dh_arm(std::string(n, 'R'), parameters, random);
  const State s = random_state(arm.model, random);
  typename Form::template type<double, Counted> formulation(arm.chain);
  std::vector<Counted> tau(n);
  const auto q = variables(s.q), v = variables(s.v), a = variables(s.a);
  operation_counts() = {};
  formulation.torque(q.data(), v.data(), a.data(), tau.data());
  return operation_counts();
}

// The paper skips nothing inside a matrix, so zeros among the parameters must not lower the count.
template <class Form, class Mul, class Add>
void expect_counts(Mul mul, Add add) {
  for (std::size_t n = 1; n <= 7; ++n)
    for (const Parameters parameters : {Parameters::general, Parameters::degenerate}) {
      const OperationCounts counts = counts_of<Form>(n, parameters);
      EXPECT_EQ(counts.mul, std::lround(mul(static_cast<double>(n)))) << "n = " << n;
      EXPECT_EQ(counts.add, std::lround(add(static_cast<double>(n)))) << "n = " << n;
      EXPECT_EQ(counts.div, 0);
      EXPECT_EQ(counts.sincos, static_cast<long>(n));
    }
}

TEST(HollerbachCounts, UickerKahn) {
  expect_counts<UickerKahnForm>([](double n) { return 32.5 * n * n * n * n + 356.0 / 3 * n * n * n + 203.5 * n * n + 160.0 / 3 * n - 128; },
                                [](double n) { return 25 * n * n * n * n + 274.0 / 3 * n * n * n + 155 * n * n + 122.0 / 3 * n - 96; });
}
TEST(HollerbachCounts, Waters) {
  expect_counts<WatersForm>([](double n) { return 106.5 * n * n + 620.5 * n - 529; }, [](double n) { return 82 * n * n + 481 * n - 432; });
}
TEST(HollerbachCounts, Hollerbach4x4) {
  expect_counts<Hollerbach4x4Form>([](double n) { return 810 * n - 609; }, [](double n) { return 643 * n - 512; });
}
TEST(HollerbachCounts, Hollerbach3x3Corrected) {  // the printed, incomplete equations would take 398n - 271 and 302n - 222
  expect_counts<Hollerbach3x3Form>([](double n) { return 410 * n - 274; }, [](double n) { return 317 * n - 225; });
}
TEST(HollerbachCounts, NewtonEulerBase) {  // here literals are skipped, so only arms in general position have this count
  for (std::size_t n = 2; n <= 7; ++n) {
    const OperationCounts counts = counts_of<NewtonEulerBaseForm>(n, Parameters::general);
    EXPECT_EQ(counts.mul, 183 * static_cast<long>(n) - 100);
    EXPECT_EQ(counts.add, 141 * static_cast<long>(n) - 98);
  }
}

}  // namespace
}  // namespace ulna::test
