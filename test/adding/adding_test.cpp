// A formulation that was added as docs/formulations/README.md says is found by everything that loops over the rows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "formulation/trace.hpp"
#include "support/inside.hpp"

namespace ulna::test {
namespace {

const Formulation& added() { return *find_formulation("link-jacobians"); }

TEST(Adding, IsARow) {
  ASSERT_NE(find_formulation("link-jacobians"), nullptr);
  EXPECT_EQ(&production_path(), &formulations().back());
  EXPECT_EQ(added().cost(), "O(n^3)");
  EXPECT_EQ(added().topologies, "any tree");
}

// The reference of verify() shares nothing with it. Turning and sliding joints.
TEST(Adding, IsVerified) {
  for (const char* robot : {"planar-2r", "stanford", "puma560", "general-RPRRPR"}) {
    const Certificate certificate = verify(load(robot), {.samples = 20});
    int rows = 0;
    for (const FormulationCheck& check : certificate.formulations) {
      if (check.id != added().id) continue;
      ++rows;
      EXPECT_TRUE(check.applies) << check.why_not;
      EXPECT_TRUE(check.agree) << robot << ": " << check.max_relative_difference;
      EXPECT_GT(check.max_relative_difference, 0) << "compared with nothing";
    }
    EXPECT_EQ(rows, 1) << robot;
  }
}

TEST(Adding, IsCountedAndTraced) {
  const Prepared arm(load("general-RRR"));
  const OperationCounts written = count_as_written(added(), Quantity::mass, arm).total;
  EXPECT_EQ(written.sincos, 3);
  EXPECT_GT(written.mul, 100);
  ASSERT_EQ(why_not_traced(added(), Quantity::mass, arm), "");
  EXPECT_LT(trace(added(), Quantity::mass, arm).counts().mul, written.mul);
}

// The text is an object that can be evaluated; the production path says what it must give.
TEST(Adding, IsWrittenDown) {
  const Model model = load("planar-2r");
  const EquationSet set = make_equations(model, Quantity::mass, {.formulation = std::string(added().id)});
  const std::vector<double> q{0.3, -0.8}, M = evaluate(set, q);
  std::vector<double> numbers(4);
  FormulationOnModel(production_path(), Quantity::mass, Prepared(model)).compute(Quantity::mass, {q.data()}, numbers.data());
  ASSERT_EQ(M.size(), numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_NEAR(M[k], numbers[k], 1e-14 * std::abs(numbers[k]));
}

}  // namespace
}  // namespace ulna::test
