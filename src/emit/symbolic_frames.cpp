#include "emit/symbolic_frames.hpp"

#include <array>
#include <cmath>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

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
    row.cos_alpha = symbols.turn_entry("c", "alpha", number, from.cos_alpha, cat("cosine of the twist alpha", where));
    row.sin_alpha = symbols.turn_entry("s", "alpha", number, from.sin_alpha, cat("sine of the twist alpha", where));
    if (from.prismatic) {
      row.cos_theta = symbols.turn_entry("c", "theta", number, from.cos_theta, cat("cosine of the angle theta", where));
      row.sin_theta = symbols.turn_entry("s", "theta", number, from.sin_theta, cat("sine of the angle theta", where));
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

}  // namespace

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

}  // namespace ulna::internal
