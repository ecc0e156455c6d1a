// Kane and Levinson's feedback law for the Stanford arm, and their signs.
#pragma once

#include <memory>

#include <ulna/model/model.hpp>
#include <ulna/sim/law.hpp>

namespace ulna::internal::sim {

/// Empty for a Stanford arm; else the property that the model lacks.
std::string why_no_stanford(const Model& model);

/// Throws std::invalid_argument when it is none.
std::unique_ptr<Law> make_kane_levinson_law(const KaneLevinsonSettings& settings, const Model& model);

}  // namespace ulna::internal::sim
