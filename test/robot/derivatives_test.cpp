// Derivatives by machine code: against the templates, which test/dynamics compares with dual numbers; one state, batches, lanes, friction, other loads.
#include <ulna/robot/dynamics.hpp>

#include "jit/machine_code.hpp"
#include "support/builtin.hpp"
#include "support/cases.hpp"
#include "support/compiled.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

constexpr Quantity kBoth[] = {Quantity::inverse_derivatives, Quantity::forward_derivatives};

template <class T>
Eigen::MatrixXd matrix(const std::vector<T>& x, std::size_t n) {
  const std::vector<double> wide(x.begin(), x.end());
  return Eigen::Map<const Eigen::MatrixXd>(wide.data(), static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(3 * n));
}

/// Torques that give a, in T.
template <class T>
State at_torques(const Plan& plan, State s, const Effects& effects) {
  s.a = inverse_of(plan, s, effects);
  for (double& x : s.a) x = static_cast<double>(static_cast<T>(x));
  return s;
}

template <class T>
State rounded(State s) {
  for (std::vector<double>* part : {&s.q, &s.v, &s.a})
    for (double& x : *part) x = static_cast<double>(static_cast<T>(x));
  return s;
}

/// Both quantities of one state against the templates in doubles on the robot's own frames.
template <class T>
void compare(const Model& model, const DynamicsOf<T>& dynamics, const State& given, const Effects& effects) {
  const std::size_t n = model.nv();
  const State s = rounded<T>(given);
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const Oracle oracle(model, s.q, s.v, s.a, effects);
  const Eigen::MatrixXd M = mass_of(plan, s.q, effects.rotor);
  for (const Quantity quantity : kBoth) {
    SCOPED_TRACE(to_string(quantity));
    const bool forward = quantity == Quantity::forward_derivatives;
    const State at = forward ? at_torques<T>(plan, s, effects) : s;
    std::vector<double> wanted(3 * n * n);
    compute(quantity, plan, ws, {at.q.data(), at.v.data(), at.a.data()}, wanted.data(), effects);
    const std::vector<T> q(at.q.begin(), at.q.end()), v(at.v.begin(), at.v.end()), last(at.a.begin(), at.a.end());
    std::vector<T> got(3 * n * n);
    dynamics.compute(quantity, {q.data(), v.data(), last.data()}, got.data());
    const Eigen::MatrixXd want = matrix(wanted, n), have = matrix(got, n);
    if (!forward) {
      for (Eigen::Index part = 0; part < 3; ++part) {
        const auto columns = static_cast<Eigen::Index>(n);
        const double size = std::max(want.middleCols(part * columns, columns).cwiseAbs().maxCoeff(), part == 2 ? 0 : oracle.torque_size());
        EXPECT_LE((have - want).middleCols(part * columns, columns).cwiseAbs().maxCoeff(), size * tolerance<T>(steps(model), 4)) << part;
      }
    } else if (condition_number(M) * tolerance<T>(steps(model)) < 0.01) {
      // Put back: what M⁻¹ magnifies is no fault.
      const double cond = condition_number(M), size = std::max((M.cwiseAbs() * want.cwiseAbs()).maxCoeff(), oracle.torque_size());
      EXPECT_LE((M * (have - want)).cwiseAbs().maxCoeff(), size * tolerance<T>(steps(model), 4 * cond));
    }
  }
}

template <class T>
class DerivativesTest : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(DerivativesTest, Reals);

TYPED_TEST(DerivativesTest, OfEveryBuiltInRobotAreTheTemplates) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    const Model model = load(std::string(robot.id));
    if (model.nv() > 20) continue;  // slow to compile; test/emit verifies the humanoids
    for (const InstructionSet set : available_sets()) {
      SCOPED_TRACE(::testing::Message() << robot.id << " " << to_string(set));
      const DynamicsOf<TypeParam> dynamics(model, {.quantities = and_also({Quantity::inverse_derivatives, Quantity::forward_derivatives}), .most = set});
      EXPECT_TRUE(dynamics.refused().empty());
      for (const Quantity quantity : kBoth) EXPECT_TRUE(dynamics.compiled(quantity)) << to_string(quantity);
      Random random(11);
      for (int k = 0; k < 3; ++k) compare(model, dynamics, random_state(model, random), {});
    }
  }
}

TYPED_TEST(DerivativesTest, OfRandomRobotsAreTheTemplates) {
  for (std::uint64_t seed = 1; seed <= so_many(20u, 60u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, {.most = 9, .mimic = seed % 3 == 0});
    Random random(seed);
    const std::vector<InstructionSet> sets = available_sets();
    Effects effects;
    effects.rotor = seed % 4 != 0;
    effects.friction = seed % 2 == 0;
    const DynamicsOf<TypeParam> dynamics(model, {.rotor = effects.rotor,
                                                 .friction = effects.friction,
                                                 .quantities = and_also({Quantity::inverse_derivatives, Quantity::forward_derivatives}),
                                                 .most = sets[seed % sets.size()]});
    EXPECT_TRUE(dynamics.compiled(Quantity::inverse_derivatives) && dynamics.compiled(Quantity::forward_derivatives));
    compare(model, dynamics, random_state(model, random), effects);
  }
}

// What is solved in loops beside the program (jit/tree_solve.hpp); and a batch gives the bits of single calls, on one thread and on two.
TYPED_TEST(DerivativesTest, OfLargeTreesAreTheTemplates) {
  using T = TypeParam;
  for (std::uint64_t seed = 1; seed <= so_many(6u, 20u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Model model = random_model(seed, {.fewest = 18, .most = 24, .massless = false, .mimic = seed % 4 == 0});
    if (seed % 3 == 0) model = with_base(model, RootJoint::free);
    const std::vector<InstructionSet> sets = available_sets();
    for (const std::size_t threads : {1u, 2u}) {
      const DynamicsOf<T> dynamics(model, {.friction = seed % 2 == 0,
                                           .quantities = and_also({Quantity::inverse_derivatives, Quantity::forward_derivatives}),
                                           .threads = threads,
                                           .most = sets[seed % sets.size()]});
      EXPECT_TRUE(dynamics.refused().empty());
      ASSERT_TRUE(dynamics.compiled(Quantity::forward_derivatives));
      Random random(seed);
      Effects effects;
      effects.friction = seed % 2 == 0;
      compare(model, dynamics, random_state(model, random), effects);
      const std::size_t n = model.nv(), count = 2 * dynamics.lanes() + 1, size = 3 * n * n;
      std::vector<T> in[3], batch(size * count), one(size);
      for (std::size_t k = 0; k < count; ++k) {
        const State s = rounded<T>(random_state(model, random));
        in[0].insert(in[0].end(), s.q.begin(), s.q.end());
        in[1].insert(in[1].end(), s.v.begin(), s.v.end());
        in[2].insert(in[2].end(), s.a.begin(), s.a.end());
      }
      in[2][n] = std::numeric_limits<T>::quiet_NaN();  // of the second state
      for (const Quantity quantity : kBoth) {
        SCOPED_TRACE(to_string(quantity));
        dynamics.compute_batch(
            quantity,
            {MatrixView<const T>(in[0].data(), model.nq(), count), MatrixView<const T>(in[1].data(), n, count), MatrixView<const T>(in[2].data(), n, count)},
            MatrixView<T>(batch.data(), size, count));
        for (std::size_t k = 0; k < count; ++k) {
          dynamics.compute(quantity, &in[0][k * model.nq()], &in[1][k * n], &in[2][k * n], one.data());
          for (std::size_t i = 0; i < size; ++i) {
            if (k == 1) {
              ASSERT_TRUE(std::isnan(one[i]) && std::isnan(batch[k * size + i])) << i;
            } else {
              ASSERT_EQ(one[i], batch[k * size + i]) << k << " " << i;
            }
          }
        }
      }
    }
  }
}

// Batches and lanes give what single calls give, with friction and without; another load needs no other code.
TYPED_TEST(DerivativesTest, InBatchesAndLanes) {
  using T = TypeParam;
  for (const bool friction : {false, true}) {
    const Model model = load("panda");
    const DynamicsOf<T> first(model,
                              {.friction = friction, .quantities = and_also({Quantity::inverse_derivatives, Quantity::forward_derivatives}), .threads = 1});
    const DynamicsOf<T> loaded = first.with_payload(model.links().back().name, {1.5, {0.02, -0.01, 0.1}, {0.01, 0.01, 0.01}});
    EXPECT_TRUE(loaded.shares_code(first));
    for (const DynamicsOf<T>* dynamics : {&first, &loaded}) {
      const std::size_t n = model.nv(), width = dynamics->lanes(), count = 3 * width + 1;
      Random random(3);
      std::vector<T> in[3], one(3 * n * n), batch(3 * n * n * count), lanes(3 * n * n * width), blocks[3];
      for (std::vector<T>& part : in)
        for (const double x : random.numbers(n * count, -1, 1)) part.push_back(static_cast<T>(x));
      const auto view = [&](std::size_t k) { return MatrixView<const T>(in[k].data(), n, count); };
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t l = 0; l < width; ++l) blocks[k].push_back(in[k][l * n + i]);
      for (const Quantity quantity : kBoth) {
        SCOPED_TRACE(to_string(quantity));
        const MatrixView<T> out(batch.data(), 3 * n * n, count);
        if (quantity == Quantity::inverse_derivatives) {
          dynamics->compute_batch(Quantity::inverse_derivatives, {view(0), view(1), view(2)}, out);
          dynamics->compute_lanes(Quantity::inverse_derivatives, {blocks[0].data(), blocks[1].data(), blocks[2].data()}, lanes.data(), 1);
        } else {
          dynamics->compute_batch(Quantity::forward_derivatives, {view(0), view(1), view(2)}, out);
          dynamics->compute_lanes(Quantity::forward_derivatives, {blocks[0].data(), blocks[1].data(), blocks[2].data()}, lanes.data(), 1);
        }
        for (std::size_t k = 0; k < count; ++k) {
          const T *q = &in[0][k * n], *v = &in[1][k * n], *last = &in[2][k * n];
          dynamics->compute(quantity, q, v, last, one.data());
          const double size = matrix(one, n).cwiseAbs().maxCoeff();
          for (std::size_t i = 0; i < one.size(); ++i) {
            EXPECT_NEAR(batch[k * one.size() + i], one[i], size * tolerance<T>(7, 100)) << k << " " << i;
            if (k < width) {
              EXPECT_NEAR(lanes[i * width + k], one[i], size * tolerance<T>(7, 100)) << k << " " << i;
            }
          }
        }
      }
    }
  }
}

TEST(Derivatives, AreServedByTheTemplatesUntilTheyAreAskedFor) {
  const Dynamics dynamics(load("planar-2r"));
  EXPECT_FALSE(dynamics.compiled(Quantity::inverse_derivatives) || dynamics.compiled(Quantity::forward_derivatives));
  const std::vector<double> q{0.3, -0.5}, v{1, 2}, a{0.1, 0.2};
  Eigen::MatrixXd d(2, 6), M(2, 2);
  dynamics.inverse_derivatives(q, v, a, d);
  dynamics.mass(q, M);
  EXPECT_LT((d.rightCols(2) - M).cwiseAbs().maxCoeff(), 1e-14);
  Eigen::MatrixXd wrong(2, 4);
  EXPECT_THROW(dynamics.forward_derivatives(q, v, a, wrong), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
