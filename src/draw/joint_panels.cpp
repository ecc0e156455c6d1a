#include "draw/panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "text/message.hpp"

namespace ulna::internal::draw {

namespace {

/// How many of a row are the base's.
std::size_t of_base(const Model& model, Numbers numbers) { return numbers == Numbers::position ? base_nq(model.base()) : base_nv(model.base()); }

std::string unit_of(const Model& model, Numbers numbers, std::size_t i) {
  return numbers == Numbers::position ? sim::position_unit(model, i) : numbers == Numbers::velocity ? sim::velocity_unit(model, i) : sim::effort_unit(model, i);
}

std::vector<double> column(const std::vector<double>& values, std::size_t n, std::size_t i) {
  std::vector<double> out;
  for (std::size_t k = i; k < values.size(); k += n) out.push_back(values[k]);
  return out;
}

/// A limit of 0 on speed or effort counts as none, as everywhere.
std::vector<double> limits_of(const Joint& joint, Numbers numbers) {
  const double most = numbers == Numbers::velocity ? joint.velocity : joint.effort;
  const bool known = numbers == Numbers::position || most > 0;
  std::vector<double> out;
  for (const double limit : {numbers == Numbers::position ? joint.lower : -most, numbers == Numbers::position ? joint.upper : most})
    if (known && std::isfinite(limit)) out.push_back(limit);
  return out;
}

}  // namespace

std::vector<TimePanel> joint_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values, std::size_t most) {
  const std::vector<std::size_t> joints = numbers == Numbers::position ? model.independent() : model.driven();
  const std::size_t base = of_base(model, numbers), n = numbers == Numbers::position ? model.nq() : base + joints.size();
  const std::vector<std::size_t> places = model.places();
  const auto place = [&](std::size_t i) { return numbers == Numbers::position ? places[i] : base + i; };
  const std::array<std::string, 2> units = numbers == Numbers::position   ? std::array<std::string, 2>{"rad", "m"}
                                           : numbers == Numbers::velocity ? std::array<std::string, 2>{"rad/s", "m/s"}
                                                                          : std::array<std::string, 2>{"N m", "N"};
  std::vector<TimePanel> panels;
  for (const std::string& unit : units) {
    std::vector<std::pair<double, std::size_t>> reach;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (unit_of(model, numbers, place(i)) != unit) continue;
      double low = INFINITY, high = -INFINITY;
      for (const double value : column(values, n, place(i))) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
      reach.emplace_back(-(high - low), i);
    }
    if (reach.empty()) continue;
    const std::size_t all = reach.size();
    std::stable_sort(reach.begin(), reach.end());
    for (std::size_t k = 0; k < all; ++k) reach[k].first = k < most ? 0 : 1;
    std::sort(reach.begin(), reach.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    TimePanel panel{cat(quantity, " [", unit, "]", all > most ? cat(", ", most, " of ", all, " joints") : ""), {}};
    for (const auto& [rank, i] : reach) {
      const Joint& joint = model.joints()[joints[i]];
      panel.lines.push_back({joint.name, column(values, n, place(i)), i, rank > 0});
      panel.lines.back().limits = limits_of(joint, numbers);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<TimePanel> base_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values) {
  const std::vector<std::string> names = numbers == Numbers::position   ? model.position_names()
                                         : numbers == Numbers::velocity ? model.velocity_names()
                                                                        : model.effort_names();
  const std::size_t base = of_base(model, numbers);
  std::vector<TimePanel> panels;
  std::string unit;
  bool moves = false;
  for (std::size_t i = 0; i < base; ++i) {
    if (unit_of(model, numbers, i) != unit) {
      unit = unit_of(model, numbers, i);
      panels.push_back({unit == "1" ? std::string("attitude of the base, quaternion") : cat(quantity, " of the base [", unit, "]"), {}});
    }
    TimePanel& panel = panels.back();
    panel.lines.push_back({names[i], column(values, names.size(), i), panel.lines.size()});
    for (const double value : panel.lines.back().values) moves = moves || value != 0;
  }
  return moves ? panels : std::vector<TimePanel>();
}

}  // namespace ulna::internal::draw
