// An XML text as pugixml's tree, with the line of every element and attribute and with the checks pugixml leaves out; and its elements, read attribute by
// attribute, with a message for every way one can be wrong.
#pragma once

#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

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
inline constexpr XmlFormat kSdf{"SDFormat", "sdf", "<sdf version=\"1.7\"> with a <model>", "every nested model is a level"};
inline constexpr XmlFormat kXacro{"xacro", "", "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\">", "a xacro file needs twenty levels"};  // any root

/// The name of the first element in a text; empty when there is none. Reads only comments and declarations before it.
std::string_view root_name(std::string_view text);

class XmlDocument {
 public:
  /// Reports broken XML, text or elements outside the root, repeated attributes, entities of its own, and trees too large or too deep to be a robot.
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

/// What a file holds beyond what is read: one note for each kind, however often it occurs.
class UnusedContent {
 public:
  void add(const std::string& kind, int line);
  void report(Diagnostics& diagnostics) const;

 private:
  struct Occurrence {
    int line = 0;  // the first
    int count = 0;
  };
  std::map<std::string, Occurrence> kinds_;
};

/// What reading needs everywhere.
struct XmlContext {
  const XmlDocument& xml;
  Diagnostics& diagnostics;
  const ReadLimits& limits;
  UnusedContent unused{};
  /// Known names that change no number. A slip of any other name is an error, because the numbers behind it would be lost. Null: any unknown name is.
  const std::vector<std::string>* without_effect = nullptr;
};

class XmlElement {
 public:
  /// `label` is how messages call the element: `link 'wrist'`, `joint 'j1' <axis>`.
  XmlElement(XmlContext& context, pugi::xml_node node, Element label) : context_(&context), node_(node), label_(std::move(label)) {}

  explicit operator bool() const { return static_cast<bool>(node_); }
  int line() const { return context_->xml.line(node_); }
  pugi::xml_node node() const { return node_; }

  /// The child of that name, if any; a second one is an error.
  XmlElement child(const char* name) const;
  /// The same; none is an error, too.
  XmlElement require_child(const char* name, std::string_view example) const;

  /// Reports attributes and children that are not in these lists. Where XmlContext::without_effect is null, each is an error. Else a slip of a
  /// listed name is one where it loses numbers, and a warning where not; anything else is a note.
  void expect(const std::vector<std::string>& attributes, const std::vector<std::string>& children) const;
  /// The same of an element that is nothing but its numbers: another attribute, but one with a prefix, is an error, because it says a number in another way.
  void expect_numbers(const std::vector<std::string>& attributes) const;

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  /// A name; a missing or empty one is an error.
  std::optional<std::string> require_name(const char* attribute) const;

  /// The robot's own, which may be missing or empty; false after an error.
  bool check_robot_name(const char* attribute) const;

  // Each returns `fallback` when the attribute is wrong (an error) or missing (an error where the name says `require`).
  double number(const char* attribute, double fallback) const;
  double require_number(const char* attribute, double fallback = 0) const;
  double not_negative(const char* attribute, double fallback) const;
  Vec3<double> vector(const char* attribute, const Vec3<double>& fallback) const;
  /// As many numbers as there are, of which there must be from `least` to `most`; empty when the attribute is wrong or missing.
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;
  /// The same of what the element holds.
  std::vector<double> content_numbers(std::size_t least, std::size_t most) const;
  std::string_view content() const;  // without blanks around it

  const Element& label() const { return label_; }
  XmlContext& context() const { return *context_; }
  void note(const std::string& problem, const std::string& cure) const { context_->diagnostics.note(line(), label_, problem, cure); }
  void error(const std::string& problem, const std::string& cure) const { context_->diagnostics.error(line(), label_, problem, cure); }
  void warning(const std::string& problem, const std::string& cure) const { context_->diagnostics.warning(line(), label_, problem, cure); }
  /// An error in the line of an attribute, which may be below that of its element.
  void error_at(const char* attribute, const std::string& problem, const std::string& cure) const;

 private:
  void report_missing(const char* attribute) const;
  std::vector<double> numbers_in(std::string_view text, std::string_view what, int line, std::size_t least, std::size_t most) const;
  void report_unexpected(bool attribute, std::string_view name, int at, const std::vector<std::string>& known) const;

  XmlContext* context_;
  pugi::xml_node node_;
  Element label_;
};

}  // namespace ulna::internal
