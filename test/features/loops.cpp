#include "features/loops.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/verify/verify.hpp>

#include "support/arm.hpp"
#include "support/random_loop.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

using Vector = LoopTruth::Vector;
using V = Vec3<Real>;

RandomLoop drawn_chain(Random& random, bool slides, bool follows) {
  constexpr LoopType kTypes[] = {LoopType::spherical, LoopType::planar, LoopType::cylindrical};
  const LoopType type = kTypes[random.below(3)];
  const std::size_t joints = (type == LoopType::cylindrical ? 4 : 3) + 1 + random.below(2);
  const bool coupled = follows && random.chance(0.5);
  return random_chain(random, {type, joints + coupled, slides, coupled});
}

constexpr const char* kArm = "arm";

}  // namespace

void draw_loop(Random& random, std::uint64_t seed, const DrawOptions& options, Drawn& out) {
  const bool far = has(out.features, Feature::far), slides = has(out.features, Feature::prismatic);
  const bool coupled = has(out.features, Feature::mimic), held = has(out.features, Feature::locked);
  const Vec3<double> gravity = options.file || random.chance(0.5) ? Vec3<double>{0, 0, -9.81} : random.vector(10);
  const int kind = slides ? (random.chance(0.5) ? 1 : 2) : far || random.chance(0.5) ? 0 : 2;
  RandomLoop loop = kind == 0 ? random_crank_rocker(random) : kind == 1 ? random_slider_crank(random) : drawn_chain(random, slides, coupled);
  Description& d = out.description = std::move(loop.robot);
  out.loops = std::move(loop.loops);
  d.name = cat("robot", seed);
  d.gravity = gravity;
  // An arm on one of the links that move: joints that are in no loop, some of which follow, or are held.
  const int arm = std::max((far && kind == 2) + coupled + held, random.integer(0, 1));
  std::string last = d.links[1 + random.below(d.links.size() - 1)].name;
  for (int k = 0; k < arm; ++k) {
    const std::string name = cat(kArm, k);
    d.links.push_back(random_link(name, random));
    d.joints.push_back(joint(name, JointType::revolute, last, name, random.direction()));
    d.joints.back().joint.X_PF = {random.rotation(), random.vector(0.3)};
    if (coupled && k == 0) {
      const double multiplier = random.uniform(-1.5, 1.5), offset = random.uniform(-1, 1);
      couple(d.joints.back(), d.joints[0], multiplier, offset);
    } else if (held && k == coupled) {
      out.locks.push_back({name, random.uniform(-3, 3)});
    } else if (!out.loops.motors.empty()) {
      out.loops.motors.push_back(name);
    }
    last = name;
  }
  for (Description::JointEntry& entry : d.joints)
    if (entry.joint.type != JointType::continuous) entry.joint.lower = -4, entry.joint.upper = 4, entry.joint.effort = 100, entry.joint.velocity = 10;
}

bool draw_closed_state(Random& random, Drawn& out) {
  const Mechanism mechanism = out.mechanism();
  if (mechanism.singularity() < 0.05) return false;
  const Model& tree = mechanism.tree();
  std::vector<double> q = mechanism.reference();
  State s;
  for (const std::size_t k : mechanism.independent()) {
    const Joint& joint = tree.joints()[tree.independent()[k]];
    const bool arm = joint.name.starts_with(kArm), round = joint.type == JointType::continuous;
    q[k] += arm || round ? random.uniform(-3, 3) : random.uniform(-0.25, 0.25);
    if (has(out.features, Feature::far) && (arm || round)) q[k] += (random.chance(0.5) ? 1 : -1) * std::pow(10, random.uniform(3, 5.8));
    q[k] = static_cast<float>(q[k]);
    s.v.push_back(static_cast<float>(random.uniform(-2, 2))), s.a.push_back(static_cast<float>(random.uniform(-2, 2)));
  }
  const LoopTruth truth(out, mechanism, q);
  Vector near = truth.tree().near();
  if (!truth.assemble(near)) return false;
  if (truth.motion(near, wide(s.v), wide(s.a)).spread > 300) return false;  // nearly singular
  for (const std::size_t k : mechanism.dependent()) q[k] = static_cast<double>(near[k]);
  s.q = q;
  out.states.push_back(s);
  return true;
}

LoopTruth::LoopTruth(const Drawn& drawn, const Mechanism& mechanism, const std::vector<double>& q)
    : tree_(drawn, drawn.apart(), q),
      loops_(mechanism.loops()),
      independent_(mechanism.independent()),
      dependent_(mechanism.dependent()),
      reference_(wide(mechanism.reference())),
      nv_(tree_.nv()) {
  for (const Loop& loop : loops_) {
    predecessor_.push_back(*tree_.model().find_link(mechanism.tree().links()[loop.predecessor].name));
    successor_.push_back(*tree_.model().find_link(mechanism.tree().links()[loop.successor].name));
  }
}

Vector LoopTruth::conditions(const Vector& q) const {
  Vector out;
  for (std::size_t k = 0; k < loops_.size(); ++k) {
    const Loop& loop = loops_[k];
    const Pose<Real> A = tree_.reference().pose(q, predecessor_[k]) * loop.X_PA.cast<Real>(),
                     B = tree_.reference().pose(q, successor_[k]) * loop.X_SB.cast<Real>();
    const V d = tmul(A.R, B.p - A.p), n = loop.axis.cast<Real>();
    const V other = std::abs(n.x) < 0.6L ? V{1, 0, 0} : V{0, 1, 0};
    V s = cross(n, other);
    s = (1 / std::sqrt(dot(s, s))) * s;
    const V t = cross(n, s), turned = tmul(A.R, B.R * n);
    const auto meet = [&] { out.insert(out.end(), {d.x, d.y, d.z}); };
    const auto align = [&] { out.insert(out.end(), {dot(s, turned), dot(t, turned)}); };
    switch (loop.type) {
      case LoopType::spherical: meet(); break;
      case LoopType::revolute: meet(), align(); break;
      case LoopType::fixed: meet(), align(), out.push_back(dot(t, tmul(A.R, B.R * s))); break;
      case LoopType::prismatic: out.insert(out.end(), {dot(s, d), dot(t, d)}), align(), out.push_back(dot(t, tmul(A.R, B.R * s))); break;
      case LoopType::cylindrical: out.insert(out.end(), {dot(s, d), dot(t, d)}), align(); break;
      case LoopType::planar: out.push_back(dot(n, d)), align(); break;
    }
  }
  return out;
}

namespace {

constexpr Real kDifference = 0.01L;
constexpr std::pair<int, Real> kFirst[] = {{1, 672}, {2, -168}, {3, 32}, {4, -3}};      // over 840 h
constexpr std::pair<int, Real> kSecond[] = {{1, 8064}, {2, -1008}, {3, 128}, {4, -9}};  // over 5040 h²; the middle has -14350

/// Least squares is not needed: rows that follow from others are left out by the choice of the largest pivots. A x = b for the columns of b.
Vector eliminated(Vector A, std::size_t rows, std::size_t cols, Vector b, std::size_t many, double* spread) {
  std::vector<bool> row_used(rows), col_used(cols);
  std::vector<std::pair<std::size_t, std::size_t>> pivots;
  Real largest = 0, least = 0;
  for (std::size_t step = 0; step < std::min(rows, cols); ++step) {
    Real most = 0;
    std::size_t row = 0, col = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        if (!row_used[i] && !col_used[j] && std::abs(A[i * cols + j]) > most) most = std::abs(A[i * cols + j]), row = i, col = j;
    if (step == 0) largest = most;
    if (!(most > 1e-10L * largest)) break;
    least = most;
    row_used[row] = col_used[col] = true;
    pivots.emplace_back(row, col);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i == row) continue;
      const Real factor = A[i * cols + col] / A[row * cols + col];
      for (std::size_t j = 0; j < cols; ++j) A[i * cols + j] -= factor * A[row * cols + j];
      for (std::size_t c = 0; c < many; ++c) b[i * many + c] -= factor * b[row * many + c];
    }
  }
  Vector x(cols * many, 0);
  for (const auto& [row, col] : pivots)
    for (std::size_t c = 0; c < many; ++c) x[col * many + c] = b[row * many + c] / A[row * cols + col];
  if (spread != nullptr) *spread = pivots.size() < cols ? std::numeric_limits<double>::infinity() : static_cast<double>(std::max<Real>(1, largest) / least);
  return x;
}

}  // namespace

Vector LoopTruth::jacobian(const Vector& q) const {
  const std::size_t rows = conditions(q).size();
  Vector J(rows * nv_, 0);
  for (std::size_t j = 0; j < nv_; ++j)
    for (const auto& [k, weight] : kFirst)
      for (const int sign : {1, -1}) {
        Vector there = q;
        there[j] += sign * k * kDifference;
        const Vector phi = conditions(there);
        for (std::size_t i = 0; i < rows; ++i) J[i * nv_ + j] += sign * weight * phi[i] / (840 * kDifference);
      }
  return J;
}

bool LoopTruth::close(Vector& q) const {
  for (int step = 0; step < 12; ++step) {
    const Vector phi = conditions(q);
    Real worst = 0;
    for (const Real x : phi) worst = std::max(worst, std::abs(x));
    if (worst < 1e-17L) return true;
    if (step == 11) return worst < 1e-15L;
    const Vector J = jacobian(q);
    Vector A(phi.size() * dependent_.size());
    for (std::size_t i = 0; i < phi.size(); ++i)
      for (std::size_t j = 0; j < dependent_.size(); ++j) A[i * dependent_.size() + j] = J[i * nv_ + dependent_[j]];
    const Vector by = eliminated(A, phi.size(), dependent_.size(), phi, 1, nullptr);
    for (std::size_t j = 0; j < dependent_.size(); ++j) q[dependent_[j]] -= by[j];
  }
  return false;
}

bool LoopTruth::assemble(Vector& q) const {
  Vector at = reference_;
  if (!close(at)) return false;
  const Real turn = 2 * std::numbers::pi_v<Real>;
  Vector way(q.size(), 0);
  Real longest = 0;
  for (const std::size_t k : independent_) {
    way[k] = std::remainder(q[k] - at[k], turn);  // slides are shorter than a turn is
    longest = std::max(longest, std::abs(way[k]));
  }
  const int steps = 1 + static_cast<int>(longest / 0.05L);
  for (int s = 1; s <= steps; ++s) {
    const Vector before = at;
    for (const std::size_t k : independent_) at[k] = s == steps ? q[k] : at[k] + way[k] / steps;
    if (!close(at)) return false;
    for (const std::size_t k : dependent_)
      if (std::abs(at[k] - before[k]) > 1) return false;
  }
  q = at;
  return true;
}

LoopTruth::Motion LoopTruth::motion(const Vector& q, const Vector& u, const Vector& u_dot) const {
  Motion out;
  const Vector J = jacobian(q);
  const std::size_t rows = J.size() / nv_, nd = dependent_.size(), m = independent_.size();
  Vector A(rows * nd), b(rows * m);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < nd; ++j) A[i * nd + j] = J[i * nv_ + dependent_[j]];
    for (std::size_t k = 0; k < m; ++k) b[i * m + k] = -J[i * nv_ + independent_[k]];
  }
  const Vector D = eliminated(A, rows, nd, b, m, &out.spread);
  out.G.assign(nv_ * m, 0);
  for (std::size_t k = 0; k < m; ++k) {
    out.G[independent_[k] + k * nv_] = 1;
    for (std::size_t j = 0; j < nd; ++j) out.G[dependent_[j] + k * nv_] = D[j * m + k];
  }
  out.v.assign(nv_, 0), out.a.assign(nv_, 0);
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t i = 0; i < nv_; ++i) out.v[i] += out.G[i + k * nv_] * u[k], out.a[i] += out.G[i + k * nv_] * u_dot[k];
  // What the second time derivative has besides J a.
  Real speed = 1;
  for (const Real x : out.v) speed += std::abs(x);
  const Real h = 0.05L / speed;
  const auto along = [&](Real t) {
    Vector there = q;
    for (std::size_t i = 0; i < nv_; ++i) there[i] += t * out.v[i];
    return conditions(there);
  };
  Vector c = along(0);
  for (Real& x : c) x *= -14350 / (5040 * h * h);
  for (const auto& [k, weight] : kSecond)
    for (const int sign : {1, -1}) {
      const Vector phi = along(sign * k * h);
      for (std::size_t i = 0; i < rows; ++i) c[i] += weight * phi[i] / (5040 * h * h);
    }
  for (Real& x : c) x = -x;
  const Vector gamma = eliminated(A, rows, nd, c, 1, nullptr);
  for (std::size_t j = 0; j < nd; ++j) out.a[dependent_[j]] += gamma[j];
  return out;
}

Vector LoopTruth::value(Quantity quantity, const Vector& q, const Vector& u, const Vector& last) const {
  const std::size_t m = independent_.size();
  const Vector rest(m, 0);
  const auto gathered = [&](const Motion& motion, const Vector& tau) {
    Vector out(m, 0);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < nv_; ++i) out[k] += motion.G[i + k * nv_] * tau[i];
    return out;
  };
  switch (quantity) {
    case Quantity::inverse:
    case Quantity::bias: {
      const Motion at = motion(q, u, quantity == Quantity::bias ? rest : last);
      return gathered(at, tree_.value(Quantity::inverse, q, at.v, at.a));
    }
    case Quantity::gravity: return gathered(motion(q, rest, rest), tree_.value(Quantity::gravity, q, {}, {}));
    case Quantity::mass: {
      const Motion at = motion(q, rest, rest);
      const Vector M = tree_.value(Quantity::mass, q, {}, {});
      Vector out;
      for (std::size_t k = 0; k < m; ++k) {
        Vector column(nv_, 0);
        for (std::size_t i = 0; i < nv_; ++i)
          for (std::size_t j = 0; j < nv_; ++j) column[i] += M[i * nv_ + j] * at.G[j + k * nv_];
        const Vector part = gathered(at, column);
        out.insert(out.end(), part.begin(), part.end());
      }
      return out;
    }
    case Quantity::forward: {
      Vector left = last;
      const Vector bias = value(Quantity::bias, q, u, {});
      for (std::size_t k = 0; k < m; ++k) left[k] -= bias[k];
      return solved(value(Quantity::mass, q, u, {}), left, m);
    }
    case Quantity::energy: return tree_.value(Quantity::energy, q, motion(q, u, rest).v, {});
    default: throw std::logic_error("not of robots with loops");
  }
}

ExpectedLoop::ExpectedLoop(const LoopTruth& truth, const Drawn& drawn, const State& state) : mobility_(state.v.size()), q_(truth.tree().near()) {
  if (!truth.close(q_)) throw std::logic_error("the state is not closed");
  const std::size_t m = mobility_;
  const Vector u = wide(state.v), u_dot = wide(state.a);
  const LoopTruth::Motion motion = truth.motion(q_, u, u_dot);
  State tree{state.q, {}, {}};
  for (const Real x : motion.v) tree.v.push_back(static_cast<double>(x));
  for (const Real x : motion.a) tree.a.push_back(static_cast<double>(x));
  const Expected open(drawn, tree);
  // G errs by roundings times the spread, positions and accelerations of the dependent joints by as much; both enter every torque.
  double G = 1, terms = 0, mass = 0;
  for (const Real x : motion.G) G = std::max(G, static_cast<double>(std::abs(x)));
  for (const double x : open.of(Quantity::inverse).bound) terms += x;
  for (const double x : open.of(Quantity::inverse_derivatives).bound) terms += x;  // by positions, rates and accelerations that are off
  for (const double x : open.of(Quantity::mass).bound) mass += x;
  const double spread = G * motion.spread * motion.spread;
  spread_ = spread;
  for (std::size_t k = 0; k < q_.size(); ++k) closed_.push_back(state.q[k] + static_cast<double>(q_[k] - truth.tree().near()[k]));  // whole turns kept
  v_ = state.v, a_ = state.a;
  values_[Quantity::inverse] = truth.value(Quantity::inverse, q_, u, u_dot);
  for (const Real x : values_[Quantity::inverse]) tau_.push_back(static_cast<double>(x));
  for (const Quantity quantity : kLoopQuantities)
    if (quantity != Quantity::inverse) values_[quantity] = truth.value(quantity, q_, u, quantity == Quantity::forward ? wide(tau_) : u_dot);
  const Vector& M = values_[Quantity::mass];
  Vector unit(m * m, 0);
  for (std::size_t k = 0; k < m; ++k) unit[k * m + k] = 1;
  const Vector inverse = solved(M, unit, m);
  for (const Quantity quantity : kLoopQuantities) {
    std::vector<double>& bound = bounds_[quantity];
    bound.assign(values_[quantity].size(), spread * terms);
    if (quantity == Quantity::mass) std::fill(bound.begin(), bound.end(), G * spread * mass);
    if (quantity == Quantity::energy) bound = {spread * (open.of(Quantity::energy).bound[0] + terms), spread * (open.of(Quantity::energy).bound[1] + terms)};
    if (quantity == Quantity::forward)
      for (std::size_t i = 0; i < m; ++i) {
        bound[i] = 0;
        for (std::size_t j = 0; j < m; ++j) {
          double effort = spread * terms;
          for (std::size_t k = 0; k < m; ++k) effort += G * spread * mass * std::abs(state.a[k]);
          bound[i] += static_cast<double>(std::abs(inverse[i * m + j])) * effort;
        }
      }
  }
}

std::vector<const std::vector<double>*> ExpectedLoop::inputs(Quantity quantity) const {
  std::vector<const std::vector<double>*> out;
  for (const std::string_view name : row_of(quantity).inputs) out.push_back(name == "q" ? &closed_ : name == "v" ? &v_ : name == "a" ? &a_ : &tau_);
  return out;
}

namespace {
constexpr double kFloatRoundings = 0x1p-24 / 0x1p-53;
}  // namespace

bool ExpectedLoop::holds(bool single) const { return !single || verify_tolerance(q_.size()) * kFloatRoundings * spread_ < 1e-2; }

double ExpectedLoop::bound(Quantity quantity, std::size_t number) const { return bounds_.at(quantity)[number]; }

template <class T>
std::string ExpectedLoop::differs(Quantity quantity, const T* got, double* used) const {
  const std::vector<Real>& wanted = values_.at(quantity);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double allowed = (sizeof(T) == 4 ? kFloatRoundings : 1) * verify_tolerance(q_.size()) * bound(quantity, i);
    const auto difference = static_cast<double>(std::abs(static_cast<Real>(got[i]) - wanted[i]));
    if (used != nullptr && difference > 0) *used = std::max(*used, difference / allowed);
    if (!(difference <= allowed))
      return cat(to_string(quantity), ", number ", i, " of ", wanted.size(), " is ", static_cast<double>(got[i]), " for ", static_cast<double>(wanted[i]),
                 ": off by ", difference, ", allowed ", allowed);
  }
  return {};
}
template std::string ExpectedLoop::differs(Quantity, const double*, double*) const;
template std::string ExpectedLoop::differs(Quantity, const float*, double*) const;

}  // namespace ulna::test
