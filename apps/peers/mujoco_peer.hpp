// MuJoCo, rotors ("armature") included. It refuses bodies that cannot exist.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include "peer.hpp"

namespace ulna::peers {

class MujocoPeer : public Peer {
 public:
  explicit MujocoPeer(const Model& model);
  static std::string version();

  std::vector<double> torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) override;
  std::vector<double> mass(const std::vector<double>& q) override;
  std::vector<double> accelerations(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau);
  /// For MuJoCo's own functions.
  const mjModel* raw() const { return model_.get(); }
  const std::vector<std::size_t>& place() const { return place_; }

 private:
  void put(mjtNum* x, const std::vector<double>& values) const;
  std::vector<double> sorted(const mjtNum* x) const;

  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
  std::vector<std::size_t> place_;  // where MuJoCo keeps each coordinate
};

}  // namespace ulna::peers
