#include "sim/unit.hpp"

#include <array>
#include <numbers>
#include <vector>

#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal::sim {

using namespace ulna::internal;

namespace {

struct Unit {
  std::string_view name, of;  // in which unit it is counted
  double factor;
};
constexpr std::array kUnits{
    Unit{"1", "1", 1},
    Unit{"%", "1", 0.01},
    Unit{"kg", "kg", 1},
    Unit{"g", "kg", 1e-3},
    Unit{"m", "m", 1},
    Unit{"cm", "m", 1e-2},
    Unit{"mm", "m", 1e-3},
    Unit{"rad", "rad", 1},
    Unit{"mrad", "rad", 1e-3},
    Unit{"deg", "rad", std::numbers::pi / 180},
    Unit{"s", "s", 1},
    Unit{"ms", "s", 1e-3},
    Unit{"us", "s", 1e-6},
    Unit{"Hz", "Hz", 1},
    Unit{"kHz", "Hz", 1e3},
    Unit{"rad/s", "rad/s", 1},
    Unit{"mrad/s", "rad/s", 1e-3},
    Unit{"deg/s", "rad/s", std::numbers::pi / 180},
    Unit{"m/s", "m/s", 1},
    Unit{"mm/s", "m/s", 1e-3},
    Unit{"m/s2", "m/s2", 1},
    Unit{"rad/s2", "rad/s2", 1},
    Unit{"deg/s2", "rad/s2", std::numbers::pi / 180},
    Unit{"N", "N", 1},
    Unit{"kN", "N", 1e3},
    Unit{"Nm", "Nm", 1},
    Unit{"N m", "Nm", 1},
    Unit{"Nms/rad", "Nms/rad", 1},
    Unit{"Ns/m", "Ns/m", 1},
    Unit{"B", "B", 1},
    Unit{"kB", "B", 1e3},
    Unit{"MB", "B", 1e6},
    Unit{"GB", "B", 1e9},
};

std::vector<std::string> units_of(std::string_view kind) {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits)
    if (unit.of == kind) names.emplace_back(unit.name);
  return names;
}

}  // namespace

std::string with_unit_of(const std::string& text, const std::string& last) {
  const std::size_t space = last.find(' ');
  return space == std::string::npos || text.find(' ') != std::string::npos ? text : text + last.substr(space);
}

std::optional<double> parse_quantity(std::string_view text, std::string_view wanted, NumberProblem& problem) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) {
    if (!text.empty() && text.back() == '%') return parse_quantity(cat(text.substr(0, text.size() - 1), " %"), wanted, problem);
    return wanted == "rad" ? parse_angle(text, problem) : parse_number(text, problem);
  }
  const std::string_view name = text.substr(text.find_first_not_of(' ', space));
  const std::optional<double> number = parse_number(text.substr(0, space), problem);
  if (!number) return {};
  std::vector<std::string> all;
  for (const Unit& unit : kUnits) {
    all.emplace_back(unit.name);
    if (unit.name != name) continue;
    if (unit.of == wanted) return *number * unit.factor;
    problem = {cat(in_quotes(text), " is in ", name, ", but this is counted in ", wanted), cat("write ", listed(units_of(wanted), "or"))};
    return {};
  }
  const std::vector<std::string> fitting = units_of(wanted);
  problem = {cat("there is no unit ", in_quotes(name), did_you_mean(name, all)), cat("write ", listed(fitting, "or"), ", or no unit")};
  return {};
}

}  // namespace ulna::internal::sim
