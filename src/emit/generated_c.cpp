#include "emit/generated_c.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <future>
#include <map>

#include "emit/c_compiler.hpp"
#include "emit/languages.hpp"
#include "formulation/trace.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

const char* name_of(bool single) { return single ? "robot_float" : "robot_double"; }

/// A shared object in memory; its file is gone.
using SharedObject = std::shared_ptr<void>;

template <class T>
class GeneratedC : public Implementation {
 public:
  explicit GeneratedC(std::string why_not) : why_not_(std::move(why_not)) {}
  GeneratedC(SharedObject object, std::string compiled_by, const Sizes& sizes) : object_(std::move(object)), note_(std::move(compiled_by)), sizes_(sizes) {
    for (const std::string& what : verified_code(single(), 0, sizes.nv).what) {
      functions_[what] = dlsym(object_.get(), cat(name_of(single()), "_", what).c_str());
      if (functions_[what] == nullptr) why_not_ = cat("the compiled code has no function for ", what);
    }
  }

  std::string id() const override { return single() ? "generated-c-float" : "generated-c"; }
  bool needs_compiler() const override { return true; }
  bool single() const override { return sizeof(T) == sizeof(float); }
  std::string why_not(Quantity quantity) const override {
    if (!why_not_.empty() || functions_.contains(std::string(to_string(quantity)))) return why_not_;
    return cat("not checked: too large to compile for ", sizes_.nv, " joints, more than ", kLargestForwardDerivatives);
  }
  std::string note(Quantity) const override { return note_; }

  void run(Quantity quantity, const InputsOf<double>& in, const std::function<void(const std::vector<double>&)>& done) override {
    const QuantityRow& row = row_of(quantity);
    const double* given[] = {in.q, in.v, in.last};
    std::array<std::vector<T>, 3> x;
    for (std::size_t k = 0; k < row.inputs.size(); ++k) x[k].assign(given[k], given[k] + row.input_size(k, sizes_));
    std::vector<T> out(row.size(sizes_));
    void* function = functions_.at(std::string(row.id));
    switch (row.inputs.size()) {
      case 1: reinterpret_cast<void (*)(const T*, T*)>(function)(x[0].data(), out.data()); break;
      case 2: reinterpret_cast<void (*)(const T*, const T*, T*)>(function)(x[0].data(), x[1].data(), out.data()); break;
      default: reinterpret_cast<void (*)(const T*, const T*, const T*, T*)>(function)(x[0].data(), x[1].data(), x[2].data(), out.data());
    }
    done({out.begin(), out.end()});
  }

 private:
  SharedObject object_;
  std::string why_not_, note_;
  Sizes sizes_;
  std::map<std::string, void*> functions_;  // by the id of their quantity
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A C file as a shared object, loaded. Throws std::runtime_error with the reason.
SharedObject compiled(const OwnFolder& folder, const std::string& compiler, const char* level, const std::string& name, const std::atomic<bool>& stop) {
  const std::string object = folder.file(name + ".so"), output = folder.file(name + ".output");
  if (run_program({compiler, "-std=c99", level, "-shared", "-fPIC", "-o", object, folder.file(name + ".c"), "-lm"}, output, &stop) != 0 &&
      !std::filesystem::exists(object))
    throw std::runtime_error(cat(compiler, " did not compile the generated code: ", first_line(beginning_of_file(output))));
  void* handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(cat("the compiled code cannot be loaded: ", dlerror()));
  return {handle, [](void* loaded) { dlclose(loaded); }};
}

}  // namespace

GenerateOptions verified_code(bool single, double snap, std::size_t joints) {
  GenerateOptions options;
  options.what.clear();
  for (const Quantity quantity : formulated_quantities())
    if (quantity != Quantity::forward_derivatives || joints <= kLargestForwardDerivatives) options.what.emplace_back(to_string(quantity));
  options.real = single ? Real::single_precision : Real::double_precision;
  options.name = name_of(single);
  options.snap = snap;
  options.test_states = 0;  // it is tested here
  return options;
}

std::vector<std::shared_ptr<Implementation>> generated_c(const PrepareCode& prepare_code, const char* level, const std::function<void()>& waiting) {
  const OwnFolder folder;
  if (folder.path().empty()) return no_generated_c("not checked: no folder for temporary files could be made");
  const std::optional<std::string> compiler = find_c_compiler(folder);
  Sizes sizes;
  std::string why_not[2];  // of doubles, of floats
  std::atomic<bool> stop = false;
  std::future<SharedObject> objects[2];
  for (const bool single : {false, true}) try {  // one is compiled while the other is prepared
      const GeneratedRobot robot = prepare_code(single);
      sizes = robot.sizes;
      for (const GeneratedFile& file : files_in_c(robot)) std::ofstream(folder.path() / file.name, std::ios::binary) << file.text;
      if (compiler)
        objects[single ? 1 : 0] = std::async(std::launch::async, [&, single] { return compiled(folder, *compiler, level, name_of(single), stop); });
      else
        why_not[single ? 1 : 0] = cat("not checked: ", kNoCompiler);
    } catch (const std::invalid_argument& error) {
      why_not[single ? 1 : 0] = error.what();
    }
  for (std::future<SharedObject>& object : objects)
    while (waiting && object.valid() && object.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) try {
        waiting();
      } catch (...) {
        stop = true;
        throw;
      }
  std::vector<std::shared_ptr<Implementation>> both;
  const auto add = [&]<class T>(std::future<SharedObject>& object, std::string& reason, T) {
    if (object.valid()) try {
        both.push_back(std::make_shared<GeneratedC<T>>(object.get(), cat(*compiler, " ", level), sizes));
        return;
      } catch (const std::runtime_error& error) {
        reason = cat("not checked: ", error.what());
      }
    both.push_back(std::make_shared<GeneratedC<T>>(reason));
  };
  add(objects[0], why_not[0], double{});
  add(objects[1], why_not[1], float{});
  return both;
}

std::vector<std::shared_ptr<Implementation>> no_generated_c(const std::string& why_not) {
  return {std::make_shared<GeneratedC<double>>(why_not), std::make_shared<GeneratedC<float>>(why_not)};
}

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
    return dynamics_.compiled(quantity) ? cat(to_string(dynamics_.instruction_set()), ", one state and ", width_)
                                        : "too large to compile: these are the templates";
  }

  void run(Quantity quantity, const InputsOf<double>& in, const std::function<void(const std::vector<double>&)>& done) override {
    const QuantityRow& row = row_of(quantity);
    // The templates would hide errors of the machine code.
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
  if (!options.generated) return no_generated_c("not checked: it was not requested");
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
