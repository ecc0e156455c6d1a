// Readers of the larger parts of a scenario, each in a file of its own.
#pragma once

#include <ulna/sim/scenario.hpp>

#include "sim/scenario_fields.hpp"

namespace ulna::sim::internal {

void read_reference(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_law(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_disturbances(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_payloads(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_brakes(YamlFields& top, const ReadContext& context, Scenario& scenario);
void read_base(YamlFields& top, const ReadContext& context, Scenario& scenario);

}  // namespace ulna::sim::internal
