// xacro files, expanded: macros, properties, conditions and includes replaced by what they mean. No Python runs, and no ROS is needed.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

#include "source/mjcf_files.hpp"

namespace ulna::internal {

/// A call of a macro.
struct XacroCall {
  std::string macro;
  int file = 0;  // where the call stands
  int line = 0;
  const XacroCall* outer = nullptr;  // the call inside whose macro it stands
};

/// Where an element or attribute comes from.
struct XacroOrigin {
  int file = -1;
  int line = 0;
  const XacroCall* call = nullptr;
};

/// A file without xacro, and where each of its lines comes from.
class XacroExpansion {
 public:
  struct File {
    std::string path;
    int main_line = 0;  // in the main file, of what takes this one in; 0 for the main file
  };

  std::string text;
  std::vector<XacroOrigin> lines;  // of text
  std::vector<File> files;         // the main one first
  std::deque<XacroCall> calls;

  /// A message about a line of the expanded text, as one about the file that made it.
  void point(Diagnostic& message) const;
  /// Where the main file has what makes a line.
  int main_line(int line) const;
  int main_line(XacroOrigin origin) const;
  /// "in macro 'link', called in arm.xacro:12; …", the innermost first.
  std::string chain(const XacroCall* call) const;

 private:
  const XacroOrigin* origin(int line) const;
  /// "first in line 251" with the line of the file that made that line.
  std::string with_places(const std::string& message, const std::string& file) const;
};

/// Whether a text of XML needs expansion.
bool is_xacro(std::string_view text, std::string_view file);

/// Nothing after an error. `read_included` may be empty: then other files are errors.
std::optional<XacroExpansion> expand_xacro(std::string_view text, const std::string& file, const LoadOptions& options, const ReadIncluded& read_included,
                                           Diagnostics& diagnostics);

}  // namespace ulna::internal
