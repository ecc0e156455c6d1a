// Random robots through everything: written, read, planned, computed by every formulation, traced and made into machine code. A failure shrinks, and the
// smallest robot that fails is left as a file one can open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <ulna/formulation/on_model.hpp>
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

/// One state of a robot, the reference there in extended precision, and what differs from it.
class Comparison {
 public:
  explicit Comparison(const Model& model)
      : model_(model), n_(static_cast<std::size_t>(model.nv())), snapped_(snapped_model(model, kSnap)), reference_(snapped_) {
    StateSampler(model, 7).next(q_, v_, a_);
    exact_.emplace(reference_, snapped_, q_, v_, a_);
    for (const long double t : exact_->tau) tau_.push_back(static_cast<double>(t));
  }

  /// Empty when every formulation that takes the robot agrees. The table of horn-raibert is exact at its nodes only, and has a test of its own.
  std::string formulations() const {
    const Prepared prepared(model_, kSnap);
    const TermsInFrames terms(snapped_, prepared);
    Bounds in_dh = *exact_, in_mdh = *exact_;
    in_dh.add(terms.in(Frames::dh), q_, v_, a_);
    in_mdh.add(terms.in(Frames::mdh), q_, v_, a_);
    for (const Quantity quantity : {Quantity::torque, Quantity::mass, Quantity::bias, Quantity::acceleration})
      for (const Formulation& row : ulna::formulations()) {
        if (!row.gives(quantity) || row.id == "horn-raibert" || !why_not(row, quantity, prepared).empty()) continue;
        FormulationOnModel run(row, quantity, prepared);
        std::vector<double> got(quantity == Quantity::mass ? n_ * n_ : n_);
        const Bounds& exact = row.frames == Frames::dh ? in_dh : row.frames == Frames::mdh ? in_mdh : *exact_;
        std::string fault;
        try {
          switch (quantity) {
            case Quantity::torque:
              run.torque(q_.data(), v_.data(), a_.data(), got.data(), true, false);
              fault = differs(got, exact.tau, exact.torque_bound, run.amplification());
              break;
            case Quantity::mass:
              run.mass(q_.data(), got.data(), true);
              fault = differs(got, exact.M, row.from_base ? exact.mass_bound_base : exact.mass_bound, run.amplification());
              break;
            case Quantity::bias:
              run.bias(q_.data(), v_.data(), got.data(), false);
              fault = differs(got, exact.bias, exact.torque_bound, run.amplification());
              break;
            case Quantity::acceleration:
              run.acceleration(q_.data(), v_.data(), tau_.data(), got.data(), false);
              fault = differs(got, {a_.begin(), a_.end()}, exact.acceleration_bound, run.amplification());
              break;
          }
        } catch (const std::domain_error&) {  // the formulation's own variables do not exist in this state
        }
        if (!fault.empty()) return cat(row.id, ", ", to_string(quantity), ": ", fault);
      }
    return {};
  }

  /// The largest difference so far, as a share of what is allowed.
  double used() const { return used_; }

  std::string machine_code() const {
    const Dynamics dynamics(model_, {.threads = 1});
    std::vector<double> tau(n_), M(n_ * n_), a(n_);
    dynamics.inverse(q_, v_, a_, tau);
    dynamics.mass(q_, {M.data(), n_, n_});
    dynamics.forward(q_, v_, tau_, a);
    for (const std::string& fault : {differs(tau, exact_->tau, exact_->torque_bound, 1), differs(M, exact_->M, exact_->mass_bound, 1),
                                     differs(a, {a_.begin(), a_.end()}, exact_->acceleration_bound, 1)})
      if (!fault.empty()) return "machine code: " + fault;
    return {};
  }

 private:
  static constexpr double kSnap = 1e-9;

  /// Allowed is what verify() allows: 8 roundings for each link, of the terms that enter a result in the formulation's own frames. An error of algebra is
  /// larger by ten orders.
  std::string differs(const std::vector<double>& got, const std::vector<long double>& wanted, const std::vector<double>& bound, double amplification) const {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double allowed = verify_tolerance(n_) * amplification * bound[i];
      const double difference = std::abs(static_cast<double>(got[i] - wanted[i]));
      if (difference > 0 && allowed > 0) used_ = std::max(used_, difference / allowed);
      if (!(difference <= allowed))
        return cat("number ", i, " is ", got[i], " for ", static_cast<double>(wanted[i]), ", off by ", static_cast<double>(got[i] - wanted[i]), ", allowed ",
                   allowed);
    }
    return {};
  }

  mutable double used_ = 0;
  const Model& model_;
  std::size_t n_;
  Model snapped_;
  Reference reference_;
  std::vector<double> q_, v_, a_, tau_;
  std::optional<Bounds> exact_;
};

// Every robot that ever failed, as it was left by the test below.
TEST(RandomRobots, ThatFailedOnceDoNotFailAgain) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(ULNA_FOUND_DIR)) {
    SCOPED_TRACE(file.path().filename());
    const Model model = load(file.path().string());
    const Comparison comparison(model);
    EXPECT_EQ(comparison.formulations(), "");
    EXPECT_EQ(comparison.machine_code(), "");
    ++files;
  }
  EXPECT_GE(files, 5);
}

TEST(RandomRobots, AgreeWhateverTheyAre) {
  const std::string parameters = cat("seed=20240611 max_success=", robots(), " max_discard_ratio=1");
  ASSERT_EQ(setenv("RC_PARAMS", parameters.c_str(), 0), 0);  // before RapidCheck looks; the environment goes before
  long made = 0, moving = 0, compiled = 0, prismatic = 0, massless = 0, coupled = 0;
  double used = 0;
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
    ++moving;
    const bool kernels = spec.order % 4 == 0;  // a quarter, told by the robot itself: a failure must fail again while it shrinks
    compiled += kernels ? 1 : 0;
    for (const JointSpec& s : spec.joints) prismatic += s.type == 1, massless += s.mass == 0, coupled += s.follows > 0;
    const Comparison comparison(model);
    if (const std::string fault = comparison.formulations(); !fault.empty()) fail(fault);
    if (const std::string fault = kernels ? comparison.machine_code() : std::string(); !fault.empty()) fail(fault);
    used = std::max(used, comparison.used());
  });
  EXPECT_TRUE(good) << "seed and counterexample are above; the smallest robot that fails is in " << kFailed;
  std::printf("largest difference: %.2f of what is allowed\n", used);
  EXPECT_GT(used, 0.05);  // a bound that rounding never comes near would show nothing
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
