// The program as a function: `ulna` is nothing else, and the Python package has it, too.
#pragma once

namespace ulna::cli {

/// What main() gets, and what it returns: the exit status.
int run(int argc, char** argv);

}  // namespace ulna::cli
