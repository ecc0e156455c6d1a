// Words of a kernel for AArch64 one after the other: memory at any offset, and sines and cosines.
#pragma once

#include <span>
#include <vector>

#include "jit/kernel.hpp"
#include "jit/layout.hpp"
#include "jit/neon_words.hpp"

namespace ulna::internal::jit::neon {

class Encoder {
 public:
  explicit Encoder(const Form& form) : form_(form) {}

  const std::vector<Word>& words() const { return words_; }

 protected:
  void emit(Word word) { words_.push_back(word); }

  /// Every lane of a register; one value, which takes a whole register or its lowest number.
  Kind packed() const { return form_.single ? Kind::ps : Kind::pd; }
  Kind value_kind() const { return form_.lanes ? packed() : form_.single ? Kind::ss : Kind::sd; }

  // ---- memory
  void load(Kind kind, int d, int base, std::size_t offset);
  void store(Kind kind, int a, int base, std::size_t offset);
  /// d = n + value, n - value, in one instruction or two.
  void add_to(int d, int n, std::size_t value);
  void subtract_from(int d, int n, std::size_t value);
  /// Code may be come to from elsewhere, or a base was moved: what kFar holds is not known any more.
  void forget() { far_base_ = -1; }

  // General registers: the arguments of KernelFunction (AAPCS64), the program's constants, and an address out of an instruction's reach.
  enum : int { kInput = 0, kResults = 3, kTable = 4, kBlocks = 5, kConstants = 6, kFar = 16 };

  // ---- sines and cosines of every lane of a register; see sincos.hpp for the method

  /// Registers of one of the groups of angles that are turned at the same time. Before: angles in `a`; afterwards: sines in `e`, cosines in `b`.
  struct Group {
    int a, b, c, d, e;
  };
  /// So many, interleaved, take all registers but those that belong to the caller and a few for constants.
  static constexpr std::size_t kGroups = 4;
  /// For angles that are loaded next; and a register for nothing in particular.
  std::vector<Group> groups(std::size_t count);
  int spare();
  /// Turns them. Sines of the first group go to `offset` of the stack, its cosines to the place after it, and so on.
  void turn(std::span<Group> groups, std::size_t offset);

  Form form_;

 private:
  struct Reached {
    int base;
    std::size_t offset;
  };
  Reached reach(int base, std::size_t offset, std::size_t unit);
  int turn_constant(int entry);
  void horner(std::span<Group> groups, int Group::*polynomial, int entry);
  int terms() const { return form_.single ? TurnNumbers<float>::terms : TurnNumbers<double>::terms; }

  std::vector<Word> words_;
  int far_base_ = -1;
  std::size_t far_page_ = 0;
  std::vector<int> spares_;  // that hold nothing; the one that has been longest so comes first
};

}  // namespace ulna::internal::jit::neon
