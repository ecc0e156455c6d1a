#include "draw/joint_panels.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "text/cat.hpp"

namespace ulna::internal::draw {

std::vector<TimePanel> joint_panels(const Model& model, const std::string& quantity, const std::string& turning, const std::string& sliding,
                                    const std::vector<double>& values, std::size_t most) {
  const std::vector<std::string> names = model.coordinate_names();
  const std::size_t n = names.size();
  std::vector<TimePanel> panels;
  for (const bool slides : {false, true}) {
    std::vector<std::pair<double, std::size_t>> reach;
    for (std::size_t i = 0; i < n; ++i) {
      if ((sim::position_unit(model, i) == "m") != slides) continue;
      double low = INFINITY, high = -INFINITY;
      for (std::size_t k = i; k < values.size(); k += n) {
        low = std::min(low, values[k]);
        high = std::max(high, values[k]);
      }
      reach.emplace_back(-(high - low), i);
    }
    if (reach.empty()) continue;
    const std::size_t all = reach.size();
    std::stable_sort(reach.begin(), reach.end());
    for (std::size_t k = 0; k < all; ++k) reach[k].first = k < most ? 0 : 1;
    std::sort(reach.begin(), reach.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    TimePanel panel{cat(quantity, " [", slides ? sliding : turning, "]", all > most ? cat(", ", most, " of ", all, " joints: those that change most") : ""),
                    {}};
    for (const auto& [rank, i] : reach) {
      panel.lines.push_back({names[i], {}, i, rank > 0});
      for (std::size_t k = i; k < values.size(); k += n) panel.lines.back().values.push_back(values[k]);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace ulna::internal::draw
