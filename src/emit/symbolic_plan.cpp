#include "emit/symbolic_plan.hpp"

#include <algorithm>
#include <cmath>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

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

/// Where the link asked for stands on the body that carries it. At the end of a chain it is a length like the others.
void link_frame(const Plan& plan, SymbolTable& symbols, std::size_t link, PlanOf<Expr>& to) {
  const PlanLink<double>& from = plan.links[link];
  Pose<Expr>& X = to.links[link].X_BL;
  const std::string carrier = from.body == kNone ? "the base" : cat("link ", from.body + 1);
  if (from.body != kNone && along_x(from.X_BL.p) && !has_children(plan, from.body))
    X.p.x = symbols.symbol({"l", cat(from.body + 1), "", 0}, from.X_BL.p.x, kMetres,
                           cat("from joint ", from.body + 1, " to the origin of the link asked for, along x of ", carrier));
  else
    X.p = symbols.vector("p", "L", from.X_BL.p, kMetres, cat("origin of the link asked for, in the axes of ", carrier));
  X.R = symbols.rotation("L", from.X_BL.R, cat("axes of the link asked for against those of ", carrier));
}

}  // namespace

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
    to.bodies[i].flat = false;  // that S_zz is zero is chance here, and not known to the symbols
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
