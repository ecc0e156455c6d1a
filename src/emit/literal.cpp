#include "emit/literal.hpp"

#include <algorithm>
#include <cstdio>

#include <ulna/version.hpp>

namespace ulna::internal {

namespace {

std::string shortest_single(float value) {
  char text[32];
  for (int digits = 6; digits <= 9; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
    float back = 0;
    if (std::sscanf(text, "%f", &back) == 1 && back == value) break;
  }
  return text;
}

std::string sentence(const std::string& text) { return text.empty() ? "." : cat(upper_case(text.substr(0, 1)), text.substr(1), "."); }

bool in_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

}  // namespace

std::string literal(double value, Real real) {
  std::string text = real == Real::single_precision ? shortest_single(static_cast<float>(value)) : to_text(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string signed_literal(long double value, Real real) {
  const std::string text = literal(std::fabs(static_cast<double>(value)), real);
  return std::signbit(value) ? "-" + text : text;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::vector<std::string> banner(const GeneratedRobot& robot, const std::string& file, const std::vector<std::string>& use, std::size_t base) {
  std::vector<std::string> lines{cat(file, ": equations of motion of the robot '", comment_text(robot.robot), "'."),
                                 cat("Written by Ulna " ULNA_VERSION " from the model with the hash ", comment_text(robot.hash), "; do not edit."), "",
                                 vectors_text(robot)};
  for (const std::string& line : coordinate_lines(robot, base)) lines.push_back("  " + line);
  if (!robot.note.empty()) lines.insert(lines.end(), {"", comment_text(robot.note)});
  lines.insert(lines.end(), {"", cat("SI units. ", influences_text(robot)),
                             "An input that is NaN, infinite, or an angle beyond 1.6e6 rad makes every result of its state NaN.", ""});
  lines.insert(lines.end(), use.begin(), use.end());
  return lines;
}

const char* vectors_text(const GeneratedRobot& robot) {
  return robot.two_sizes() ? "Numbers of q, of v and a, and of tau:" : "Joint coordinates in the order of every vector:";
}

std::string influences_text(const GeneratedRobot& robot) {
  if (!robot.friction) return "Rotor inertias are in the equations, friction is not.";
  const bool more = std::any_of(robot.functions.begin(), robot.functions.end(), [](const Generated& made) {
    return made.sides != nullptr && std::any_of(made.sides->list().begin(), made.sides->list().end(), [](const Side& s) { return s.kind != Side::sign; });
  });
  return cat("Rotor inertias are in the equations, and so is friction: viscous v + Coulomb sign(v), where sign(0) = 0",
             more ? ", and what joints have besides" : "", ".");
}

std::vector<std::string> coordinate_lines(const GeneratedRobot& robot, std::size_t base) {
  std::vector<std::string> lines;
  const auto index = [&](std::size_t k) { return cat("[", k + base, "]"); };
  const auto in_ball = [&](std::size_t place) {
    return std::any_of(robot.quaternions.begin(), robot.quaternions.end(),
                       [&](std::size_t at) { return !(robot.free && at == 3) && place >= at && place < at + 4; });
  };
  if (robot.free)
    lines = {cat("q", index(0), " to q", index(2), ": position of the root link in the world [m]; q", index(3), " to q", index(6),
                 ": its unit quaternion x, y, z, w"),
             cat("v", index(0), " to v", index(2), ": angular velocity of the root link, v", index(3), " to v", index(5),
                 ": velocity of its origin, in its own axes;"),
             "  a likewise, the acceleration of the origin being the classical one; tau: moment, then force on the root link at its origin",
             "  The quaternion must have unit length: it is not divided by its length here."};
  const std::size_t v = robot.free ? base_nv(RootJoint::free) : 0;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const auto driven = std::find(robot.driven.begin(), robot.driven.end(), k);
    const bool follows = robot.closed() && driven == robot.driven.end();
    const std::size_t speed = robot.closed() ? static_cast<std::size_t>(driven - robot.driven.begin()) : k;
    const std::string place = robot.two_sizes() ? cat("q", index(robot.places[k]), follows ? "" : cat(", v", index(speed + v))) : index(k);
    lines.push_back(cat(place, " ", comment_text(robot.joints[k]),
                        robot.prismatic[k]         ? ", prismatic [m]"
                        : in_ball(robot.places[k]) ? ", ball"
                                                   : ", revolute [rad]",
                        follows ? ", dependent" : ""));
  }
  for (const std::size_t at : robot.quaternions)
    if (in_ball(at))
      lines.push_back(cat("  q", index(at), " to q", index(at + 3), " of a ball joint: unit quaternion x, y, z, w; v, a and tau in the axes of its child"));
  if (robot.closed())
    lines.emplace_back(
        cat("  Links form loops: q is a closed configuration, see close. v, a and tau are of independent coordinates; the other joints have no drives."));
  return lines;
}

std::vector<std::string> close_explained() {
  return {"Takes steps of Newton's method on the dependent positions of q, from where they are: 2 in a control loop, 20 from a rough guess. The result is the",
          "largest condition of the loops that q then does not meet [m, or rad]; infinity where a pivot of the elimination is too small to be trusted, near",
          "singular assemblies or far from the reference assembly, and where q ends on the other side of a singular assembly."};
}

std::vector<std::string> names_explained() {
  return {"Names: w3, dw3 angular velocity and acceleration of link 3, a3 acceleration of its origin (gravity as an upward acceleration of the base),",
          "U3 = [dw3]x + [w3]x[w3]x; f3, n3 force and moment on link 3; m3, h3, S3 mass, first and second moments of link 3 and all behind it; in the axes",
          "of link 3, whose z is the joint's axis. _neg: the opposite. Frames, shares of mass between links and the unit of length are the search's choice:",
          "only the results are meant to be in SI units."};
}

std::string counts_text(const Program& program) {
  const OperationCounts c = program.counts();
  const auto counted = [](long number, const char* what) { return cat(number, " ", what, number == 1 ? "" : "s"); };
  const auto apart = [&](const char* what, const OperationCounts& counts) {
    return counts.mul + counts.add == 0 ? std::string() : cat("; ", what, counted(counts.mul, "multiplication"), ", ", counted(counts.add, "addition"));
  };
  return cat(counted(c.mul, "multiplication"), ", ", counted(c.add, "addition"), c.div != 0 ? cat(", ", counted(c.div, "division")) : "",
             ", sines and cosines of ", counted(c.sincos, "angle"), apart("guards: ", program.guards), apart("sums of angles: ", program.angle_sums));
}

const char* measured_states(const GeneratedRobot& robot) {
  return robot.closed() ? "closed states near the reference assembly" : "states within the joint limits";
}

std::vector<std::string> explained(const GeneratedRobot& robot, const Generated& made) {
  std::vector<std::string> lines{sentence(made.meaning), sentence(cat(counts_text(made.program), "; ", comment_text(made.method)))};
  if (robot.real == Real::single_precision)
    lines.push_back(cat("Single precision: over 1000 ", measured_states(robot), " results differ from double precision by at most ", rounded(made.single_error),
                        " of the largest result, ", rounded(made.single_scale), "."));
  return lines;
}

std::string angle_text(const Written& written, std::size_t i) {
  for (const Assignment& line : written.before_angles)
    if (line.name == written.angles[i]) return line.expression;
  return written.angles[i];
}

std::string commented(const std::vector<std::string>& lines, std::string_view mark) {
  std::string out;
  for (const std::string& line : lines) out += line.empty() ? cat(mark, "\n") : cat(mark, " ", line, "\n");
  return out;
}

bool uses_signal(std::string_view body, std::string_view signal) {
  // "sine[" also ends "cosine[": the name is looked for as a word.
  const std::string wanted = cat(signal, "[");
  for (std::size_t at = body.find(wanted); at != std::string_view::npos; at = body.find(wanted, at + 1))
    if (at == 0 || !in_identifier(body[at - 1])) return true;
  return false;
}

bool uses_signal(const Written& written, std::string_view signal) {
  // MATLAB has round brackets.
  const auto used = [&](std::string text) {
    for (char& c : text) c = c == '(' ? '[' : c;
    return uses_signal(text, signal);
  };
  return std::any_of(written.lines.begin(), written.lines.end(), [&](const Assignment& line) { return used(line.expression); }) ||
         std::any_of(written.results.begin(), written.results.end(), used);
}

}  // namespace ulna::internal
