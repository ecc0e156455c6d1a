// What `python/bench.py` measures Python against: the C++ batch on the same states, on one thread.
//   bench_batch MODEL STATES COUNT TURNS
// STATES holds q, v, a, each COUNT rows of doubles, one array after the other. Prints the least time per state [ns] of inverse and of forward dynamics, and
// writes the torques and accelerations to STATES.tau and STATES.acc, so that it can be seen that both compute the same.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include <ulna/ulna.hpp>

namespace {

using Clock = std::chrono::steady_clock;

void keep(const std::string& path, const std::vector<double>& numbers) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(double)));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("bench_batch MODEL STATES COUNT TURNS\n", stderr), 2;
  try {
    ulna::DynamicsOptions options;
    options.threads = 1;
    const ulna::Dynamics dynamics(ulna::load(argv[1]), options);
    const std::size_t n = static_cast<std::size_t>(dynamics.nv()), count = std::strtoul(argv[3], nullptr, 10);
    std::vector<double> q(n * count), v(n * count), a(n * count), tau(n * count), acc(n * count);
    std::ifstream file(argv[2], std::ios::binary);
    for (std::vector<double>* x : {&q, &v, &a}) file.read(reinterpret_cast<char*>(x->data()), static_cast<std::streamsize>(x->size() * sizeof(double)));
    if (!file) return std::fprintf(stderr, "cannot read %s\n", argv[2]), 2;
    const auto in = [&](const std::vector<double>& x) { return ulna::MatrixView<const double>(x.data(), n, count); };
    const auto out = [&](std::vector<double>& x) { return ulna::MatrixView<double>(x.data(), n, count); };
    double inverse = 1e300, forward = 1e300;
    for (int turn = 0; turn < std::atoi(argv[4]); ++turn) {
      const auto t0 = Clock::now();
      dynamics.inverse_batch(in(q), in(v), in(a), out(tau));
      const auto t1 = Clock::now();
      dynamics.forward_batch(in(q), in(v), in(tau), out(acc));
      const auto t2 = Clock::now();
      inverse = std::min(inverse, std::chrono::duration<double>(t1 - t0).count());
      forward = std::min(forward, std::chrono::duration<double>(t2 - t1).count());
    }
    keep(std::string(argv[2]) + ".tau", tau);
    keep(std::string(argv[2]) + ".acc", acc);
    std::printf("%.4f %.4f\n", 1e9 * inverse / static_cast<double>(count), 1e9 * forward / static_cast<double>(count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
