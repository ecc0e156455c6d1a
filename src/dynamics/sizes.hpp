// Size checks of the public entry points: once per call, always on, both numbers in the message.
#pragma once

#include <stdexcept>
#include <string>

#include <ulna/dynamics/workspace.hpp>

#include "text/message.hpp"

namespace ulna::internal {

template <class T>
void require_size(const PlanOf<T>& plan, const char* name, std::size_t got, std::size_t wanted, const char* size_name) {
  if (got != wanted) throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(plan.name), " has ", size_name, " = ", wanted));
}

template <class T>
void require_workspace(const PlanOf<T>& plan, const WorkspaceOf<T>& ws) {
  if (ws.bodies.size() != plan.bodies.size() || ws.nv != plan.nv)
    throw std::invalid_argument(cat("the workspace was made for ", ws.bodies.size(), " bodies and nv = ", ws.nv, ", but robot ", in_quotes(plan.name), " has ",
                                    plan.bodies.size(), " and nv = ", plan.nv));
}

template <class T>
void require_link(const PlanOf<T>& plan, std::size_t link) {
  if (link >= plan.links.size())
    throw std::invalid_argument(cat("link index ", link, " is out of range: robot ", in_quotes(plan.name), " has ", plan.links.size(), " links"));
}

template <class T, class Wrenches>
void require_wrenches(const PlanOf<T>& plan, const Wrenches& wrenches) {
  for (const auto& wrench : wrenches) require_link(plan, wrench.link);
}

}  // namespace ulna::internal
