// An input that is NaN, infinite, or an angle beyond 1.6e6 rad makes every result of its state NaN, and changes no bit of any other state.
#include <cmath>
#include <cstring>

#include <ulna/robot/dynamics.hpp>

#include "machine_code.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

constexpr Quantity kTasks[] = {Quantity::inverse, Quantity::forward,      Quantity::mass, Quantity::bias,
                               Quantity::gravity, Quantity::mass_inverse, Quantity::pose, Quantity::jacobian};

std::size_t signals(Quantity task) { return task <= Quantity::forward ? 3 : task == Quantity::bias ? 2 : 1; }

/// Any task of one robot on one state or on many, inputs one after the other.
template <class T>
struct Tasks {
  const DynamicsOf<T>& dynamics;
  std::size_t link;
  std::size_t n = dynamics.nv();

  std::size_t results(Quantity task) const {
    switch (task) {
      case Quantity::mass:
      case Quantity::mass_inverse: return n * n;
      case Quantity::pose: return 12;
      case Quantity::jacobian: return 6 * n;
      default: return n;
    }
  }

  std::vector<T> one(Quantity task, const std::vector<T>& in) const {
    std::vector<T> out(results(task));
    const T *q = in.data(), *v = q + n, *a = v + n;
    switch (task) {
      case Quantity::inverse: dynamics.inverse(q, v, a, out.data()); break;
      case Quantity::forward: dynamics.forward(q, v, a, out.data()); break;
      case Quantity::mass: dynamics.mass(q, out.data()); break;
      case Quantity::bias: dynamics.bias(q, v, out.data()); break;
      case Quantity::gravity: dynamics.gravity(q, out.data()); break;
      case Quantity::mass_inverse: dynamics.mass_inverse(q, out.data()); break;
      case Quantity::jacobian: dynamics.jacobian(q, link, out.data()); break;
      case Quantity::pose: {
        const Pose<T> X = dynamics.pose(q, link);
        out = {X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
      }
    }
    return out;
  }

  /// States of all joints' q, then v, then a, each a column.
  std::vector<T> batch(Quantity task, const std::vector<std::vector<T>>& states) const {
    const std::size_t count = states.size();
    std::vector<T> in[3], out(results(task) * count);
    for (std::size_t s = 0; s < 3; ++s)
      for (const std::vector<T>& state : states)
        for (std::size_t k = 0; k < n; ++k) in[s].push_back(state[s * n + k]);
    const MatrixView<const T> q(in[0].data(), n, count), v(in[1].data(), n, count), a(in[2].data(), n, count);
    const MatrixView<T> to(out.data(), results(task), count);
    switch (task) {
      case Quantity::inverse: dynamics.inverse_batch(q, v, a, to); break;
      case Quantity::forward: dynamics.forward_batch(q, v, a, to); break;
      case Quantity::mass: dynamics.mass_batch(q, to); break;
      case Quantity::bias: dynamics.bias_batch(q, v, to); break;
      case Quantity::gravity: dynamics.gravity_batch(q, to); break;
      case Quantity::mass_inverse: dynamics.mass_inverse_batch(q, to); break;
      case Quantity::pose: dynamics.pose_batch(q, link, to); break;
      case Quantity::jacobian: dynamics.jacobian_batch(q, link, to); break;
    }
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
  DynamicsOptions options{.friction = friction, .mass_inverse = true, .threads = 1, .most = set};
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
  for (const Quantity task : kTasks) {
    SCOPED_TRACE(to_string(task));
    const std::size_t size = tasks.results(task);
    const std::vector<T> sound = tasks.batch(task, states);
    for (const T x : sound) ASSERT_TRUE(std::isfinite(x));
    for (std::size_t k = 0; k < signals(task) * n; ++k) {
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

std::vector<InstructionSet> all_ways() {
  std::vector<InstructionSet> sets = available_sets();
  sets.push_back(InstructionSet::none);
  return sets;
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
