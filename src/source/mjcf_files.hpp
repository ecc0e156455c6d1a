// The files that make one MJCF model: the one that was asked for and those it includes.
#pragma once

#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "source/xml.hpp"

namespace ulna::internal {

/// The text of a file that another one includes; empty after an error, which was reported to the diagnostics of the includer.
using ReadIncluded = std::function<std::optional<std::string>(const std::string& file, Diagnostics& diagnostics)>;

/// One file, with what was said about it.
struct MjcfFile {
  MjcfFile(std::string_view text, const std::string& name, int included_in_line, const ReadLimits& limits)
      : diagnostics(name), xml(text, kMjcf, diagnostics, limits), context{xml, diagnostics, limits}, included(included_in_line) {}

  Diagnostics diagnostics;
  XmlDocument xml;
  XmlContext context;
  int included;  // the line of the main file that takes it in; 0 for the main file itself
};

/// An element and the file in which it stands.
struct MjcfNode {
  pugi::xml_node node;
  MjcfFile* file = nullptr;

  std::string_view name() const { return node.name(); }
  int line() const { return file->xml.line(node); }
  /// Where the main file has it: links and joints carry one line number, and messages about them name the main file.
  int main_line() const { return file->included != 0 ? file->included : line(); }
  XmlElement element(Element label) const { return XmlElement(file->context, node, std::move(label)); }
  XmlElement element() const { return element(tag_text(node.name())); }
};

class MjcfFiles {
 public:
  MjcfFiles(std::string_view text, const std::string& file, const ReadLimits& limits, ReadIncluded read_included);

  /// Null when the text could not be parsed.
  MjcfNode root();
  /// The elements in an element, and in its place what an <include> among them names. Each file is taken in once, as MuJoCo has it.
  std::vector<MjcfNode> children(const MjcfNode& parent);
  /// All that was said, of the main file first.
  void report(Diagnostics& diagnostics);
  /// Too many to read on?
  bool stop(const MjcfNode& at);

 private:
  MjcfFile* include(const MjcfNode& node);

  const ReadLimits& limits_;
  ReadIncluded read_included_;
  std::list<MjcfFile> files_;  // nodes point to them
  std::set<std::string> names_;
  std::size_t bytes_ = 0;
};

}  // namespace ulna::internal
