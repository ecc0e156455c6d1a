#include <ulna/explain/explain.hpp>

#include <algorithm>
#include <cmath>

#include <ulna/verify/verify.hpp>

#include "explain/comparison.hpp"
#include "explain/suspects.hpp"
#include "model/describe.hpp"
#include "model/require_fixed_base.hpp"
#include "model/unit_quaternion.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// Merges edits of one kind that change the same number to the same number: "armature of all joints: 0.1 to 0".
std::vector<Edit> grouped(std::vector<Edit> edits) {
  std::vector<Edit> out;
  for (Edit& edit : edits) {
    const std::string& kind = edit.cause.kind;
    const bool groups = kind == "armature" || kind == "damping" || kind == "friction" || kind == "units" || kind == "other";
    const auto twin = std::find_if(out.begin(), out.end(), [&](const Edit& e) {
      return groups && e.cause.kind == kind && e.cause.from.numbers == edit.cause.from.numbers && e.cause.to.numbers == edit.cause.to.numbers &&
             !e.cause.from.numbers.empty();
    });
    if (twin == out.end()) {
      out.push_back(std::move(edit));
      continue;
    }
    const std::string first = in_quotes(twin->cause.where.substr(0, twin->cause.where.find(',')));
    if (const std::size_t at = twin->cause.edit.find(cat("joint ", first)); at != std::string::npos)
      twin->cause.edit.replace(at, cat("joint ", first).size(), "every joint named");
    twin->cause.where += cat(", ", edit.cause.where);
    twin->apply = [one = std::move(twin->apply), two = std::move(edit.apply)](Trial& trial) { one(trial), two(trial); };
  }
  return out;
}

/// Orders the edits so that each removes most of the remaining difference, and computes the shares.
Explanation in_order(const Comparison& comparison, Trial trial, std::vector<Edit> edits, const ExplainOptions& options) {
  Explanation out;
  out.before = comparison.residual(trial);
  out.agree = out.before <= options.tolerance;
  // Alone, and as the last one: where neither changes torques, it has no effect on them.
  const std::vector<double> start = comparison.predict(trial);
  Trial all = trial;
  for (const Edit& edit : edits) edit.apply(all);
  const std::vector<double> end = comparison.predict(all);
  const auto apart = [&](const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return 1.0;
    std::vector<double> d(a.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] - b[i];
    return comparison.size(d);
  };
  std::vector<double> effect(edits.size(), 0);
  constexpr double kNothing = 1e-13;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Trial alone = trial, without = trial;
    edits[i].apply(alone);
    for (std::size_t k = 0; k < edits.size(); ++k)
      if (k != i) edits[k].apply(without);
    effect[i] = std::max(apart(comparison.predict(alone), start), edits.size() > 1 ? apart(comparison.predict(without), end) : 0.0);
    if (out.agree || effect[i] < kNothing * std::max(1.0, 1e3 * out.before)) effect[i] = 0;
  }
  double sum = 0;
  for (const double e : effect) sum += std::isfinite(e) ? e : 0;
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < edits.size(); ++i)
    if (effect[i] > 0) left.push_back(i);
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) { return effect[a] > effect[b]; });
  constexpr std::size_t kMostCompared = 60;  // of n edits the best of each round takes n² trials
  out.residual = out.before;
  while (!left.empty()) {
    std::size_t best = 0;
    double least = 0;
    const std::size_t looked = left.size() <= kMostCompared ? left.size() : 1;
    for (std::size_t k = 0; k < looked; ++k) {
      Trial next = trial;
      edits[left[k]].apply(next);
      const double r = comparison.residual(next);
      if (k == 0 || r < least) least = r, best = k;
    }
    Edit& edit = edits[left[best]];
    edit.apply(trial);
    edit.cause.share = sum > 0 && std::isfinite(effect[left[best]]) ? effect[left[best]] / sum : 1;
    edit.cause.residual_after = out.residual = least;
    out.causes.push_back(edit.cause);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  for (std::size_t i = 0; i < edits.size(); ++i)
    if (effect[i] == 0) {
      edits[i].cause.residual_after = out.residual;
      out.causes.push_back(edits[i].cause);
    }
  return out;
}

Numbers random_states(const Model& model, const ExplainOptions& options) {
  Numbers out;
  out.states = options.states;
  StateSampler sampler(model, options.seed);
  std::vector<double> q, v, a;
  for (std::size_t s = 0; s < options.states; ++s) {
    sampler.next(q, v, a);
    out.q.insert(out.q.end(), q.begin(), q.end());
    out.v.insert(out.v.end(), v.begin(), v.end());
    out.a.insert(out.a.end(), a.begin(), a.end());
  }
  return out;
}

/// Rows of numbers from one order of joints to another: joint k of the result is joint from[k]; `base` numbers before them stay.
std::vector<double> reordered(const std::vector<double>& rows, const std::vector<std::size_t>& from, std::size_t base) {
  std::vector<double> out(rows.size());
  const std::size_t n = base + from.size();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = rows[i / n * n + (i % n < base ? i % n : base + from[i % n - base])];
  return out;
}

/// Evenly chosen states: a search does not need a thousand.
Numbers thinned(const Numbers& all, const Model& model, std::size_t most) {
  if (all.states <= most) return all;
  Numbers out;
  out.states = most;
  for (const auto part : {&Numbers::q, &Numbers::v, &Numbers::a, &Numbers::tau, &Numbers::gravity, &Numbers::mass}) {
    const std::vector<double>& from = all.*part;
    if (from.empty()) continue;
    const std::size_t width = part == &Numbers::mass ? model.nv() * model.nv() : part == &Numbers::q ? model.nq() : model.nv();
    for (std::size_t s = 0; s < most; ++s) {
      const auto row = from.begin() + static_cast<std::ptrdiff_t>(s * all.states / most * width);
      (out.*part).insert((out.*part).end(), row, row + static_cast<std::ptrdiff_t>(width));
    }
  }
  return out;
}
/// Rows that a search uses: many times more than ten parameters of two bodies need.
std::size_t states_to_search(std::size_t coordinates) {
  return std::max<std::size_t>(10, std::min<std::size_t>(40, 300 / std::max<std::size_t>(coordinates, 1)));
}
constexpr std::size_t kMostStates = 400;  // to judge by

std::size_t with_effect(const std::vector<Edit>& edits) {
  return static_cast<std::size_t>(std::count_if(edits.begin(), edits.end(), [](const Edit& e) { return e.cause.kind != "other"; }));
}

/// Differences between joints that close loops, which are matched by name.
std::vector<Cause> compare_loops(const Model& a, const Model& b) {
  constexpr double kSameFrame = 1e-9;  // [m, rad]
  std::vector<Cause> out;
  const auto add = [&](const std::string& loop, CauseValue from, CauseValue to, const std::string& edit) {
    out.push_back({"loop", loop, 0, std::move(from), std::move(to), edit, {}});
  };
  const auto find = [](const Model& model, const std::string& name) -> const Loop* {
    for (const Loop& loop : model.loops())
      if (loop.name == name) return &loop;
    return nullptr;
  };
  const auto ends = [](const Model& model, const Loop& loop) {
    return cat(to_string(loop.type), " between ", model.links()[loop.predecessor].name, " and ", model.links()[loop.successor].name);
  };
  for (const Loop& mine : a.loops()) {
    const Loop* theirs = find(b, mine.name);
    if (theirs == nullptr) {
      add(mine.name, {{}, ends(a, mine)}, {{}, "open"}, cat("open loop ", in_quotes(mine.name), ", which B does not have"));
      continue;
    }
    if (ends(a, mine) != ends(b, *theirs))
      add(mine.name, {{}, ends(a, mine)}, {{}, ends(b, *theirs)}, cat("make loop ", in_quotes(mine.name), " ", ends(b, *theirs)));
    for (const bool first : {true, false}) {
      const std::vector<double> from = numbers(first ? mine.X_PA : mine.X_SB), to = numbers(first ? theirs->X_PA : theirs->X_SB);
      double apart = 0;
      for (std::size_t k = 0; k < 6; ++k) apart = std::max(apart, std::abs(from[k] - to[k]));
      if (apart > kSameFrame)
        add(mine.name, {from, {}}, {to, {}}, cat("move the frame of loop ", in_quotes(mine.name), " on its ", first ? "predecessor" : "successor"));
    }
    const Vec3<double> tilt = mine.axis - theirs->axis;
    if (std::max({std::abs(tilt.x), std::abs(tilt.y), std::abs(tilt.z)}) > kSameFrame)
      add(mine.name, {{mine.axis.x, mine.axis.y, mine.axis.z}, {}}, {{theirs->axis.x, theirs->axis.y, theirs->axis.z}, {}},
          cat("turn the axis of loop ", in_quotes(mine.name)));
  }
  for (const Loop& theirs : b.loops())
    if (find(a, theirs.name) == nullptr)
      add(theirs.name, {{}, "open"}, {{}, ends(b, theirs)}, cat("close loop ", in_quotes(theirs.name), ": ", ends(b, theirs)));
  return out;
}

/// Robots with loops: differences of their trees, by the torques of these; and of their loops, each with the weight of the whole tree.
Explanation explain_closed(const Model& a, const Model& b, const ExplainOptions& options) {
  Explanation out = explain(without_loops(a), without_loops(b), options);
  std::vector<Cause> loops = compare_loops(a, b);
  if (loops.empty()) return out;
  const double parts = static_cast<double>(loops.size()) + (out.agree ? 0 : 1);
  for (Cause& cause : out.causes) cause.share /= parts;
  for (Cause& cause : loops) cause.share = 1 / parts, cause.residual_after = out.before;
  out.causes.insert(out.causes.begin(), loops.begin(), loops.end());
  out.agree = false;
  return out;
}

}  // namespace

Explanation explain(const Model& a, const Model& b, const ExplainOptions& options) {
  require_no_balls(a, "an explanation");
  if (a.closed() || b.closed()) return explain_closed(a, b, options);
  if (const std::string why = unequal_coordinates(a, b); !why.empty()) throw std::invalid_argument(why);
  const std::size_t joints = a.independent().size(), base_q = a.nq() - joints, base_v = a.nv() - joints;
  std::optional<Matching> matching = match(a, b);
  std::optional<std::vector<Edit>> edits = matching ? compare_structure(a, b, *matching) : std::nullopt;
  // Torques by name; a file whose names stand at other joints is one whose joints are exchanged.
  std::vector<std::size_t> by_name(joints);
  for (std::size_t k = 0; k < by_name.size(); ++k) by_name[k] = matching ? matching->coordinates[k] : k;
  bool exchanged = false;
  if (const std::optional<Matching> ordered = match_by_order(a, b); ordered && matching && matching->by_name && ordered->coordinates != matching->coordinates) {
    std::optional<std::vector<Edit>> other = compare_structure(a, b, *ordered);
    if (other && (!edits || with_effect(*other) + 2 < with_effect(*edits))) edits = std::move(other), exchanged = true;
  }

  Numbers states = random_states(a, options);
  std::vector<std::size_t> to_b(by_name.size());  // where A's coordinate stands in B's vectors, and back
  for (std::size_t k = 0; k < by_name.size(); ++k) to_b[by_name[k]] = k;
  Numbers in_b = states;
  in_b.q = reordered(states.q, to_b, base_q), in_b.v = reordered(states.v, to_b, base_v), in_b.a = reordered(states.a, to_b, base_v);
  states.tau = reordered(numbers_of(b, in_b).tau, by_name, base_v);
  const Comparison comparison(a, states);
  Trial trial{describe(a), Coordinates(joints)};
  if (!edits) edits = std::vector<Edit>{};
  // A's coordinate k is B's coordinate k; its name stands in B at coordinate by_name[k].
  std::vector<std::string> moved;
  std::vector<double> from, to;
  for (std::size_t k = 0; k < by_name.size(); ++k) {
    if (by_name[k] != k) moved.push_back(a.coordinate_names()[k]);
    from.push_back(static_cast<double>(k)), to.push_back(static_cast<double>(by_name[k]));
  }
  const auto reorder = [&](const std::string& words, std::function<void(Trial&)> apply) {
    return make_edit("joint-order", joined(moved), {from, {}}, {to, {}}, words, std::move(apply));
  };
  if (exchanged) edits->insert(edits->begin(), reorder(cat("exchange the names of joints ", joined(moved)), [to_b](Trial& t) { t.coordinates.order = to_b; }));
  std::vector<Edit> all = grouped(*std::move(edits));
  Trial after = trial;
  for (const Edit& edit : all) edit.apply(after);
  const double left = comparison.residual(after);
  if (!(left <= options.tolerance)) {
    // Two trees that cannot be matched, or a cause that is not in the files.
    if (!(left < comparison.residual(trial))) all.clear(), after = trial;
    const Comparison search(a, thinned(states, a, states_to_search(a.nv())));
    for (Edit& edit : explain_by_mechanics(search, a, after, options.tolerance)) all.push_back(std::move(edit));
  }
  if (!exchanged && matching && matching->by_name && !moved.empty())
    all.push_back(reorder(cat("B lists its joints as ", joined(b.coordinate_names()), ": compare vectors by name"), [](Trial&) {}));
  return in_order(comparison, trial, std::move(all), options);
}

Explanation explain(const Model& a, const Numbers& b, const ExplainOptions& options) {
  require_no_balls(a, "an explanation");
  if (a.closed())
    throw std::invalid_argument(cat("robot ", in_quotes(a.name()), " has loops, and numbers of another program are explained for trees only: open the loops ",
                                    "(--loops ignore) and compare numbers of the tree, or compare two files"));
  const std::size_t n = a.nv();
  const auto check = [&](const std::vector<double>& values, std::size_t each, const char* what, bool needed) {
    if ((values.empty() && !needed) || values.size() == b.states * each) return;
    throw std::invalid_argument(cat(what, " has ", values.size(), " numbers, but ", b.states, " states need ", b.states * each));
  };
  check(b.q, a.nq(), "q", true), check(b.v, n, "v", true), check(b.a, n, "a", true);
  check(b.tau, n, "tau", false), check(b.gravity, n, "gravity", false), check(b.mass, n * n, "mass", false);
  if (b.tau.empty() && b.gravity.empty() && b.mass.empty())
    throw std::invalid_argument("there is nothing to compare: give torques, torques of gravity or inertia matrices");
  for (std::size_t k = 0; a.base() == RootJoint::free && k < b.states; ++k) require_unit(a, &b.q[k * a.nq()], cat("state ", k + 1, " of ", b.states, ": "));
  const Comparison comparison(a, thinned(b, a, kMostStates)), search(a, thinned(b, a, states_to_search(n)));
  const Trial trial{describe(a), Coordinates(a.independent().size())};
  if (comparison.residual(trial) <= options.tolerance) return in_order(comparison, trial, {}, options);
  return in_order(comparison, trial, grouped(explain_by_mechanics(search, a, trial, options.tolerance)), options);
}

}  // namespace ULNA_API
