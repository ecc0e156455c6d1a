#include "formulation/horn_raibert.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <type_traits>

#include "formulation/counting.hpp"
#include "formulation/rows.hpp"
#include "formulation/strobing.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"

namespace ulna::internal {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDefaultBytes = 4.0 * 1024 * 1024;
constexpr int kMostDefaultNodes = 9;

double entries_per_node(double n) { return n + n * n + n * n * n; }

std::string in_units(double bytes) {
  constexpr double kMiB = 1024.0 * 1024;
  return bytes < kMiB ? cat(rounded(bytes), " bytes") : cat(rounded(bytes / kMiB), " MiB");
}

/// How far the nodes stay from where terms vanish, 0 to 1.
double clearance(const GridAxis& axis, const DhRow<double>& row) {
  double least = 1;
  for (int k = 0; k < axis.nodes; ++k) {
    const double q = axis.node(k);
    least = std::min(least, row.prismatic ? std::abs(row.d + q) / axis.spacing() : std::abs(std::sin(2 * (row.theta + q))));
  }
  return least;
}

/// The axis whose nodes keep away best; a little less is enough for less width.
GridAxis off_the_zeros(const GridAxis& axis, const DhRow<double>& row) {
  constexpr int kParts = 16, kMostWidening = 6;
  constexpr double kWidthCosts = 0.01;
  const double part = axis.spacing() / kParts;
  GridAxis best = axis;
  double most = -1;
  for (int below = 0; below < (axis.wraps ? kParts : kMostWidening); ++below)
    for (int above = 0; above < (axis.wraps ? 1 : kMostWidening); ++above) {
      GridAxis moved = axis;
      moved.lower += (axis.wraps ? below : -below) * part;
      moved.upper += (axis.wraps ? below : above) * part;
      const double value = clearance(moved, row) - (axis.wraps ? 0 : kWidthCosts * (below + above));
      if (value > most) best = moved, most = value;
    }
  return best;
}

/// Limits that may be missing on either side, for a table.
GridAxis axis_of(const Joint& joint, int nodes) {
  const bool slides = joint.type == JointType::prismatic;
  const bool below = std::isfinite(joint.lower), above = std::isfinite(joint.upper);
  if (!slides && (joint.type == JointType::continuous || !below || !above || joint.upper - joint.lower >= kTurn))
    return {nodes, -std::numbers::pi, std::numbers::pi, true};
  double lower = below ? joint.lower : above ? joint.upper - 2 : -1;
  double upper = above ? joint.upper : lower + 2;
  if (!(lower < upper)) lower -= 0.5, upper = lower + 1;  // a joint that is held in one place still needs a cell around it
  return {nodes, lower, upper, false};
}

}  // namespace

TableSizes table_sizes(std::size_t joints, int nodes_per_axis) {
  const auto n = static_cast<double>(joints);
  const double per_table = std::pow(static_cast<double>(nodes_per_axis), n);
  constexpr double kNumber = sizeof(double);
  return {kNumber * n * per_table * per_table * per_table, kNumber * (n * n * per_table + n * per_table * per_table),
          kNumber * entries_per_node(n) * per_table};
}

std::string_view payload_note() {
  return "A load in the hand changes the inertia of the last link, and with it all nodes of every table: Albus', Raibert's and Horn-Raibert's alike. "
         "The tables must be filled again, or one set be kept for each load; a recursion needs one link's parameters changed.";
}

Grid horn_raibert_grid(const Prepared& prepared, int nodes_per_joint) {
  Grid grid;
  for (const Joint& joint : prepared.model.joints())
    if (joint.type != JointType::fixed) grid.push_back(axis_of(joint, nodes_per_joint));
  if (prepared.forms().dh && nodes_per_joint >= 2)
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = off_the_zeros(grid[i], prepared.forms().dh->rows[i]);
  return grid;
}
Grid horn_raibert_grid(const Prepared& prepared) { return horn_raibert_grid(prepared, horn_raibert_default_nodes(prepared.size())); }

double GridAxis::node(int k) const { return k == cells() ? upper : lower + k * spacing(); }

double GridAxis::inside(double q, std::size_t joint) const {
  if (lower <= q && q <= upper) return q;
  if (wraps && std::isfinite(q)) {
    const double period = upper - lower;
    return std::clamp(q - period * std::floor((q - lower) / period), lower, upper);  // rounding may leave it a hair outside
  }
  const double hair = 1e-7 * std::max(std::abs(lower), std::abs(upper));  // an end that went through a float
  if (lower - hair <= q && q <= upper + hair) return std::clamp(q, lower, upper);
  throw std::out_of_range(cat("joint ", joint + 1, " at ", q, " lies outside its table, which runs from ", lower, " to ", upper));
}

int GridAxis::nearest(double q) const {
  const double x = wraps || std::isnan(q) ? inside(q, 0) : std::clamp(q, lower, upper);
  return static_cast<int>(std::lround((x - lower) / spacing())) % (wraps ? nodes : nodes + 1);
}

std::vector<double> nearest_node(const Grid& grid, const double* q) {
  std::vector<double> nearest;
  for (std::size_t i = 0; i < grid.size(); ++i) nearest.push_back(grid[i].node(grid[i].nearest(q[i])));
  return nearest;
}

HornRaibertTable::HornRaibertTable(Grid grid, double limit) : grid_(std::move(grid)) {
  const auto n = static_cast<double>(grid_.size());
  double bytes = sizeof(double) * entries_per_node(n);
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    const GridAxis& axis = grid_[i];
    if (axis.nodes < 2) throw std::invalid_argument(cat("joint ", i + 1, " of the table has ", axis.nodes, " nodes; at least 2 are needed"));
    if (!(axis.lower < axis.upper) || !std::isfinite(axis.upper - axis.lower))
      throw std::invalid_argument(cat("joint ", i + 1, " of the table runs from ", axis.lower, " to ", axis.upper, "; a finite range is needed"));
    bytes *= axis.nodes;
  }
  if (!(bytes <= limit))
    throw std::invalid_argument(cat("the Horn-Raibert table of ", grid_.size(), " joints would take ", in_units(bytes), ", more than the ", in_units(limit),
                                    " allowed; use fewer nodes per joint"));
  entries_ = static_cast<std::size_t>(entries_per_node(n));
  node_count_ = 1;
  for (const GridAxis& axis : grid_) node_count_ *= static_cast<std::size_t>(axis.nodes);
  values_.resize(node_count_ * entries_);
  looked_up_.resize(entries_);
}

void HornRaibertTable::fill(const DhChain<double>& chain) {
  const std::size_t n = joints();
  if (chain.size() != n) throw std::invalid_argument(cat("the table has ", n, " joints, but the chain has ", chain.size()));
  const auto start = std::chrono::steady_clock::now();
  chain_ = chain;
  turney::Strobing<double, double> arm(chain);
  std::vector<int> k(n, 0);
  std::vector<double> q(n);
  for (std::size_t count = 0; count < node_count_; ++count) {
    for (std::size_t i = 0; i < n; ++i) q[i] = grid_[i].node(k[i]);
    double* G = &values_[count * entries_];
    double* J = G + n;
    double* C = J + n * n;
    arm.gravity(q.data(), G);
    arm.mass(q.data(), J);
    arm.coriolis(q.data(), C);
    // The last joint runs fastest.
    for (std::size_t i = n; i-- > 0;) {
      if (++k[i] < grid_[i].nodes) break;
      k[i] = 0;
    }
  }
  fill_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<HornRaibertTable::Place> HornRaibertTable::places(const double* q, double rounding) const {
  constexpr double kHair = 8;
  std::vector<Place> all;
  for (std::size_t i = 0; i < joints(); ++i) {
    const GridAxis& axis = grid_[i];
    const double x = axis.inside(q[i], i), hair = kHair * rounding * std::max({std::abs(axis.lower), std::abs(axis.upper), std::abs(q[i])});
    int cell = std::clamp(static_cast<int>((x - axis.lower) / axis.spacing()), 0, axis.cells() - 1);
    double part = (x - axis.node(cell)) / (axis.node(cell + 1) - axis.node(cell));
    if (std::abs(x - axis.node(cell)) <= hair) part = 0;
    if (std::abs(x - axis.node(cell + 1)) <= hair) part = 1;
    all.push_back({cell, std::clamp(part, 0.0, 1.0)});
  }
  return all;
}

bool HornRaibertTable::at_node(const double* q, double rounding) const {
  const std::vector<Place> place = places(q, rounding);
  return std::all_of(place.begin(), place.end(), [](const Place& p) { return p.part == 0 || p.part == 1; });
}

const std::vector<double>& HornRaibertTable::at(const double* q, double rounding) {
  if (fill_seconds_ < 0) throw std::logic_error("the table is empty: fill() comes first");
  const std::size_t n = joints();
  // Lower corner of the cell, and where the upper ones are from there. A node has part 0 or 1, so it is met exactly.
  const std::vector<Place> place = places(q, rounding);
  std::ptrdiff_t corner = 0;
  std::vector<std::ptrdiff_t> step(n);
  std::ptrdiff_t stride = 1;
  for (std::size_t i = n; i-- > 0;) {
    step[i] = place[i].cell + 1 < grid_[i].nodes ? stride : -stride * (grid_[i].nodes - 1);  // the last cell of a turn ends at the first node
    corner += place[i].cell * stride;
    stride *= grid_[i].nodes;
  }
  std::fill(looked_up_.begin(), looked_up_.end(), 0.0);
  for (std::size_t bits = 0; bits < (std::size_t{1} << n); ++bits) {
    double weight = 1;
    std::ptrdiff_t index = corner;
    for (std::size_t i = 0; i < n; ++i) {
      const bool upper = (bits >> i) & 1u;
      weight *= upper ? place[i].part : 1 - place[i].part;
      if (upper) index += step[i];
    }
    if (weight == 0) continue;
    const double* value = &values_[static_cast<std::size_t>(index) * entries_];
    for (std::size_t e = 0; e < entries_; ++e) looked_up_[e] += weight * value[e];
  }
  return looked_up_;
}

void HornRaibertTable::torque(const double* q, const double* v, const double* a, double* tau) {
  const std::size_t n = joints();
  const double* G = at(q).data();
  configuration_space_torque(n, G, G + n, G + n + n * n, v, a, tau);
}

HornRaibertTable::Error HornRaibertTable::worst_error(const DhChain<double>& chain, int samples, std::uint64_t seed) {
  const std::size_t n = joints();
  turney::ModifiedNewtonEuler<double, double> arm(chain);
  std::mt19937_64 engine(seed);
  const auto uniform = [&](double low, double high) { return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<double> q(n), v(n), a(n), exact(n), read(n);
  Error worst;
  double largest = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = uniform(grid_[i].lower, grid_[i].upper);
      v[i] = uniform(-1, 1);
      a[i] = uniform(-1, 1);
    }
    arm.torque(q.data(), v.data(), a.data(), exact.data());
    torque(q.data(), v.data(), a.data(), read.data());
    for (std::size_t i = 0; i < n; ++i) {
      worst.absolute = std::max(worst.absolute, std::abs(read[i] - exact[i]));
      largest = std::max(largest, std::abs(exact[i]));
    }
  }
  worst.relative = largest > 0 ? worst.absolute / largest : 0;
  return worst;
}

int horn_raibert_default_nodes(std::size_t joints) {
  for (int nodes = kMostDefaultNodes; nodes > 2; --nodes)
    if (table_sizes(joints, nodes).horn_raibert <= kDefaultBytes) return nodes;
  return table_sizes(joints, 2).horn_raibert <= kHornRaibertLimit ? 2 : 0;
}

namespace {

double number(double x) { return x; }
double number(float x) { return static_cast<double>(x); }
double number(const Counted& x) { return x.value(); }
template <class T>
T looked_up(double x) {
  return T(x);
}
template <>
Counted looked_up<Counted>(double x) {
  return Counted::variable(x);  // a number of the table, never a part of the structure
}
template <>
float looked_up<float>(double x) {
  return static_cast<float>(x);
}

/// The table is in double precision for every T, and filled at the first call.
template <class P, class T>
class HornRaibertEvaluator : public Evaluator<T> {
 public:
  explicit HornRaibertEvaluator(const Prepared& prepared)
      : chain_(*prepared.forms().dh), table_(horn_raibert_grid(prepared)), accepts_(prepared.accept_interpolation) {}

  std::string why_not_here(const T* q) override {
    const std::vector<double> position = numbers(q);
    try {
      if (table_.at_node(position.data(), rounding()) || accepts_) return {};  // asked first: it throws outside of the table, accepting or not
    } catch (const std::out_of_range& outside) {
      return outside.what();
    }
    std::string node;
    for (const double x : nearest_node(table_.grid(), position.data())) node += cat(node.empty() ? "" : ",", x);
    return cat("it looks its numbers up in a table that is right at its nodes only, and this state lies between them; the nearest node is ", node);
  }

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) override {
    refuse(loads);
    const std::size_t n = table_.joints();
    const std::vector<double> position = numbers(q);
    if (!accepts_ && !table_.at_node(position.data(), rounding())) throw std::domain_error(cat("formulation horn-raibert: ", why_not_here(q)));
    if (table_.fill_seconds() < 0) table_.fill(chain_);
    entries_.clear();
    for (const double x : table_.at(position.data(), rounding())) entries_.push_back(looked_up<T>(x));
    configuration_space_torque(n, entries_.data(), entries_.data() + n, entries_.data() + n + n * n, v, a, tau);
  }

  void to_node(T* q) override {
    const std::vector<double> node = nearest_node(table_.grid(), numbers(q).data());
    for (std::size_t i = 0; i < node.size(); ++i) q[i] = looked_up<T>(node[i]);
  }

  void error_bound(const T* q, const T* v, const T* a, double* bound) override {
    if (table_.fill_seconds() < 0) table_.fill(chain_);
    table_.error_bound(numbers(q).data(), numbers(v).data(), numbers(a).data(), bound, rounding());
  }

 private:
  static constexpr double rounding() { return std::is_same_v<T, float> ? 0x1p-23 : 0x1p-52; }
  std::vector<double> numbers(const T* x) const {
    std::vector<double> out(table_.joints());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number(x[i]);
    return out;
  }

  DhChain<double> chain_;
  HornRaibertTable table_;
  bool accepts_;
  std::vector<T> entries_;
};

std::string table_fits(const Prepared& prepared) {
  if (std::string why = takes_chains(prepared); !why.empty()) return why;
  if (horn_raibert_default_nodes(prepared.size()) > 0) return {};
  return cat("a table of ", prepared.size(), " joints takes ", in_units(table_sizes(prepared.size(), 2).horn_raibert),
             " with 2 nodes per joint, more than the ", in_units(kHornRaibertLimit), " allowed");
}

/// What the table costs, and what its interpolation errs.
std::string table_note(const Prepared& prepared, std::uint64_t seed) {
  const Grid grid = horn_raibert_grid(prepared);
  HornRaibertTable table(grid);
  table.fill(*prepared.forms().dh);
  constexpr int kStates = 200;
  const HornRaibertTable::Error error = table.worst_error(*prepared.forms().dh, kStates, seed);
  return cat("at its nodes; between them up to ", static_cast<int>(std::ceil(100 * error.relative)), " % of the largest torque (", grid.front().nodes,
             " nodes a joint, ", table.bytes(), " bytes)");
}

/// The look-up is not counted, so no table is filled for it.
AsWritten count_sums(Quantity, const Prepared& prepared) {
  CountedState s(prepared.size());
  const std::size_t n = s.q.size();
  const std::vector<Counted> G = counted_state(n, 0.3, 0.01), J = counted_state(n * n, 0.3, 0.01), C = counted_state(n * n * n, 0.3, 0.01);
  return {operations_of([&] { configuration_space_torque(n, G.data(), J.data(), C.data(), s.v.data(), s.a.data(), s.out.data()); }), {}};
}

}  // namespace

Formulation horn_raibert_row() {
  Formulation row{};
  row.id = "horn-raibert";
  row.title = "Configuration space method: tables over q";
  row.citation =
      "B. K. P. Horn, M. H. Raibert, Configuration space control, The Industrial Robot, June 1978, 69-73; as in J. M. Hollerbach, A recursive Lagrangian "
      "formulation of manipulator dynamics, IEEE Trans. SMC-10 (1980) 730-736";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, prismatic";
  row.topologies = "serial chains whose table fits";
  row.growth = {.joints = 3};
  row.frames = Frames::dh;
  row.valid_at = ValidAt::table_nodes;
  row.why_not = &table_fits;
  row.why_no_loads = "its table holds the robot's own gravity, inertia and Coriolis terms over q, on a base at rest";
  row.note = &table_note;
  row.count = &count_sums;
  // Not for expressions: finding the cell compares numbers.
  row.make_double = &make_evaluator<HornRaibertEvaluator, double, double>;
  row.make_float = &make_evaluator<HornRaibertEvaluator, float, float>;
  row.make_counted = &make_evaluator<HornRaibertEvaluator, double, Counted>;
  return row;
}

}  // namespace ulna::internal
