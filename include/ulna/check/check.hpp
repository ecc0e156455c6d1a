// The laws a model must obey before any number is computed from it, and advice on what looks odd.
#pragma once

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>

namespace ulna ULNA_API {

struct CheckOptions {
  bool rotor = true;  // rotor inertia counts when the inertia matrix is tested for singularity
};

/// Masses and inertias of links (warnings) and of merged moving bodies (errors), and an inertia matrix that is not singular.
void check(const Model& model, Diagnostics& diagnostics, const CheckOptions& options = {});

/// A model that is built and obeys these laws, for programs: throws SourceError listing every problem.
Model build(const Description& description);

/// What check() says of a negative mass, for a link that is in no model yet; false when it is one.
bool check_mass(const Link& link, Diagnostics& diagnostics);

/// Notes on what a person would want to know: implausible units, inertia far from mass times size squared, identical links, coarse angles.
void advise(const Model& model, Diagnostics& diagnostics);

}  // namespace ULNA_API
