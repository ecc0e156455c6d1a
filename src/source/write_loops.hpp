// What files say of robots with loops, and what they cannot.
#pragma once

#include <algorithm>

#include <ulna/model/model.hpp>

#include "text/cat.hpp"

namespace ulna::internal {

/// Files mark the independent joints, which a reader then lists in the order of the tree.
inline void warn_of_order(Diagnostics& diagnostics, const Model& model, const char* format) {
  const std::vector<std::size_t> driven = model.driven();
  if (std::is_sorted(driven.begin(), driven.end())) return;
  diagnostics.warning(0, Element::robot(model.name()), cat(format, " cannot say in which order v lists the independent joints"),
                      "it is that of the tree when the file is loaded, unless --independent says otherwise");
}

}  // namespace ulna::internal
