// The steps from a robot to a set of equations: a run on symbols, lines or closed forms of its results, and a set without unused definitions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/plan/plan.hpp>

#include "formulation/paper_quantity.hpp"

namespace ulna::internal {

/// "q3": numbers count from 1.
EquationMark numbered(const char* letter, std::size_t number, int dots = 0);

/// Numbers of the joints are those of q, `speeds` those of the rest; a free base stands before them. q, then rates, then accelerations or joint forces, as far
/// as the quantity has them.
std::vector<EquationMark> input_marks(Quantity what, const std::vector<std::size_t>& numbers, const std::vector<std::size_t>& speeds, bool free);
std::vector<EquationMark> input_marks(const EquationSet& set);

/// One for each entry of what a kernel gives: of a symmetric matrix those on and above the diagonal, row by row; of others column by column.
std::vector<EquationMark> result_marks(Quantity what, const std::vector<std::size_t>& speeds, bool free);

struct LineOptions {
  const char* others = "Z";                     // the letter of intermediate results without a name
  bool every_name = false;                      // what has a name is defined even when it is used once: the names are a paper's
  bool every_mark = false;                      // likewise what has one of `marks`: G of loops
  std::map<std::string, EquationMark> marks{};  // of names that are marks already, by their text
};

/// Symbols and inputs are the program's parameters and inputs, in their order. Definitions go to `definitions`, in the order in which they are needed; returned
/// are the results, an empty sum for zero.
std::vector<EquationFormula> write_lines(const Program& program, const std::vector<EquationSymbol>& symbols, const std::vector<EquationMark>& inputs,
                                         const LineOptions& options, std::vector<Equation>& definitions);

/// What a run on symbols leaves behind.
struct SymbolicTrace {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<EquationSymbol> symbols;
  std::vector<Expr> results;  // one for each of result_marks()
  // of a formulation
  std::vector<EquationLetter> letters;
  std::vector<EquationQuantity> quantities;
  std::map<std::string, EquationMark> marks;  // of names that are marks already, by their text
};

/// `link` of poses and Jacobians. The masses are those of the links, or lumped.
enum class Masses { of_links, lumped };
/// `coordinates` are their numbers.
SymbolicTrace run_kernel(const Plan& numbers, Quantity what, std::size_t link, bool rotor, Masses masses, const std::vector<std::size_t>& coordinates);

/// The row of a paper whose equations a set shows; null for the kernels.
const Formulation* paper_of(std::string_view formulation);

/// In words, what the symbols of a paper's equations stand for.
std::string_view frames_in_words(Frames frames);

/// The formulation in the model's independent coordinates, couplings and rotors around it as in FormulationOnModel. Throws std::invalid_argument with the
/// reason when it does not give the quantity of the model.
/// `shown` gets what the formulation shows.
SymbolicTrace run_formulation(const Formulation& row, Quantity quantity, const Analysis& robot, const EquationOptions& options,
                              std::vector<PaperQuantity<Expr>>* shown = nullptr);

/// The symbols of chosen generalized speeds; none without a choice.
std::vector<EquationMark> speed_marks(const EquationOptions& options);

/// Coordinates as the formulation's paper numbers them; else by the joints' names where these are q and the numbers 1, 2, … in any order; else 1, 2, ….
/// Null is no paper.
std::vector<std::size_t> coordinate_numbers(const Formulation* paper, const Model& model);
LineOptions line_options(const Formulation* paper);

/// What the parameters and inputs of a graph are called, in their order there. Inputs below `angles` may stand in sines and cosines.
struct GraphMarks {
  std::vector<EquationMark> parameters;
  std::vector<EquationMark> inputs;
  std::size_t angles = 0;
  std::vector<std::pair<std::size_t, std::size_t>> circles;  // parameters that are cosine and sine of one angle
};

struct ClosedForms {
  std::vector<Equation> definitions;      // of sines and cosines
  std::vector<EquationFormula> formulas;  // one per result
};

/// With products of sines and cosines either kept (and s² + c² = 1 used) or rewritten as those of sums of angles, whichever gives fewer terms. Nothing where a
/// result divides or stays longer than readers accept.
std::optional<ClosedForms> closed_forms(const Graph& graph, std::span<const Expr> results, const GraphMarks& marks);

/// Removes definitions that are unused because terms cancelled when they were gathered; those with the letter `others`, and K, are renumbered.
void drop_unused_definitions(EquationSet& set, std::string_view others);

/// Symbols that occur stay. Where only one moment of inertia of a link matters, it is I_2 and not I_2,zz.
void keep_used_symbols(EquationSet& set);

/// The text of every mark in a formula.
void collect_marks(const EquationFormula& formula, std::set<std::string>& used);

/// Names the nodes of what a formulation has computed: sines and cosines by the numbers of their coordinates, then the paper's quantities in the order in which
/// they are shown. Leaves letters and quantities in `trace`, entries as one mark, one number or nothing.
void name_quantities(const std::function<void(const PaperVisitor<Expr>&)>& visit, const std::vector<EquationMark>& inputs,
                     const std::vector<std::size_t>& numbers, SymbolicTrace& trace);

/// Puts the definitions of a quantity's entries next to each other, where the order in which things are needed allows it, and writes out what the entries are.
/// A quantity of which nothing is needed, or that is all numbers, is dropped with its letter.
void arrange_quantities(EquationSet& set);

/// "xy" of a 3 x 3 matrix, "23" of a larger one, "x" or "2" of a vector; empty for a scalar.
std::string entry_name(std::size_t rows, std::size_t columns, std::size_t k);

}  // namespace ulna::internal
