// Other libraries, each in a program of its own next to ulna: a crash of theirs is not ours, and nothing of them is linked.
#pragma once

#include <vector>

#include <ulna/verify/verify.hpp>

namespace ulna::cli {

/// Runs every peer found on some of the states of verify() and compares torques and inertia matrices.
std::vector<PeerCheck> ask_peers(const Model& model, const VerifyOptions& options);

}  // namespace ulna::cli
