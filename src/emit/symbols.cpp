#include "emit/symbols.hpp"

#include <algorithm>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr const char* kInertia = "kg m²";

/// Entries that are rounding of a subtraction are zeros of the structure.
double clean(double x, double size) { return std::fabs(x) <= 16 * std::numeric_limits<double>::epsilon() * size ? 0 : x; }

double size_of(const Sym3<double>& I, double mass, const Vec3<double>& c) {
  return std::fabs(I.xx) + std::fabs(I.yy) + std::fabs(I.zz) + mass * (c.x * c.x + c.y * c.y + c.z * c.z);
}

/// Frame i of a standard table sits at the far end of link i, of a modified one on the axis of joint i.
ChainRows<Expr> rows_with_symbols(const ChainRows<double>& chain, SymbolTable& symbols) {
  ChainRows<Expr> to = cast_rows<Expr>(chain);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const DhRow<double>& from = chain.rows[i];
    DhRow<Expr>& row = to.rows[i];
    const std::string number = cat(i + 1), where = cat(" of row ", number, " of the table");
    const auto parameter = [&](const char* letter, double value, const char* unit, const char* meaning) {
      return symbols.symbol({letter, number, "", 0}, value, unit, cat(meaning, where));
    };
    row.a = parameter("a", from.a, "m", "length a");
    row.d = parameter("d", from.d, "m", from.prismatic ? "offset d, to which the coordinate is added," : "offset d");
    row.cos_alpha = symbols.sincos_entry("c", "alpha", number, from.cos_alpha, cat("cosine of the twist alpha", where));
    row.sin_alpha = symbols.sincos_entry("s", "alpha", number, from.sin_alpha, cat("sine of the twist alpha", where));
    if (from.prismatic) {
      row.cos_theta = symbols.sincos_entry("c", "theta", number, from.cos_theta, cat("cosine of the angle theta", where));
      row.sin_theta = symbols.sincos_entry("s", "theta", number, from.sin_theta, cat("sine of the angle theta", where));
    } else {
      row.theta = parameter("theta", from.theta, "rad", "angle theta, to which the coordinate is added,");
    }
    row.mass = symbols.symbol({"m", number, "", 0}, from.mass, "kg", cat("mass of link ", number));
    row.com = symbols.centre(i + 1, from.com, cat("the origin of frame ", number));
    row.inertia = symbols.inertia(i + 1, from.inertia, size_of(from.inertia, from.mass, from.com));
  }
  to.gravity_0 = symbols.gravity(chain.gravity_0, "frame 0");
  return to;
}

constexpr const char* kMetres = "m";

bool has_children(const Plan& plan, std::size_t parent) {
  return std::any_of(plan.bodies.begin(), plan.bodies.end(), [&](const PlanBody<double>& body) { return body.parent == parent; });
}
bool only_child(const Plan& plan, std::size_t parent) {
  return std::count_if(plan.bodies.begin(), plan.bodies.end(), [&](const PlanBody<double>& body) { return body.parent == parent; }) == 1;
}
bool along_x(const Vec3<double>& p) { return p.x != 0 && p.y == 0 && p.z == 0; }

/// A link of a chain reaches along x only: one length says where the next joint is.
void lengths(const Plan& plan, SymbolTable& symbols, PlanOf<Expr>& to) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    if (i > 0 && body.parent == i - 1 && along_x(body.p_PB) && only_child(plan, body.parent))
      to.bodies[i].p_PB.x = symbols.symbol({"l", cat(i), "", 0}, body.p_PB.x, kMetres, cat("from joint ", i, " to joint ", i + 1, ", along x of link ", i));
    else
      to.bodies[i].p_PB =
          symbols.vector("p", cat(i + 1), body.p_PB, kMetres, cat("joint ", i + 1, " on ", body.parent == kNone ? "the base" : cat("link ", body.parent + 1)));
  }
}

void rotations(const Plan& plan, SymbolTable& symbols, PlanOf<Expr>& to) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    to.bodies[i].R_PB =
        symbols.rotation(cat(i + 1), body.R_PB, cat("axes of link ", i + 1, " against those of ", body.parent == kNone ? "the base" : "its parent"));
  }
}

void couplings(const Plan& plan, SymbolTable& symbols, PlanOf<Expr>& to) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    if (std::fabs(body.multiplier) != 1)
      to.bodies[i].multiplier =
          symbols.symbol({"k", cat(i + 1), "", 0}, body.multiplier, "", cat("joint ", i + 1, " moves so many times coordinate ", body.q + 1));
    to.bodies[i].offset = symbols.symbol({"theta", cat(i + 1), "", 0}, body.offset, body.prismatic ? kMetres : "rad", cat("offset of joint ", i + 1));
  }
}

void rotors(const Plan& plan, SymbolTable& symbols, PlanOf<Expr>& to) {
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) to.bodies[i].rotor = symbols.rotor(i + 1, plan.bodies[i].rotor, plan.bodies[i].prismatic);
}

/// Where the joints that close loops sit, on both of their links.
void loop_frames(const Plan& plan, SymbolTable& symbols, PlanOf<Expr>& to) {
  for (std::size_t k = 0; k < plan.loops.size(); ++k)
    for (const bool at_A : {true, false}) {
      const LoopRowsOf<double>& loop = plan.loops[k];
      const Pose<double>& from = at_A ? loop.X_A : loop.X_B;
      const std::size_t body = at_A ? loop.body_A : loop.body_B;
      const std::string of = cat(at_A ? "A" : "B", k + 1),
                        meaning = cat("frame ", at_A ? "A" : "B", " of loop ", k + 1, " on ", body == kNone ? "the base" : cat("link ", body + 1));
      Pose<Expr>& X = at_A ? to.loops[k].X_A : to.loops[k].X_B;
      X = {symbols.rotation(of, from.R, "axes of " + meaning), symbols.vector("p", of, from.p, kMetres, "origin of " + meaning)};
    }
}

/// The position of the requested link on its body. At the end of a chain it is a length like the others.
void link_frame(const Plan& plan, SymbolTable& symbols, std::size_t link, PlanOf<Expr>& to) {
  const PlanLink<double>& from = plan.links[link];
  Pose<Expr>& X = to.links[link].X_BL;
  const std::string carrier = from.body == kNone ? "the base" : cat("link ", from.body + 1);
  if (from.body != kNone && along_x(from.X_BL.p) && !has_children(plan, from.body))
    X.p.x = symbols.symbol({"l", cat(from.body + 1), "", 0}, from.X_BL.p.x, kMetres,
                           cat("from joint ", from.body + 1, " to the origin of the requested link, along x of ", carrier));
  else
    X.p = symbols.vector("p", "L", from.X_BL.p, kMetres, cat("origin of the requested link, in the axes of ", carrier));
  X.R = symbols.rotation("L", from.X_BL.R, cat("axes of the requested link against those of ", carrier));
}

}  // namespace

Expr SymbolTable::symbol(EquationMark mark, double value, const char* unit, std::string meaning) {
  if (value == 0) return Expr(0);
  const Expr made = graph_.parameters(mark.text(), 1).front();
  symbols_.push_back({std::move(mark), value, unit, std::move(meaning)});
  return made;
}

Vec3<Expr> SymbolTable::vector(const char* letter, const std::string& of, const Vec3<double>& v, const char* unit, const std::string& meaning) {
  const auto entry = [&](double x, const char* axis) { return symbol({letter, of, "", 0, axis}, x, unit, cat(meaning, ", ", axis)); };
  return {entry(v.x, "x"), entry(v.y, "y"), entry(v.z, "z")};
}

Sym3<Expr> SymbolTable::tensor(const char* letter, const std::string& of, const Sym3<double>& s, const std::string& meaning) {
  const auto entry = [&](double x, const char* axes) { return symbol({letter, of, "", 0, axes}, x, kInertia, cat(meaning, ", ", axes)); };
  return {entry(s.xx, "xx"), entry(s.yy, "yy"), entry(s.zz, "zz"), entry(s.xy, "xy"), entry(s.xz, "xz"), entry(s.yz, "yz")};
}

Mat3<Expr> SymbolTable::rotation(const std::string& of, const Mat3<double>& R, const std::string& meaning) {
  Mat3<Expr> to = R.cast<Expr>();
  const std::array<double, 9> from{R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
  const std::array<Expr*, 9> entry{&to.xx, &to.xy, &to.xz, &to.yx, &to.yy, &to.yz, &to.zx, &to.zy, &to.zz};
  const std::array<const char*, 9> axes{"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < 9; ++k)
    if (from[k] != 0 && std::fabs(from[k]) != 1) open.push_back(k);
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const auto twice = [&](std::size_t a, std::size_t b) { return std::fabs(std::fabs(from[open[a]]) - std::fabs(from[open[b]])) <= kRounding; };
  if (open.size() == 4 && twice(0, 3) && twice(1, 2)) {
    const auto pair = [&](std::size_t a, std::size_t b, const char* letter, const char* name) {
      const double value = from[open[a]];
      const Expr made = sincos_entry(letter, "alpha", of, value, cat(meaning, ", ", name));
      *entry[open[a]] = made;
      *entry[open[b]] = from[open[b]] * value < 0 ? -made : made;
    };
    pair(0, 3, "c", "cosine");
    pair(1, 2, "s", "sine");
    return to;
  }
  for (const std::size_t k : open) *entry[k] = symbol({"R", of, "", 0, axes[k]}, from[k], "", cat(meaning, ", ", axes[k]));
  return to;
}

Expr SymbolTable::sincos_entry(const char* letter, const char* angle, const std::string& of, double value, const std::string& meaning) {
  if (value == 1 || value == -1) return Expr(value);
  return symbol({letter, of, "", 0, {}, angle}, value, "", meaning);
}

Vec3<Expr> SymbolTable::gravity(const Vec3<double>& g, const char* frame) {
  const std::array<double, 3> from{g.x, g.y, g.z};
  const std::array<const char*, 3> axes{"x", "y", "z"};
  const bool alone = (g.x != 0) + (g.y != 0) + (g.z != 0) == 1;
  std::array<Expr, 3> to;
  for (std::size_t k = 0; k < 3; ++k) {
    const Expr size = symbol({"g", alone ? "" : axes[k], "", 0}, alone ? std::fabs(from[k]) : from[k], "m/s²",
                             alone ? cat("gravity, along ", from[k] < 0 ? "-" : "+", axes[k], " of ", frame) : cat("gravity along ", axes[k], " of ", frame));
    to[k] = alone && from[k] < 0 ? -size : size;
  }
  return {to[0], to[1], to[2]};
}

Expr SymbolTable::rotor(std::size_t joint, double value, bool prismatic) {
  return symbol({"J", cat(joint), "", 0}, value, prismatic ? "kg" : kInertia, cat("rotor of joint ", joint, ", times the gear ratio squared"));
}

Vec3<Expr> SymbolTable::centre(std::size_t link, Vec3<double> r, const std::string& from) {
  const double size = std::fabs(r.x) + std::fabs(r.y) + std::fabs(r.z);
  r = {clean(r.x, size), clean(r.y, size), clean(r.z, size)};
  const std::string meaning = cat("mass centre of link ", link, " from ", from);
  if (r.x == 0 || r.y != 0 || r.z != 0) return vector("r", cat(link), r, "m", meaning);
  return {symbol({"l", cat("c", link), "", 0}, r.x, "m", cat(meaning, ", along x")), Expr(0), Expr(0)};
}

Sym3<Expr> SymbolTable::inertia(std::size_t link, Sym3<double> I, double size) {
  for (double* x : {&I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz}) *x = clean(*x, size);
  return tensor("I", cat(link), I, cat("inertia of link ", link, " about its mass centre"));
}

DhChain<Expr> with_symbols(const DhChain<double>& chain, SymbolTable& symbols) { return {rows_with_symbols(chain, symbols)}; }
MdhChain<Expr> with_symbols(const MdhChain<double>& chain, SymbolTable& symbols) { return {rows_with_symbols(chain, symbols)}; }

BodyTree<Expr> with_symbols(const BodyTree<double>& tree, SymbolTable& symbols) {
  BodyTree<Expr> to;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody<double>& from = tree.bodies[i];
    const std::string number = cat(i + 1), carrier = from.parent == kNone ? "the base" : cat("link ", from.parent + 1);
    TreeBody<Expr> body;
    body.parent = from.parent;
    body.prismatic = from.prismatic;
    body.p_PB = symbols.vector("p", number, from.p_PB, "m", cat("joint ", number, " on ", carrier));
    body.R_PB = symbols.rotation(number, from.R_PB, cat("axes of link ", number, " against those of ", carrier));
    body.mass = symbols.symbol({"m", number, "", 0}, from.mass, "kg", cat("mass of link ", number));
    body.com = symbols.centre(i + 1, from.com, cat("joint ", number));
    body.inertia = symbols.inertia(i + 1, from.inertia, size_of(from.inertia, from.mass, from.com));
    to.bodies.push_back(body);
  }
  to.gravity = symbols.gravity(tree.gravity, "the base");
  return to;
}

StanfordArm<Expr> with_symbols(const StanfordArm<double>& from, SymbolTable& symbols) {
  StanfordArm<Expr> to = from.cast<Expr>();
  to.rotor = {};
  const std::array<std::pair<Expr*, double>, 6> lengths{
      {{&to.L1, from.L1}, {&to.L2, from.L2}, {&to.L3, from.L3}, {&to.L4, from.L4}, {&to.L5, from.L5}, {&to.L6, from.L6}}};
  for (std::size_t k = 0; k < 6; ++k)
    *lengths[k].first = symbols.symbol({"L", cat(k + 1), "", 0}, lengths[k].second, "m", cat("length L", k + 1, " of the paper's figure 2"));
  const std::array<std::pair<Expr*, double>, 6> masses{
      {{&to.mA, from.mA}, {&to.mB, from.mB}, {&to.mC, from.mC}, {&to.mD, from.mD}, {&to.mE, from.mE}, {&to.mF, from.mF}}};
  const std::array<std::array<std::pair<Expr*, double>, 3>, 6> moments{{{{{&to.A1, from.A1}, {&to.A2, from.A2}, {&to.A3, from.A3}}},
                                                                        {{{&to.B1, from.B1}, {&to.B2, from.B2}, {&to.B3, from.B3}}},
                                                                        {{{&to.C1, from.C1}, {&to.C2, from.C2}, {&to.C3, from.C3}}},
                                                                        {{{&to.D1, from.D1}, {&to.D2, from.D2}, {&to.D3, from.D3}}},
                                                                        {{{&to.E1, from.E1}, {&to.E2, from.E2}, {&to.E3, from.E3}}},
                                                                        {{{&to.F1, from.F1}, {&to.F2, from.F2}, {&to.F3, from.F3}}}}};
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string body(1, "ABCDEF"[k]);
    *masses[k].first = symbols.symbol({"m", body, "", 0}, masses[k].second, "kg", cat("mass of body ", body));
    for (std::size_t axis = 0; axis < 3; ++axis)
      *moments[k][axis].first = symbols.symbol({body, cat(axis + 1), "", 0}, moments[k][axis].second, "kg m²",
                                               cat("central principal moment of inertia of body ", body, ", axis ", axis + 1));
  }
  to.g = symbols.symbol({"g", "", "", 0}, from.g, "m/s²", "gravity, against the axis of joint 1");
  return to;
}

PlanOf<Expr> with_lumped_symbols(const Plan& plan, SymbolTable& symbols) {
  PlanOf<Expr> to = plan.cast<Expr>();
  couplings(plan, symbols, to);
  lengths(plan, symbols, to);
  rotations(plan, symbols, to);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PseudoInertia<double>& own = plan.bodies[i].lumped;
    PseudoInertia<Expr>& made = to.bodies[i].lumped;
    made.m = symbols.symbol({"mu", cat(i + 1), "", 0}, own.m, "kg", cat("lumped mass of link ", i + 1));
    made.h = symbols.vector("h", cat(i + 1), own.h, "kg m", cat("lumped first moment of link ", i + 1));
    made.S = symbols.tensor("S", cat(i + 1), own.S, cat("lumped second moment of link ", i + 1));
  }
  rotors(plan, symbols, to);
  loop_frames(plan, symbols, to);
  if (plan.free) {
    const PseudoInertia<double>& own = plan.lumped_base;
    to.lumped_base.m = symbols.symbol({"mu", "0", "", 0}, own.m, "kg", "lumped mass of the base");
    to.lumped_base.h = symbols.vector("h", "0", own.h, "kg m", "lumped first moment of the base");
    to.lumped_base.S = symbols.tensor("S", "0", own.S, "lumped second moment of the base");
  }
  to.gravity = symbols.gravity(plan.gravity, plan.free ? "the world" : "the base");
  return to;
}

// The order of the symbols is that of factors in a product and of terms in a sum: inertias, masses, lengths, gravity.
PlanOf<Expr> with_body_symbols(const Plan& plan, SymbolTable& symbols, std::size_t link) {
  PlanOf<Expr> to = plan.cast<Expr>();
  const std::size_t n = plan.bodies.size();
  std::vector<Sym3<Expr>> inertia(n);
  std::vector<Expr> mass(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Sym3<double> I = inertia_about_com(plan.bodies[i].inertia);
    inertia[i] = symbols.inertia(i + 1, I, std::fabs(I.xx) + std::fabs(I.yy) + std::fabs(I.zz) + std::fabs(plan.bodies[i].inertia.S.trace()));
  }
  rotors(plan, symbols, to);
  for (std::size_t i = 0; i < n; ++i) mass[i] = symbols.symbol({"m", cat(i + 1), "", 0}, plan.bodies[i].inertia.m, "kg", cat("mass of link ", i + 1));
  couplings(plan, symbols, to);
  lengths(plan, symbols, to);
  for (std::size_t i = 0; i < n; ++i) {
    const PseudoInertia<double>& own = plan.bodies[i].inertia;
    const Vec3<Expr> c = symbols.centre(i + 1, own.m == 0 ? Vec3<double>{} : (1 / own.m) * own.h, cat("joint ", i + 1));
    // S = (tr I / 2) E - I about the mass centre, then moved to the joint.
    const Sym3<Expr>& I = inertia[i];
    const Expr half(0.5);
    PseudoInertia<Expr> made;
    made.m = mass[i];
    made.h = mass[i] * c;
    made.S = {half * (I.yy + I.zz - I.xx) + made.h.x * c.x,
              half * (I.xx + I.zz - I.yy) + made.h.y * c.y,
              half * (I.xx + I.yy - I.zz) + made.h.z * c.z,
              made.h.x * c.y - I.xy,
              made.h.x * c.z - I.xz,
              made.h.y * c.z - I.yz};
    to.bodies[i].lumped = to.bodies[i].inertia = made;
    to.bodies[i].flat = false;  // that S_zz is zero is a coincidence here, which symbols do not show
  }
  if (link != kNone) link_frame(plan, symbols, link, to);
  rotations(plan, symbols, to);
  loop_frames(plan, symbols, to);
  to.gravity = symbols.gravity(plan.gravity, plan.free ? "the world" : "the base");
  to.base.h = symbols.vector("h", "0", plan.base.h, "kg m", "first moment of the base about its origin");
  if (plan.free) {
    to.base.m = symbols.symbol({"m", "0", "", 0}, plan.base.m, "kg", "mass of the base");
    to.base.S = symbols.tensor("S", "0", plan.base.S, "second moment of the base about its origin");
    to.lumped_base = to.base;
  }
  return to;
}

}  // namespace ulna::internal
