// The parts that documents of equations are put together from.
#pragma once

#include "emit/equations_style.hpp"

namespace ulna::internal {

/// `narrow` is for two columns.
std::unique_ptr<Document> equations_document(EquationFormat format, bool narrow);

/// A column of the table of joints: what the coordinates are numbered with.
struct NumberedBy {
  std::string title;
  std::vector<std::size_t> numbers;
};
void write_joints(Document& out, const Model& model, const std::vector<NumberedBy>& columns, double snap);

/// Whose equations these are, and what their letters mean.
void write_intro(Document& out, const EquationSet& set);
/// The results, with the words around them.
void write_results(Document& out, const EquationSet& set);

}  // namespace ulna::internal
