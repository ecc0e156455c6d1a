// What the tests of the formulations for accelerations share.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <ulna/model/model.hpp>

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {

/// Rounding of the torques (relative to what they are made of) reaches the accelerations through M⁻¹; the solution itself costs cond(M).
inline double acceleration_condition(const Model& model, const State& s, const Effects& effects) {
  const Oracle oracle(model, s.q, s.v, s.a, effects);
  const Eigen::MatrixXd M = doubles(oracle.mass_matrix());
  const double inverse_norm = 1 / smallest_singular_value(M);
  return condition_number(M) + inverse_norm * oracle.torque_size() / largest(s.a);
}

/// Passes an error through, and remembers the largest of each name: ULNA_TEST_RESIDUALS=1 prints them at the end.
class Residuals {
 public:
  static Residuals& all() {
    static Residuals residuals;
    return residuals;
  }
  double add(const std::string& name, double error) {
    double& worst = worst_[name];
    worst = std::max(worst, error);
    return error;
  }
  ~Residuals() {
    if (std::getenv("ULNA_TEST_RESIDUALS") == nullptr) return;
    for (const auto& [name, error] : worst_) std::cout << "residual " << error << "  " << name << "\n";
  }

 private:
  std::map<std::string, double> worst_;
};
inline double record(const std::string& name, double error) { return Residuals::all().add(name, error); }

}  // namespace ulna::test
