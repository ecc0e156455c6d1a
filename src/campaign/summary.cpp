#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "campaign/results.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;

namespace {

constexpr std::array kShares{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
constexpr std::size_t kBins = 20;  // of a variation, for what it explains
constexpr std::size_t kBars = 30;  // of a histogram
constexpr std::size_t kWorst = 3;  // runs, of each metric of the whole robot
constexpr std::uint64_t kFewRuns = 100;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Numbers in the order of their bits.
std::uint64_t ordered(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  return bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
}

/// Exact order statistics of a column that is read twice: first how many numbers share their 20 leading bits, then the numbers of the few such groups that are
/// asked for. Memory is that of a group.
class OrderStatistics {
 public:
  void count(double x) {
    Group& group = groups_[static_cast<std::uint32_t>(ordered(x) >> 44)];
    group.least = group.count == 0 ? x : std::min(group.least, x);
    group.most = group.count == 0 ? x : std::max(group.most, x);
    ++group.count;
    ++all_;
  }
  std::uint64_t all() const { return all_; }
  /// Rank 0 is the least.
  void ask(std::uint64_t rank) {
    std::uint64_t before = 0;
    for (auto& [key, group] : groups_) {
      if (rank < before + group.count) {
        group.wanted = group.wanted || group.least != group.most;
        return;
      }
      before += group.count;
    }
  }
  void collect(double x) {
    const auto group = groups_.find(static_cast<std::uint32_t>(ordered(x) >> 44));
    if (group->second.wanted) group->second.numbers.push_back(x);
  }
  double at(std::uint64_t rank) {
    std::uint64_t before = 0;
    for (auto& [key, group] : groups_) {
      if (rank >= before + group.count) {
        before += group.count;
        continue;
      }
      if (!group.wanted) return group.least;
      if (!group.sorted) std::sort(group.numbers.begin(), group.numbers.end());
      group.sorted = true;
      return group.numbers[rank - before];
    }
    return kNoNumber;
  }

 private:
  struct Group {
    std::uint64_t count = 0;
    double least = 0, most = 0;
    bool wanted = false, sorted = false;
    std::vector<double> numbers;
  };
  std::map<std::uint32_t, Group> groups_;
  std::uint64_t all_ = 0;
};

/// Rank of the smallest of n numbers that is above a share of 95 % of all with a confidence of 95 % (S. S. Wilks, "Determination of sample sizes for setting
/// tolerance limits", Ann. Math. Statist. 12, 1941): P(Binomial(n, 0.95) > rank) <= 0.05.
std::optional<std::uint64_t> tolerance_rank(std::uint64_t n) {
  constexpr double kShare = 0.95, kRisk = 0.05;
  if (n > 5000) {  // by the normal distribution, and a rank to be safe
    const double m = static_cast<double>(n), rank = std::ceil(m * kShare + 1.6448536269514722 * std::sqrt(m * kShare * (1 - kShare))) + 1;
    return static_cast<std::uint64_t>(rank);
  }
  double term = std::pow(kShare, static_cast<double>(n)), above = 0;  // P(X = k), from k = n down
  std::optional<std::uint64_t> rank;
  for (std::uint64_t k = n; k > 0; --k) {
    above += term;
    if (above > kRisk) break;
    rank = k - 1;
    term *= static_cast<double>(k) / static_cast<double>(n - k + 1) * (1 - kShare) / kShare;
  }
  return rank;
}

/// Ranks of the two numbers between which 95 % of all lie with a confidence of 95 %, as many left out above as below: what lies between ranks i and j has the
/// distribution of the share below rank j - i (Wilks). Empty for fewer than 93 numbers.
std::vector<std::uint64_t> sides(std::uint64_t n, std::uint64_t upper) {
  const std::uint64_t out = (n - upper) / 2;
  if (out == 0) return {};
  return {out - 1, n - out};
}

/// Between numbers of a variation, means of a metric.
struct Explained {
  std::array<double, kBins> count{}, sum{};
};

struct Column {
  OrderStatistics order;
  double sum = 0, mean = 0, square = 0;
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::uint64_t> histogram = std::vector<std::uint64_t>(kBars);
  std::uint64_t worst_run = 0;
  double worst = -std::numeric_limits<double>::infinity();
  std::vector<WorstRun> top;
};

}  // namespace

Report begin_report(const Identity& identity) {
  Report report;
  report.runs = identity.count;
  report.first = identity.first;
  report.hash = identity.hash;
  report.instruction_set = identity.instruction_set;
  report.path = identity.path;
  report.format = identity.format;
  return report;
}

Report summarise_rows(const Identity& identity, const std::vector<std::string>& names, const std::function<void(const RowFunction&)>& each) {
  Report report = begin_report(identity);
  const std::size_t varied = identity.variations;
  std::vector<Column> columns;
  std::vector<double> least(varied, std::numeric_limits<double>::infinity()), most(varied, -std::numeric_limits<double>::infinity());
  std::uint64_t rows = 0;
  each([&](std::uint64_t run, std::string_view status, const std::vector<double>& x) {
    if (columns.empty()) columns.resize(names.size() - kLeading - varied);
    ++rows;
    if (status != "done") {
      ++report.failed;
      const auto known = std::find_if(report.failures.begin(), report.failures.end(), [&](const auto& f) { return f.first == status; });
      known == report.failures.end() ? void(report.failures.emplace_back(status, 1)) : void(++known->second);
      return;
    }
    for (std::size_t j = 0; j < varied; ++j) least[j] = std::min(least[j], x[j]), most[j] = std::max(most[j], x[j]);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = x[varied + i];
      if (std::isnan(value)) continue;
      Column& c = columns[i];
      c.order.count(value);
      c.sum += value;
      c.least = std::min(c.least, value);
      if (value > c.worst) c.worst = value, c.worst_run = run;
      const std::string& name = names[kLeading + varied + i];
      if (name.substr(0, name.find(' ')).find('.') != std::string::npos) continue;              // of one joint
      if (!(value > 0) || (c.top.size() == kWorst && !(value > c.top.back().value))) continue;  // nothing is bad about 0
      WorstRun worst{run, name, value, {}};
      for (std::size_t j = 0; j < varied; ++j) worst.variations.emplace_back(names[kLeading + j], x[j]);
      if (c.top.size() == kWorst) c.top.pop_back();
      c.top.insert(std::find_if(c.top.begin(), c.top.end(), [&](const WorstRun& w) { return value > w.value; }), std::move(worst));
    }
  });
  if (rows != identity.count) throw FolderError(cat("the results have ", rows, " rows, not ", identity.count, "; make them anew"));
  columns.resize(names.size() - kLeading - varied);
  for (Column& c : columns) {
    const std::uint64_t n = c.order.all();
    if (n == 0) continue;
    c.mean = c.sum / static_cast<double>(n);
    for (const double share : kShares) {
      const std::uint64_t rank = static_cast<std::uint64_t>(share * static_cast<double>(n - 1));
      c.order.ask(rank);
      c.order.ask(std::min(rank + 1, n - 1));
    }
    c.order.ask(0);
    c.order.ask(n - 1);
    if (const auto rank = tolerance_rank(n)) {
      c.order.ask(*rank);
      for (const std::uint64_t side : sides(n, *rank)) c.order.ask(side);
    }
  }
  std::vector<Explained> explained(varied * columns.size());
  each([&](std::uint64_t, std::string_view status, const std::vector<double>& x) {
    if (status != "done") return;
    std::array<std::size_t, 64> bins{};
    for (std::size_t j = 0; j < std::min<std::size_t>(varied, bins.size()); ++j)
      bins[j] = most[j] > least[j] ? std::min(kBins - 1, static_cast<std::size_t>((x[j] - least[j]) / (most[j] - least[j]) * kBins)) : 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = x[varied + i];
      if (std::isnan(value)) continue;
      Column& c = columns[i];
      c.order.collect(value);
      ++c.histogram[c.worst > c.least ? std::min(kBars - 1, static_cast<std::size_t>((value - c.least) / (c.worst - c.least) * kBars)) : 0];
      columns[i].square += (value - columns[i].mean) * (value - columns[i].mean);
      for (std::size_t j = 0; j < std::min<std::size_t>(varied, bins.size()); ++j) {
        Explained& e = explained[j * columns.size() + i];
        e.count[bins[j]] += 1;
        e.sum[bins[j]] += value - columns[i].mean;
      }
    }
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Column& c = columns[i];
    const std::uint64_t n = c.order.all();
    MetricSummary m;
    m.name = names[kLeading + varied + i];
    m.count = n;
    if (n > 0) {
      const double number = static_cast<double>(n);
      m.mean = c.mean;
      m.deviation = n > 1 ? std::sqrt(c.square / (number - 1)) : 0;
      m.least = c.order.at(0);
      m.most = c.order.at(n - 1);
      m.worst_run = c.worst_run;
      m.histogram = c.histogram;
      for (const double share : kShares) {
        const double where = share * (number - 1), below = std::floor(where);
        const std::uint64_t rank = static_cast<std::uint64_t>(below);
        const double a = c.order.at(rank), b = c.order.at(std::min(rank + 1, n - 1));
        m.quantiles.emplace_back(share, a + (where - below) * (b - a));
      }
      if (const auto rank = tolerance_rank(n); rank && identity.sampling == "random") {
        m.upper_tolerance = c.order.at(*rank);
        if (const std::vector<std::uint64_t> side = sides(n, *rank); !side.empty()) m.tolerance = {c.order.at(side[0]), c.order.at(side[1])};
      }
      for (std::size_t j = 0; j < std::min<std::size_t>(varied, 64) && n >= kFewRuns && c.square > 0; ++j) {
        const Explained& e = explained[j * columns.size() + i];
        double between = 0, used = 0;
        for (std::size_t b = 0; b < kBins; ++b)
          if (e.count[b] > 0) between += e.sum[b] * e.sum[b] / e.count[b], ++used;
        // ε²: the share that chance would explain is subtracted (Kelley 1935).
        const double within = std::max(0.0, c.square - between), share = number > used ? 1 - within / (number - used) / (c.square / (number - 1)) : 0;
        m.explained.emplace_back(names[kLeading + j], std::clamp(share, 0.0, 1.0));
      }
    }
    report.metrics.push_back(std::move(m));
    for (WorstRun& worst : c.top) report.worst.push_back(std::move(worst));
  }
  return report;
}

}  // namespace ulna::internal::campaign
