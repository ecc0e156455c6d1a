// Robots near the edge through templates and machine code, doubles and floats, one state and lanes, against the reference in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include <ulna/jit/dynamics.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/source/write_urdf.hpp>
#include <ulna/verify/verify.hpp>

#include "dynamics/rounding.hpp"
#include "model/text.hpp"
#include "property/edge_robot.hpp"
#include "property/random_robot.hpp"
#include "support/random.hpp"
#include "verify/bounds.hpp"

namespace ulna::test {
namespace {

using Real = Reference::Real;

/// The largest differences, as shares of what is allowed: by the terms that a result is made of (as verify allows), and of the largest result.
struct Worst {
  double of_terms = 0;
  double of_largest = 0;
  double residual = 0;  // of M a + bias - tau, over the largest term
};

/// One robot in one state; states are floats, so that both precisions compute the same.
class Check {
 public:
  Check(const Model& model, double snap, std::uint64_t seed, double far)
      : model_(model), snap_(snap), n_(static_cast<std::size_t>(model.nv())), merged_(snapped_model(model, snap)), reference_(merged_) {
    StateSampler(model, seed).next(q_, v_, a_);
    Random random(seed);
    for (std::size_t i = 0; i < n_; ++i) {
      const Joint& joint = model.joints()[static_cast<std::size_t>(model.independent()[i])];
      if (joint.type != JointType::prismatic) q_[i] += far * random.uniform(-1, 1);
      for (std::vector<double>* x : {&q_, &v_, &a_}) (*x)[i] = static_cast<float>((*x)[i]);
    }
    exact_.emplace(reference_, merged_, q_, v_, a_);
  }

  /// Empty, or what differs.
  template <class T>
  std::string run(InstructionSet most, Worst& worst) const {
    const bool single = sizeof(T) == 4;
    DynamicsOptions options;
    options.snap = snap_;
    options.threads = 1;
    options.most = most;
    const DynamicsOf<T> dynamics(model_, options);
    const auto in = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    const std::vector<T> q = in(q_), v = in(v_), a = in(a_), tau_given(exact_->tau.begin(), exact_->tau.end());
    std::vector<T> tau(n_), M(n_ * n_), back(n_);
    dynamics.inverse(q.data(), v.data(), a.data(), tau.data());
    dynamics.mass(q.data(), M.data());
    dynamics.forward(q.data(), v.data(), tau_given.data(), back.data());
    const double roundoff = single ? std::ldexp(1, 29) : 1;  // of floats, over that of doubles
    const auto differs = [&](const char* what, const std::vector<T>& got, const std::vector<Real>& wanted, const std::vector<double>& bound) -> std::string {
      double largest = 0;
      for (const Real x : wanted) largest = std::max(largest, static_cast<double>(std::abs(x)));
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double difference = static_cast<double>(std::abs(static_cast<Real>(got[i]) - wanted[i])), allowed = verify_tolerance(n_) * roundoff * bound[i];
        if (difference > 0)
          worst.of_terms = std::max(worst.of_terms, difference / allowed), worst.of_largest = std::max(worst.of_largest, difference / largest);
        if (!(difference <= allowed))
          return cat(what, " by ", single ? "floats" : "doubles", ": number ", i, " is ", static_cast<double>(got[i]), " for ", static_cast<double>(wanted[i]),
                     ", off by ", difference, ", allowed ", allowed);
      }
      return {};
    };
    if (std::string fault = differs("torque", tau, exact_->tau, exact_->torque_bound); !fault.empty()) return fault;
    if (std::string fault = differs("M", M, exact_->M, exact_->mass_bound); !fault.empty()) return fault;
    if (single && !floats_hold_accelerations()) return lanes(dynamics, q, v, a, tau);
    if (std::string fault = differs("acceleration", back, {a_.begin(), a_.end()}, exact_->acceleration_bound); !fault.empty()) return fault;
    worst.residual = std::max(worst.residual, residual(back, tau_given));
    return lanes(dynamics, q, v, a, tau);
  }

 private:
  /// Inertias of 1e-40 kg m² have no inverse among floats.
  bool floats_hold_accelerations() const {
    const Plan plan = make_plan(model_, {.snap = snap_});
    const std::vector<double> tau(exact_->tau.begin(), exact_->tau.end());
    const Rounding::Results by_floats = Rounding(plan, Precision::single).acceleration(plan, q_, v_, tau);
    return std::all_of(by_floats.error.begin(), by_floats.error.end(), [](double error) { return std::isfinite(error); });
  }

  template <class T>
  double residual(const std::vector<T>& a, const std::vector<T>& tau) const {
    Real largest = 0, worst = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      Real sum = exact_->bias[i] - static_cast<Real>(tau[i]);
      largest = std::max({largest, std::abs(exact_->bias[i]), std::abs(static_cast<Real>(tau[i]))});
      for (std::size_t j = 0; j < n_; ++j) {
        const Real term = exact_->M[i * n_ + j] * static_cast<Real>(a[j]);
        sum += term;
        largest = std::max(largest, std::abs(term));
      }
      worst = std::max(worst, std::abs(sum));
    }
    return static_cast<double>(worst / largest);
  }

  /// The same state in all lanes but one, which has another: the same bits as one state.
  template <class T>
  std::string lanes(const DynamicsOf<T>& dynamics, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a, const std::vector<T>& tau) const {
    const std::size_t width = static_cast<std::size_t>(dynamics.lanes());
    std::vector<T> Q(n_ * width), V(n_ * width), A(n_ * width), Tau(n_ * width);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t l = 0; l < width; ++l) {
        const T other = l + 1 == width ? T(0.5) : T(1);
        Q[i * width + l] = other * q[i], V[i * width + l] = other * v[i], A[i * width + l] = other * a[i];
      }
    dynamics.inverse_lanes(Q.data(), V.data(), A.data(), Tau.data(), 1);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t l = 0; l + 1 < width; ++l)
        if (Tau[i * width + l] != tau[i]) return cat("lane ", l, " of torque ", i, " is not that of one state");
    return {};
  }

  const Model& model_;
  double snap_;
  std::size_t n_;
  Model merged_;
  Reference reference_;
  std::vector<double> q_, v_, a_;
  std::optional<Bounds> exact_;
};

/// Runs robots of seeds 1 to count; the first fault, with its robot left as a file.
template <class Make>
std::string first_fault(int count, const Make& make, bool far, Worst (&worst)[2]) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    const Model model = build(make(seed));
    for (const double snap : {1e-9, 0.0}) {
      const Check check(model, snap, seed, far && seed % 4 == 0 ? std::pow(10, static_cast<double>(seed % 7)) : 0);
      for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
        std::string fault = check.run<double>(most, worst[0]);
        if (fault.empty()) fault = check.run<float>(most, worst[1]);
        if (fault.empty()) continue;
        Diagnostics ignored("edge");
        if (const std::optional<std::string> text = write_urdf(model, ignored)) std::ofstream("edge_failure.urdf") << *text;
        return cat("seed ", seed, ", snap ", snap, most == InstructionSet::none ? ", templates: " : ", machine code: ", fault,
                   "; the robot is in edge_failure.urdf");
      }
    }
  }
  return {};
}

void print(const char* what, const Worst (&worst)[2]) {
  for (const bool single : {false, true}) {
    const Worst& w = worst[single ? 1 : 0];
    std::printf("%s, %s: %.2f of what the terms allow, %.1e of the largest result, residual %.1e\n", what, single ? "floats" : "doubles", w.of_terms,
                w.of_largest, w.residual);
  }
}

// Everything at once: angles, residues, scales, and angles of up to a million radians.
TEST(EdgeRobots, KeepTheirDigits) {
  Worst worst[2];
  EXPECT_EQ(first_fault(
                std::max(1, robots() / 20), [](std::uint64_t seed) { return edge_robot(seed); }, true, worst),
            "");
  print("edge robots", worst);
  EXPECT_GT(worst[0].of_terms, 0.01);  // a bound that rounding never comes near would show nothing
}

// Arms as vendors write them, whose right angles are off by 10^-k: to 1e-12 of the largest entry in doubles, 2e-5 in floats.
TEST(EdgeRobots, AlmostRightArmsKeepTheirDigits) {
  Worst worst[2];
  EXPECT_EQ(first_fault(std::max(1, robots() / 10), almost_right_arm, false, worst), "");
  print("almost right arms", worst);
  EXPECT_LT(worst[0].of_largest, 1e-12);
  EXPECT_LT(worst[1].of_largest, 2e-5);
  EXPECT_LT(worst[0].residual, 1e-11);
  EXPECT_LT(worst[1].residual, 1e-4);
}

}  // namespace
}  // namespace ulna::test
