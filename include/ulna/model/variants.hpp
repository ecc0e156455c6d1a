// Variants of a model: joints held still, couplings released, gravity changed, a load in the hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna {

Model with_gravity(const Model& model, const Vec3<double>& gravity);

/// Every mimic joint becomes a free joint.
Model with_free_mimics(const Model& model);

/// Holds a joint at a value.
struct Lock {
  std::string joint;
  double value = 0;
};

/// Locked joints become fixed ones at that value; joints that mimic them are held, too. Empty when a name is wrong (see `diagnostics`).
std::optional<Model> with_locked(const Model& model, const std::vector<Lock>& locks, Diagnostics& diagnostics);

/// A load in the robot's hand.
struct Payload {
  double mass = 0;         // kg
  Vec3<double> com{};      // mass centre, link axes, from the link's origin [m]
  Sym3<double> inertia{};  // tensor about that centre, link axes            [kg m²]
};

/// The same robot with the load fixed to a link. Throws std::invalid_argument for a link that is not there and for a load that no body can have: a mass or a
/// principal moment that is negative, moments that break the triangle inequality, numbers that are not finite.
Model with_payload(const Model& model, std::string_view link, const Payload& payload);

}  // namespace ulna
