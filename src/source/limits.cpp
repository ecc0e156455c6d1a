#include <ulna/source/load.hpp>

#include <algorithm>

#include "text/cat.hpp"

namespace ulna ULNA_API {

using namespace internal;

const std::vector<NamedLimit>& named_limits() {
  static const std::vector<NamedLimit> limits{
      {"file-bytes", &ReadLimits::file_bytes, "bytes of a URDF file"},
      {"yaml-bytes", &ReadLimits::yaml_bytes, "bytes of a DH table or a scenario"},
      {"csv-bytes", &ReadLimits::csv_bytes, "bytes of a table of runs or torques"},
      {"line-bytes", &ReadLimits::line_bytes, "bytes of a line of a file of states"},
      {"elements", &ReadLimits::elements, "elements of a URDF file"},
      {"xml-depth", &ReadLimits::xml_depth, "levels of elements in elements"},
      {"yaml-depth", &ReadLimits::yaml_depth, "levels of lists and mappings"},
      {"joints", &ReadLimits::joints, "joints of a robot"},
      {"coupled", &ReadLimits::coupled, "coordinates of a robot with mimic joints or loops"},
      {"entries", &ReadLimits::entries, "entries of an inertia matrix of which code is generated"},
      {"name-bytes", &ReadLimits::name_bytes, "bytes of a name"},
      {"pipe-seconds", &ReadLimits::pipe_seconds, "seconds to wait for a pipe"},
      {"pipe-bytes", &ReadLimits::pipe_bytes, "bytes of states through a pipe"},
  };
  return limits;
}

std::string how_to_raise(std::size_t ReadLimits::*limit) {
  const auto found = std::find_if(named_limits().begin(), named_limits().end(), [limit](const NamedLimit& row) { return row.value == limit; });
  std::string member(found->name);
  std::replace(member.begin(), member.end(), '-', '_');
  return cat("raise the limit if it is meant: --limit ", found->name, "=N, or ReadLimits::", member, " in a program");
}

}  // namespace ULNA_API
