// Arms in general position, revolute and prismatic, in both DH conventions, with numbers from a program that is not ours.
#include <string_view>

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

struct Case {
  std::string_view convention, types;
  std::vector<double> a, d, alpha, theta, mass, com, inertia, gravity, q, v, bias, M;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
#include "dynamics/vectors.inc"
  };
  return all;
}

Model arm_of(const Case& c) {
  Description arm;
  arm.name = c.types;
  arm.gravity = {c.gravity[0], c.gravity[1], c.gravity[2]};
  const bool standard = c.convention == "standard";
  for (std::size_t i = 0; i < c.types.size(); ++i) {
    const bool prismatic = c.types[i] == 'P';
    const double* m = &c.com[3 * i];
    const double* s = &c.inertia[6 * i];
    Row row{prismatic, c.a[i], c.d[i], c.alpha[i], c.theta[i], body("", c.mass[i], {m[0], m[1], m[2]}, {s[0], s[1], s[2], s[3], s[4], s[5]})};
    if (standard) (prismatic ? row.d : row.theta) = 0;  // there q stands for the whole variable
    append(arm, standard, row);
  }
  return unchecked(arm);
}

TEST(DhReference, BiasAndInertiaMatrix) {
  ASSERT_EQ(cases().size(), 6u);
  for (const Case& c : cases()) {
    SCOPED_TRACE(::testing::Message() << c.convention << " " << c.types);
    const Model model = arm_of(c);
    const Plan plan = make_plan(model);
    const State s{c.q, c.v, zeros(c.q)};
    const double cond = torque_condition(Oracle(model, s.q, s.v, s.a));
    EXPECT_LT(relative_error(inverse_of(plan, s), c.bias), tolerance(c.q.size(), cond));
    EXPECT_LT(relative_error(mass_of(plan, c.q), c.M), tolerance(c.q.size()));  // symmetric, so rows are columns
  }
}

}  // namespace
}  // namespace ulna::test
