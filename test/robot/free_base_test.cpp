// Machine code of robots whose base moves: one state, lanes and batches against the templates.
#include <ulna/robot/dynamics.hpp>

#include "jit/machine_code.hpp"
#include "support/cases.hpp"
#include "ulna/verify/verify.hpp"

namespace ulna::test {
namespace {

Model free_model(std::uint64_t seed, RootJoint base = RootJoint::free) {
  return with_base(with_heavy_root(random_model(seed, {.most = 12, .mimic = seed % 3 == 0})), base);
}

template <class T>
class FreeBaseDynamics : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(FreeBaseDynamics, Reals);

// The self-check measures every kernel against what rounding explains; here all of them must pass it, and agree in other states, too.
TYPED_TEST(FreeBaseDynamics, AgreesWithTheTemplates) {
  using T = TypeParam;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = free_model(seed, seed % 5 == 0 ? RootJoint::planar : RootJoint::free);
    DynamicsOptions options;
    for (const Quantity more : {Quantity::coriolis, Quantity::mass_inverse}) options.quantities.push_back(more);
    options.links = {model.links().back().name, model.links().front().name};
    const DynamicsOf<T> dynamics(model, options);
    for (const RefusedKernel& refused : dynamics.refused()) ADD_FAILURE() << to_string(refused);
    if (dynamics.instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
    const PlanOf<T> plan = make_plan(model).template cast<T>();
    WorkspaceOf<T> ws(plan);
    StateSampler sampler(model, seed);
    const std::size_t width = dynamics.lanes(), count = 2 * width + 1;
    std::array<std::vector<T>, 3> states, lanes;
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> q, v, a;
      sampler.next(q, v, a);
      states[0].insert(states[0].end(), q.begin(), q.end());
      states[1].insert(states[1].end(), v.begin(), v.end());
      states[2].insert(states[2].end(), a.begin(), a.end());
    }
    const std::size_t n[] = {model.nq(), model.nv(), model.nv()};
    for (std::size_t i = 0; i < 3; ++i) {
      lanes[i].resize(n[i] * width);
      for (std::size_t l = 0; l < width; ++l)
        for (std::size_t c = 0; c < n[i]; ++c) lanes[i][c * width + l] = states[i][l * n[i] + c];
    }
    for (const QuantityRow& row : quantities()) {
      const std::size_t link = row.of_link ? model.links().size() - 1 : kNone;
      if (!dynamics.compiled(row.quantity, link)) continue;
      SCOPED_TRACE(std::string(row.id));
      const std::size_t size = row.size(model.sizes());
      std::vector<MatrixView<const T>> in;
      for (std::size_t i = 0; i < row.inputs.size(); ++i) in.emplace_back(states[i].data(), n[i], count);
      std::vector<T> batch(size * count), block(size * width);
      dynamics.compute_batch(row.quantity, in, {batch.data(), size, count}, link);
      dynamics.compute_lanes(row.quantity, {lanes[0].data(), lanes[1].data(), lanes[2].data(), link}, block.data(), 1);
      for (std::size_t k = 0; k < count; ++k) {
        const InputsOf<T> at{&states[0][k * n[0]], &states[1][k * n[1]], &states[2][k * n[2]], link};
        std::vector<T> one(size), wanted(size);
        dynamics.compute(row.quantity, at, one.data());
        compute(row.quantity, plan, ws, at, wanted.data());
        const std::vector<T> of_batch(&batch[k * size], &batch[k * size] + size);
        EXPECT_EQ(one, of_batch) << k;  // to the bit
        for (std::size_t i = 0; k < width && i < size; ++i) ASSERT_EQ(block[i * width + k], one[i]) << k;
        const bool solves = row.quantity == Quantity::forward || row.quantity == Quantity::mass_inverse;
        Workspace exact_ws(make_plan(model));
        const Eigen::MatrixXd M = mass_of(make_plan(model), {at.q, at.q + n[0]});
        const double cond = solves ? condition_number(M) : 64;
        if (cond * tolerance<T>(steps(model)) > 0.01) continue;
        EXPECT_LT(relative_error(one, wanted), tolerance<T>(steps(model) + 6, cond)) << k;
      }
    }
  }
}

// A load changes numbers only: the same code, and what a robot with that load gives.
TEST(FreeBaseDynamicsOnce, APayloadSharesTheCode) {
  const Model model = free_model(7);
  const Dynamics dynamics(model);
  const Payload load{1.5, {0.05, 0.02, 0.1}, {0.01, 0.02, 0.015}};
  const std::string link = model.links().back().name;
  const Dynamics loaded = dynamics.with_payload(link, load), root = dynamics.with_payload(model.links().front().name, load);
  EXPECT_TRUE(loaded.refused().empty());
  EXPECT_TRUE(root.refused().empty());
  EXPECT_TRUE(root.shares_code(dynamics));
  StateSampler sampler(model, 3);
  std::vector<double> q, v, a, got(model.nv());
  sampler.next(q, v, a);
  for (const auto& [with, name] : {std::pair<const Dynamics&, std::string>{loaded, link}, {root, model.links().front().name}}) {
    with.inverse(q, v, a, got);
    const std::vector<double> wanted = inverse_of(make_plan(with_payload(model, name, load)), {q, v, a});
    EXPECT_LT(relative_error(got, wanted), tolerance(steps(model) + 6, 64));
  }
}

TEST(FreeBaseDynamicsOnce, SizesAreCheckedAndSaid) {
  const Model model = free_model(2);
  const Dynamics dynamics(model, {.most = InstructionSet::none});
  std::vector<double> q(model.nv()), v(model.nv()), tau(model.nv());
  try {
    dynamics.inverse(q, v, v, tau);
    ADD_FAILURE() << "q of nv numbers was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nq = " + std::to_string(model.nq())), std::string::npos) << error.what();
  }
  q.resize(model.nq());
  q[6] = 1;
  Effects effects;
  effects.base.angular_velocity = {1, 0, 0};
  EXPECT_THROW(dynamics.inverse(q, v, v, tau, effects), std::invalid_argument);
  EXPECT_THROW(dynamics.with_parameters(with_base(model, RootJoint::fixed)), std::invalid_argument);
}

// A quaternion that is 1 % too long makes gravity 2 % wrong: every function that checks sizes refuses it, with its length, as the command line does.
TYPED_TEST(FreeBaseDynamics, AQuaternionOfAnotherLengthIsRefusedWithIt) {
  using T = TypeParam;
  const Model model = free_model(2);
  const DynamicsOf<T> dynamics(model), single = dynamics.with_threads(1);
  const std::size_t nq = model.nq(), nv = model.nv(), count = 1500;  // in the last of three pieces
  std::vector<T> states(nq * count, T(0)), v(nv), tau(nv), M(nv * nv), packed(nv * (nv + 1) / 2), all(nv * count), all_packed(packed.size() * count);
  for (std::size_t k = 0; k < count; ++k) states[k * nq + 6] = T(1);
  const std::vector<T> good(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(nq));
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  const auto everywhere = [&](const std::vector<T>& q, const std::string& wanted) {
    std::vector<Pose<T>> poses(model.links().size());
    EXPECT_EQ(message([&] { dynamics.gravity(q, tau); }), wanted);
    EXPECT_EQ(message([&] { dynamics.inverse(q, v, v, tau); }), wanted);
    EXPECT_EQ(message([&] { dynamics.forward(q, v, v, tau); }), wanted);
    EXPECT_EQ(message([&] { dynamics.inverse(q, v, v, tau, EffectsOf<T>{}); }), wanted);
    EXPECT_EQ(message([&] { dynamics.mass(q, MatrixView<T>(M.data(), nv, nv)); }), wanted);
    EXPECT_EQ(message([&] { dynamics.mass(q, MassForm::packed, packed); }), wanted);
    EXPECT_EQ(message([&] { dynamics.pose(q, 0); }), wanted);
    EXPECT_EQ(message([&] { dynamics.poses(q, VectorView<Pose<T>>(poses.data(), poses.size())); }), wanted);
    EXPECT_EQ(message([&] { dynamics.energy(q, v); }), wanted);
    EXPECT_EQ(message([&] { dynamics.centroidal(q, v); }), wanted);
  };
  everywhere(good, "");
  const auto stretched = [&](double by) {
    std::vector<T> q = good;
    q[6] = static_cast<T>(by);
    return q;
  };
  everywhere(stretched(1 + 5e-7), "");
  everywhere(stretched(1.01), "the quaternion of the base has length 1.01, not 1; divide it by its length, or check its order");
  everywhere(stretched(0), "the quaternion of the base has length 0, not 1; divide it by its length, or check its order");
  everywhere(stretched(std::numeric_limits<double>::quiet_NaN()), "");  // the results are NaN
  for (const DynamicsOf<T>* d : {&dynamics, &single}) {
    const auto batches = [&](const std::string& wanted) {
      const MatrixView<const T> q(states.data(), nq, count);
      EXPECT_EQ(message([&] { d->compute_batch(Quantity::gravity, {q}, {all.data(), nv, count}); }), wanted);
      EXPECT_EQ(message([&] { d->mass_batch(q, MassForm::packed, {all_packed.data(), packed.size(), count}); }), wanted);
    };
    batches("");
    states[1400 * nq + 6] = T(1.01), states[1450 * nq + 6] = T(2);
    batches("state 1401 of 1500: the quaternion of the base has length 1.01, not 1; divide it by its length, or check its order");
    states[1400 * nq + 6] = states[1450 * nq + 6] = T(1);
  }
}

}  // namespace
}  // namespace ulna::test
