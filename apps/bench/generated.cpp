// The C that `ulna generate` writes, compiled by gcc and by clang, where they are here, twice each: as anyone would, and for this processor. Of the compilers
// the better one counts, task by task. Many states go through the entries that compilers vectorise.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>

#include <ulna/emit/generate.hpp>
#include <ulna/version.hpp>

#include "aligned.hpp"
#include "subject.hpp"

namespace ulna::bench {

namespace {

struct Build {
  const char* path;
  const char* flags;
};
constexpr Build kBuilds[] = {{"generated-O2", "-O2"}, {"generated-native", "-O2 -march=native -ffp-contract=fast"}};
constexpr const char* kCompilers[] = {"gcc", "clang", "cc"};  // the last where neither of the others is here
constexpr std::size_t kLanes = 8;                             // of the entries that are vectorised

struct Part {
  const char* name;
  std::vector<Job> jobs;
  bool batch;
};
/// Derivatives are long, and compilers take minutes for vectors of them.
const Part kParts[] = {{"", {Job::inverse, Job::mass, Job::forward}, true}, {"_derivatives", {Job::derivatives, Job::forward_derivatives}, false}};

const char* function_of(Job job) {
  return job == Job::derivatives ? "inverse_derivatives" : job == Job::forward_derivatives ? "forward_derivatives" : name_of(job);
}
template <class T>
const char* real_of() {
  return sizeof(T) == sizeof(double) ? "double" : "float";
}

/// A function of a shared object that stays loaded while the program runs.
template <class T>
class Function {
 public:
  Function(void* handle, const std::string& name, Job job) : job_(job), call_(dlsym(handle, name.c_str())) {
    if (call_ == nullptr) throw Refused(dlerror());
  }
  void operator()(const T* q, const T* v, const T* a, const T* tau, T* out) const {
    if (job_ == Job::mass) return reinterpret_cast<void (*)(const T*, T*)>(call_)(q, out);
    const bool driven = job_ == Job::forward || job_ == Job::forward_derivatives;
    reinterpret_cast<void (*)(const T*, const T*, const T*, T*)>(call_)(q, v, driven ? tau : a, out);
  }

 private:
  Job job_;
  void* call_;
};

template <class T>
class GeneratedWorker : public Worker<T> {
 public:
  GeneratedWorker(Function<T> function, std::shared_ptr<const States<T>> states) : function_(function), states_(std::move(states)) {}

  void run(Job, std::size_t first, std::size_t count, T* out, std::size_t stride) override {
    const States<T>& s = *states_;
    const Function<T> f = function_;
    for (std::size_t k = first; k < first + count; ++k, out += stride)
      f(s.q.data() + k * s.nq, s.v.data() + k * s.n, s.a.data() + k * s.n, s.tau.data() + k * s.n, out);
  }

 private:
  Function<T> function_;
  std::shared_ptr<const States<T>> states_;
};

template <class T>
struct Blocks {
  explicit Blocks(const States<T>& s)
      : nq(s.nq), n(s.n), q(blocked(s.q, nq, kLanes)), v(blocked(s.v, n, kLanes)), a(blocked(s.a, n, kLanes)), tau(blocked(s.tau, n, kLanes)) {}
  std::size_t nq, n;
  std::vector<T, Aligned<T>> q, v, a, tau;
};

/// The smallest of a few sweeps over some states [ns].
template <class F>
double time_of(const F& sweep) {
  double least = 1e300;
  for (int k = 0; k < 200; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    sweep();
    least = std::min(least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// The compilers of this computer; what each made of a part of the code is loaded, or null.
template <class T>
void* compiled(const std::string& folder, const std::string& compiler, const Build& build, const std::string& part) {
  const std::string base = folder + "/robot_" + real_of<T>() + part, object = base + "_" + compiler + "_" + build.path + ".so";
  const std::string command = compiler + " -std=c99 " + build.flags + " -shared -fPIC -o '" + object + "' '" + base + ".c' -lm 2>/dev/null";
  return std::system(command.c_str()) == 0 ? dlopen(object.c_str(), RTLD_NOW) : nullptr;
}

std::vector<std::string> compilers() {
  std::vector<std::string> here;
  for (const char* name : kCompilers)
    if ((std::string(name) != "cc" || here.empty()) && std::system((std::string(name) + " --version > /dev/null 2>&1").c_str()) == 0) here.emplace_back(name);
  if (here.empty()) throw Refused("there is no C compiler here: gcc, clang or cc");
  return here;
}

template <class T>
void add(Library& library, const Inputs& inputs) {
  const auto states = std::make_shared<const States<T>>(cast<T>(inputs.states));
  const auto blocks = std::make_shared<const Blocks<T>>(*states);
  std::vector<std::string> available = compilers();
  if (inputs.single_calls) available.resize(1);  // whoever asks for these is in a hurry
  for (const Part& part : kParts) {
    std::vector<Job> jobs;
    std::copy_if(part.jobs.begin(), part.jobs.end(), std::back_inserter(jobs), [&](Job job) { return inputs.worth_compiling(job); });
    if (jobs.empty()) continue;
    GenerateOptions options;
    options.what.clear();
    for (const Job job : jobs) options.what.emplace_back(function_of(job));
    options.real = sizeof(T) == sizeof(double) ? Real::double_precision : Real::single_precision;
    options.name = std::string("robot_") + real_of<T>() + part.name;
    options.batch = part.batch && !inputs.single_calls;
    options.test_states = 0;  // 'ulna bench' compares every row with the templates
    for (const GeneratedFile& file : generate(inputs.model, options)) std::ofstream(inputs.folder + "/" + file.name, std::ios::binary) << file.text;
    for (const Build& build : kBuilds) {
      std::vector<std::future<void*>> objects;  // the compilers work at the same time
      for (const std::string& compiler : available)
        objects.push_back(std::async(std::launch::async, [&] { return compiled<T>(inputs.folder, compiler, build, part.name); }));
      std::vector<void*> handles;
      for (auto& object : objects) handles.push_back(object.get());
      for (const Job job : jobs) {
        const std::size_t size = size_of(job, states->n);
        std::optional<Function<T>> best, best_lanes;
        double least = 1e300, least_lanes = 1e300;
        for (std::size_t c = 0; c < handles.size(); ++c) {
          if (handles[c] == nullptr) continue;
          const Function<T> one(handles[c], options.name + "_" + function_of(job), job);
          std::vector<T, Aligned<T>> out(size * kLanes);
          const States<T>& s = *states;
          const double ns = time_of([&] {
            for (std::size_t k = 0; k < std::min<std::size_t>(s.count, 64); ++k)
              one(s.q.data() + k * s.nq, s.v.data() + k * s.n, s.a.data() + k * s.n, s.tau.data() + k * s.n, out.data());
          });
          if (ns < least) least = ns, best = one;
          if (!options.batch || blocks->v.empty()) continue;
          const Function<T> eight(handles[c], options.name + "_" + function_of(job) + "_lanes", job);
          const double ns_lanes = time_of([&] {
            for (int k = 0; k < 8; ++k) eight(blocks->q.data(), blocks->v.data(), blocks->a.data(), blocks->tau.data(), out.data());
          });
          if (ns_lanes < least_lanes) least_lanes = ns_lanes, best_lanes = eight;
        }
        if (!best) throw Refused("no C compiler could compile the generated code");
        const std::size_t before = library.rows.size();
        add_rows<T>(library, build.path, job, [&]() -> std::unique_ptr<Worker<T>> { return std::make_unique<GeneratedWorker<T>>(*best, states); });
        if (!best_lanes) continue;
        Row& row = library.rows[before + 1];  // of a batch on one thread
        row.lanes = kLanes;
        row.template sweep_of<T>() = [f = *best_lanes, blocks, size](const Span<T>& span) {
          for (std::size_t b = 0; b < span.count / kLanes; ++b) {
            const std::size_t at = b * kLanes;
            f(&blocks->q[at * blocks->nq], &blocks->v[at * blocks->n], &blocks->a[at * blocks->n], &blocks->tau[at * blocks->n], span.out + at * size);
          }
        };
      }
    }
  }
}

Library make(const Inputs& inputs) {
  std::string names;
  for (const std::string& name : compilers()) names += (names.empty() ? "" : " or ") + name;
  Library library{"ulna", ULNA_VERSION, names, std::string(kBuilds[0].flags) + "; " + kBuilds[1].flags};
  add<double>(library, inputs);
  if (!inputs.single_calls) add<float>(library, inputs);
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
