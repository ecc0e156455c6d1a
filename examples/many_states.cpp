// Machine code made while the model loads: torque in nanoseconds, a million states in one call, a payload in microseconds.
//   many_states [MODEL]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <ulna/ulna.hpp>

int main(int argc, char** argv) {
  try {
    const ulna::Model model = ulna::load(argc > 1 ? argv[1] : "panda");
    const ulna::Dynamics dynamics(model);  // traced, minimised and compiled here, once; immutable, for any number of threads
    const std::size_t n = dynamics.nv(), count = 1000000;

    std::vector<double> q(n * count), v(n * count), a(n * count), tau(n * count);  // one state after the other
    for (std::size_t k = 0; k < q.size(); ++k) {
      q[k] = std::sin(0.1 * static_cast<double>(k));
      v[k] = std::sin(0.2 * static_cast<double>(k));
      a[k] = std::sin(0.3 * static_cast<double>(k));
    }
    const auto states = [&](const std::vector<double>& x) { return ulna::MatrixView<const double>(x.data(), n, count); };
    const auto start = std::chrono::steady_clock::now();
    dynamics.inverse_batch(states(q), states(v), states(a), ulna::MatrixView<double>(tau.data(), n, count));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%zu states of %s with %zu threads and %s: %.1f ms\n", count, model.name().c_str(), dynamics.threads(),
                std::string(to_string(dynamics.instruction_set())).c_str(), 1e3 * seconds);

    const ulna::Dynamics loaded = dynamics.with_payload(model.links().back().name, {.mass = 2, .com = {0, 0, 0.05}});
    std::vector<double> without(n), with(n);
    dynamics.gravity(q.data(), without.data());
    loaded.gravity(q.data(), with.data());
    for (std::size_t i = 0; i < n; ++i)
      std::printf("%-16s holds %10.4f, with 2 kg in the hand %10.4f\n", model.coordinate_names()[i].c_str(), without[i], with[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
