// Ball joints in Dynamics: machine code, floats, lanes and batches against the templates, and what needs unit quaternions.
#include <ulna/robot/derivative.hpp>
#include <ulna/robot/dynamics.hpp>

#include "support/cases.hpp"

namespace ulna::test {
namespace {

constexpr RandomOptions kTrees{.fewest = 2, .most = 7, .balls = true, .friction = false};
constexpr std::uint64_t kFew = 8;

const std::vector<Quantity> kTaken{Quantity::inverse,  Quantity::mass,    Quantity::bias,         Quantity::gravity,
                                   Quantity::coriolis, Quantity::forward, Quantity::mass_inverse, Quantity::inverse_derivatives};

template <class Body>
void for_each_tree(Body body) {
  std::uint64_t robots = 0;
  for (std::uint64_t seed = 1; robots < kFew; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Model model = random_model(seed, kTrees);
    if (!model.has_balls()) continue;
    if (++robots % 2 == 0) model = with_base(with_heavy_root(model), RootJoint::free);
    Random random(seed);
    body(model, random);
  }
}

double farthest(const std::vector<double>& got, const std::vector<double>& wanted) {
  double most = 0, size = 1;
  for (std::size_t k = 0; k < got.size(); ++k) {
    size = std::max(size, std::fabs(wanted[k]));
    if (const double off = std::fabs(got[k] - wanted[k]); !(off <= most)) most = off;
  }
  return most / size;
}

TEST(BallDynamics, MachineCodeAgreesWithTheTemplates) {
  for_each_tree([](const Model& model, Random& random) {
    std::vector<Quantity> wanted = kTaken;
    if (model.nv() > 5) wanted.pop_back();  // derivatives of more coordinates take seconds to compile
    const Dynamics compiled(model, {.quantities = wanted, .threads = 1});
    const Plan plan = make_plan(model);
    const State s = random_state(model, random);
    const double cond = condition_number(mass_of(plan, s.q));
    for (const Quantity quantity : wanted) {
      SCOPED_TRACE(to_string(quantity));
      EXPECT_EQ(compiled.why_not_compiled(quantity), "");
      std::vector<double> out(row_of(quantity).size(plan.sizes()));
      compiled.compute(quantity, {s.q.data(), s.v.data(), s.a.data()}, out.data());
      EXPECT_LT(farthest(out, numbers_of(quantity, plan, s)), 1e-12 * cond);
    }
  });
}

TEST(BallDynamics, BatchesAreStatesOneByOne) {
  for_each_tree([](const Model& model, Random& random) {
    const Dynamics dynamics(model, {.threads = 1});
    constexpr std::size_t kCount = 37;
    const std::size_t nq = model.nq(), nv = model.nv();
    std::vector<double> q, v, a, tau(kCount * nv), one(nv);
    for (std::size_t k = 0; k < kCount; ++k) {
      const State s = random_state(model, random);
      q.insert(q.end(), s.q.begin(), s.q.end()), v.insert(v.end(), s.v.begin(), s.v.end()), a.insert(a.end(), s.a.begin(), s.a.end());
    }
    dynamics.inverse_batch({q.data(), nq, kCount}, {v.data(), nv, kCount}, {a.data(), nv, kCount}, {tau.data(), nv, kCount});
    for (std::size_t k = 0; k < kCount; ++k) {
      dynamics.inverse({&q[k * nq], nq}, {&v[k * nv], nv}, {&a[k * nv], nv}, one);
      for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(tau[k * nv + i], one[i], 1e-12 * (1 + std::fabs(one[i])));
    }
    // One quaternion that is off names its state and its joint.
    q[20 * nq + model.quaternions().back()] += 0.5;
    try {
      dynamics.inverse_batch({q.data(), nq, kCount}, {v.data(), nv, kCount}, {a.data(), nv, kCount}, {tau.data(), nv, kCount});
      FAIL() << "it was taken";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("state 21 of 37: the quaternion of joint 'joint"), std::string::npos) << error.what();
    }
  });
}

TEST(BallDynamics, FloatsAgreeToTheirDigits) {
  for_each_tree([](const Model& model, Random& random) {
    const DynamicsOf<float> dynamics(model, {.threads = 1});
    const State s = random_state(model, random);
    const std::vector<float> q(s.q.begin(), s.q.end()), v(s.v.begin(), s.v.end()), a(s.a.begin(), s.a.end());
    std::vector<float> tau(model.nv());
    EXPECT_EQ(dynamics.why_not_compiled(Quantity::inverse), "");
    dynamics.compute(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data());
    EXPECT_LT(farthest({tau.begin(), tau.end()}, inverse_of(make_plan(model), s)), 1e-4);
  });
}

// A bad number anywhere in q makes every result NaN, in templates and in machine code.
TEST(BallDynamics, BadQuaternionsGiveGaps) {
  for_each_tree([](const Model& model, Random& random) {
    const Dynamics dynamics(model, {.threads = 1});
    for (const std::size_t at : model.quaternions())
      for (std::size_t k = at; k < at + 4; ++k) {
        State s = random_state(model, random);
        s.q[k] = std::numeric_limits<double>::quiet_NaN();
        std::vector<double> tau(model.nv());
        dynamics.compute(Quantity::inverse, {s.q.data(), s.v.data(), s.a.data()}, tau.data());
        for (const double x : tau) EXPECT_TRUE(std::isnan(x));
      }
  });
}

// Derivatives of any quantity by q are along the tangents, as those of torques are.
TEST(BallDynamics, DerivativesOfTorquesByTheProgramAreThoseOfTheQuantity) {
  for_each_tree([](const Model& model, Random& random) {
    Derivative by_q(model, {.of = Quantity::inverse, .by = "q"});
    const Plan plan = make_plan(model);
    const State s = random_state(model, random);
    std::vector<double> D(by_q.size());
    by_q({s.q.data(), s.v.data(), s.a.data()}, {}, D);
    const std::vector<double> all = numbers_of(Quantity::inverse_derivatives, plan, s);
    EXPECT_LT(farthest(D, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(D.size())}), 1e-11);
    EXPECT_THROW(Derivative(model, {.of = Quantity::energy, .by = "q", .product = Product::second}), std::invalid_argument);
  });
}

}  // namespace
}  // namespace ulna::test
