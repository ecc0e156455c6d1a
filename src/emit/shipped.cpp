#include <ulna/emit/generate.hpp>

#include <algorithm>
#include <limits>

#include "emit/generated_c.hpp"
#include "text/cat.hpp"
#include "formulation/trace.hpp"

namespace ulna::internal {

namespace {

DynamicsOptions as_it_is(double snap, std::size_t joints) {
  DynamicsOptions options;
  options.snap = snap;
  for (const Quantity more : {Quantity::coriolis, Quantity::regressor, Quantity::inverse_derivatives}) options.quantities.push_back(more);
  if (joints <= kLargestForwardDerivatives) options.quantities.push_back(Quantity::forward_derivatives);
  options.threads = 1;
  return options;
}

/// One state, and lanes: each state in the next lane of a block whose other lanes hold states that were there before.
template <class T>
class Compiled : public Implementation {
 public:
  Compiled(const Analysis& robot, double snap)
      : dynamics_(robot, as_it_is(snap, robot.model().nv())), sizes_(robot.model().sizes()), width_(dynamics_.lanes()) {
    for (std::vector<T>& block : blocks_) block.assign(std::max(sizes_.nq, sizes_.nv) * width_, T(0));
  }

  std::string id() const override { return single() ? "compiled-float" : "compiled-double"; }
  bool single() const override { return sizeof(T) == sizeof(float); }
  std::string why_not(Quantity) const override { return sizes_.nv == 0 ? "no joint moves" : ""; }

  std::string note(Quantity quantity) const override {
    if (const RefusedKernel* refused = refused_kernel(quantity)) return to_string(*refused);
    if (dynamics_.instruction_set() == InstructionSet::none) return "no machine code can be made here: these are the templates";
    const bool compiled = dynamics_.compiled(quantity) && (quantity != Quantity::bias || dynamics_.compiled(Quantity::gravity));
    return cat(compiled ? cat(to_string(dynamics_.instruction_set()), ", one state and ", width_) : "too large to compile: these are the templates",
               quantity == Quantity::bias ? "; gravity, too" : "");
  }

  void run(Quantity quantity, const InputsOf<double>& in, const std::function<void(const std::vector<double>&)>& done) override {
    const QuantityRow& row = row_of(quantity);
    // The templates would hide that the machine code is wrong.
    if (refused_kernel(quantity) != nullptr) return done(std::vector<double>(row.size(sizes_), std::numeric_limits<double>::quiet_NaN()));
    const double* given[] = {in.q, in.v, in.last};
    std::array<std::vector<T>, 3> numbers;
    lane_ = (lane_ + 1) % width_;
    for (std::size_t k = 0; k < row.inputs.size(); ++k) {
      const std::size_t n = row.input_size(k, sizes_);
      numbers[k].assign(given[k], given[k] + n);
      for (std::size_t i = 0; i < n; ++i) blocks_[k][i * width_ + lane_] = numbers[k][i];
    }
    const std::size_t size = row.size(sizes_);
    std::vector<T> one(size), many(size * width_);
    dynamics_.compute(quantity, {numbers[0].data(), numbers[1].data(), numbers[2].data()}, one.data());
    dynamics_.compute_lanes(quantity, {blocks_[0].data(), blocks_[1].data(), blocks_[2].data()}, many.data(), 1);
    done({one.begin(), one.end()});
    std::vector<double> of_lane(size);
    for (std::size_t i = 0; i < size; ++i) of_lane[i] = static_cast<double>(many[i * width_ + lane_]);
    done(of_lane);
  }

 private:
  const RefusedKernel* refused_kernel(Quantity quantity) const {
    const auto found = std::find_if(dynamics_.refused().begin(), dynamics_.refused().end(), [&](const RefusedKernel& k) { return k.quantity == quantity; });
    return found == dynamics_.refused().end() ? nullptr : &*found;
  }

  DynamicsOf<T> dynamics_;
  Sizes sizes_;
  std::size_t width_;
  std::array<std::vector<T>, 3> blocks_;  // q, v and the last input, side by side
  std::size_t lane_ = 0;                  // that the last state is in
};

std::vector<std::shared_ptr<Implementation>> generated(const Analysis& robot, const ShippedOptions& options, const char* level) {
  const Model& model = robot.model();
  if (!options.generated) return no_generated_c("not checked: it was not asked for");
  if (model.nv() == 0) return no_generated_c("no joint moves");
  if (model.nv_tree() > kMostGeneratedJoints)
    return no_generated_c(cat("not checked: code for ", model.nv_tree(), " joints takes a C compiler minutes; up to ", kMostGeneratedJoints, " are"));
  return generated_c([&](bool single) { return prepare(robot, verified_code(single, options.snap, model.nv())); }, level, options.waiting);
}

}  // namespace

std::vector<std::shared_ptr<Implementation>> shipped_at(const Analysis& robot, const ShippedOptions& options, const char* level) {
  std::vector<std::shared_ptr<Implementation>> all{std::make_shared<Compiled<double>>(robot, options.snap),
                                                   std::make_shared<Compiled<float>>(robot, options.snap)};
  for (std::shared_ptr<Implementation>& code : generated(robot, options, level)) all.push_back(std::move(code));
  return all;
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

std::vector<std::shared_ptr<Implementation>> shipped(const Analysis& robot, const ShippedOptions& options) {
  constexpr int kArm = 10;  // joints up to which a compiler has time to optimise
  return shipped_at(robot, options, robot.model().nv_tree() > kArm ? "-O0" : "-O1");
}

}  // namespace ULNA_API
