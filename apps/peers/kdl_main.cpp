#include "answer.hpp"
#include "kdl_peer.hpp"

int main(int argc, char** argv) {
  using namespace ulna::peers;
  return answer(argc, argv, "KDL " + KdlPeer::version(), make_peer<KdlPeer>);
}
