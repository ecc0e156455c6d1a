#include "formulation/stanford_count.hpp"

#include "formulation/counting.hpp"
#include "formulation/kane_stanford-inl.hpp"

namespace ulna::internal {

namespace {

std::array<Counted, 7> counted_array(double first, double step) {
  std::array<Counted, 7> x;
  for (std::size_t r = 1; r <= 6; ++r) x[r] = Counted::variable(first + step * static_cast<double>(r));
  return x;
}

/// The same arm with numbers that count: products of its constants are operations, too.
StanfordArm<Counted> unfolded(const StanfordArm<double>& arm) {
  StanfordArm<Counted> to = arm.cast<Counted>();
  const auto set = [](auto&... parameters) { ((parameters = Counted::variable(parameters.value())), ...); };
  set(to.L1, to.L2, to.L3, to.L4, to.L5, to.L6, to.mA, to.mB, to.mC, to.mD, to.mE, to.mF, to.g);
  set(to.A1, to.A2, to.A3, to.B1, to.B2, to.B3, to.C1, to.C2, to.C3, to.D1, to.D2, to.D3, to.E1, to.E2, to.E3, to.F1, to.F2, to.F3);
  return to;
}

/// What both quantities begin with: u, which the paper takes as given, then C, Z and X.
struct Begun {
  StanfordQuantities<Counted> k;
  std::array<Counted, 7> rates = counted_array(0.2, 0.11);
  AsWritten counts;

  explicit Begun(const StanfordArm<double>& arm) {
    const OperationCounts sines = operations_of([&] { stanford_place(counted_array(0.31, 0.17), k); });
    counts.total.sincos = sines.sincos;
    outside(kStanfordSpeeds, operations_of([&] { stanford_speeds_from_rates(k, rates); }));
    inside(kStanfordZ, operations_of([&] { stanford_Z(arm, k); }));
    inside(kStanfordX, operations_of([&] { stanford_X(arm, k); }));
  }
  void inside(std::string_view label, const OperationCounts& part) {
    counts.total = sum(counts.total, part);
    counts.parts.push_back({label, part, true});
  }
  void outside(std::string_view label, const OperationCounts& part) { counts.parts.push_back({label, part, false}); }
};

}  // namespace

AsWritten count_stanford_torque(const StanfordArm<double>& arm) {
  Begun run(arm);
  std::array<Counted, 7> u_dot;
  run.outside(kStanfordSpeedRates, operations_of([&] { u_dot = stanford_speed_rates(run.k, run.rates, counted_array(0.4, 0.07)); }));
  run.inside(kStanfordForces, operations_of([&] { stanford_forces(run.k, counted_array(0.4, 0.07)); }));
  StanfordQuantities<Counted> k;
  operations_of([&] {
    stanford_place(counted_array(0.31, 0.17), k);
    stanford_speeds_from_rates(k, run.rates);
  });
  const StanfordArm<Counted> counted = unfolded(arm);
  run.outside(kStanfordUnfolded, operations_of([&] {
                stanford_Z(counted, k);
                stanford_X(counted, k);
                stanford_forces(k, counted_array(0.4, 0.07));
              }));
  return run.counts;
}

AsWritten count_stanford_acceleration(const StanfordArm<double>& arm) {
  Begun run(arm);
  std::array<Counted, 7> u_dot;
  run.inside(kStanfordSolution, operations_of([&] { u_dot = stanford_accelerations(arm, run.k, counted_array(1.3, 0.9)); }));
  run.outside(kStanfordJointRates, operations_of([&] { stanford_joint_accelerations(run.k, u_dot); }));
  return run.counts;
}

StanfordArm<double> general_stanford_arm() {
  StanfordArm<double> arm;
  double next = 0.13;
  const auto set = [&](auto&... parameters) { ((parameters = next += 0.0137), ...); };
  set(arm.L1, arm.L2, arm.L3, arm.L4, arm.L5, arm.L6, arm.mA, arm.mB, arm.mC, arm.mD, arm.mE, arm.mF);
  set(arm.A1, arm.A2, arm.A3, arm.B1, arm.B2, arm.B3, arm.C1, arm.C2, arm.C3, arm.D1, arm.D2, arm.D3, arm.E1, arm.E2, arm.E3, arm.F1, arm.F2, arm.F3);
  return arm;
}

}  // namespace ulna::internal
