// Which coordinates are independent: by elimination with a choice of pivots, at a configuration that is closed and not singular.
#include <algorithm>
#include <cstdint>

#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/pivots.hpp"
#include "loop/parts.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// A fixed sequence: the verdict on a file never changes.
class Sequence {
 public:
  double next() {  // from -1 to 1
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53 * 2 - 1;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

/// Closed configurations near q = 0 and not so near. The rank of J is the largest that is found; configurations in which it is less are singular ones: a
/// four-bar laid flat, as in many files, is one.
struct Generic {
  std::size_t rank = 0;
  std::vector<std::vector<double>> q;  // those of that rank, with a margin to a smaller one
  bool drawn = false;                  // the first of them is that of the file: next to q = 0, or to the nearest that the limits allow
  double apart = -1;                   // residual of the best configuration that was found
  Closure open{};
};

constexpr double kHealthy = 0.02;  // least singular value over the largest

Generic find_generic(const Model& tree, const Plan& plan) {
  constexpr int kAttempts = 16;
  constexpr double kNear = 0.2;  // [rad, m]
  struct Found {
    std::size_t rank;
    double health;
    std::vector<double> q;
    bool drawn;
  };
  Generic generic;
  std::vector<Found> found;
  LoopState state(plan);
  Sequence sequence;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> q(plan.nq, 0.0);
    for (std::size_t k = 0; k < q.size(); ++k) {
      const Joint& joint = tree.joints()[tree.independent()[k]];
      const bool slides = joint.type == JointType::prismatic;
      if (joint.lower < joint.upper) q[k] = std::clamp(0.0, joint.lower, joint.upper);
      q[k] += (attempt == 0 ? 0 : slides ? 0.02 : 0.1) * attempt * sequence.next();
    }
    const std::vector<double> begin = q;
    const bool closed = project(plan, state, q);
    Closure now;
    find_largest(plan, state, now);
    if (generic.apart < 0 || now.residual < generic.apart) generic.apart = now.residual, generic.open = now;
    if (!closed) continue;
    const RowSvd svd(state.J);
    const double most = svd.largest();
    double moved = 0;
    for (std::size_t k = 0; k < q.size(); ++k) moved = std::max(moved, std::abs(q[k] - begin[k]));
    found.push_back({svd.rank(kNoRank * most), most > 0 ? svd.least(kNoRank * most) / most : 1, q, attempt == 0 && moved < kNear});
  }
  double best = 0;
  for (const Found& one : found) generic.rank = std::max(generic.rank, one.rank);
  for (const Found& one : found)
    if (one.rank == generic.rank) best = std::max(best, one.health);
  for (Found& one : found)
    if (one.rank == generic.rank && one.health >= std::min(kHealthy, best)) {
      generic.drawn = generic.drawn || one.drawn;
      generic.q.push_back(std::move(one.q));
    }
  return generic;
}

/// Gauss's elimination, one column at a time.
class Elimination {
 public:
  explicit Elimination(const Matrix<double>& J) : J_(J), used_(J.rows, false) {
    for (const double entry : J.entries) scale_ = std::max(scale_, std::abs(entry));
  }

  /// The row with the largest pivot that is left in a column, kNone for none above `least` of the largest entry of J.
  std::size_t find(std::size_t column, double least) const {
    std::size_t best = kNone;
    for (std::size_t i = 0; i < J_.rows; ++i)
      if (!used_[i] && std::abs(J_(i, column)) > least * scale_ && (best == kNone || std::abs(J_(i, column)) > std::abs(J_(best, column)))) best = i;
    return best;
  }
  double size(std::size_t row, std::size_t column) const { return row == kNone ? 0 : std::abs(J_(row, column)); }

  void take(std::size_t row, std::size_t column) {
    used_[row] = true;
    rows.push_back(row);
    columns.push_back(column);
    for (std::size_t i = 0; i < J_.rows; ++i) {
      if (used_[i]) continue;
      const double factor = J_(i, column) / J_(row, column);
      for (std::size_t k = 0; k < J_.cols; ++k) J_(i, k) -= factor * J_(row, k);
      J_(i, column) = 0;
    }
  }

  /// Eliminates as many of these columns as possible, the largest pivot first.
  void take_all(std::vector<std::size_t> of) {
    while (true) {
      std::size_t row = kNone, column = kNone;
      for (const std::size_t k : of)
        if (const std::size_t i = find(k, kNoRank); i != kNone && size(i, k) > size(row, column)) row = i, column = k;
      if (row == kNone) return;
      take(row, column);
      std::erase(of, column);
    }
  }

  bool taken(std::size_t column) const { return std::find(columns.begin(), columns.end(), column) != columns.end(); }

  std::vector<std::size_t> rows, columns;

 private:
  Matrix<double> J_;
  std::vector<bool> used_;
  double scale_ = 0;
};

std::string listed(const Mechanism::Parts& parts, const std::vector<std::size_t>& coordinates) {
  std::string text;
  for (const std::size_t k : coordinates) text += cat(text.empty() ? "" : ", ", in_quotes(parts.tree.joints()[parts.tree.independent()[k]].name));
  return text;
}

/// Coordinates and rows at one closed configuration. False after errors.
bool choose_at(const std::vector<double>& q, Mechanism::Parts& parts, Diagnostics& diagnostics) {
  const Model& tree = parts.tree;
  const std::size_t nv = tree.nv();
  const std::size_t errors_before = diagnostics.count(Severity::error);
  LoopState state(parts.plan);
  state.at(parts.plan, q.data());
  parts.reference = q;

  // Columns that must be eliminated, those that may, and those that must not.
  std::vector<std::size_t> must, may, must_not;
  for (std::size_t k = 0; k < nv; ++k) {
    const std::size_t j = tree.independent()[k];
    const std::vector<std::size_t>& motors = parts.motors;
    const bool named = std::find(motors.begin(), motors.end(), j) != motors.end();
    const std::optional<bool> given = motors.empty() ? parts.marks[j] : std::optional<bool>(named);
    (!given ? may : *given ? must_not : must).push_back(k);
  }
  Elimination elimination(state.J);
  elimination.take_all(must);
  std::reverse(may.begin(), may.end());  // joints near the base have drives, unless the file states otherwise
  constexpr double kGood = 0.05;
  for (const double least : {kGood, kNoRank})
    for (const std::size_t k : may)
      if (!elimination.taken(k))
        if (const std::size_t row = elimination.find(k, least); row != kNone) elimination.take(row, k);
  const std::size_t determined = elimination.columns.size();
  elimination.take_all(must_not);

  const auto complain = [&](std::size_t coordinate, const std::string& problem, const std::string& cure) {
    const Joint& joint = tree.joints()[tree.independent()[coordinate]];
    diagnostics.error(joint.line, Element::joint(joint.name), problem, cure);
  };
  for (std::size_t k = determined; k < elimination.columns.size(); ++k)
    complain(elimination.columns[k], cat("it is taken as independent, but the loops determine it by the others that are: ", listed(parts, must_not)),
             cat("the robot has ", nv - elimination.columns.size(), elimination.columns.size() + 1 == nv ? " degree" : " degrees",
                 " of freedom: leave this one out (--independent, 'independent', name_mot)"));
  std::vector<std::size_t> moving;
  for (const std::size_t k : must)
    if (!elimination.taken(k)) moving.push_back(k);
  if (!moving.empty() && diagnostics.count(Severity::error) == errors_before)
    complain(moving.front(),
             cat("the independent joints do not determine it: with ", must_not.empty() ? std::string("none of them") : listed(parts, must_not),
                 " held, it still moves", moving.size() > 1 ? cat(", and so do ", moving.size() - 1, " more") : std::string()),
             cat("the robot has ", nv - elimination.columns.size(),
                 " degrees of freedom: take this one as independent, too (--independent, 'independent', name_mot)"));
  if (diagnostics.count(Severity::error) > errors_before) return false;

  parts.rows.assign(elimination.rows.begin(), elimination.rows.end());
  std::sort(parts.rows.begin(), parts.rows.end());
  for (const std::size_t motor : parts.motors)  // in the order in which they were named
    parts.independent.push_back(static_cast<std::size_t>(std::find(tree.independent().begin(), tree.independent().end(), motor) - tree.independent().begin()));
  for (std::size_t k = 0; k < nv; ++k) {
    if (elimination.taken(k))
      parts.dependent.push_back(k);
    else if (std::find(parts.independent.begin(), parts.independent.end(), k) == parts.independent.end())
      parts.independent.push_back(k);
  }
  const RowSvd svd(dependent_part(parts, state.J));
  parts.singularity = parts.rows.empty() ? 1 : *std::min_element(svd.s.begin(), svd.s.end()) / svd.largest();
  return true;
}

/// The largest entry of G: the largest speed of a dependent joint per speed of an independent one.
double fastest(const Mechanism::Parts& parts) {
  LoopState state(parts.plan);
  state.at(parts.plan, parts.reference.data());
  const Lu<double> lu(dependent_part(parts, state.J));
  double most = 0;
  for (const std::size_t k : parts.independent) {
    std::vector<double> column;
    for (const std::size_t row : parts.rows) column.push_back(state.J(row, k));
    for (const double entry : lu.solve(column)) most = std::max(most, std::abs(entry));
  }
  return most;
}

}  // namespace

bool choose(Mechanism::Parts& parts, Diagnostics& diagnostics) {
  const Model& tree = parts.tree;
  if (tree.base() != RootJoint::fixed && !parts.loops.empty()) {
    const Loop& loop = parts.loops.front();
    diagnostics.error(loop.line, loop_element(loop.name), cat("loops are computed on a base that is fixed, and this robot's is ", to_string(tree.base())),
                      "bolt it down (--base fixed), or open the loops (--loops ignore)");
    return false;
  }
  parts.reference.assign(tree.nq(), 0.0);
  if (parts.loops.empty()) {
    for (std::size_t k = 0; k < tree.nv(); ++k) parts.independent.push_back(k);
    return true;
  }
  const Generic generic = find_generic(tree, parts.plan);
  if (generic.q.empty()) {
    const Loop& loop = parts.loops[generic.open.loop == kNone ? 0 : generic.open.loop];
    Diagnostics own(loop.file);
    own.error(loop.line, loop_element(loop.name), cat("it cannot be closed: residual ", rounded(generic.apart), " (m, or sine of the angle error)"),
              generic.apart < 1e-5
                  ? "its frames miss each other by the rounding of their numbers: write them with more digits, or open the loops (--loops ignore)"
                  : "check the frames of the loop, the lengths of the links, and the joint limits that q = 0 lies in");
    diagnostics.append(own);
    return false;
  }
  // The reference is the assembly of the file; where that is singular, of several (a parallelogram, and the same links crossed) the one whose joints
  // move slowest.
  std::optional<Mechanism::Parts> best;
  double least = 0;
  for (const std::vector<double>& q : generic.q) {
    Mechanism::Parts tried = parts;
    Diagnostics own(diagnostics.file());
    if (!choose_at(q, tried, own)) {
      if (best) continue;
      if (&q == &generic.q.back()) return diagnostics.append(own), false;
      continue;
    }
    if (generic.drawn && &q == &generic.q.front() && tried.singularity >= kHealthy) {
      best = std::move(tried);
      break;
    }
    const double moved = fastest(tried);
    constexpr double kClearly = 0.9;
    if (best && !(moved < kClearly * least)) continue;
    best = std::move(tried);
    least = moved;
  }
  parts = *std::move(best);
  if (parts.independent.empty()) {
    const Loop& loop = parts.loops.back();
    Diagnostics own(loop.file);
    own.error(loop.line, loop_element(loop.name), "the loops leave the robot no motion: its mobility is 0",
              "remove a loop, close it in fewer directions (spherical, revolute), or open all by --loops ignore");
    diagnostics.append(own);
    return false;
  }
  return true;
}

EliminationOrder elimination_order(const Mechanism::Parts& parts) {
  LoopState state(parts.plan);
  state.at(parts.plan, parts.reference.data());
  Matrix<double> J = state.J;
  std::vector<std::size_t> rows = parts.rows, columns = parts.dependent;
  EliminationOrder order{{}, {}, parts.independent};
  while (!rows.empty()) {
    std::size_t row = rows.front(), column = columns.front();
    for (const std::size_t i : rows)
      for (const std::size_t k : columns)
        if (std::abs(J(i, k)) > std::abs(J(row, column))) row = i, column = k;
    order.rows.push_back(row), order.columns.push_back(column);
    std::erase(rows, row), std::erase(columns, column);
    for (const std::size_t i : rows) {
      const double factor = J(i, column) / J(row, column);
      for (std::size_t k = 0; k < J.cols; ++k) J(i, k) -= factor * J(row, k);
    }
  }
  return order;
}

}  // namespace ulna::internal
