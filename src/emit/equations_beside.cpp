// Two formulations side by side.
#include <algorithm>
#include <stdexcept>

#include "emit/equations_parts.hpp"
#include "text/cat.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

std::string name_of(const EquationSet& set) { return set.formulation.empty() ? std::string("production path") : set.formulation; }

/// A column of text is as high as it is; TeX cannot break one over pages, so definitions come in pieces of about this many lines.
constexpr std::ptrdiff_t kLines = 30;

std::ptrdiff_t lines_in(const std::string& text) {
  std::ptrdiff_t lines = std::count(text.begin(), text.end(), '\n');
  for (std::size_t at = text.find("\\\\"); at != std::string::npos; at = text.find("\\\\", at + 2)) ++lines;
  return lines;
}

/// The definitions in pieces: whole for formats that scroll.
std::vector<std::string> definitions_of(const EquationSet& set, Document& out, bool pages) {
  std::vector<std::string> pieces;
  if (set.definitions.empty()) return pieces;
  if (!pages) {
    out.paragraph("With");
    out.definitions(set);
    return {out.take()};
  }
  constexpr std::size_t kAtOnce = 15;
  EquationSet part = set;
  for (std::size_t first = 0; first < set.definitions.size();) {
    std::size_t last = std::min(first + kAtOnce, set.definitions.size());
    for (const EquationQuantity& quantity : set.quantities)  // never through a matrix
      if (quantity.first < last && last < quantity.last) last = quantity.last;
    const auto begin = set.definitions.begin();
    part.definitions.assign(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
    part.quantities.clear();
    for (EquationQuantity quantity : set.quantities) {
      const bool own = quantity.first < quantity.last;
      const bool here =
          own ? first <= quantity.first && quantity.last <= last : first <= quantity.first && (quantity.first < last || last == set.definitions.size());
      if (!here) continue;
      quantity.first -= first;
      quantity.last -= first;
      part.quantities.push_back(std::move(quantity));
    }
    out.definitions(part);
    std::string piece = out.take();
    if (!pieces.empty() && lines_in(pieces.back()) + lines_in(piece) < kLines)
      pieces.back() += piece;
    else
      pieces.push_back(std::move(piece));
    first = last;
  }
  return pieces;
}

}  // namespace

std::string write_equations_beside(const Model& model, std::span<const EquationSet> left, std::span<const EquationSet> right, EquationFormat format,
                                   double snap) {
  if (left.size() != right.size())
    throw std::invalid_argument(cat("there are ", left.size(), " sets of equations on the left, but ", right.size(), " on the right"));
  const std::unique_ptr<Document> document = equations_document(format, true);
  Document& out = *document;
  out.begin(cat("Equations of motion: ", out.style().escaped(model.name())));
  if (!left.empty()) {
    std::vector<NumberedBy> columns{{"coordinate", left[0].numbers}};
    if (right[0].numbers != left[0].numbers) columns = {{name_of(left[0]), left[0].numbers}, {name_of(right[0]), right[0].numbers}};
    write_joints(out, model, columns, snap);
  }
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k].what != right[k].what) throw std::invalid_argument("equations of different quantities cannot stand side by side");
    out.heading(cat(row_of(left[k].what).heading, ": ", name_of(left[k]), " beside ", name_of(right[k])));
    const std::string before = out.take();
    std::vector<std::pair<std::string, std::string>> rows;
    const auto both = [&](auto&& write) {
      write(left[k]);
      std::string a = out.take();
      write(right[k]);
      rows.emplace_back(std::move(a), out.take());
    };
    both([&](const EquationSet& set) { write_intro(out, set); });
    both([&](const EquationSet& set) { out.symbols(set.symbols); });
    const bool pages = format == EquationFormat::latex;
    std::vector<std::string> a = definitions_of(left[k], out, pages), b = definitions_of(right[k], out, pages);
    for (std::size_t piece = 0; piece < std::max(a.size(), b.size()); ++piece)
      rows.emplace_back(piece < a.size() ? a[piece] : std::string(), piece < b.size() ? b[piece] : std::string());
    both([&](const EquationSet& set) { write_results(out, set); });
    out.put(before);
    out.beside(rows);
  }
  return out.end();
}

}  // namespace ULNA_API
