#include "verify/terms_in_frames.hpp"

#include <cmath>

#include "formulation/frames.hpp"

namespace ulna::internal {

namespace {

double norm(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

/// Standard frames stand behind the offset a of their row, modified ones ahead of it.
Terms::Chain lengths(const ChainRows<double>& chain, bool standard) {
  Terms::Chain of{{}, norm(chain.gravity_0), norm(chain.X_W0.p)};
  for (std::size_t i = 0; i < chain.rows.size(); ++i) {
    const DhRow<double>& row = chain.rows[i];
    const double a = std::fabs(row.a), inertia = std::fabs(row.inertia.xx) + std::fabs(row.inertia.yy) + std::fabs(row.inertia.zz);
    of.links.push_back({std::fabs(row.d) + (standard ? 0 : a), standard ? a : 0, std::fabs(row.mass), norm(row.com), inertia, norm(chain.X_BF[i].p)});
  }
  return of;
}

}  // namespace

TermsInFrames::TermsInFrames(const Model& merged, const Prepared& prepared, const Acting& acting) : tree_(merged) {
  tree_.act(acting);
  if (prepared.forms().dh) dh_.emplace(merged, lengths(*prepared.forms().dh, true)).act(acting);
  if (prepared.forms().mdh) mdh_.emplace(merged, lengths(*prepared.forms().mdh, false)).act(acting);
}

const Terms& TermsInFrames::in(Frames frames) const {
  if (frames == Frames::dh && dh_) return *dh_;
  if (frames == Frames::mdh && mdh_) return *mdh_;
  return tree_;
}

}  // namespace ulna::internal
