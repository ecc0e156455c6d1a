// An XML text as pugixml's tree, with the line of every element and attribute and with the checks pugixml leaves out.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <string_view>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

#include "source/source_text.hpp"

namespace ulna::internal {

/// <name>, for messages; an over-long name is cut.
std::string tag_text(std::string_view name);

/// What a file of this kind is called, and by what element it begins.
struct XmlFormat {
  std::string_view name;       // "URDF"
  std::string_view root;       // "robot"
  std::string_view example;    // what to give in place of a file without any element
  std::string_view depth;      // why it would need levels of elements
  std::string_view part = {};  // root of a piece that other files include; empty when there is no such thing
};
inline constexpr XmlFormat kUrdf{"URDF", "robot", "<robot name=\"...\"> with links and joints", "a URDF file needs six levels"};
inline constexpr XmlFormat kMjcf{"MJCF", "mujoco", "<mujoco> with a <worldbody>", "every body of a chain is a level", "mujocoinclude"};

/// The name of the first element in a text; empty when there is none. Looks at no more than comments and declarations before it.
std::string_view root_name(std::string_view text);

class XmlDocument {
 public:
  /// Reports broken XML, text or elements beside the root, repeated attributes, entities of its own, and trees too large or too deep to be a robot.
  XmlDocument(std::string_view text, const XmlFormat& format, Diagnostics& diagnostics, const ReadLimits& limits);
  XmlDocument(const XmlDocument&) = delete;  // pugixml's tree points into the buffer
  XmlDocument& operator=(const XmlDocument&) = delete;

  /// Null when the text could not be parsed.
  pugi::xml_node root() const { return root_; }
  int line(const pugi::xml_node& node) const;
  int line(const pugi::xml_attribute& attribute) const;

 private:
  bool parse(std::string_view text, Diagnostics& diagnostics);
  void report_parse_error(const pugi::xml_parse_result& result, std::string_view text, Diagnostics& diagnostics) const;
  bool check_top_level(std::string_view text, Diagnostics& diagnostics);
  bool check_elements(Diagnostics& diagnostics, const ReadLimits& limits) const;
  int line_of_name(const pugi::char_t* name) const;

  XmlFormat format_;
  std::string buffer_;  // parsed in place, so that names are addresses in it
  LineIndex lines_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace ulna::internal
