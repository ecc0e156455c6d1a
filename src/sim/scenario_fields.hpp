// The kinds of values that scenarios have beyond numbers and words: one number a joint, yes or no, a choice, a link, a list of mappings.
// And the readers of a scenario's larger parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/sim/scenario.hpp>
#include <ulna/source/load.hpp>

#include "source/yaml.hpp"

namespace ulna::internal::sim {

/// Context for reading a part of a scenario.
struct ReadContext {
  Diagnostics& diagnostics;
  const Model& model;
  std::string folder;  // of the scenario's file; relative paths start there
  const ReadLimits& limits;

  /// Names of the joints that v lists: of a robot with loops the independent ones.
  std::vector<std::string> drives() const {
    const std::vector<std::string> names = model.velocity_names();
    return {names.begin() + static_cast<std::ptrdiff_t>(base_nv(model.base())), names.end()};
  }
};

/// A number for all joints, a list of one for each, or a mapping from names to numbers (the others keep `fallback`). Angles may be written with pi.
std::vector<double> joint_values(YamlFields& fields, std::string_view key, double fallback, const ReadContext& context);
/// The same of a vector whose numbers are called `names`, those of a base that moves among them. A single number, or a list of one for each joint, is about the
/// joints alone; all else keeps `fallback`. Of a robot with loops the joints are the independent ones.
std::vector<double> state_values(YamlFields& fields, std::string_view key, const std::vector<std::string>& names, const std::vector<double>& fallback,
                                 const ReadContext& context);

bool yes_no(YamlFields& fields, std::string_view key, bool fallback);
/// Index into `names`.
std::size_t choice(YamlFields& fields, std::string_view key, const std::vector<std::string>& names, std::size_t fallback);
double positive(YamlFields& fields, std::string_view key, double fallback);
/// Index into Model::links(); the key must be there.
std::size_t link_named(YamlFields& fields, std::string_view key, const ReadContext& context);
/// A list of numbers of this length.
std::vector<double> number_list(YamlFields& fields, std::string_view key, const std::vector<double>& fallback, const ReadContext& context);

/// Calls `read` for every mapping of a list; anything else is an error. Elements are called `name` 1, 2, …
void each_mapping(YamlFields& fields, std::string_view key, const std::string& name, const std::vector<std::string>& known, const ReadContext& context,
                  const std::function<void(YamlFields&)>& read);

/// The robot that the key 'model' names: a file, relative to `folder`, or one that comes with Ulna. What is wrong with its file goes to `of_model`.
std::optional<Model> named_model(YamlFields& fields, const std::string& folder, const LoadOptions& options, std::vector<Diagnostic>& of_model);

/// The value of a key as a mapping, or null (an error unless the key is missing).
const YamlNode* mapping(YamlFields& fields, std::string_view key, std::string_view example);

/// Runs `make`; exceptions become errors at the key.
void check_by_making(YamlFields& fields, std::string_view key, const std::string& cure, const std::function<void()>& make);

/// A scenario that is a part of another file: its paths start in `folder`, and problems of its robot's file go to `of_model`. Nothing, or less than there is,
/// after an error.
std::optional<Scenario> read_scenario(const YamlNode& root, Diagnostics& diagnostics, const std::string& folder, const ReadLimits& limits,
                                      std::vector<Diagnostic>& of_model);

void read_reference(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_law(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_disturbances(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_payloads(YamlFields& top, const ReadContext& context, Scenario& scenario);
/// mass, com and inertia of a body that a link carries; 0 kg is nothing where that may be.
ulna::Payload read_body(YamlFields& entry, const ReadContext& context, bool may_be_nothing);
void read_brakes(YamlFields& top, const ReadContext& context, Scenario& scenario);
/// How the law is sampled: of a scenario, or of a campaign, whose own counts then.
void read_control(YamlFields& top, Diagnostics& diagnostics, Scenario& scenario);
void read_base(YamlFields& top, const ReadContext& context, Scenario& scenario);

}  // namespace ulna::internal::sim
