// The contract of docs/dynamics.md: after an object is made, its calls take no memory, no lock and no system call, and do not throw but for a wrong size.
#include <ulna/robot/dynamics.hpp>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <mutex>

#include "support/allocations.hpp"
#include "support/cases.hpp"
#include "support/locks.hpp"

namespace ulna::test {
namespace {

/// Buffers and all calls that the contract is about. Batches are on one thread: more of them wait for each other.
template <class T>
class Calls {
 public:
  Calls(const char* robot, InstructionSet most, bool compiled_extras)
      : dynamics_(load(robot), options(load(robot), most, compiled_extras)),
        n_(dynamics_.nv()),
        link_(dynamics_.model().links().size() - 1),
        q_(n_ * kStates, T(0.3)),
        v_(n_ * kStates, T(-0.5)),
        a_(n_ * kStates, T(1.5)),
        x_(n_ * kStates),
        M_(n_ * std::max<std::size_t>(n_, 12) * kStates),
        poses_(link_ + 1) {
    for (std::size_t k = 0; k < q_.size(); ++k) q_[k] = T(0.01) * static_cast<T>(k % 300), v_[k] = T(0.02) * static_cast<T>(k % 70);
  }

  /// Every function with pointers, with sizes, for batches and for lanes.
  void all() {
    const T *q = q_.data(), *v = v_.data(), *a = a_.data();
    T *x = x_.data(), *M = M_.data();
    const Dynamics_& d = dynamics_;
    d.inverse(q, v, a, x), d.forward(q, v, a, x), d.mass(q, M), d.bias(q, v, x), d.gravity(q, x), d.compute(Quantity::mass_inverse, q, nullptr, nullptr, M);
    T sum = d.pose(q, link_).p.x;
    d.compute(Quantity::jacobian, q, nullptr, nullptr, M, link_);
    const VectorView<const T> Q(q, n_), V(v, n_), A(a, n_);
    const VectorView<T> X(x, n_);
    d.inverse(Q, V, A, X), d.forward(Q, V, A, X), d.bias(Q, V, X), d.gravity(Q, X);
    d.mass(Q, MatrixView<T>(M, n_, n_)), d.mass_inverse(Q, MatrixView<T>(M, n_, n_));
    sum += d.pose(Q, link_).p.x;
    d.jacobian(Q, link_, MatrixView<T>(M, 6, n_));
    const WrenchOf<T> wrench{.link = link_, .force = {1, 2, 3}};
    const EffectsOf<T> effects{.friction = true, .wrenches = {&wrench, 1}};
    d.inverse(Q, V, A, X, effects), d.forward(Q, V, A, X, effects), d.bias(Q, V, X, effects), d.compute(Quantity::forward, {q, v, a}, x, effects);
    sum += d.energy(Q, V, effects).kinetic + d.momentum(Q, V).linear.x;
    d.poses(Q, VectorView<Pose<T>>(poses_.data(), poses_.size()));
    const MatrixView<const T> Qs(q, n_, kStates), Vs(v, n_, kStates), As(a, n_, kStates);
    const MatrixView<T> Xs(x, n_, kStates), Ms(M, n_ * n_, kStates);
    d.inverse_batch(Qs, Vs, As, Xs), d.forward_batch(Qs, Vs, As, Xs), d.compute_batch(Quantity::bias, {Qs, Vs}, Xs),
        d.compute_batch(Quantity::gravity, {Qs}, Xs);
    d.mass_batch(Qs, Ms), d.compute_batch(Quantity::mass_inverse, {Qs}, Ms);
    d.compute_batch(Quantity::pose, {Qs}, MatrixView<T>(M, 12, kStates), link_);
    d.compute_batch(Quantity::jacobian, {Qs}, MatrixView<T>(M, 6 * n_, kStates), link_);
    const std::size_t blocks = kStates / d.lanes();
    d.compute_lanes(Quantity::inverse, {q, v, a}, x, blocks), d.compute_lanes(Quantity::forward, {q, v, a}, x, blocks),
        d.compute_lanes(Quantity::bias, {q, v}, x, blocks), d.compute_lanes(Quantity::gravity, {q}, x, blocks);
    d.compute_lanes(Quantity::mass, {q}, M, blocks), d.compute_lanes(Quantity::mass_inverse, {q}, M, blocks);
    used_ = sum;
  }

 private:
  using Dynamics_ = DynamicsOf<T>;
  static constexpr std::size_t kStates = 1040;  // more than one piece of a batch, and whole blocks of lanes

  static DynamicsOptions options(const Model& model, InstructionSet most, bool extras) {
    DynamicsOptions o{.friction = true, .threads = 1, .most = most};
    if (extras) o.quantities.push_back(Quantity::mass_inverse), o.links = {model.links().back().name};
    return o;
  }

  Dynamics_ dynamics_;
  std::size_t n_;
  std::size_t link_;
  std::vector<T> q_, v_, a_, x_, M_;
  std::vector<Pose<T>> poses_;
  volatile T used_ = 0;
};

/// f in a process that the kernel ends at the first system call but write and exit. The signal that ended it; 0 when it came to its end.
template <class F>
int in_strict_mode(F f) {
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(99);  // a failure: the contract cannot be shown here
    f();
    syscall(SYS_exit, 0);  // _exit() ends all threads, by another call
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/// check(calls) for everything that the contract is about.
template <class T, class Check>
void expect_contract(const char* robot, InstructionSet most, bool extras, Check check) {
  SCOPED_TRACE(::testing::Message() << robot << ", " << to_string(most) << ", " << (extras ? "all compiled" : "as usual") << ", " << sizeof(T) << " bytes");
  Calls<T> calls(robot, most, extras);
  check(calls);
}
template <class Check>
void expect_contract(Check check) {
  for (const InstructionSet set : {InstructionSet::none, best_instruction_set()})
    for (const bool extras : {false, true}) {
      expect_contract<double>("panda", set, extras, check);
      expect_contract<float>("panda", set, extras, check);
      expect_contract<double>("stanford", set, extras, check);
    }
  expect_contract<double>("humanoid-38", best_instruction_set(), true, check);
}

TEST(RealTime, NoMemoryNoLock) {
  expect_contract([](auto& calls) {
    const long allocated = allocations(), locked = locks();
    calls.all();
    EXPECT_EQ(allocations(), allocated);
    EXPECT_EQ(locks(), locked);
  });
}

TEST(RealTime, NoSystemCall) {
  if (locks() < 0) GTEST_SKIP() << "sanitizers are no part of the contract";
  expect_contract([](auto& calls) { EXPECT_EQ(in_strict_mode([&] { calls.all(); }), 0); });
}

TEST(RealTime, TrapsSeeWhatTheyShould) {
  const long allocated = allocations(), locked = locks();
  const std::vector<double> some(3);
  EXPECT_EQ(allocations(), allocated + 1);
  if (locked < 0) GTEST_SKIP() << "under a sanitizer";
  std::mutex mutex;
  { const std::lock_guard lock(mutex); }
  { const std::unique_lock lock(mutex, std::try_to_lock); }
  EXPECT_EQ(locks(), locked + 2);
}

TEST(RealTime, TheTrapSeesASystemCall) {
  if (locks() < 0) GTEST_SKIP() << "under a sanitizer";
  EXPECT_EQ(in_strict_mode([] {}), 0);
  EXPECT_EQ(in_strict_mode([] { syscall(SYS_getpid); }), SIGKILL);
  EXPECT_EQ(in_strict_mode([] { usleep(1); }), SIGKILL);
}

// Pointers in: nothing can be wrong that could be told. Views in: a wrong size is, and nothing else.
TEST(RealTime, NothingIsThrownButForAWrongSize) {
  const double* p = nullptr;
  double* x = nullptr;
  const Dynamics* d = nullptr;
  static_assert(noexcept(d->inverse(p, p, p, x))&& noexcept(d->forward(p, p, p, x))&& noexcept(d->mass(p, x))&& noexcept(d->bias(p, p, x))&& noexcept(
      d->gravity(p, x))&& noexcept(d->compute(Quantity::jacobian, p, p, p, x, 0))&& noexcept(d->pose(p, 0)));
  static_assert(noexcept(d->compute_lanes(Quantity::inverse, {p, p, p}, x, 1))&& noexcept(d->compute_lanes(Quantity::forward, {p, p, p}, x, 1))&& noexcept(
      d->compute_lanes(Quantity::mass, {p}, x,
                       1))&& noexcept(d->compute_lanes(Quantity::bias, {p, p}, x,
                                                       1))&& noexcept(d->compute_lanes(Quantity::gravity, {p}, x,
                                                                                       1))&& noexcept(d->compute_lanes(Quantity::mass_inverse, {p}, x, 1)));
  const Dynamics dynamics(load("panda"), {.threads = 1});
  std::vector<double> q(7, std::numeric_limits<double>::quiet_NaN()), v(7, 1e300), a(7, std::numeric_limits<double>::infinity()), tau(7), six(6);
  EXPECT_NO_THROW(dynamics.inverse(q, v, a, tau));  // numbers out are as senseless as numbers in
  EXPECT_NO_THROW(dynamics.forward(q, v, a, tau));
  EXPECT_THROW(dynamics.inverse(q, v, six, tau), std::invalid_argument);
  EXPECT_THROW(dynamics.gravity(q, six), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
