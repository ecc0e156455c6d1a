#include "robot/thread_pool.hpp"

#include <chrono>
#include <exception>

namespace ulna::internal::robot {

namespace {

/// About the cost of waking: a spin without success at most doubles the cost of sleeping.
constexpr std::chrono::microseconds kLookOut{50};

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::start() noexcept {
  try {
    workers_.reserve(threads_ - 1);
    while (workers_.size() + 1 < threads_) workers_.emplace_back([this] { wait_for_work(); });
  } catch (const std::exception&) {  // no more threads are available: continue with those that run
  }
}

/// Spins until it holds, or for kLookOut; the condition must be checked again under the mutex.
template <class Condition>
void ThreadPool::look_out(Condition met) const noexcept {
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  do {
    for (int k = 0; k < 32; ++k) {
      if (met()) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

void ThreadPool::wait_for_work() {
  std::size_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    if (seen != 0) {
      lock.unlock();
      look_out([&] { return stop_ || number_ != seen; });
      lock.lock();
    }
    wake_.wait(lock, [&] { return stop_ || number_ != seen; });
    if (stop_) return;
    seen = number_;
    Round* round = round_;
    if (round == nullptr) continue;  // woken too late
    ++working_;
    lock.unlock();
    round->work();
    lock.lock();
    if (--working_ == 0) done_.notify_all();
  }
}

void ThreadPool::Round::work() noexcept {
  for (std::size_t k = next.fetch_add(1, std::memory_order_relaxed); k < count; k = next.fetch_add(1, std::memory_order_relaxed)) job(context, k);
}

void ThreadPool::run(std::size_t count, void (*job)(void* context, std::size_t k) noexcept, void* context) noexcept {
  Round round{count, job, context};
  if (threads_ <= 1 || count <= 1) return round.work();  // before any lock is touched: real-time callers rely on that
  const std::unique_lock alone(busy_, std::try_to_lock);
  if (!alone.owns_lock()) return round.work();
  if (workers_.empty()) start();
  {
    const std::lock_guard lock(mutex_);
    round_ = &round;
    ++number_;
  }
  wake_.notify_all();
  round.work();
  {
    const std::lock_guard lock(mutex_);
    round_ = nullptr;  // whoever comes now comes too late
  }
  look_out([&] { return working_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return working_ == 0; });
}

}  // namespace ulna::internal::robot
