// Orocos KDL: the solvers for chains, which are its fastest; for trees the recursion of inverse dynamics is all it has.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "kdl_peer.hpp"
#include "subject.hpp"

namespace ulna::bench {

namespace {

using Arrays = std::vector<KDL::JntArray>;

/// KDL's vectors own their memory, so the states are put into such vectors beforehand.
Arrays arrays(const std::vector<double>& x, std::size_t n, std::size_t count) {
  Arrays out(count, KDL::JntArray(static_cast<unsigned>(n)));
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) out[k](static_cast<unsigned>(i)) = x[k * n + i];
  return out;
}

struct KdlStates {
  explicit KdlStates(const States<double>& s)
      : n(s.n), q(arrays(s.q, n, s.count)), v(arrays(s.v, n, s.count)), a(arrays(s.a, n, s.count)), tau(arrays(s.tau, n, s.count)) {}
  std::size_t n;
  Arrays q, v, a, tau;
};

class KdlWorker : public Worker<double> {
 public:
  KdlWorker(std::shared_ptr<const KdlStates> states, const Model& model)
      : states_(std::move(states)), peer_(model), result_(static_cast<unsigned>(states_->n)), M_(static_cast<int>(states_->n)) {
    const KDL::Vector gravity = peers::kdl_vector(model.gravity());
    if (peer_.chain()) {
      const KDL::Chain& chain = *peer_.chain();
      wrenches_.resize(chain.getNrOfSegments(), KDL::Wrench::Zero());
      inverse_ = std::make_unique<KDL::ChainIdSolver_RNE>(chain, gravity);
      forward_ = std::make_unique<KDL::ChainFdSolver_RNE>(chain, gravity);
      mass_ = std::make_unique<KDL::ChainDynParam>(chain, gravity);
    } else {
      tree_ = std::make_unique<KDL::TreeIdSolver_RNE>(peer_.tree(), gravity);
    }
  }

  void run(Job job, std::size_t first, std::size_t count, double* out, std::size_t stride) override {
    const KdlStates& s = *states_;
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      if (job == Job::mass) {
        mass_->JntToMass(s.q[k], M_);
        std::copy(M_.data.data(), M_.data.data() + s.n * s.n, out);
        continue;
      }
      if (job == Job::forward)
        forward_->CartToJnt(s.q[k], s.v[k], s.tau[k], wrenches_, result_);
      else if (tree_)
        tree_->CartToJnt(s.q[k], s.v[k], s.a[k], none_, result_);
      else
        inverse_->CartToJnt(s.q[k], s.v[k], s.a[k], wrenches_, result_);
      std::copy(result_.data.data(), result_.data.data() + s.n, out);
    }
  }

 private:
  std::shared_ptr<const KdlStates> states_;
  // One a thread: solvers keep references to the chain or tree, and its joints remember their last angle and pose (`mutable`).
  peers::KdlPeer peer_;
  KDL::JntArray result_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::Wrenches wrenches_;
  KDL::WrenchMap none_;
  std::unique_ptr<KDL::ChainIdSolver_RNE> inverse_;
  std::unique_ptr<KDL::ChainFdSolver_RNE> forward_;
  std::unique_ptr<KDL::ChainDynParam> mass_;
  std::unique_ptr<KDL::TreeIdSolver_RNE> tree_;
};

Library make(const Inputs& inputs) {
  if (inputs.model.base() != RootJoint::fixed) throw Refused("this program takes robots with a fixed base only");
  const peers::KdlPeer peer(inputs.model);
  Library library{"kdl", peers::KdlPeer::version(), "", "as its package was built"};
  const bool chain = peer.chain().has_value();
  if (!chain) library.place.assign(peer.place().begin(), peer.place().end());
  const auto states = std::make_shared<const KdlStates>(chain ? inputs.states : placed(inputs.states, library.place));
  for (const Job job : kJobs) {
    if (!chain && job != Job::inverse) continue;
    add_rows<double>(library, chain ? "chain" : "tree", job, [states, model = inputs.model] { return std::make_unique<KdlWorker>(states, model); });
  }
  if (!chain) library.notes.emplace_back("its inertia matrix and forward dynamics are for chains only");
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
