#include "check/nonsingular.hpp"

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
  for (std::size_t k = 0; k < model.independent().size(); ++k) index_of_joint[model.independent()[k]] = k;
  std::vector<Coordinate> coordinates;
  for (const MovingBody& body : tree.bodies) {
    const std::size_t j = body.joint;
    const std::optional<Mimic>& mimic = model.joints()[j].mimic;
    if (mimic)
      coordinates.push_back({index_of_joint[mimic->leader], mimic->multiplier, mimic->offset});
    else
      coordinates.push_back({index_of_joint[j], 1, 0});
  }
  return coordinates;
}

bool coupled(const std::vector<Coordinate>& coordinates) {
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    if (coordinates[i].index != i || coordinates[i].multiplier != 1) return true;
  return false;
}

double coordinate(const Coordinate& c, const std::vector<double>& q) { return c.multiplier * q[c.index] + c.offset; }

/// In world axes, at the joint coordinates that q gives.
std::vector<Pose<double>> poses_of(const Model& model, const MovingTree& tree, const std::vector<Coordinate>& coordinates, const std::vector<double>& q) {
  std::vector<Pose<double>> X_WB(tree.bodies.size());
  for (std::size_t i = 0; i < X_WB.size(); ++i) {
    const MovingBody& body = tree.bodies[i];
    const bool prismatic = model.joints()[body.joint].type == JointType::prismatic;
    const double qi = coordinate(coordinates[i], q);
    const Pose<double> motion = prismatic ? Pose<double>{Mat3<double>::identity(), {0, 0, qi}} : Pose<double>{rotation_z(qi), {}};
    X_WB[i] = (body.parent == kNone ? body.X_PB : X_WB[body.parent] * body.X_PB) * motion;
  }
  return X_WB;
}

/// Composite bodies in world axes, each about its own joint's origin so that nothing cancels far from the base. Row-major nv x nv, zeros where
/// two joints share no path. Plain and slow: it runs once per model and shares no code with the kernels.
std::vector<double> inertia_matrix(const Model& model, const MovingTree& tree, const std::vector<Coordinate>& coordinates, const std::vector<double>& q,
                                   bool rotor) {
  const std::size_t n = tree.bodies.size();
  const std::size_t nv = model.independent().size();
  const std::vector<Pose<double>> X_WB = poses_of(model, tree, coordinates, q);
  std::vector<PseudoInertia<double>> composite(n);
  for (std::size_t i = 0; i < n; ++i) composite[i] = moved(tree.bodies[i].inertia, X_WB[i].R, Vec3<double>{});
  std::vector<double> M(nv * nv, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    const Joint& joint = model.joints()[tree.bodies[i].joint];
    const Vec3<double> z = X_WB[i].R.column_z();
    const PseudoInertia<double>& c = composite[i];
    // Momentum of everything beyond joint i when it moves at unit rate, about its origin.
    Vec3<double> linear = joint.type == JointType::prismatic ? c.m * z : cross(z, c.h);
    Vec3<double> angular = joint.type == JointType::prismatic ? cross(c.h, z) : c.J() * z;
    for (std::size_t j = i;;) {
      const Vec3<double> zj = X_WB[j].R.column_z();
      const bool prismatic = model.joints()[tree.bodies[j].joint].type == JointType::prismatic;
      double value = coordinates[i].multiplier * coordinates[j].multiplier * (prismatic ? dot(zj, linear) : dot(zj, angular));
      if (i == j && rotor) value += coordinates[i].multiplier * coordinates[i].multiplier * joint.gear * joint.gear * joint.rotor;
      const std::size_t row = coordinates[i].index, col = coordinates[j].index;
      M[row * nv + col] += value;
      if (i != j) M[col * nv + row] += value;
      const std::size_t parent = tree.bodies[j].parent;
      if (parent == kNone) break;
      const std::size_t p = parent;
      angular = angular + cross(X_WB[j].p - X_WB[p].p, linear);
      j = p;
    }
    const std::size_t parent = tree.bodies[i].parent;
    if (parent == kNone) continue;
    const std::size_t p = parent;
    composite[p] = composite[p] + moved(c, Mat3<double>::identity(), X_WB[i].p - X_WB[p].p);
  }
  return M;
}

/// Pivots of M from the tips to the base, by elimination; each is the inertia felt at a joint with all joints beyond it free. One that is not sound is left
/// out, as if the joint were locked, so that one fault is named once. O(nv³): for robots with couplings, whose M may be full.
std::vector<Pivot> pivots_by_matrix(const Model& model, const MovingTree& tree, const std::vector<Coordinate>& coordinates, const std::vector<double>& q,
                                    bool rotor) {
  const std::size_t nv = model.independent().size();
  std::vector<double> M = inertia_matrix(model, tree, coordinates, q, rotor);
  std::vector<Pivot> pivots(nv);
  for (std::size_t k = 0; k < nv; ++k) pivots[k].whole = M[k * nv + k];
  for (std::size_t k = nv; k-- > 0;) {
    const double pivot = pivots[k].left = M[k * nv + k];
    if (!pivots[k].sound(nv)) continue;
    for (std::size_t i = 0; i < k; ++i) {
      const double factor = M[k * nv + i] / pivot;
      if (factor == 0) continue;
      for (std::size_t j = 0; j <= i; ++j) M[i * nv + j] = M[j * nv + i] = M[i * nv + j] - factor * M[k * nv + j];
    }
  }
  return pivots;
}

/// A body with everything beyond it, joints free: (moment, force) of (angular, linear acceleration), in world axes, about its joint's origin.
struct Articulated {
  double I[6][6] = {};

  explicit Articulated(const PseudoInertia<double>& body) {
    const Sym3<double> J = body.J();
    const Vec3<double>& h = body.h;
    const double blocks[6][6] = {{J.xx, J.xy, J.xz, 0, -h.z, h.y}, {J.xy, J.yy, J.yz, h.z, 0, -h.x}, {J.xz, J.yz, J.zz, -h.y, h.x, 0},
                                 {0, h.z, -h.y, body.m, 0, 0},     {-h.z, 0, h.x, 0, body.m, 0},     {h.y, -h.x, 0, 0, 0, body.m}};
    std::copy(&blocks[0][0], &blocks[0][0] + 36, &I[0][0]);
  }

  /// Adds another one that is about a point at r.
  void add(const Articulated& other, const Vec3<double>& r) {
    // Acceleration there: (alpha, a + alpha x r).
    const double X[6][6] = {{1, 0, 0, 0, 0, 0},      {0, 1, 0, 0, 0, 0},      {0, 0, 1, 0, 0, 0},
                            {0, r.z, -r.y, 1, 0, 0}, {-r.z, 0, r.x, 0, 1, 0}, {r.y, -r.x, 0, 0, 0, 1}};
    double IX[6][6] = {};
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) IX[i][j] += other.I[i][k] * X[k][j];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        for (int k = 0; k < 6; ++k) I[i][j] += X[k][i] * IX[k][j];
  }
};

/// The same pivots by articulated bodies, one coordinate a body. O(n).
std::vector<Pivot> pivots_by_bodies(const Model& model, const MovingTree& tree, const std::vector<Coordinate>& coordinates, const std::vector<double>& q,
                                    bool rotor) {
  const std::size_t n = tree.bodies.size();
  const std::vector<Pose<double>> X_WB = poses_of(model, tree, coordinates, q);
  std::vector<PseudoInertia<double>> composite(n);
  std::vector<Articulated> articulated;
  for (std::size_t i = 0; i < n; ++i) {
    composite[i] = moved(tree.bodies[i].inertia, X_WB[i].R, Vec3<double>{});
    articulated.emplace_back(composite[i]);
  }
  std::vector<Pivot> pivots(n);
  for (std::size_t i = n; i-- > 0;) {
    const Joint& joint = model.joints()[tree.bodies[i].joint];
    const Vec3<double> z = X_WB[i].R.column_z();
    const bool prismatic = joint.type == JointType::prismatic;
    const double axis[6] = {prismatic ? 0 : z.x, prismatic ? 0 : z.y, prismatic ? 0 : z.z, prismatic ? z.x : 0, prismatic ? z.y : 0, prismatic ? z.z : 0};
    Articulated& body = articulated[i];
    double U[6] = {}, left = rotor ? joint.gear * joint.gear * joint.rotor : 0;
    pivots[i].whole = left + (prismatic ? composite[i].m : dot(z, composite[i].J() * z));
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < 6; ++c) U[r] += body.I[r][c] * axis[c];
      left += axis[r] * U[r];
    }
    pivots[i].left = left;
    if (pivots[i].sound(n))
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) body.I[r][c] -= U[r] * U[c] / left;
    if (tree.bodies[i].parent == kNone) continue;
    const auto p = tree.bodies[i].parent;
    const Vec3<double> r = X_WB[i].p - X_WB[p].p;
    articulated[p].add(body, r);
    composite[p] = composite[p] + moved(composite[i], Mat3<double>::identity(), r);
  }
  return pivots;
}

/// A fixed sequence: the verdict on a file never changes.
class Configurations {
 public:
  std::vector<double> next(std::size_t nv) {
    std::vector<double> q(nv);
    for (double& qi : q) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      qi = static_cast<double>(state_ >> 11) * 0x1p-53 * 2 - 1;
    }
    return q;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

}  // namespace

bool Pivot::sound(std::size_t nv) const { return left > 16 * static_cast<double>(nv + 4) * std::numeric_limits<double>::epsilon() * whole; }

std::vector<Pivot> first_pivots(const Model& model, bool rotor, SingularityMethod method) {
  const MovingTree tree = merge_fixed(model, 0);
  const std::vector<Coordinate> coordinates = coordinates_of(model, tree);
  const bool by_matrix = method == SingularityMethod::matrix || coupled(coordinates);
  return (by_matrix ? pivots_by_matrix : pivots_by_bodies)(model, tree, coordinates, Configurations().next(model.independent().size()), rotor);
}

std::vector<std::size_t> singular_joints(const Model& model, bool rotor, SingularityMethod method) {
  const MovingTree tree = merge_fixed(model, 0);
  const std::vector<Coordinate> coordinates = coordinates_of(model, tree);
  const bool by_matrix = method == SingularityMethod::matrix || coupled(coordinates);
  const std::size_t nv = model.independent().size();
  std::vector<bool> singular(nv, true);
  Configurations configurations;
  const auto any_left = [&] { return std::find(singular.begin(), singular.end(), true) != singular.end(); };
  for (int attempt = 0; attempt < 3 && any_left(); ++attempt) {
    const std::vector<Pivot> pivots = (by_matrix ? pivots_by_matrix : pivots_by_bodies)(model, tree, coordinates, configurations.next(nv), rotor);
    for (std::size_t k = 0; k < nv; ++k)
      if (pivots[k].sound(nv)) singular[k] = false;
  }
  std::vector<std::size_t> joints;
  for (std::size_t k = 0; k < nv; ++k)
    if (singular[k]) joints.push_back(model.independent()[k]);
  return joints;
}

}  // namespace ulna
