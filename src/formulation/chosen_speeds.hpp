// Speeds of a user's choice (ulna/formulation/speeds.hpp) as programs, and on any scalar.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/formulation/speeds.hpp>

#include "expr/run.hpp"
#include "formulation/kane_speeds.hpp"
#include "formulation/own_speeds.hpp"

namespace ulna::internal {

/// Programs take q and v, one number per moving joint.
struct ChosenSpeeds {
  std::string source;
  std::vector<std::string> names, expressions;
  Program values;   // A row by row, B
  Program rates;    // their rates along the motion
  Program inverse;  // W = A⁻¹ row by row
  std::string singular_where;

  std::size_t size() const { return names.size(); }
};

template <class T>
void run_on(const Program& program, const T* q, const T* v, std::size_t n, T* out) {
  std::vector<T> values(program.value_count(), T(0));
  for (std::size_t k = 0; k < n; ++k) {
    values[k] = q[k];
    if (v != nullptr) values[n + k] = v[k];
  }
  for (std::size_t k = 0; k < program.constants.size(); ++k) values[program.first_constant() + k] = T(program.constants[k]);
  run<T>(program, values, 0, program.instructions.size());
  for (std::size_t k = 0; k < program.results.size(); ++k) {
    const T& value = values[program.results[k].value];
    out[k] = program.results[k].negative ? -value : value;
  }
}

/// For kane.hpp. Refers to `chosen`. On numbers that have a size W is by elimination, which chooses its pivots in every state.
template <class T>
GeneralizedSpeeds<T> speeds_on(const ChosenSpeeds& chosen) {
  GeneralizedSpeeds<T> speeds;
  speeds.name = chosen.source;
  speeds.singular_where = chosen.singular_where;
  const std::size_t n = chosen.size();
  const auto both = [n](const Program& program, const T* q, const T* v, T* A, T* B) {
    std::vector<T> all(n * n + n, T(0));
    run_on(program, q, v, n, all.data());
    std::copy_n(all.begin(), n * n, A);
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(n * n), n, B);
  };
  speeds.values = [&chosen, both](const T* q, const T&, T* A, T* B) { both(chosen.values, q, nullptr, A, B); };
  speeds.rates = [&chosen, both](const T* q, const T* v, const T&, T* A_dot, T* B_dot) { both(chosen.rates, q, v, A_dot, B_dot); };
  // A count is of the closed form, and has no sizes that mean anything.
  if constexpr (!std::floating_point<T>) speeds.inverse = [&chosen, n](const T* q, const T&, T* W) { run_on<T>(chosen.inverse, q, nullptr, n, W); };
  return speeds;
}

/// To integrate in: see Formulation::make_speeds. Null where the robot has no choice of speeds.
std::unique_ptr<OwnSpeeds> make_chosen_speeds(const Prepared& prepared);

}  // namespace ulna::internal
