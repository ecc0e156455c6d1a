#include "emit/symbol_table.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

constexpr const char* kInertia = "kg m²";

/// Entries that are rounding of a subtraction are zeros of the structure.
double clean(double x, double size) { return std::fabs(x) <= 16 * std::numeric_limits<double>::epsilon() * size ? 0 : x; }

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
      const Expr made = turn_entry(letter, "alpha", of, value, cat(meaning, ", ", name));
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

Expr SymbolTable::turn_entry(const char* letter, const char* angle, const std::string& of, double value, const std::string& meaning) {
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

}  // namespace ulna::internal
