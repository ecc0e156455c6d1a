// The equations of a robot for readers: its lengths, masses and inertias as symbols, structural zeros left out.
//
// The printed object can also be evaluated, so that a test of the numbers is a test of the text.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/robot/analysis.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

class Speeds;

/// Quantities that have equations.
const std::vector<Quantity>& equation_quantities();

/// closed: each result multiplied out in the model's own parameters, as in a textbook; only for robots for which that stays short.
/// recursive: quantities link by link, then the results, on lumped parameters (see lump()), or on those of a formulation; for any robot.
enum class EquationForm { automatic, closed, recursive };

std::string_view to_string(EquationForm form);  // Its name on the command line.

/// A symbol: a letter (Greek ones by name, "tau"), what stands below ("3") and above it ("c"), and 0 to 2 dots for rates.
struct EquationMark {
  std::string letter;
  std::string below;
  std::string above;
  int dots = 0;
  std::string entry{};  // of a vector or a tensor, below, too: "x"
  std::string angle{};  // of the sine or cosine of a constant angle, its letter: "alpha"; then `below` is the angle's

  /// "3,x": all that stands below but an angle's letter.
  std::string index() const;
  /// "w3_x", "q2''": different marks have different text.
  std::string text() const;
  friend bool operator==(const EquationMark&, const EquationMark&) = default;
};

struct EquationFormula;

/// A mark, a sum in brackets, or the sine or cosine of a sum, to a power.
struct EquationFactor {
  enum class Kind { mark, bracket, sine, cosine };  // What a factor is.
  Kind kind = Kind::mark;
  EquationMark mark;
  std::shared_ptr<const EquationFormula> inside;
  int power = 1;
};

struct EquationTerm {      // A product of factors.
  double coefficient = 1;  // with the sign
  std::vector<EquationFactor> factors;
  std::vector<EquationFactor> divisors;
};

/// A sum; no term is zero.
struct EquationFormula {
  std::vector<EquationTerm> terms;
};

struct Equation {  // One line: a name and what it equals.
  EquationMark left;
  EquationFormula right;
};

/// A quantity that a formulation's paper has a letter for: a vector or a matrix.
struct EquationQuantity {
  struct Entry {              // One entry of a matrix or vector.
    bool needed = true;       // else no result depends on it, and it is not computed
    EquationFormula formula;  // what it is made of; empty: zero
    EquationFormula name{};   // what it is called where it is used: its own mark, an earlier one, or a number
  };
  EquationMark mark;  // without an entry
  std::size_t rows = 1, columns = 1;
  std::vector<Entry> entries;       // row by row
  std::size_t first = 0, last = 0;  // definitions[first] to definitions[last - 1] are its entries; none where it is made of what is defined before
  EquationMark same_as{};           // the earlier quantity that it equals; else without a letter
};

/// The meaning of a paper's letter, and how the paper forms it: "D", "3 x 3".
struct EquationLetter {
  EquationMark mark;  // without numbers
  std::size_t rows = 1, columns = 1;
  std::string meaning;
  std::string rule;  // with the number of the equation; may be empty
};

struct EquationSymbol {  // A symbol and its meaning.
  EquationMark mark;
  double value;
  std::string unit;  // "kg m²"; empty for a pure number
  std::string meaning;
};

/// One quantity of one robot. Symbols and equations stand in the order in which they are needed.
struct EquationSet {
  Quantity what{};
  EquationForm form{};               // never automatic
  std::string formulation;           // an id of the registry; empty: the kernels
  std::vector<std::size_t> numbers;  // the number of each joint's coordinate: 1, 2, … or as in the formulation's paper
  std::vector<std::size_t> speeds;   // those of `numbers` that rates, accelerations and forces are of: all of them, but where loops leave fewer
  bool free = false;                 // base coordinates stand before them (RootJoint::free): r0, e0; omega0, v0. A planar base is three joints
  std::string link;                  // whose pose or Jacobian it is; else empty
  std::string heading;               // of what is no quantity of the table: partial velocities; else empty
  /// Of a choice of generalized speeds: their symbols in place of the rates of the coordinates, and their definitions by these.
  std::vector<EquationMark> own_speeds;
  std::vector<std::string> own_speeds_are;  // their expressions
  std::vector<EquationSymbol> symbols;
  std::vector<EquationLetter> letters;       // of the formulation's paper, those that occur
  std::vector<EquationQuantity> quantities;  // in the order of the definitions
  std::vector<Equation> definitions;         // each a number, those of the quantities' entries included
  std::vector<Equation> results;             // of M the entries on and above its diagonal, and of J, that are not zero; else all
};

struct EquationOptions {                        // How equations are written.
  EquationForm form = EquationForm::automatic;  // How the equations are arranged.
  double snap = kSnap;                          // Angles this near to a quarter turn are exact [rad].
  bool rotor = true;                            // rotor inertias are part of it; friction never is
  std::string formulation{};                    // of equation_formulations(); empty: the kernels, in closed form where it is short
  std::string link{};                           // of pose and jacobian; empty: the last link
  std::shared_ptr<const Speeds> speeds{};       // of formulation kane: M u' + bias = Q, and joint forces by u and u'
};

/// Ids of formulations that have equations: all whose operations do not depend on the state.
std::vector<std::string_view> equation_formulations();

/// Throws std::invalid_argument where a closed form is requested and there is no short one, for a formulation that does not give the quantity of the model, and
/// for a link that is not there.
EquationSet make_equations(const Analysis& robot, Quantity what, const EquationOptions& options = {});

/// Partial angular velocities of all links and partial velocities of their mass centres in the links' axes, for the speeds in the options or the rates of the
/// joints: the entries that are not zero, named omega and v with the numbers of link and speed.
EquationSet partial_velocities(const Analysis& robot, const EquationOptions& options = {});

/// The results for one state, as the quantity's row has them: matrices column by column, M full. `v`
/// and `a` may be empty where they do not occur; `a` are joint forces for forward. Throws std::invalid_argument when a size is wrong, or when a mark is used
/// before it is defined or defined twice.
std::vector<double> evaluate(const EquationSet& set, std::span<const double> q, std::span<const double> v = {}, std::span<const double> a = {});

enum class EquationFormat { text, latex, markdown, html };  // Formats of a document.

/// A document: LaTeX that needs nothing but article and amsmath, Markdown with mathematics as GitHub shows it, HTML without scripts or anything from
/// elsewhere, or plain text. Names that come from the model's file are escaped.
std::string write_equations(const Model& model, std::span<const EquationSet> sets, EquationFormat format, double snap = kSnap);

/// The same with two formulations side by side, set by set; the results of both stand in one row. LaTeX is in landscape. Throws std::invalid_argument when the
/// sets on the left and on the right are not of the same quantities.
std::string write_equations_beside(const Model& model, std::span<const EquationSet> left, std::span<const EquationSet> right, EquationFormat format,
                                   double snap = kSnap);  // Angles this near to a quarter turn are exact [rad].

/// The sets as a part of an HTML page: headings of the third level, every symbol a link to the row that defines it. The ids of the k-th set's rows are
/// prefixes[k] and the symbol ("Z12"), so prefixes must differ. Throws std::invalid_argument when there are not as many of them as sets.
std::string equations_fragment(const Model& model, std::span<const EquationSet> sets, const std::vector<std::string>& prefixes, double snap = kSnap);

/// "w3_x = c3 w2_x + s3 w2_y" without the left side.
std::string plain_text(const EquationFormula& formula);

}  // namespace ULNA_API
