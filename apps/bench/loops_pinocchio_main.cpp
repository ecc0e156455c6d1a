#include "loops.hpp"

namespace ulna::bench {
std::unique_ptr<LoopPeer> pinocchio_loops(const Mechanism& robot);
}

int main(int argc, char** argv) { return ulna::bench::serve_loops(argc, argv, ulna::bench::pinocchio_loops); }
