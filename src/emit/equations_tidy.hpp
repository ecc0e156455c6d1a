// A set of equations without what nothing needs.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <ulna/emit/equations.hpp>

namespace ulna::internal {

/// Definitions that nothing needs any more, because terms cancelled when they were gathered, go; those with the letter `others`, and K, are numbered again.
void drop_unused_definitions(EquationSet& set, std::string_view others);

/// Symbols that occur stay. Where one moment of inertia is all that is felt of a link, it is I_2 and not I_2,zz.
void keep_used_symbols(EquationSet& set);

/// The text of every mark in a formula.
void collect_marks(const EquationFormula& formula, std::set<std::string>& used);

}  // namespace ulna::internal
