// A serial arm twice: as a DhChain for the formulations and as a Model for the oracle.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "formulation/frames.hpp"

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {

struct DhArm {
  DhChain<double> chain;
  Model model;
};

/// Sine and cosine of multiples of a right angle are exactly 0 and ±1, as in a chain made from a file.
inline double exact(double sine_or_cosine) { return std::abs(sine_or_cosine) < 1e-15 ? 0.0 : sine_or_cosine; }

inline DhArm make_dh_arm(const std::vector<Row>& rows, const Vec3<double>& gravity) {
  DhChain<double> chain;
  Description arm;
  arm.name = "arm";
  arm.gravity = gravity;
  chain.gravity_0 = gravity;
  for (const Row& row : rows) {
    append(arm, true, row);
    chain.rows.push_back({row.prismatic, row.a, row.alpha, exact(std::cos(row.alpha)), exact(std::sin(row.alpha)), row.d, row.theta, exact(std::cos(row.theta)),
                          exact(std::sin(row.theta)), row.link.mass, row.link.com, row.link.inertia});
  }
  return {chain, unchecked(arm)};
}

enum class Parameters { general, degenerate };

/// One row in general position, or one with many zeros and right angles, some without mass. `types` is like "RRP".
inline DhArm random_dh_arm(std::string_view types, Parameters parameters, Random& random) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const bool degenerate = parameters == Parameters::degenerate;
  const auto length = [&] { return degenerate && random.chance(0.6) ? 0.0 : random.uniform(-0.5, 0.5); };
  const auto angle = [&] { return degenerate && random.chance(0.8) ? kQuarter * random.integer(-1, 2) : random.uniform(-3, 3); };
  std::vector<Row> rows;
  for (const char type : types) {
    Row row{type == 'P', length(), length(), angle(), angle(), {}};
    const bool massless = degenerate && rows.size() + 1 < types.size() && random.chance(0.4);
    if (!massless) set_random_inertia(row.link, random);
    if (massless && random.chance(0.5)) {  // no mass, but a moment of inertia
      row.link.inertia = {0.3, 0.2, 0.25, 0.01, -0.02, 0.03};
      row.link.inertial = true;
    }
    rows.push_back(row);
  }
  return make_dh_arm(rows, degenerate ? Vec3<double>{0, 0, -9.81} : random.vector(10));
}

/// "R", "P", "RR", ..., all mixtures of 1 to 4 joints, and some longer ones.
inline std::vector<std::string> joint_mixtures() {
  std::vector<std::string> all;
  for (unsigned n = 1; n <= 4; ++n)
    for (unsigned bits = 0; bits < (1u << n); ++bits) {
      std::string types;
      for (unsigned i = 0; i < n; ++i) types += (bits >> i) & 1u ? 'P' : 'R';
      all.push_back(types);
    }
  for (const char* types : {"RRRRR", "PRPRP", "RRRRRR", "RRPRRR", "PPPRRR", "RPRRPRR", "RRRRRRRR", "PPPPPPPP", "RPPRRPRP"}) all.emplace_back(types);
  return all;
}

}  // namespace ulna::test
