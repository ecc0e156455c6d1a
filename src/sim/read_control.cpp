#include <cmath>

#include "sim/quantities.hpp"
#include "sim/scenario_parts.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"

namespace ulna::internal::sim {

void read_control(YamlFields& top, Diagnostics& diagnostics, Scenario& s) {
  const YamlNode* node = mapping(top, "control", "{rate: 1 kHz}");
  if (node == nullptr) return;
  YamlFields control(*node, "control", {"rate", "delay", "noise", "quantisation", "seed"}, diagnostics);
  ControlSettings& c = s.control;
  const double before = c.period > 0 ? c.period : s.integrator.step, rate = quantity(control, "rate", 1 / before, "Hz", 0);
  if (!(rate > 0)) control.error("rate", "it must be positive", "write 'rate: 1 kHz'");
  c.period = rate > 0 ? 1 / rate : before;
  if (c.period > s.duration) control.error("rate", cat("a period of ", c.period, " s is longer than the run of ", s.duration, " s"), "write a higher rate");
  constexpr double kMostSamples = 1e9, kMostLate = 1e6;  // as in check()
  if (s.duration / c.period > kMostSamples)
    control.error("rate",
                  cat("a run of ", s.duration, " s would have ", rounded(s.duration / c.period), " samples of the law, more than ", rounded(kMostSamples)),
                  "write a lower rate");
  if (s.integrator.kind == IntegratorKind::implicit_midpoint)
    top.error("control", "the implicit midpoint rule is for smooth motions, not for torques that jump", "use rk4 or dormand-prince-5");
  c.delay = quantity(control, "delay", c.delay, "s", 0);
  if (c.delay / c.period > kMostLate)
    control.error("delay", cat("it is ", rounded(c.delay / c.period), " samples, more than ", rounded(kMostLate)), "write a shorter one, or a lower rate");
  if (c.delay > s.duration) control.error("delay", "the delay is longer than the run", "write a shorter one, or its unit: ms");
  c.seed = whole(control, "seed", c.seed, 0, std::numeric_limits<std::uint32_t>::max());
  const auto pair = [&](const char* key, const char* example, std::vector<double>& q, std::vector<double>& v) {
    const YamlNode* of = mapping(control, key, example);
    if (of == nullptr) return;
    YamlFields both(*of, cat("control ", key), {"q", "v"}, diagnostics);
    if (both.has("q")) q = of_joints(both, "q", "rad", "m", s.model, s.model.driven());
    if (both.has("v")) v = of_joints(both, "v", "rad/s", "m/s", s.model, s.model.driven());
  };
  pair("noise", "{q: 0.1 mrad, v: 1 mrad/s}", c.noise_q, c.noise_v);
  pair("quantisation", "{q: 0.1 mrad}", c.step_q, c.step_v);
}

}  // namespace ulna::internal::sim
