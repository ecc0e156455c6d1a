#include "source/mjcf_inertia.hpp"

#include <algorithm>

#include "source/mjcf_schema.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

Sym3<double> diagonal(const Vec3<double>& moments) { return {moments.x, moments.y, moments.z, 0, 0, 0}; }

MjcfMass read_inertial(const MjcfPlaced& placed, const Element& label, const MjcfSettings& settings) {
  const MjcfDefaults none;
  const MjcfElement element(placed.node, label, none, "");
  const XmlElement own = element.own();
  expect_known(own, "inertial");
  if (!own.has("pos")) own.error("attribute 'pos' is missing", "write pos=\"x y z\", the mass centre");
  const Pose<double> X_BI = placed.X_BF * settings.pose(element);
  MjcfMass out{.mass = own.require_number("mass"), .com = X_BI.p, .R = X_BI.R, .stated = true, .by_inertial = true};
  const std::vector<double> full = own.numbers("fullinertia", 6, 6), moments = own.numbers("diaginertia", 3, 3);
  if (own.has("fullinertia")) {
    if (own.has("diaginertia")) own.error("it has both diaginertia and fullinertia", "keep one of them");
    if (!element.nearest_of(kMjcfOrientations).empty())
      own.error("fullinertia is in the axes of the body, so no orientation may stand beside it", "remove the orientation");
    if (!full.empty()) out.inertia = {full[0], full[1], full[2], full[3], full[4], full[5]};
    out.principal = false;
  } else if (!moments.empty()) {
    out.inertia = diagonal({moments[0], moments[1], moments[2]});
  }
  return out;
}

/// The sum of the geoms. One alone keeps its axes.
MjcfMass mass_of_geoms(const std::vector<MjcfPlaced>& inside, const Element& label, const MjcfDefaults& defaults, const MjcfSettings& settings) {
  MjcfMass out;
  std::vector<GeomMass> known;
  PseudoInertia<double> sum;
  for (const MjcfPlaced& placed : inside) {
    if (placed.node.name() != "geom") continue;
    const std::string_view name = placed.node.node.attribute("name").value();
    const MjcfElement geom(placed.node, label.with(name.empty() ? "<geom>" : cat("<geom> ", in_quotes(name))), defaults, placed.childclass);
    const GeomMass mass = mass_of_geom(geom, placed.X_BF, settings);
    if (mass.verdict == GeomMass::Verdict::unknown && out.unknown == nullptr) out.unknown = &placed, out.what = mass.what;
    if (mass.verdict != GeomMass::Verdict::known) continue;
    known.push_back(mass);
    sum = sum + pseudo_inertia(mass.mass, mass.X_BG.p, congruence(mass.X_BG.R, diagonal(mass.moments)));
  }
  if (known.empty()) return out;
  out.mass = sum.m;
  out.com = (1 / sum.m) * sum.h;
  out.inertia = inertia_about_com(sum);
  out.principal = false;
  out.stated = true;
  if (known.size() == 1) out.com = known[0].X_BG.p, out.R = known[0].X_BG.R, out.inertia = diagonal(known[0].moments), out.principal = true;
  return out;
}

/// boundmass, boundinertia, balanceinertia.
void bound(const MjcfElement& body, const MjcfSettings& settings, MjcfMass& out) {
  const XmlElement own = body.own();
  if (settings.boundmass > out.mass) {
    own.note(out.stated ? cat("its mass ", out.mass, " was raised to boundmass ", settings.boundmass)
                        : cat("it states no mass and gets boundmass ", settings.boundmass,
                              "; MuJoCo takes the numbers of its own pos, which are its place in the parent, for the mass centre in the body"),
             "state its mass");
    out.mass = settings.boundmass;
  }
  if (settings.boundinertia <= 0 && !settings.balance) return;
  MjcfMass principal = in_principal_axes(out);
  Sym3<double>& I = principal.inertia;
  const Sym3<double> stated = I;
  for (double* moment : {&I.xx, &I.yy, &I.zz}) *moment = std::max(*moment, settings.boundinertia);
  if (I != stated) own.note(cat("principal moments were raised to boundinertia ", settings.boundinertia), "state moments that the body has");
  if (settings.balance && (I.xx + I.yy < I.zz || I.xx + I.zz < I.yy || I.yy + I.zz < I.xx)) {
    const double mean = (I.xx + I.yy + I.zz) / 3;
    own.warning(cat("its principal moments ", rounded(I.xx), ", ", rounded(I.yy), ", ", rounded(I.zz),
                    " break the triangle inequality: balanceinertia sets all to their mean"),
                "give moments that a body can have");
    I = diagonal({mean, mean, mean});
  }
  if (I != stated) out = principal;
}

}  // namespace

MjcfMass in_principal_axes(MjcfMass body) {
  if (body.principal) return body;
  const PrincipalAxes axes = principal_axes(body.inertia);  // ascending
  const Mat3<double>& A = axes.R;
  body.R = body.R * Mat3<double>{A.xz, A.xy, -A.xx, A.yz, A.yy, -A.yx, A.zz, A.zy, -A.zx};
  body.inertia = diagonal({axes.moments.z, axes.moments.y, axes.moments.x});
  body.principal = true;
  return body;
}

MjcfMass mass_of_body(const MjcfElement& body, const std::vector<MjcfPlaced>& inside, const MjcfDefaults& defaults, const MjcfSettings& settings) {
  using FromGeoms = MjcfSettings::FromGeoms;
  const Element label = body.own().label();
  const MjcfPlaced* inertial = nullptr;
  for (const MjcfPlaced& placed : inside) {
    if (placed.node.name() != "inertial") continue;
    if (inertial != nullptr)
      placed.node.element(label.with("<inertial>")).error(cat("it is given twice, first in line ", inertial->node.line()), "keep one of them");
    inertial = &placed;
  }
  MjcfMass out;
  if (inertial != nullptr) out = read_inertial(*inertial, label.with("<inertial>"), settings);
  if (settings.from_geoms == FromGeoms::always || (settings.from_geoms == FromGeoms::automatic && inertial == nullptr)) {
    const MjcfMass geoms = mass_of_geoms(inside, label, defaults, settings);
    if (geoms.stated || geoms.unknown != nullptr) out = geoms;
  }
  if (out.unknown != nullptr) return out;
  if (!out.stated) out.com = body.vector("pos", {});  // as MuJoCo has it; it counts where boundmass gives a mass
  bound(body, settings, out);
  return out;
}

}  // namespace ulna::internal
