// Readers of the larger parts of a scenario, each in a file of its own.
#pragma once

#include <ulna/sim/scenario.hpp>

#include "sim/scenario_fields.hpp"

namespace ulna::internal::sim {

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
