#include "model/nonsingular.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <ulna/model/reduce.hpp>

#include "model/motion.hpp"

namespace ulna {

namespace {

/// How one joint coordinate of the tree follows the independent ones.
struct Coordinate {
  std::size_t index;
  double multiplier;
  double offset;
};

std::vector<Coordinate> coordinates_of(const Model& model, const MovingTree& tree) {
  std::vector<std::size_t> index_of_joint(model.joints().size(), 0);
  for (std::size_t k = 0; k < model.independent().size(); ++k) index_of_joint[static_cast<std::size_t>(model.independent()[k])] = k;
  std::vector<Coordinate> coordinates;
  for (const MovingBody& body : tree.bodies) {
    const auto j = static_cast<std::size_t>(body.joint);
    const std::optional<Mimic>& mimic = model.joints()[j].mimic;
    if (mimic)
      coordinates.push_back({index_of_joint[static_cast<std::size_t>(mimic->leader)], mimic->multiplier, mimic->offset});
    else
      coordinates.push_back({index_of_joint[j], 1, 0});
  }
  return coordinates;
}

/// Composite bodies in world axes, each about its own joint's origin so that nothing cancels far from the base. Row-major nv x nv, zeros where
/// two joints share no path. Plain and slow: it runs once per model and shares no code with the kernels.
std::vector<double> inertia_matrix(const Model& model, const MovingTree& tree, const std::vector<Coordinate>& coordinates, const std::vector<double>& q,
                                   bool rotor) {
  const std::size_t n = tree.bodies.size();
  const std::size_t nv = model.independent().size();
  std::vector<Pose<double>> X_WB(n);
  std::vector<PseudoInertia<double>> composite(n);
  for (std::size_t i = 0; i < n; ++i) {
    const MovingBody& body = tree.bodies[i];
    const bool prismatic = model.joints()[static_cast<std::size_t>(body.joint)].type == JointType::prismatic;
    const double qi = coordinates[i].multiplier * q[coordinates[i].index] + coordinates[i].offset;
    const Pose<double> motion = prismatic ? Pose<double>{Mat3<double>::identity(), {0, 0, qi}} : Pose<double>{rotation_z(qi), {}};
    X_WB[i] = (body.parent < 0 ? body.X_PB : X_WB[static_cast<std::size_t>(body.parent)] * body.X_PB) * motion;
    composite[i] = moved(body.inertia, X_WB[i].R, Vec3<double>{});
  }
  std::vector<double> M(nv * nv, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(tree.bodies[i].joint)];
    const Vec3<double> z = X_WB[i].R.column_z();
    const PseudoInertia<double>& c = composite[i];
    // Momentum of everything beyond joint i when it moves at unit rate, about its origin.
    Vec3<double> linear = joint.type == JointType::prismatic ? c.m * z : cross(z, c.h);
    Vec3<double> angular = joint.type == JointType::prismatic ? cross(c.h, z) : c.J() * z;
    for (std::size_t j = i;;) {
      const Vec3<double> zj = X_WB[j].R.column_z();
      const bool prismatic = model.joints()[static_cast<std::size_t>(tree.bodies[j].joint)].type == JointType::prismatic;
      double value = coordinates[i].multiplier * coordinates[j].multiplier * (prismatic ? dot(zj, linear) : dot(zj, angular));
      if (i == j && rotor) value += coordinates[i].multiplier * coordinates[i].multiplier * joint.gear * joint.gear * joint.rotor;
      const std::size_t row = coordinates[i].index, col = coordinates[j].index;
      M[row * nv + col] += value;
      if (i != j) M[col * nv + row] += value;
      const int parent = tree.bodies[j].parent;
      if (parent < 0) break;
      const auto p = static_cast<std::size_t>(parent);
      angular = angular + cross(X_WB[j].p - X_WB[p].p, linear);
      j = p;
    }
    const int parent = tree.bodies[i].parent;
    if (parent < 0) continue;
    const auto p = static_cast<std::size_t>(parent);
    composite[p] = composite[p] + moved(c, Mat3<double>::identity(), X_WB[i].p - X_WB[p].p);
  }
  return M;
}

}  // namespace

std::vector<int> singular_joints(const Model& model, bool rotor) {
  const MovingTree tree = merge_fixed(model, 0);
  const std::vector<Coordinate> coordinates = coordinates_of(model, tree);
  const std::size_t nv = model.independent().size();
  std::vector<bool> singular(nv, true);
  std::uint64_t state = 0x9e3779b97f4a7c15u;  // a fixed sequence: the verdict on a file never changes
  const auto any_left = [&] { return std::find(singular.begin(), singular.end(), true) != singular.end(); };
  for (int attempt = 0; attempt < 3 && any_left(); ++attempt) {
    std::vector<double> q(nv);
    for (double& qi : q) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      qi = static_cast<double>(state >> 11) * 0x1p-53 * 2 - 1;
    }
    std::vector<double> M = inertia_matrix(model, tree, coordinates, q, rotor);
    std::vector<double> diagonal(nv);
    for (std::size_t k = 0; k < nv; ++k) diagonal[k] = M[k * nv + k];
    // Pivots from the tips to the base: each one is the inertia felt at a joint with all joints beyond it free.
    const double noise = 16 * static_cast<double>(nv + 4) * std::numeric_limits<double>::epsilon();
    for (std::size_t k = nv; k-- > 0;) {
      const double pivot = M[k * nv + k];
      if (!(pivot > noise * diagonal[k])) continue;  // leave it out, so that one fault is named once
      singular[k] = false;
      for (std::size_t i = 0; i < k; ++i) {
        const double factor = M[k * nv + i] / pivot;
        if (factor == 0) continue;
        for (std::size_t j = 0; j <= i; ++j) M[i * nv + j] = M[j * nv + i] = M[i * nv + j] - factor * M[k * nv + j];
      }
    }
  }
  std::vector<int> joints;
  for (std::size_t k = 0; k < nv; ++k)
    if (singular[k]) joints.push_back(model.independent()[k]);
  return joints;
}

}  // namespace ulna
