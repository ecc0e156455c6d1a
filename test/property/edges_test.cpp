// Robots near the edge through templates, machine code and generated C, doubles and floats, one state and lanes, with other loads and numbers, against the
// reference in extended precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <list>

#include <ulna/source/load.hpp>

#include "property/edge_check.hpp"
#include "property/whole_robot.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// Runs seeds 1 to `count` of one kind of robot, with right angles snapped, without, or both, and keeps the first fault, with its robot left as a file.
class RunOfSeeds {
 public:
  using Make = EdgeCase (*)(std::uint64_t seed);
  struct Which {
    bool far = false;         // a quarter of them far from the base
    bool both_snaps = false;  // every robot as it is and snapped
  };
  RunOfSeeds(Make make, const Which& which, std::uint64_t count) : far_(which.far), both_snaps_(which.both_snaps) {
    for (std::uint64_t seed = 1; seed <= count && fault_.empty(); ++seed) {
      const EdgeCase robot = make(seed);
      Diagnostics diagnostics("edge"), of_changed("edge");
      const std::optional<Model> model = build(robot.robot, diagnostics), changed = build(robot.changed, of_changed);
      if (!model || !changed) {
        ++refused_;
        continue;
      }
      for (const double snap : snaps(seed)) {
        check(*model, seed, snap);
        replay<double>(*model, *changed, robot.payload, seed, snap);
        replay<float>(*model, *changed, robot.payload, seed, snap);
        if (!fault_.empty()) break;
      }
      if (seed % kCompiledOneIn == 1) to_compile_.push_back({seed, *model});
      if (to_compile_.size() == kCompiledAtOnce) compile();
    }
    compile();
  }

  const std::string& fault() const { return fault_; }
  const Worst& worst(bool single) const { return worst_[single ? 1 : 0]; }
  std::uint64_t refused() const { return refused_; }
  int shared() const { return shared_; }

  void print(const char* what) const {
    for (const bool single : {false, true})
      std::printf("%s, %s: %.2f of what the terms allow, %.1e of the largest result, residual %.1e\n", what, single ? "floats" : "doubles",
                  worst(single).of_terms, worst(single).of_largest, worst(single).residual);
    std::printf("%s: %zu compiled as C, doubles and floats; %d of the replays on the same machine code, %llu refused as singular\n", what, compiled_, shared_,
                static_cast<unsigned long long>(refused_));
  }

 private:
  static constexpr std::uint64_t kCompiledOneIn = 49;  // both kinds of snapping get their share
  static constexpr std::size_t kCompiledAtOnce = 10;   // megabytes of C

  std::vector<double> snaps(std::uint64_t seed) const { return both_snaps_ ? std::vector{1e-9, 0.0} : std::vector{seed % 2 == 0 ? 1e-9 : 0.0}; }
  double far_of(std::uint64_t seed) const { return far_ && seed % 4 == 0 ? std::pow(10, static_cast<double>(seed % 7)) : 0; }

  void note(const Model& model, std::uint64_t seed, double snap, const std::string& fault) {
    if (fault.empty() || !fault_.empty()) return;
    Diagnostics ignored("edge");
    if (const std::optional<std::string> text = write_urdf(model, ignored)) std::ofstream("edge_failure.urdf") << *text;
    fault_ = cat("seed ", seed, ", snap ", snap, ": ", fault, "; the robot is in edge_failure.urdf");
  }

  void check(const Model& model, std::uint64_t seed, double snap) {
    const EdgeCheck check(model, snap, seed, far_of(seed));
    for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
      note(model, seed, snap, check.dynamics<double>(most, worst_[0]));
      note(model, seed, snap, check.dynamics<float>(most, worst_[1]));
    }
    note(model, seed, snap, check.programs<double>(worst_[0]));
    note(model, seed, snap, check.programs<float>(worst_[1]));
  }

  /// Machine code of one robot with a load, and with the numbers of another.
  template <class T>
  void replay(const Model& model, const Model& changed, const Payload& payload, std::uint64_t seed, double snap) {
    DynamicsOptions options;
    options.snap = snap;
    options.threads = 1;
    const DynamicsOf<T> dynamics(model, options);
    const std::string& last = model.links().back().name;
    const auto compare = [&](const char* what, const Model& other, const DynamicsOf<T>& made) {
      shared_ += made.shares_code(dynamics) ? 1 : 0;
      const std::string fault = EdgeCheck(other, snap, seed, far_of(seed)).dynamics(made, worst_[sizeof(T) == 4 ? 1 : 0]);
      if (!fault.empty()) note(other, seed, snap, what + fault);
    };
    compare("with other numbers: ", changed, dynamics.with_parameters(changed));
    compare("with a load: ", with_payload(model, last, payload), dynamics.with_payload(last, payload));
  }

  void compile() {
    if (to_compile_.empty() || !fault_.empty()) return;
    CompiledRobots compiled;
    const auto each = [&](const auto& f) {
      for (const auto& [seed, model] : to_compile_)
        for (const double snap : snaps(seed)) f(seed, model, snap, EdgeCheck(model, snap, seed, far_of(seed)), cat(seed, snap == 0 ? "_as_it_is" : ""));
    };
    each([&](auto, auto&, double, const EdgeCheck& check, const std::string& name) {
      check.add_to<double>(compiled, "d" + name);
      check.add_to<float>(compiled, "f" + name);
    });
    fault_ = compiled.compile();
    if (!fault_.empty()) return;
    each([&](std::uint64_t seed, const Model& model, double snap, const EdgeCheck& check, const std::string& name) {
      note(model, seed, snap, check.compiled<double>(compiled, "d" + name, worst_[0]));
      note(model, seed, snap, check.compiled<float>(compiled, "f" + name, worst_[1]));
    });
    compiled_ += to_compile_.size();
    to_compile_.clear();
  }

  bool far_, both_snaps_;
  std::string fault_;
  Worst worst_[2];
  std::uint64_t refused_ = 0;
  std::size_t compiled_ = 0;
  int shared_ = 0;
  std::list<std::pair<std::uint64_t, Model>> to_compile_;
};

// Everything at once: angles, residues, scales, and angles of up to a million radians. In long runs as many as there are other random robots.
TEST(EdgeRobots, KeepTheirDigits) {
  const auto count = static_cast<std::uint64_t>(robots() >= 100000 ? robots() : robots() / 25);
  const RunOfSeeds run([](std::uint64_t seed) { return edge_case(seed); }, {.far = true}, count);
  EXPECT_EQ(run.fault(), "");
  run.print("edge robots");
  EXPECT_GT(run.worst(false).of_terms, 0.01);  // a bound that rounding never comes near would show nothing
  EXPECT_LE(run.refused(), count / 50);
  EXPECT_GT(run.shared(), 0);
}

// Arms as vendors write them, whose right angles are off by 10^-k: to 1e-12 of the largest entry in doubles, 2e-5 in floats.
TEST(EdgeRobots, AlmostRightArmsKeepTheirDigits) {
  const RunOfSeeds run(almost_right_case, {.both_snaps = true}, static_cast<std::uint64_t>(robots() >= 100000 ? robots() / 10 : robots() / 100));
  EXPECT_EQ(run.fault(), "");
  run.print("almost right arms");
  EXPECT_LT(run.worst(false).of_largest, 1e-12);
  EXPECT_LT(run.worst(true).of_largest, 2e-5);
  EXPECT_LT(run.worst(false).residual, 1e-11);
  EXPECT_LT(run.worst(true).residual, 1e-4);
}

}  // namespace
}  // namespace ulna::test
