// Time of one call of each algorithm on plain doubles. States differ from call to call and are not zero; results are used.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include <ulna/ulna.hpp>

#if !defined(NDEBUG) || !defined(__OPTIMIZE__)
#error "benchmarks need an optimised build: make bench, or cmake --preset bench"
#endif

namespace {

struct Bench {
  static constexpr std::size_t kStates = 256;
  explicit Bench(const std::string& robot) : plan(ulna::make_plan(ulna::load(robot))), workspace(plan), n(plan.nv), out(n), M(n * n) {
    std::uint64_t seed = 1;
    for (std::vector<double>* part : {&q, &v, &a, &tau}) {
      part->resize(kStates * n);
      for (double& x : *part) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x = static_cast<double>(seed >> 11) * 0x1p-53 * 2 - 1;
      }
    }
  }
  ulna::Plan plan;
  ulna::Workspace workspace;
  std::size_t n;
  std::vector<double> q, v, a, tau, out, M;
};

template <class Call>
void measure(benchmark::State& state, const std::string& robot, Call call) {
  Bench bench(robot);
  std::size_t k = 0;
  for (auto _ : state) {
    call(bench, (k++ % Bench::kStates) * bench.n);
    benchmark::DoNotOptimize(bench.out.data());
    benchmark::ClobberMemory();
  }
  state.counters["nv"] = static_cast<double>(bench.n);
}

}  // namespace

int main(int argc, char** argv) {
  using ulna::ForwardMethod;
  for (const std::string robot :
       {"stanford", "puma560", "ur5", "panda", "torso", "humanoid-38", "general-RRRRRRRRRR", "general-RRRRRRRRRRRRRR", "general-RRRRRRRRRRRRRRRRRR"}) {
    const auto add = [&](const char* task, auto call) {
      benchmark::RegisterBenchmark((robot + "/" + task).c_str(), [robot, call](benchmark::State& s) { measure(s, robot, call); });
    };
    add("inverse", [](Bench& b, std::size_t i) { ulna::inverse_dynamics(b.plan, b.workspace, &b.q[i], &b.v[i], &b.a[i], b.out.data()); });
    add("mass", [](Bench& b, std::size_t i) { ulna::mass_matrix(b.plan, b.workspace, &b.q[i], b.M.data()); });
    const auto forward = [](ForwardMethod method) {
      return [method](Bench& b, std::size_t i) {
        const auto view = [&](const std::vector<double>& x) { return ulna::VectorView<const double>(&x[i], b.n); };
        ulna::forward_dynamics(b.plan, b.workspace, view(b.q), view(b.v), view(b.tau), b.out, {}, method);
      };
    };
    add("forward/mass", forward(ForwardMethod::mass_matrix));
    add("forward/articulated", forward(ForwardMethod::articulated));
  }
  benchmark::AddCustomContext("compiler", ULNA_BUILD_FLAGS);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
