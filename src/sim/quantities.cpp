#include "sim/quantities.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "text/message.hpp"
#include "text/parse_number.hpp"

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

/// A unit behind the last number of a list is that of those before it that have none: [0, 3 kg].
std::string with_unit_of(const std::string& text, const std::string& last) {
  const std::size_t space = last.find(' ');
  return space == std::string::npos || text.find(' ') != std::string::npos ? text : text + last.substr(space);
}

/// In SI units, radians and bytes. `wanted` is one of the units of the table, "1" for a number without one. Nothing, and why, for a unit that is unknown or of
/// another kind.
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

}  // namespace

std::optional<double> one(YamlFields& fields, std::string_view key, const YamlNode& node, std::string_view unit) {
  if (node.kind == YamlNode::Kind::faulty) return {};
  NumberProblem problem{cat("a number belongs here, not ", describe(node)), "write a number"};
  if (node.kind == YamlNode::Kind::scalar)
    if (const std::optional<double> x = parse_quantity(node.text, unit, problem)) return x;
  fields.diagnostics().error(node.line > 0 ? node.line : fields.line(key), fields.label(key), problem.problem, problem.cure);
  return {};
}

double quantity(YamlFields& fields, std::string_view key, double fallback, std::string_view unit, double least) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return fallback;
  const std::optional<double> x = one(fields, key, *node, unit);
  if (!x) return fallback;
  if (*x >= least) return *x;
  fields.error(key, cat(rounded(*x), " is below ", rounded(least)), "write a larger number");
  return fallback;
}

std::uint64_t whole(YamlFields& fields, std::string_view key, std::uint64_t fallback, std::uint64_t least, std::uint64_t most) {
  if (!fields.has(key)) return fallback;
  const double x = fields.number(key, static_cast<double>(fallback));
  if (x == std::floor(x) && x >= static_cast<double>(least) && x <= static_cast<double>(most)) return static_cast<std::uint64_t>(x);
  fields.error(key, cat(rounded(x), " is no whole number from ", least, " to ", most), "write one");
  return fallback;
}

namespace {

/// {from: a, to: b, count: n}
std::vector<double> even_grid(YamlFields& fields, std::string_view key, const YamlNode& node, std::string_view unit) {
  YamlFields grid(node, fields.label(key), {"from", "to", "count"}, fields.diagnostics());
  if (key != "grid" || grid.require("from") == nullptr || grid.require("to") == nullptr || grid.require("count") == nullptr) {
    if (key != "grid") fields.error(key, "a list of numbers belongs here, not a mapping", "write [a, b]");
    return {};
  }
  const double any = -std::numeric_limits<double>::infinity(), from = quantity(grid, "from", 0, unit, any), to = quantity(grid, "to", 1, unit, any);
  const std::uint64_t count = whole(grid, "count", 2, 2, 1'000'000);
  std::vector<double> numbers;
  for (std::uint64_t k = 0; k < count; ++k) numbers.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(count - 1));
  return numbers;
}

}  // namespace

std::vector<double> quantities(YamlFields& fields, std::string_view key, std::string_view unit) {
  const YamlNode& node = *fields.find(key);
  return node.kind == YamlNode::Kind::mapping ? even_grid(fields, key, node, unit) : list_of(fields, key, node, unit);
}

std::vector<double> list_of(YamlFields& fields, std::string_view key, const YamlNode& node, std::string_view unit) {
  if (node.kind != YamlNode::Kind::sequence || node.items.empty()) {
    fields.error(key, cat("a list of numbers belongs here, not ", node.kind == YamlNode::Kind::sequence ? "an empty one" : describe(node)), "write [a, b]");
    return {};
  }
  std::vector<double> numbers;
  for (YamlNode item : node.items) {
    if (item.kind == YamlNode::Kind::scalar) item.text = with_unit_of(item.text, node.items.back().text);
    const std::optional<double> x = one(fields, key, item, unit);
    if (!x) return {};
    numbers.push_back(*x);
  }
  return numbers;
}

std::vector<double> of_joints(YamlFields& fields, std::string_view key, std::string_view turning, std::string_view sliding, const Model& model,
                              const std::vector<std::size_t>& joints) {
  const std::size_t n = joints.size();
  std::vector<double> out(n, 0.0);
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return out;
  const bool list = node->kind == YamlNode::Kind::sequence;
  if (list && node->items.size() != n) {
    fields.error(key, cat("it has ", node->items.size(), " numbers, but the robot has ", n, " free joints"), "write one for each, or one for all");
    return out;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool slides = model.joints()[joints[i]].type == JointType::prismatic;
    YamlNode own = list ? node->items[i] : *node;
    if (list && own.kind == YamlNode::Kind::scalar && !slides) own.text = with_unit_of(own.text, node->items.back().text);
    const std::optional<double> x = one(fields, key, own, slides ? sliding : turning);
    if (!x) return out;
    if (*x < 0) {
      fields.error(key, cat(rounded(*x), " is negative"), "write a positive number, or leave the key out");
      return out;
    }
    out[i] = *x;
  }
  return out;
}

}  // namespace ulna::internal::sim
