// A load in the robot's hand.
#pragma once

#include <string_view>

#include <ulna/model/model.hpp>

namespace ulna {

struct Payload {
  double mass = 0;         // kg
  Vec3<double> com{};      // mass centre, link axes, from the link's origin [m]
  Sym3<double> inertia{};  // tensor about that centre, link axes            [kg m²]
};

/// The same robot with the load fixed to a link. Throws std::invalid_argument for a link that is not there and for a load that no body can have: a mass or a
/// principal moment that is negative, moments that break the triangle inequality, numbers that are not finite.
Model with_payload(const Model& model, std::string_view link, const Payload& payload);

}  // namespace ulna
