#include "features/feature.hpp"

#include <algorithm>
#include <istream>
#include <ostream>
#include <set>

#include "support/random.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

constexpr std::string_view kNames[] = {"mimic",       "loop",         "rotor",     "viscous friction", "Coulomb friction", "payload",    "free base",
                                       "planar base", "locked joint", "prismatic", "far angles",       "wrench",           "base motion"};
constexpr std::string_view kPathNames[] = {"templates", "one", "lanes", "columns", "float", "c", "python", "derivative", "simulate", "campaign"};
constexpr std::string_view kPathTitles[] = {"templates", "one state", "lanes",        "columns",    "floats",
                                            "C",         "Python",    "`Derivative`", "`simulate`", "`campaign`, `dataset`"};
static_assert(std::size(kNames) == kFeatures && std::size(kPathNames) == kPaths && std::size(kPathTitles) == kPaths);

Feature feature(std::size_t k) { return static_cast<Feature>(k); }

bool moves_base(Feature f) { return f == Feature::free_base || f == Feature::planar_base; }

}  // namespace

std::string_view to_string(Feature feature) { return kNames[static_cast<std::size_t>(feature)]; }
std::string_view to_string(Path path) { return kPathNames[static_cast<std::size_t>(path)]; }
std::string_view title(Path path) { return kPathTitles[static_cast<std::size_t>(path)]; }

std::string to_string(const Features& set) {
  std::string text;
  for (std::size_t k = 0; k < kFeatures; ++k)
    if (set[k]) text += cat(text.empty() ? "" : ", ", kNames[k]);
  return text;
}

std::string_view cannot_meet(Feature a, Feature b) {
  if (a > b) std::swap(a, b);
  if (a == Feature::free_base && b == Feature::planar_base) return "a robot has one base";
  if (moves_base(a) && b == Feature::base_motion) return "the motion of such a base is in q, v and a";
  if (a == Feature::loop && moves_base(b)) return "robots with loops are drawn on a fixed base; others in tests of their own";
  return {};
}

std::vector<Features> meeting(std::uint64_t round, std::size_t many) {
  std::vector<Features> two, three;
  const auto can = [](const Features& set) {
    for (std::size_t i = 0; i < kFeatures; ++i)
      for (std::size_t j = i + 1; j < kFeatures; ++j)
        if (set[i] && set[j] && !cannot_meet(feature(i), feature(j)).empty()) return false;
    return true;
  };
  for (std::size_t i = 0; i < kFeatures; ++i)
    for (std::size_t j = i + 1; j < kFeatures; ++j) {
      Features set;
      set.set(i).set(j);
      if (!can(set)) continue;
      two.push_back(set);
      for (std::size_t k = j + 1; k < kFeatures; ++k) {
        Features more = set;
        if (can(more.set(k))) three.push_back(more);
      }
    }
  Random random(round);
  const auto shuffle = [&](std::vector<Features>& sets) {
    for (std::size_t k = sets.size(); k > 1; --k) std::swap(sets[k - 1], sets[random.below(k)]);
  };
  shuffle(two), shuffle(three);
  std::vector<Features> out;
  for (std::size_t k = 0; out.size() < many; ++k) {
    out.push_back(two[k % two.size()]);
    if (out.size() < many) out.push_back(three[k % three.size()]);
  }
  return out;
}

void Counts::add(Path path, Quantity quantity, const Features& features) {
  Cell& cell = cells_[{path, quantity}];
  for (std::size_t k = 0; k < kFeatures; ++k) cell[k] += features[k];
  for (std::size_t i = 0; i < kFeatures; ++i)
    for (std::size_t j = i + 1; j < kFeatures; ++j) pairs_[i][j] += features[i] && features[j];
}

std::size_t Counts::of(Path path, Quantity quantity, Feature feature) const {
  const auto found = cells_.find({path, quantity});
  return found == cells_.end() ? 0 : found->second[static_cast<std::size_t>(feature)];
}

std::string Counts::missing(Path path, std::size_t robots) const {
  std::string text;
  for (const QuantityRow& row : quantities())
    for (std::size_t k = 0; k < kFeatures; ++k)
      if (does_not_exist(path, row.quantity, feature(k)).empty() && of(path, row.quantity, feature(k)) < robots)
        text += cat(to_string(path), ", ", row.id, ", ", kNames[k], ": ", of(path, row.quantity, feature(k)), " robots\n");
  return text;
}

std::string Counts::unexpected(Path path) const {
  std::string text;
  for (const QuantityRow& row : quantities())
    for (std::size_t k = 0; k < kFeatures; ++k)
      if (!does_not_exist(path, row.quantity, feature(k)).empty() && of(path, row.quantity, feature(k)) > 0)
        text += cat(to_string(path), ", ", row.id, ", ", kNames[k], ": said not to exist, and compared\n");
  return text;
}

std::string Counts::tables() const {
  std::string text = "| fewest robots (quantities) |", rule = "\n|---|";
  for (std::size_t path = 0; path < kPaths; ++path) text += cat(" ", title(static_cast<Path>(path)), " |"), rule += "--:|";
  text += rule;
  std::set<std::string_view> reasons;
  for (std::size_t k = 0; k < kFeatures; ++k) {
    text += cat("\n| ", kNames[k], " |");
    for (std::size_t p = 0; p < kPaths; ++p) {
      const auto path = static_cast<Path>(p);
      std::size_t fewest = SIZE_MAX, compared = 0;
      for (const QuantityRow& row : quantities()) {
        const std::string_view reason = does_not_exist(path, row.quantity, feature(k));
        if (!reason.empty()) reasons.insert(reason);
        if (!reason.empty()) continue;
        fewest = std::min(fewest, of(path, row.quantity, feature(k)));
        ++compared;
      }
      text += compared == 0 ? " – |" : cat(" ", fewest, " (", compared, ") |");
    }
  }
  text += "\n\nNot compared:";
  for (const std::string_view reason : reasons) text += cat("\n- ", reason);
  std::size_t pairs = 0, fewest = SIZE_MAX;
  for (std::size_t i = 0; i < kFeatures; ++i)
    for (std::size_t j = i + 1; j < kFeatures; ++j)
      if (cannot_meet(feature(i), feature(j)).empty()) fewest = std::min(fewest, pairs_[i][j]), ++pairs;
  return text + cat("\n\nEach of the ", pairs, " pairs of features met in at least ", fewest, " comparisons, without those in Python.\n");
}

void Counts::write(std::ostream& out) const {
  for (const auto& [where, cell] : cells_)
    for (std::size_t k = 0; k < kFeatures; ++k) out << to_string(where.first) << ' ' << k << ' ' << to_string(where.second) << ' ' << cell[k] << '\n';
  for (std::size_t i = 0; i < kFeatures; ++i)
    for (std::size_t j = i + 1; j < kFeatures; ++j) out << "pair " << i << ' ' << j << ' ' << pairs_[i][j] << '\n';
}

void Counts::read(std::istream& in) {
  std::size_t first = 0, robots = 0;
  std::string what, second;
  while (in >> what >> first >> second >> robots) {
    if (what == "pair") pairs_[first][std::stoul(second)] += robots;
    for (std::size_t k = 0; k < kPaths; ++k)
      if (what == kPathNames[k]) cells_[{static_cast<Path>(k), find_quantity(second)->quantity}][first] += robots;
  }
}

std::string_view does_not_exist(Path path, Quantity quantity, Feature feature) {
  const bool in_loops = quantity == Quantity::inverse || quantity == Quantity::forward || quantity == Quantity::mass || quantity == Quantity::bias ||
                        quantity == Quantity::gravity || quantity == Quantity::energy;
  const bool acts = feature == Feature::wrench || feature == Feature::base_motion;
  if (feature == Feature::loop && !in_loops) return "loops, other quantities: in their own tests";
  switch (path) {
    case Path::templates: return {};
    case Path::one: return {};
    case Path::lanes:
    case Path::columns:
      if (row_of(quantity).of_link && path == Path::lanes) return "lanes: poses and Jacobians";
      if (acts) return "lanes, columns: wrenches and base motion";
      return {};
    case Path::single: return {};
    case Path::generated:
      if (!row_of(quantity).written) return "C: quantities that are not generated";
      return feature == Feature::base_motion ? "C: base motion" : std::string_view();
    case Path::derivative: return feature == Feature::loop ? "loops, other quantities: in their own tests" : std::string_view();
    case Path::python:
      if (acts && feature == Feature::base_motion && quantity == Quantity::regressor) return "Python: the regressor with base motion";
      return {};
    case Path::simulate:
      if (quantity == Quantity::energy && feature == Feature::base_motion) return "`simulate`: energy with base motion";
      if (quantity == Quantity::inverse)
        return moves_base(feature)        ? "`simulate`: prescribed motion on a base that moves"
               : feature == Feature::loop ? "loops, other quantities: in their own tests"
                                          : std::string_view();
      return quantity == Quantity::forward || quantity == Quantity::energy ? std::string_view() : "`simulate`: quantities that are not in a run";
    case Path::campaign:
      if (feature == Feature::loop) return "loops, other quantities: in their own tests";
      if (quantity == Quantity::forward) return {};
      if (row_of(quantity).of_link || quantity == Quantity::energy || quantity == Quantity::momentum) return "`dataset`: quantities that it does not have";
      if (feature == Feature::payload || moves_base(feature) || feature == Feature::locked || acts)
        return "`dataset`: payloads, moving bases, locked joints, wrenches, base motion";
      return {};
    default: return {};
  }
}

}  // namespace ulna::test
