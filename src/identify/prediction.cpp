#include <numeric>

#include "identify/condensed.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kPredictedAtOnce = 4096;  // samples at a time

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

void torques(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const Samples& samples, std::vector<double>& tau,
             const std::vector<double>* known) {
  const std::size_t n = regressors.rows();
  std::vector<double> own, load(n), of_rotors;
  if (known == nullptr) regressors(samples, own);
  const std::vector<double>& Y = known == nullptr ? own : *known;
  const bool rotors = !columns.has_rotors();
  tau.resize(samples.count * n);
  if (rotors) regressors.rotors(samples, of_rotors);
  for (std::size_t s = 0; s < samples.count; ++s) {
    const double *of_state = Y.data() + s * regressors.size(), *v = samples.v.data() + s * n, *a = samples.a.data() + s * n;
    double* out = tau.data() + s * n;
    columns.links(of_state, x.data(), out);
    std::copy(out, out + n, load.begin());
    for (std::size_t c = 0; c < columns.friction().size(); ++c) {
      const FrictionColumn& column = columns.friction()[c];
      if (const double value = x[columns.base() + c]; value != 0) out[column.coordinate] += value * columns.friction(column, v, a, load.data());
    }
    for (std::size_t k = 0; rotors && k < n; ++k) out[k] += of_rotors[s * n + k];
  }
}

void Prediction::compare(const Motion& motion, const Samples& samples, std::vector<double> measured, std::vector<double>& predicted, std::size_t from,
                         std::size_t to, Sums& sums) const {
  const std::size_t n = sums.off.size();
  const std::vector<double>& t = samples.t;
  std::size_t count = t.size();
  const bool resampled = !motion.derived() && motion.uneven();
  if (resampled) {
    resample(t, n, motion.step(), measured);
    resample(t, n, motion.step(), predicted);
    const double scale = static_cast<double>(measured.size() / n) / static_cast<double>(count);
    from = static_cast<std::size_t>(static_cast<double>(from) * scale), to = static_cast<std::size_t>(static_cast<double>(to) * scale);
    count = measured.size() / n;
    to = std::min(to, count);
  }
  LowPass filter = motion.of_errors();
  filter(measured.data(), count, n);
  filter(predicted.data(), count, n);
  for (std::size_t s = from; s < to; ++s)
    for (std::size_t k = 0; k < n; ++k) {
      if ((!without_.empty() && without_[k] != 0) || (!resampled && !samples.usable(s * n + k))) continue;
      const double m = measured[s * n + k], d = m - predicted[s * n + k];
      sums.off[k] += d * d, sums.all[k] += m * m;
    }
  sums.rows += to - from;
}

void Prediction::add(const Motion& motion, std::size_t first, std::size_t last, std::size_t threads) {
  const std::size_t n = regressors_.rows(), cut = motion.filter_ends(), around = motion.of_errors().reach();
  const std::size_t begin = motion.size() * first / kParts, end = motion.size() * last / kParts;
  struct Piece {
    std::size_t at, stop, from, to;
  };
  std::vector<Piece> pieces;
  for (const Motion::Stretch& stretch : motion.stretches()) {
    const std::size_t low = std::max(begin, stretch.first), high = std::min(end, stretch.last);
    if (high <= low + 2 * cut) continue;
    // Only held-out rows are compared: rows before them do not enter these filters.
    for (std::size_t at = low + cut; at < high - cut; at += kPredictedAtOnce) {
      const std::size_t stop = std::min(high - cut, at + kPredictedAtOnce);
      pieces.push_back({at, stop, std::max(low + around, at) - around, std::min(high, stop + around)});
    }
  }
  std::vector<std::vector<Sums>> found(pieces.size(), std::vector<Sums>(values_.size(), Sums(n)));
  in_parallel(pieces.size(), threads, [&](std::size_t p) {
    const Piece& piece = pieces[p];
    Samples samples;
    std::vector<double> Y, predicted;
    motion.read(piece.from, piece.to, samples, Motion::For::prediction);
    regressors_(samples, Y);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      torques(regressors_, columns_, values_[v], samples, predicted, &Y);
      std::vector<double> measured = samples.tau;
      for (std::size_t k = 0; k < n && !gains_.empty(); ++k) {
        double gain = gains_[k];
        for (std::size_t c = 0; c < columns_.friction().size() && std::isnan(gains_[k]); ++c)
          if (columns_.friction()[c].term == FrictionTerm::gain && columns_.friction()[c].coordinate == k) gain = values_[v][columns_.base() + c];
        for (std::size_t s = 0; s < samples.count; ++s) measured[s * n + k] *= gain;
      }
      compare(motion, samples, std::move(measured), predicted, piece.at - piece.from, piece.stop - piece.from, found[p][v]);
    }
  });
  for (const std::vector<Sums>& piece : found)
    for (std::size_t v = 0; v < values_.size(); ++v) {
      for (std::size_t k = 0; k < n; ++k) sums_[v].off[k] += piece[v].off[k], sums_[v].all[k] += piece[v].all[k];
      sums_[v].rows += piece[v].rows;
    }
}

Validation Prediction::score(std::size_t which) const {
  const Sums& sums = sums_[which];
  Validation out;
  double off = 0, all = 0;
  const auto part = [](double a, double b) { return b > 0 ? std::sqrt(a / b) : std::numeric_limits<double>::quiet_NaN(); };
  for (std::size_t k = 0; k < sums.off.size(); ++k) {
    off += sums.off[k], all += sums.all[k];
    out.by_joint.push_back(part(sums.off[k], sums.all[k]));
  }
  out.relative_error = part(off, all);
  out.rows = sums.rows;
  return out;
}

std::pair<double, double> Prediction::squares(std::size_t which) const {
  const Sums& sums = sums_[which];
  return {std::accumulate(sums.off.begin(), sums.off.end(), 0.0), std::accumulate(sums.all.begin(), sums.all.end(), 0.0)};
}

void predict_rows(const Regressors& regressors, const Columns& columns, const std::vector<double>& x, const Motion& motion,
                  const std::function<void(double, const double*)>& row) {
  const std::size_t n = regressors.rows(), width = 1 + 4 * n;
  Samples samples;
  std::vector<double> tau, numbers(width), out(n);
  for (const Motion::Stretch& stretch : motion.stretches()) {
    std::size_t at_row = stretch.row;
    for (std::size_t at = stretch.first; at < stretch.last; at += kPredictedAtOnce) {
      // One sample more, so that rows between two pieces lie between two samples.
      const std::size_t end = std::min(stretch.last, at + kPredictedAtOnce + 1);
      motion.read(at, end, samples, Motion::For::prediction);
      torques(regressors, columns, x, samples, tau);
      if (!(motion.derived() && motion.uneven())) {
        const std::size_t stop = std::min(stretch.last, at + kPredictedAtOnce);
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
