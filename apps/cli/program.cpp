#include <csignal>

#include "run.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // the write beyond a limit of file sizes fails, and is told as a full disk is
  return ulna::cli::run(argc, argv);
}
