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

class XmlDocument {
 public:
  /// Reports broken XML, text or elements beside the root, repeated attributes, entities of its own, and trees too large or too deep to be a robot.
  XmlDocument(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits);
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

  std::string buffer_;  // parsed in place, so that names are addresses in it
  LineIndex lines_;
  pugi::xml_document document_;
  pugi::xml_node root_;
};

}  // namespace ulna::internal
