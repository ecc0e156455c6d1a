// A fixed number of threads that wait for work. Threads start with the first task. Waking a sleeping thread takes tens of microseconds, so a thread
// that has just worked spins for a while (kLookOut) before it sleeps: consecutive batches find it awake.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::robot {

class ThreadPool {
 public:
  /// The calling thread counts as one.
  explicit ThreadPool(std::size_t threads) : threads_(threads) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const { return threads_; }

  /// job(context, k) for k = 0 … count - 1, in any order, on the pool's threads and the calling one; returns when all are done. A call that finds the pool
  /// busy with another one does its work on its own thread. The job must not throw. Where a thread cannot be started, fewer do the work.
  void run(std::size_t count, void (*job)(void* context, std::size_t k) noexcept, void* context) noexcept;

 private:
  /// One call of run(), on its caller's stack.
  struct Round {
    std::size_t count;
    void (*job)(void* context, std::size_t k) noexcept;
    void* context;
    std::atomic<std::size_t> next{0};
    void work() noexcept;
  };
  void start() noexcept;
  void wait_for_work();
  template <class Condition>
  void look_out(Condition met) const noexcept;

  std::size_t threads_;
  std::mutex busy_;  // held by the call that uses the pool
  std::vector<std::thread> workers_;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  std::condition_variable done_;
  Round* round_ = nullptr;  // none between calls
  // Changed under the mutex only; read without it while spinning.
  std::atomic<std::size_t> number_{0};   // of the round
  std::atomic<std::size_t> working_{0};  // workers that hold round_
  std::atomic<bool> stop_{false};
};

}  // namespace ulna::internal::robot
