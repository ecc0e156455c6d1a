// A program on registers: the result of register allocation, before encoding. One Step is one instruction of the processor, or a copy that goes
// with it on processors whose instructions overwrite an operand.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/expr/program.hpp>

#include "jit/tape.hpp"

namespace ulna::internal::jit {

/// Where a value stands.
struct Place {
  enum Kind : std::uint8_t {
    none,
    reg,       // index: number of the register
    input,     // index: number of the input
    constant,  // index: number of the constant: parameters, constants and what is precomputed, as the program numbers them, less the inputs
    pair,      // index: number of the pair of constants
    sincos,    // index: 2 k for the sine of angle k, 2 k + 1 for its cosine
    early,     // index: number of the early instruction
    slot       // index: number of the spill slot
  };
  Kind kind = none;
  std::uint32_t index = kNoValue;
  friend bool operator==(const Place&, const Place&) = default;
};

struct Step {
  enum Kind : std::uint8_t {
    load,     // register d from place b
    store,    // register a to place b
    result,   // register a to output number `output`, with opposite sign when `negative`
    copy,     // register d from register a
    binary,   // d = a op b
    across,   // d = op of b, or of a and b: between the lanes of a pair (jit/tape.hpp)
    fuse231,  // d = ±(a * b) ± d
    fuse213,  // d = ±(a * d) ± b
    fuse132   // d = ±(d * b) ± a
  };
  Kind kind;
  Op op = Op::add;
  std::int8_t d = -1;
  std::int8_t a = -1;
  Place b{};
  std::uint32_t output = kNoValue;
  bool negative = false;
  bool pair = false;   // both lanes; of `across`, those of d
  bool upper = false;  // of a result: the second number of a pair
};

/// What the allocation must know of a processor.
struct Registers {
  int count = 16;              // for values
  bool input_operands = true;  // inputs and results of early instructions may be operands in memory
  std::uint32_t patience = 4;  // a value in memory whose next use is further off than this many instructions is not given a register
};

struct Allocation {
  std::vector<std::uint32_t> angles;  // values whose sine and cosine are needed: inputs, or results of early instructions; pairs first
  std::vector<std::uint32_t> early;   // instructions that angles depend on; each is done at once, before everything else
  std::vector<Step> early_steps;      // naive: there are few, if any
  std::vector<Step> steps;            // everything else, after the sines and cosines
  std::size_t slots = 0;              // of the stack
  std::size_t spills = 0;             // stores to them
};

/// Takes tapes whose angles depend on no sine or cosine; throws std::invalid_argument for others. Evicts the value with the furthest next use (Belady
/// 1966), preferring those that stand in memory anyway. O(instructions * registers).
Allocation allocate(const Tape& tape, const Registers& registers);

}  // namespace ulna::internal::jit
