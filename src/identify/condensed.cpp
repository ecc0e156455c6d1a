#include "identify/condensed.hpp"

#include <atomic>
#include <thread>

#include "text/crew.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kPiece = 2048;  // samples at a time: some megabytes of regressors
constexpr double kBlock = 0.5;        // [s]: blocks of time whose errors are taken as independent

}  // namespace

void in_parallel(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& job) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  run_crew(
      std::min(threads, count),
      [&] {
        for (std::size_t k; (k = next++) < count;) job(k);
      },
      [&] { next = count; });
}

void Condensed::add(const Motion& motion, const Pass& pass) {
  const std::size_t n = regressors_->rows();
  std::vector<std::vector<TallQr>> parts(kParts);
  for (std::vector<TallQr>& part : parts)
    for (std::size_t k = 0; k < n; ++k) part.emplace_back(columns_->entering(k).size() + 1);
  const std::size_t thin = motion.thin(), reach = motion.low_pass().reach(), cut = motion.cut(), every = motion.every() / thin;
  LowPass low_pass(motion.cutoff(), 1 / (motion.step() * static_cast<double>(thin)));
  const bool filtered = motion.derived();
  correlated_ = std::max(correlated_, motion.correlated());
  const bool rotors = !columns_->has_rotors();  // are known, and their torque is taken off

  const std::size_t block = std::max<std::size_t>(1, static_cast<std::size_t>(kBlock / motion.step()));
  std::vector<std::vector<std::vector<double>>> scores(kParts);

  /// Samples first to last of a stretch, into the triangles of a part.
  const auto take = [&](const Motion::Stretch& stretch, std::size_t first, std::size_t last, std::size_t part) {
    std::vector<TallQr>& into = parts[part];
    const std::size_t before = scores[part].size();
    if (pass.scores != nullptr) scores[part].resize(before + (last - first + block - 1) / block, std::vector<double>(columns_->size(), 0.0));
    LowPass filter = low_pass;
    Samples samples;
    std::vector<double> Y, loads, carried, signal, load(n, 0.0), of_rotors;
    const std::size_t piece = std::max(kPiece, 2 * reach) / thin * thin;
    for (std::size_t at = first; at < last; at += piece) {
      const std::size_t end = std::min(last, at + piece), around = filtered ? (reach + thin - 1) / thin * thin : 0;
      const std::size_t from = std::max(stretch.first + around, at) - around, to = std::min(stretch.last, end + around);
      motion.read(from, to, samples);
      const std::size_t skipped = (at - from) % thin, before_piece = (at - from) / thin, kept = (end - at + thin - 1) / thin;
      if (skipped > 0) motion.read(from + skipped, to, samples);
      samples.thin(thin);
      (*regressors_)(samples, Y);
      if (rotors) regressors_->rotors(samples, of_rotors);
      const auto of_links = [&](const std::vector<double>& base, std::vector<double>& tau) {
        tau.resize(samples.count * n);
        for (std::size_t s = 0; s < samples.count; ++s) columns_->links(Y.data() + s * regressors_->size(), base.data(), tau.data() + s * n);
      };
      if (pass.load_base != nullptr) of_links(*pass.load_base, loads);
      if (!pass.known.empty()) of_links(pass.known, carried);
      for (std::size_t k = 0; k < n; ++k) {
        if (!pass.without.empty() && pass.without[k] != 0) continue;
        const std::vector<std::size_t>& entering = columns_->entering(k);
        const double gain = pass.gains.empty() ? 1 : pass.gains[k];
        const bool scaled = !std::isnan(gain);  // else the measured number has a column
        const auto number = [&](std::size_t c, std::size_t s) {
          const double *v = samples.v.data() + s * n, *a = samples.a.data() + s * n;
          const double measured = samples.tau[s * n + k];
          if (c == entering.size()) return scaled ? gain * measured : 0;
          if (columns_->is_gain(entering[c])) return scaled ? 0 : -measured;
          return columns_->entry(entering[c], k, Y.data() + s * regressors_->size(), v, a, pass.load_base != nullptr ? loads.data() + s * n : load.data());
        };
        const auto off = [&](std::size_t s) { return (rotors ? of_rotors[s * n + k] : 0) + (pass.known.empty() ? 0 : carried[s * n + k]); };
        const std::size_t width = entering.size() + 1;
        if (filtered) {  // through the low-pass; measured torques have been
          signal.resize(samples.count * width);
          for (std::size_t s = 0; s < samples.count; ++s) {
            for (std::size_t c = 0; c < entering.size(); ++c) signal[s * width + c] = number(c, s);
            signal[s * width + entering.size()] = off(s);
          }
          filter(signal.data(), samples.count, width);
          for (std::size_t s = 0; s < samples.count; ++s) {
            signal[s * width + entering.size()] = number(entering.size(), s) - signal[s * width + entering.size()];
            if (columns_->is_gain(entering.back())) signal[s * width + entering.size() - 1] = number(entering.size() - 1, s);
          }
        }
        TallQr& triangle = into[k];
        for (std::size_t s = before_piece; s < before_piece + kept; s += every) {
          if (!samples.usable(s * n + k)) continue;
          double* row = triangle.next();
          double rest = 0;
          std::size_t begin = 0;
          if (!filtered && pass.values == nullptr) {  // what most rows of a long log go through
            const double* own = Y.data() + s * regressors_->size();
            for (const std::size_t place : columns_->places(k)) row[begin++ * TallQr::kRows] = own[place];
          }
          for (std::size_t c = begin; c <= entering.size(); ++c) {
            const double x = filtered ? signal[s * width + c] : number(c, s) - (c == entering.size() ? off(s) : 0);
            row[c * TallQr::kRows] = x;
            if (pass.values != nullptr) rest += c == entering.size() ? -x : x * (*pass.values)[entering[c]];
          }
          if (pass.values != nullptr) {
            const double weight = pass.weight(k, rest);
            if (weight != 1)
              for (std::size_t c = 0; c <= entering.size(); ++c) row[c * TallQr::kRows] *= weight;
            if (pass.scores != nullptr) {
              const double scale = weight * rest * (*pass.weights)[k] * (*pass.weights)[k];
              std::vector<double>& sum = scores[part][before + (at - first + (s - before_piece) * thin) / block];
              for (std::size_t c = 0; c < entering.size(); ++c) sum[entering[c]] += scale * row[c * TallQr::kRows];
            }
          }
          triangle.take();
        }
      }
    }
  };
  in_parallel(kParts, pass.threads, [&](std::size_t part) {
    const std::size_t begin = motion.size() * part / kParts, end = motion.size() * (part + 1) / kParts;
    for (const Motion::Stretch& stretch : motion.stretches()) {
      if (stretch.last - stretch.first <= 2 * cut) continue;
      const std::size_t first = std::max(begin, stretch.first + cut), last = std::min(end, stretch.last - cut);
      if (first < last) take(stretch, first, last, part);
    }
  });
  for (std::vector<std::vector<double>>& part : scores)
    if (pass.scores != nullptr) pass.scores->insert(pass.scores->end(), part.begin(), part.end());
  if (parts_.empty()) {
    parts_ = std::move(parts);
    return;
  }
  for (std::size_t part = 0; part < kParts; ++part)
    for (std::size_t k = 0; k < n; ++k) parts_[part][k].add(parts[part][k]);
}

TallQr Condensed::stacked(Parts parts, const std::vector<std::size_t>& columns, const std::vector<double>& weight) const {
  std::vector<std::size_t> place(columns_->size(), kNone);
  for (std::size_t c = 0; c < columns.size(); ++c) place[columns[c]] = c;
  TallQr all(columns.size() + 1);
  for (std::size_t part = 0; part < kParts; ++part)
    for (std::size_t k = 0; k < weight.size() && (parts >> part & 1) != 0; ++k) {
      TallQr own = parts_[part][k];
      const std::vector<double>& R = own.triangle();
      const std::vector<std::size_t>& entering = columns_->entering(k);
      const std::size_t size = entering.size() + 1;
      for (std::size_t r = 0; r < size; ++r) {
        double* row = all.next();
        for (std::size_t c = 0; c <= columns.size(); ++c) row[c * TallQr::kRows] = 0;
        for (std::size_t c = r; c < size; ++c) {
          const std::size_t to = c == entering.size() ? columns.size() : place[entering[c]];
          if (to != kNone) row[to * TallQr::kRows] = weight[k] * R[r + c * size];
        }
        all.take();
      }
    }
  return all;
}

double Condensed::left(Parts parts, std::size_t coordinate, const std::vector<double>& x) const {
  double sum = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    if ((parts >> part & 1) == 0) continue;
    TallQr own = parts_[part][coordinate];
    const std::vector<double>& R = own.triangle();
    const std::vector<std::size_t>& entering = columns_->entering(coordinate);
    const std::size_t size = entering.size() + 1;
    for (std::size_t r = 0; r < size; ++r) {
      double rest = 0;
      for (std::size_t c = r; c < size; ++c) rest += R[r + c * size] * (c == entering.size() ? -1 : x[entering[c]]);
      sum += rest * rest;
    }
  }
  return sum;
}

double Condensed::rows(Parts parts, std::size_t coordinate) const {
  double sum = 0;
  for (std::size_t part = 0; part < kParts; ++part)
    if ((parts >> part & 1) != 0) sum += static_cast<double>(parts_[part][coordinate].rows());
  return sum;
}

double Condensed::rms(std::size_t coordinate) const {
  return std::sqrt(left(kAllParts, coordinate, std::vector<double>(columns_->size(), 0.0)) / std::max(1.0, rows(kAllParts, coordinate)));
}

double Condensed::unexplained(std::size_t coordinate) const {
  const std::vector<std::size_t>& entering = columns_->entering(coordinate);
  const std::size_t size = entering.size() + 1;
  TallQr all(size);
  for (const std::vector<TallQr>& part : parts_) all.add(part[coordinate]);
  const std::vector<double>& R = all.triangle();
  // Where the gain is unknown, the measured numbers are the last column, and there is nothing behind it.
  const std::size_t target = columns_->is_gain(entering.back()) ? entering.size() - 1 : entering.size();
  const auto product = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t r = 0; r <= std::min(i, j); ++r) sum += R[r + i * size] * R[r + j * size];
    return sum;
  };
  double about_mean = product(target, target);
  for (std::size_t c = 0; c < target; ++c)
    if (entering[c] >= columns_->base() && columns_->friction()[entering[c] - columns_->base()].term == FrictionTerm::offset && product(c, c) > 0)
      about_mean -= product(c, target) * product(c, target) / product(c, c);
  const double rows = static_cast<double>(all.rows()) / correlated_, columns = static_cast<double>(target), left = R[target + target * size];
  if (!(rows > 2 * columns && about_mean > 1e-18 * product(target, target))) return std::numeric_limits<double>::quiet_NaN();
  return left * left / about_mean * (rows - 1) / (rows - columns);
}

}  // namespace ulna::internal
