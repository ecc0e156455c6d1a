// The forms in which the papers describe a robot, with symbols for its numbers.
#pragma once

#include "formulation/frames.hpp"

#include "emit/symbol_table.hpp"
#include "formulation/kane_stanford.hpp"

namespace ulna::internal {

DhChain<Expr> with_symbols(const DhChain<double>& chain, SymbolTable& symbols);
MdhChain<Expr> with_symbols(const MdhChain<double>& chain, SymbolTable& symbols);
/// Rotors are left to those who add them: they are zero.
BodyTree<Expr> with_symbols(const BodyTree<double>& tree, SymbolTable& symbols);
/// In the paper's letters.
StanfordArm<Expr> with_symbols(const StanfordArm<double>& arm, SymbolTable& symbols);

}  // namespace ulna::internal
