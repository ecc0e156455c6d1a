// Values of expressions in xacro files, with the types, texts and rules of Python, of which xacro's expressions are a part.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "source/yaml.hpp"

namespace ulna::internal {

struct XacroNode;
struct XacroScope;

/// What is wrong with an expression, an element or a file; the reader adds where.
struct XacroError {
  std::string problem, cure;
};
[[noreturn]] void refuse(std::string problem, std::string cure = {});

class XacroValue {
 public:
  struct List {
    std::vector<XacroValue> items;
    bool tuple = false;
    bool set = false;  // each item once, in no order
  };
  /// In the order of insertion.
  struct Dict {
    std::vector<std::pair<XacroValue, XacroValue>> entries;
    std::map<std::string, std::size_t, std::less<>> places;

    Dict() = default;
    /// The items of a set, for search.
    explicit Dict(const std::vector<XacroValue>& keys);

    const XacroValue* find(const XacroValue& key) const;
    void set(XacroValue key, XacroValue value);
  };
  struct Function {
    std::string name;
  };
  struct Module {  // "math", "python", "xacro"
    std::string name;
  };
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::shared_ptr<List>, std::shared_ptr<Dict>, Function, Module,
                            std::shared_ptr<XacroScope>, std::shared_ptr<const XacroNode>>;

  XacroValue() = default;
  template <class T>
  requires(!std::is_same_v<std::decay_t<T>, XacroValue>) XacroValue(T&& value) : data(std::forward<T>(value)) {}
  static XacroValue list(std::vector<XacroValue> items, bool tuple = false) { return std::make_shared<List>(List{std::move(items), tuple, false}); }
  static XacroValue set(const std::vector<XacroValue>& items);
  static XacroValue dict(Dict entries) { return std::make_shared<Dict>(std::move(entries)); }

  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  const List* as_list() const { return pointee<List>(); }
  const Dict* as_dict() const { return pointee<Dict>(); }
  const std::string* as_text() const { return as<std::string>(); }
  bool is_number() const { return as<bool>() || as<std::int64_t>() || as<double>(); }
  bool is_integer() const { return as<bool>() || as<std::int64_t>(); }
  double number() const;          // of a number
  std::int64_t integer() const;   // of an integer or a boolean
  bool truth() const;             // as in a condition
  std::string str() const;        // as text in the file
  std::string repr() const;       // as text in a list
  std::string_view type() const;  // "a text", for messages

  Data data;

 private:
  template <class T>
  const T* pointee() const {
    const auto* pointer = as<std::shared_ptr<T>>();
    return pointer ? pointer->get() : nullptr;
  }
};

using Values = std::vector<XacroValue>;

bool equal(const XacroValue& a, const XacroValue& b);

/// A number as Python writes it: the shortest text of the same bits, with a point or an exponent.
std::string python_text(double value);
/// int(text) and float(text); nothing where Python refuses.
std::optional<std::int64_t> python_integer(std::string_view text);
std::optional<double> python_number(std::string_view text);
/// What a property or parameter is: a text in single quotes without them, a number, a boolean, or the text.
XacroValue literal(XacroValue value);
/// Of a condition; throws XacroError for a text that is neither true nor false nor a number.
bool condition(const XacroValue& value, std::string_view text);

}  // namespace ulna::internal
