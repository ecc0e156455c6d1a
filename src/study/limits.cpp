#include "study/limits.hpp"

#include <cmath>

namespace ulna::internal {

using draw::Numbers;

std::vector<BrokenLimit> broken_limits(const Model& model, const sim::Trajectory& t) {
  std::vector<BrokenLimit> out;
  const std::size_t n = model.independent().size();
  for (std::size_t i = 0; i < n; ++i)
    for (const Numbers numbers : {Numbers::position, Numbers::velocity, Numbers::effort}) {
      const std::vector<double>& values = numbers == Numbers::position ? t.q : numbers == Numbers::velocity ? t.v : t.tau;
      const std::size_t width = numbers == Numbers::position ? t.positions : t.size;
      const auto value = [&, width = width](std::size_t row) { return values[row * width + width - n + i]; };
      for (const draw::Limit& limit : draw::limits_of(model, numbers, i)) {
        const double margin = 1e-9 * (1 + std::abs(limit.value));  // a joint that stands at its limit is within it, whatever rounding says
        std::size_t first = t.rows(), worst = 0;
        for (std::size_t k = 0; k < t.rows(); ++k) {
          const double beyond = limit.side * (value(k) - limit.value);
          if (!(beyond > margin)) continue;
          if (first == t.rows()) first = worst = k;
          if (beyond > limit.side * (value(worst) - limit.value)) worst = k;
        }
        if (first < t.rows()) out.push_back({i, numbers, limit.value, value(worst), t.t[first]});
      }
    }
  return out;
}

const char* limit_name(Numbers numbers) { return numbers == Numbers::position ? "position" : numbers == Numbers::velocity ? "speed" : "effort"; }

std::size_t stated_limits(const Model& model) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.independent().size(); ++i)
    for (const Numbers numbers : {Numbers::position, Numbers::velocity, Numbers::effort}) count += draw::limits_of(model, numbers, i).empty() ? 0 : 1;
  return count;
}

}  // namespace ulna::internal
