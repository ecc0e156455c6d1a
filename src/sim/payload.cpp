#include <cmath>
#include <stdexcept>

#include <ulna/sim/scenario.hpp>

#include "model/text.hpp"

namespace ulna::sim {

Model with_payload(const Model& model, const Payload& payload) {
  if (payload.link < 0 || static_cast<std::size_t>(payload.link) >= model.links().size())
    throw std::invalid_argument(
        cat("payload: link index ", payload.link, " is out of range: robot ", in_quotes(model.name()), " has ", model.links().size(), " links"));
  if (!(payload.mass > 0) || !std::isfinite(payload.mass)) throw std::invalid_argument(cat("payload: its mass must be positive, but it is ", payload.mass));
  Description d;
  d.name = model.name();
  d.file = model.file();
  d.gravity = model.gravity();
  d.links = model.links();
  for (const Joint& joint : model.joints())
    d.joints.push_back({joint, d.links[static_cast<std::size_t>(joint.parent)].name, d.links[static_cast<std::size_t>(joint.child)].name,
                        joint.mimic ? model.joints()[static_cast<std::size_t>(joint.mimic->leader)].name : std::string()});
  Link& link = d.links[static_cast<std::size_t>(payload.link)];
  const PseudoInertia<double> sum = pseudo_inertia(link.mass, link.com, link.inertia) + pseudo_inertia(payload.mass, payload.com, payload.inertia);
  link.mass = sum.m;
  link.com = (1 / sum.m) * sum.h;
  link.inertia = inertia_about_com(sum);
  link.inertial = true;
  Diagnostics diagnostics(model.file());
  std::optional<Model> built = build(d, diagnostics);
  if (!built) throw SourceError(diagnostics.all());
  return *std::move(built);
}

}  // namespace ulna::sim
