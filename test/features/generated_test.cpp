// Generated C, compiled and loaded: friction, a wrench as an argument, a load as a part of the model or known at run time only, in doubles and floats.
#include <dlfcn.h>

#include <gtest/gtest.h>

#include <memory>

#include <ulna/emit/generate.hpp>

#include "features/expected.hpp"
#include "features/loops.hpp"
#include "features/meet.hpp"
#include "support/folder.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

struct Close {
  void operator()(void* library) const { dlclose(library); }
};

class Compiled {
 public:
  /// Empty `why` when it could be loaded.
  Compiled(const std::vector<GeneratedFile>& files, std::string& why) {
    folder_.write(files);
    for (const GeneratedFile& file : files)
      if (file.name.ends_with(".h")) header_ = file.text;
    if (folder_.run("cc -std=c99 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -O0 -fPIC -shared r.c -lm -o r.so", &why) != 0) return;
    library_.reset(dlopen(folder_.at("r.so").c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library_) why = dlerror();
  }
  template <class F>
  F* function(const std::string& name) const {
    void* found = dlsym(library_.get(), ("r_" + name).c_str());
    if (found == nullptr) throw std::logic_error("there is no function " + name);
    return reinterpret_cast<F*>(found);
  }
  /// Names of a function's arguments, as the header declares it.
  std::vector<std::string> arguments(const std::string& name) const {
    std::size_t at = header_.find(cat("r_", name, "("));
    if (at == std::string::npos) throw std::logic_error("the header does not declare " + name);
    at = header_.find('(', at) + 1;
    std::vector<std::string> out;
    const std::string list = header_.substr(at, header_.find(')', at) - at);
    for (std::size_t from = 0; from < list.size();) {
      const std::size_t comma = std::min(list.find(',', from), list.size()), bracket = list.find('[', from), end = std::min(comma, bracket);
      const std::size_t space = list.rfind(' ', end);
      out.push_back(list.substr(space + 1, end - space - 1));
      from = comma + 1;
    }
    return out;
  }
  template <class T>
  void call(const std::string& name, const std::map<std::string, const T*>& values, T* result) const {
    const std::vector<std::string> names = arguments(name);
    std::vector<const T*> in;
    for (std::size_t k = 0; k + 1 < names.size(); ++k) {
      if (!values.contains(names[k])) throw std::logic_error(cat(name, " has an argument ", names[k]));
      in.push_back(values.at(names[k]));
    }
    using P = const T*;
    switch (in.size()) {
      case 1: return function<void(P, T*)>(name)(in[0], result);
      case 2: return function<void(P, P, T*)>(name)(in[0], in[1], result);
      case 3: return function<void(P, P, P, T*)>(name)(in[0], in[1], in[2], result);
      case 4: return function<void(P, P, P, P, T*)>(name)(in[0], in[1], in[2], in[3], result);
      case 5: return function<void(P, P, P, P, P, T*)>(name)(in[0], in[1], in[2], in[3], in[4], result);
      default: throw std::logic_error(name + " has too many arguments");
    }
  }

 private:
  support::Folder folder_;
  std::string header_;
  std::unique_ptr<void, Close> library_;
};

/// Else a load on it changes no torque, and functions do not take one.
bool moves(const Model& model, const std::string& link) {
  for (std::size_t l = *model.find_link(link); l > 0; l = model.joints()[l - 1].parent)
    if (model.joints()[l - 1].type != JointType::fixed) return true;
  return model.base() != RootJoint::fixed;
}

template <class T>
std::string tree(const Drawn& drawn, Counts& counts) {
  GenerateOptions options;
  options.what.clear();
  const bool later = drawn.payload && drawn.seed % 2 == 0 && moves(drawn.model(), drawn.payload_link);  // the load is known at run time only
  const auto written = [&](const QuantityRow& row) { return row.written && !(later && row.quantity == Quantity::energy); };
  for (const QuantityRow& row : quantities())
    if (written(row)) options.what.push_back(std::string(row.id));
  options.name = "r";
  options.real = sizeof(T) == 4 ? ulna::Real::single_precision : ulna::Real::double_precision;
  options.link = drawn.model().links()[drawn.link].name;
  options.friction = drawn.friction;
  options.snap = drawn.snap;
  options.test_states = 2;
  if (!drawn.wrenches.empty()) options.wrench_at = drawn.model().links()[drawn.wrenches[0].link].name;
  if (later) options.parameters = {"payload"}, options.parameters_link = drawn.payload_link;
  std::string why;
  const Compiled code(generate(later ? drawn.model() : drawn.loaded(), options), why);
  if (!why.empty()) return "it does not compile: " + why;
  if (code.function<int()>("selftest")() != 0) return "its own test fails";
  std::vector<T> wrench, table(4000);
  for (const Wrench& w : drawn.wrenches)
    for (const double x : {w.force.x, w.force.y, w.force.z, w.moment.x, w.moment.y, w.moment.z}) wrench.push_back(static_cast<T>(x));
  if (later) {
    const Payload& load = *drawn.payload;
    const Sym3<double>& J = load.inertia;
    std::vector<T> numbers;
    for (const double x : {load.mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}) numbers.push_back(static_cast<T>(x));
    code.function<void(const T*, T*)>("fold")(numbers.data(), table.data());
  }
  Random random(drawn.seed);
  for (const State& s : drawn.states) {
    State rounded = s;
    for (double& x : rounded.q) x = static_cast<T>(x);
    const Expected expected(drawn, rounded);
    for (const QuantityRow& row : quantities()) {
      if (!written(row)) continue;
      if ((row.takes("tau") || row.quantity == Quantity::mass_inverse) && !expected.holds(sizeof(T) == 4)) continue;
      std::map<std::string, const T*> values{{"wrench", wrench.data()}, {"table", table.data()}};
      std::vector<std::vector<T>> inputs;
      for (const std::vector<double>* x : expected.inputs(row.quantity)) inputs.emplace_back(x->begin(), x->end());
      for (std::size_t k = 0; k < inputs.size(); ++k) values[std::string(row.inputs[k])] = inputs[k].data();
      std::vector<T> got(row.size(drawn.model().sizes()));
      code.call(std::string(row.id), values, got.data());
      if (std::string fault = expected.differs(row.quantity, got.data()); !fault.empty()) return fault;
      std::vector<T>& spoilt = inputs[random.below(inputs.size())];
      spoilt[random.below(spoilt.size())] = random.chance(0.5) ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
      code.call(std::string(row.id), values, got.data());
      for (const T x : got)
        if (!std::isnan(x)) return cat(row.id, " is not NaN where an input is no number");
      if (&s == &drawn.states.back()) counts.add(Path::generated, row.quantity, drawn.features);
    }
  }
  return {};
}

std::string loop(const Drawn& drawn, Counts& counts) {
  const Mechanism mechanism = drawn.mechanism();
  GenerateOptions options;
  options.what = {"inverse", "forward", "mass", "bias", "gravity", "energy"};
  options.name = "r";
  options.friction = drawn.friction;
  if (!drawn.wrenches.empty()) options.wrench_at = drawn.model().links()[drawn.wrenches[0].link].name;
  std::string why;
  const Compiled code(generate(with_loops(mechanism.tree(), drawn.loops), options), why);
  if (!why.empty()) return "it does not compile: " + why;
  if (code.function<int()>("selftest")() != 0) return "its own test fails";
  for (const State& s : drawn.states) {
    const LoopTruth truth(drawn, mechanism, s.q);
    const ExpectedLoop expected(truth, drawn, s);
    std::vector<double> q = s.q;
    code.function<double(double*, int)>("close")(q.data(), 2);
    for (const Quantity quantity : kLoopQuantities) {
      const QuantityRow& row = row_of(quantity);
      std::vector<double> got(expected.value(quantity).size());
      code.call<double>(std::string(row.id), {{"q", q.data()}, {"v", s.v.data()}, {"a", s.a.data()}, {"tau", expected.tau().data()}}, got.data());
      if (std::string fault = expected.differs(quantity, got.data()); !fault.empty()) return fault;
      if (&s == &drawn.states.back()) counts.add(Path::generated, quantity, drawn.features);
    }
  }
  return {};
}

std::string not_in_c(const Features& features) {
  if (has(features, Feature::base_motion)) return "the motion of the base is no argument";
  if (!has(features, Feature::loop)) return {};
  if (has(features, Feature::viscous) || has(features, Feature::coulomb) || has(features, Feature::wrench))
    return "what is expected of loops has drives and weight alone";
  return {};
}

TEST(Features, MeetInGeneratedC) {
  EXPECT_EQ(compare({.path = Path::generated,
                     .drawing = {.most = so_many(3, 5), .one_wrench = true, .states = 2},
                     .robots = so_many<std::size_t>(1, 20),
                     .refuses = not_in_c,
                     .check =
                         [](const Drawn& drawn, Counts& counts) {
                           if (!drawn.loops.loops.empty()) return loop(drawn, counts);
                           return drawn.seed % 3 == 0 ? tree<float>(drawn, counts) : tree<double>(drawn, counts);
                         }}),
            "");
}

}  // namespace
}  // namespace ulna::test
