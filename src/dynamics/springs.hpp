// Springs at joints and gravity compensation of links, as MJCF states them: torques of q alone, which the drives need not give.
#pragma once

#include <optional>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// Of the tree: of a robot with loops, the torques are those of nv_tree() speeds. One thread's own.
class Springs {
 public:
  struct Acting {
    bool springs = true, compensation = true;
  };
  Springs(const Model& model, const Acting& acting);
  explicit Springs(const Model& model) : Springs(model, Acting{}) {}

  /// What the drives give besides inverse dynamics: stiffness (q - rest) at each joint, less what holds each link's share gravcomp of its mass. A ball joint's
  /// spring turns it back along its rotation vector.
  void add_to(const double* q, double* tau);

 private:
  Model tree_;
  std::vector<std::size_t> places_;  // where q has the coordinates of the joints
  bool springs_;
  std::optional<Plan> carried_;
  std::optional<Workspace> ws_;
  std::vector<double> held_;
};

}  // namespace ulna::internal
