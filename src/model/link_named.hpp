// Finds a link by its name, or throws with the nearest name.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <ulna/model/model.hpp>

#include "text/message.hpp"

namespace ulna::internal {

inline std::string no_such_link(const Model& model, std::string_view name) {
  return cat("robot ", in_quotes(model.name()), " has no link ", in_quotes(name), did_you_mean(name, names_of(model.links(), &Link::name)));
}

/// Its number; throws std::invalid_argument when there is none.
inline std::size_t link_named(const Model& model, std::string_view name) {
  if (const std::optional<std::size_t> link = model.find_link(name)) return *link;
  throw std::invalid_argument(no_such_link(model, name));
}

}  // namespace ulna::internal
