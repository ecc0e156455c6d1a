// Watches joints cross their limits.
#pragma once

#include <ulna/sim/simulate.hpp>

namespace ulna::sim {

class LimitWatch {
 public:
  explicit LimitWatch(const Model& model);
  /// Joints that are outside at the start.
  void start(const double* q, const double* v, std::vector<LimitEvent>& events);
  /// After a step: the first crossings within it, in the order of time; their times are found on the integrator's interpolant. A joint that leaves and comes
  /// back within one step is not seen.
  void after(Integrator& integrator, std::vector<LimitEvent>& events);

 private:
  struct Watched {
    std::string name;
    std::size_t coordinate;
    double multiplier, offset, lower, upper;
    int side = 0;  // -1 below the lower limit, 1 above the upper one

    double value(const double* q) const { return multiplier * q[coordinate] + offset; }
    int side_of(const double* q) const { return value(q) > upper ? 1 : value(q) < lower ? -1 : 0; }
  };
  LimitEvent event(const Watched& w, double t, const double* v, int side) const;

  std::size_t n_;
  std::vector<Watched> watched_;
  std::vector<double> x_;
};

}  // namespace ulna::sim
