#include <ulna/emit/shipped.hpp>

#include <ulna/robot/dynamics.hpp>

#include "emit/generated_c.hpp"
#include "text/cat.hpp"

namespace ulna {

namespace {

DynamicsOptions as_it_is(double snap) {
  DynamicsOptions options;
  options.snap = snap;
  options.threads = 1;
  options.check = false;  // kernels that are wrong shall be seen here, not replaced
  return options;
}

/// One state, and lanes: each state in the next lane of a block whose other lanes hold states that were there before.
template <class T>
class Compiled : public Implementation {
 public:
  Compiled(const Model& model, double snap)
      : dynamics_(model, as_it_is(snap)), n_(model.nv()), width_(dynamics_.lanes()) {
    for (std::vector<T>& block : blocks_) block.assign(n_ * width_, T(0));
  }

  std::string id() const override { return single() ? "compiled-float" : "compiled-double"; }
  bool single() const override { return sizeof(T) == sizeof(float); }
  std::string why_not(Quantity) const override { return n_ == 0 ? "no joint moves" : ""; }

  std::string note(Quantity quantity) const override {
    const DynamicsTask task = quantity == Quantity::torque ? DynamicsTask::inverse
                              : quantity == Quantity::mass ? DynamicsTask::mass
                              : quantity == Quantity::bias ? DynamicsTask::bias
                                                           : DynamicsTask::forward;
    if (dynamics_.instruction_set() == InstructionSet::none) return "no machine code can be made here: these are the templates";
    const bool compiled = dynamics_.compiled(task) && (quantity != Quantity::bias || dynamics_.compiled(DynamicsTask::gravity));
    return cat(compiled ? cat(to_string(dynamics_.instruction_set()), ", one state and ", width_) : "too large to compile: these are the templates",
               quantity == Quantity::bias ? "; gravity, too" : "");
  }

  void run(Quantity quantity, const double* q, const double* v, const double* last, const std::function<void(const std::vector<double>&)>& done) override {
    const std::size_t size = quantity == Quantity::mass ? n_ * n_ : n_;
    std::array<std::vector<T>, 3> in;
    const double* given[] = {q, v, last};
    lane_ = (lane_ + 1) % width_;
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (given[k] == nullptr) continue;
      in[k].assign(given[k], given[k] + n_);
      for (std::size_t i = 0; i < n_; ++i) blocks_[k][i * width_ + lane_] = in[k][i];
    }
    std::vector<T> one(size), many(size * width_);
    const auto both = [&](auto call_one, auto call_lanes) {
      call_one(in[0].data(), in[1].data(), in[2].data(), one.data());
      call_lanes(blocks_[0].data(), blocks_[1].data(), blocks_[2].data(), many.data());
    };
    const DynamicsOf<T>& d = dynamics_;
    using In = const T*;
    switch (quantity) {
      case Quantity::torque:
        both([&](In a, In b, In c, T* out) { d.inverse(a, b, c, out); }, [&](In a, In b, In c, T* out) { d.inverse_lanes(a, b, c, out, 1); });
        break;
      case Quantity::mass: both([&](In a, In, In, T* out) { d.mass(a, out); }, [&](In a, In, In, T* out) { d.mass_lanes(a, out, 1); }); break;
      case Quantity::bias:
        if (v == nullptr)
          both([&](In a, In, In, T* out) { d.gravity(a, out); }, [&](In a, In, In, T* out) { d.gravity_lanes(a, out, 1); });
        else
          both([&](In a, In b, In, T* out) { d.bias(a, b, out); }, [&](In a, In b, In, T* out) { d.bias_lanes(a, b, out, 1); });
        break;
      case Quantity::acceleration:
        both([&](In a, In b, In c, T* out) { d.forward(a, b, c, out); }, [&](In a, In b, In c, T* out) { d.forward_lanes(a, b, c, out, 1); });
        break;
    }
    done({one.begin(), one.end()});
    std::vector<double> of_lane(size);
    for (std::size_t i = 0; i < size; ++i) of_lane[i] = static_cast<double>(many[i * width_ + lane_]);
    done(of_lane);
  }

 private:
  DynamicsOf<T> dynamics_;
  std::size_t n_, width_;
  std::array<std::vector<T>, 3> blocks_;  // q, v and the last input, side by side
  std::size_t lane_ = 0;                  // that the last state is in
};

std::vector<std::shared_ptr<Implementation>> generated(const Model& model, const ShippedOptions& options) {
  if (!options.generated) return no_generated_c("not checked: it was not asked for");
  if (model.nv() == 0) return no_generated_c("no joint moves");
  if (model.nv() > kMostGeneratedJoints)
    return no_generated_c(cat("not checked: code for ", model.nv(), " joints takes a C compiler minutes; up to ", kMostGeneratedJoints, " are"));
  constexpr int kArm = 10;  // joints up to which a compiler has time to optimise
  return generated_c([&](bool single) { return prepare(model, verified_code(single, options.snap)); }, model.nv() > kArm ? "-O0" : "-O1");
}

}  // namespace

std::vector<std::shared_ptr<Implementation>> shipped(const Model& model, const ShippedOptions& options) {
  std::vector<std::shared_ptr<Implementation>> all{std::make_shared<Compiled<double>>(model, options.snap),
                                                   std::make_shared<Compiled<float>>(model, options.snap)};
  for (std::shared_ptr<Implementation>& code : generated(model, options)) all.push_back(std::move(code));
  return all;
}

}  // namespace ulna
