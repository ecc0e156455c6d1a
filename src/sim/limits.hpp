// Watches joints cross their limits.
#pragma once

#include <ulna/sim/simulate.hpp>

namespace ulna::sim {

class LimitWatch {
 public:
  /// `lane` of states that lie side by side; see system.hpp.
  explicit LimitWatch(const Model& model, std::size_t lanes = 1, std::size_t lane = 0);
  /// Joints that are outside at the start.
  void start(const double* q, const double* v, std::vector<LimitEvent>& events);
  /// After a step: the first crossings within it, in the order of time; their times are found on the integrator's interpolant. A joint that leaves and comes
  /// back within one step is not seen.
  void after(Integrator& integrator, std::vector<LimitEvent>& events);
  /// The same, but only whether there is any.
  bool crossed(const double* q);

 private:
  struct Watched {
    std::string name;
    std::size_t coordinate;  // where it stands in q
    double multiplier, offset, lower, upper;
    int side = 0;  // -1 below the lower limit, 1 above the upper one

    double value(const double* q) const { return multiplier * q[coordinate] + offset; }
    int side_of(const double* q) const { return value(q) > upper ? 1 : value(q) < lower ? -1 : 0; }
  };
  LimitEvent event(const Watched& w, double t, const double* v, int side) const;

  std::size_t speeds_;  // where v begins
  std::vector<Watched> watched_;
  std::vector<double> x_;
};

}  // namespace ulna::sim
