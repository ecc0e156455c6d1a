#include "sim/scenario_fields.hpp"

#include <algorithm>
#include <filesystem>
#include <new>

#include "sim/base_state.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"

namespace ulna::internal::sim {

namespace {

std::optional<double> number_in(const YamlNode& node, const Element& element, Diagnostics& diagnostics) {
  if (node.kind == YamlNode::Kind::faulty) return {};
  NumberProblem problem{cat("a number belongs here, not ", describe(node)), "write a number"};
  if (node.kind == YamlNode::Kind::scalar)
    if (const std::optional<double> value = parse_angle(node.text, problem)) return value;
  diagnostics.error(node.line, element, problem.problem, problem.cure);
  return {};
}

}  // namespace

std::vector<double> joint_values(YamlFields& fields, std::string_view key, double fallback, const ReadContext& context) {
  const std::vector<std::string> names = context.drives();
  return state_values(fields, key, names, std::vector<double>(names.size(), fallback), context);
}

std::vector<double> state_values(YamlFields& fields, std::string_view key, const std::vector<std::string>& names, const std::vector<double>& fallback,
                                 const ReadContext& context) {
  std::vector<double> values = fallback;
  const YamlNode* node = fields.find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return values;
  const Element element = fields.label(key);
  const std::vector<std::string> drives = context.drives();
  const std::size_t joints = drives.size();
  const bool positions = names == context.model.position_names(), balls = context.model.has_balls() && positions;
  const bool loops = context.model.closed(), all = (loops && positions) || balls;
  const std::size_t base = all ? base_nq(context.model.base()) : names.size() - joints;
  std::vector<std::size_t> own;  // where the joints' numbers stand
  for (std::size_t k = 0; k < joints; ++k) own.push_back(all ? driven_positions(context.model)[k] : base + k);
  switch (node->kind) {
    case YamlNode::Kind::scalar:
      if (balls)
        context.diagnostics.error(node->line, element, "it is one number, and a ball joint has a quaternion", "write a mapping from names to numbers");
      else if (const auto value = number_in(*node, element, context.diagnostics))
        for (const std::size_t i : own) values[i] = *value;
      break;
    case YamlNode::Kind::sequence: {
      const std::size_t count = node->items.size();
      if (count != names.size() && (count != joints || balls)) {
        context.diagnostics.error(node->line, element,
                                  cat("it has ", count, count == 1 ? " entry" : " entries", ", but robot ", in_quotes(context.model.name()), " has ", joints,
                                      loops && base == 0 ? " independent joints"
                                      : base == 0        ? " coordinates"
                                                         : cat(" joints, ", names.size(), " coordinates with its base")),
                                  cat("give one number for each of ", joined(loops && base == 0 ? drives : names)));
        break;
      }
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = count == joints ? own[k] : k;
        values[i] = number_in(node->items[k], element.with(cat("of joint ", in_quotes(names[i]))), context.diagnostics).value_or(fallback[i]);
      }
      break;
    }
    case YamlNode::Kind::mapping:
      for (const YamlNode::Entry& entry : node->entries) {
        const auto found = std::find(names.begin(), names.end(), entry.key);
        if (found == names.end()) {
          context.diagnostics.error(entry.line, element,
                                    cat("robot ", in_quotes(context.model.name()), loops ? " has no joint " : " has no free joint ", in_quotes(entry.key),
                                        loops && !all ? " that is independent" : ""),
                                    hint(entry.key, names, "'ulna info' lists the joints"));
          continue;
        }
        const std::size_t i = static_cast<std::size_t>(found - names.begin());
        values[i] = number_in(entry.value, element.with(cat("of joint ", in_quotes(entry.key))), context.diagnostics).value_or(fallback[i]);
      }
      break;
    default: fields.error(key, "the value is missing", "write a number, a list with one number for each joint, or {joint: number}");
  }
  return values;
}

bool yes_no(YamlFields& fields, std::string_view key, bool fallback) {
  if (!fields.has(key)) return fallback;
  const std::string word = fields.word(key, fallback ? "yes" : "no");
  if (word == "yes" || word == "on" || word == "true") return true;
  if (word == "no" || word == "off" || word == "false") return false;
  fields.error(key, cat(in_quotes(word), " is neither yes nor no"), "write yes or no");
  return fallback;
}

std::size_t choice(YamlFields& fields, std::string_view key, const std::vector<std::string>& names, std::size_t fallback) {
  if (!fields.has(key)) return fallback;
  const std::string word = fields.word(key, names[fallback]);
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  fields.error(key, cat("there is no ", in_quotes(word)), hint(word, names, cat("write one of ", joined(names))));
  return fallback;
}

double positive(YamlFields& fields, std::string_view key, double fallback) {
  const double value = fields.number(key, fallback);
  if (value > 0) return value;
  fields.error(key, cat(value, " is not positive"), "write a number above 0");
  return fallback;
}

std::size_t link_named(YamlFields& fields, std::string_view key, const ReadContext& context) {
  if (fields.require(key) == nullptr) return 0;
  const std::string word = fields.word(key, "");
  if (const std::optional<std::size_t> found = context.model.find_link(word)) return *found;
  if (word.empty()) return 0;  // reported already
  fields.error(key, cat("robot ", in_quotes(context.model.name()), " has no link ", in_quotes(word)),
               hint(word, names_of(context.model.links(), &Link::name), "'ulna info' lists the links"));
  return 0;
}

std::vector<double> number_list(YamlFields& fields, std::string_view key, const std::vector<double>& fallback, const ReadContext& context) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return fallback;
  if (node->kind != YamlNode::Kind::sequence || node->items.size() != fallback.size()) {
    fields.error(key,
                 node->kind == YamlNode::Kind::sequence ? cat("it has ", node->items.size(), " entries") : cat("a list belongs here, not ", describe(*node)),
                 cat("write a list of ", fallback.size(), " numbers"));
    return fallback;
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < fallback.size(); ++i)
    values.push_back(number_in(node->items[i], fields.label(key).with(cat("entry ", i + 1)), context.diagnostics).value_or(fallback[i]));
  return values;
}

void each_mapping(YamlFields& fields, std::string_view key, const std::string& name, const std::vector<std::string>& known, const ReadContext& context,
                  const std::function<void(YamlFields&)>& read) {
  const YamlNode* list = fields.find(key);
  if (list == nullptr || list->kind == YamlNode::Kind::faulty) return;
  if (list->kind != YamlNode::Kind::sequence) {
    fields.error(key, cat("a list belongs here, not ", describe(*list)), cat("begin every entry with '- '"));
    return;
  }
  for (std::size_t k = 0; k < list->items.size(); ++k) {
    const YamlNode& item = list->items[k];
    const std::string element = cat(name, " ", k + 1);
    if (item.kind == YamlNode::Kind::mapping) {
      YamlFields entry(item, element, known, context.diagnostics);
      read(entry);
    } else if (item.kind != YamlNode::Kind::faulty) {
      context.diagnostics.error(item.line, element, cat("a mapping belongs here, not ", describe(item)), cat("write '- {", known.front(), ": ...}'"));
    }
  }
}

std::optional<Model> named_model(YamlFields& fields, const std::string& folder, const LoadOptions& options, std::vector<Diagnostic>& of_model) {
  std::string source = fields.require("model") == nullptr ? "" : fields.word("model", "");
  if (source.empty()) return {};
  const bool is_path = source.find_first_of("/.") != std::string::npos;
  if (is_path && std::filesystem::path(source).is_relative()) source = (std::filesystem::path(folder) / source).string();
  LoadResult loaded = try_load(source, options);
  if (!loaded.model)
    fields.error("model", loaded.found ? cat(in_quotes(source), " has errors") : cat("there is no robot ", in_quotes(source)),
                 loaded.found ? "correct them; they are listed below" : "give a file, or a name that 'ulna models' lists");
  of_model = std::move(loaded.diagnostics);
  return std::move(loaded.model);
}

const YamlNode* mapping(YamlFields& fields, std::string_view key, std::string_view example) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return nullptr;
  if (node->kind == YamlNode::Kind::mapping) return node;
  fields.error(key, cat("a mapping belongs here, not ", describe(*node)), cat("write '", key, ": ", example, "'"));
  return nullptr;
}

void check_by_making(YamlFields& fields, std::string_view key, const std::string& cure, const std::function<void()>& make) {
  try {
    make();
  } catch (const std::bad_alloc&) {
    throw;  // not the file's fault
  } catch (const std::exception& problem) {
    fields.error(key, problem.what(), cure);
  }
}

}  // namespace ulna::internal::sim
