// Orocos KDL. It knows neither rotors nor coupled joints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kdl/chain.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "peer.hpp"

namespace ulna::peers {

class KdlPeer : public Peer {
 public:
  explicit KdlPeer(const Model& model);
  static std::string version();

  std::vector<double> torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) override;
  /// Columns by its recursion without gravity: its own inertia matrix is for chains only.
  std::vector<double> mass(const std::vector<double>& q) override;
  /// For KDL's solvers of chains; empty when the robot branches.
  const std::optional<KDL::Chain>& chain() const { return chain_; }
  const KDL::Tree& tree() const { return tree_; }
  const std::vector<unsigned>& place() const { return place_; }

 private:
  std::vector<double> recursion(KDL::TreeIdSolver_RNE& solver, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const;
  KDL::JntArray sorted(const std::vector<double>& x) const;

  KDL::Tree tree_;
  std::optional<KDL::Chain> chain_;
  std::vector<unsigned> place_;              // where KDL keeps each coordinate
  KDL::TreeIdSolver_RNE loaded_, unloaded_;  // with gravity and without
};

/// As KDL writes vectors.
KDL::Vector kdl_vector(const Vec3<double>& v);

}  // namespace ulna::peers
