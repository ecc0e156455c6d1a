#include <ulna/plan/plan.hpp>

namespace ulna {

void lump(Plan& plan, Lumping lumping) {
  for (PlanBody<double>& body : plan.bodies) body.lumped = body.inertia;
  if (lumping == Lumping::none) return;
  for (std::size_t i = plan.bodies.size(); i-- > 0;) {
    PlanBody<double>& body = plan.bodies[i];
    PseudoInertia<double>& own = body.lumped;
    PseudoInertia<double> given;  // to the parent
    if (body.prismatic) {
      // A sliding link only translates against its parent, so its second moments might as well be the parent's. They turn with it and do not
      // depend on where it is.
      given.S = own.S;
      own.S = {};
    } else {
      // Mass on the joint's axis moves with the parent, whatever the joint does: m, h_z, and S_zz of any amount.
      given.m = own.m;
      given.h.z = own.h.z;
      given.S.zz = lumping == Lumping::szz ? own.S.zz : own.S.xx + own.S.zz;
      own.m = 0;
      own.h.z = 0;
      own.S.zz = lumping == Lumping::szz ? 0 : -own.S.xx;
    }
    if (body.parent < 0) continue;  // the base feels no torque that anybody asks for
    PseudoInertia<double>& parent = plan.bodies[static_cast<std::size_t>(body.parent)].lumped;
    parent = parent + moved(given, body.R_PB, body.prismatic ? Vec3<double>{} : body.p_PB);
  }
}

}  // namespace ulna
