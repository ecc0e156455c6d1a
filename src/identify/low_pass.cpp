#include "identify/motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ulna::internal {

LowPass::LowPass(double cutoff, double rate) {
  // Bilinear transform of 1 / (s² + 2 sin(pi (2 k + 1) / 8) s + 1), its frequency bent so that the cut-off stays where it is.
  const double w = std::tan(std::numbers::pi * cutoff / rate);
  for (int k = 0; k < 2; ++k) {
    const double damping = 2 * std::sin(std::numbers::pi * (2 * k + 1) / 8), a0 = 1 + damping * w + w * w;
    sections_[k] = {w * w / a0, 2 * w * w / a0, w * w / a0, 2 * (w * w - 1) / a0, (1 - damping * w + w * w) / a0};
  }
  const double slowest = std::sin(std::numbers::pi / 8) * 2 * std::numbers::pi * cutoff / rate;  // decay of the slowest pole, a sample
  reach_ = static_cast<std::size_t>(std::ceil(23 / slowest));
}

/// Direct form II transposed, as if the first number had been there always.
void LowPass::run(const Section& s, std::vector<double>& x) {
  double z1 = (1 - s.b0) * x[0], z2 = (s.b2 - s.a2) * x[0];
  for (double& value : x) {
    const double in = value, out = s.b0 * in + z1;
    z1 = s.b1 * in - s.a1 * out + z2;
    z2 = s.b2 * in - s.a2 * out;
    value = out;
  }
}

void LowPass::operator()(double* x, std::size_t count, std::size_t stride) {
  if (count < 2) return;
  const std::size_t pad = std::min(count - 1, reach_);
  const double first = x[0], last = x[(count - 1) * stride];
  padded_.clear();
  for (std::size_t k = pad; k > 0; --k) padded_.push_back(2 * first - x[k * stride]);
  for (std::size_t k = 0; k < count; ++k) padded_.push_back(x[k * stride]);
  for (std::size_t k = 1; k <= pad; ++k) padded_.push_back(2 * last - x[(count - 1 - k) * stride]);
  for (const Section& s : sections_) {
    run(s, padded_);
    std::reverse(padded_.begin(), padded_.end());
    run(s, padded_);
    std::reverse(padded_.begin(), padded_.end());
  }
  for (std::size_t k = 0; k < count; ++k) x[k * stride] = padded_[pad + k];
}

}  // namespace ulna::internal
