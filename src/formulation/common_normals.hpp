// The geometry that both Denavit-Hartenberg conventions share: the common normal of each pair of neighbouring joint axes, at joint coordinate 0.
#pragma once

#include <limits>
#include <vector>

#include "formulation/frames.hpp"
#include "model/moving_tree.hpp"

namespace ulna::internal {

/// The ends of a common normal: on the axis of its own joint, on the axis of the next.
enum class End { near, far };

/// An angle with its cosine and sine, which are exact at multiples of a right angle.
struct KnownAngle {
  double angle = 0;
  double c = 1;
  double s = 0;
};

/// The common normal of axes k and k+1, in body k, whose frame B_k has the axis of joint k as its z: `near` and `far` are its feet on the two axes,
/// x its unit direction (z component 0), `a` the way from near to far along x, alpha the angle about x from axis k to axis k+1.
/// `start` and x_start are the far foot and the direction of the normal before it, seen in B_k: d and theta lead from there to near and x.
struct CommonNormal {
  Vec3<double> near;
  Vec3<double> far;
  Vec3<double> x{1, 0, 0};
  double a = 0;
  KnownAngle alpha;
  Vec3<double> start;
  Vec3<double> x_start{1, 0, 0};
  double d = 0;
  KnownAngle theta;
};

/// One normal for each body of a chain. Where the model's own frames are all of the convention already, they are kept; else a normal that geometry
/// does not fix is chosen so that parameters vanish. `keep` says at which end of a normal its frame sits: `far` in the standard convention, `near` in
/// the modified one. The last body has no next axis; its normal has a = 0 and alpha = 0 where its link's own frame is not kept.
std::vector<CommonNormal> common_normals(const Model& model, const MovingTree& tree, double snap, End keep);

/// Sum of the offsets between the joints, or of the mass centres where there is none: what a length is compared with.
double chain_size(const MovingTree& tree);

/// Mass, mass centre and inertia about the mass centre of a moving body, in its frame B; the mass centre is 0 when the mass is.
struct MassProperties {
  double mass = 0;
  Vec3<double> com;
  Sym3<double> inertia;
};
/// One for each moving body, summed about the mass centre: a body of one link keeps the digits of its file.
std::vector<MassProperties> mass_properties(const Model& model, const MovingTree& tree);
/// The same in another frame F of the body. What rounding left of zeros is removed.
MassProperties reframed(const MassProperties& body, const Pose<double>& X_BF);

/// Lengths below this part of those that they are the difference of are rounding. A part of the robot's size would not do: a length that is nothing beside the
/// robot counts where a heavy link hangs on it.
inline constexpr double kLengthRounding = 64 * std::numeric_limits<double>::epsilon();

}  // namespace ulna::internal
