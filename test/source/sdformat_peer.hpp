// Where libsdformat has the links, joints and axes of a model, to be compared with.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <ulna/spatial/spatial.hpp>

namespace ulna::test {

struct SdfPoses {
  std::map<std::string, Pose<double>> frames;  // of links and joints, by their names in full, in the world
  std::map<std::string, Vec3<double>> axes;    // of joints, in their own frames
};

/// Of the first model that is not static; nothing where the tests are built without libsdformat, or where that refuses the text.
std::optional<SdfPoses> poses_of_libsdformat(const std::string& text);

}  // namespace ulna::test
