#include "robot_file.hpp"

namespace ulna::fuzz {

void urdf(Input input) { robot_file(text_of(input), "fuzz.urdf"); }

}  // namespace ulna::fuzz
