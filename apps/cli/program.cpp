#include <csignal>

#include "run.hpp"

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of file sizes fails, and is reported as a full disk is
  return ulna::cli::run(argc, argv);
}
