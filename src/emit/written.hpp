// A program as lines of source text: operations that are used once stand inside the expression that uses them, so that what is left are quantities with a
// name. What differs between languages is a Syntax; see docs/generate.md for a new one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>
#include <ulna/expr/program.hpp>

#include "text/message.hpp"

namespace ulna::internal {

/// How a language writes the parts of a program.
class Syntax {
 public:
  explicit Syntax(Real real) : real_(real) {}
  virtual ~Syntax() = default;
  virtual std::string number(double value) const;                                   // a literal
  virtual std::string element(const std::string& signal, std::size_t index) const;  // of an input or output, index from 0: "q[3]"
  virtual bool brackets() const { return false; }                                   // around products in sums, which need none
  /// A number that stands in a table of the robot's; which numbers never do.
  virtual std::string tabled(const std::string& table, std::size_t index) const { return element(table, index); }
  virtual bool is_never_tabled(double) const { return false; }
  // Of friction: exp, tanh or fabs of an expression, its sign, and a power. As NumPy has them.
  virtual std::string called(const std::string& function, const std::string& x) const { return cat("np.", function, "(", x, ")"); }
  virtual std::string sign(const std::string& x) const { return cat("np.sign(", x, ")"); }
  virtual std::string power(const std::string& x, const std::string& exponent) const { return cat("np.power(", x, ", ", exponent, ")"); }

 protected:
  Real real_;
};

/// A syntax whose numbers stand in a table, as elements of "numbers", in the order of their first use.
class TabledSyntax : public Syntax {
 public:
  TabledSyntax(Real real, const Syntax& plain, std::string table) : Syntax(real), plain_(plain), table_(std::move(table)) {}
  std::string number(double value) const override {
    if (plain_.is_never_tabled(value)) return plain_.number(value);
    const auto [found, added] = place_.try_emplace(value, numbers_.size());
    if (added) numbers_.push_back(value);
    return plain_.tabled(table_, found->second);
  }
  std::string element(const std::string& signal, std::size_t index) const override { return plain_.element(signal, index); }
  bool brackets() const override { return plain_.brackets(); }
  std::string called(const std::string& function, const std::string& x) const override { return plain_.called(function, x); }
  std::string sign(const std::string& x) const override { return plain_.sign(x); }
  std::string power(const std::string& x, const std::string& exponent) const override { return plain_.power(x, exponent); }
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
