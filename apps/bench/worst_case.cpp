// ulna-worst-case [ROBOT [CALLS]]: how long single calls of machine code take, the slowest of them too. Every call is timed by itself, in states that change
// from call to call; the time that reading the clock takes is measured the same way and stated, not taken off.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

namespace {

using Clock = std::chrono::steady_clock;

/// Ticks of the fastest clock there is; calls before are done, and calls after have not begun.
std::uint64_t ticks() {
#if defined(__x86_64__)
  unsigned processor = 0;
  const std::uint64_t t = __rdtscp(&processor);
  _mm_lfence();
  return t;
#else
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
#endif
}

double nanoseconds_per_tick() {
  const auto begin = Clock::now();
  const std::uint64_t first = ticks();
  while (Clock::now() - begin < std::chrono::milliseconds(200)) {
  }
  const std::uint64_t last = ticks();
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / static_cast<double>(last - first);
}

template <class F>
void measure(const char* name, std::size_t calls, double unit, F f) {
  std::vector<std::uint32_t> times(calls);
  for (std::size_t k = 0; k < std::min<std::size_t>(calls, 10000); ++k) f(k);  // caches and branches as in a loop that runs for hours
  for (std::size_t k = 0; k < calls; ++k) {
    const std::uint64_t before = ticks();
    f(k);
    times[k] = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks() - before, UINT32_MAX));
    // Linux takes the processor away from real-time programs that never sleep, for 50 ms in a second.
    if (k % 10000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) { return unit * times[std::min(calls - 1, static_cast<std::size_t>(share * static_cast<double>(calls)))]; };
  std::printf("| %s | %.0f | %.0f | %.0f | %.0f |\n", name, at(0.5), at(0.999), at(0.99999), unit * times.back());
}

int run(const char* robot, std::size_t calls) {
  const ulna::Model model = ulna::load(robot);
  const ulna::Dynamics dynamics(model, {.threads = 1});
  const bool locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  sched_param most{};
  most.sched_priority = sched_get_priority_max(SCHED_FIFO) - 1;
  const bool first = sched_setscheduler(0, SCHED_FIFO, &most) == 0;

  constexpr std::size_t kStates = 64;
  const std::size_t n = model.nv();
  std::vector<double> q, v, a, Q, V, A, x(n), M(n * n);
  ulna::StateSampler sampler(model, 1);
  for (std::size_t k = 0; k < kStates; ++k) {
    sampler.next(q, v, a);
    Q.insert(Q.end(), q.begin(), q.end()), V.insert(V.end(), v.begin(), v.end()), A.insert(A.end(), a.begin(), a.end());
  }
  const auto of = [&](const std::vector<double>& all, std::size_t k) { return all.data() + k % kStates * n; };

  const double unit = nanoseconds_per_tick();
  std::printf("%s, %zu calls of each; %s; memory %s, scheduling %s\n\n", robot, calls, std::string(ulna::to_string(dynamics.instruction_set())).c_str(),
              locked ? "locked" : "not locked", first ? "real-time (FIFO)" : "as any other program's");
  std::printf("| ns | median | 99.9 %% | 99.999 %% | slowest |\n|---|--:|--:|--:|--:|\n");
  measure("reading the clock", calls, unit, [](std::size_t) {});
  measure("inverse", calls, unit, [&](std::size_t k) { dynamics.inverse(of(Q, k), of(V, k), of(A, k), x.data()); });
  measure("forward", calls, unit, [&](std::size_t k) { dynamics.forward(of(Q, k), of(V, k), of(A, k), x.data()); });
  measure("mass", calls, unit, [&](std::size_t k) { dynamics.mass(of(Q, k), M.data()); });
  measure("bias", calls, unit, [&](std::size_t k) { dynamics.bias(of(Q, k), of(V, k), x.data()); });
  measure("gravity", calls, unit, [&](std::size_t k) { dynamics.gravity(of(Q, k), x.data()); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const long calls = argc > 2 ? std::atol(argv[2]) : 1000000;
    if (argc > 3 || calls < 1) {
      std::fprintf(stderr, "usage: ulna-worst-case [ROBOT [CALLS]]\n");
      return 2;
    }
    return run(argc > 1 ? argv[1] : "panda", static_cast<std::size_t>(calls));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
