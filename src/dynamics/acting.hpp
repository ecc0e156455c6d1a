// What acts on a robot in every state that is verified, as it acts on the moving bodies: the links of the merged model (see snapped_model()).
#pragma once

#include <span>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

struct Acting {
  struct Load {
    std::size_t body = 0;  // its index among the moving bodies; one on the base is not in the list
    Pose<double> X_BL{};   // where it acts, and in which axes where these are the link's
    Axes axes = Axes::link;
    Vec3<double> force{}, moment{};
  };
  std::vector<Load> loads{};
  BaseMotion base{};
  bool friction = false, rotor = true;
};

/// Wrenches on links of a model; `snap` as in its plan.
Acting on_bodies(const Model& model, double snap, std::span<const Wrench> wrenches, const BaseMotion& base);

}  // namespace ulna::internal
