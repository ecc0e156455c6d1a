// Default classes of MJCF: an attribute that an element does not have is that of its class. A class begins as a copy of the class around it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "source/mjcf_files.hpp"

namespace ulna::internal {

class MjcfDefaults {
 public:
  /// Reads one <default> of the model, which may hold others. Several add up.
  void read(const MjcfNode& node, MjcfFiles& files);

  /// Whether there is a class of this name; the empty name is the outermost class.
  bool has(const std::string& name) const { return name.empty() || name == main_ || classes_.count(name) > 0; }
  std::vector<std::string> names() const;

  /// Elements that may carry an attribute of `node`, nearest first: itself, then its class from the inside out. `kind` names the element in <default>.
  std::vector<MjcfNode> chain(const MjcfNode& node, const std::string& class_name, std::string_view kind) const;

 private:
  struct Class {
    std::string parent;              // empty: the outermost
    std::size_t inherited = 0;       // how many of the parent's elements there were when this class was made; later ones do not reach it
    std::vector<MjcfNode> elements;  // <joint>, <geom>, …, of later <default>s last
  };
  std::map<std::string, Class> classes_;
  std::string main_ = "main";
};

/// An element with its defaults: each attribute is read where it stands, so that messages name that place.
class MjcfElement {
 public:
  /// `kind`: what <default> calls such an element, where that is another name: "equality", "tendon".
  MjcfElement(const MjcfNode& node, Element label, const MjcfDefaults& defaults, const std::string& class_name, std::string_view kind = {});

  const MjcfNode& node() const { return chain_.front(); }
  XmlElement own() const { return chain_.front().element(label_); }
  /// The element that carries the attribute; the element itself when none does.
  XmlElement holder(const char* attribute) const;
  bool has(const char* attribute) const;
  /// Of several attributes the one that stands nearest: in the element, else in the innermost class that has any; empty when none does.
  std::string nearest_of(const std::vector<const char*>& attributes) const;
  std::string text(const char* attribute, std::string_view fallback) const;
  double number(const char* attribute, double fallback) const { return holder(attribute).number(attribute, fallback); }
  double not_negative(const char* attribute, double fallback) const { return holder(attribute).not_negative(attribute, fallback); }
  Vec3<double> vector(const char* attribute, const Vec3<double>& fallback) const { return holder(attribute).vector(attribute, fallback); }
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const { return holder(attribute).numbers(attribute, least, most); }
  /// An array whose missing numbers keep their values: those of the class, else those of `fallback`, which has as many numbers as there can be.
  std::vector<double> merged(const char* attribute, std::vector<double> fallback) const;
  /// One of a few words.
  std::string word(const char* attribute, const std::vector<std::string>& known) const;
  bool is(const char* attribute) const { return word(attribute, {"false", "true"}) == "true"; }

 private:
  XmlElement element_at(const MjcfNode& node) const;

  std::vector<MjcfNode> chain_;
  Element label_;
};

}  // namespace ulna::internal
