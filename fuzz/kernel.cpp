// Programs as bytes tell. Their register allocation is done on an imagined processor, and their machine code is run, for every instruction set of this
// computer, one state and lanes, double and float: bit for bit what the program gives when its instructions are done one after the other.
#include "jit/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <ulna/jit/instruction_set.hpp>

#include "bytes.hpp"
#include "jit/machine.hpp"
#include "jit/sincos.hpp"
#include "support/imagined_processor.hpp"

namespace ulna::fuzz {

namespace {

constexpr double kNumbers[] = {0,      1,      -1,     2,   0.5,  -0.5, 3,     0.1,  -0.7, 1.5, 1e-3, -1e3, 0.3333333333333333,
                               1e-300, -1e300, 5e-324, -0., 1e10, 1e-8, -1e-8, 0.25, 0.75, 7.5, 9.9,  1.25, -2.5,
                               0.9,    1.1,    -1.1,   0.6, 0.8,  -0.6};
double number(Bytes& bytes) { return kNumbers[bytes.below(32)]; }

/// A program and the values it is run on. Sines and cosines are results, too: they differ from the library's in the last bit, and are taken from there.
struct Case {
  Program program;
  std::vector<double> parameters, inputs;
  std::vector<std::size_t> turns;  // instructions, sine and cosine by turns

  Case(Bytes& bytes, bool with_fused) {
    const std::size_t first = 1 + bytes.below(12), second = bytes.below(6), third = bytes.below(40);
    program.inputs = {{"q", first}, {"v", second}, {"a", third}};
    const std::size_t given = bytes.below(6);
    if (given > 0) program.parameters = {{"p", given}};
    for (std::size_t k = 1 + bytes.below(40); k > 0; --k) program.constants.push_back(number(bytes));
    for (std::size_t k = 0; k < given; ++k) parameters.push_back(number(bytes));
    for (std::size_t k = first + second + third; k > 0; --k) inputs.push_back(number(bytes));
    precompute(bytes);
    add_angles(bytes);
    for (int k = 0; k < 700 && !bytes.empty(); ++k) add_step(bytes, with_fused);
    for (const std::size_t turn : turns) program.results.push_back({static_cast<std::uint32_t>(program.first_instruction() + turn), false});
    for (std::size_t k = 1 + bytes.below(30); k > 0; --k) program.results.push_back({pick(bytes), bytes.below(2) == 1});
    program.results.push_back({last(), false});
    program.outputs = {{"y", program.results.size()}};
  }

  /// All results, with the sines and cosines that `turned` holds, in their order.
  template <class T>
  std::vector<T> expected(const std::vector<T>& state, const std::vector<T>& turned) const {
    return test::evaluated(program, state, parameters, turned);
  }

 private:
  std::uint32_t last() const { return static_cast<std::uint32_t>(program.value_count() - 1); }

  std::uint32_t add(Op op, std::uint32_t a, std::uint32_t b = kNoValue, std::uint32_t c = kNoValue) {
    program.instructions.push_back({op, a, b, c});
    program.names.emplace_back();
    return last();
  }

  std::uint32_t pick(Bytes& bytes) {  // mostly something recent
    const std::uint32_t how = bytes.byte();
    if (how < 150) return last() - std::min(last(), how % 14);
    return bytes.below(program.value_count());
  }

  void precompute(Bytes& bytes) {
    const auto begin = static_cast<std::uint32_t>(program.input_count());
    for (std::uint32_t k = bytes.below(8); k > 0; --k) {
      const std::size_t known = program.value_count() - begin;
      add(static_cast<Op>(bytes.below(4)), begin + bytes.below(known), begin + bytes.below(known));
    }
    program.precomputed = program.instructions.size();
  }

  /// Angles are inputs or come from arithmetic on what is there at the start.
  void add_angles(Bytes& bytes) {
    std::set<std::uint32_t> angles;
    for (std::uint32_t k = bytes.below(12); k > 0; --k) {
      std::uint32_t angle = bytes.below(program.input_count());
      for (std::uint32_t more = bytes.below(3); more > 0; --more)
        angle = add(bytes.below(2) == 0 ? Op::add : Op::multiply, angle, bytes.below(program.first_instruction() + program.precomputed));
      angles.insert(angle);
    }
    for (const std::uint32_t angle : angles) {
      turns.push_back(add(Op::sine, angle) - program.first_instruction());
      turns.push_back(add(Op::cosine, angle) - program.first_instruction());
    }
  }

  void add_step(Bytes& bytes, bool with_fused) {
    const std::uint32_t kind = bytes.below(with_fused ? 10 : 6);
    const std::uint32_t a = pick(bytes), b = pick(bytes);
    if (kind <= 1)
      add(Op::add, a, b);
    else if (kind == 2)
      add(Op::subtract, a, b);
    else if (kind <= 4)
      add(Op::multiply, a, b);
    else if (kind == 5)
      add(Op::divide, a, b);
    else
      add(kind == 7 ? Op::multiply_subtract : kind == 8 ? Op::subtract_product : Op::multiply_add, a, b, pick(bytes));
  }
};

template <class T>
void run_code(const Case& given, InstructionSet set, bool lanes) {
  const jit::Form form{set, sizeof(T) == 4, lanes};
  const jit::Encoded encoded = jit::encode(given.program, form);
  promise(!encoded.code.empty(), "a program of this size can be made into a kernel");
  const jit::ConstantTable table(given.program, form, given.parameters);
  jit::CodeMemory memory;
  const jit::Encoded* function = &encoded;
  memory.fill({&function, 1});
  if (!memory.ok()) return;  // no memory may be executed here
  const std::size_t width = lanes ? form.width() : 1;
  std::vector<std::vector<T>> states(width);
  for (std::size_t l = 0; l < width; ++l)
    for (std::size_t k = 0; k < given.inputs.size(); ++k) states[l].push_back(static_cast<T>(given.inputs[(k + l) % given.inputs.size()]));
  // Each signal in a block of its own size, so that reading beyond it is seen by the sanitizer when the kernel's callers are checked, and by a wrong value.
  std::vector<std::vector<T>> signals;
  std::size_t begin = 0;
  for (const Signal& signal : given.program.inputs) {
    std::vector<T>& block = signals.emplace_back(signal.size * width + 1);
    for (std::size_t i = 0; i < signal.size; ++i)
      for (std::size_t l = 0; l < width; ++l) block[1 + i * width + l] = states[l][begin + i];
    begin += signal.size;
  }
  constexpr T kGuard = T(-12345);
  const std::size_t count = given.program.results.size();
  std::vector<T> out(count * width + 2, kGuard);
  memory.function(0)(signals[0].data() + 1, signals[1].data() + 1, signals[2].data() + 1, out.data() + 1, table.bytes(), 1);
  promise(out.front() == kGuard && out.back() == kGuard, "a kernel writes its results and nothing else");
  for (std::size_t l = 0; l < width; ++l) {
    std::vector<T> got;
    for (std::size_t k = 0; k < count; ++k) got.push_back(out[1 + k * width + l]);
    const std::vector<T> turned(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(given.turns.size()));
    const std::vector<T> plain = given.expected<T>(states[l], {}), expected = given.expected<T>(states[l], turned);
    for (std::size_t k = 0; k < turned.size(); ++k) {
      const bool near = std::fabs(turned[k] - plain[k]) <= 2 * std::numeric_limits<T>::epsilon();
      promise(near || std::isnan(turned[k]), "sine and cosine to the last bits, or NaN for angles that are too large");
    }
    for (std::size_t k = 0; k < count; ++k) promise(test::same(got[k], expected[k]), "machine code gives what the program gives");
  }
}

}  // namespace

void kernel(Input input) {
  if (input.size() < 8) return;
  Bytes bytes(input);
  const std::uint32_t choice = bytes.byte();
  const bool with_fused = choice % 2 == 1 && best_instruction_set() != InstructionSet::sse2;
  const Case given(bytes, with_fused);

  constexpr int kRegisters[] = {4, 5, 6, 7, 15, 16, 31};
  const int registers = kRegisters[choice / 2 % 7];
  const jit::Registers processor{.count = registers, .input_operands = choice / 14 % 2 == 0, .patience = choice / 28};
  std::vector<jit::InputPair> alike;  // of which nothing needs to be alike: then little is found
  for (std::uint32_t k = 0; choice % 5 != 0 && k + 1 < given.program.input_count(); k += 2) alike.emplace_back(k, k + 1);
  const jit::Tape tape = jit::paired(given.program, alike, std::numeric_limits<double>::infinity());
  const std::vector<double> got = test::ImaginedProcessor(given.program, tape, registers, given.inputs, given.parameters).run(jit::allocate(tape, processor));
  const std::vector<double> expected = given.expected<double>(given.inputs, {});
  for (std::size_t k = 0; k < expected.size(); ++k) promise(test::same(got[k], expected[k]), "an allocation gives what the program gives");

  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512, InstructionSet::neon}) {
    if (set != best_instruction_set(set) || (set == InstructionSet::sse2) == with_fused) continue;
    run_code<double>(given, set, choice % 3 == 0);
    run_code<float>(given, set, choice % 3 == 1);
  }
}

}  // namespace ulna::fuzz
