#include "features/feature.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

#include "support/random.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

constexpr std::string_view kNames[] = {"mimic",       "loop",         "rotor",     "viscous friction", "Coulomb friction", "payload",    "free base",
                                       "planar base", "locked joint", "prismatic", "far angles",       "wrench",           "base motion"};
constexpr std::string_view kPathNames[] = {"templates", "one", "lanes", "columns", "float", "c", "python", "derivative", "simulate", "campaign"};
constexpr std::string_view kPathTitles[] = {"Templates (C++ without machine code)",
                                            "Machine code, one state",
                                            "Machine code, lanes",
                                            "Machine code, columns",
                                            "Machine code in floats: one state, lanes, columns",
                                            "Generated C, compiled",
                                            "Python",
                                            "`Derivative`, by each input",
                                            "`simulate`",
                                            "`campaign` and `dataset`"};
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

std::string Counts::table(Path path) const {
  std::vector<std::string_view> reasons;
  std::string text = cat("**", title(path), "**\n\n|");
  std::vector<const QuantityRow*> rows;
  for (const QuantityRow& row : quantities()) {
    bool any = false;
    for (std::size_t k = 0; k < kFeatures; ++k) any = any || does_not_exist(path, row.quantity, feature(k)).empty();
    if (any) rows.push_back(&row);
  }
  const auto mark = [&](std::string_view reason) {
    const auto found = std::find(reasons.begin(), reasons.end(), reason);
    const auto index = static_cast<char>(found - reasons.begin());
    if (found == reasons.end()) reasons.push_back(reason);
    return std::string(1, static_cast<char>('a' + index));
  };
  for (const QuantityRow* row : rows) text += cat(" | ", row->id);
  text += " |\n|---|";
  for (std::size_t k = 0; k < rows.size(); ++k) text += "--:|";
  for (std::size_t k = 0; k < kFeatures; ++k) {
    text += cat("\n| ", kNames[k], " |");
    for (const QuantityRow* row : rows) {
      const std::string_view reason = does_not_exist(path, row->quantity, feature(k));
      text += reason.empty() ? cat(" ", of(path, row->quantity, feature(k)), " |") : cat(" ", mark(reason), " |");
    }
  }
  text += "\n\n";
  for (const QuantityRow& row : quantities())
    if (std::find(rows.begin(), rows.end(), &row) == rows.end()) mark(does_not_exist(path, row.quantity, Feature::rotor));
  std::string left;
  for (const QuantityRow& row : quantities())
    if (std::find(rows.begin(), rows.end(), &row) == rows.end())
      left += cat(left.empty() ? "" : ", ", row.id, " (", mark(does_not_exist(path, row.quantity, Feature::rotor)), ")");
  std::string notes;
  for (std::size_t k = 0; k < reasons.size(); ++k) notes += cat(notes.empty() ? "" : "; ", std::string(1, static_cast<char>('a' + k)), ": ", reasons[k]);
  if (!left.empty()) text += cat("Without a column: ", left, ". ");
  if (!notes.empty()) text += cat(notes, ".\n");
  return text;
}

std::string Counts::pairs() const {
  std::string text = "|";
  for (std::size_t k = 1; k < kFeatures; ++k) text += cat(" | ", kNames[k]);
  text += " |\n|---|";
  for (std::size_t k = 1; k < kFeatures; ++k) text += "--:|";
  for (std::size_t i = 0; i + 1 < kFeatures; ++i) {
    text += cat("\n| ", kNames[i], " |");
    for (std::size_t j = 1; j < kFeatures; ++j) text += j <= i ? " |" : !cannot_meet(feature(i), feature(j)).empty() ? " – |" : cat(" ", pairs_[i][j], " |");
  }
  return text + "\n";
}

std::string Counts::tables() const {
  std::string text;
  for (std::size_t k = 0; k < kPaths; ++k) text += table(static_cast<Path>(k)) + "\n";
  return text + "**Pairs of features that met**: robots times quantities, in all paths but Python\n\n" + pairs();
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
  if (feature == Feature::loop && !in_loops) return "of robots with loops in tests of their own";
  switch (path) {
    case Path::templates: return {};
    case Path::one: return {};
    case Path::lanes:
    case Path::columns:
      if (row_of(quantity).of_link && path == Path::lanes) return "poses and Jacobians are not computed in lanes";
      if (acts) return "what acts besides the drives goes with one state";
      return {};
    case Path::single: return {};
    case Path::generated:
      if (!row_of(quantity).written) return "not written as code";
      return feature == Feature::base_motion ? "the motion of the base is no argument of generated functions" : std::string_view();
    case Path::derivative: return feature == Feature::loop ? "of robots with loops in tests of their own" : std::string_view();
    case Path::python:
      if (acts && feature == Feature::base_motion && quantity == Quantity::regressor) return "the regressor takes no motion of the base";
      return {};
    case Path::simulate:
      if (quantity == Quantity::energy && feature == Feature::base_motion) return "energies of a run with a driven base are not stated against the world";
      if (quantity == Quantity::inverse)
        return moves_base(feature)        ? "a motion is prescribed to the joints of a fixed base"
               : feature == Feature::loop ? "compared in its own tests"
                                          : std::string_view();
      return quantity == Quantity::forward || quantity == Quantity::energy ? std::string_view() : "not in a run";
    case Path::campaign:
      if (feature == Feature::loop) return "of robots with loops in tests of their own";
      if (quantity == Quantity::forward) return {};
      if (row_of(quantity).of_link || quantity == Quantity::energy || quantity == Quantity::momentum) return "not in a data set";
      if (feature == Feature::payload || moves_base(feature) || feature == Feature::locked || acts) return "a data set has the robot of a file alone";
      return {};
    default: return {};
  }
}

}  // namespace ulna::test
