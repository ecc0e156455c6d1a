// Equal results are written once: half of a symmetric matrix, and the zeros of a sparse one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <ulna/expr/program.hpp>

namespace ulna::internal::jit {

/// How the numbers of a state follow from rows of lanes.
struct Rows {
  /// Up to eight numbers, one after the other; `same`: all of them one row.
  struct Piece {
    std::uint32_t at = 0;
    std::uint8_t count = 0;
    bool same = false;
  };
  std::vector<std::uint32_t> of;                 // of each number: its row
  std::uint32_t count = 0;                       // of rows
  static constexpr std::size_t kCell = 4;        // numbers that are stored together at a boundary of as many: half the time of those that are not
  std::array<std::vector<Piece>, kCell> pieces;  // all numbers, in order, for states that begin so many numbers behind such a boundary
};

/// With their pieces.
Rows rows_of(std::vector<std::uint32_t> of, std::uint32_t count);

/// The program with every result once, in the order in which they come first, so that its constants stand where they did; and where its results go.
struct Distinct {
  Program program;
  Rows rows;
};
Distinct distinct(const Program& program);

}  // namespace ulna::internal::jit
