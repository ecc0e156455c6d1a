// An input that is NaN, infinite, or an angle beyond 1.6e6 rad makes every result of its state NaN, and changes no bit of any other state.
#include <cmath>
#include <cstring>

#include <ulna/robot/dynamics.hpp>

#include "jit/machine_code.hpp"
#include "support/cases.hpp"
#include "support/compiled.hpp"

namespace ulna::test {
namespace {

/// Any quantity of one robot on one state or on many, inputs one after the other.
template <class T>
struct Tasks {
  const DynamicsOf<T>& dynamics;
  std::size_t link;
  std::size_t n = dynamics.nv();

  std::vector<T> one(const QuantityRow& row, const std::vector<T>& in) const {
    std::vector<T> out(row.size(dynamics.model().sizes()));
    dynamics.compute(row.quantity, {in.data(), in.data() + n, in.data() + 2 * n, row.of_link ? link : kNone}, out.data());
    return out;
  }

  /// States of all joints' q, then v, then a, each a column.
  std::vector<T> batch(const QuantityRow& row, const std::vector<std::vector<T>>& states) const {
    const std::size_t count = states.size();
    std::vector<T> in[3], out(row.size(dynamics.model().sizes()) * count);
    std::vector<MatrixView<const T>> views;
    for (std::size_t s = 0; s < row.inputs.size(); ++s) {
      for (const std::vector<T>& state : states)
        for (std::size_t k = 0; k < n; ++k) in[s].push_back(state[s * n + k]);
      views.emplace_back(in[s].data(), n, count);
    }
    dynamics.compute_batch(row.quantity, views, MatrixView<T>(out.data(), row.size(dynamics.model().sizes()), count), link);
    return out;
  }
};

template <class T>
bool all_nan(const T* x, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k)
    if (!std::isnan(x[k])) return false;
  return true;
}

template <class T>
void try_bad_states(const Model& model, InstructionSet set, bool friction, std::uint64_t seed) {
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN(), kInfinity = std::numeric_limits<T>::infinity();
  const std::size_t link = model.links().size() - 1;
  DynamicsOptions options{
      .friction = friction, .quantities = and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}), .threads = 1, .most = set};
  if (seed % 2 == 0) options.links = {model.links().back().name};
  const DynamicsOf<T> dynamics(model, options);
  const Tasks<T> tasks{dynamics, link};
  const std::size_t n = tasks.n, count = 2 * dynamics.lanes() + 1;
  Random random(seed);
  std::vector<std::vector<T>> states(count);
  for (std::vector<T>& state : states) {
    const State s = random_state(model, random);
    for (const std::vector<double>* part : {&s.q, &s.v, &s.a}) state.insert(state.end(), part->begin(), part->end());
  }
  for (const QuantityRow& task : quantities()) {
    SCOPED_TRACE(task.id);
    const std::size_t size = task.size(model.sizes());
    const std::vector<T> sound = tasks.batch(task, states);
    for (const T x : sound) ASSERT_TRUE(std::isfinite(x));
    for (std::size_t k = 0; k < task.inputs.size() * n; ++k) {
      std::vector<T> bad_ones{kNan, kInfinity, -kInfinity};
      const Joint& joint = model.joints()[model.independent()[k % n]];
      if (k < n && joint.type != JointType::prismatic) bad_ones.insert(bad_ones.end(), {T(1.648e6), T(-3e6)});
      for (const T bad : bad_ones) {
        std::vector<T> state = states[0];
        state[k] = bad;
        EXPECT_TRUE(all_nan(tasks.one(task, state).data(), size)) << "input " << k << " = " << bad;
      }
      const std::size_t where = random.below(count);
      std::vector<std::vector<T>> some = states;
      some[where][k] = bad_ones[k % bad_ones.size()];
      std::vector<T> got = tasks.batch(task, some);
      EXPECT_TRUE(all_nan(&got[where * size], size)) << "input " << k << " = " << some[where][k] << " of state " << where;
      std::copy_n(&sound[where * size], size, &got[where * size]);
      EXPECT_EQ(std::memcmp(got.data(), sound.data(), got.size() * sizeof(T)), 0) << "other states than " << where;
    }
  }
}

template <class T>
class BadStates : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BadStates, Reals);

TYPED_TEST(BadStates, OfBuiltInRobots) {
  for (const char* name : {"panda", "stanford", "scara", "planar-2r", "general-RPRPR"})
    for (const InstructionSet set : all_ways()) {
      SCOPED_TRACE(::testing::Message() << name << " " << to_string(set));
      try_bad_states<TypeParam>(load(name), set, false, 2);
    }
}

// Trees, whose branches do not depend on one another; slides, whose coordinates stand in denominators of accelerations; couplings, friction.
TYPED_TEST(BadStates, OfRandomRobots) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Model model = random_model(seed, {.most = 9, .mimic = seed % 3 == 0});
    const InstructionSet set = all_ways()[seed % all_ways().size()];
    SCOPED_TRACE(::testing::Message() << "seed " << seed << " " << to_string(set));
    try_bad_states<TypeParam>(model, set, seed % 2 == 0, seed);
  }
}

TEST(BadStates, GuardsAreCountedApart) {
  for (const KernelReport& kernel : Dynamics(load("panda"), {.rotor = false}).kernels()) {
    if (kernel.quantity != Quantity::inverse) continue;
    // One angle, that of the first joint, enters no torque: it is multiplied by a number that makes it overflow, by 0, and squared; then seven results.
    EXPECT_EQ(kernel.guards.mul, 3 + 7);
    EXPECT_EQ(kernel.guards.add, 7);
    // One frame is turned.
    EXPECT_EQ(kernel.angle_sums.mul, 4);
    EXPECT_EQ(kernel.angle_sums.add, 1);
  }
}

}  // namespace
}  // namespace ulna::test
