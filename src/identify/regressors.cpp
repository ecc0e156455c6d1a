#include "identify/regressors.hpp"

#include <ulna/robot/dynamics.hpp>

namespace ulna::internal {

struct Regressors::Code {
  Code(const Model& model, const DynamicsOptions& options) : dynamics(model, options) {}
  Dynamics dynamics;
};

Regressors::Regressors(const Model& model, double snap) : plan_(make_plan(model, {.snap = snap, .lumping = Lumping::none})) {
  DynamicsOptions options;
  options.snap = snap;
  options.quantities = {Quantity::regressor};
  options.threads = 1;  // callers have their own
  code_ = std::make_unique<Code>(model, options);
}
Regressors::~Regressors() = default;

void Regressors::operator()(const Samples& samples, std::vector<double>& out) const {
  const std::size_t n = plan_.nv, count = samples.count;
  out.resize(count * size());
  if (count == 0) return;
  const MatrixView<const double> in[] = {{samples.q.data(), n, count}, {samples.v.data(), n, count}, {samples.a.data(), n, count}};
  code_->dynamics.compute_batch(Quantity::regressor, in, {out.data(), size(), count});
}

}  // namespace ulna::internal
