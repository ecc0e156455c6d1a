#include "source/xacro_expression.hpp"

#include <algorithm>
#include <set>

#include "source/python_arithmetic.hpp"
#include "source/python_functions.hpp"
#include "source/xacro_parser.hpp"
#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

class Evaluator {
 public:
  explicit Evaluator(const XacroNames& names) : names_(names) {}

  XacroValue value(const Expression& e) {
    names_.spend(1, 0);
    switch (e.kind) {
      case Expression::Kind::constant: return e.value;
      case Expression::Kind::name: return named(e.text);
      case Expression::Kind::chain: {
        XacroValue out = value(e.parts[0]);
        for (std::size_t i = 0; i < e.signs.size(); ++i) {
          out = arithmetic(out, e.signs[i], value(e.parts[i + 1]));
          names_.spend(out.as_list() ? out.as_list()->items.size() : 1, out.as_text() ? out.as_text()->size() : 0);
        }
        return out;
      }
      case Expression::Kind::power: {
        const XacroValue base = value(e.parts[0]);
        return raise(base, value(e.parts[1]));
      }
      case Expression::Kind::sign: {
        XacroValue out = value(e.parts[0]);
        for (auto sign = e.text.rbegin(); sign != e.text.rend(); ++sign) {
          if (!out.is_number() || (*sign == '~' && !out.is_integer())) refuse(cat(std::string(1, *sign), " cannot stand before ", out.type()));
          if (*sign == '~')
            out = ~out.integer();
          else if (*sign == '-' || out.as<bool>())
            out = out.is_integer() ? arithmetic(std::int64_t{0}, std::string(1, *sign), out.integer()) : XacroValue(-out.number());
        }
        return out;
      }
      case Expression::Kind::compare: {
        XacroValue left = value(e.parts[0]);
        for (std::size_t i = 0; i < e.signs.size(); ++i) {
          XacroValue right = value(e.parts[i + 1]);
          if (!compares(left, e.signs[i], right)) return false;
          left = std::move(right);
        }
        return true;
      }
      case Expression::Kind::either:
      case Expression::Kind::both: {
        XacroValue out;
        for (const Expression& part : e.parts) {
          out = value(part);
          if (out.truth() == (e.kind == Expression::Kind::either)) break;
        }
        return out;
      }
      case Expression::Kind::negate: return value(e.parts[0]).truth() == e.text.empty();
      case Expression::Kind::choice: return value(e.parts[value(e.parts[0]).truth() ? 1 : 2]);
      case Expression::Kind::list:
      case Expression::Kind::tuple: {
        Values items;
        for (const Expression& part : e.parts) items.push_back(value(part));
        return XacroValue::list(std::move(items), e.kind == Expression::Kind::tuple);
      }
      case Expression::Kind::dict: {
        XacroValue::Dict out;
        for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
          XacroValue key = value(e.parts[i]);
          out.set(std::move(key), value(e.parts[i + 1]));
        }
        return XacroValue::dict(std::move(out));
      }
      case Expression::Kind::index: {
        const XacroValue of = value(e.parts[0]);
        return item(of, value(e.parts[1]));
      }
      case Expression::Kind::slice: return slice(e);
      case Expression::Kind::member: return member(value(e.parts[0]), e.text);
      case Expression::Kind::call: return call(e);
      case Expression::Kind::comprehension: return comprehension(e);
    }
    return {};
  }

 private:
  XacroValue named(const std::string& name) {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local)
      if (local->first == name) return local->second;
    if (const std::optional<XacroValue> found = names_.find(name)) return *found;
    if (const std::optional<double> constant = math_constant(name)) return *constant;
    if (name == "math" || name == "python" || name == "xacro") return XacroValue::Module{name};
    if (python_functions().contains(name) || math_functions().contains(name) || reader_functions().contains(name)) return XacroValue::Function{name};
    std::vector<std::string> known = names_.known();
    refuse(cat("there is no property ", in_quotes(name)), cat("define it before its first use", did_you_mean(name, known)));
  }

  XacroValue item(const XacroValue& of, const XacroValue& key) {
    if (const XacroValue::Dict* dict = of.as_dict()) {
      if (const XacroValue* found = dict->find(key)) return *found;
      std::vector<std::string> keys;
      for (const auto& [known, unused] : dict->entries)
        if (keys.size() < 1000) keys.push_back(known.str());
      refuse(cat("the dictionary has no key ", key.as_text() ? in_quotes(*key.as_text()) : key.repr()),
             cat("correct it", did_you_mean(key.str(), keys, keys.size() < 20 ? cat("; there are ", joined(keys)) : std::string())));
    }
    const std::string* text = of.as_text();
    const XacroValue::List* list = of.as_list();
    if (!text && !list) refuse(cat(of.type(), " has no items, and ", key.as_text() ? in_quotes(*key.as_text()) : key.repr(), " is used as its index"));
    if (!key.is_integer()) refuse(cat(of.type(), " has items by number, not by ", key.type(), key.as_text() ? cat(" ", in_quotes(*key.as_text())) : ""));
    const auto size = static_cast<std::int64_t>(text ? text->size() : list->items.size());
    const std::int64_t at = key.integer() < 0 ? key.integer() + size : key.integer();
    if (at < 0 || at >= size) refuse(cat("item ", key.integer(), " of ", of.type(), " of ", size, " items"), "items are counted from 0");
    return text ? XacroValue(std::string(1, (*text)[static_cast<std::size_t>(at)])) : list->items[static_cast<std::size_t>(at)];
  }

  XacroValue slice(const Expression& e) {
    const XacroValue of = value(e.parts[0]);
    const std::string* text = of.as_text();
    const XacroValue::List* list = of.as_list();
    if (!text && !list) refuse(cat(of.type(), " cannot be sliced"));
    const auto size = static_cast<std::int64_t>(text ? text->size() : list->items.size());
    const auto bound = [&](const Expression& part, std::int64_t otherwise, std::int64_t low, std::int64_t high) {
      const XacroValue at = value(part);
      if (std::holds_alternative<std::monostate>(at.data)) return otherwise;
      if (!at.is_integer()) refuse("slices take integers");
      return std::clamp(at.integer() < 0 ? std::max<std::int64_t>(at.integer(), -size - 1) + size : at.integer(), low, high);
    };
    const XacroValue by = value(e.parts[3]);
    const std::int64_t step = by.is_integer() ? by.integer() : 1;
    if (step == 0) refuse("a slice has steps of 0");
    const std::int64_t from = step > 0 ? bound(e.parts[1], 0, 0, size) : bound(e.parts[1], size - 1, -1, size - 1);
    const std::int64_t to = step > 0 ? bound(e.parts[2], size, 0, size) : bound(e.parts[2], -1, -1, size - 1);
    Values items;
    std::string out;
    for (std::int64_t i = from; step > 0 ? i < to : i > to; i += std::clamp<std::int64_t>(step, -size - 1, size + 1))
      if (text)
        out += (*text)[static_cast<std::size_t>(i)];
      else
        items.push_back(list->items[static_cast<std::size_t>(i)]);
    return text ? XacroValue(std::move(out)) : XacroValue::list(std::move(items), list->tuple);
  }

  XacroValue member(const XacroValue& of, const std::string& name) {
    if (of.as<std::shared_ptr<XacroScope>>()) return names_.member(of, name);
    if (of.as_dict()) return item(of, name);
    if (const auto* module = of.as<XacroValue::Module>()) {
      if (module->name == "math")
        if (const std::optional<double> constant = math_constant(name)) return *constant;
      const auto& functions = module->name == "math" ? math_functions() : module->name == "python" ? python_functions() : reader_functions();
      if (functions.contains(name)) return XacroValue::Function{name};
      refuse(cat(module->name, " has no ", in_quotes(name)), cat("correct the name", did_you_mean(name, {functions.begin(), functions.end()})));
    }
    refuse(cat(of.type(), " has no member ", in_quotes(name)));
  }

  XacroValue call(const Expression& e) {
    const Expression& callee = e.parts[0];
    XacroValue of;
    FunctionArguments a;
    const bool method = callee.kind == Expression::Kind::member;
    if (method) of = value(callee.parts[0]);
    const auto* dict = of.as_dict();
    const bool of_dictionary =
        dict && (callee.text == "get" || callee.text == "keys" || callee.text == "values" || callee.text == "items" || callee.text == "copy");
    const bool own = method && (of.as_text() || of.as_list() || of_dictionary);
    if (own) {
      a.function = callee.text;
    } else {
      const XacroValue function = method ? member(of, callee.text) : value(callee);
      if (!function.as<XacroValue::Function>()) refuse(cat(function.type(), " is called as a function"));
      a.function = function.as<XacroValue::Function>()->name;
    }
    for (std::size_t i = 1; i < e.parts.size(); ++i) {
      XacroValue argument = value(e.parts[i]);
      if (e.signs[i - 1].empty())
        a.list.push_back(std::move(argument));
      else
        a.keywords.emplace_back(e.signs[i - 1], std::move(argument));
    }
    place_keywords(a);
    XacroValue out = own ? called_on(of, a) : called(a);
    names_.spend(out.as_list() ? out.as_list()->items.size() : 1, out.as_text() ? out.as_text()->size() : 0);
    return out;
  }

  /// Arguments by name, in their places; what a function does not know would be lost.
  static void place_keywords(FunctionArguments& a) {
    struct Parameter {
      std::string_view function, name;
      std::size_t place;
      XacroValue otherwise{};
    };
    static const Parameter kParameters[] = {{"tokenize", "s", 0},
                                            {"tokenize", "sep", 1, std::string(",; ")},
                                            {"tokenize", "skip_empty", 2},
                                            {"load_yaml", "filename", 0},
                                            {"arg", "name", 0},
                                            {"round", "number", 0},
                                            {"round", "ndigits", 1},
                                            {"split", "sep", 0},
                                            {"split", "maxsplit", 1},
                                            {"sum", "start", 1}};
    for (const Parameter& parameter : kParameters) {
      if (a.function != parameter.function || a.keywords.empty()) continue;
      const auto given = std::find_if(a.keywords.begin(), a.keywords.end(), [&](const auto& keyword) { return keyword.first == parameter.name; });
      if (a.list.size() == parameter.place) a.list.push_back(given == a.keywords.end() ? parameter.otherwise : given->second);
      if (given != a.keywords.end()) a.keywords.erase(given);
    }
    static const std::set<std::string_view> by_name{"dict", "format", "sorted", "message", "warning", "error", "fatal"};
    if (!a.keywords.empty() && !by_name.contains(a.function))
      refuse(cat(a.function, "() takes no argument ", in_quotes(a.keywords[0].first), " by its name here"));
  }

  XacroValue called_on(const XacroValue& of, const FunctionArguments& a) {
    if (const std::string* text = of.as_text()) return of_text(*text, a);
    if (const XacroValue::Dict* dict = of.as_dict()) return of_dict(*dict, a);
    const Values& items = of.as_list()->items;
    if (a.function == "index" || a.function == "count") {
      a.count(1, 1);
      const auto same = [&](const XacroValue& one) { return equal(one, a.list[0]); };
      if (a.function == "count") return static_cast<std::int64_t>(std::count_if(items.begin(), items.end(), same));
      const auto found = std::find_if(items.begin(), items.end(), same);
      if (found == items.end()) refuse(cat(a.list[0].repr(), " is not in the list"));
      return static_cast<std::int64_t>(found - items.begin());
    }
    if (a.function == "copy") return of;
    constexpr std::pair<std::string_view, std::string_view> kOfSets[] = {
        {"union", "|"}, {"intersection", "&"}, {"difference", "-"}, {"symmetric_difference", "^"}};
    for (const auto& [name, sign] : kOfSets)
      if (of.as_list()->set && a.function == name) {
        a.count(1, 1);
        return arithmetic(of, std::string(sign), XacroValue::set(items_of(a.list[0])));
      }
    refuse(cat("lists have no function ", in_quotes(a.function), " here"), "index and count are there");
  }

  XacroValue called(const FunctionArguments& a) {
    if (a.function == "map" || a.function == "filter") {
      a.count(2, 2);
      const auto* function = a.list[0].as<XacroValue::Function>();
      if (function == nullptr) refuse(cat(a.function, "() takes a function"));
      Values out;
      for (const XacroValue& one : items_of(a.list[1])) {
        const XacroValue result = called({function->name, {one}, {}});
        if (a.function == "map")
          out.push_back(result);
        else if (result.truth())
          out.push_back(one);
      }
      return XacroValue::list(std::move(out));
    }
    if (reader_functions().contains(a.function))
      if (std::optional<XacroValue> out = names_.call(a.function, a.list)) return *std::move(out);
    if (std::optional<XacroValue> out = of_python(a)) return *std::move(out);
    if (std::optional<XacroValue> out = of_math(a)) return *std::move(out);
    refuse(cat("there is no function ", in_quotes(a.function)));
  }

  XacroValue comprehension(const Expression& e) {
    Values out;
    const Values items = items_of(value(e.parts[1]));
    for (const XacroValue& one : items) {
      const std::size_t before = locals_.size();
      if (e.signs.size() == 1) {
        locals_.emplace_back(e.signs[0], one);
      } else {
        const Values parts = items_of(one);
        if (parts.size() != e.signs.size()) refuse(cat(parts.size(), " values for ", e.signs.size(), " names"));
        for (std::size_t i = 0; i < parts.size(); ++i) locals_.emplace_back(e.signs[i], parts[i]);
      }
      const bool wanted = std::all_of(e.parts.begin() + 2, e.parts.end(), [&](const Expression& condition) { return value(condition).truth(); });
      if (wanted) out.push_back(value(e.parts[0]));
      locals_.resize(before);
    }
    return XacroValue::list(std::move(out));
  }

  const XacroNames& names_;
  std::vector<std::pair<std::string, XacroValue>> locals_;
};

}  // namespace

XacroValue evaluate_expression(std::string_view text, const XacroNames& names) {
  constexpr std::size_t kLongest = 100'000;
  if (text.size() > kLongest) refuse(cat("it is longer than ", kLongest, " bytes"));
  if (trimmed(text).empty()) refuse("it is empty", "write an expression between the braces");
  const Expression whole = parse_expression(text);
  return Evaluator(names).value(whole);
}

}  // namespace ulna::internal
