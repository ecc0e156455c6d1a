// The C that `ulna generate` writes, compiled by the machine's C compiler twice: as anyone would, and for this processor.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <future>

#include <ulna/emit/generate.hpp>
#include <ulna/version.hpp>

#include "subject.hpp"

namespace ulna::bench {

namespace {

struct Build {
  const char* path;
  const char* flags;
};
constexpr Build kBuilds[] = {{"generated-O2", "-O2"}, {"generated-native", "-O3 -march=native -ffp-contract=fast"}};

constexpr std::pair<Job, const char*> kFunctions[] = {{Job::inverse, "inverse"},
                                                      {Job::mass, "mass"},
                                                      {Job::forward, "forward"},
                                                      {Job::derivatives, "inverse_derivatives"},
                                                      {Job::forward_derivatives, "forward_derivatives"}};

/// A shared object that stays loaded while the program runs.
template <class T>
class Functions {
 public:
  Functions(const Inputs& inputs, const Build& build) {
    const std::string real = sizeof(T) == sizeof(double) ? "double" : "float";
    const std::string base = inputs.folder + "/robot_" + real, object = base + "_" + build.path + ".so";
    const std::string command = "cc -std=c99 " + std::string(build.flags) + " -shared -fPIC -o '" + object + "' '" + base + ".c' -lm 2>/dev/null";
    if (std::system(command.c_str()) != 0) throw Refused("the C compiler 'cc' is not there, or failed");
    void* handle = dlopen(object.c_str(), RTLD_NOW);
    if (handle == nullptr) throw Refused(dlerror());
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, ("robot_" + real + "_" + name).c_str()));
      if (function == nullptr) throw Refused(dlerror());
    };
    const auto find_asked = [&](Job job, auto& function, const char* name) {
      if (inputs.worth_compiling(job)) find(function, name);
    };
    find_asked(Job::inverse, inverse, "inverse");
    find_asked(Job::mass, mass, "mass");
    find_asked(Job::forward, forward, "forward");
    find_asked(Job::derivatives, derivatives, "inverse_derivatives");
    find_asked(Job::forward_derivatives, forward_derivatives, "forward_derivatives");
  }
  void (*inverse)(const T*, const T*, const T*, T*) = nullptr;
  void (*mass)(const T*, T*) = nullptr;
  void (*forward)(const T*, const T*, const T*, T*) = nullptr;
  void (*derivatives)(const T*, const T*, const T*, T*) = nullptr;
  void (*forward_derivatives)(const T*, const T*, const T*, T*) = nullptr;
};

template <class T>
class GeneratedWorker : public Worker<T> {
 public:
  GeneratedWorker(std::shared_ptr<const Functions<T>> functions, std::shared_ptr<const States<T>> states)
      : functions_(std::move(functions)), states_(std::move(states)) {}

  void run(Job job, std::size_t first, std::size_t count, T* out, std::size_t stride) override {
    const States<T>& s = *states_;
    const Functions<T> f = *functions_;
    for (std::size_t k = first; k < first + count; ++k, out += stride) {
      const std::size_t at = k * s.n, at_q = k * s.nq;
      if (job == Job::inverse)
        f.inverse(s.q.data() + at_q, s.v.data() + at, s.a.data() + at, out);
      else if (job == Job::mass)
        f.mass(s.q.data() + at_q, out);
      else if (job == Job::forward)
        f.forward(s.q.data() + at_q, s.v.data() + at, s.tau.data() + at, out);
      else if (job == Job::derivatives)
        f.derivatives(s.q.data() + at_q, s.v.data() + at, s.a.data() + at, out);
      else
        f.forward_derivatives(s.q.data() + at_q, s.v.data() + at, s.tau.data() + at, out);
    }
  }

 private:
  std::shared_ptr<const Functions<T>> functions_;
  std::shared_ptr<const States<T>> states_;
};

template <class T>
void add(Library& library, const Inputs& inputs) {
  GenerateOptions options;
  options.what.clear();
  std::vector<Job> jobs;
  for (const auto& [job, function] : kFunctions)
    if (inputs.worth_compiling(job)) jobs.push_back(job), options.what.emplace_back(function);
  if (jobs.empty()) return;
  options.real = sizeof(T) == sizeof(double) ? Real::double_precision : Real::single_precision;
  options.name = sizeof(T) == sizeof(double) ? "robot_double" : "robot_float";
  for (const GeneratedFile& file : generate(inputs.model, options)) std::ofstream(inputs.folder + "/" + file.name, std::ios::binary) << file.text;
  const auto states = std::make_shared<const States<T>>(cast<T>(inputs.states));
  std::vector<std::future<std::shared_ptr<const Functions<T>>>> builds;  // the compilers work at the same time
  for (const Build& build : kBuilds) builds.push_back(std::async(std::launch::async, [&] { return std::make_shared<const Functions<T>>(inputs, build); }));
  for (std::size_t k = 0; k < builds.size(); ++k) {
    const std::shared_ptr<const Functions<T>> functions = builds[k].get();
    for (const Job job : jobs)
      add_rows<T>(library, kBuilds[k].path, job, [=]() -> std::unique_ptr<Worker<T>> { return std::make_unique<GeneratedWorker<T>>(functions, states); });
  }
}

Library make(const Inputs& inputs) {
  Library library{"ulna", ULNA_VERSION, "cc", std::string(kBuilds[0].flags) + "; " + kBuilds[1].flags};
  add<double>(library, inputs);
  if (!inputs.single_calls) add<float>(library, inputs);
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
