// Random numbers that are the same on every machine: the engine is fixed by the standard, the distributions of <random> are not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <ulna/spatial/spatial.hpp>

namespace ulna::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t count) { return engine_() % count; }
  /// Both ends included.
  int integer(int low, int high) { return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }

  std::vector<double> numbers(std::size_t n, double low, double high) {
    std::vector<double> out(n);
    for (double& x : out) x = uniform(low, high);
    return out;
  }
  Vec3<double> vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> v = vector(1);
      const double length = std::sqrt(dot(v, v));
      if (length > 0.1 && length < 1) return (1 / length) * v;
    }
  }
  Mat3<double> rotation() { return rotation_rpy(uniform(-3, 3), uniform(-1.5, 1.5), uniform(-3, 3)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ulna::test
