// A plan whose numbers are symbols.
#pragma once

#include <ulna/plan/plan.hpp>

#include "emit/symbol_table.hpp"

namespace ulna::internal {

/// The numbers of `plan.lumped`, each a symbol.
PlanOf<Expr> with_lumped_symbols(const Plan& plan, SymbolTable& symbols);

/// Mass, mass centre and inertia about it of each moving link; nothing lumped. `link` is the one whose frame is asked for, or kNone.
PlanOf<Expr> with_body_symbols(const Plan& plan, SymbolTable& symbols, std::size_t link = kNone);

}  // namespace ulna::internal
