#include "identify/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace ulna::internal {

namespace {

constexpr std::size_t kPiece = 4096;  // samples at a time

/// Numbers at times t, n a time, at even steps: by lines between them.
void resample(const std::vector<double>& t, std::size_t n, double step, std::vector<double>& x) {
  const std::size_t count = static_cast<std::size_t>((t.back() - t.front()) / step + 1e-6) + 1;
  std::vector<double> out(count * n);
  std::size_t at = 0;
  for (std::size_t s = 0; s < count; ++s) {
    const double time = t.front() + static_cast<double>(s) * step;
    while (at + 2 < t.size() && t[at + 1] <= time) ++at;
    const double part = std::clamp((time - t[at]) / (t[at + 1] - t[at]), 0.0, 1.0);
    for (std::size_t k = 0; k < n; ++k) out[s * n + k] = (1 - part) * x[at * n + k] + part * x[(at + 1) * n + k];
  }
  x = std::move(out);
}

}  // namespace

void torques(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base, const Samples& samples,
             std::vector<double>& tau) {
  const Plan& plan = regressors.plan();
  const std::size_t n = plan.nv;
  std::vector<double> Y, load(n, 0.0);
  regressors(samples, Y);
  bool rotors = true;
  for (const FrictionColumn& column : columns.friction()) rotors = rotors && column.term != FrictionTerm::rotor;
  tau.resize(samples.count * n);
  for (std::size_t s = 0; s < samples.count; ++s) {
    const double *of_state = Y.data() + s * regressors.size(), *v = samples.v.data() + s * n, *a = samples.a.data() + s * n;
    double* out = tau.data() + s * n;
    columns.links(of_state, x.data(), out);
    if (!load_base.empty()) columns.links(of_state, load_base.data(), load.data());
    for (std::size_t c = 0; c < columns.friction().size(); ++c) {
      const FrictionColumn& column = columns.friction()[c];
      if (const double value = x[columns.base() + c]; value != 0) out[column.coordinate] += value * columns.friction(column, v, a, load.data());
    }
    if (!rotors) continue;
    for (const PlanBody<double>& body : plan.bodies) out[body.v] += body.multiplier * body.multiplier * body.rotor * a[body.v];
  }
}

void Prediction::compare(const std::vector<double>& t, std::vector<double>& measured, std::vector<double>& predicted, const Motion& motion, std::size_t from,
                         std::size_t to) {
  const std::size_t n = off_.size();
  std::size_t count = t.size();
  if (!motion.derived() && motion.uneven()) {
    resample(t, n, motion.step(), measured);
    resample(t, n, motion.step(), predicted);
    const double scale = static_cast<double>(measured.size() / n) / static_cast<double>(count);
    from = static_cast<std::size_t>(static_cast<double>(from) * scale), to = static_cast<std::size_t>(static_cast<double>(to) * scale);
    count = measured.size() / n;
    to = std::min(to, count);
  }
  LowPass filter = motion.low_pass();
  for (std::size_t k = 0; k < n; ++k) {
    if (!motion.derived()) filter(measured.data() + k, count, n);  // else it has been
    filter(predicted.data() + k, count, n);
  }
  for (std::size_t s = from; s < to; ++s)
    for (std::size_t k = 0; k < n; ++k) {
      const double m = measured[s * n + k], d = m - predicted[s * n + k];
      off_[k] += d * d, all_[k] += m * m;
    }
  rows_ += to - from;
}

void Prediction::add(const Motion& motion, std::size_t first, std::size_t last) {
  const std::size_t n = off_.size(), cut = static_cast<std::size_t>(std::ceil(kCut / motion.step()));
  const std::size_t begin = motion.size() * first / kParts, end = motion.size() * last / kParts;
  Samples samples;
  std::vector<double> predicted;
  for (const Motion::Stretch& stretch : motion.stretches()) {
    const std::size_t low = std::max(begin, stretch.first), high = std::min(end, stretch.last), around = motion.low_pass().reach();
    if (high <= low + 2 * cut) continue;
    // What is compared is what was held back: nothing before it takes part, not even in the filters.
    for (std::size_t at = low + cut; at < high - cut; at += kPiece) {
      const std::size_t stop = std::min(high - cut, at + kPiece), from = std::max(low + around, at) - around, to = std::min(high, stop + around);
      motion.read(from, to, samples);
      torques(regressors_, columns_, x_, load_base_, samples, predicted);
      for (std::size_t k = 0; k < n && !gains_.empty(); ++k) {
        double gain = gains_[k];
        for (std::size_t c = 0; c < columns_.friction().size() && std::isnan(gains_[k]); ++c)
          if (columns_.friction()[c].term == FrictionTerm::gain && columns_.friction()[c].coordinate == k) gain = x_[columns_.base() + c];
        for (std::size_t s = 0; s < samples.count; ++s) samples.tau[s * n + k] *= gain;
      }
      compare(samples.t, samples.tau, predicted, motion, at - from, stop - from);
    }
  }
}

Validation Prediction::score() const {
  Validation out;
  double off = 0, all = 0;
  const auto part = [](double a, double b) { return b > 0 ? std::sqrt(a / b) : 0.0; };
  for (std::size_t k = 0; k < off_.size(); ++k) {
    off += off_[k], all += all_[k];
    out.by_joint.push_back(part(off_[k], all_[k]));
  }
  out.relative_error = part(off, all);
  out.rows = rows_;
  return out;
}

void predict_rows(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const std::vector<double>& load_base,
                  const Motion& motion, const std::function<void(double, const double*)>& row) {
  const std::size_t n = regressors.plan().nv, width = 1 + 4 * n;
  Samples samples;
  std::vector<double> tau, numbers(width), out(n);
  for (const Motion::Stretch& stretch : motion.stretches()) {
    std::size_t at_row = stretch.row;
    for (std::size_t at = stretch.first; at < stretch.last; at += kPiece) {
      // One sample more, so that rows between two pieces lie between two samples.
      const std::size_t end = std::min(stretch.last, at + kPiece + 1);
      motion.read(at, end, samples);
      torques(regressors, columns, x, load_base, samples, tau);
      if (!(motion.derived() && motion.uneven())) {
        const std::size_t stop = std::min(stretch.last, at + kPiece);
        for (std::size_t s = 0; s < stop - at; ++s) row(samples.t[s], tau.data() + s * n);
        continue;
      }
      const bool is_last = end == stretch.last;
      std::size_t s = 0;
      while (at_row < stretch.end_row) {
        motion.log().read(at_row, 1, numbers.data());
        if (!is_last && numbers[0] >= samples.t.back()) break;
        while (s + 2 < samples.count && samples.t[s + 1] <= numbers[0]) ++s;
        const std::size_t next = std::min(s + 1, samples.count - 1);
        const double part = next == s ? 0 : std::clamp((numbers[0] - samples.t[s]) / (samples.t[next] - samples.t[s]), 0.0, 1.0);
        for (std::size_t k = 0; k < n; ++k) out[k] = (1 - part) * tau[s * n + k] + part * tau[next * n + k];
        row(numbers[0], out.data());
        ++at_row;
      }
      if (is_last) break;
    }
  }
}

}  // namespace ulna::internal
