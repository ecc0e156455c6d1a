// LDLᵀ by itself, composite bodies and Newton-Euler on trees against the slow oracle, and M and bias by formulations of the registry.
#include "formulation/composite_ldl.hpp"

#include <ulna/source/load.hpp>

#include "formulation/support_nasser.hpp"

namespace ulna::test {
namespace {

// (1 0 0; 2 1 0; 3 4 1) diag(2, 3, 5) (...)ᵀ, in whole numbers.
TEST(Ldl, FactorsAndSolvesExactly) {
  std::vector<double> M{2, 4, 6, 4, 11, 24, 6, 24, 71}, d_inverse(3), x{1, -2, 3};
  const std::vector<double> right{2 * 1 - 4 * 2 + 6 * 3, 4 * 1 - 11 * 2 + 24 * 3, 6 * 1 - 24 * 2 + 71 * 3};
  std::vector<double> solution = right;
  M[1] = M[2] = M[5] = std::numeric_limits<double>::quiet_NaN();  // only the lower triangle is read
  ldl_factor(3, M.data(), d_inverse.data());
  EXPECT_EQ(M[3], 2);
  EXPECT_EQ(M[6], 3);
  EXPECT_EQ(M[7], 4);
  EXPECT_DOUBLE_EQ(d_inverse[0], 1.0 / 2);
  EXPECT_DOUBLE_EQ(d_inverse[1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(d_inverse[2], 1.0 / 5);
  ldl_solve(3, M.data(), d_inverse.data(), solution.data());
  EXPECT_LT(relative_error(solution, x), tolerance(3));
}

TEST(Ldl, CountsAsWritten) {
  for (std::size_t n = 1; n <= 8; ++n) {
    std::vector<Counted> M(n * n, Counted::variable(1)), d(n), x(n, Counted::variable(1));
    for (std::size_t i = 0; i < n; ++i) M[i * n + i] = Counted::variable(2);
    operation_counts() = {};
    ldl_factor(n, M.data(), d.data());
    const auto k = static_cast<long>(n);
    EXPECT_EQ(operation_counts().mul, k * (k - 1) * (k - 2) / 6 + k * (k - 1));  // the products of rows, then two to each entry of L
    EXPECT_EQ(operation_counts().div, k);
    operation_counts() = {};
    ldl_solve(n, M.data(), d.data(), x.data());
    EXPECT_EQ(operation_counts().mul, k * k);
  }
}

TEST(CompositeBodies, MassAndBiasOfTrees) {
  for_each_case({}, [](const Model& model, const State& s, Random&) {
    CompositeBodies<double, double> bodies(make_body_tree(model));
    const Oracle oracle(model, s.q, s.v, zeros(s.q), {.rotor = false});
    const auto n = static_cast<Eigen::Index>(bodies.size());
    Eigen::MatrixXd M(n, n);
    bodies.mass(s.q.data(), M.data());
    const Eigen::MatrixXd expected = doubles(Oracle(model, s.q, s.v, s.a, {.rotor = false}).mass_matrix());
    EXPECT_LT(record("composite bodies, M", relative_error(M, expected)), tolerance(steps(model)));
    EXPECT_EQ(M, M.transpose());
    std::vector<double> bias(bodies.size());
    bodies.bias(s.q.data(), s.v.data(), bias.data());
    EXPECT_LT(
        record("composite bodies, bias: error / bound", relative_error(bias, doubles(oracle.torques())) / tolerance(steps(model), torque_condition(oracle))),
        1);
  });
}

// Every formulation that gives torques, masses or biases, in the part it can play.
TEST(CompositeLdl, MassAndBiasByAnyFormulation) {
  for (const char* id : {"stanford", "puma560", "general-RPRRPR", "torso"}) {
    const Model model = with_free_mimics(load(id));
    const Prepared prepared(model);
    Random random(5);
    const State s = random_state(model, random);
    const std::vector<double> tau = inverse_of(make_plan(model), s);
    const double bound = tolerance(steps(model), acceleration_condition(model, s, {}));
    int tried = 0;
    for (const Formulation& row : formulations()) {
      SCOPED_TRACE(::testing::Message() << id << ", " << row.id);
      if (row.valid_at == ValidAt::table_nodes || !row.why_not(prepared).empty()) continue;  // a table is as good as its grid
      std::vector<double> a(s.q.size());
      if (row.gives(Quantity::mass) || row.gives(Quantity::inverse)) {
        make_composite_ldl<double>(prepared, row.id, "ulna")->acceleration(s.q.data(), s.v.data(), tau.data(), a.data());
        EXPECT_LT(record("M by any formulation: error / bound", relative_error(a, s.a) / bound), 1);
        ++tried;
      }
      if (row.gives(Quantity::bias) || row.gives(Quantity::inverse)) {
        make_composite_ldl<double>(prepared, "ulna", row.id)->acceleration(s.q.data(), s.v.data(), tau.data(), a.data());
        EXPECT_LT(record("bias by any formulation: error / bound", relative_error(a, s.a) / bound), 1);
        ++tried;
      }
    }
    EXPECT_GT(tried, 2) << id;
  }
}

TEST(CompositeLdl, SaysWhyAFormulationCannotServe) {
  const Prepared torso(with_free_mimics(load("torso")));
  const auto message = [&](const char* mass, const char* bias) -> std::string {
    try {
      make_composite_ldl<double>(torso, mass, bias);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no exception";
  };
  EXPECT_EQ(message("ulna", "walker-orinn"), "there is no formulation 'walker-orinn'; did you mean 'walker-orin'?");
  EXPECT_EQ(message("ulna", "walker-orin"), "formulation 'walker-orin' gives neither bias nor torque");
  EXPECT_EQ(message("nasser", "ulna"), "formulation 'nasser' gives neither mass nor torque");
  EXPECT_EQ(message("ulna", "hollerbach-3x3").find("formulation 'hollerbach-3x3' does not take this model: "), 0u) << message("ulna", "hollerbach-3x3");
}

}  // namespace
}  // namespace ulna::test
