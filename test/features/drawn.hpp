// A random robot with the features that are asked for, what acts on it, and its states: the same for the same seed, everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>

#include "features/feature.hpp"
#include "support/random_model.hpp"

namespace ulna::test {

struct DrawOptions {
  int most = 5;             // moving joints
  bool file = false;        // as URDF can say it: gravity along -z, link frames at the joints
  bool tilt = true;         // some angles next to right ones, which are not to be snapped
  bool one_wrench = false;  // in axes of its link
  std::size_t states = 1;
};

struct Drawn {
  std::uint64_t seed = 0;
  Features features;
  Description description;  // on a fixed base, without what follows
  RootJoint base = RootJoint::fixed;
  std::vector<Lock> locks;
  std::optional<Payload> payload;
  std::string payload_link;
  bool rotor = true, friction = false;
  std::vector<Wrench> wrenches;  // on links of `model`
  BaseMotion motion;
  std::size_t link = 0;  // of pose and Jacobian, in `model`
  double snap = kSnap;
  LoopDescription loops;      // none: a tree
  std::vector<State> states;  // q of a robot with loops is of its tree, closed; v and a are of its independent coordinates

  /// As a user makes it: read, put on its base, locked; then loaded.
  Model model() const;
  Model loaded() const;
  Model closed() const;  // with its loops and its load
  Mechanism mechanism() const;
  Effects effects() const;
  bool acts() const { return !wrenches.empty() || has(features, Feature::base_motion); }
  DynamicsOptions options() const;  // with everything compiled

  /// The same robot by none of the library's variants: a locked joint is a fixed one whose frame is where the joint holds it, a load is one more link, rotors
  /// that do not count are none.
  Description apart() const;

  std::string text() const;  // seed, features and what acts, to make it again
};

/// None where M is singular, or nearly so, in one of the states.
std::optional<Drawn> draw(std::uint64_t seed, const Features& features, const DrawOptions& options);

}  // namespace ulna::test
