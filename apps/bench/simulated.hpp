// The simulation that `ulna bench` times: what its parent and its programs have to agree on.
#pragma once

namespace ulna::bench {

inline constexpr int kSimulatedSteps = 200;
inline constexpr double kSimulatedStep = 1e-3;  // [s]

}  // namespace ulna::bench
