// The pool of threads by itself, for the thread sanitizer: calls from several threads at once, rounds of every size, pools that come and go.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "robot/thread_pool.hpp"

namespace {

struct Sum {
  std::vector<long> parts;  // each written by one job, read by the caller after the round
  std::atomic<long> calls{0};
};

long round_of(ulna::internal::robot::ThreadPool& pool, std::size_t count) {
  Sum sum{std::vector<long>(count, 0)};
  pool.run(
      count,
      [](void* context, std::size_t k) noexcept {
        Sum& s = *static_cast<Sum*>(context);
        s.parts[k] += static_cast<long>(k) + 1;
        ++s.calls;
      },
      &sum);
  long total = 0;
  for (const long part : sum.parts) total += part;
  return sum.calls == static_cast<long>(count) ? total : -1;
}

}  // namespace

int main() {
  std::atomic<int> wrong{0};
  for (const std::size_t threads : {1, 2, 4}) {
    ulna::internal::robot::ThreadPool pool(threads);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 3; ++caller)
      callers.emplace_back([&] {
        for (std::size_t count = 0; count < 200; ++count)
          if (round_of(pool, count) != static_cast<long>(count * (count + 1) / 2)) ++wrong;
      });
    for (std::thread& caller : callers) caller.join();
  }
  std::printf("pool: 1800 rounds, %d wrong\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}
