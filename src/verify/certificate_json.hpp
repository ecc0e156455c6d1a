// A certificate as the file that `ulna verify --out` writes and `--against` reads.
#pragma once

#include <vector>

#include <ulna/verify/verify.hpp>

#include "text/json.hpp"

namespace ulna::internal {

/// What acted in every state: an object.
void write_loads(Json& json, const Certificate& certificate);
void write_certificate(Json& json, const Certificate& certificate, const std::vector<PeerCheck>& peers, bool agree);

}  // namespace ulna::internal
