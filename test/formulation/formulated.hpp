// What the tests of several papers' formulations share: calls with any scalar, and numbers of an independent double-precision recursion.
#pragma once

#include <string_view>
#include <vector>

#include "formulation/modified_newton_euler.hpp"
#include "formulation/support_holl.hpp"

namespace ulna::test {

/// Form::type<P, T>: the formulation with parameters of P and numbers of T.
template <class Form, class P, class T>
std::vector<T> torque_of(const DhChain<double>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
  typename Form::template type<P, T> formulation(chain.cast<P>());
  std::vector<T> tau(chain.size());
  formulation.torque(q.data(), v.data(), a.data(), tau.data());
  return tau;
}
template <class Form>
std::vector<double> torque_of(const DhChain<double>& chain, const State& s) {
  return torque_of<Form, double, double>(chain, s.q, s.v, s.a);
}
template <class T>
std::vector<T> numbers_as(const std::vector<double>& from) {
  return std::vector<T>(from.begin(), from.end());
}
inline std::vector<Counted> variables(const std::vector<double>& from) {
  std::vector<Counted> to;
  for (const double x : from) to.push_back(Counted::variable(x));
  return to;
}

inline std::vector<double> exact_torque(const DhChain<double>& chain, const State& s) {
  std::vector<double> tau(s.q.size());
  turney::ModifiedNewtonEuler<double, double>(chain).torque(s.q.data(), s.v.data(), s.a.data(), tau.data());
  return tau;
}

struct DhCase {
  std::string_view convention, types;
  std::vector<double> a, d, alpha, theta, mass, com, inertia, gravity, q, v, bias, M;
};
inline const std::vector<DhCase>& dh_cases() {
  static const std::vector<DhCase> all{
#include "dynamics/vectors.inc"
  };
  return all;
}

}  // namespace ulna::test
