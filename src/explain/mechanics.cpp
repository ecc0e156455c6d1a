#include "explain/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "explain/suspects.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Numbers `first` to `last` of a vector.
Vector part(const Vector& x, std::size_t first, std::size_t last) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// Least squares on few columns: an orthonormal basis that grows, with columns that add nothing left out.
class Basis {
 public:
  Basis() = default;
  explicit Basis(const std::vector<Vector>& columns) { add(columns); }
  /// Adds columns (Gram and Schmidt, twice over); one that lies in the span of the others to eight digits is left out.
  void add(const std::vector<Vector>& columns) {
    constexpr double kDependent = 1e-8;
    for (const Vector& column : columns) {
      Vector left = column, coefficients = take_out(left);
      const double before = std::sqrt(dot(column, column)), size = std::sqrt(dot(left, left));
      const std::size_t index = columns_++;
      if (!(size > kDependent * before)) continue;
      for (double& x : left) x /= size;
      coefficients.push_back(size);
      q_.push_back(std::move(left));
      r_.push_back(std::move(coefficients));
      column_of_.push_back(index);
    }
  }
  /// What is left of a vector.
  Vector rest(Vector of) const {
    take_out(of);
    return of;
  }
  /// Coefficients of all columns that were added, in their order, with the smallest rest; 0 for those that were left out.
  Vector solve(const Vector& of) const {
    Vector left = of, right = take_out(left), out(columns_, 0.0);
    for (std::size_t k = q_.size(); k-- > 0;) {
      const double x = right[k] / r_[k][k];
      out[column_of_[k]] = x;
      for (std::size_t i = 0; i < k; ++i) right[i] -= x * r_[k][i];
    }
    return out;
  }
  std::size_t rank() const { return q_.size(); }

 private:
  /// Subtracts the projection on the basis from a vector; returns its coefficients.
  Vector take_out(Vector& of) const {
    Vector coefficients(q_.size(), 0.0);
    for (int round = 0; round < 2; ++round)
      for (std::size_t k = 0; k < q_.size(); ++k) {
        const double c = dot(q_[k], of);
        for (std::size_t i = 0; i < of.size(); ++i) of[i] -= c * q_[k][i];
        coefficients[k] += c;
      }
    return coefficients;
  }
  std::vector<Vector> q_, r_;           // r: of each independent column, its coefficients in q
  std::vector<std::size_t> column_of_;  // of each q: its column
  std::size_t columns_ = 0;
};

class Mechanics {
 public:
  Mechanics(const Comparison& comparison, const Model& model, Trial trial, double tolerance)
      : comparison_(comparison), suspects_(comparison, model), trial_(std::move(trial)), tolerance_(tolerance) {}

  std::vector<Edit> edits() {
    if (comparison_.residual(trial_) <= tolerance_) return {};
    std::vector<Candidate> ones = tried(trial_);
    // One cause is simpler than two, but one with ten parameters is not simpler than two with one.
    std::vector<Candidate> whole = ones;
    std::erase_if(whole, [&](const Candidate& c) { return !(c.residual <= tolerance_); });
    constexpr std::size_t kFew = 3;
    const bool found = !whole.empty(), few = std::any_of(whole.begin(), whole.end(), [](const Candidate&c) { return c.numbers <= kFew; });
    if (!few)
      for (Candidate& two : pairs(std::move(ones)))
        if (!found || two.numbers <= kFew) whole.push_back(std::move(two));
    if (std::optional<std::vector<Edit>> best = simplest(std::move(whole))) return *best;
    return greedy();
  }

 private:
  double residual(const Trial& trial) const { return comparison_.residual(trial); }

  std::vector<Edit> slips_of_any_kind(const Trial& at) const {
    std::vector<Edit> all = suspects_.slips(at), more = suspects_.left_out(at);
    std::move(more.begin(), more.end(), std::back_inserter(all));
    return all;
  }

  std::vector<Vector> columns(const Family& family, const Trial& at, const Vector& predicted) const { return columns_of(comparison_, family, at, predicted); }

  struct Fitted {
    Vector x;
    double residual = std::numeric_limits<double>::infinity();
  };
  Fitted fit(const Curved& c, const Trial& at) const {
    Fitted best;
    // The two best starts are followed.
    std::vector<std::pair<double, Vector>> starts;
    for (const Vector& start : c.starts) {
      Trial here = at;
      c.set(here, start);
      starts.emplace_back(c.starts.size() > 2 ? residual(here) : 0.0, start);
    }
    std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (starts.size() > 2) starts.resize(2);
    for (const auto& [ignored, start] : starts) {
      constexpr int kRounds = 10;
      Vector x = start;
      double last = std::numeric_limits<double>::infinity();
      for (int round = 0; round < kRounds; ++round) {
        Trial here = at;
        c.set(here, x);
        const Vector left = comparison_.difference(here);
        const double r = comparison_.size(left);
        if (r < best.residual) best = {x, r};
        // Convergence is quadratic where there is any.
        if (r <= tolerance_ / 100 || !(r < 0.7 * last)) break;
        last = r;
        std::vector<Vector> slopes;
        for (std::size_t d = 0; d < x.size(); ++d) {
          constexpr double kStep = 1e-5;
          Vector up = x, down = x;
          up[d] += kStep, down[d] -= kStep;
          Trial one = at, two = at;
          c.set(one, up), c.set(two, down);
          Vector slope = comparison_.predict(one);
          const Vector other = comparison_.predict(two);
          if (slope.size() != other.size() || slope.size() != left.size()) return best;
          for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (slope[i] - other[i]) / (2 * kStep);
          slopes.push_back(std::move(slope));
        }
        const Basis basis(slopes);
        const Vector step = basis.solve(left);
        for (std::size_t d = 0; d < x.size(); ++d) x[d] += step[d];
      }
    }
    return best;
  }

  // The search.

  struct Candidate {
    std::vector<Edit> edits;
    double residual;
    std::size_t numbers;  // that were fitted
    bool first = false;   // to be tried with everything else, for any gain of its own
  };

  /// All single candidates, each with its residual.
  std::vector<Candidate> tried(const Trial& at) const {
    std::vector<Candidate> out;
    const Vector predicted = comparison_.predict(at), left = comparison_.difference(predicted);
    // Effects that a program may lack (rotors, damping, friction), in every combination; then all other candidates without parameters.
    const std::vector<Edit> left_out = suspects_.left_out(at);
    for (std::size_t set = 1; set < (std::size_t{1} << left_out.size()); ++set) {
      Candidate together{{}, 0, 0};
      Trial here = at;
      for (std::size_t k = 0; k < left_out.size(); ++k)
        if ((set >> k & 1) != 0) together.edits.push_back(left_out[k]), left_out[k].apply(here);
      together.residual = residual(here);
      together.first = true;
      out.push_back(std::move(together));
    }
    for (Edit& edit : suspects_.slips(at)) {
      Trial here = at;
      edit.apply(here);
      const double r = residual(here);
      out.push_back({{std::move(edit)}, r, 0});
    }
    for (const Family& family : suspects_.families(at)) {
      const std::vector<Vector> cols = columns(family, at, predicted);
      if (cols.empty()) continue;
      const Basis basis(cols);
      const double r = comparison_.size(basis.rest(left));
      out.push_back({family.edits(at, basis.solve(left)), r, family.count});
    }
    for (const Curved& c : suspects_.curved(at)) {
      const Fitted f = fit(c, at);
      if (!f.x.empty()) out.push_back({{c.edit(f.x)}, f.residual, f.x.size()});
    }
    return out;
  }

  /// The simplest with no residual, with those that fit as well.
  std::optional<std::vector<Edit>> simplest(std::vector<Candidate> candidates) const {
    std::erase_if(candidates, [&](const Candidate& c) { return !(c.residual <= tolerance_); });
    if (candidates.empty()) return {};
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return std::pair(a.numbers, a.edits.size()) < std::pair(b.numbers, b.edits.size()); });
    std::vector<Edit> best = candidates.front().edits;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      const Candidate& other = candidates[i];
      // A load of ten numbers fits whatever one number fits; only equally simple causes are reported.
      if (other.numbers != candidates.front().numbers || other.edits.size() != best.size() || best.empty()) continue;
      const Cause& cause = other.edits.back().cause;
      if (cause.edit != best.back().cause.edit) best.back().cause.also.push_back(cat(cause.kind, " of ", cause.where, ": ", cause.edit));
    }
    return best;
  }

  std::vector<Candidate> pairs(std::vector<Candidate> ones) const {
    std::stable_sort(ones.begin(), ones.end(),
                     [](const Candidate& a, const Candidate& b) { return std::pair(!a.first, a.residual) < std::pair(!b.first, b.residual); });
    // Linear ones in pairs, without new predictions.
    const Vector predicted = comparison_.predict(trial_), left = comparison_.difference(predicted);
    struct Ready {
      Family family;
      std::vector<Vector> columns;
      double alone;
    };
    std::vector<Ready> ready;
    for (Family& family : suspects_.families(trial_)) {
      std::vector<Vector> cols = columns(family, trial_, predicted);
      if (cols.empty()) continue;
      const Basis basis(cols);
      const double alone = comparison_.size(basis.rest(left));
      ready.push_back({std::move(family), std::move(cols), alone});
    }
    std::stable_sort(ready.begin(), ready.end(), [](const Ready& a, const Ready& b) { return a.alone < b.alone; });
    const std::size_t most = comparison_.joints() <= 12 ? 200 : 60;
    if (ready.size() > most) ready.resize(most);
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const Basis first(ready[i].columns);
      for (std::size_t j = i + 1; j < ready.size(); ++j) {
        if (ready[i].family.count + ready[j].family.count > 11 || overlap(ready[i].family, ready[j].family)) continue;
        Basis both = first;
        both.add(ready[j].columns);
        if (comparison_.size(both.rest(left)) > tolerance_) continue;
        const Vector x = both.solve(left);
        const std::size_t split = ready[i].family.count;
        std::vector<Edit> edits = ready[i].family.edits(trial_, part(x, 0, split));
        for (Edit& e : ready[j].family.edits(trial_, part(x, split, x.size()))) edits.push_back(std::move(e));
        found.push_back({edits, 0, split + ready[j].family.count});
      }
    }
    // The best single one, and then all others once more.
    const std::size_t tries = comparison_.joints() <= 8 ? 24 : comparison_.joints() <= 16 ? 10 : 4;
    std::size_t done = 0;
    for (const Candidate& one : ones) {
      if (one.numbers > 1 && one.edits.front().cause.kind != "mass-centre") continue;
      if (!one.first && done++ == tries) break;
      Trial after = trial_;
      for (const Edit& e : one.edits) e.apply(after);
      for (const Candidate& two : tried(after)) {
        if (!(two.residual <= tolerance_)) continue;
        std::vector<Edit> edits = one.edits;
        edits.insert(edits.end(), two.edits.begin(), two.edits.end());
        found.push_back({edits, two.residual, one.numbers + two.numbers});
      }
    }
    if (found.empty()) {
      std::vector<Family> linear;
      for (const Ready& r : ready) linear.push_back(r.family);
      found = curved_pairs(linear);
    }
    return found;
  }

  /// The zero of a joint or a mass centre and something else: found together, because each spoils the fit of the other.
  std::vector<Candidate> curved_pairs(const std::vector<Family>& linear) const {
    std::vector<Candidate> found;
    std::vector<std::pair<Fitted, Curved>> best;
    for (Curved& c : suspects_.curved(trial_)) {
      Fitted f = fit(c, trial_);
      if (!f.x.empty()) best.emplace_back(std::move(f), std::move(c));
    }
    std::stable_sort(best.begin(), best.end(), [](const auto& a, const auto& b) { return a.first.residual < b.first.residual; });
    const std::size_t most = comparison_.joints() <= 8 ? 3 : 1;
    if (best.size() > most) best.resize(most);
    for (const auto& [fitted, curved] : best) {
      const Fitted& start = fitted;
      const Curved& c = curved;
      for (Edit& slip : slips_of_any_kind(trial_)) {
        Trial after = trial_;
        slip.apply(after);
        Curved near = c;
        near.starts = {start.x};
        const Fitted f = fit(near, after);
        if (f.residual <= tolerance_) found.push_back({{std::move(slip), c.edit(f.x)}, f.residual, f.x.size()});
      }
      for (const Family& family : linear) {
        if (family.count > 3) continue;
        Curved both = c;
        const std::size_t own = start.x.size();
        Vector from = start.x;
        from.resize(own + family.count, 0.0);
        both.starts = {from};
        both.set = [&](Trial& t, const Vector& x) {
          c.set(t, part(x, 0, own));
          family.change(t, part(x, own, x.size()));
        };
        const Fitted f = fit(both, trial_);
        if (!(f.residual <= tolerance_)) continue;
        std::vector<Edit> edits = family.edits(trial_, part(f.x, own, f.x.size()));
        edits.insert(edits.begin(), c.edit(part(f.x, 0, own)));
        found.push_back({std::move(edits), f.residual, f.x.size()});
      }
    }
    return found;
  }

  /// Greedy, each the one that removes most; the parameters of all linear ones are fitted together.
  std::vector<Edit> greedy() {
    std::vector<Edit> out;
    Trial at = trial_;
    const std::size_t most = 3 * comparison_.joints() + 6;
    constexpr double kWorth = 0.05;  // a parameter that removes less than a twentieth of the residual explains nothing
    std::vector<Family> chosen;
    Basis basis;
    // Slips first, while one of them halves the residual.
    for (int round = 0; round < 6; ++round) {
      const double before = residual(at);
      std::vector<Edit> all = slips_of_any_kind(at);
      std::size_t best = kNone;
      double least = before / 2;
      for (std::size_t i = 0; i < all.size(); ++i) {
        Trial here = at;
        all[i].apply(here);
        if (const double r = residual(here); r < least) least = r, best = i;
      }
      if (best == kNone) break;
      all[best].apply(at);
      out.push_back(std::move(all[best]));
      if (least <= tolerance_) return out;
    }
    const Vector predicted = comparison_.predict(at), left = comparison_.difference(predicted);
    std::vector<Family> all = suspects_.families(at);
    std::vector<std::vector<Vector>> cols;
    for (const Family& family : all) cols.push_back(columns(family, at, predicted));
    std::vector<bool> used(all.size(), false);
    double before = comparison_.size(left);
    for (std::size_t round = 0; round < most && before > tolerance_; ++round) {
      std::size_t best = kNone;
      double gain = 0, least = before;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (used[i] || cols[i].empty() || std::any_of(chosen.begin(), chosen.end(), [&](const Family& f) { return overlap(f, all[i]); })) continue;
        Basis more = basis;
        more.add(cols[i]);
        if (more.rank() == basis.rank()) continue;
        const double r = comparison_.size(more.rest(left));
        // Digits gained for each parameter.
        const double worth = std::log(before / std::max(r, tolerance_ / 10)) / static_cast<double>(more.rank() - basis.rank());
        if (worth > gain) gain = worth, least = r, best = i;
      }
      if (best == kNone || gain < kWorth) break;
      used[best] = true;
      basis.add(cols[best]);
      chosen.push_back(all[best]);
      before = least;
    }
    const Vector x = basis.solve(left);
    std::size_t from = 0;
    for (const Family& family : chosen) {
      for (Edit& e : family.edits(at, part(x, from, from + family.count))) {
        e.apply(at);
        out.push_back(std::move(e));
      }
      from += family.count;
    }
    return out;
  }

  const Comparison& comparison_;
  Suspects suspects_;
  Trial trial_;
  double tolerance_;
};

}  // namespace

std::vector<Edit> explain_by_mechanics(const Comparison& comparison, const Model& model, const Trial& trial, double tolerance) {
  return Mechanics(comparison, model, trial, tolerance).edits();
}

}  // namespace ulna::internal
