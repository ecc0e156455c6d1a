// What `python/bench.py` measures Python against: the C++ batch on the same states, on one thread.
//   bench_batch MODEL STATES COUNT TURNS float64|float32
// STATES holds q, v, a, each COUNT rows of doubles, one array after the other. Prints the least time per state [ns] of inverse and of forward dynamics, and
// writes the torques and accelerations to STATES.tau and STATES.acc, so that it can be seen that both compute the same.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/ulna.hpp>

namespace {

using Clock = std::chrono::steady_clock;

/// Large arrays of NumPy lie on large pages where the system grants them; so do these, or Python would seem the faster one.
template <class T>
std::unique_ptr<T[], decltype(&std::free)> array(std::size_t size) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  const std::size_t bytes = (size * sizeof(T) + kPage - 1) / kPage * kPage;
  void* memory = std::aligned_alloc(kPage, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::fill_n(static_cast<T*>(memory), size, T(0));  // its pages are there before the clock runs
  return {static_cast<T*>(memory), &std::free};
}

template <class T>
void keep(const std::string& path, const T* numbers, std::size_t size) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(numbers), static_cast<std::streamsize>(size * sizeof(T)));
}

template <class T>
int run(const std::string& model, const std::string& states, std::size_t count, int turns) {
  ulna::DynamicsOptions options;
  options.threads = 1;
  const ulna::DynamicsOf<T> dynamics(ulna::load(model), options);
  const std::size_t n = static_cast<std::size_t>(dynamics.nv()), size = n * count;
  const auto q = array<T>(size), v = array<T>(size), a = array<T>(size), tau = array<T>(size), acc = array<T>(size);
  std::ifstream file(states, std::ios::binary);
  std::vector<double> read(size);
  for (T* x : {q.get(), v.get(), a.get()}) {
    file.read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(size * sizeof(double)));
    std::transform(read.begin(), read.end(), x, [](double number) { return static_cast<T>(number); });
  }
  if (!file) return std::fprintf(stderr, "cannot read %s\n", states.c_str()), 2;
  const auto in = [&](const auto& x) { return ulna::MatrixView<const T>(x.get(), n, count); };
  const auto out = [&](const auto& x) { return ulna::MatrixView<T>(x.get(), n, count); };
  double inverse = 1e300, forward = 1e300;
  for (int turn = 0; turn < turns; ++turn) {
    const auto t0 = Clock::now();
    dynamics.inverse_batch(in(q), in(v), in(a), out(tau));
    const auto t1 = Clock::now();
    dynamics.forward_batch(in(q), in(v), in(tau), out(acc));
    const auto t2 = Clock::now();
    inverse = std::min(inverse, std::chrono::duration<double>(t1 - t0).count());
    forward = std::min(forward, std::chrono::duration<double>(t2 - t1).count());
  }
  keep(states + ".tau", tau.get(), size);
  keep(states + ".acc", acc.get(), size);
  std::printf("%.4f %.4f\n", 1e9 * inverse / static_cast<double>(count), 1e9 * forward / static_cast<double>(count));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view real = argc == 6 ? argv[5] : "";
  if (real != "float64" && real != "float32") return std::fputs("bench_batch MODEL STATES COUNT TURNS float64|float32\n", stderr), 2;
  try {
    return (real == "float64" ? run<double> : run<float>)(argv[1], argv[2], std::strtoul(argv[3], nullptr, 10), std::atoi(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
