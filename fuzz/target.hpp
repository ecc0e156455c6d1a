// What every fuzz target shares: its list, and how it says that something is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

namespace ulna::internal::sim {}
namespace ulna::fuzz {

using namespace internal;
namespace sim = internal::sim;

using Input = std::span<const std::uint8_t>;

// Each takes any bytes. A fault is a crash, a sanitizer's report, an exception that nobody expects, or a broken promise (`promise` below).
void urdf(Input input);       // a file of this kind
void mjcf(Input input);       // a file of this kind
void sdf(Input input);        // a file of this kind
void xacro(Input input);      // a file of this kind
void dh(Input input);         // a file of this kind
void mesh(Input input);       // a mesh, and its mass
void states(Input input);     // the CSV of --states
void scenario(Input input);   // a scenario, and the first steps of its run
void overrides(Input input);  // the CSV of --batch
void graph(Input input);      // expressions, as bytes tell; exact in a finite field
void kernel(Input input);     // programs, as bytes tell; registers and machine code

struct Target {
  std::string_view name;
  void (*run)(Input);
};
inline constexpr Target kTargets[] = {{"urdf", urdf},    {"mjcf", mjcf},     {"sdf", sdf},           {"xacro", xacro},         {"dh", dh},
                                      {"mesh", mesh},    {"states", states}, {"scenario", scenario}, {"overrides", overrides}, {"graph", graph},
                                      {"kernel", kernel}};

inline void promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

inline std::string_view text_of(Input input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

}  // namespace ulna::fuzz
