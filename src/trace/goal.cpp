#include "trace/goal.hpp"

#include <ulna/dynamics/compute-inl.hpp>

#include "trace/inputs.hpp"

namespace ulna {

Tracer::Tracer(const Plan& plan, Quantity quantity, const SearchOptions& options, ForwardMethod method)
    : quantity_(quantity), rotor_(options.rotor), method_(method), ws_(plan), results_(row_of(quantity).size(plan.nv)) {}

void Tracer::name_quantities() {
  for (std::size_t i = 0; i < ws_.bodies.size(); ++i) {
    const BodyState<Expr>& s = ws_.bodies[i];
    const std::string number = std::to_string(i + 1);
    const auto name = [&](const char* letter, const Expr& x, const char* entry) { graph_.name(x, letter + number + entry); };
    const auto vector = [&](const char* letter, const Vec3<Expr>& v) {
      name(letter, v.x, "_x");
      name(letter, v.y, "_y");
      name(letter, v.z, "_z");
    };
    name("s", s.turn.sin, "");
    name("c", s.turn.cos, "");
    vector("w", s.w_WB_B);
    vector("dw", s.alpha_WB_B);
    vector("a", s.a_WBo_B);
    vector("f", s.f_B);
    vector("n", s.n_B);
    name("U", s.U.xx, "_xx"), name("U", s.U.xy, "_xy"), name("U", s.U.xz, "_xz");
    name("U", s.U.yx, "_yx"), name("U", s.U.yy, "_yy"), name("U", s.U.yz, "_yz");
    name("U", s.U.zx, "_zx"), name("U", s.U.zy, "_zy"), name("U", s.U.zz, "_zz");
    name("m", s.composite.m, "");
    vector("h", s.composite.h);
    name("S", s.composite.S.xx, "_xx"), name("S", s.composite.S.yy, "_yy"), name("S", s.composite.S.zz, "_zz");
    name("S", s.composite.S.xy, "_xy"), name("S", s.composite.S.xz, "_xz"), name("S", s.composite.S.yz, "_yz");
  }
}

const std::vector<Expr>& Tracer::operator()(const Plan& plan) {
  graph_.clear();
  EffectsOf<Expr> effects;
  effects.rotor = rotor_;
  const GraphInputs in(graph_, quantity_, plan.nv);
  kernel::compute(quantity_, plan, ws_, in.of(kNone, method_), results_.data(), effects);
  return results_;
}

}  // namespace ulna
