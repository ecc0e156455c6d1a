// Identities that are decided at random points modulo a prime.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/verify/verify.hpp>

#include "scalar/exact.hpp"

namespace ulna::internal {

/// What was compared at one point or more. A name that comes again is the same identity at another point, or another part of it.
class Theorems {
 public:
  /// `zeros`: of a polynomial of degree 1, at most, in parts of 1/p.
  explicit Theorems(double zeros = 2) : zeros_(zeros) {}
  void equal(const std::string& name, const std::string& note, std::span<const Exact> got, std::span<const Exact> wanted);
  /// Of what is compared elsewhere.
  void fact(const std::string& name, const std::string& note, bool holds);
  /// The largest chance, at one point, that an identity which is false holds there; without those that no number of points would bound.
  double chance() const;
  std::vector<ExactCheck> checks(std::size_t trials) const;

 private:
  struct Row {
    std::string name, note;
    bool holds = true;
    double degree = 0;
  };
  Row& row(const std::string& name, const std::string& note);
  /// That an identity which is false holds at one point.
  double chance_of(double degree) const;
  double zeros_;
  std::vector<Row> rows_;
};

/// The search's moves and the programs at the next point of `seed`; see exact_programs.cpp.
class ExactPrograms {
 public:
  explicit ExactPrograms(const Model& model, double snap);
  ~ExactPrograms();
  /// A program at a point: what it has to compute of which numbers.
  struct Case {
    const std::string& name;
    const Program& program;
    std::span<const Exact> parameters;
    const std::vector<Exact>&inputs, &wanted;
    const std::function<Exact(double)>& constant;  // of its numbers
    std::span<const double> rounded;               // the parameters
  };
  /// `seen` hears of every program that is compared.
  void decide(Theorems& theorems, std::uint64_t seed, const std::function<void(const Case&)>& seen = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna::internal
