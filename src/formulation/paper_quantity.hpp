// The quantities of a paper by their own names: letter, number, shape, and how the paper forms them. A formulation shows them after a call; whoever writes
// its equations down takes the names from here.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>

#include <ulna/spatial/spatial.hpp>

#include "formulation/mat4.hpp"
#include "text/message.hpp"

namespace ulna::internal {

/// "omega2" of "omega" and "2", "W2''", "dW13", "u1(3)".
std::string name_of(const std::string& symbol, std::string index);
/// The symbol of a quantity's result: "tau", "q''".
std::string result_symbol(const QuantityRow& row);

struct PaperSymbol {
  const char* letter;         // "D"; Greek and accented letters by name: "omega", "phat"
  const char* meaning;        // of the numbered link, unless it says otherwise
  const char* rule = "";      // as the paper forms it, in ASCII; what another symbol's row says is left out
  const char* equation = "";  // its number: "3.15"; where there is none, the part of the paper
  int dots = 0;
  const char* above = "";
  bool beside = false;  // no result is computed from it, so equations do without it
};

/// "3", "13" of a pair, "1 in frame 3"; nothing for a quantity of the whole robot.
struct PaperIndex {
  std::size_t first = 0, second = 0, frame = 0;
};

template <class T>
struct PaperQuantity {
  PaperSymbol symbol;
  PaperIndex index;
  std::size_t rows = 1, columns = 1;
  std::vector<T> entries;  // row by row
};

/// "A*", "W''"; and with its indices where they are: "1,3", "1(3)" in frame 3, nothing of the whole robot.
inline std::string symbol_of(const PaperSymbol& symbol) { return cat(symbol.letter, symbol.above, std::string(static_cast<std::size_t>(symbol.dots), '\'')); }
inline std::string index_of(const PaperIndex& at) {
  const bool some = at.first != 0 || at.second != 0;
  return cat(!some ? "" : at.second == 0 ? cat(at.first) : cat(at.first, ",", at.second), at.frame == 0 ? "" : cat("(", at.frame, ")"));
}

template <class T>
using PaperVisitor = std::function<void(const PaperQuantity<T>&)>;

/// show(symbol, index, x) for scalars, vectors and matrices. They are to be shown in the order in which the paper computes them: what equals an earlier one
/// keeps the earlier name.
template <class T>
class PaperQuantities {
 public:
  explicit PaperQuantities(const PaperVisitor<T>& visit) : visit_(visit) {}

  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const T& x) const { visit_({symbol, index, 1, 1, {x}}); }
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Vec3<T>& v) const { visit_({symbol, index, 3, 1, {v.x, v.y, v.z}}); }
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Mat3<T>& m) const {
    visit_({symbol, index, 3, 3, {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz}});
  }
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Sym3<T>& s) const { (*this)(symbol, index, s.full()); }
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Vec4<T>& v) const { visit_({symbol, index, 4, 1, {v.e.begin(), v.e.end()}}); }
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Mat4<T>& m) const { visit_({symbol, index, 4, 4, flat(m.e)}); }
  template <std::size_t N>
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const std::array<std::array<T, N>, N>& m) const {
    visit_({symbol, index, N, N, flat(m)});
  }
  /// Row by row.
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, std::size_t rows, std::size_t columns, const T* entries) const {
    visit_({symbol, index, rows, columns, {entries, entries + rows * columns}});
  }
  /// Of six: linear over angular.
  void operator()(const PaperSymbol& symbol, const PaperIndex& index, const Vec3<T>& upper, const Vec3<T>& lower) const {
    visit_({symbol, index, 6, 1, {upper.x, upper.y, upper.z, lower.x, lower.y, lower.z}});
  }

 private:
  template <std::size_t N>
  static std::vector<T> flat(const std::array<std::array<T, N>, N>& m) {
    std::vector<T> entries;
    for (const std::array<T, N>& row : m) entries.insert(entries.end(), row.begin(), row.end());
    return entries;
  }
  const PaperVisitor<T>& visit_;
};

}  // namespace ulna::internal
