// MuJoCo, rotors ("armature") included. It refuses bodies that cannot exist. A free base is its freejoint: quaternion w, x, y, z; linear before angular
// numbers, linear ones in the world's axes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "peer.hpp"

namespace ulna::peers {

class MujocoPeer : public Peer {
 public:
  /// `more`: elements of MJCF behind the world's body.
  explicit MujocoPeer(const Model& model, const std::string& more = {});
  static std::string version();

  std::vector<double> torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) override;
  std::vector<double> mass(const std::vector<double>& q) override;
  std::vector<double> accelerations(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau);
  /// For MuJoCo's own functions.
  const mjModel* raw() const { return model_.get(); }
  /// Where MuJoCo keeps each number of v; of q behind a free base one further.
  const std::vector<std::size_t>& place() const { return place_; }
  bool free_base() const { return free_; }

 private:
  void put_position(const std::vector<double>& q) const;
  void put(mjtNum* x, const std::vector<double>& values, const std::vector<double>& q) const;
  std::vector<double> sorted(const mjtNum* x, const std::vector<double>& q) const;

  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<std::size_t> place_;
  bool free_ = false;
};

}  // namespace ulna::peers
