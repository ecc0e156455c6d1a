// The robots that come with Ulna.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ulna {

struct BuiltinRobot {
  std::string_view id;
  std::string_view summary;
  std::string_view file;  // name of its file under models/, which tells the format
  std::string_view text;  // the file itself
};

/// In a fixed order; `general-<types>` is not among them because it is a family.
const std::vector<BuiltinRobot>& builtin_robots();

/// The DH table of `general-RRP` and the like: a made-up arm in modified DH in which no parameter is special, except that the base frame lies
/// on the first joint's null position. The same digits on every machine. Empty when `id` is not of that form.
std::optional<std::string> general_robot(std::string_view id);

}  // namespace ulna
