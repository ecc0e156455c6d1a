#include "robot_file.hpp"

namespace ulna::fuzz {

void mjcf(Input input) { robot_file(text_of(input), "fuzz.mjcf"); }

}  // namespace ulna::fuzz
