#include "pinocchio_library.hpp"

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::pinocchio_library); }
