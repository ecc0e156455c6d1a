#include "robot_file.hpp"

namespace ulna::fuzz {

void xacro(Input input) { robot_file(text_of(input), "fuzz.xacro"); }

}  // namespace ulna::fuzz
