// Pieces of work on all cores whose results are taken in their order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ulna::cli {

/// make() gives each thread an object of its own with two functions: work(k) does piece k, at any time; take(k) is called on the same object after it, one
/// piece at a time, in the order of k, and ends everything when it returns false. A thread begins no piece before its last one was taken, so that memory is
/// that of one piece a thread. The first exception, in the order of pieces, ends the work and is thrown here.
template <class Make>
void in_order(std::size_t count, Make make) {
  constexpr std::size_t kMostThreads = 8;  // writing what they make is the work of one
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // of what follows
  std::condition_variable taken;
  std::size_t turn = 0;
  bool stopped = false;
  std::exception_ptr error;

  const auto run = [&] {
    std::size_t k = 0;
    const auto fail = [&] {
      const std::lock_guard lock(mutex);
      if (!stopped) error = std::current_exception();
      stopped = true;
      taken.notify_all();
    };
    const auto my_turn = [&] {
      std::unique_lock lock(mutex);
      taken.wait(lock, [&] { return stopped || turn == k; });
      return !stopped;
    };
    try {
      auto worker = make();
      while ((k = next++) < count) {
        try {
          worker.work(k);
        } catch (...) {
          if (my_turn()) fail();
          return;
        }
        if (!my_turn()) return;
        const bool more = worker.take(k);
        const std::lock_guard lock(mutex);
        ++turn;
        stopped = stopped || !more;
        taken.notify_all();
      }
    } catch (...) {
      fail();
    }
  };

  std::vector<std::thread> others;
  const std::size_t threads = std::min({count, kMostThreads, static_cast<std::size_t>(std::max(1u, std::thread::hardware_concurrency()))});
  try {
    while (others.size() + 1 < threads) others.emplace_back(run);
  } catch (const std::system_error&) {  // no more threads are available: continue with those that run
  }
  run();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace ulna::cli
