#include "trace/search.hpp"

#include <algorithm>
#include <numbers>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr int kRounds = 4;
// A variant whose estimate() is more than this above the best plan's is not traced. The estimate is mostly right, except for lumping, where J_xx and J_yy
// may vanish together, and near the base, where many numbers do not matter.
constexpr long kSlack[] = {0, 3, 6, -1};  // per Move
constexpr long kAnySlack = 1000000;
constexpr long kSumOfAngles = 6;
constexpr std::size_t kFurthestMeeting = 4;  // joints from the base
constexpr std::size_t kMostUnits = 4;
constexpr long kMostWork = 10'000'000;  // operations written down: about a second

bool is_zero(const Vec3<double>& t) { return t.x == 0 && t.y == 0 && t.z == 0; }

/// Candidate displacements of the origin of a body's frame.
std::vector<Reframing> slides(const Plan& plan, std::size_t i) {
  const PlanBody<double>& body = plan.bodies[i];
  std::vector<Reframing> all;
  if (body.ball > 0) return all;  // three axes meet in its origin
  const auto add = [&](Reframing::Kind kind, const Vec3<double>& t) {
    if (!is_zero(t) && std::none_of(all.begin(), all.end(), [&](const Reframing& other) { return other.t == t; })) all.push_back({kind, i, t, 0, {}});
  };
  const Vec3<double> own = tmul(body.R_PB, body.p_PB);  // the joint's own offset, in B
  add(Reframing::slide_by, body.prismatic ? -own : Vec3<double>{0, 0, -own.z});
  if (body.prismatic) add(Reframing::slide_to_com, slide_of(body, Reframing::slide_to_com));
  for (const PlanBody<double>& child : plan.bodies)
    if (child.parent == i) add(Reframing::slide_by, body.prismatic ? child.p_PB : Vec3<double>{0, 0, child.p_PB.z});
  if (!body.prismatic)
    for (const Reframing::Kind kind : {Reframing::slide_sxz, Reframing::slide_syz}) add(kind, slide_of(body, kind));
  return all;
}

/// Candidate angles of rotation about its axis.
std::vector<Reframing> turns(const Plan& plan, std::size_t i) {
  std::vector<Reframing> all;
  if (plan.bodies[i].ball > 0) return all;  // its angles are 0
  const auto add = [&](Reframing::Kind kind, double angle) {
    if (angle != 0) all.push_back({kind, i, {}, angle, {}});
  };
  const auto towards = [&](double y, double x) {
    if (y != 0 && x != 0) add(Reframing::turn_by, std::atan2(y, x));  // not along an axis already
  };
  bool leaf = true;
  for (const PlanBody<double>& child : plan.bodies) {
    if (child.parent != i) continue;
    leaf = false;
    const Vec3<double> z = child.R_PB.column_z();
    towards(z.x, -z.y);                   // x along the common normal of the two axes
    towards(child.p_PB.y, child.p_PB.x);  // or towards the child's origin
  }
  if (leaf)
    for (const Reframing::Kind kind : {Reframing::turn_sxy, Reframing::turn_hy, Reframing::turn_syz}) add(kind, turn_of(plan.bodies[i], kind));
  return all;
}

/// What the numbers of a plan cost, roughly: multiplications and additions with everything that is neither 0 nor ±1. Traces are exact, but take longer.
long estimate(const Plan& plan) {
  const auto some = [](double x) { return x != 0 ? 1 : 0; };
  const auto general = [](double x) { return x != 0 && x != 1 && x != -1 ? 1 : 0; };
  long sum = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    const PseudoInertia<double>& I = body.lumped;
    const Mat3<double>& R = body.R_PB;
    sum += 6 * some(I.m) + 10 * (some(I.h.x) + some(I.h.y) + some(I.h.z)) + 7 * (some(I.S.xy) + some(I.S.xz) + some(I.S.yz)) + 3 * some(I.S.zz);
    sum += general(body.offset);
    if (body.parent == kNone && !plan.free) continue;
    sum += 10 * (some(body.p_PB.x) + some(body.p_PB.y) + some(body.p_PB.z));
    for (const double x : {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}) sum += 10 * general(x);
  }
  return sum;
}

}  // namespace

Searched PlanSearch::done(const Plan& plan, Tracer& tracer, Precision precision, bool framed) {
  PlanSearch quick(plan, tracer, precision, Digits::kQuick, framed);
  quick.run();
  if (Digits(plan, precision, tracer.question().rotor, Digits::kThorough).keep(in_unit(quick.best_), tracer.question())) return quick.found();
  PlanSearch thorough(plan, tracer, precision, Digits::kThorough, framed);
  thorough.run();
  return thorough.found();
}

Searched PlanSearch::found() const {
  const bool cheaper = refused_ && Cost(refused_->counts) < Cost(counts_);
  Digits::Question question = tracer_->question();
  question.form = best_.form;
  return {in_unit(best_), {steps_taken_, best_.choices, best_.unit}, question, counts_, steps_, words(), cheaper ? refused_ : std::nullopt};
}

PlanSearch::PlanSearch(const Plan& plan, Tracer& tracer, Precision precision, std::size_t configurations, bool framed)
    : framed_(framed),
      tracer_(&tracer),
      given_(plan),
      best_{plan, std::vector<LumpChoice>(plan.bodies.size(), LumpChoice{Lumping::none}), 1, tracer.question().form},
      digits_(plan, precision, tracer.question().rotor, configurations),
      slid_(plan.bodies.size()),
      turned_(plan.bodies.size(), 0),
      changed_(plan.bodies.size(), 1),
      tried_(move_count, std::vector<long>(plan.bodies.size(), 0)) {
  best_.plan.links.clear();  // copies are made by the hundred, and torques do not need them
  lump(best_.plan, best_.choices);
  counts_ = measure(best_);
  note("constants folded, equal expressions shared");
}

OperationCounts PlanSearch::measure(const Variant& variant) {
  tracer_->write_as(variant.form);
  const std::vector<Expr>& results = variant.unit == 1 ? (*tracer_)(variant.plan) : (*tracer_)(in_unit(variant));
  const OperationCounts counts = count(tracer_->graph(), results);
  work_ += counts.mul + counts.add;
  return counts;
}

bool PlanSearch::keeps_digits(const Variant& variant, const OperationCounts& counts) {
  if (digits_.keep(in_unit(variant), tracer_->question())) return true;
  if (!refused_ || Cost(counts) < Cost(refused_->counts)) refused_ = {counts, doing_, digits_.growth()};
  return false;
}

bool PlanSearch::take_if_better(Variant&& variant, long slack) {
  lump(variant.plan, variant.choices);
  if (estimate(variant.plan) > estimate(best_.plan) + slack) return false;
  const OperationCounts counts = measure(variant);
  if (counts.sincos > counts_.sincos || !(Cost(counts) < Cost(counts_)) || !keeps_digits(variant, counts)) return false;
  best_ = std::move(variant);
  counts_ = counts;
  return true;
}

bool PlanSearch::take_if_better(Variant&& variant, Move move, std::size_t body) {
  if (!take_if_better(std::move(variant), kSlack[move])) return false;
  ++version_;
  changed_[body] = version_;
  const std::size_t parent = best_.plan.bodies[body].parent;
  if (parent != kNone) changed_[parent] = version_;
  for (std::size_t k = body + 1; k < best_.plan.bodies.size(); ++k)
    if (best_.plan.bodies[k].parent == body) changed_[k] = version_;
  return true;
}

bool PlanSearch::worth_trying(Move move, std::size_t body) {
  long& tried = tried_[move][body];
  if (tried >= changed_[body] || work_ > kMostWork) return false;
  tried = version_;
  return true;
}

void PlanSearch::note(const char* what) {
  for (SearchStep& step : steps_) {
    if (step.what != what) continue;
    if (&step != &steps_.back() && step.counts != counts_) break;  // a later round gained more: reported in its own line
    return;
  }
  if (!steps_.empty() && steps_.back().counts == counts_) return;
  steps_.push_back({what, counts_});
}

void PlanSearch::choose_lumping() {
  for (const Lumping lumping : {Lumping::szz, Lumping::jyy}) {
    Variant variant = best_;
    std::fill(variant.choices.begin(), variant.choices.end(), LumpChoice{lumping});
    take_if_better(std::move(variant), kSlack[move_lumping]);
  }
}

bool PlanSearch::take_if_better(Reframing&& step, Move move) {
  Variant variant = best_;
  reframe(variant.plan, step);
  step.choices = best_.choices;
  if (!take_if_better(std::move(variant), move, step.body)) return false;
  steps_taken_.push_back(std::move(step));
  return true;
}

void PlanSearch::slide_origins() {
  for (std::size_t i = 0; i < best_.plan.bodies.size(); ++i) {
    if (!worth_trying(move_slide, i)) continue;
    for (Reframing& step : slides(best_.plan, i)) {
      const Vec3<double> t = step.t;
      if (!take_if_better(std::move(step), move_slide)) continue;
      slid_[i] = slid_[i] + t;
      break;
    }
  }
}

void PlanSearch::turn_frames() {
  for (std::size_t i = 0; i < best_.plan.bodies.size(); ++i) {
    if (!worth_trying(move_turn, i)) continue;
    Variant stripped = best_;
    strip(stripped.plan, i);
    if (stripped.plan.bodies[i].offset != best_.plan.bodies[i].offset) take_if_better({Reframing::strip_offset, i, {}, 0, {}}, move_turn);
    for (Reframing& step : turns(best_.plan, i)) {
      const double angle = step.angle;
      if (take_if_better(std::move(step), move_turn)) turned_[i] += angle;
    }
  }
}

void PlanSearch::hold_axes() {
  if (still_version_ == version_ || work_ > kMostWork) return;
  // All at once first: axes that stand still one after the other gain more than each of them alone.
  std::vector<std::vector<std::size_t>> groups(1);
  Plan still = best_.plan;
  for (std::size_t i = 0; i < still.bodies.size(); ++i) {
    if (still.bodies[i].still || !hold_still(still, i)) continue;
    groups.front().push_back(i);
    groups.push_back({i});
  }
  for (const std::vector<std::size_t>& group : groups) {
    if (group.empty() || best_.plan.bodies[group.front()].still) continue;
    Variant variant = best_;
    for (const std::size_t i : group) hold_still(variant.plan, i);
    // The sine and cosine of a sum cost six operations where they have to keep their digits (expr/ready.hpp), which are not counted here.
    const OperationCounts before = counts_;
    counts_.add -= kSumOfAngles * static_cast<long>(group.size());
    if (!take_if_better(std::move(variant), kAnySlack)) {
      counts_ = before;
      continue;
    }
    ++version_;
    for (const std::size_t i : group) {
      steps_taken_.push_back({Reframing::hold_axes, i, {}, 0, best_.choices});
      changed_[i] = version_;
    }
  }
  still_version_ = version_;
}

void PlanSearch::choose_lumping_by_link() {
  for (std::size_t i = 0; i < best_.plan.bodies.size(); ++i) {
    if (best_.plan.bodies[i].prismatic || best_.plan.bodies[i].ball > 0 || !worth_trying(move_lumping, i)) continue;
    const Sym3<double> S = best_.plan.bodies[i].lumped.S;
    for (const Lumping lumping : {Lumping::szz, Lumping::jyy, Lumping::jxx}) {
      if (lumping == best_.choices[i].lumping) continue;
      // J_yy = 0 helps a link that is round about its axis, whose J_xx vanishes with it, and one whose axes are principal.
      if (lumping != Lumping::szz && std::fabs(S.xx - S.yy) > kEntryRounding * std::fabs(S.xx) && !(S.xy == 0 && S.xz == 0 && S.yz == 0)) continue;
      Variant variant = best_;
      variant.choices[i].lumping = lumping;
      take_if_better(std::move(variant), move_lumping, i);
    }
  }
}

void PlanSearch::balance_links() {
  for (std::size_t c = 0; c < best_.plan.bodies.size(); ++c) {
    const PlanBody<double> child = best_.plan.bodies[c];
    if (child.parent == kNone || child.prismatic || child.ball > 0 || !worth_trying(move_balance, c)) continue;
    const std::size_t i = child.parent;
    const PseudoInertia<double> own = best_.plan.bodies[i].lumped;  // a copy: an attempt that is taken replaces the plan
    const Vec3<double> z = child.R_PB.column_z();
    const auto attempt = [&](auto change) {
      Variant variant = best_;
      change(variant.choices[i]);
      if (variant.choices[i] != best_.choices[i]) take_if_better(std::move(variant), move_balance, i);
    };
    const auto mass = [&](int axis) { attempt([&](LumpChoice& choice) { choice.mass_to = c, choice.axis = axis; }); };
    const auto moment = [&](int entry) { attempt([&](LumpChoice& choice) { choice.moment_to = c, choice.entry = entry; }); };
    if (child.p_PB.x != 0 && own.h.x != 0) mass(0);
    if (child.p_PB.y != 0 && own.h.y != 0) mass(1);
    if (z.x * z.y != 0 && own.S.xy != 0) moment(0);
    if (z.x * z.z != 0 && own.S.xz != 0) moment(1);
    if (z.y * z.z != 0 && own.S.yz != 0) moment(2);
  }
}

void PlanSearch::choose_length_unit() {
  if (unit_version_ == version_ || best_.plan.free) return;  // forces on a free base are in newtons
  unit_version_ = version_;
  std::vector<std::pair<double, int>> units;  // how often each offset occurs
  const auto add = [&](double x) {
    x = std::fabs(x);
    if (x == 1 || !suits_as_unit(best_.plan, x)) return;
    for (auto& [unit, times] : units)
      if (unit == x) {
        ++times;
        return;
      }
    units.emplace_back(x, 1);
  };
  for (const PlanBody<double>& body : best_.plan.bodies) {
    if (body.prismatic) return;
    if (body.parent == kNone) continue;
    add(body.p_PB.x);
    add(body.p_PB.y);
    add(body.p_PB.z);
  }
  add(best_.plan.gravity.x);
  add(best_.plan.gravity.y);
  add(best_.plan.gravity.z);
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (units.size() > kMostUnits) units.resize(kMostUnits);
  for (const auto& [unit, times] : units) {
    Variant variant = best_;
    variant.unit = unit;
    take_if_better(std::move(variant), kAnySlack);
  }
}

void PlanSearch::choose_form() {
  if (form_version_ == version_ || work_ > kMostWork) return;
  const auto attempt = [this](auto change) {
    Variant variant = best_;
    change(variant.form);
    return variant.form != best_.form && take_if_better(std::move(variant), kAnySlack);
  };
  const auto toggle = [&] {
    attempt([](DerivativeForm& form) { form.absolute = !form.absolute; });
    attempt([](DerivativeForm& form) { form.expanded = !form.expanded; });
    attempt([](DerivativeForm& form) { form.absolute = !form.absolute, form.expanded = !form.expanded; });
  };
  toggle();
  if (tracer_->question().quantity == Quantity::forward_derivatives) attempt([](DerivativeForm& form) { form.by_inverse = !form.by_inverse; });
  const std::size_t most = std::min(best_.plan.bodies.size(), kFurthestMeeting + 1);
  for (std::size_t k = 0; k < most; ++k) attempt([k](DerivativeForm& form) { form.columns = k; });
  for (std::size_t k = 0; k < most; ++k) attempt([k](DerivativeForm& form) { form.rows = form.weights = k; });
  for (std::size_t k = 0; k < most; ++k) attempt([k](DerivativeForm& form) { form.rows = k; });
  for (std::size_t k = 0; k < most; ++k) attempt([k](DerivativeForm& form) { form.weights = k; });
  toggle();
  form_version_ = version_;
}

void PlanSearch::run() {
  const auto by = [this](const char* what, void (PlanSearch::*moves)()) {
    doing_ = what;
    (this->*moves)();
    note(what);
  };
  by("parameters that change no torque moved to the parent links", &PlanSearch::choose_lumping);
  for (int round = 0; round < kRounds; ++round) {
    const OperationCounts before = counts_;
    by("frame origins slid along their axes", &PlanSearch::slide_origins);
    by("frames turned about their axes", &PlanSearch::turn_frames);
    if (!framed_) by("axes of links with a parallel joint beyond them not turned", &PlanSearch::hold_axes);
    by("moved parameters chosen link by link", &PlanSearch::choose_lumping_by_link);
    by("mass on a joint's axis counted to the link where it costs less", &PlanSearch::balance_links);
    if (!framed_) by("length unit chosen", &PlanSearch::choose_length_unit);
    if (!row_of(tracer_->question().quantity).parts.empty()) by("form of the derivatives chosen", &PlanSearch::choose_form);
    if (counts_ == before) break;
  }
}

std::vector<std::string> PlanSearch::words() const {
  std::vector<std::string> all(best_.plan.bodies.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PlanBody<double>& body = best_.plan.bodies[i];
    const LumpChoice& choice = best_.choices[i];
    const auto say = [&](const std::string& text) { all[i] += cat(all[i].empty() ? "" : "; ", text); };
    if (body.prismatic)
      say("second moments moved to the parent");
    else if (body.ball > 0)
      say("ball joint");
    else if (choice.lumping == Lumping::szz)
      say("m, h_z, S_zz moved to the parent");
    else if (choice.lumping != Lumping::none)
      say(cat("m, h_z, ", choice.lumping == Lumping::jyy ? "J_yy" : "J_xx", " moved to the parent"));
    const Vec3<double>& t = slid_[i];
    if (!is_zero(t))
      say(body.prismatic ? cat("origin moved by (", rounded(t.x), ", ", rounded(t.y), ", ", rounded(t.z), ") m") : cat("origin slid by ", rounded(t.z), " m"));
    const double offset = body.offset - given_.bodies[i].offset;
    if (offset != 0)
      say(cat("frame turned by ", rounded(offset * 180 / std::numbers::pi), " degrees"));
    else if (turned_[i] != 0)
      say(cat("frame turned by ", rounded(turned_[i] * 180 / std::numbers::pi), " degrees"));
    if (body.still) say("axes not turned with the joint");
    if (choice.mass_to != kNone) say(cat(choice.axis == 0 ? "h_x" : "h_y", " made 0 by mass on the next axis"));
    if (choice.moment_to != kNone) say(cat(choice.entry == 0 ? "S_xy" : choice.entry == 1 ? "S_xz" : "S_yz", " made 0 by second moments along the next axis"));
    if (best_.unit != 1 && i == 0) say(cat("length unit of all links ", rounded(best_.unit), " m"));
  }
  return all;
}

}  // namespace ulna::internal
