// Generalized speeds of a user's choice, u = A(q) v + B(q), v being the rates of the joints: T. R. Kane, D. A. Levinson, "The use of Kane's dynamical
// equations in robotics", Int. J. Robotics Research 2(3), 1983, eq. 1. The formulation `kane` computes, counts, writes equations and simulates in them.
//
//   ulna::Speeds speeds(model, ulna::load_speeds("speeds.yaml"));      // or by name: ulna::choose_speeds(model, "body-rates")
//   ulna::Prepared robot(model);
//   robot.speeds = std::make_shared<const ulna::Speeds>(speeds);
//   ulna::count_as_written(ulna::formulation_of_speeds(), ulna::Quantity::inverse, robot);
//
// A and B may depend on the coordinates. They do not depend on time: a state of a robot has none, so torques in a state would not be defined.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>

namespace ulna::internal {
struct ChosenSpeeds;
}

namespace ulna ULNA_API {

struct Formulation;

/// One speed, or an abbreviation, as an expression: "v.q1*sin(q.q2) + v.q2". Numbers, pi, + - * / ^, brackets, sin, cos, tan; v.NAME and q.NAME are the rate
/// and the coordinate of a joint (in double quotes where the name is no word; q1, q2, … are the joints by number where none is called so), and names that are
/// defined before it.
struct SpeedDefinition {
  std::string name, expression;
  int line = 0, column = 0;   // of the expression, for messages; 0: unknown
  bool abbreviation = false;  // a name for use in others, no speed
};

/// The definitions in a text, and its name in messages.
struct SpeedDefinitions {
  std::string source;                        // Name of the file.
  std::vector<SpeedDefinition> definitions;  // In the order of the text.
};

/// Of a YAML file with `speeds:`, a mapping of names to expressions, and `where:`, one of abbreviations; or of a text "u1 = …, u2 = …". Throws SourceError with
/// every problem.
SpeedDefinitions load_speeds(const std::string& file_or_text);

/// A choice for one robot. Copies share it.
class Speeds {
 public:
  /// One speed for each moving joint. Throws SourceError with every problem, each with its line and column; u that cannot be solved for v in any state is one.
  Speeds(const Model& model, const SpeedDefinitions& definitions);

  const std::string& source() const;                   // File, or name of the choice.
  const std::vector<std::string>& names() const;       // Of the speeds.
  std::vector<std::string> expressions() const;        // As they were written.
  std::size_t size() const { return names().size(); }  // Number of speeds.

  /// Where A has no inverse, in words; empty where it always has one.
  const std::string& singular_where() const;
  /// u = A v + B. Defined in singular states, too.
  void from_rates(std::span<const double> q, std::span<const double> v, std::span<double> u) const;
  /// v = A⁻¹ (u - B). Throws std::domain_error where A has no inverse.
  void to_rates(std::span<const double> q, std::span<const double> u, std::span<double> v) const;

  const internal::ChosenSpeeds& chosen() const { return *chosen_; }  // For the library.

 private:
  friend Speeds choose_speeds(const Model& model, const std::string& choice);
  explicit Speeds(std::shared_ptr<const internal::ChosenSpeeds> chosen);
  std::shared_ptr<const internal::ChosenSpeeds> chosen_;
};

/// The row of the registry that takes them.
const Formulation& formulation_of_speeds();

/// Choices that need no file: joint-rates (u = v), body-rates (of each link, the component of its angular velocity along its joint's axis, or of its velocity
/// where the joint slides: absolute angles for a planar arm), kane-stanford (the paper's eqs 2 and 3).
const std::vector<std::string>& named_speeds();
/// One of them, or a file or text as for load_speeds(). Throws std::invalid_argument where a named choice is not for the robot.
Speeds choose_speeds(const Model& model, const std::string& choice);

}  // namespace ULNA_API
