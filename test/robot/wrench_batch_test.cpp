// Wrenches of each state of a batch: against the recursion with the wrench in it, state by state, and against Jacobians times wrenches.
#include <gtest/gtest.h>

#include <ulna/ulna.hpp>

#include "support/random_model.hpp"

namespace ulna::test {
namespace {

constexpr std::size_t kStates = 21;  // more than two blocks of lanes, and some more

/// States of any robot: closed, with a quaternion of unit length.
template <class T>
struct BatchStates {
  BatchStates(const Dynamics& dynamics, Random& random) : nq(dynamics.nq()), nv(dynamics.nv()) {
    for (std::size_t k = 0; k < kStates; ++k) {
      std::vector<double> at = dynamics.model().reference();
      for (double& x : at) x += random.uniform(-0.2, 0.2);
      normalize(dynamics.model(), at);
      dynamics.close(at);
      for (const double x : at) q.push_back(static_cast<T>(x));
      for (std::size_t i = 0; i < nv; ++i) v.push_back(static_cast<T>(random.uniform(-1, 1))), a.push_back(static_cast<T>(random.uniform(-1, 1)));
    }
  }
  MatrixView<const T> all(const std::vector<T>& x, std::size_t rows) const { return {x.data(), rows, kStates}; }
  std::vector<MatrixView<const T>> inputs(std::size_t count) const {
    std::vector<MatrixView<const T>> views{all(q, nq), all(v, nv), all(a, nv)};
    views.resize(count, views[0]);
    return views;
  }
  std::vector<double> state(const std::vector<T>& x, std::size_t rows, std::size_t k) const {
    return {x.begin() + static_cast<std::ptrdiff_t>(k * rows), x.begin() + static_cast<std::ptrdiff_t>((k + 1) * rows)};
  }

  std::size_t nq, nv;
  std::vector<T> q, v, a;
};

std::vector<Model> wrenched_robots() {
  std::vector<Model> all{load("panda"), load("five-bar"), load("delta"), with_base(load("ur5"), RootJoint::free), with_base(load("scara"), RootJoint::planar)};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) all.push_back(random_model(seed, {.most = 9, .mimic = seed % 2 == 0}));
  return all;
}

template <class T>
class WrenchBatchOf : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(WrenchBatchOf, Precisions);

TYPED_TEST(WrenchBatchOf, IsTheRecursionOfEachState) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (const Model& model : wrenched_robots())
    for (const bool compiled : {true, false}) {
      SCOPED_TRACE(model.name() + (compiled ? ", compiled" : ", templates"));
      Random random(seed++);
      const bool friction = seed % 4 < 2 && !model.closed();
      const InstructionSet most = compiled ? InstructionSet::avx512 : InstructionSet::none;
      const Dynamics reference(model, {.friction = friction, .threads = 1, .most = InstructionSet::none});
      const DynamicsOf<T> dynamics(model, {.friction = friction, .links = {model.links().back().name}, .threads = 2, .most = most});
      const BatchStates<T> states(reference, random);
      const std::size_t nv = states.nv, last = model.links().size() - 1, middle = model.links().size() / 2;
      std::vector<T> each, same;
      for (std::size_t k = 0; k < 6 * kStates; ++k) each.push_back(static_cast<T>(random.uniform(-3, 3)));
      for (std::size_t k = 0; k < 6; ++k) same.push_back(static_cast<T>(random.uniform(-3, 3)));
      const WrenchStatesOf<T> wrenches[] = {{last, Axes::link, {each.data(), 6, kStates}}, {middle, Axes::world, {same.data(), 6, 1}}};
      for (const Quantity quantity : {Quantity::inverse, Quantity::bias, Quantity::forward}) {
        const std::size_t inputs = row_of(quantity).inputs.size();
        std::vector<T> got(nv * kStates);
        dynamics.compute_batch(quantity, states.inputs(inputs), {got.data(), nv, kStates}, wrenches);
        for (std::size_t k = 0; k < kStates; ++k) {
          const std::vector<double> q = states.state(states.q, states.nq, k), v = states.state(states.v, nv, k), a = states.state(states.a, nv, k);
          const auto wrench = [&](std::size_t link, Axes axes, const T* x) {
            return Wrench{link, axes, Vec3<T>{x[0], x[1], x[2]}.template cast<double>(), Vec3<T>{x[3], x[4], x[5]}.template cast<double>()};
          };
          const std::vector<Wrench> acting{wrench(last, Axes::link, &each[6 * k]), wrench(middle, Axes::world, same.data())};
          std::vector<double> wanted(nv);
          reference.compute(quantity, {q.data(), v.data(), a.data()}, wanted.data(), {.friction = friction, .wrenches = acting});
          double size = 10, loss = 1;
          for (const double x : wanted) size = std::max(size, std::fabs(x));
          if (quantity == Quantity::forward) {  // rounding of the torques, through M⁻¹
            std::vector<double> M_inverse(nv * nv);
            reference.compute(Quantity::mass_inverse, q.data(), nullptr, nullptr, M_inverse.data());
            for (const double x : M_inverse) loss = std::max(loss, 100 * std::fabs(x));
          }
          for (std::size_t i = 0; i < nv; ++i)
            EXPECT_NEAR(static_cast<double>(got[k * nv + i]), wanted[i], (sizeof(T) == 4 ? 2e-5 : 1e-12) * size * loss) << to_string(quantity) << " " << k;
        }
      }
    }
}

// The torque of a wrench is Jᵀ w, whoever computes: machine code and templates, of all quantities that have wrenches in them.
TEST(WrenchBatch, IsItsJacobianTimesItself) {
  const Model model = load("panda");
  const std::size_t hand = *model.find_link("hand"), nv = model.nv();
  for (const InstructionSet most : {InstructionSet::avx512, InstructionSet::none}) {
    const Dynamics dynamics(model, {.threads = 1, .most = most});
    Random random(5);
    const BatchStates<double> states(dynamics, random);
    std::vector<double> W;
    for (std::size_t k = 0; k < 6 * kStates; ++k) W.push_back(random.uniform(-3, 3));
    const WrenchStatesOf<double> wrench{hand, Axes::world, {W.data(), 6, kStates}};
    std::vector<double> bare(nv * kStates), got(nv * kStates), J(6 * nv), d(3 * nv * nv * kStates), d_bare(d);
    dynamics.inverse_batch(states.all(states.q, nv), states.all(states.v, nv), states.all(states.a, nv), MatrixView<double>(bare.data(), nv, kStates));
    dynamics.compute_batch(Quantity::inverse, states.inputs(3), {got.data(), nv, kStates}, {&wrench, 1});
    for (std::size_t k = 0; k < kStates; ++k) {
      dynamics.compute(Quantity::jacobian, &states.q[k * nv], nullptr, nullptr, J.data(), hand);
      const double* w = &W[6 * k];
      for (std::size_t i = 0; i < nv; ++i) {
        double power = 0;
        for (std::size_t r = 0; r < 3; ++r) power += J[6 * i + r] * w[3 + r] + J[6 * i + 3 + r] * w[r];
        EXPECT_NEAR(got[k * nv + i], bare[k * nv + i] - power, 1e-12 * 100);
      }
    }
    // By accelerations nothing changes; by q it does.
    dynamics.compute_batch(Quantity::inverse_derivatives, states.inputs(3), {d.data(), 3 * nv * nv, kStates}, {&wrench, 1});
    dynamics.compute_batch(Quantity::inverse_derivatives, states.inputs(3), {d_bare.data(), 3 * nv * nv, kStates});
    double by_q = 0, by_a = 0;
    for (std::size_t k = 0; k < nv * nv; ++k)
      by_q = std::max(by_q, std::fabs(d[k] - d_bare[k])), by_a = std::max(by_a, std::fabs(d[2 * nv * nv + k] - d_bare[2 * nv * nv + k]));
    EXPECT_GT(by_q, 0.01);
    EXPECT_LT(by_a, 1e-12);
  }
}

// NaN and infinity stay in their state, and threads change no bit.
TEST(WrenchBatch, StatesAreApart) {
  const Model model = load("panda");
  const std::size_t hand = *model.find_link("hand"), nv = model.nv();
  const Dynamics dynamics(model, {.threads = 1});
  Random random(6);
  const BatchStates<double> states(dynamics, random);
  std::vector<double> W(6 * kStates, 0.5), right(nv * kStates), got(right), one(nv);
  const WrenchStatesOf<double> wrench{hand, Axes::link, {W.data(), 6, kStates}};
  dynamics.compute_batch(Quantity::forward, states.inputs(3), {right.data(), nv, kStates}, {&wrench, 1});
  const MatrixView<const double> first[] = {{states.q.data(), nv, 1}, {states.v.data(), nv, 1}, {states.a.data(), nv, 1}};
  const WrenchStatesOf<double> of_first{hand, Axes::link, {W.data(), 6, 1}};
  dynamics.compute_batch(Quantity::forward, first, {one.data(), nv, 1}, {&of_first, 1});
  EXPECT_TRUE(std::equal(one.begin(), one.end(), right.begin()));
  W[6 * 3] = std::nan(""), W[6 * 7 + 4] = std::numeric_limits<double>::infinity();
  dynamics.with_threads(2).compute_batch(Quantity::forward, states.inputs(3), {got.data(), nv, kStates}, {&wrench, 1});
  for (std::size_t k = 0; k < kStates; ++k)
    for (std::size_t i = 0; i < nv; ++i) {
      if (k == 3 || k == 7)
        EXPECT_TRUE(std::isnan(got[k * nv + i])) << k;
      else
        EXPECT_EQ(got[k * nv + i], right[k * nv + i]) << k;
    }
}

TEST(WrenchBatch, WrongSizesAreRefusedWithBothNumbers) {
  const Model model = load("panda");
  const std::size_t nv = model.nv();
  const Dynamics dynamics(model, {.threads = 1});
  Random random(7);
  const BatchStates<double> states(dynamics, random);
  std::vector<double> W(6 * kStates), out(nv * kStates);
  const auto why = [&](const WrenchStatesOf<double>& wrench, Quantity quantity = Quantity::inverse) -> std::string {
    try {
      dynamics.compute_batch(quantity, states.inputs(row_of(quantity).inputs.size()), {out.data(), row_of(quantity).size(model.sizes()), kStates},
                             {&wrench, 1});
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "taken";
  };
  EXPECT_EQ(why({0, Axes::link, {W.data(), 6, kStates}}), "taken");
  EXPECT_NE(why({99, Axes::link, {W.data(), 6, kStates}}).find("link index 99 is out of range"), std::string::npos);
  EXPECT_NE(why({1, Axes::link, {W.data(), 5, kStates}}).find("has 5 rows, but must have 6"), std::string::npos);
  EXPECT_NE(why({1, Axes::link, {W.data(), 6, 4}}).find("has 4 columns, but q has 21"), std::string::npos);
  EXPECT_NE(why({1, Axes::link, {W.data(), 6, kStates}}, Quantity::gravity).find("gravity does not depend on wrenches"), std::string::npos);
  EXPECT_NE(why({1, Axes::link, {out.data(), 6, 1}}).find("share memory"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
