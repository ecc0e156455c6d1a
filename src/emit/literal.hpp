// Numbers and sentences that generated code has in every language.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/quantities.hpp"
#include "emit/side_text.hpp"
#include "emit/written.hpp"
#include "text/message.hpp"

namespace ulna::internal {

/// The shortest decimal text that reads back to `value` (>= 0) in this precision; always with a point or an exponent.
std::string literal(double value, Real real);
std::string signed_literal(long double value, Real real);
/// The results of `text` for each item, separated: "q, v, a".
template <class Things, class Text>
std::string list_of(const Things& things, std::string_view between, const Text& text) {
  std::string out;
  bool first = true;
  for (const auto& thing : things) {
    if (!std::exchange(first, false)) out += between;
    out += std::invoke(text, thing);
  }
  return out;
}
/// "1.0, -2.5, 0.125"; `suffix` stands behind each.
template <class Numbers>
std::string literals(const Numbers& numbers, Real real, std::string_view suffix = {}) {
  return list_of(numbers, ", ", [&](auto x) { return signed_literal(x, real).append(suffix); });
}
/// "PANDA"
std::string upper_case(std::string text);

/// The head of a file, as lines without comment marks: what it is, from what, the coordinates, the units; then `use`. `base` is the first index.
std::vector<std::string> banner(const GeneratedRobot& robot, const std::string& file, const std::vector<std::string>& use, std::size_t base = 0);
/// "Joint coordinates in the order of every vector:"
const char* vectors_text(const GeneratedRobot& robot);
/// "Rotor inertias are in the equations, friction is not."
std::string influences_text(const GeneratedRobot& robot);
/// What "close" does, of a robot with loops.
std::vector<std::string> close_explained();
/// "states within the joint limits", over which errors of floats are measured.
const char* measured_states(const GeneratedRobot& robot);
/// How to read the names of intermediate quantities.
std::vector<std::string> names_explained();
/// "264 multiplications, 258 additions, sines and cosines of 6 angles; guards: …"
std::string counts_text(const Program& program);
/// What a function gives and what it costs.
std::vector<std::string> explained(const GeneratedRobot& robot, const Generated& made);
/// The angle `i` with what it is made of, where that is not an input.
std::string angle_text(const Written& written, std::size_t i);

/// Every line after `mark`, without blanks at the end.
std::string commented(const std::vector<std::string>& lines, std::string_view mark);

/// Whether `signal` has an element in `body`, as "signal[". Compilers warn of arguments that nothing uses.
bool uses_signal(std::string_view body, std::string_view signal);
bool uses_signal(const Written& written, std::string_view signal);

/// Common to the files of every language: functions with their names, a table of the robot's numbers, and states of self-tests.
template <class Own>
class LanguageFiles {
 protected:
  /// `table`: what elements of the table of numbers begin with; `suffix`: of literals in self-tests.
  LanguageFiles(const GeneratedRobot& robot, std::string prefix, std::string table, const Own& syntax, const char* suffix = "")
      : robot_(robot),
        prefix_(std::move(prefix)),
        single_(robot.real == Real::single_precision),
        syntax_(syntax),
        tabled_(robot.real, syntax_, std::move(table)),
        suffix_(suffix) {}

  std::string named(const Generated& made) const { return prefix_ + made.what(); }
  Written write(const Generated& made) const { return write(made, robot_.static_const ? static_cast<const Syntax&>(tabled_) : syntax_); }
  /// With friction by load: what is transmitted stands behind the results.
  static Written write(const Generated& made, const Syntax& syntax) {
    Written written = write_out(made.program, syntax);
    if (written.results.size() == made.results()) return written;
    const std::vector<Sides::Load>& loads = made.sides->loads();
    for (std::size_t j = 0; j < loads.size(); ++j) {
      std::string& result = written.results[loads[j].row];
      const Text share(syntax.element(Generated::kSides, loads[j].side), syntax), passed(written.results[made.results() + j], syntax, false);
      result = (Text(result, syntax, false) + share * abs(passed)).text(syntax);
    }
    written.results.resize(made.results());
    return written;
  }
  /// "q, v, a"
  static std::string argument_names(const Generated& made) { return list_of(made.arguments(), ", ", &Signal::name); }
  /// The robot's numbers, a row each.
  std::string number_rows(const char* indent, const Syntax& syntax) const {
    return list_of(tabled_.numbers(), "", [&](double x) { return cat(indent, syntax.number(x), ",\n"); });
  }
  /// Whether a function begins with the signs of velocities: where friction is not zero.
  static bool needs_sides(const Generated& made, const Written& written) { return made.takes_sides() && uses_signal(written, Generated::kSides); }
  /// Whether all that friction takes are signs.
  static bool only_signs(const Generated& made) {
    return std::all_of(made.sides->list().begin(), made.sides->list().end(), [](const Side& side) { return side.kind == Side::sign; });
  }
  /// What friction takes number i from, by the speeds of this name.
  static std::string side_text(const Generated& made, std::size_t i, const char* rates, const Syntax& syntax) {
    const Side& side = made.sides->list()[i];
    return (*made.sides)(side, Text(syntax.element(rates, side.k), syntax), Text(syntax.element("tau", side.k), syntax)).text(syntax);
  }
  /// Keeps compilers quiet about arguments that the body does not use.
  static std::string unused(const Generated& made, std::string_view body, bool with_angles, const char* before) {
    std::string out;
    std::vector<std::string> names;
    if (with_angles) names = {"sine", "cosine"};
    for (const Signal& s : made.arguments()) names.push_back(s.name);
    for (const std::string& name : names)
      if (!uses_signal(body, name)) out += cat(before, name, ";\n");
    return out;
  }

  template <class Numbers>
  std::string row(const Numbers& numbers) const {
    return literals(numbers, robot_.real, suffix_);
  }
  /// Rows of a self-test, a state each: of &TestState::inputs or &TestState::expected.
  template <class Numbers>
  std::vector<std::string> test_rows(const Generated& made, Numbers TestState::*part) const {
    std::vector<std::string> rows;
    for (const TestState& state : made.tests) rows.push_back(row(state.*part));
    return rows;
  }
  static std::vector<double> tolerances(const Generated& made) {
    std::vector<double> all;
    for (const TestState& state : made.tests) all.push_back(state.tolerance);
    return all;
  }
  std::size_t checks() const {
    std::size_t sum = 0;
    for (const Generated& made : robot_.functions) sum += made.tests.size();
    return sum;
  }

  const GeneratedRobot& robot_;
  std::string prefix_;  // of functions
  bool single_;
  Own syntax_;
  TabledSyntax tabled_;
  std::string_view suffix_;
};

}  // namespace ulna::internal
