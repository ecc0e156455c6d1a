// The integrators alone, on problems with a closed solution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/integrator.hpp"

namespace ulna::internal::sim {
namespace {

/// x' = x cos t, x(0) = 1: x = exp(sin t). Depends on t and x, so that a stage at the wrong time shows.
void growth(double t, const double* x, double* dxdt) { dxdt[0] = x[0] * std::cos(t); }
double growth_at(double t) { return std::exp(std::sin(t)); }

double error_of(IntegratorKind kind, double h) {
  IntegratorSettings settings{kind, h, 1e30};  // a tolerance that never cuts a step: Dormand-Prince goes from limit to limit
  const auto integrator = make_integrator(settings, 1, growth);
  integrator->restart(0, {1});
  const Multiples grid(h);
  for (long k = 1; grid(k) <= 2 + h / 2; ++k)
    while (integrator->end() < grid(k)) integrator->step(grid(k));
  EXPECT_EQ(integrator->end(), 2);
  return std::abs(integrator->state()[0] - growth_at(2));
}

double order_of(IntegratorKind kind, double h) { return std::log2(error_of(kind, h) / error_of(kind, h / 2)); }

TEST(Integrator, OrdersOfConvergence) {
  EXPECT_NEAR(order_of(IntegratorKind::rk4, 0.02), 4, 0.15);
  EXPECT_NEAR(order_of(IntegratorKind::adams_bashforth_4, 0.01), 4, 0.15);
  EXPECT_NEAR(order_of(IntegratorKind::dormand_prince_5, 0.05), 5, 0.2);
}

TEST(Integrator, EvaluationsAStep) {
  for (const auto& [kind, wanted] : {std::pair{IntegratorKind::rk4, 4.0}, {IntegratorKind::adams_bashforth_4, 1.0}}) {
    long count = 0;
    const auto integrator = make_integrator({kind, 0.01, 1e-9}, 1, [&](double t, const double* x, double* dxdt) {
      ++count;
      growth(t, x, dxdt);
    });
    integrator->restart(0, {1});
    while (integrator->end() < 10) integrator->step(10);
    EXPECT_NEAR(static_cast<double>(count) / 1000, wanted, 0.02);
  }
}

TEST(Integrator, ErrorControlKeepsTheTolerance) {
  double last = 1;
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    const auto integrator = make_integrator({IntegratorKind::dormand_prince_5, 1e-3, tolerance}, 1, growth);
    integrator->restart(0, {1});
    double worst = 0;
    int steps = 0;
    std::vector<double> x;
    while (integrator->end() < 10) {
      integrator->step(10);
      ++steps;
      for (const double share : {0.25, 0.5, 0.75, 1.0}) {  // between the steps, too
        const double t = integrator->begin() + share * (integrator->end() - integrator->begin());
        integrator->at(t, x);
        worst = std::max(worst, std::abs(x[0] - growth_at(t)));
      }
    }
    EXPECT_LT(worst, steps * tolerance * (1 + std::exp(1)));  // every step's error, none of them cancelling; x is e at most
    EXPECT_LT(worst, last / 20);
    last = worst;
  }
}

TEST(Integrator, StateBetweenStepsIsOfOrderFour) {
  const auto error = [](double h) {
    const auto integrator = make_integrator({IntegratorKind::rk4, h, 1e-9}, 1, growth);
    integrator->restart(0, {1});
    double worst = 0;
    std::vector<double> x;
    while (integrator->end() < 2) {
      integrator->step(2);
      const double t = (integrator->begin() + integrator->end()) / 2;
      integrator->at(t, x);
      worst = std::max(worst, std::abs(x[0] - growth_at(t)));
    }
    return worst;
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 4, 0.2);
}

// A start between multiples of the step, and a limit between them: shorter steps, the grid in between, and no loss of order.
TEST(Integrator, ShortStepsBringItToTheGrid) {
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4}) {
    const auto integrator = make_integrator({kind, 0.01, 1e-9}, 1, growth);
    integrator->restart(0.123, {growth_at(0.123)});
    integrator->step(1.0005);
    EXPECT_EQ(integrator->end(), 0.13);
    while (integrator->end() < 1.0005) integrator->step(1.0005);
    EXPECT_EQ(integrator->begin(), 1);
    EXPECT_EQ(integrator->end(), 1.0005);
    EXPECT_NEAR(integrator->state()[0], growth_at(1.0005), 5e-8);
    integrator->step(2);  // from where the limit was to the grid
    EXPECT_EQ(integrator->end(), 1.01);
  }
}

TEST(Integrator, MultiplesAreTheNumbersThatPeopleWrite) {
  const Multiples hundredths(0.01), odd(0.3);
  EXPECT_EQ(hundredths(7), 0.07);
  EXPECT_EQ(hundredths(29), 0.29);
  EXPECT_EQ(hundredths(100), 1);
  EXPECT_EQ(odd(3), 3 * 0.3);
  EXPECT_EQ(hundredths.next(0), 1);
  EXPECT_EQ(hundredths.next(0.07), 8);
  EXPECT_EQ(hundredths.next(0.0699), 7);
}

TEST(Integrator, SaysWhenItCannotGoOn) {
  // x' = x², x(0) = 1 is infinite at t = 1.
  const auto integrator =
      make_integrator({IntegratorKind::dormand_prince_5, 1e-3, 1e-9}, 1, [](double, const double* x, double* dxdt) { dxdt[0] = x[0] * x[0]; });
  integrator->restart(0, {1});
  EXPECT_THROW(while (integrator->end() < 2) integrator->step(2), Diverged);
  EXPECT_THROW(make_integrator({IntegratorKind::rk4, 0, 1e-9}, 1, growth), std::invalid_argument);
  EXPECT_THROW(make_integrator({IntegratorKind::rk4, NAN, 1e-9}, 1, growth), std::invalid_argument);
  EXPECT_THROW(make_integrator({IntegratorKind::dormand_prince_5, 1e-3, -1}, 1, growth), std::invalid_argument);
  EXPECT_THROW(make_integrator({IntegratorKind::implicit_midpoint, 1e-3, 1e-9}, 1, growth), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::internal::sim
