// Random robots through everything: written, read, planned, computed by every formulation, traced and made into machine code. A failure shrinks, and the
// smallest robot that fails is left as a file one can open.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <ulna/dynamics/dynamics.hpp>
#include <ulna/jit/dynamics.hpp>
#include <ulna/source/load.hpp>
#include <ulna/source/write_urdf.hpp>
#include <ulna/verify/verify.hpp>

#include "model/text.hpp"
#include "property/random_robot.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {
namespace {

constexpr const char* kFailed = "property_failure.urdf";

/// How many robots: ULNA_ROBOTS of the environment, for long runs.
int robots() {
  const char* text = std::getenv("ULNA_ROBOTS");
  return text == nullptr ? 2000 : std::atoi(text);
}

/// Empty when all agree; else what does not.
std::string fault_of(const Model& model, bool kernels) {
  // verify() allows 8 roundings for each link. Formulations that add up 4 x 4 matrices (lagrange, hollerbach-4x4) need more on some short robots whose mass
  // lies on an axis, where forces are small and the terms of the matrices are not: here 32 are allowed. An error of algebra is larger by ten orders.
  constexpr double kMore = 4;
  const Certificate c = verify(model, {.samples = 1});
  for (const FormulationCheck& check : c.formulations)
    if (check.applies && !(check.max_relative_difference <= kMore * check.tolerance))
      return cat(check.id, " differs in the ", to_string(check.quantity), " by ", check.max_relative_difference, ", allowed ", check.tolerance);
  for (const LawCheck& law : c.laws)
    if (!law.holds && !(law.worst <= kMore * law.tolerance)) return cat("law ", law.id, " is broken by ", law.worst, ", allowed ", law.tolerance);
  if (!kernels) return {};

  const auto n = static_cast<std::size_t>(model.nv());
  const Dynamics dynamics(model, {.threads = 1});
  StateSampler sampler(model, 7);
  std::vector<double> q, v, a, tau(n), M(n * n), again(n);
  sampler.next(q, v, a);
  const Model snapped = snapped_model(model, 1e-9);
  const Bounds exact(Reference(snapped), snapped, q, v, a);
  dynamics.inverse(q, v, a, tau);
  dynamics.mass(q, {M.data(), n, n});
  dynamics.forward(q, v, tau, again);
  // Every robot is compiled anew and may take the roundings of its own search: a few times those of one formulation.
  const double tolerance = 8 * verify_tolerance(model.joints().size());
  const auto off = [&](double is, long double wanted, double bound) { return !(std::abs(static_cast<double>(is - wanted)) <= tolerance * bound); };
  for (std::size_t i = 0; i < n; ++i) {
    if (off(tau[i], exact.tau[i], exact.torque_bound[i])) return cat("machine code: torque ", i, " is ", tau[i]);
    if (off(again[i], static_cast<long double>(a[i]), exact.acceleration_bound[i]))
      return cat("machine code: acceleration ", i, " is ", again[i], " for ", a[i]);
  }
  for (std::size_t i = 0; i < n * n; ++i)
    if (off(M[i], exact.M[i], exact.mass_bound[i])) return cat("machine code: inertia ", i, " is ", M[i]);
  return {};
}

TEST(RandomRobots, AgreeWhateverTheyAre) {
  const std::string parameters = cat("seed=20240611 max_success=", robots(), " max_discard_ratio=1");
  ASSERT_EQ(setenv("RC_PARAMS", parameters.c_str(), 0), 0);  // before RapidCheck looks; the environment goes before
  long made = 0, moving = 0, compiled = 0, prismatic = 0, massless = 0, coupled = 0;
  const bool good = rc::check("random robots", [&] {
    const RobotSpec spec = *random_robot(10);
    const Description d = description_of(spec);
    Diagnostics diagnostics("random");
    const std::optional<Model> built = build(d, diagnostics);
    RC_ASSERT(built.has_value());
    const std::optional<std::string> text = write_urdf(*built, diagnostics);
    RC_ASSERT(text.has_value());
    const auto fail = [&](const std::string& why) {
      std::ofstream(kFailed) << *text;
      RC_FAIL(why + "; the robot is in " + kFailed);
    };
    const LoadResult read = try_parse(*text, "random.urdf");
    if (!read.model) fail("refused: " + to_string(read.diagnostics.back()));
    const Model& model = *read.model;
    if (model.coordinate_names() != built->coordinate_names()) fail("other joints were read than were written");
    ++made;
    if (model.nv() == 0) return;
    const bool kernels = ++moving % 4 == 0;
    compiled += kernels ? 1 : 0;
    for (const JointSpec& s : spec.joints) prismatic += s.type == 1, massless += s.mass == 0, coupled += s.follows > 0;
    if (const std::string fault = fault_of(model, kernels); !fault.empty()) fail(fault);
  });
  EXPECT_TRUE(good) << "seed and counterexample are above; the smallest robot that fails is in " << kFailed;
  // The generator must not quietly become tame.
  EXPECT_GE(made, robots());
  EXPECT_GT(moving, made * 8 / 10);
  EXPECT_GT(compiled, made / 6);
  EXPECT_GT(prismatic, made / 2);
  EXPECT_GT(massless, made / 4);
  EXPECT_GT(coupled, made / 10);
}

}  // namespace
}  // namespace ulna::test
