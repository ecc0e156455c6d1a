// Watches joints cross their limits.
#pragma once

#include <functional>

#include <ulna/sim/simulate.hpp>

#include "sim/curve.hpp"
#include "sim/integrator.hpp"

namespace ulna::internal::sim {

class LimitWatch {
 public:
  /// `lane` of states that lie side by side; see system.hpp. `rates` gives speeds of all joints of a state, good until the next call.
  LimitWatch(const Model& model, std::size_t lanes, std::size_t lane, std::function<const double*(const double* x)> rates);
  /// Joints that are outside at the start.
  void start(const double* q, const double* v, std::vector<LimitEvent>& events);
  /// After a step: all crossings within it, in the order of time. They are found on the integrator's interpolant, whose turning points are looked at, too, so
  /// that a joint that leaves and comes back within one step is seen.
  void after(Integrator& integrator, std::vector<LimitEvent>& events);
  /// The same, but only whether there is any. Asks for no state within the step where the interpolant is a cubic.
  bool crossed(Integrator& integrator);

 private:
  struct Watched {
    std::string name;
    std::size_t at_q, at_v;  // where it stands in q and in v
    double multiplier, offset, lower, upper;
    int side = 0;                // at the end of the last step: -1 below the lower limit, 1 above the upper one
    double value = 0, rate = 0;  // there

    double value_at(double q) const { return multiplier * q + offset; }
    int side_of(double x) const { return x > upper ? 1 : x < lower ? -1 : 0; }
  };
  struct Crossing {
    std::size_t watched;
    int side;
    double s;  // share of the step
  };
  /// In no order of time.
  const std::vector<Crossing>& find(Integrator& integrator);
  void find_on(const Curve& curve, std::size_t watched);
  LimitEvent event(const Watched& w, double t, const double* v, int side) const;

  std::function<const double*(const double* x)> rates_;
  std::vector<Watched> watched_;
  std::vector<Crossing> crossings_;
  std::vector<double> x_;
};

}  // namespace ulna::internal::sim
