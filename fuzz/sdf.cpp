#include "robot_file.hpp"

namespace ulna::fuzz {

void sdf(Input input) { robot_file(text_of(input), "fuzz.sdf"); }

}  // namespace ulna::fuzz
