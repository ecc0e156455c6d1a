// Problems found in a model and its file, collected so that one run reports all of them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/export.hpp>

namespace ulna ULNA_API {

enum class Severity {  // An error stops every computation.
  note,                // worth knowing; shown by `ulna lint` only
  warning,             // computed all the same; shown with every result
  error                // no number is returned
};

/// Which promise an error breaks. Only physical errors can be overridden (`--unchecked`): everything else leaves no model to compute with.
enum class Kind { structural, physical };

enum class ElementKind { other, robot, link, joint, transmission, lock, column };  // What a message is about.
std::string_view to_string(ElementKind kind);                                      // "link"; empty for other

/// What a problem is about: `link 'wrist' <mass>` is a link called "wrist", and of it "<mass>".
struct Element {
  ElementKind kind = ElementKind::other;
  std::string name{};  // as the file has it; empty for other
  std::string part{};  // the part of it; of `other`, the whole text

  Element() = default;
  Element(std::string text) : part(std::move(text)) {}
  Element(const char* text) : part(text) {}
  Element(ElementKind of, std::string called) : kind(of), name(std::move(called)) {}
  static Element robot(std::string called) { return {ElementKind::robot, std::move(called)}; }    // A robot by name.
  static Element link(std::string called) { return {ElementKind::link, std::move(called)}; }      // A link by name.
  static Element joint(std::string called) { return {ElementKind::joint, std::move(called)}; }    // A joint by name.
  static Element lock(std::string called) { return {ElementKind::lock, std::move(called)}; }      // A lock by name.
  static Element column(std::string called) { return {ElementKind::column, std::move(called)}; }  // A column by name.

  bool empty() const { return kind == ElementKind::other && part.empty(); }  // Whether it names nothing.
  Element with(std::string_view more) const;                                 // With more words behind it.
};
std::string to_string(const Element& element);  // As text for people.

/// One line of a report: `file:line: error: element: what is wrong; what to do`.
struct Diagnostic {
  Severity severity = Severity::error;
  Kind kind = Kind::structural;
  std::string file;
  int line = 0;  // 1 is the first; 0 when no line applies
  Element element;
  std::string problem;
  std::string cure;
  bool overridden = false;  // an error that the caller chose to pass as a warning
  std::string chain{};      // of an element from a macro: "in macro 'arm', called in robot.xacro:12", the innermost call first
};

std::string to_string(const Diagnostic& diagnostic);  // file:line: level: element: problem; cure.

/// The problems of one file, in the order found.
class Diagnostics {
 public:
  Diagnostics() = default;
  explicit Diagnostics(std::string file) : file_(std::move(file)) {}

  void note(int line, Element element, const std::string& problem, const std::string& cure);     // Reports advice.
  void warning(int line, Element element, const std::string& problem, const std::string& cure);  // Reports what was assumed.
  void error(int line, Element element, const std::string& problem, const std::string& cure);    // Reports what stops a computation.
  /// A broken law of mechanics: an error, or a warning where `tolerated`.
  void physical(bool tolerated, int line, Element element, const std::string& problem, const std::string& cure);

  /// The problems of another file, which this one includes.
  void append(const Diagnostics& other);
  /// One problem of any file.
  void append(Diagnostic one);

  /// Demotes physical errors to warnings and returns their number.
  std::size_t override_physical_errors();
  void sort_by_line();

  const std::string& file() const { return file_; }               // The file that they are about.
  const std::vector<Diagnostic>& all() const { return all_; }     // In the order found.
  std::size_t count(Severity severity) const;                     // How many there are.
  bool has_errors() const { return count(Severity::error) > 0; }  // Whether any stops a computation.

 private:
  void add(Severity severity, Kind kind, int line, Element element, const std::string& problem, const std::string& cure);

  std::string file_;
  std::vector<Diagnostic> all_;
};

/// A model that could not be built. what() lists every problem, a line each.
class SourceError : public std::runtime_error {
 public:
  explicit SourceError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }  // Every problem.

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace ULNA_API
