#include "identify/motion.hpp"

#include <numbers>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kCoarsest = 0.5;        // between rows: no arm that is excited moves so slowly [s]
constexpr double kGap = 5;               // steps; longer ones are gaps
constexpr double kEven = 0.01;           // of a step
constexpr std::size_t kFewSamples = 32;  // in a stretch: too few to filter
constexpr double kErrors = 25;           // [Hz]: what is above is noise of the drives
constexpr double kErrorsOfRate = 0.064;  // of the rate: slow logs hold less
constexpr double kWider = 2;             // cut-off of a fit's positions over that of its rows
constexpr double kSpan = 0.04;           // [s]: speeds over shorter ones are noise

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

/// Derivative by central differences of order eight, of which fewer are left near the ends: those of order two lack 1 % at a twentieth of the rate.
void differences(const std::vector<double>& x, std::size_t n, double step, std::vector<double>& out) {
  constexpr double kFactors[4][4] = {{1. / 2}, {2. / 3, -1. / 12}, {3. / 4, -3. / 20, 1. / 60}, {4. / 5, -1. / 5, 4. / 105, -1. / 280}};
  const std::size_t count = x.size() / n;
  out.resize(x.size());
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t arms = std::min({s, count - 1 - s, std::size_t{4}});
    for (std::size_t k = 0; k < n; ++k) {
      double sum = 0;
      for (std::size_t i = 1; i <= arms; ++i) sum += kFactors[arms - 1][i - 1] * (x[(s + i) * n + k] - x[(s - i) * n + k]);
      if (arms == 0 && count > 1) sum = s == 0 ? x[n + k] - x[k] : x[s * n + k] - x[(s - 1) * n + k];
      out[s * n + k] = sum / step;
    }
  }
}

/// A normal number that belongs to this row, coordinate and seed, independent of the order of calls: by Box and Muller from two mixed counters.
double normal(std::uint64_t seed, std::uint64_t row, std::uint64_t coordinate) {
  const auto uniform = [&](std::uint64_t which) {
    std::uint64_t x = (seed * 64 + coordinate) * 0x9e3779b97f4a7c15u + 2 * row + which;
    for (const std::uint64_t factor : {0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu}) x = (x ^ x >> 30) * factor;
    return (static_cast<double>((x ^ x >> 31) >> 11) + 0.5) * 0x1p-53;
  };
  return std::sqrt(-2 * std::log(uniform(0))) * std::cos(2 * std::numbers::pi * uniform(1));
}

}  // namespace

void Samples::thin(std::size_t step) {
  if (step == 1 || count == 0) return;
  const std::size_t n = q.size() / count, left = (count + step - 1) / step;
  const auto keep = [&](auto& numbers, std::size_t width) {
    if (numbers.empty()) return;
    for (std::size_t s = 0; s < left; ++s)
      std::copy_n(numbers.begin() + static_cast<long>(s * step * width), width, numbers.begin() + static_cast<long>(s * width));
    numbers.resize(left * width);
  };
  keep(t, 1), keep(q, n), keep(v, n), keep(a, n), keep(tau, n), keep(clipped, n);
  count = left;
}

Motion::Motion(const Log& log, const Model& model, double cutoff, std::vector<Finding>& findings, bool all)
    : log_(log), n_(log.nv()), derived_(!log.columns().v || !log.columns().a), cutoff_(cutoff) {
  if (n_ != model.nv())
    throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has ", n_, " joints, but robot ", in_quotes(model.name()), " has ", model.nv()));
  if (log.rows() < (all ? 4 : kFewSamples))
    throw std::invalid_argument(cat("log ", in_quotes(log.name()), " has ", log.rows(), " rows; at least ", kFewSamples, " are needed"));
  find_stretches(findings, all ? 1 : kFewSamples);
  if (derived_ && step_ > kCoarsest)
    throw std::invalid_argument(cat("log ", in_quotes(log.name()), ": its rows are ", rounded(step_),
                                    " s apart, too far to derive accelerations from: are these milliseconds? Column t is in seconds"));
  find_speed();
  torques_ = check_channels(log, model, findings);
  if (cutoff_ == 0) cutoff_ = errors_below();
  limit_cutoff(&findings);
}

double Motion::errors_below() const { return std::min(kErrors, std::round(1e3 * kErrorsOfRate / step_) / 1e3); }

void Motion::limit_cutoff(std::vector<Finding>* findings) {
  if (cutoff_ < 0.45 / step_) return;
  if (findings != nullptr)
    findings->push_back({.kind = FindingKind::cutoff,
                         .log = log_.name(),
                         .text = cat("a cut-off of ", rounded(cutoff_), " Hz is beyond what ", rounded(1 / step_), " rows a second hold; ",
                                     rounded(0.45 / step_), " Hz is taken")});
  cutoff_ = 0.45 / step_;
}

Motion Motion::through(double cutoff) const {
  Motion out = *this;
  out.cutoff_ = cutoff;
  out.limit_cutoff(nullptr);
  return out;
}

Motion Motion::noisier(const std::vector<double>& sigma, std::uint64_t seed) const {
  Motion out = *this;
  out.added_ = sigma, out.seed_ = seed;
  return out;
}

std::vector<double> Motion::noise_floor(bool velocities) const {
  constexpr double kFactors[] = {1, -8, 28, -56, 70, -56, 28, -8, 1};
  constexpr double kSquares = 12870;  // of them
  constexpr std::size_t kMost = 1 << 16;
  std::vector<double> squares(n_, 0);
  std::size_t count = 0;
  Samples some;
  for (const Stretch& stretch : stretches_) {
    measured(stretch, stretch.first, std::min(stretch.last, stretch.first + kMost), some);
    for (std::size_t s = 8; s < some.count; ++s, ++count)
      for (std::size_t k = 0; k < n_; ++k) {
        double sum = 0;
        for (std::size_t i = 0; i < 9; ++i) sum += kFactors[i] * (velocities ? some.v : some.q)[(s - i) * n_ + k];
        squares[k] += sum * sum;
      }
  }
  for (double& one : squares) one = std::sqrt(one / (kSquares * static_cast<double>(std::max<std::size_t>(count, 1))));
  return squares;
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

double Motion::noise_of_accelerations() const {
  constexpr std::size_t kMost = 1 << 16;
  const std::vector<double> noise = noise_floor(from_velocities());
  const double w = 2 * std::numbers::pi * cutoff_, rows = 2 * cutoff_ * step_;  // white noise, w and w² times it, up to the cut-off
  const double gain = from_velocities() ? w * std::sqrt(rows / 3) : w * w * std::sqrt(rows / 5);
  std::vector<double> squares(n_, 0);
  double count = 0;
  Samples some;
  for (const Stretch& stretch : stretches_) {
    read(stretch.first, std::min(stretch.last, stretch.first + kMost), some, For::prediction);
    for (std::size_t s = 0; s < some.count; ++s, ++count)
      for (std::size_t k = 0; k < n_; ++k) squares[k] += some.a[s * n_ + k] * some.a[s * n_ + k];
  }
  double worst = 0;
  for (std::size_t k = 0; k < n_; ++k)
    if (torques_[k].still == false && squares[k] > 0) worst = std::max(worst, gain * noise[k] / std::sqrt(squares[k] / count));
  return worst;
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
      for (std::size_t k = 0; k < added_.size(); ++k) (log_.columns().v ? out.v : out.q)[s * n_ + k] += added_[k] * normal(seed_, first + s, k);
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
  for (std::size_t r = 0; r < to - from && !added_.empty(); ++r)
    for (std::size_t k = 0; k < n_; ++k) rows[r * width + 1 + (log_.columns().v ? n_ : 0) + k] += added_[k] * normal(seed_, from + r, k);
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

void Motion::read(std::size_t first, std::size_t last, Samples& out, For use) const {
  const Stretch& stretch = stretch_of(first);
  if (!derived_) {
    measured(stretch, first, last, out);
    return mark_clipped(out);
  }
  LowPass filter = low_pass(), wider(use == For::fit ? std::min(kWider * cutoff_, 0.45 / step_) : cutoff_, 1 / step_);
  const std::size_t around = filter.reach() + 8;
  const std::size_t begin = std::max(stretch.first + around, first) - around, end = std::min(stretch.last, last + around);
  Samples wide;
  measured(stretch, begin, end, wide);
  mark_clipped(wide);
  wider(wide.q.data(), wide.count, n_);
  if (use == For::fit) filter(wide.tau.data(), wide.count, n_);
  const auto derive = [&](bool there, const std::vector<double>& from, std::vector<double>& to) {
    if (there)
      wider(to.data(), wide.count, n_);
    else
      differences(from, n_, step_, to);
  };
  derive(log_.columns().v, wide.q, wide.v);
  derive(log_.columns().a, wide.v, wide.a);
  // Of a joint that stands the filter leaves rounding, whose sign friction would follow.
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t s = 0; speed_[k] == 0 && s < wide.count; ++s) wide.v[s * n_ + k] = 0, wide.a[s * n_ + k] = log_.columns().a ? wide.a[s * n_ + k] : 0;
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
  std::vector<double> before(1 + n_);
  each_row(log_, [&](std::size_t row, const double* x) {
    if (log_.columns().v)
      for (std::size_t k = 0; k < n_; ++k) speed_[k] = std::max(speed_[k], std::fabs(x[1 + n_ + k]));
    const bool first = row == 0;
    if (!first && x[0] - before[0] < kSpan) return;
    for (std::size_t k = 0; k < n_ && !first && !log_.columns().v; ++k)
      speed_[k] = std::max(speed_[k], std::fabs(x[1 + k] - before[1 + k]) / (x[0] - before[0]));
    std::copy(x, x + 1 + n_, before.begin());
  });
}

}  // namespace ulna::internal
