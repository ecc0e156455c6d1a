// How much a file may ask for. A file that asks for more is refused with a message that names the limit and how to raise it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ulna {

/// Defaults are far beyond any robot, and small enough that reading stays below a few seconds and a few hundred megabytes whatever a file holds.
struct ReadLimits {
  std::size_t file_bytes = std::size_t{64} << 20;  // of a URDF file
  std::size_t yaml_bytes = std::size_t{2} << 20;   // of a DH table or a scenario: ten thousand rows; the parser needs hundreds of bytes for each hostile one
  std::size_t csv_bytes = std::size_t{64} << 20;   // of a table that is held in memory: runs of a batch, tabled torques
  std::size_t line_bytes = std::size_t{16} << 20;  // of one line of a file of states, which may itself be of any size
  std::size_t elements = 2'000'000;                // of XML: a file of '<a/>' alone would take twenty times its size
  std::size_t xml_depth = 100;                     // a URDF file has six levels
  std::size_t yaml_depth = 32;                     // a DH table has four levels, a scenario five
  std::size_t joints = 10'000;
  std::size_t coupled = 500;                      // coordinates of a robot with mimic joints, whose check is cubic in them
  std::size_t entries = 100'000;                  // of an inertia matrix that are not zero, where code is generated that has all of them
  std::size_t name_bytes = 1'000;                 // of robots, links and joints
  std::size_t pipe_seconds = 30;                  // without a byte from a pipe
  std::size_t pipe_bytes = std::size_t{4} << 30;  // of states that come through a pipe: they are kept on disk, because they are read twice
};

/// The limits by the names that messages and the command line call them by.
struct NamedLimit {
  std::string_view name;  // "file-bytes"
  std::size_t ReadLimits::*value;
  std::string_view what;
};
const std::vector<NamedLimit>& named_limits();

/// "raise the limit: --limit joints=N, or ReadLimits::joints": the cure of every message about one.
std::string how_to_raise(std::size_t ReadLimits::*limit);

}  // namespace ulna
