#include "source/xml_document.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "model/text.hpp"

namespace ulna {

namespace {

constexpr int kDeepest = 100;               // a URDF file has about six levels
constexpr std::ptrdiff_t kMostTags = 2'000'000;  // each needs memory: a file of '<a/>' alone would take twenty times its size

/// The element that was open when the parser gave up: the last one of each level.
pugi::xml_node innermost_open(const pugi::xml_node& document) {
  pugi::xml_node open;
  for (pugi::xml_node node = document.last_child(); node && node.type() == pugi::node_element; node = node.last_child()) open = node;
  return open;
}

/// The next element in document order, without recursion: a file may be nested to any depth. `depth` follows.
pugi::xml_node next_element(pugi::xml_node node, int& depth) {
  const auto first_element = [](pugi::xml_node candidate) {
    while (candidate && candidate.type() != pugi::node_element) candidate = candidate.next_sibling();
    return candidate;
  };
  if (const pugi::xml_node child = first_element(node.first_child())) {
    ++depth;
    return child;
  }
  while (node && depth > 0) {
    if (const pugi::xml_node sibling = first_element(node.next_sibling())) return sibling;
    node = node.parent();
    --depth;
  }
  return {};
}

/// What a root element that is not <robot> tells about the file.
std::string_view format_of(std::string_view root) {
  if (root == "sdf" || root == "world") return "an SDFormat file";
  if (root == "mujoco" || root == "mujocoinclude") return "a MuJoCo model (MJCF)";
  if (root == "html" || root == "HTML" || root == "head" || root == "body") return "a web page (HTML)";
  if (root == "COLLADA") return "a COLLADA mesh";
  if (root == "svg") return "a drawing (SVG)";
  if (root == "Robot" || root == "KinBody" || root == "kinbody") return "an OpenRAVE model";
  return "";
}

}  // namespace

XmlDocument::XmlDocument(std::string_view text, Diagnostics& diagnostics) : buffer_(without_mark(text)), lines_(buffer_) {
  if (std::count(buffer_.begin(), buffer_.end(), '<') > 2 * kMostTags) {
    diagnostics.error(0, "file", cat("it has more than ", kMostTags, " elements"), "give a robot description");
    return;
  }
  if (!parse(diagnostics) || !check_top_level(diagnostics) || !check_elements(diagnostics)) root_ = {};
}

int XmlDocument::line_of_name(const pugi::char_t* name) const {
  const std::less<const pugi::char_t*> before;
  const pugi::char_t* const begin = buffer_.data();
  if (before(name, begin) || !before(name, begin + buffer_.size())) return 0;
  return lines_.line(static_cast<std::size_t>(name - begin));
}

int XmlDocument::line(const pugi::xml_node& node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  return offset < 0 ? 0 : lines_.line(static_cast<std::size_t>(offset));
}

int XmlDocument::line(const pugi::xml_attribute& attribute) const { return line_of_name(attribute.name()); }

bool XmlDocument::parse(Diagnostics& diagnostics) {
  // parse_fragment keeps text beside the root, parse_doctype the DOCTYPE: both are looked at below. The encoding is forced, or offsets would be off.
  const unsigned options = pugi::parse_default | pugi::parse_fragment | pugi::parse_doctype;
  const pugi::xml_parse_result result = document_.load_buffer_inplace(buffer_.data(), buffer_.size(), options, pugi::encoding_utf8);
  if (result) return true;
  report_parse_error(result, diagnostics);
  return false;
}

void XmlDocument::report_parse_error(const pugi::xml_parse_result& result, Diagnostics& diagnostics) const {
  pugi::xml_node first = document_.first_child();
  while (first && first.type() != pugi::node_element) first = first.next_sibling();
  const std::string_view format = format_of(first.name());
  if (!format.empty()) {
    diagnostics.error(line(first), cat("<", first.name(), ">"), cat("this is ", format, ", not URDF"), "give a URDF file");
    return;
  }
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
  const int at = lines_.line(std::min(offset, buffer_.size()));
  const pugi::xml_node open = innermost_open(document_);
  // pugixml says "mismatch" of a wrong end tag and of a file that ends too early.
  if (result.status == pugi::status_end_element_mismatch && open) {
    const bool ended = offset + 1 >= buffer_.size();
    diagnostics.error(at, cat("<", open.name(), ">"),
                      ended ? cat("the file ends, but this element of line ", line(open), " is still open")
                            : cat("an end tag here does not close this element of line ", line(open)),
                      ended ? "the file is cut off, or an end tag is missing" : cat("write </", open.name(), "> first, or correct the names"));
    return;
  }
  const std::string inside = open ? cat("<", open.name(), ">") : std::string("XML");
  diagnostics.error(at, inside, cat("the XML is broken here (", result.description(), ")"), "check that tags, quotes and '=' are complete");
}

bool XmlDocument::check_top_level(Diagnostics& diagnostics) {
  bool good = true;
  for (const pugi::xml_node& node : document_.children()) {
    if (node.type() == pugi::node_element && !root_) {
      root_ = node;
    } else if (node.type() == pugi::node_element) {
      diagnostics.error(line(node), cat("<", node.name(), ">"), cat("a second root element; the first, <", root_.name(), ">, is in line ", line(root_)),
                        "keep one <robot> in a file");
      good = false;
    } else if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      diagnostics.error(line(node), "XML", root_ ? "there is text after the root element" : "there is text before the root element", "remove it");
      good = false;
    } else if (node.type() == pugi::node_doctype && std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
      diagnostics.error(line(node), "<!DOCTYPE>", "it defines entities, which are not expanded here", "write the values out and remove the DOCTYPE");
      good = false;
    }
    if (too_many_problems(line(node), diagnostics)) return false;
  }
  if (!root_) {
    diagnostics.error(0, "file", "it holds no XML element", "give a URDF file: <robot name=\"...\"> with links and joints");
    return false;
  }
  const std::string_view name = root_.name();
  if (name == "robot") return good;
  const std::string_view format = format_of(name);
  const std::string element = cat("<", quoted(name).substr(1, quoted(name).size() - 2), ">");
  diagnostics.error(line(root_), element, format.empty() ? std::string("the root element of a URDF file is <robot>, not this") : cat("this is ", format, ", not URDF"),
                    name.substr(0, 6) == "xacro:" ? "expand the file first: xacro robot.urdf.xacro > robot.urdf" : "give a URDF file");
  return false;
}

/// Repeated attributes make a text no XML at all; pugixml keeps both. Unexpanded xacro leaves nothing that could be read with sense.
bool XmlDocument::check_elements(Diagnostics& diagnostics) const {
  int depth = 0;
  int xacro_count = 0, xacro_line = 0;
  std::unordered_set<std::string_view> names;
  const auto count_xacro = [&](std::string_view name, int at) {
    if (name.substr(0, 6) != "xacro:") return;
    if (xacro_count++ == 0) xacro_line = at;
  };
  for (pugi::xml_node node = root_; node; node = next_element(node, depth)) {
    if (depth > kDeepest) {
      diagnostics.error(line(node), cat("<", node.name(), ">"), cat("elements are nested more than ", kDeepest, " deep"), "a URDF file needs six levels: is this one?");
      return false;
    }
    count_xacro(node.name(), line(node));
    names.clear();
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      count_xacro(attribute.name(), line(attribute));
      if (names.insert(attribute.name()).second) continue;
      if (too_many_problems(line(attribute), diagnostics)) return false;
      diagnostics.error(line(attribute), cat("<", node.name(), ">"), cat("attribute ", quoted(attribute.name()), " is given twice"), "keep one of them");
    }
  }
  if (xacro_count == 0) return true;
  diagnostics.error(xacro_line, "<robot>", cat("this is a xacro file that is not expanded: ", xacro_count, " names begin with 'xacro:'"),
                    "expand it first: xacro robot.urdf.xacro > robot.urdf");
  return false;
}

}  // namespace ulna
