// What acts on the robot besides its joints' torques, which features of the model count, and its energy and momentum.
#pragma once

#include <ranges>
#include <span>
#include <type_traits>

#include <ulna/export.hpp>
#include <ulna/spatial/vec3.hpp>

namespace ulna ULNA_API {

/// The axes a wrench is given in. World axes are those of the root link.
enum class Axes { link, world };

/// What the environment exerts on a link, at the link's origin.
template <class T>
struct WrenchOf {
  std::size_t link = 0;  // index into Model::links()
  Axes axes = Axes::link;
  Vec3<T> force{};   // [N]
  Vec3<T> moment{};  // about the link's origin [N m]
};

/// Prescribed motion of the root link against an inertial frame, in the root link's axes.
template <class T>
struct BaseMotionOf {
  Vec3<T> angular_velocity{};      // [rad/s]
  Vec3<T> linear_velocity{};       // of its origin [m/s]
  Vec3<T> angular_acceleration{};  // [rad/s²]
  Vec3<T> linear_acceleration{};   // of its origin: what an accelerometer there reads, less gravity [m/s²]
};

/// Wrenches that somebody else keeps. They are looked at when the effects are used, so a temporary does not do: it would be gone by then.
template <class T>
class WrenchesOf : public std::span<const WrenchOf<T>> {
  using Span = std::span<const WrenchOf<T>>;

 public:
  constexpr WrenchesOf() = default;
  constexpr WrenchesOf(const WrenchOf<T>* first, std::size_t count) : Span(first, count) {}
  template <class C>
  requires std::is_constructible_v<Span, C> &&(std::is_lvalue_reference_v<C> || std::ranges::borrowed_range<C>)constexpr WrenchesOf(C&& kept) : Span(kept) {}
};

template <class T>
struct EffectsOf {        // What acts besides the drives.
  bool rotor = true;      // gear² * rotor inertia on the diagonal of the inertia matrix
  bool friction = false;  // viscous * v + coulomb * sign(v), joint side, sign(0) = 0
  BaseMotionOf<T> base{};
  WrenchesOf<T> wrenches{};
};

using Wrench = WrenchOf<double>;          // In doubles.
using BaseMotion = BaseMotionOf<double>;  // In doubles.
using Effects = EffectsOf<double>;        // In doubles.

template <class T>
struct EnergyOf {  // Kinetic and potential energy.
  T kinetic{};     // rotors included where they count [J]
  T potential{};   // of all links; zero if their mass stood at the root link's origin [J]
};

/// About the world's origin, in its axes: those of a root link that is bolted down, or whose motion is prescribed. Rotors are not in it: the model knows their
/// inertia along the joint only.
template <class T>
struct MomentumOf {
  Vec3<T> angular{};  // [N m s]
  Vec3<T> linear{};   // [N s]
};

/// In the world's axes. Rotors are not in it.
template <class T>
struct CentroidalOf {
  Vec3<T> com{};           // mass centre of all links [m]
  Vec3<T> velocity{};      // of it [m/s]
  Vec3<T> angular{};       // momentum about it [N m s]
  Vec3<T> linear{};        // [N s]
  Vec3<T> angular_rate{};  // Ȧ v: of the momentum while v keeps its numbers [N m]
  Vec3<T> linear_rate{};   // [N]
};

using Centroidal = CentroidalOf<double>;  // In doubles.
using Energy = EnergyOf<double>;          // In doubles.
using Momentum = MomentumOf<double>;      // In doubles.

}  // namespace ULNA_API
