// Memory that ends: one allocation of a run fails, each in its turn or a sample of them. What was begun throws or ends well, gives back all memory, and leaves
// no file half-written; a result that is given is the right one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <new>

#include <ulna/campaign/campaign.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

#include "support/folder.hpp"
#include "support/soak.hpp"

namespace {

constexpr long kNever = -1;
std::atomic<long> made{0}, alive{0}, failing{kNever};

void* allocated(std::size_t size, std::size_t alignment) noexcept {
  const long number = made.fetch_add(1);
  if (number == failing.load()) return nullptr;
  void* memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size) : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory != nullptr) ++alive;
  return memory;
}
void* or_throw(std::size_t size, std::size_t alignment = 0) {
  if (void* memory = allocated(size, alignment)) return memory;
  throw std::bad_alloc();
}
void released(void* memory) noexcept {
  if (memory != nullptr) --alive;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return or_throw(size); }
void* operator new[](std::size_t size) { return or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) { return or_throw(size, static_cast<std::size_t>(alignment)); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return or_throw(size, static_cast<std::size_t>(alignment)); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { released(memory); }
void operator delete[](void* memory) noexcept { released(memory); }
void operator delete(void* memory, std::size_t) noexcept { released(memory); }
void operator delete[](void* memory, std::size_t) noexcept { released(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { released(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { released(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { released(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { released(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { released(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { released(memory); }

namespace ulna::test {
namespace {

/// Where the run is, for whoever finds it crashed.
char place[200] = "";
[[noreturn]] void tell_place() {
  std::fprintf(stderr, "terminated: %s\n", place);
  std::abort();
}

/// `work` as a text that says what came out. `after` looks at what a failure has left. Of more than `few` allocations the first half of so many, and as many
/// of the others, fail.
void fail_each(
    const char* what, const std::function<std::string()>& work, const std::function<void()>& after = [] {}, long few = 250) {
  std::set_terminate(&tell_place);
  const std::string right = work();  // what is made once for the whole program is made here
  (void)work();
  const long before_count = made;
  const long before_alive = alive;
  EXPECT_EQ(work(), right);
  const long all = made - before_count;
  EXPECT_EQ(alive, before_alive) << what << " keeps memory";
  ASSERT_GT(all, 0) << what;
  const long most = so_many(few, 80 * few);
  long thrown = 0, tried = 0;
  const auto fail_at = [&](long k) {
    std::snprintf(place, sizeof place, "%s, allocation %ld of %ld", what, k, all);
    SCOPED_TRACE(place);
    const long alive_then = alive;
    ++tried;
    {
      std::string result, problem;
      bool threw = false;
      failing = made + k;
      try {
        result = work();
      } catch (const std::bad_alloc&) {
        threw = true;
      } catch (const std::exception& error) {
        threw = true;
        failing = kNever;
        problem = error.what();
      }
      failing = kNever;
      thrown += threw ? 1 : 0;
      if (!threw) {
        EXPECT_EQ(result, right);
      }
      EXPECT_TRUE(problem.empty() || problem.find("memory") != std::string::npos || problem.find("bad_alloc") != std::string::npos) << problem;
    }
    EXPECT_EQ(alive, alive_then) << what << " leaks";
    after();
  };
  // The first ones each, the others spread over the run.
  const long head = std::min(all, most / 2);
  for (long k = 0; k < head; ++k) fail_at(k);
  for (long j = 0; j < most - head && head < all; ++j) fail_at(head + (all - head) * j / (most - head));
  EXPECT_GT(thrown, 0) << what;
  std::printf("%s: %ld allocations, %ld of them failed, %ld ended with an exception\n", what, all, tried, thrown);
}

std::string text_of(const std::vector<double>& numbers) { return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)}; }

TEST(FailingAllocations, Load) {
  for (const char* robot : {"panda", "stanford", "four-bar"}) {
    const Model model = load(robot);
    Diagnostics lost;
    for (const std::optional<std::string>& text : {write_urdf(model, lost), write_sdf(model, lost), write_mjcf(model, lost)})
      if (text)
        fail_each("load", [&] {
          const LoadResult read = try_parse(*text, "robot");
          if (!read.model) throw std::runtime_error(read.diagnostics.empty() ? "no memory" : read.diagnostics.front().problem);
          return read.model->name() + std::to_string(read.model->mass()) + std::to_string(read.model->joints().size());
        });
  }
  fail_each("load xacro", [&] {
    const LoadResult read = try_parse(R"(<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="${2*sin(1)}"/>
<xacro:macro name="rod" params="name"><link name="${name}"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>
<link name="base"/><xacro:rod name="a"/><joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint></robot>)",
                                      "robot.xacro");
    if (!read.model) throw std::runtime_error(read.diagnostics.empty() ? "no memory" : read.diagnostics.front().problem);
    return std::to_string(read.model->mass());
  });
}

/// Ten states, one after the other; the numbers themselves do not matter.
std::vector<double> some_states(std::size_t size) {
  std::vector<double> x;
  for (std::size_t k = 0; k < size; ++k) x.push_back(std::sin(0.7 * static_cast<double>(k) + 0.1));
  return x;
}

TEST(FailingAllocations, Dynamics) {
  for (const char* robot : {"planar-3r", "panda", "four-bar"}) {
    const Model model = load(robot);
    const std::vector<double> q = model.reference(), v = some_states(model.nv()), a = v;
    std::vector<double> tau(model.nv());
    fail_each("Dynamics", [&] {
      const ulna::Dynamics dynamics(model);
      dynamics.inverse(q, v, a, tau);
      for (double& x : tau) x = std::round(1e6 * x);  // templates in place of machine code round otherwise
      return text_of(tau);
    });
  }
}

TEST(FailingAllocations, Batch) {
  const Model model = load("panda");
  DynamicsOptions options;
  options.threads = 4;
  const ulna::Dynamics dynamics(model, options);
  const std::size_t states = 20000, size = states * model.nv();
  const std::vector<double> q = some_states(size), v = q, a = q;
  std::vector<double> tau(size);
  const auto rows = [&](const std::vector<double>& x) { return ulna::Dynamics::States(x.data(), model.nv(), states); };
  fail_each("batch", [&] {
    dynamics.inverse_batch(rows(q), rows(v), rows(a), {tau.data(), model.nv(), states});
    return text_of(tau);
  });
}

TEST(FailingAllocations, Simulate) {
  const support::Folder folder;
  folder.write("s.yaml", "model: planar-2r\nduration: 0.1\nlaw: {type: pd, kp: 100, kd: 10}\nreference: {type: quintic, to: [0.3, 0.4], duration: 0.1}\n");
  fail_each("simulate", [&] {
    const sim::Outcome out = sim::simulate(sim::load_scenario(folder.at("s.yaml")));
    if (out.ending != sim::Ending::done) throw std::runtime_error(out.message);
    std::vector<double> q = out.q;
    for (double& x : q) x = std::round(1e6 * x);
    return text_of(q);
  });
}

TEST(FailingAllocations, Generate) {
  const Model model = load("planar-2r");
  for (const char* language : {"c", "rust"})
    fail_each("generate", [&] {
      std::string text;
      for (const GeneratedFile& file : generate(model, {.what = {"inverse", "mass"}, .language = language})) text += file.name + file.text;
      return text;
    });
}

TEST(FailingAllocations, Campaign) {
  const support::Folder folder;
  folder.write("c.yaml",
               "runs: 20\nscenario: {model: planar-2r, duration: 0.01, integrator: {type: rk4, step: 0.001}}\nvary: {mass.forearm: {uniform: [0.9, 1.1]}}\n");
  const auto text_at = [](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::filesystem::path out = folder.at("out");
  campaign::CampaignOptions options;
  options.threads = 2;
  std::string results;
  fail_each(
      "campaign",
      [&] {
        std::filesystem::remove_all(out);
        campaign::run_campaign(campaign::load_campaign(folder.at("c.yaml")), out.string(), options);
        return results = text_at(out / "results.csv");
      },
      [&] {
        // What is there is whole, and can be gone on with.
        if (std::filesystem::exists(out / "results.csv")) {
          EXPECT_EQ(text_at(out / "results.csv"), results);
        }
        campaign::CampaignOptions resume = options;
        resume.resume = true;
        campaign::run_campaign(campaign::load_campaign(folder.at("c.yaml")), out.string(), resume);
        EXPECT_EQ(text_at(out / "results.csv"), results);
      },
      60);
}

}  // namespace
}  // namespace ulna::test
