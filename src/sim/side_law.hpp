// Laws for several runs in lanes: q, v, the memory and tau of all of them, number i of lane l at [i * lanes + l]. A Law for one run is one lane.
#pragma once

#include <ulna/sim/scenario.hpp>

namespace ulna::internal::sim {

/// Of runs that differ in their numbers only, one a lane. Laws that have no form for many states are called for one state after the other, each run's own,
/// and only for the first `real` runs: the others are copies of the last of these. `references` are none, one for all lanes, or one for each.
std::unique_ptr<Law> make_side_law(const std::vector<const Scenario*>& runs, std::size_t real, const std::vector<std::unique_ptr<ReferenceMotion>>& references,
                                   const Dynamics* like);

/// All laws that compare the state with a reference, with one lane's settings each; the kind is the first one's. One reference for all lanes, or one for each.
std::unique_ptr<Law> make_following(const std::vector<const LawSettings*>& settings, const Model& model, bool rotor,
                                    const std::vector<const ReferenceMotion*>& references, const Dynamics* like);
/// Stops another law's torques at the joints' limits.
std::unique_ptr<Law> saturated(std::unique_ptr<Law> law, const Model& model, std::size_t lanes);

/// Throws std::invalid_argument with both numbers.
void require_entries(const char* what, std::size_t got, std::size_t wanted);

/// Empty for a Stanford arm; else the property that the model lacks.
std::string why_no_stanford(const Model& model);
/// Kane and Levinson's feedback law for the Stanford arm, with their signs. Throws std::invalid_argument when it is none.
std::unique_ptr<Law> make_kane_levinson_law(const KaneLevinsonSettings& settings, const Model& model);

}  // namespace ulna::internal::sim
