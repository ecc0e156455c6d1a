// Joints that close loops. Links and joints of a robot are a tree (Model); these stand beside it, and say where the tree was cut.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/spatial/pose.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// What the joint that closes a loop lets its two links do against each other. A and B are its frames on them, `axis` its axis, in both.
///   fixed        nothing: A and B are one frame
///   revolute     turn about the axis
///   prismatic    slide along it
///   cylindrical  both
///   spherical    turn in any way: A and B share their origin
///   planar       slide across the axis and turn about it
enum class LoopType { fixed, revolute, prismatic, cylindrical, spherical, planar };

std::string_view to_string(LoopType type);                       // Its name in files.
std::optional<LoopType> loop_type_named(std::string_view name);  // The type of this name.

struct Loop {
  std::string name;
  LoopType type = LoopType::spherical;
  std::size_t predecessor = kNone;  // index of the link that has frame A
  std::size_t successor = kNone;    // index of the link that has frame B
  Pose<double> X_PA{};
  Pose<double> X_SB{};
  Vec3<double> axis{0, 0, 1};  // unit vector, in A and in B
  std::string file{};          // where it stands
  int line = 0;
};

/// Loops and independent coordinates as files and programs name them; Mechanism resolves the names.
struct LoopDescription {
  struct Entry {  // A loop, with its links by name.
    Loop loop;    // its links are found by these names: of a link, or of a joint, whose frame is meant then
    std::string predecessor;
    std::string successor;
  };
  std::vector<Entry> loops;
  std::vector<std::string> motors{};                  // joints whose coordinates are the independent ones, all of them; empty where nobody says
  std::vector<std::pair<std::string, bool>> marks{};  // without motors: joints that are to be independent, or not to be; the others as it comes out
};

}  // namespace ULNA_API
