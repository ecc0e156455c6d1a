// A paper's derivation, written down step by step on any scalar: what each numbered equation says a quantity is.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal::proof {

/// One line of a derivation. A line that begins a chain is where it starts from; every other one must equal the line before it.
template <class T>
struct Line {
  enum class Role {
    begins,     // what the next lines are about
    follows,    // an equation of the paper, corrected where it has to be
    rational,   // the same with quotients in it: no polynomial, so that numbers alone are compared
    as_printed  // the same equation as the paper prints it, where that is wrong; the next line does not lean on it
  };
  Role role;
  std::string_view equation;  // "4.5", "4.5 line 1" for a line without a number of its own
  std::string_view says;      // its right side, or what is misprinted
  std::vector<T> values;      // of all links
};

/// Collects the lines of a proof. Each is given as the terms of its right side, whose sum it is.
template <class T>
class Derivation {
 public:
  using Terms = std::initializer_list<std::vector<T>>;

  /// `spoiled` is the number of an equation whose last term gets the wrong sign: for tests of the comparison.
  explicit Derivation(std::string_view spoiled = {}) : spoiled_(spoiled) {}

  void begin(std::string_view equation, std::string_view says, Terms terms) { add(Line<T>::Role::begins, equation, says, terms); }
  void follows(std::string_view equation, std::string_view says, Terms terms) { add(Line<T>::Role::follows, equation, says, terms); }
  void rational(std::string_view equation, std::string_view says, Terms terms) { add(Line<T>::Role::rational, equation, says, terms); }
  void printed(std::string_view equation, std::string_view says, Terms terms) { add(Line<T>::Role::as_printed, equation, says, terms); }

  std::vector<Line<T>> take() { return std::move(lines_); }

 private:
  void add(typename Line<T>::Role role, std::string_view equation, std::string_view says, Terms terms) {
    const bool spoil = role != Line<T>::Role::begins && role != Line<T>::Role::as_printed && !spoiled_.empty() && equation == spoiled_;
    std::vector<T> sum;
    std::size_t left = terms.size();
    for (const std::vector<T>& term : terms) {
      --left;
      if (sum.empty()) sum.assign(term.size(), T(0));
      for (std::size_t k = 0; k < term.size(); ++k) sum[k] = spoil && left == 0 ? sum[k] - term[k] : sum[k] + term[k];
    }
    lines_.push_back({role, equation, says, std::move(sum)});
  }

  std::string_view spoiled_;
  std::vector<Line<T>> lines_;
};

// --- sums and lists, as the equations have them; indices from 1 -------------------------------------------------------------------------------------

/// zero + term(first) + … + term(last).
template <class X, class Term>
X sum(std::size_t first, std::size_t last, X zero, const Term& term) {
  for (std::size_t j = first; j <= last; ++j) zero = zero + term(j);
  return zero;
}

template <class T>
void append(std::vector<T>& to, const T& x) {
  to.push_back(x);
}
template <class T>
void append(std::vector<T>& to, const Vec3<T>& v) {
  to.insert(to.end(), {v.x, v.y, v.z});
}
template <class T>
void append(std::vector<T>& to, const Mat3<T>& m) {
  to.insert(to.end(), {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz});
}

/// Force over moment.
template <class T, class Six>
requires requires(const Six& x) { x.upper, x.lower; }
void append(std::vector<T>& to, const Six& x) {
  append(to, x.upper);
  append(to, x.lower);
}

/// value(1), …, value(n), one after the other.
template <class T, class Value>
std::vector<T> each(std::size_t n, const Value& value) {
  std::vector<T> list;
  for (std::size_t i = 1; i <= n; ++i) append(list, value(i));
  return list;
}
/// value(i, j) for j <= i.
template <class T, class Value>
std::vector<T> each_below(std::size_t n, const Value& value) {
  std::vector<T> list;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= i; ++j) append(list, value(i, j));
  return list;
}
/// value(i, j, k) for j <= k <= i.
template <class T, class Value>
std::vector<T> each_pair_below(std::size_t n, const Value& value) {
  std::vector<T> list;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t k = 1; k <= i; ++k)
      for (std::size_t j = 1; j <= k; ++j) append(list, value(i, j, k));
  return list;
}

}  // namespace ulna::internal::proof
