// A robot's numbers as symbols: one by one, and in the forms in which the papers and the plan describe a robot. Zeros stay numbers, and ±1 in rotations:
// they are the structure of the robot.
#pragma once

#include <string>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/spatial/spatial.hpp>

#include "formulation/frames.hpp"
#include "formulation/kane_stanford.hpp"

namespace ulna::internal {

/// Parameter k of the graph is symbols()[k]: nothing else makes parameters there.
class SymbolTable {
 public:
  explicit SymbolTable(Graph& graph) : graph_(graph) {}
  Graph& graph() const { return graph_; }

  /// Zero for a zero.
  Expr symbol(EquationMark mark, double value, const char* unit, std::string meaning);
  /// `of` is the subscript before the entry: "3" for r_3,x.
  Vec3<Expr> vector(const char* letter, const std::string& of, const Vec3<double>& v, const char* unit, const std::string& meaning);
  Sym3<Expr> tensor(const char* letter, const std::string& of, const Sym3<double>& s, const std::string& meaning);
  /// A rotation about one axis (and a permutation of axes) has two numbers, each twice: called cosine and sine of alpha. Other rotations keep their entries.
  Mat3<Expr> rotation(const std::string& of, const Mat3<double>& R, const std::string& meaning);
  /// A cosine or sine of a constant angle whose letter is `angle`; right angles are the structure's.
  Expr sincos_entry(const char* letter, const char* angle, const std::string& of, double value, const std::string& meaning);
  /// Along one axis it is g, positive, and the sign is the structure's. `frame` is whose axes these are: "the base".
  Vec3<Expr> gravity(const Vec3<double>& g, const char* frame);
  /// Rotor inertia, with the gear ratio squared.
  Expr rotor(std::size_t joint, double value, bool prismatic);
  /// Mass centre from the joint, of one that lies on the x axis by one length.
  Vec3<Expr> centre(std::size_t link, Vec3<double> r, const std::string& from);
  /// About the mass centre. What is rounding of a subtraction from `size` is taken as zero.
  Sym3<Expr> inertia(std::size_t link, Sym3<double> I, double size);

  std::vector<EquationSymbol> take() { return std::move(symbols_); }

 private:
  Graph& graph_;
  std::vector<EquationSymbol> symbols_;
};

DhChain<Expr> with_symbols(const DhChain<double>& chain, SymbolTable& symbols);
MdhChain<Expr> with_symbols(const MdhChain<double>& chain, SymbolTable& symbols);
/// Rotors are left to those who add them: they are zero.
BodyTree<Expr> with_symbols(const BodyTree<double>& tree, SymbolTable& symbols);
/// In the paper's letters.
StanfordArm<Expr> with_symbols(const StanfordArm<double>& arm, SymbolTable& symbols);

/// The numbers of `plan.lumped`, each a symbol.
PlanOf<Expr> with_lumped_symbols(const Plan& plan, SymbolTable& symbols);

/// Mass, mass centre and inertia about it of each moving link; nothing lumped. `link` is the requested one, or kNone.
PlanOf<Expr> with_body_symbols(const Plan& plan, SymbolTable& symbols, std::size_t link = kNone);

}  // namespace ulna::internal
