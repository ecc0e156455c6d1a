#include "emit/symbolic_plan.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "model/text.hpp"

namespace ulna {

namespace {

constexpr const char* kMetres = "m";
constexpr const char* kInertia = "kg m²";

class Symbols {
 public:
  Symbols(const Plan& plan, Graph& graph) : plan_(plan), graph_(graph), made_{plan.cast<Expr>(), {}} {}

  Expr symbol(EquationMark mark, double value, const char* unit, std::string meaning) {
    if (value == 0) return Expr(0);
    const Expr made = graph_.parameters(mark.text(), 1).front();
    made_.symbols.push_back({std::move(mark), value, unit, std::move(meaning)});
    return made;
  }
  Vec3<Expr> vector(const char* letter, std::size_t body, const Vec3<double>& v, const char* unit, const std::string& meaning) {
    const auto entry = [&](double x, const char* axis) { return symbol({letter, cat(body + 1, ",", axis), "", 0}, x, unit, cat(meaning, ", ", axis)); };
    return {entry(v.x, "x"), entry(v.y, "y"), entry(v.z, "z")};
  }
  Sym3<Expr> tensor(const char* letter, std::size_t body, const Sym3<double>& s, const std::string& meaning) {
    const auto entry = [&](double x, const char* axes) { return symbol({letter, cat(body + 1, ",", axes), "", 0}, x, kInertia, cat(meaning, ", ", axes)); };
    return {entry(s.xx, "xx"), entry(s.yy, "yy"), entry(s.zz, "zz"), entry(s.xy, "xy"), entry(s.xz, "xz"), entry(s.yz, "yz")};
  }

  /// A link of a chain reaches along x only: one length says where the next joint is.
  void lengths() {
    for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
      const PlanBody<double>& body = plan_.bodies[i];
      const Vec3<double>& p = body.p_PB;
      if (i > 0 && body.parent == static_cast<int>(i) - 1 && p.x != 0 && p.y == 0 && p.z == 0 && only_child(body.parent))
        at(i).p_PB.x = symbol({"l", cat(i), "", 0}, p.x, kMetres, cat("from joint ", i, " to joint ", i + 1, ", along x of link ", i));
      else
        at(i).p_PB = vector("p", i, p, kMetres, cat("joint ", i + 1, " on ", body.parent < 0 ? "the base" : cat("link ", body.parent + 1)));
    }
  }
  void rotations() {
    for (std::size_t i = 0; i < plan_.bodies.size(); ++i) rotation(i);
  }
  void couplings() {
    for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
      const PlanBody<double>& body = plan_.bodies[i];
      if (std::fabs(body.multiplier) != 1)
        at(i).multiplier = symbol({"k", cat(i + 1), "", 0}, body.multiplier, "", cat("joint ", i + 1, " moves so many times coordinate ", body.q + 1));
      at(i).offset = symbol({"theta", cat(i + 1), "", 0}, body.offset, body.prismatic ? kMetres : "rad", cat("offset of joint ", i + 1));
    }
  }
  void rotors() {
    for (std::size_t i = 0; i < plan_.bodies.size(); ++i)
      at(i).rotor = symbol({"J", cat(i + 1), "", 0}, plan_.bodies[i].rotor, plan_.bodies[i].prismatic ? "kg" : kInertia,
                           cat("rotor of joint ", i + 1, ", times the gear ratio squared"));
  }
  /// Along one axis it is g, positive, and the sign is the structure's.
  void gravity() {
    const Vec3<double>& g = plan_.gravity;
    const std::array<double, 3> from{g.x, g.y, g.z};
    const std::array<Expr*, 3> to{&made_.plan.gravity.x, &made_.plan.gravity.y, &made_.plan.gravity.z};
    const std::array<const char*, 3> axes{"x", "y", "z"};
    const bool alone = (g.x != 0) + (g.y != 0) + (g.z != 0) == 1;
    for (std::size_t k = 0; k < 3; ++k) {
      if (from[k] == 0) continue;
      const Expr size = symbol({"g", alone ? "" : axes[k], "", 0}, alone ? std::fabs(from[k]) : from[k], "m/s²",
                               alone ? cat("gravity, along ", from[k] < 0 ? "-" : "+", axes[k], " of the base") : cat("gravity, ", axes[k]));
      *to[k] = alone && from[k] < 0 ? -size : size;
    }
  }
  PlanBody<Expr>& at(std::size_t body) { return made_.plan.bodies[body]; }
  SymbolicPlan take() { return std::move(made_); }

 private:
  bool only_child(int parent) const {
    int children = 0;
    for (const PlanBody<double>& body : plan_.bodies) children += body.parent == parent;
    return children == 1;
  }

  /// A turn about one axis (and a change of axes) has two numbers, each twice: called cosine and sine of alpha. Other rotations keep their entries.
  void rotation(std::size_t i) {
    const Mat3<double>& R = plan_.bodies[i].R_PB;
    Mat3<Expr>& to = at(i).R_PB;
    const std::array<double, 9> from{R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
    const std::array<Expr*, 9> entry{&to.xx, &to.xy, &to.xz, &to.yx, &to.yy, &to.yz, &to.zx, &to.zy, &to.zz};
    const std::array<const char*, 9> axes{"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < 9; ++k)
      if (from[k] != 0 && std::fabs(from[k]) != 1) open.push_back(k);
    const std::string where = cat("axes of link ", i + 1, " against those of ", plan_.bodies[i].parent < 0 ? "the base" : "its parent");
    constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
    const auto twice = [&](std::size_t a, std::size_t b) { return std::fabs(std::fabs(from[open[a]]) - std::fabs(from[open[b]])) <= kRounding; };
    if (open.size() == 4 && twice(0, 3) && twice(1, 2)) {
      const auto pair = [&](std::size_t a, std::size_t b, const char* letter, const char* name) {
        const double value = from[open[a]];
        const Expr made = symbol({letter, cat("alpha", i + 1), "", 0}, value, "", cat(where, ", ", name));
        *entry[open[a]] = made;
        *entry[open[b]] = from[open[b]] * value < 0 ? -made : made;
      };
      pair(0, 3, "c", "cosine");
      pair(1, 2, "s", "sine");
      return;
    }
    for (const std::size_t k : open) *entry[k] = symbol({"R", cat(i + 1, ",", axes[k]), "", 0}, from[k], "", cat(where, ", ", axes[k]));
  }

  const Plan& plan_;
  Graph& graph_;
  SymbolicPlan made_;
};

/// Entries that are rounding of a subtraction are zeros of the structure.
double clean(double x, double size) { return std::fabs(x) <= 16 * std::numeric_limits<double>::epsilon() * size ? 0 : x; }

}  // namespace

SymbolicPlan with_lumped_symbols(const Plan& plan, Graph& graph) {
  Symbols symbols(plan, graph);
  symbols.couplings();
  symbols.lengths();
  symbols.rotations();
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PseudoInertia<double>& own = plan.bodies[i].lumped;
    PseudoInertia<Expr>& to = symbols.at(i).lumped;
    to.m = symbols.symbol({"mu", cat(i + 1), "", 0}, own.m, "kg", cat("lumped mass of link ", i + 1));
    to.h = symbols.vector("h", i, own.h, "kg m", cat("lumped first moment of link ", i + 1));
    to.S = symbols.tensor("S", i, own.S, cat("lumped second moment of link ", i + 1));
  }
  symbols.rotors();
  symbols.gravity();
  return symbols.take();
}

// The order of the symbols is that of factors in a product and of terms in a sum: inertias, masses, lengths, gravity.
SymbolicPlan with_body_symbols(const Plan& plan, Graph& graph) {
  Symbols symbols(plan, graph);
  const std::size_t n = plan.bodies.size();
  std::vector<Sym3<Expr>> inertia(n);
  std::vector<Expr> mass(n);
  for (std::size_t i = 0; i < n; ++i) {
    Sym3<double> I = inertia_about_com(plan.bodies[i].inertia);
    const double size = std::fabs(I.xx) + std::fabs(I.yy) + std::fabs(I.zz) + std::fabs(plan.bodies[i].inertia.S.trace());
    for (double* x : {&I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz}) *x = clean(*x, size);
    inertia[i] = symbols.tensor("I", i, I, cat("inertia of link ", i + 1, " about its mass centre"));
  }
  symbols.rotors();
  for (std::size_t i = 0; i < n; ++i) mass[i] = symbols.symbol({"m", cat(i + 1), "", 0}, plan.bodies[i].inertia.m, "kg", cat("mass of link ", i + 1));
  symbols.couplings();
  symbols.lengths();
  for (std::size_t i = 0; i < n; ++i) {
    const PseudoInertia<double>& own = plan.bodies[i].inertia;
    Vec3<double> r = own.m == 0 ? Vec3<double>{} : (1 / own.m) * own.h;
    const double size = std::fabs(r.x) + std::fabs(r.y) + std::fabs(r.z);
    r = {clean(r.x, size), clean(r.y, size), clean(r.z, size)};
    const Vec3<Expr> c =
        r.x != 0 && r.y == 0 && r.z == 0
            ? Vec3<Expr>{symbols.symbol({"l", cat("c", i + 1), "", 0}, r.x, kMetres, cat("mass centre of link ", i + 1, " from joint ", i + 1, ", along x")),
                         Expr(0), Expr(0)}
            : symbols.vector("r", i, r, kMetres, cat("mass centre of link ", i + 1, " from joint ", i + 1));
    // S = (tr I / 2) E - I about the mass centre, then moved to the joint.
    const Sym3<Expr>& I = inertia[i];
    const Expr half(0.5);
    PseudoInertia<Expr>& to = symbols.at(i).lumped;
    to.m = mass[i];
    to.h = mass[i] * c;
    to.S = {half * (I.yy + I.zz - I.xx) + to.h.x * c.x,
            half * (I.xx + I.zz - I.yy) + to.h.y * c.y,
            half * (I.xx + I.yy - I.zz) + to.h.z * c.z,
            to.h.x * c.y - I.xy,
            to.h.x * c.z - I.xz,
            to.h.y * c.z - I.yz};
    symbols.at(i).flat = false;  // that S_zz is zero is chance here, and not known to the symbols
  }
  symbols.rotations();
  symbols.gravity();
  return symbols.take();
}

}  // namespace ulna
