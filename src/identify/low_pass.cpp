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

/// Direct form II transposed, as if the first numbers had been there always.
void LowPass::run(const Section& s, std::ptrdiff_t step, std::size_t width) {
  const std::size_t count = padded_.size() / width;
  double* x = step > 0 ? padded_.data() : padded_.data() + (count - 1) * width;
  state_.resize(2 * width);
  double *z1 = state_.data(), *z2 = z1 + width;
  for (std::size_t c = 0; c < width; ++c) z1[c] = (1 - s.b0) * x[c], z2[c] = (s.b2 - s.a2) * x[c];
  for (std::size_t k = 0; k < count; ++k, x += step * static_cast<std::ptrdiff_t>(width))
    for (std::size_t c = 0; c < width; ++c) {
      const double in = x[c], out = s.b0 * in + z1[c];
      z1[c] = s.b1 * in - s.a1 * out + z2[c];
      z2[c] = s.b2 * in - s.a2 * out;
      x[c] = out;
    }
}

void LowPass::operator()(double* x, std::size_t count, std::size_t width) {
  if (count < 2) return;
  const std::size_t pad = std::min(count - 1, reach_);
  padded_.resize((count + 2 * pad) * width);
  std::copy(x, x + count * width, padded_.data() + pad * width);
  const double* const last = x + (count - 1) * width;
  for (std::size_t k = 1; k <= pad; ++k)
    for (std::size_t c = 0; c < width; ++c) {
      padded_[(pad - k) * width + c] = 2 * x[c] - x[k * width + c];
      padded_[(pad + count - 1 + k) * width + c] = 2 * last[c] - x[(count - 1 - k) * width + c];
    }
  for (const Section& s : sections_)
    for (const std::ptrdiff_t step : {1, -1}) run(s, step, width);
  std::copy(padded_.data() + pad * width, padded_.data() + (pad + count) * width, x);
}

}  // namespace ulna::internal
