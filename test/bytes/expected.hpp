// What a robot's kernels must give, and the programs that they are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ulna/robot/dynamics.hpp>
#include <ulna/verify/verify.hpp>

#include "jit/order.hpp"
#include "robot/programs.hpp"
#include "text/message.hpp"

namespace ulna::test {

inline constexpr InstructionSet kAllSets[] = {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512};

/// All programs of a robot in one precision, as robot::Code has them.
class RobotPrograms {
 public:
  RobotPrograms(const Model& model, bool single)
      : options_(all_of(model)), searches_(model), programs_(searches_, options_, single), parameters_(programs_.parameters()) {}

  const DynamicsOptions& options() const { return options_; }
  const std::vector<robot::TaskProgram>& all() const { return programs_.all; }
  /// Ready to be encoded.
  static Program for_set(const robot::TaskProgram& task, InstructionSet set) {
    return jit::ordered(set == InstructionSet::sse2 ? task.program : fused(task.program));
  }
  std::vector<double> parameters(const robot::TaskProgram& task) const {
    return task.program.parameter_count() == 0 ? std::vector<double>() : parameters_[task.variant];
  }

 private:
  static DynamicsOptions all_of(const Model& model) {
    DynamicsOptions options;
    for (const Quantity more : {Quantity::mass_inverse, Quantity::coriolis}) options.quantities.push_back(more);
    if (model.nv() < 10) options.quantities.push_back(Quantity::regressor);
    options.links = {model.links().back().name};
    return options;
  }
  DynamicsOptions options_;
  Searches searches_;
  robot::Programs programs_;
  std::vector<std::vector<double>> parameters_;
};

/// What a kernel must give, by the templates in doubles, which no part of the encoder has touched.
class Expected {
 public:
  Expected(const Model& model, const DynamicsOptions& options) : n_(model.nv()), templates_(model, as_templates(options)) {}

  /// How far results are from what they must be, as a share of the largest; of accelerations and M⁻¹, the residual of their equations over its largest term.
  template <class T>
  double off(const robot::TaskProgram& task, const std::vector<T>& state, const std::vector<T>& got) const {
    const std::vector<double> x(state.begin(), state.end()), results(got.begin(), got.end());
    const double *q = x.data(), *v = q + n_, *a = v + n_;
    std::vector<double> wanted(got.size());
    switch (task.quantity) {
      case Quantity::forward: {  // M a = tau - bias
        std::vector<double> rest(n_);
        templates_.bias(q, v, rest.data());
        std::vector<double> right(a, a + n_);
        for (std::size_t i = 0; i < n_; ++i) right[i] -= rest[i];
        return residual(q, results, right);
      }
      case Quantity::mass_inverse: {  // M M⁻¹ = 1, column by column
        double worst = 0;
        for (std::size_t j = 0; j < n_; ++j) {
          std::vector<double> right(n_, 0.0);
          right[j] = 1;
          worst = larger(
              worst, residual(q, {results.begin() + static_cast<std::ptrdiff_t>(j * n_), results.begin() + static_cast<std::ptrdiff_t>((j + 1) * n_)}, right));
        }
        return worst;
      }
      default: templates_.compute(task.quantity, {q, v, a, task.link}, wanted.data());
    }
    double largest = 0, worst = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) largest = std::max(largest, std::fabs(wanted[k])), worst = larger(worst, std::fabs(wanted[k] - results[k]));
    return worst == 0 ? 0 : worst / largest;
  }

 private:
  static DynamicsOptions as_templates(DynamicsOptions options) {
    options.most = InstructionSet::none;
    options.threads = 1;
    return options;
  }
  /// NaN is larger than everything.
  static double larger(double a, double b) { return b <= a ? a : std::isnan(b) ? INFINITY : b; }

  double residual(const double* q, const std::vector<double>& x, const std::vector<double>& right) const {
    std::vector<double> M(n_ * n_);
    templates_.mass(q, M.data());
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      double sum = -right[i];
      largest = std::max(largest, std::fabs(right[i]));
      for (std::size_t j = 0; j < n_; ++j) {
        const double term = M[i * n_ + j] * x[j];
        sum += term, largest = std::max(largest, std::fabs(term));
      }
      worst = larger(worst, std::fabs(sum));
    }
    return worst / largest;
  }

  std::size_t n_;
  Dynamics templates_;
};

template <class T>
double allowed(Quantity task) {
  const bool solves = task == Quantity::forward || task == Quantity::mass_inverse;
  return sizeof(T) == 8 ? (solves ? 1e-11 : 1e-12) : (solves ? 1e-4 : 2e-5);
}

/// States in their order: those that the kernel takes at once, after each other.
template <class T, class Kernel>
std::vector<std::vector<T>> run(const Kernel& kernel, const std::vector<std::vector<T>>& states, bool lanes) {
  if (lanes) return kernel(states);
  std::vector<std::vector<T>> results;
  for (const std::vector<T>& state : states) results.push_back(kernel({state}).at(0));
  return results;
}

/// Nothing may be wrong, by fault(model, programs, expected, task, set, lanes), with any program of a robot.
template <class T, class Fault>
void check_robot(const Model& model, std::span<const InstructionSet> sets, const Fault& fault) {
  const RobotPrograms programs(model, sizeof(T) == 4);
  const Expected expected(model, programs.options());
  for (const robot::TaskProgram& task : programs.all())
    for (const InstructionSet set : sets)
      for (const bool lanes : {false, true}) {
        SCOPED_TRACE(cat(to_string(task.quantity), ", ", to_string(set), ", ", sizeof(T) == 4 ? "floats" : "doubles", lanes ? ", lanes" : ", one state"));
        try {
          EXPECT_EQ(fault(model, programs, expected, task, set, lanes), "");
        } catch (const std::runtime_error& problem) {
          ADD_FAILURE() << problem.what();
        }
      }
  // All that was asked for, pose and Jacobian of the last link among them.
  EXPECT_EQ(programs.all().size(), programs.options().quantities.size());
}

/// States within the joint limits, and after them some that no robot should meet: only the two processors are compared there.
template <class T>
std::vector<std::vector<T>> states_of(const Model& model, const Program& program, std::size_t sane, std::size_t strange) {
  using Limits = std::numeric_limits<T>;
  const T kStrange[] = {T(0), -T(0), T(1e5), Limits::denorm_min(), Limits::min() / 3, T(1.7e6), Limits::quiet_NaN(), Limits::infinity(), -Limits::max()};
  StateSampler sampler(model, 5);
  std::vector<std::vector<T>> states(sane + strange);
  for (std::size_t s = 0; s < states.size(); ++s) {
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    for (std::vector<double>* x : {&v, &a}) q.insert(q.end(), x->begin(), x->end());
    for (std::size_t k = 0; k < program.input_count(); ++k) states[s].push_back(static_cast<T>(q[k]));
    if (s >= sane) states[s][s % states[s].size()] = kStrange[(s - sane) % std::size(kStrange)];
  }
  return states;
}

}  // namespace ulna::test
