// Work that several threads share.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ulna::internal {

/// Runs `work` on this thread and up to so many less one others, on fewer where no more are to be had. What the first of them throws is thrown here, when all
/// have ended; `stop` is called then, to tell the others.
template <class Work, class Stop>
void run_crew(std::size_t threads, const Work& work, const Stop& stop) {
  std::mutex telling;
  std::exception_ptr problem;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(telling);
      if (!problem) problem = std::current_exception();
      stop();
    }
  };
  std::vector<std::thread> others;
  try {
    for (std::size_t k = 1; k < threads; ++k) others.emplace_back(guarded);
  } catch (const std::exception&) {  // those that run will do
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace ulna::internal
