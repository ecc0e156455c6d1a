#include <cstdio>
#include <cstdlib>

#include "answer.hpp"
#include "mujoco_peer.hpp"

int main(int argc, char** argv) {
  using namespace ulna::peers;
  // By default MuJoCo writes a log file into the current folder.
  mju_user_warning = [](const char* text) { std::fprintf(stderr, "MuJoCo warns: %s\n", text); };
  mju_user_error = [](const char* text) {
    std::fprintf(stderr, "%s\n", text);
    std::_Exit(1);
  };
  return answer(argc, argv, "MuJoCo " + MujocoPeer::version(), make_peer<MujocoPeer>);
}
