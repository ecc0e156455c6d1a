#include "explain/suspects.hpp"

#include <algorithm>

#include "spatial/rpy.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

double largest(const Sym3<double>& s) { return std::max({std::abs(s.xx), std::abs(s.yy), std::abs(s.zz), std::abs(s.xy), std::abs(s.xz), std::abs(s.yz)}); }

/// c² E - c cᵀ
Sym3<double> steiner(const Vec3<double>& c) {
  return {c.y * c.y + c.z * c.z, c.x * c.x + c.z * c.z, c.x * c.x + c.y * c.y, -c.x * c.y, -c.x * c.z, -c.y * c.z};
}

/// The factor of a mistaken unit, 1000 or a thousandth and the like; 0 when it is none of them.
double unit_factor(double from, double to, std::initializer_list<double> factors) {
  if (from == 0) return 0;
  for (const double f : factors)
    if (std::abs(to / from - f) <= 1e-9 * f) return f;
  return 0;
}

}  // namespace

bool same(double a, double b, double scale) { return std::abs(a - b) <= kSame * std::max({std::abs(a), std::abs(b), scale}); }
bool same(const Vec3<double>& a, const Vec3<double>& b, double scale) { return length(a - b) <= kSame * std::max({length(a), length(b), scale}); }
bool same(const Sym3<double>& a, const Sym3<double>& b) { return largest(a - b) <= kSame * std::max(largest(a), largest(b)); }

std::vector<double> numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
std::vector<double> numbers(const Sym3<double>& s) { return {s.xx, s.yy, s.zz, s.xy, s.xz, s.yz}; }
std::vector<double> numbers(const Pose<double>& X) {
  const Vec3<double> rpy = rpy_of(X.R);
  return {X.p.x, X.p.y, X.p.z, rpy.x, rpy.y, rpy.z};
}
std::string text_of(const Vec3<double>& v) { return cat("(", rounded(v.x), ", ", rounded(v.y), ", ", rounded(v.z), ")"); }
std::string text_of(const Sym3<double>& s) {
  return cat("xx ", rounded(s.xx), ", yy ", rounded(s.yy), ", zz ", rounded(s.zz), ", xy ", rounded(s.xy), ", xz ", rounded(s.xz), ", yz ", rounded(s.yz));
}

std::vector<InertiaFault> inertia_faults(const Link& link) {
  std::vector<InertiaFault> out;
  const Sym3<double>& I = link.inertia;
  const auto add = [&](std::string kind, std::string words, const Sym3<double>& inertia) {
    if (same(inertia, I)) return;
    const bool known = std::any_of(out.begin(), out.end(), [&](const InertiaFault& f) { return same(f.inertia, inertia); });
    if (!known) out.push_back({std::move(kind), std::move(words), inertia});
  };
  const Sym3<double> shift = link.mass * steiner(link.com);
  add("inertia", "it is about the link's origin, not the mass centre", I + shift);
  add("inertia", "it was moved to the mass centre twice", I - shift);
  add("inertia", "its products have the other sign", {I.xx, I.yy, I.zz, -I.xy, -I.xz, -I.yz});
  add("inertia", "its products are left out", {I.xx, I.yy, I.zz, 0, 0, 0});
  add("inertia", "xx and yy have changed places", {I.yy, I.xx, I.zz, I.xy, I.xz, I.yz});
  add("inertia", "yy and zz have changed places", {I.xx, I.zz, I.yy, I.xy, I.xz, I.yz});
  add("inertia", "xx and zz have changed places", {I.zz, I.yy, I.xx, I.xy, I.xz, I.yz});
  add("inertia", "xy and yz have changed places", {I.xx, I.yy, I.zz, I.yz, I.xz, I.xy});
  add("inertia", "xy and xz have changed places", {I.xx, I.yy, I.zz, I.xz, I.xy, I.yz});
  add("inertia", "xz and yz have changed places", {I.xx, I.yy, I.zz, I.xy, I.yz, I.xz});
  // Inertia frame ignored: principal moments on the axes of the link, in any order.
  const Vec3<double> m = principal_moments(I);
  const double p[3] = {m.x, m.y, m.z};
  std::size_t order[3] = {0, 1, 2};
  do {
    add("inertia-frame", "the orientation of its axes is lost", {p[order[0]], p[order[1]], p[order[2]], 0, 0, 0});
  } while (std::next_permutation(order, order + 3));
  return out;
}

std::vector<Edit> compare_link(std::size_t index, const Link& link, const Link& other) {
  std::vector<Edit> edits;
  const std::string name = in_quotes(link.name);
  const auto add = [&](std::string kind, CauseValue from, CauseValue to, std::string edit, std::function<void(Link&)> change) {
    edits.push_back(make_edit(std::move(kind), link.name, std::move(from), std::move(to), std::move(edit),
                              [index, change = std::move(change)](Trial& trial) { change(trial.robot.links[index]); }));
  };
  const auto massless = [](const Link& l) { return l.mass == 0 && l.inertia == Sym3<double>{}; };
  if (massless(link) && massless(other)) return edits;
  if (massless(link) || massless(other)) {
    add("missing-link", {{link.mass}, {}}, {{other.mass}, {}},
        massless(other) ? cat("take mass and inertia off link ", name)
                        : cat("give link ", name, " the mass ", rounded(other.mass), " kg, with mass centre ", text_of(other.com), " m"),
        [other](Link& l) { l.mass = other.mass, l.com = other.com, l.inertia = other.inertia; });
    return edits;
  }
  if (!same(link.mass, other.mass, 0)) {
    const double factor = unit_factor(link.mass, other.mass, {1000, 1e-3});
    add(factor != 0 ? "units" : "mass", {{link.mass}, {}}, {{other.mass}, {}},
        cat("set the mass of link ", name, " to ", rounded(other.mass), " kg", factor != 0 ? ": grams and kilograms" : ""),
        [m = other.mass](Link& l) { l.mass = m; });
  }
  const double reach = std::max(length(link.com), length(other.com));
  if (!same(link.com, other.com, 1e-3)) {
    double factor = 0;
    for (const double f : {1000.0, 1e-3})
      if (reach > 0 && length(other.com - f * link.com) <= 1e-9 * length(other.com)) factor = f;
    add(factor != 0 ? "units" : "mass-centre", {numbers(link.com), {}}, {numbers(other.com), {}},
        cat("set the mass centre of link ", name, " to ", text_of(other.com), " m", factor != 0 ? ": millimetres and metres" : ""),
        [c = other.com](Link& l) { l.com = c; });
  }
  if (!same(link.inertia, other.inertia)) {
    std::string kind = "inertia", why;
    std::vector<std::string> also;
    for (const double f : {1e3, 1e-3, 1e6, 1e-6, 1e9, 1e-9})
      if (same(f * link.inertia, other.inertia)) kind = "units", why = cat("a factor of ", rounded(f));
    // Named from A's numbers or from B's: which side is wrong is unknown.
    const auto look = [&](const Link& right, const Sym3<double>& wrong, std::string_view side) {
      for (const InertiaFault& fault : inertia_faults(right)) {
        if (!same(fault.inertia, wrong)) continue;
        const std::string words = cat("in ", side, " ", fault.words);
        if (why.empty())
          kind = fault.kind, why = words;
        else if (why != words)
          also.push_back(words);
      }
    };
    if (kind != "units") {
      Link as_given = other;  // with the mass and the centre that A has, should these differ
      look(link, other.inertia, "B");
      look(as_given, link.inertia, "A");
      const Vec3<double> one = principal_moments(link.inertia), two = principal_moments(other.inertia);
      if (why.empty() && same(one, two, 0)) kind = "inertia-frame", why = "same principal moments, other axes";
      if (!why.empty() && kind == "inertia" && same(one, two, 0)) also.push_back("inertia-frame: same principal moments, other axes");
    }
    add(kind, {numbers(link.inertia), {}}, {numbers(other.inertia), {}},
        cat("set the inertia of link ", name, " to ", text_of(other.inertia), " kg m²", why.empty() ? "" : cat(" (", why, ")")),
        [I = other.inertia](Link& l) { l.inertia = I; });
    edits.back().cause.also = also;
  }
  return edits;
}

}  // namespace ulna::internal
