#include "robot_file.hpp"

namespace ulna::fuzz {

void dh(Input input) { robot_file(text_of(input), "fuzz.yaml"); }

}  // namespace ulna::fuzz
