// Time from a model to its program with the fewest operations: plan, search, minimising. And of one trace without search.
#include <benchmark/benchmark.h>

#include <string>

#include <ulna/trace/best.hpp>
#include <ulna/ulna.hpp>

#include "formulation/trace.hpp"

#if !defined(NDEBUG) || !defined(__OPTIMIZE__)
#error "benchmarks need an optimised build: make bench, or cmake --preset bench"
#endif

int main(int argc, char** argv) {
  using ulna::Quantity;
  for (const std::string robot : {"stanford", "puma560-mdh", "ur5", "panda", "iiwa14", "general-RRRRRRR", "torso", "humanoid-38"}) {
    const auto add = [&](const char* task, Quantity quantity) {
      benchmark::RegisterBenchmark((robot + "/best/" + task).c_str(), [robot, quantity](benchmark::State& state) {
        const ulna::Model model = ulna::load(robot);
        ulna::OperationCounts counts;
        for (auto _ : state) counts = ulna::find_best(model, quantity).counts;
        state.counters["mul"] = static_cast<double>(counts.mul);
        state.counters["add"] = static_cast<double>(counts.add);
      })->Unit(benchmark::kMillisecond);
    };
    add("inverse", Quantity::inverse);
    add("mass", Quantity::mass);
    add("bias", Quantity::bias);
    add("forward", Quantity::forward);
    benchmark::RegisterBenchmark((robot + "/trace/inverse").c_str(), [robot](benchmark::State& state) {
      const ulna::Prepared prepared(ulna::load(robot));
      const ulna::Formulation& row = *ulna::find_formulation("ulna");
      for (auto _ : state) benchmark::DoNotOptimize(ulna::trace(row, Quantity::inverse, prepared).counts());
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::AddCustomContext("compiler", ULNA_BUILD_FLAGS);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
