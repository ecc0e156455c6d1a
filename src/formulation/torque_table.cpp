#include "formulation/torque_table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "formulation/evaluator.hpp"
#include "formulation/table_evaluator.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kDefaultBytes = 4.0 * 1024 * 1024;
constexpr int kMostDefaultNodes = 9;
constexpr double kSpeed = 2, kAcceleration = 4;  // to either side, where the robot's file says nothing

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

/// Of a speed or an acceleration: to either side, and a little farther below, so that no node is 0.
GridAxis about_zero(double reach, int nodes, const char* of) {
  GridAxis axis{nodes, -reach, reach, false, of};
  axis.lower -= axis.spacing() / 8;
  return axis;
}

/// What a row may take.
double allowed(const TableMethod& method) { return method.groups() == 1 ? kTableLimit : kDefaultBytes; }

}  // namespace

std::size_t TableMethod::groups() const {
  std::size_t most = 1;
  for (const TablePart& part : parts) most = std::max(most, part.groups);
  return most;
}

std::size_t TableMethod::entries(std::size_t n) const {
  std::size_t sum = 0;
  for (const TablePart& part : parts) sum += part.entries(n);
  return sum;
}

std::vector<const TableMethod*> table_methods() { return {&albus_method(), &raibert_method(), &horn_raibert_method()}; }

double table_bytes(const TableMethod& method, std::size_t joints, int nodes_per_axis) {
  double numbers = 0;
  for (const TablePart& part : method.parts)
    numbers += static_cast<double>(part.entries(joints)) * std::pow(nodes_per_axis, static_cast<double>(part.groups * joints));
  return sizeof(double) * numbers;
}

std::string_view payload_note() {
  return "A load in the hand changes the inertia of the last link, and with it all nodes of every table: Albus', Raibert's and Horn-Raibert's alike. "
         "The tables must be filled again, or there must be one set for each load; in a recursion only the parameters of one link change.";
}

Grid table_grid(const TableMethod& method, const Prepared& prepared, int nodes_per_axis) {
  Grid grid, speeds, accelerations;
  for (const Joint& joint : prepared.model.joints()) {
    if (joint.type == JointType::fixed) continue;
    grid.push_back(axis_of(joint, nodes_per_axis));
    const double speed = std::isfinite(joint.velocity) && joint.velocity > 0 ? joint.velocity : kSpeed;
    speeds.push_back(about_zero(speed, nodes_per_axis, "velocity of "));
    accelerations.push_back(about_zero(kAcceleration, nodes_per_axis, "acceleration of "));
  }
  if (prepared.forms().dh && nodes_per_axis >= 2)
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = off_the_zeros(grid[i], prepared.forms().dh->rows[i]);
  if (method.groups() > 1) grid.insert(grid.end(), speeds.begin(), speeds.end());
  if (method.groups() > 2) grid.insert(grid.end(), accelerations.begin(), accelerations.end());
  return grid;
}
Grid table_grid(const TableMethod& method, const Prepared& prepared) { return table_grid(method, prepared, default_nodes(method, prepared.size())); }

int default_nodes(const TableMethod& method, std::size_t joints) {
  for (int nodes = kMostDefaultNodes; nodes > 2; --nodes)
    if (table_bytes(method, joints, nodes) <= kDefaultBytes) return nodes;
  return table_bytes(method, joints, 2) <= allowed(method) ? 2 : 0;
}

std::string why_no_table(const TableMethod& method, const Prepared& prepared) {
  if (std::string why = takes_chains(prepared); !why.empty()) return why;
  if (default_nodes(method, prepared.size()) > 0) return {};
  return cat("a table of ", prepared.size(), " joints over ", method.over, " takes ", in_units(table_bytes(method, prepared.size(), 2)),
             " with 2 nodes on each axis, more than the ", in_units(allowed(method)), " allowed");
}

double GridAxis::node(int k) const { return k == cells() ? upper : lower + k * spacing(); }

double GridAxis::inside(double q, std::size_t joint) const {
  if (lower <= q && q <= upper) return q;
  if (wraps && std::isfinite(q)) {
    const double period = upper - lower;
    return std::clamp(q - period * std::floor((q - lower) / period), lower, upper);  // rounding may leave it a hair outside
  }
  const double hair = 1e-7 * std::max(std::abs(lower), std::abs(upper));  // an end that went through a float
  if (lower - hair <= q && q <= upper + hair) return std::clamp(q, lower, upper);
  throw std::out_of_range(cat(of, "joint ", joint + 1, " at ", q, " lies outside its table, which runs from ", lower, " to ", upper));
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

std::string table_note(const TableMethod& method, const Prepared& prepared, std::uint64_t seed) {
  const Grid grid = table_grid(method, prepared);
  TorqueTable table(method, grid);
  table.fill(*prepared.forms().dh);
  const int states = grid.size() > 10 ? 20 : 200;  // 2^axes nodes are read for one
  const TorqueTable::Error error = table.worst_error(*prepared.forms().dh, states, seed);
  return cat("at its nodes; between them up to ", static_cast<int>(std::ceil(100 * error.relative)), " % of the largest torque (", grid.front().nodes,
             method.groups() == 1 ? " nodes a joint, " : " nodes an axis, ", table.bytes(), " bytes)");
}

TorqueTable::TorqueTable(const TableMethod& method, Grid grid, double limit) : method_(&method), grid_(std::move(grid)) {
  const std::size_t n = joints();
  if (n * method.groups() != grid_.size())
    throw std::invalid_argument(cat("the grid has ", grid_.size(), " axes, but a table over ", method.over, " has ", method.groups(), " for each joint"));
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    const GridAxis& axis = grid_[i];
    if (axis.nodes < 2) throw std::invalid_argument(cat(axis.of, "joint ", i % n + 1, " of the table has ", axis.nodes, " nodes; at least 2 are needed"));
    if (!(axis.lower < axis.upper) || !std::isfinite(axis.upper - axis.lower))
      throw std::invalid_argument(cat(axis.of, "joint ", i % n + 1, " of the table runs from ", axis.lower, " to ", axis.upper, "; a finite range is needed"));
  }
  double bytes = 0;
  for (const TablePart& part : method.parts) {
    double nodes = 1;
    for (std::size_t i = 0; i < part.groups * n; ++i) nodes *= grid_[i].nodes;
    bytes += sizeof(double) * nodes * static_cast<double>(part.entries(n));
  }
  if (!(bytes <= limit))
    throw std::invalid_argument(cat("the ", method.name, " table of ", n, " joints would take ", in_units(bytes), ", more than the ", in_units(limit),
                                    " allowed; use fewer nodes per joint"));
  for (const TablePart& of : method.parts) {
    Part& part = parts_.emplace_back();
    part.axes = of.groups * n;
    part.entries = of.entries(n);
    for (std::size_t i = 0; i < part.axes; ++i) part.nodes *= static_cast<std::size_t>(grid_[i].nodes);
    part.values.resize(part.nodes * part.entries);
  }
  looked_up_.resize(method.entries(n));
}

std::size_t TorqueTable::node_count() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.nodes;
  return sum;
}

std::size_t TorqueTable::bytes() const {
  std::size_t sum = 0;
  for (const Part& part : parts_) sum += part.values.size() * sizeof(double);
  return sum;
}

void TorqueTable::fill(const DhChain<double>& chain) {
  const std::size_t n = joints();
  if (chain.size() != n) throw std::invalid_argument(cat("the table has ", n, " joints, but the chain has ", chain.size()));
  const auto start = std::chrono::steady_clock::now();
  chain_ = chain;
  TableSource source(chain);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    std::vector<int> k(part.axes, 0);
    std::vector<double> x(3 * n, 0.0);
    for (std::size_t count = 0; count < part.nodes; ++count) {
      for (std::size_t i = 0; i < part.axes; ++i) x[i] = grid_[i].node(k[i]);
      method_->parts[p].fill(source, x.data(), x.data() + n, x.data() + 2 * n, &part.values[count * part.entries]);
      // The last axis runs fastest.
      for (std::size_t i = part.axes; i-- > 0;) {
        if (++k[i] < grid_[i].nodes) break;
        k[i] = 0;
      }
    }
  }
  fill_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<TorqueTable::Place> TorqueTable::places(const double* q, const double* v, const double* a, double rounding) const {
  constexpr double kHair = 8;
  std::vector<Place> all;
  const std::size_t n = joints();
  const double* const groups[] = {q, v, a};
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    const GridAxis& axis = grid_[i];
    const double given = groups[i / n][i % n];
    const double x = axis.inside(given, i % n), hair = kHair * rounding * std::max({std::abs(axis.lower), std::abs(axis.upper), std::abs(given)});
    int cell = std::clamp(static_cast<int>((x - axis.lower) / axis.spacing()), 0, axis.cells() - 1);
    double part = (x - axis.node(cell)) / (axis.node(cell + 1) - axis.node(cell));
    if (std::abs(x - axis.node(cell)) <= hair) part = 0;
    if (std::abs(x - axis.node(cell + 1)) <= hair) part = 1;
    all.push_back({cell, std::clamp(part, 0.0, 1.0)});
  }
  return all;
}

bool TorqueTable::at_node(const double* q, const double* v, const double* a, double rounding) const {
  const std::vector<Place> place = places(q, v, a, rounding);
  return std::all_of(place.begin(), place.end(), [](const Place& p) { return p.part == 0 || p.part == 1; });
}

void TorqueTable::read(const Part& part, const std::vector<Place>& place, double* out) const {
  // Lower corner of the cell, and where the upper ones are from there. A node has part 0 or 1, so it is met exactly: the axes between nodes are walked alone.
  std::ptrdiff_t corner = 0, stride = 1;
  std::vector<std::ptrdiff_t> step;
  std::vector<double> share;
  for (std::size_t i = part.axes; i-- > 0;) {
    const std::ptrdiff_t up = place[i].cell + 1 < grid_[i].nodes ? stride : -stride * (grid_[i].nodes - 1);  // the last cell of a turn ends at the first node
    corner += place[i].cell * stride + (place[i].part == 1 ? up : 0);
    if (place[i].part > 0 && place[i].part < 1) step.push_back(up), share.push_back(place[i].part);
    stride *= grid_[i].nodes;
  }
  std::fill(out, out + part.entries, 0.0);
  const auto add = [&](const auto& self, std::size_t axis, std::ptrdiff_t index, double weight) -> void {
    if (axis < step.size()) {
      self(self, axis + 1, index, weight * (1 - share[axis]));
      self(self, axis + 1, index + step[axis], weight * share[axis]);
      return;
    }
    const double* value = &part.values[static_cast<std::size_t>(index) * part.entries];
    for (std::size_t e = 0; e < part.entries; ++e) out[e] += weight * value[e];
  };
  add(add, 0, corner, 1);
}

const std::vector<double>& TorqueTable::at(const double* q, const double* v, const double* a, Reading reading, double rounding) {
  if (!filled()) throw std::logic_error("the table is empty: fill() comes first");
  std::vector<Place> place = places(q, v, a, rounding);
  if (reading == Reading::indexed)
    for (Place& p : place) p.part = p.part < 0.5 ? 0 : 1;
  double* out = looked_up_.data();
  for (const Part& part : parts_) {
    read(part, place, out);
    out += part.entries;
  }
  return looked_up_;
}

void TorqueTable::torque(const double* q, const double* v, const double* a, double* tau, Reading reading) {
  method_->sums(joints(), at(q, v, a, reading).data(), v, a, tau);
}

TorqueTable::Error TorqueTable::worst_error(const DhChain<double>& chain, int samples, std::uint64_t seed, Reading reading) {
  const std::size_t n = joints();
  turney::ModifiedNewtonEuler<double, double> arm(chain);
  std::mt19937_64 engine(seed);
  const auto uniform = [&](double low, double high) { return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::vector<double> q(n), v(n), a(n), exact(n), taken(n);
  Error worst;
  double largest = 0;
  for (int sample = 0; sample < samples; ++sample) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = uniform(grid_[i].lower, grid_[i].upper);
      v[i] = method_->groups() > 1 ? uniform(std::max(-1.0, grid_[n + i].lower), std::min(1.0, grid_[n + i].upper)) : uniform(-1, 1);
      a[i] = uniform(-1, 1);
    }
    arm.torque(q.data(), v.data(), a.data(), exact.data());
    torque(q.data(), v.data(), a.data(), taken.data(), reading);
    for (std::size_t i = 0; i < n; ++i) {
      worst.absolute = std::max(worst.absolute, std::abs(taken[i] - exact[i]));
      largest = std::max(largest, std::abs(exact[i]));
    }
  }
  worst.relative = largest > 0 ? worst.absolute / largest : 0;
  return worst;
}

}  // namespace ulna::internal
