#include "run.hpp"

int main(int argc, char** argv) { return ulna::cli::run(argc, argv); }
