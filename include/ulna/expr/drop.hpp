// Terms that never matter: which operands of a program's sums could be left out, over the states that occur, without changing a result noticeably.
//
// [Turney, Mudge & Lee 1980, sec. 6] name it as an advantage of the recursive form that small contributions to a torque can be found and, where an
// approximation will do, deleted. Here a program finds them. It is an estimate over samples, not a bound over all states.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// Fills in one state: as many numbers as the program has inputs.
using StateSource = std::function<void(std::span<double>)>;

struct DropOptions {
  double share = 0.01;         // of an output's largest value, by which that output may change; 0 to 1
  std::size_t samples = 1000;  // states to choose by, and as many others to check on
};

/// One operand of one sum.
struct DroppedTerm {
  std::size_t sum = kNone;          // number of the instruction: t-number in print()
  bool second = false;              // the second term of the sum; in a fused instruction the product is the first, the addend the second
  double worst = 0;                 // its largest effect on an output, in parts of that output's largest value
  std::size_t output = kNone;       // on which output that is
  std::size_t last_input = kNone;   // the last place, within its signal, of an input it depends on; kNone for none
  std::size_t last_output = kNone;  // the last output that it reaches
};

struct Dropped {                   // The shortened program.
  Program program;                 // without the terms, and without what only they needed
  std::vector<DroppedTerm> terms;  // smallest effect first; terms that vanish inside another one that is left out are not listed
  std::vector<double> largest;     // of each output: its largest absolute value over the samples
  std::vector<double> expected;    // of each output: the effects of all terms added up, each at its worst, in parts of `largest`
  std::vector<double> changed;     // of each output: its largest actual change over states not used for choosing, in parts of `largest`
};

/// Terms are taken from the smallest effect up, as long as the effects, each at its worst over the samples and all added up, stay within the share for every
/// output. An effect is |d output / d sum * term|: the first order, from one reverse sweep a state. Because higher orders are not in it, the result is run
/// on the same samples, and terms are given back until the actual change stays within the share, too.
/// O(samples * outputs * instructions). Deterministic for a deterministic source.
Dropped drop_insignificant(const Program& program, const StateSource& next, const DropOptions& options = {}, std::span<const double> parameters = {});

/// A value of a program as a formula, its operands written out in turn while the text stays within `length` characters: "0.2 * (t7 + v[1] * t3)".
std::string formula(const Program& program, std::size_t value, std::size_t length = 60);
/// The same for one term of a sum, with the sign that it has there.
std::string formula(const Program& program, const DroppedTerm& term, std::size_t length = 60);

}  // namespace ULNA_API
