// A program as lines of source text: operations that are used once stand inside the expression that uses them, so that what is left are quantities with a
// name. What differs between languages is a Syntax; see docs/generate.md for a new one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ulna/expr/program.hpp>

namespace ulna::internal {

/// How a language writes the few things that a program is made of.
class Syntax {
 public:
  virtual ~Syntax() = default;
  virtual std::string number(double value) const = 0;                                   // a literal
  virtual std::string element(const std::string& signal, std::size_t index) const = 0;  // of an input or output, index from 0
  virtual std::string call(const char* function, const std::string& x) const = 0;       // "sin" or "cos"
  virtual bool brackets() const { return false; }                                       // around products in sums, which need none
};

/// A syntax whose numbers stand in a table, as elements of "numbers", in the order of their first use.
class TabledSyntax : public Syntax {
 public:
  TabledSyntax(const Syntax& plain, std::string table) : plain_(plain), table_(std::move(table)) {}
  std::string number(double value) const override {
    const auto [found, added] = place_.try_emplace(value, numbers_.size());
    if (added) numbers_.push_back(value);
    return plain_.element(table_, found->second);
  }
  std::string element(const std::string& signal, std::size_t index) const override { return plain_.element(signal, index); }
  std::string call(const char* function, const std::string& x) const override { return plain_.call(function, x); }
  bool brackets() const override { return plain_.brackets(); }
  const std::vector<double>& numbers() const { return numbers_; }
  /// Those of another syntax come first.
  void begin_with(const std::vector<double>& numbers) const {
    for (const double x : numbers) number(x);
  }

 private:
  const Syntax& plain_;
  std::string table_;
  mutable std::vector<double> numbers_;
  mutable std::map<double, std::size_t> place_;
};

struct Assignment {
  std::string name;
  std::string expression;
};

/// Angles first: what a caller may have already. The rest takes the elements of "sine" and "cosine" in their place.
struct Written {
  std::vector<Assignment> before_angles;  // what the angles need
  std::vector<std::string> angles;        // expressions, in the order of "sine" and "cosine"
  std::vector<Assignment> lines;          // in the order of the program
  std::vector<std::string> results;       // one per output
};

/// The order of operations is the program's, to the last bracket: a compiler that keeps to the language's rules computes the same numbers as Evaluation.
/// Programs with fused instructions or parameters are refused (std::invalid_argument).
Written write_out(const Program& program, const Syntax& syntax);

}  // namespace ulna::internal
