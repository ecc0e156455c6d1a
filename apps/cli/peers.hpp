// Other libraries, each in a program of its own that stands beside ulna: a crash of theirs is not ours, and nothing of them is linked.
#pragma once

#include <string>
#include <vector>

#include <ulna/verify/verify.hpp>

namespace ulna::cli {

struct PeerCheck {
  std::string name;  // and version
  std::string quantity;
  std::string why_not;  // empty when it was compared
  double max_relative_difference = 0;
  double tolerance = 0;
  bool agree = false;
};

/// Runs every peer found on some of the states of verify() and compares torques and inertia matrices.
std::vector<PeerCheck> ask_peers(const Model& model, const VerifyOptions& options);

}  // namespace ulna::cli
