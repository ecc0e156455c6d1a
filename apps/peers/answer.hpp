// What every program ulna-peer-* does; `ulna verify` asks them.
#pragma once

#include <memory>
#include <string>

#include "peer.hpp"

namespace ulna::peers {

/// ulna-peer-X FILE.urdf gx,gy,gz STATES
///
/// STATES is text: the number of joints, their names one a line, then one state a line: q, v and a of these joints, separated by blanks; of a
/// base that moves, which the file tells, its numbers come first in each, in Ulna's order and conventions, and so do its rows of the answer. The answer, on
/// standard output: name and version of the library, number and names of the joints in its own order, then for each state one line: the torques and the inertia
/// matrix row by row. Exit status 0; 3 when the library does not take the model, with the reason on standard error; 2 when the call is wrong.
int answer(int argc, char** argv, const std::string& library, std::unique_ptr<Peer> (*make)(const Model&));

template <class P>
std::unique_ptr<Peer> make_peer(const Model& model) {
  return std::make_unique<P>(model);
}

}  // namespace ulna::peers
