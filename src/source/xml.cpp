#include "source/xml.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/utf8.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

struct OpenTag {
  std::string_view name;
  std::size_t offset;
};

/// Where a start tag ends: after the '>' that stands in no quotes.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '>') {
    const bool quote = text[at] == '"' || text[at] == '\'';
    const std::size_t closing = quote ? text.find(text[at], at + 1) : at;
    if (closing == std::string_view::npos) return text.size();
    at = closing + 1;
  }
  return std::min(at + 1, text.size());
}

/// Passes over what `opening` begins, to behind `closing` or to the end; false where something else stands at `at`.
bool skip(std::string_view text, std::size_t& at, std::string_view opening, std::string_view closing) {
  if (text.substr(at, opening.size()) != opening) return false;
  const std::size_t end = text.find(closing, at + opening.size());
  at = end == std::string_view::npos ? text.size() : end + closing.size();
  return true;
}

/// The elements that are open at the end of `text`, innermost last. pugixml's tree does not distinguish open elements from closed ones.
std::vector<OpenTag> open_tags(std::string_view text) {
  std::vector<OpenTag> open;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (skip(text, at, "<!--", "-->") || skip(text, at, "<![CDATA[", "]]>") || skip(text, at, "<?", "?>") || skip(text, at, "<!", ">")) continue;
    if (skip(text, at, "</", ">")) {
      if (!open.empty()) open.pop_back();
      continue;
    }
    const std::size_t end = end_of_tag(text, at);
    if (text[end - 1] == '>' && text[end - 2] != '/') open.push_back({rest.substr(1, rest.find_first_of(" \t\r\n>", 1) - 1), at});
    at = end;
  }
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

/// The probable format of a file with an unexpected root element.
std::string_view format_of(std::string_view root) {
  if (root == "robot") return "a URDF file";
  if (root == "sdf" || root == "world") return "an SDFormat file";
  if (root == "mujoco") return "a MuJoCo model (MJCF)";
  if (root == "mujocoinclude") return "a part of a MuJoCo model, which another file includes";
  if (root == "html" || root == "HTML" || root == "head" || root == "body") return "a web page (HTML)";
  if (root == "COLLADA") return "a COLLADA mesh";
  if (root == "svg") return "a drawing (SVG)";
  if (root == "Robot" || root == "KinBody" || root == "kinbody") return "an OpenRAVE model";
  return "";
}

bool contains(const std::vector<std::string>& list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

/// "0, 0, 1" and "0,0,1": commas between numbers, as against the decimal commas of "0,5 0 1".
bool is_comma_list(std::string_view text) {
  const std::size_t first = text.find(',');
  if (first == std::string_view::npos) return false;
  const bool spaced = text.find_first_of(" \t\r\n") != std::string_view::npos;
  if (!spaced) return text.find(',', first + 1) != std::string_view::npos;
  for (std::size_t at = first; at != std::string_view::npos; at = text.find(',', at + 1))
    if (at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\t' && text[at + 1] != '\r' && text[at + 1] != '\n') return false;
  return true;
}

}  // namespace

std::string_view root_name(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at)) {
    if (skip(text, at, "<!--", "-->") || skip(text, at, "<?", "?>") || skip(text, at, "<!", ">")) continue;
    const std::string_view rest = text.substr(at);
    return rest.substr(1, rest.find_first_of(" \t\r\n/>", 1) - 1);
  }
  return {};
}

std::string tag_text(std::string_view name) {
  const std::string text = in_quotes(name);
  return cat("<", std::string_view(text).substr(1, text.size() - 2), ">");
}

XmlDocument::XmlDocument(std::string_view text, const XmlFormat& format, Diagnostics& diagnostics, const ReadLimits& limits)
    : format_(format), buffer_(cat(without_mark(text), "\n")), lines_(buffer_) {
  // The line end above is for pugixml: it puts its terminator on the last byte.
  if (static_cast<std::size_t>(std::count(buffer_.begin(), buffer_.end(), '<')) / 2 > limits.elements) {
    diagnostics.error(0, "file", cat("it has more than ", limits.elements, " elements"), how_to_raise(&ReadLimits::elements));
    return;
  }
  if (!parse(without_mark(text), diagnostics) || !check_top_level(without_mark(text), diagnostics) || !check_elements(diagnostics, limits)) root_ = {};
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

bool XmlDocument::parse(std::string_view text, Diagnostics& diagnostics) {
  // parse_fragment keeps text outside the root, parse_doctype the DOCTYPE: both are checked below. The encoding is forced, or offsets would be off.
  const unsigned options = pugi::parse_default | pugi::parse_fragment | pugi::parse_doctype;
  const pugi::xml_parse_result result = document_.load_buffer_inplace(buffer_.data(), buffer_.size(), options, pugi::encoding_utf8);
  if (result) return true;
  report_parse_error(result, text, diagnostics);
  return false;
}

void XmlDocument::report_parse_error(const pugi::xml_parse_result& result, std::string_view text, Diagnostics& diagnostics) const {
  pugi::xml_node first = document_.first_child();
  while (first && first.type() != pugi::node_element) first = first.next_sibling();
  const std::string_view format = format_of(first.name());
  const std::string_view root = first.name();
  if (!format.empty() && !format_.root.empty() && root != format_.root && root != format_.part) {
    diagnostics.error(line(first), tag_text(first.name()), cat("this is ", format, ", not ", format_.name), cat("give a ", format_.name, " file"));
    return;
  }
  const std::size_t offset = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size());
  const bool ended = offset + 1 >= text.size();
  const int at = lines_.line(ended ? text.find_last_not_of(" \t\r\n") : offset);
  const bool at_end_tag = result.status == pugi::status_end_element_mismatch && !ended && offset >= 2;  // pugixml points behind the "</"
  const std::vector<OpenTag> open = open_tags(text.substr(0, at_end_tag ? offset - 2 : offset));
  if (open.empty()) {
    const bool closes_nothing = at_end_tag;
    diagnostics.error(at, "XML", closes_nothing ? std::string("an end tag here closes nothing") : cat("the XML is broken here (", result.description(), ")"),
                      closes_nothing ? "remove it" : "check that tags, quotes and '=' are complete");
    return;
  }
  const std::string element = tag_text(open.back().name);
  const int opened = lines_.line(open.back().offset);
  if (ended)
    diagnostics.error(at, element, cat("the file ends here, but this element of line ", opened, " is still open"),
                      "is the file cut off, or an end tag missing?");
  else if (at_end_tag)
    diagnostics.error(at, element, cat("the end tag here does not close this element of line ", opened),
                      cat("write </", element.substr(1), " first, or correct the names"));
  else
    diagnostics.error(at, element, cat("the XML is broken here (", result.description(), ")"), "check that tags, quotes and '=' are complete");
}

bool XmlDocument::check_top_level(std::string_view text, Diagnostics& diagnostics) {
  for (const pugi::xml_node& node : document_.children())
    if (node.type() == pugi::node_element && !root_) root_ = node;
  if (!root_) {
    diagnostics.error(1, "file", "it holds no XML element", cat("give a ", format_.name, " file: ", format_.example));
    return false;
  }
  bool good = true;
  bool after_root = false;
  for (const pugi::xml_node& node : document_.children()) {
    if (node == root_) {
      after_root = true;
    } else if (node.type() == pugi::node_element) {
      diagnostics.error(line(node), tag_text(node.name()), cat("a second root element; the first, ", tag_text(root_.name()), ", is in line ", line(root_)),
                        cat("keep one ", tag_text(format_.root), " in a file"));
      good = false;
    } else if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      // From the text itself: pugixml's copy has line ends where the file has carriage returns.
      const std::size_t begin = text.find_first_not_of(" \t\r\n", static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
      diagnostics.error(lines_.line(std::min(begin, text.size())), "XML",
                        after_root ? "there is text after the root element" : "there is text before the root element", "remove it");
      good = false;
    } else if (node.type() == pugi::node_doctype && std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos) {
      diagnostics.error(line(node), "<!DOCTYPE>", "it defines entities, which are not expanded here", "write the values out and remove the DOCTYPE");
      good = false;
    }
    if (too_many_problems(line(node), diagnostics)) return false;
  }
  const std::string_view name = root_.name();
  if (format_.root.empty() || name == format_.root || (!format_.part.empty() && name == format_.part)) return good;
  const std::string_view format = format_of(name);
  diagnostics.error(line(root_), tag_text(name),
                    format.empty() ? cat("the root element of a ", format_.name, " file is ", tag_text(format_.root), ", not this")
                                   : cat("this is ", format, ", not ", format_.name),
                    cat("give a ", format_.name, " file"));
  return false;
}

/// Repeated attributes make a text no XML at all; pugixml keeps both.
bool XmlDocument::check_elements(Diagnostics& diagnostics, const ReadLimits& limits) const {
  int depth = 0;
  std::unordered_set<std::string_view> names;
  for (pugi::xml_node node = root_; node; node = next_element(node, depth)) {
    if (static_cast<std::size_t>(depth) > limits.xml_depth) {
      diagnostics.error(line(node), tag_text(node.name()), cat("elements are nested more than ", limits.xml_depth, " deep"),
                        cat(format_.depth, "; ", how_to_raise(&ReadLimits::xml_depth)));
      return false;
    }
    names.clear();
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (names.insert(attribute.name()).second) continue;
      if (too_many_problems(line(attribute), diagnostics)) return false;
      diagnostics.error(line(attribute), tag_text(node.name()), cat("attribute ", in_quotes(attribute.name()), " is given twice"), "keep one of them");
    }
  }
  return true;
}

void UnusedContent::add(const std::string& kind, int line) {
  constexpr std::size_t kMostKinds = 200;  // a file made of unknown names needs no complete list
  if (kinds_.size() == kMostKinds && !kinds_.count(kind)) return;
  Occurrence& occurrence = kinds_[kind];
  if (occurrence.count++ == 0) occurrence.line = line;
}

void UnusedContent::report(Diagnostics& diagnostics) const {
  for (const auto& [kind, occurrence] : kinds_)
    diagnostics.note(occurrence.line, kind,
                     occurrence.count == 1 ? std::string("it is not used") : cat("it is not used (", occurrence.count, " times in this file)"), "");
}

XmlElement XmlElement::child(const char* name) const {
  const pugi::xml_node first = node_.child(name);
  XmlElement result(*context_, first, label_.with(tag_text(name)));
  for (pugi::xml_node other = first.next_sibling(name); other; other = other.next_sibling(name)) {
    if (too_many_problems(context_->xml.line(other), context_->diagnostics)) break;
    context_->diagnostics.error(context_->xml.line(other), result.label_, cat("it is given twice, first in line ", result.line()), "keep one of them");
  }
  return result;
}

XmlElement XmlElement::require_child(const char* name, std::string_view example) const {
  XmlElement result = child(name);
  if (!result) error(cat(tag_text(name), " is missing"), cat("add ", example));
  return result;
}

void XmlElement::report_unexpected(bool attribute, std::string_view name, int at, const std::vector<std::string>& known) const {
  const std::string what = attribute ? cat("attribute ", in_quotes(name)) : cat("element ", tag_text(name));
  const std::string slip = slip_of(name, known), near = slip.empty() ? nearest(name, known) : slip;
  const bool taken = attribute ? has(slip.c_str()) : static_cast<bool>(node_.child(slip.c_str()));  // the right name is there, too: nothing is lost
  const std::vector<std::string>* idle = context_->without_effect;
  if (idle == nullptr || (!slip.empty() && !contains(*idle, slip) && (!taken || same_but_case(name, slip))))
    context_->diagnostics.error(at, label_, cat(what, " is unknown"),
                                near.empty() ? std::string("correct its name, or remove it") : cat("write ", in_quotes(near)));
  else if (near.empty())
    context_->unused.add(cat(tag_text(node_.name()), ", ", what), at);
  else
    context_->diagnostics.warning(at, label_, cat(what, " is unknown and ignored"), cat("did you mean ", in_quotes(near), "?"));
}

void XmlElement::expect(const std::vector<std::string>& attributes, const std::vector<std::string>& children) const {
  for (const pugi::xml_attribute& attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (contains(attributes, name) || name == "xmlns" || name.substr(0, 6) == "xmlns:") continue;
    if (too_many_problems(line(), context_->diagnostics)) return;
    report_unexpected(true, name, context_->xml.line(attribute), attributes);
  }
  for (const pugi::xml_node& inner : node_.children()) {
    const int at = context_->xml.line(inner);
    if (inner.type() == pugi::node_pcdata || inner.type() == pugi::node_cdata) context_->unused.add(cat(tag_text(node_.name()), ", text inside"), at);
    if (inner.type() != pugi::node_element || contains(children, inner.name())) continue;
    if (too_many_problems(at, context_->diagnostics)) return;
    if (contains(attributes, inner.name()))
      context_->diagnostics.error(at, label_, cat(tag_text(inner.name()), " is an attribute, not an element"),
                                  cat("write <", node_.name(), " ", inner.name(), "=\"...\"/>"));
    else
      report_unexpected(false, inner.name(), at, children);
  }
}

void XmlElement::expect_numbers(const std::vector<std::string>& attributes) const {
  expect(attributes, {});
  for (const pugi::xml_attribute& attribute : node_.attributes()) {
    const std::string_view name = attribute.name();
    if (contains(attributes, name) || name.find(':') != std::string_view::npos || name == "xmlns" || !slip_of(name, attributes).empty()) continue;
    if (too_many_problems(line(), context_->diagnostics)) return;
    context_->diagnostics.error(context_->xml.line(attribute), label_, cat("attribute ", in_quotes(name), " is unknown, and its number would be lost"),
                                cat("write ", listed(attributes, "and")));
  }
}

void XmlElement::error_at(const char* attribute, const std::string& problem, const std::string& cure) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  const int at = found ? context_->xml.line(found) : line();
  context_->diagnostics.error(at, label_, problem, cure);
}

void XmlElement::report_missing(const char* attribute) const {
  NumberProblem ignored;
  const std::optional<double> inside = parse_number(node_.text().get(), ignored);  // <mass>2</mass>: a slip worth showing the cure of
  error(cat("attribute ", in_quotes(attribute), " is missing"), cat("write <", node_.name(), " ", attribute, "=\"", inside ? to_text(*inside) : "...", "\"/>"));
}

std::optional<std::string> XmlElement::require_name(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) {
    report_missing(attribute);
    return {};
  }
  const std::string name = found.value();
  if (name.find_first_not_of(" \t\r\n") == std::string::npos)
    error_at(attribute, cat("attribute ", in_quotes(attribute), " is empty"), "write a name");
  else if (!is_utf8(name))
    error_at(attribute, cat("the name ", in_quotes(name), " is not UTF-8"), "save the file as UTF-8");
  else if (has_control_character(name))
    error_at(attribute, cat("the name ", in_quotes(name), " holds a control character"), "remove it");
  else if (name.size() > context_->limits.name_bytes)
    error_at(attribute, cat("the name ", in_quotes(name), " has ", name.size(), " bytes, more than ", context_->limits.name_bytes),
             how_to_raise(&ReadLimits::name_bytes));
  else
    return name;
  return {};
}

bool XmlElement::check_robot_name(const char* attribute) const {
  const std::string_view name = node_.attribute(attribute).value();
  if (!is_utf8(name))
    error_at(attribute, "the name is not UTF-8", "save the file as UTF-8");
  else if (has_control_character(name))
    error_at(attribute, cat("the name ", in_quotes(name), " holds a control character"), "remove it");
  else if (name.size() > context_->limits.name_bytes)
    error_at(attribute, cat("the name has ", name.size(), " bytes, more than ", context_->limits.name_bytes), how_to_raise(&ReadLimits::name_bytes));
  else
    return true;
  return false;
}

double XmlElement::number(const char* attribute, double fallback) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (!found) return fallback;
  NumberProblem problem;
  const std::optional<double> value = parse_number(found.value(), problem);
  if (!value) error_at(attribute, cat(attribute, " ", problem.problem), problem.cure);
  return value.value_or(fallback);
}

double XmlElement::require_number(const char* attribute, double fallback) const {
  if (!has(attribute)) report_missing(attribute);
  return number(attribute, fallback);
}

double XmlElement::not_negative(const char* attribute, double fallback) const {
  const double value = number(attribute, fallback);
  if (value >= 0) return value;
  error_at(attribute, cat(attribute, " ", value, " is negative"), "write a positive number");
  return fallback;
}

std::vector<double> XmlElement::numbers(const char* attribute, std::size_t least, std::size_t most) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  return found ? numbers_in(found.value(), attribute, context_->xml.line(found), least, most) : std::vector<double>{};
}

std::string_view XmlElement::content() const { return trimmed(node_.text().get()); }

std::vector<double> XmlElement::content_numbers(std::size_t least, std::size_t most) const { return numbers_in(content(), "", line(), least, most); }

std::vector<double> XmlElement::numbers_in(std::string_view text, std::string_view what, int line, std::size_t least, std::size_t most) const {
  const std::string name = what.empty() ? std::string() : cat(what, " ");
  const auto report = [&](const std::string& problem, const std::string& cure) { context_->diagnostics.error(line, label_, problem, cure); };
  if (is_comma_list(text)) {
    report(cat(name, in_quotes(text), " has commas between its numbers"), "separate numbers by spaces alone");
    return {};
  }
  const std::vector<std::string_view> components = words(text);
  std::vector<double> values;
  bool good = true;
  for (std::size_t i = 0; i < std::min(components.size(), most); ++i) {
    NumberProblem problem;
    const std::optional<double> value = parse_number(components[i], problem);
    if (!value) report(most == 1 ? cat(name, problem.problem) : cat(name, "component ", i + 1, ": ", problem.problem), problem.cure);
    good = good && value;
    values.push_back(value.value_or(0));
  }
  if (good && (components.size() < least || components.size() > most)) {
    const std::string needed = least == most ? cat(least, least == 1 ? " is" : " are") : cat(least, " to ", most, " are");
    report(cat(name, name.empty() ? "it has " : "has ", components.size(), components.size() == 1 ? " number" : " numbers", ", but ", needed, " needed"),
           least == 3 && most == 3 && !what.empty() ? cat("write ", what, "=\"x y z\"")
                                                    : cat("write ", needed.substr(0, needed.rfind(' ')), least == 1 && most == 1 ? " number" : " numbers"));
    good = false;
  }
  return good ? values : std::vector<double>{};
}

Vec3<double> XmlElement::vector(const char* attribute, const Vec3<double>& fallback) const {
  const std::vector<double> values = numbers(attribute, 3, 3);
  return values.empty() ? fallback : Vec3<double>{values[0], values[1], values[2]};
}

}  // namespace ulna::internal
