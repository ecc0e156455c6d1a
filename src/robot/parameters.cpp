#include "robot/programs.hpp"

namespace ulna::internal::robot {

namespace {

/// f(number, body) for every number that may become a parameter, in a fixed order; body kNone is gravity, and a free base is behind all bodies.
template <class Plan, class F>
void each_number(Plan& plan, F f) {
  for (auto* x : {&plan.gravity.x, &plan.gravity.y, &plan.gravity.z}) f(*x, kNone);
  if (plan.free) {
    auto& I = plan.lumped_base;
    for (auto* x : {&I.m, &I.h.x, &I.h.y, &I.h.z, &I.S.xx, &I.S.yy, &I.S.zz, &I.S.xy, &I.S.xz, &I.S.yz}) f(*x, plan.bodies.size());
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    auto& body = plan.bodies[i];
    auto& I = body.lumped;
    for (auto* x : {&body.offset, &body.p_PB.x, &body.p_PB.y, &body.p_PB.z, &I.m, &I.h.x, &I.h.y, &I.h.z, &I.S.xx, &I.S.yy, &I.S.zz, &I.S.xy, &I.S.xz, &I.S.yz,
                    &body.rotor})
      f(*x, i);
  }
}

void add_rest(const Plan& plan, std::vector<double>& rotations, std::vector<std::uint8_t>& flags) {
  for (const PlanBody<double>& body : plan.bodies) {
    const Mat3<double>& R = body.R_PB;
    rotations.insert(rotations.end(), {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz, body.multiplier});
    flags.push_back(static_cast<std::uint8_t>((body.aligned ? 1 : 0) + (body.flat ? 2 : 0) + (body.still ? 4 : 0) + 8 * body.ball));
  }
  for (const LoopRowsOf<double>& loop : plan.loops)
    for (const Pose<double>* X : {&loop.X_A, &loop.X_B})
      rotations.insert(rotations.end(), {X->R.xx, X->R.xy, X->R.xz, X->R.yx, X->R.yy, X->R.yz, X->R.zx, X->R.zy, X->R.zz, X->p.x, X->p.y, X->p.z});
}

}  // namespace

Pattern::Pattern(const Plan& plan) {
  std::vector<double> own;  // sizes of the parameters of the body at hand
  std::size_t body = kNone;
  std::size_t first = 0;
  each_number(plan, [&](const double& x, std::size_t k) {
    if (k != body) {
      body = k;
      first = count_;
      own.clear();
    }
    const double size = std::fabs(x);
    const int sign = x < 0 ? -1 : 1;
    if (x == 0) return codes_.push_back(0);
    if (size == 1) return codes_.push_back(sign);
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] == size) return codes_.push_back(sign * static_cast<std::int32_t>(2 + first + i));
    own.push_back(size);
    codes_.push_back(sign * static_cast<std::int32_t>(2 + count_++));
  });
  add_rest(plan, rotations_, flags_);
}

PlanOf<Expr> Pattern::symbolic(const Plan& plan, Graph& graph) const {
  const std::vector<Expr> parameters = graph.parameters("parameter", count_);
  PlanOf<Expr> to = plan.cast<Expr>();
  std::size_t at = 0;
  each_number(to, [&](Expr& x, std::size_t) {
    const std::int32_t code = codes_[at++];
    if (std::abs(code) < 2) return;
    const Expr& parameter = parameters[static_cast<std::size_t>(std::abs(code)) - 2];
    x = code < 0 ? -parameter : parameter;
  });
  return to;
}

std::vector<Exact> Pattern::values(const PlanOf<Exact>& plan) const {
  std::vector<Exact> values(count_);
  std::size_t at = 0, next = 0;
  each_number(plan, [&](const Exact& x, std::size_t) {
    const std::int32_t code = codes_[at++];
    if (static_cast<std::size_t>(std::abs(code)) == 2 + next) values[next++] = code < 0 ? -x : x;  // where it stands first
  });
  return values;
}

std::optional<std::vector<double>> Pattern::values(const Plan& plan) const {
  std::vector<double> rotations;
  std::vector<std::uint8_t> flags;
  add_rest(plan, rotations, flags);
  if (rotations != rotations_ || flags != flags_) return std::nullopt;
  std::vector<double> values(count_, 0);
  std::vector<std::uint8_t> known(count_, 0);
  std::size_t at = 0;
  bool holds = true;
  each_number(plan, [&](const double& x, std::size_t) {
    const std::int32_t code = codes_[at++];
    if (std::abs(code) < 2) {
      holds = holds && x == code;
      return;
    }
    const std::size_t k = static_cast<std::size_t>(std::abs(code)) - 2;
    const double value = code < 0 ? -x : x;
    holds = holds && (known[k] == 0 || values[k] == value);
    values[k] = value;
    known[k] = 1;
  });
  if (!holds) return std::nullopt;
  return values;
}

}  // namespace ulna::internal::robot
