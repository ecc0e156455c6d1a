// The files that make one MJCF model: the named one and those it includes.
#pragma once

#include <functional>
#include <list>
#include <map>
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
  /// `in_line`: the line of another model's main file that takes this model in; 0 where there is none.
  MjcfFiles(std::string_view text, const std::string& file, const ReadLimits& limits, ReadIncluded read_included, int in_line = 0);

  /// Null when the text could not be parsed.
  MjcfNode root();
  /// The elements in an element, and in its place what an <include> among them names. Each file is taken in once, as MuJoCo has it.
  std::vector<MjcfNode> children(const MjcfNode& parent);
  /// The bytes of another file that an element names, and its path: in the main file's folder, as MuJoCo has it, else in that of the element's file. Nothing
  /// after an error, which says why in `problem` and `cure`.
  struct Named {
    std::string path, bytes;
  };
  std::optional<Named> read(const MjcfNode& node, const std::string& file, std::string& problem, std::string& cure);
  const std::string& main_file() const { return files_.front().diagnostics.file(); }
  const ReadLimits& limits() const { return limits_; }
  const ReadIncluded& reader() const { return read_included_; }

  /// All that was said, of the main file first.
  void report(Diagnostics& diagnostics);
  /// Too many to read on?
  bool stop(const MjcfNode& at);

 private:
  std::string path_of(const MjcfNode& node, const std::string& file) const;
  MjcfFile* include(const MjcfNode& node);

  const ReadLimits& limits_;
  ReadIncluded read_included_;
  std::list<MjcfFile> files_;  // nodes point to them
  std::set<std::string> names_;
  std::map<const void*, MjcfFile*> included_;  // by the <include>, which may be met again: in copies
  std::size_t bytes_ = 0;
};

}  // namespace ulna::internal
