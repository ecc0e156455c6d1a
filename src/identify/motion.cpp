#include "identify/motion.hpp"

#include <complex>
#include <numbers>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kGap = 5;               // steps; longer ones are gaps
constexpr double kEven = 0.01;           // of a step
constexpr std::size_t kFewSamples = 32;  // in a stretch: too few to filter
constexpr double kHarmonics = 20;        // torques have the motion's frequencies many times over: squares of speeds, gravity, friction
constexpr double kEnergy = 0.999;        // of the velocities, below what counts as the motion's highest frequency

/// In place, a power of two of them.
void fourier(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const std::complex<double> turn = std::polar(1.0, -2 * std::numbers::pi / static_cast<double>(length));
    for (std::size_t i = 0; i < n; i += length) {
      std::complex<double> w = 1;
      for (std::size_t k = 0; k < length / 2; ++k, w *= turn) {
        const std::complex<double> u = x[i + k], y = w * x[i + k + length / 2];
        x[i + k] = u + y;
        x[i + k + length / 2] = u - y;
      }
    }
  }
}

/// Below it lies kEnergy of what x is about its mean [Hz].
double highest_frequency(const std::vector<double>& x, double step) {
  std::size_t n = 1;
  while (n < x.size()) n <<= 1;
  double mean = 0;
  for (const double e : x) mean += e / static_cast<double>(x.size());
  std::vector<std::complex<double>> f(n);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double window = std::sin(std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(x.size()));
    f[k] = window * window * (x[k] - mean);
  }
  fourier(f);
  double all = 0, sum = 0;
  for (std::size_t k = 0; k <= n / 2; ++k) all += std::norm(f[k]);
  if (all == 0) return 0;
  for (std::size_t k = 0; k <= n / 2; ++k)
    if ((sum += std::norm(f[k])) >= kEnergy * all) return static_cast<double>(k) / (static_cast<double>(n) * step);
  return 0.5 / step;
}

/// The cubic through four points, or the line through two.
double between(const double* t, const double* x, std::size_t stride, std::size_t count, double at) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    double factor = x[i * stride];
    for (std::size_t j = 0; j < count; ++j)
      if (j != i) factor *= (at - t[j]) / (t[i] - t[j]);
    sum += factor;
  }
  return sum;
}

/// Derivative by central differences; one-sided at the ends.
void differences(const std::vector<double>& x, std::size_t n, double step, std::vector<double>& out) {
  const std::size_t count = x.size() / n;
  out.resize(x.size());
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t before = s == 0 ? 0 : s - 1, after = s + 1 == count ? s : s + 1;
    for (std::size_t k = 0; k < n; ++k)
      out[s * n + k] = (x[after * n + k] - x[before * n + k]) / (static_cast<double>(std::max<std::size_t>(1, after - before)) * step);
  }
}

}  // namespace

Motion::Motion(const Log& log, const Model& model, double cutoff, std::vector<Finding>& findings, bool all)
    : log_(log), n_(log.nv()), derived_(!log.columns().v || !log.columns().a), cutoff_(cutoff) {
  if (n_ != model.nv())
    throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has ", n_, " joints, but robot ", in_quotes(model.name()), " has ", model.nv()));
  if (log.rows() < (all ? 4 : kFewSamples))
    throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has ", log.rows(), " rows; at least ", kFewSamples, " are needed"));
  find_stretches(findings, all ? 1 : kFewSamples);
  find_speed();
  torques_ = check_channels(log, model, findings);
  if (cutoff_ == 0) find_cutoff(findings);
  if (!(cutoff_ < 0.45 / step_)) {
    findings.push_back({.kind = FindingKind::cutoff,
                        .log = log.name(),
                        .text = cat("a cut-off of ", rounded(cutoff_), " Hz is beyond what ", rounded(1 / step_), " rows a second hold; ",
                                    rounded(0.45 / step_), " Hz is taken")});
    cutoff_ = 0.45 / step_;
  }
}

void Motion::find_stretches(std::vector<Finding>& findings, std::size_t fewest) {
  std::vector<double> steps;
  const std::size_t thin = std::max<std::size_t>(1, log_.rows() / 50'000);
  double last = 0;
  each_row(log_, [&](std::size_t row, const double* x) {
    if (row > 0 && row % thin == 0) steps.push_back(x[0] - last);
    last = x[0];
  });
  std::nth_element(steps.begin(), steps.begin() + static_cast<long>(steps.size() / 2), steps.end());
  step_ = steps[steps.size() / 2];
  double shortest = step_, longest = step_;
  std::size_t odd = 0, first_odd = 0;
  std::vector<std::string> gaps;
  std::vector<Stretch> found;
  each_row(log_, [&](std::size_t row, const double* x) {
    const double step = row == 0 ? step_ : x[0] - last;
    if (row == 0 || step > kGap * step_) {
      if (row > 0) gaps.push_back(cat(rounded(step), " s before row ", row + 1));
      found.push_back({0, 0, row, row, x[0]});
    } else {
      if (std::fabs(step - step_) > kEven * step_ && odd++ == 0) first_odd = row + 1;
      shortest = std::min(shortest, step), longest = std::max(longest, step);
    }
    found.back().end_row = row + 1;
    last = x[0];
  });
  uneven_ = odd > 0;
  if (odd > 0)
    findings.push_back(
        {.kind = FindingKind::time,
         .log = log_.name(),
         .row = first_odd,
         .text = cat(odd, " steps of time are not the usual ", rounded(step_), " s but ", rounded(shortest), " to ", rounded(longest), " s, the first at row ",
                     first_odd, derived_ ? "; rows are resampled evenly" : "; predictions are compared on an even grid")});
  if (!gaps.empty()) {
    const std::size_t count = gaps.size();
    if (gaps.size() > 5) gaps.resize(5);
    findings.push_back({.kind = FindingKind::gap,
                        .log = log_.name(),
                        .text = cat(count, count == 1 ? " gap: " : " gaps: ", joined(gaps), count > 5 ? ", …" : "", "; nothing is taken across them")});
  }
  std::size_t at = 0, lost = 0;
  for (Stretch& stretch : found) {
    std::size_t samples = stretch.end_row - stretch.row;
    if (samples < fewest) {
      lost += samples;
      continue;
    }
    if (derived_ && uneven_) {
      std::vector<double> end(1 + 4 * n_);
      log_.read(stretch.end_row - 1, 1, end.data());
      samples = static_cast<std::size_t>(std::floor((end[0] - stretch.start) / step_ + 1e-6)) + 1;
    }
    stretch.first = at, stretch.last = at += samples;
    stretches_.push_back(stretch);
  }
  if (lost > 0) findings.push_back({.kind = FindingKind::gap, .log = log_.name(), .text = cat(lost, " rows between gaps are too few to be used")});
  if (stretches_.empty()) throw std::invalid_argument(cat("log ", in_quotes(log_.name()), " has no ", kFewSamples, " rows without a gap between them"));
}

const Motion::Stretch& Motion::stretch_of(std::size_t sample) const {
  return *std::find_if(stretches_.begin(), stretches_.end(), [&](const Stretch& s) { return sample < s.last; });
}

void Motion::measured(const Stretch& stretch, std::size_t first, std::size_t last, Samples& out) const {
  const std::size_t width = 1 + 4 * n_, count = last - first;
  out.count = count;
  out.t.resize(count);
  for (std::vector<double>* part : {&out.q, &out.v, &out.a, &out.tau}) part->resize(count * n_);
  std::vector<double>* const parts[] = {&out.q, &out.v, &out.a, &out.tau};
  std::vector<double> rows;
  if (!(derived_ && uneven_)) {
    rows.resize(count * width);
    log_.read(stretch.row + first - stretch.first, count, rows.data());
    for (std::size_t s = 0; s < count; ++s) {
      const double* x = rows.data() + s * width;
      out.t[s] = x[0];
      for (std::size_t p = 0; p < 4; ++p)
        for (std::size_t k = 0; k < n_; ++k) (*parts[p])[s * n_ + k] = x[1 + p * n_ + k];
    }
    return;
  }
  const auto time_of = [&](std::size_t sample) { return stretch.start + static_cast<double>(sample - stretch.first) * step_; };
  // The rows around the first and the last sample, by bisection.
  const auto row_before = [&](double t) {
    std::size_t low = stretch.row, high = stretch.end_row - 1;
    std::vector<double> x(width);
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      log_.read(middle, 1, x.data());
      (x[0] <= t ? low : high) = middle;
    }
    return low;
  };
  const std::size_t from = std::max(stretch.row + 1, row_before(time_of(first))) - 1, to = std::min(stretch.end_row, row_before(time_of(last - 1)) + 4);
  rows.resize((to - from) * width);
  log_.read(from, to - from, rows.data());
  std::size_t at = 0;  // the row before the sample
  std::vector<double> t(to - from);
  for (std::size_t r = 0; r < t.size(); ++r) t[r] = rows[r * width];
  for (std::size_t s = 0; s < count; ++s) {
    out.t[s] = time_of(first + s);
    while (at + 2 < t.size() && t[at + 1] <= out.t[s]) ++at;
    const std::size_t begin = at == 0 ? 0 : std::min(at - 1, t.size() - 4);
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t k = 0; k < n_; ++k) {
        const std::size_t column = 1 + p * n_ + k;
        (*parts[p])[s * n_ + k] =
            p == 3 ? between(&t[at], &rows[at * width + column], width, 2, out.t[s]) : between(&t[begin], &rows[begin * width + column], width, 4, out.t[s]);
      }
  }
}

void Motion::read(std::size_t first, std::size_t last, Samples& out) const {
  const Stretch& stretch = stretch_of(first);
  if (!derived_) {
    measured(stretch, first, last, out);
    return mark_clipped(out);
  }
  LowPass filter = low_pass();
  const std::size_t around = filter.reach() + 2;
  const std::size_t begin = std::max(stretch.first + around, first) - around, end = std::min(stretch.last, last + around);
  Samples wide;
  measured(stretch, begin, end, wide);
  mark_clipped(wide);
  const auto smooth = [&](std::vector<double>& part) {
    for (std::size_t k = 0; k < n_; ++k) filter(part.data() + k, wide.count, n_);
  };
  smooth(wide.q);
  smooth(wide.tau);
  if (log_.columns().v)
    smooth(wide.v);
  else
    differences(wide.q, n_, step_, wide.v);
  if (log_.columns().a)
    smooth(wide.a);
  else
    differences(wide.v, n_, step_, wide.a);
  out.count = last - first;
  out.t.assign(wide.t.begin() + static_cast<long>(first - begin), wide.t.begin() + static_cast<long>(last - begin));
  const auto cut = [&](const std::vector<double>& from, std::vector<double>& to) {
    to.assign(from.begin() + static_cast<long>((first - begin) * n_), from.begin() + static_cast<long>((last - begin) * n_));
  };
  cut(wide.q, out.q), cut(wide.v, out.v), cut(wide.a, out.a), cut(wide.tau, out.tau);
  out.clipped.clear();
  if (!wide.clipped.empty())
    out.clipped.assign(wide.clipped.begin() + static_cast<long>((first - begin) * n_), wide.clipped.begin() + static_cast<long>((last - begin) * n_));
}

void Motion::mark_clipped(Samples& samples) const {
  samples.clipped.clear();
  if (std::none_of(torques_.begin(), torques_.end(), [](const TorqueChannel& c) { return c.clipped > 0; })) return;
  samples.clipped.assign(samples.tau.size(), 0);
  const std::size_t around = static_cast<std::size_t>(std::ceil(0.5 / (cutoff_ * step_)));  // half of the shortest period that passes
  for (std::size_t s = 0; s < samples.count; ++s)
    for (std::size_t k = 0; k < n_; ++k)
      if (const double tau = samples.tau[s * n_ + k]; tau >= torques_[k].clip_high || tau <= torques_[k].clip_low)
        for (std::size_t i = std::max(s, around) - around; i <= std::min(samples.count - 1, s + around); ++i) samples.clipped[i * n_ + k] = 1;
}

void Motion::find_speed() {
  speed_.assign(n_, 0);
  std::vector<double> before(n_);
  double last = 0;
  each_row(log_, [&](std::size_t row, const double* x) {
    for (std::size_t k = 0; k < n_; ++k) {
      const double v = log_.columns().v ? x[1 + n_ + k] : row == 0 ? 0 : (x[1 + k] - before[k]) / (x[0] - last);
      speed_[k] = std::max(speed_[k], std::fabs(v));
      before[k] = x[1 + k];
    }
    last = x[0];
  });
}

void Motion::find_cutoff(std::vector<Finding>& findings) {
  constexpr std::size_t kMost = 1 << 16;
  const Stretch& longest =
      *std::max_element(stretches_.begin(), stretches_.end(), [](const Stretch& a, const Stretch& b) { return a.last - a.first < b.last - b.first; });
  Samples some;
  measured(longest, longest.first, std::min(longest.last, longest.first + kMost), some);
  if (!log_.columns().v) differences(some.q, n_, step_, some.v);
  double highest = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    if (speed_[k] == 0) continue;
    std::vector<double> v(some.count);
    for (std::size_t s = 0; s < some.count; ++s) v[s] = some.v[s * n_ + k];
    highest = std::max(highest, highest_frequency(v, step_));
  }
  const double wanted = kHarmonics * std::max(highest, 1e-3), most = 0.2 / step_;
  cutoff_ = std::min(most, std::exp2(std::round(std::log2(wanted))));
  if (cutoff_ == most && wanted > 2 * most)
    findings.push_back({.kind = FindingKind::cutoff,
                        .log = log_.name(),
                        .text = cat("velocities have noise, or motion, up to ", rounded(highest), " Hz; the low-pass is set to ", rounded(cutoff_),
                                    " Hz (--cutoff sets another)")});
}

}  // namespace ulna::internal
