// Batches: every count and layout gives what single calls give, bit for bit, on any number of threads; nothing is allocated.
#include <cstring>
#include <thread>

#include <ulna/robot/dynamics.hpp>

#include <cstring>

#include "jit/machine_code.hpp"
#include "model/unit_quaternion.hpp"
#include "support/allocations.hpp"
#include "support/arm.hpp"
#include "support/cases.hpp"
#include "support/compiled.hpp"

namespace ulna::test {
namespace {

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> x(count);
  for (T& y : x) y = static_cast<T>(random.uniform(-2, 2));
  return x;
}

template <class T>
class Batches : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Batches, Reals);

TYPED_TEST(Batches, OfARobotThatDoesNotMoveDoNothing) {
  using T = TypeParam;
  Description d;
  d.name = "stone";
  d.links = {body("stone", 2)};
  const DynamicsOf<T> dynamics(unchecked(d), {.threads = 1});
  ASSERT_EQ(dynamics.nv(), 0);
  T untouched = T(-777);
  dynamics.inverse_batch(MatrixView<const T>(nullptr, 0, 9), MatrixView<const T>(nullptr, 0, 9), MatrixView<const T>(nullptr, 0, 9),
                         MatrixView<T>(&untouched, 0, 9));
  EXPECT_EQ(untouched, T(-777));
}

TYPED_TEST(Batches, OfAnyCountAndStrideEqualSingleCalls) {
  using T = TypeParam;
  for (const char* robot : {"planar-2r", "stanford", "panda", "torso"})
    for (const InstructionSet set : available_sets()) {
      const DynamicsOf<T> dynamics(load(robot), {.quantities = and_also({Quantity::mass_inverse}), .threads = 1, .most = set});
      const std::size_t n = dynamics.nv(), width = dynamics.lanes();
      for (const std::size_t count : {std::size_t{0}, std::size_t{1}, width - 1, width, width + 1, 3 * width + 2, std::size_t{600}}) {
        SCOPED_TRACE(::testing::Message() << robot << " " << to_string(set) << " " << count << " states");
        const std::size_t stride = n + 3;
        const std::vector<T> q = numbers<T>(stride * count, 1), v = numbers<T>(stride * count, 2), a = numbers<T>(stride * count, 3);
        const auto states = [&](const std::vector<T>& x) { return MatrixView<const T>(x.data(), n, count, stride); };
        const auto check = [&](const char* what, std::size_t rows, auto batch, auto single) {
          constexpr T kUntouched = T(-777);
          const std::size_t apart = rows + 2;
          std::vector<T> out(apart * count, kUntouched), one(rows);
          batch(MatrixView<T>(out.data(), rows, count, apart));
          for (std::size_t s = 0; s < count; ++s) {
            single(q.data() + s * stride, v.data() + s * stride, a.data() + s * stride, one.data());
            for (std::size_t k = 0; k < rows; ++k) ASSERT_EQ(out[s * apart + k], one[k]) << what << " state " << s << " entry " << k;
            for (std::size_t k = rows; k < apart; ++k) ASSERT_EQ(out[s * apart + k], kUntouched) << what << " wrote between the states";
          }
        };
        using Results = MatrixView<T>;
        check(
            "inverse", n, [&](Results x) { dynamics.inverse_batch(states(q), states(v), states(a), x); },
            [&](const T* sq, const T* sv, const T* sa, T* x) { dynamics.inverse(sq, sv, sa, x); });
        check(
            "forward", n, [&](Results x) { dynamics.forward_batch(states(q), states(v), states(a), x); },
            [&](const T* sq, const T* sv, const T* sa, T* x) { dynamics.forward(sq, sv, sa, x); });
        check(
            "bias", n,
            [&](Results x) {
              dynamics.compute_batch(Quantity::bias, {states(q), states(v)}, x);
            },
            [&](const T* sq, const T* sv, const T*, T* x) { dynamics.bias(sq, sv, x); });
        check(
            "gravity", n, [&](Results x) { dynamics.compute_batch(Quantity::gravity, {states(q)}, x); },
            [&](const T* sq, const T*, const T*, T* x) { dynamics.gravity(sq, x); });
        check(
            "mass", n * n, [&](Results x) { dynamics.mass_batch(states(q), x); }, [&](const T* sq, const T*, const T*, T* x) { dynamics.mass(sq, x); });
        check(
            "mass_inverse", n * n, [&](Results x) { dynamics.compute_batch(Quantity::mass_inverse, {states(q)}, x); },
            [&](const T* sq, const T*, const T*, T* x) { dynamics.compute(Quantity::mass_inverse, sq, nullptr, nullptr, x); });
      }
    }
}

/// Where a matrix has zeros and equal entries, kernels write them once, and blocks of derivatives do not fit on the stack.
TYPED_TEST(Batches, OfSparseMatricesEqualSingleCalls) {
  using T = TypeParam;
  const Model model = load("humanoid-38");
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > best_instruction_set()) continue;
    SCOPED_TRACE(to_string(set));
    const DynamicsOf<T> dynamics(model, {.quantities = and_also({Quantity::mass_inverse, Quantity::inverse_derivatives}), .threads = 1, .most = set});
    const std::size_t n = dynamics.nv(), count = 2 * dynamics.lanes() + 3;
    const std::vector<T> q = numbers<T>(n * count, 1), v = numbers<T>(n * count, 2), a = numbers<T>(n * count, 3);
    for (const Quantity quantity : {Quantity::mass, Quantity::mass_inverse, Quantity::inverse_derivatives}) {
      const QuantityRow& row = row_of(quantity);
      const std::size_t size = row.size({n, n, n}), apart = size + 5;
      std::vector<T> out(apart * count, T(-7)), one(size);
      const MatrixView<const T> in[] = {{q.data(), n, count}, {v.data(), n, count}, {a.data(), n, count}};
      dynamics.compute_batch(quantity, {in, row.inputs.size()}, {out.data(), size, count, apart});
      for (std::size_t s = 0; s < count; ++s) {
        dynamics.compute(quantity, {q.data() + s * n, v.data() + s * n, a.data() + s * n}, one.data());
        for (std::size_t k = 0; k < size; ++k) ASSERT_EQ(out[s * apart + k], one[k]) << to_string(quantity) << " state " << s << " number " << k;
        for (std::size_t k = size; k < apart; ++k) ASSERT_EQ(out[s * apart + k], T(-7)) << to_string(quantity) << " wrote between the states";
      }
    }
  }
}

TYPED_TEST(Batches, OfOtherFormsOfTheInertiaMatrixHaveItsEntries) {
  using T = TypeParam;
  for (const Model& model : {load("humanoid-38"), load("panda"), with_base(load("ur5"), RootJoint::free), random_model(5, {.fewest = 6, .mimic = true})})
    for (const InstructionSet set : {InstructionSet::none, InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
      SCOPED_TRACE(::testing::Message() << model.name() << " by " << to_string(set));
      const DynamicsOf<T> dynamics(model, {.threads = 1, .most = set});
      const std::size_t n = dynamics.nv(), nq = dynamics.nq(), count = dynamics.lanes() + 2;
      std::vector<T> q = numbers<T>(nq * count, 1);
      for (std::size_t s = 0; nq != n && s < count; ++s) {  // the quaternion of a free base
        const double length = quaternion_length(&q[s * nq + 3]);
        for (std::size_t k = 3; k < 7; ++k) q[s * nq + k] = static_cast<T>(q[s * nq + k] / length);
      }
      std::vector<T> M(n * n);
      for (const MassForm form : {MassForm::full, MassForm::packed, MassForm::sparse}) {
        const auto entries = dynamics.mass_entries(form);
        std::vector<bool> has(n * n, false);
        std::vector<T> all(entries.size() * count), one(entries.size());
        dynamics.mass_batch({q.data(), nq, count}, form, {all.data(), entries.size(), count});
        for (std::size_t s = 0; s < count; ++s) {
          dynamics.mass(q.data() + s * nq, M.data());
          dynamics.mass({q.data() + s * nq, nq}, form, one);
          for (std::size_t k = 0; k < entries.size(); ++k) {
            const auto [row, column] = entries[k];
            ASSERT_EQ(all[s * entries.size() + k], M[row + column * n]) << "number " << k;
            ASSERT_EQ(one[k], M[row + column * n]) << "number " << k;
            has[row + column * n] = has[column + row * n] = true;
          }
          for (std::size_t k = 0; k < n * n; ++k) ASSERT_TRUE(has[k] || M[k] == 0) << "entry " << k << " is left out";
        }
      }
      EXPECT_EQ(dynamics.mass_entries(MassForm::packed).size(), n * (n + 1) / 2);
      std::vector<T> wrong(3);
      EXPECT_THROW(dynamics.mass_batch({q.data(), nq, 1}, MassForm::sparse, {wrong.data(), 3, 1}), std::invalid_argument);
    }
}

TYPED_TEST(Batches, InLanesEqualSingleCalls) {
  using T = TypeParam;
  for (const InstructionSet set : {InstructionSet::none, best_instruction_set()})
    for (const bool friction : {false, true}) {
      SCOPED_TRACE(::testing::Message() << to_string(set) << (friction ? " with friction" : ""));
      const Model model = random_model(11, {.fewest = 5, .most = 9, .branches = false});
      const DynamicsOf<T> dynamics(model, {.friction = friction, .threads = 1, .most = set});
      const std::size_t n = dynamics.nv(), width = dynamics.lanes(), blocks = 3;
      const std::vector<T> q = numbers<T>(n * width * blocks, 1), v = numbers<T>(n * width * blocks, 2), a = numbers<T>(n * width * blocks, 3);
      std::vector<T> tau(q.size()), acc(q.size()), bias(q.size()), gravity(q.size()), M(n * q.size()), Mi(n * q.size());
      dynamics.compute_lanes(Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data(), blocks);
      dynamics.compute_lanes(Quantity::forward, {q.data(), v.data(), a.data()}, acc.data(), blocks);
      dynamics.compute_lanes(Quantity::bias, {q.data(), v.data()}, bias.data(), blocks);
      dynamics.compute_lanes(Quantity::gravity, {q.data()}, gravity.data(), blocks);
      dynamics.compute_lanes(Quantity::mass, {q.data()}, M.data(), blocks);
      dynamics.compute_lanes(Quantity::mass_inverse, {q.data()}, Mi.data(), blocks);
      for (std::size_t b = 0; b < blocks; ++b)
        for (std::size_t l = 0; l < width; ++l) {
          const auto lane = [&](const std::vector<T>& x, std::size_t size) {
            std::vector<T> one(size);
            for (std::size_t i = 0; i < size; ++i) one[i] = x[(b * size + i) * width + l];
            return one;
          };
          const std::vector<T> sq = lane(q, n), sv = lane(v, n), sa = lane(a, n);
          std::vector<T> x(n), y(n * n);
          const MatrixView<T> matrix(y.data(), n, n);
          dynamics.inverse(sq, sv, sa, x);
          EXPECT_EQ(x, lane(tau, n));
          dynamics.forward(sq, sv, sa, x);
          EXPECT_EQ(x, lane(acc, n));
          dynamics.bias(sq, sv, x);
          EXPECT_EQ(x, lane(bias, n));
          dynamics.gravity(sq, x);
          EXPECT_EQ(x, lane(gravity, n));
          dynamics.mass(sq, matrix);
          EXPECT_EQ(y, lane(M, n * n));
          dynamics.mass_inverse(sq, matrix);
          EXPECT_EQ(y, lane(Mi, n * n));
        }
    }
}

TEST(Batch, IsTheSameBitForBitOnAnyNumberOfThreads) {
  const Dynamics one(load("panda"), {.threads = 1});
  const std::size_t n = 7, count = 10007;
  const std::vector<double> q = numbers<double>(n * count, 1), v = numbers<double>(n * count, 2), a = numbers<double>(n * count, 3);
  const auto states = [&](const std::vector<double>& x) { return MatrixView<const double>(x.data(), n, count); };
  std::vector<double> expected(n * count);
  one.inverse_batch(states(q), states(v), states(a), MatrixView<double>(expected.data(), n, count));
  for (const std::size_t threads : {0, 2, 3, 7}) {
    const Dynamics many = one.with_threads(threads);
    EXPECT_TRUE(many.shares_code(one));
    EXPECT_TRUE(threads == 0 || many.threads() == threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<double> got(n * count);
      many.inverse_batch(states(q), states(v), states(a), MatrixView<double>(got.data(), n, count));
      EXPECT_EQ(got, expected) << threads << " threads";
    }
  }
}

// Every function, in another object each time: nothing depends on the run, the object or the threads.
TYPED_TEST(Batches, OfEveryFunctionAreTheSameBitForBit) {
  using T = TypeParam;
  for (const char* robot : {"stanford", "torso"}) {
    const Model model = load(robot);
    const std::size_t n = model.nv(), count = 1300;
    const std::size_t link = model.links().size() - 1;
    const std::vector<T> q = numbers<T>(n * count, 1), v = numbers<T>(n * count, 2), a = numbers<T>(n * count, 3);
    const MatrixView<const T> Q(q.data(), n, count), V(v.data(), n, count), A(a.data(), n, count);
    const auto all = [&](std::size_t threads) {
      const DynamicsOf<T> d(model, {.quantities = and_also({Quantity::mass_inverse}), .links = {model.links().back().name}, .threads = threads});
      std::vector<T> results;
      const auto keep = [&](std::size_t rows, auto f) {
        std::vector<T> x(rows * count);
        f(MatrixView<T>(x.data(), rows, count));
        results.insert(results.end(), x.begin(), x.end());
      };
      keep(n, [&](auto X) { d.inverse_batch(Q, V, A, X); });
      keep(n, [&](auto X) { d.forward_batch(Q, V, A, X); });
      keep(n, [&](auto X) { d.compute_batch(Quantity::bias, {Q, V}, X); });
      keep(n, [&](auto X) { d.compute_batch(Quantity::gravity, {Q}, X); });
      keep(n * n, [&](auto X) { d.mass_batch(Q, X); });
      keep(n * n, [&](auto X) { d.compute_batch(Quantity::mass_inverse, {Q}, X); });
      keep(12, [&](auto X) { d.compute_batch(Quantity::pose, {Q}, X, link); });
      keep(6 * n, [&](auto X) { d.compute_batch(Quantity::jacobian, {Q}, X, link); });
      return results;
    };
    const std::vector<T> expected = all(1);
    for (const std::size_t threads : {1, 2, 5}) {
      const std::vector<T> got = all(threads);
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)), 0) << robot << " on " << threads << " threads";
    }
  }
}

TEST(Batch, AndSingleCallsServeSeveralThreadsAtOnce) {
  const Dynamics dynamics(load("stanford"), {.threads = 2});
  const std::size_t n = 6, count = 3000;
  const std::vector<double> q = numbers<double>(n * count, 1), v = numbers<double>(n * count, 2), a = numbers<double>(n * count, 3);
  const auto states = [&](const std::vector<double>& x) { return MatrixView<const double>(x.data(), n, count); };
  std::vector<double> expected(n * count);
  for (std::size_t s = 0; s < count; ++s) dynamics.inverse(&q[s * n], &v[s * n], &a[s * n], &expected[s * n]);
  std::vector<std::vector<double>> got(4, std::vector<double>(n * count));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        if (t % 2 == 0)
          dynamics.inverse_batch(states(q), states(v), states(a), MatrixView<double>(got[t].data(), n, count));
        else
          for (std::size_t s = 0; s < count; ++s) dynamics.inverse(&q[s * n], &v[s * n], &a[s * n], &got[t][s * n]);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& x : got) EXPECT_EQ(x, expected);
}

TEST(Dynamics, AllocatesNothingAfterItIsMade) {
  for (const InstructionSet set : {InstructionSet::none, best_instruction_set()})
    for (const char* robot : {"panda", "humanoid-38"}) {
      SCOPED_TRACE(::testing::Message() << robot << " " << to_string(set));
      const Dynamics dynamics(load(robot), {.friction = true, .threads = 1, .most = set});
      const std::size_t n = dynamics.nv(), count = 50;
      std::vector<double> q = numbers<double>(n * count, 1), v = numbers<double>(n * count, 2), a = numbers<double>(n * count, 3), x(n * count),
                          M(n * n * count);
      const auto states = [&](const std::vector<double>& y) { return MatrixView<const double>(y.data(), n, count); };
      const auto first = [&](std::vector<double>& y) { return VectorView<double>(y.data(), n); };
      const auto given = [&](const std::vector<double>& y) { return VectorView<const double>(y.data(), n); };
      const long before = allocations();
      dynamics.inverse(given(q), given(v), given(a), first(x));
      dynamics.forward(given(q), given(v), given(a), first(x));
      dynamics.bias(given(q), given(v), first(x));
      dynamics.gravity(given(q), first(x));
      dynamics.mass(given(q), MatrixView<double>(M.data(), n, n));
      dynamics.mass_inverse(given(q), MatrixView<double>(M.data(), n, n));
      dynamics.pose(given(q), 1);
      dynamics.jacobian(given(q), 1, MatrixView<double>(M.data(), 6, n));
      dynamics.inverse_batch(states(q), states(v), states(a), MatrixView<double>(x.data(), n, count));
      dynamics.forward_batch(states(q), states(v), states(a), MatrixView<double>(x.data(), n, count));
      dynamics.mass_batch(states(q), MatrixView<double>(M.data(), n * n, count));
      dynamics.compute_lanes(Quantity::inverse, {q.data(), v.data(), a.data()}, x.data(), count / dynamics.lanes());
      EXPECT_EQ(allocations(), before);
    }
}

}  // namespace
}  // namespace ulna::test
