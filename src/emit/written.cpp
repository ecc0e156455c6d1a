#include "emit/written.hpp"

#include <set>

#include "emit/literal.hpp"
#include "expr/op_kinds.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// Longer expressions are broken where a quantity can get a name of its own.
constexpr std::size_t kLongest = 120;

enum class Binding { sum, product, atom };

struct Piece {
  std::string text;
  Binding binding = Binding::atom;
};

std::string in_brackets(const Piece& piece, Binding least) { return piece.binding < least ? cat("(", piece.text, ")") : piece.text; }

class Writer {
 public:
  Writer(const Program& program, const Syntax& syntax) : program_(program), syntax_(syntax) {
    if (program.parameter_count() != 0) throw std::invalid_argument(cat("a program with ", program.parameter_count(), " parameters cannot be written out"));
    for (const Instruction& step : program.instructions)
      if (step.op >= Op::multiply_add) throw std::invalid_argument("a program with fused instructions cannot be written out; make it with Fuse::no");
    count_uses();
    find_angles();
  }

  Written run() {
    write_lines(true);
    for (const std::uint32_t angle : angles_) out_.angles.push_back(pieces_[angle].text);
    write_lines(false);
    for (const Output& result : program_.results) {
      const Piece& piece = pieces_[result.value];
      out_.results.push_back(result.negative ? cat("-", in_brackets(piece, syntax_.brackets() ? Binding::atom : Binding::product)) : piece.text);
    }
    return std::move(out_);
  }

 private:
  void count_uses() {
    uses_.assign(program_.value_count(), 0);
    for (const Instruction& step : program_.instructions) {
      ++uses_[step.a];
      if (!is_sincos(step.op)) ++uses_[step.b];
    }
    for (const Output& result : program_.results) ++uses_[result.value];
  }
  /// The angles, and the instructions that only they need or that they need first.
  void find_angles() {
    const std::size_t first = program_.first_instruction();
    for_angles_.assign(program_.instructions.size(), false);
    angle_of_.assign(uses_.size(), kNoValue);
    for (const Instruction& step : program_.instructions) {
      if (!is_sincos(step.op) || angle_of_[step.a] != kNoValue) continue;
      angle_of_[step.a] = static_cast<std::uint32_t>(angles_.size());
      angles_.push_back(step.a);
      if (step.a >= first) for_angles_[step.a - first] = true;
    }
    for (std::size_t i = program_.instructions.size(); i-- > 0;) {
      if (!for_angles_[i]) continue;
      const Instruction& step = program_.instructions[i];
      if (is_sincos(step.op)) throw std::invalid_argument("an angle that depends on the sine of another cannot be written out");
      for (const std::uint32_t operand : {step.a, step.b})
        if (operand >= first) for_angles_[operand - first] = true;
    }
  }

  /// Instructions before the angles stand in a function of their own; the rest has to compute anew what it shares with them.
  void write_lines(bool before) {
    pieces_.assign(uses_.size(), {});
    taken_.clear();
    temporaries_ = 0;
    std::size_t value = 0;
    for (const Signal& signal : program_.inputs)
      for (std::size_t k = 0; k < signal.size; ++k) pieces_[value++] = {syntax_.element(signal.name, k), Binding::atom};
    for (const double c : program_.constants) pieces_[value++] = {syntax_.number(c), Binding::atom};
    for (std::size_t i = 0; i < program_.instructions.size(); ++i, ++value) {
      const Instruction& step = program_.instructions[i];
      if (is_sincos(step.op)) {
        if (!before) pieces_[value] = {syntax_.element(step.op == Op::sine ? "sine" : "cosine", angle_of_[step.a]), Binding::atom};
        continue;
      }
      if (before ? !for_angles_[i] : for_angles_[i] && !needed_again(i)) continue;
      Piece piece = expression(step);
      if (keeps_inline(i, value, piece)) {
        pieces_[value] = std::move(piece);
        continue;
      }
      const std::string name = unused_name(i);
      (before ? out_.before_angles : out_.lines).push_back({name, piece.text});
      pieces_[value] = {name, Binding::atom};
    }
  }

  bool needed_again(std::size_t i) const {
    const std::size_t value = program_.first_instruction() + i;
    for (std::size_t k = i + 1; k < program_.instructions.size(); ++k) {
      const Instruction& step = program_.instructions[k];
      if (is_sincos(step.op)) continue;
      if ((step.a == value || step.b == value) && (!for_angles_[k] || needed_again(k))) return true;
    }
    for (const Output& result : program_.results)
      if (result.value == value) return true;
    return false;
  }
  bool keeps_inline(std::size_t i, std::size_t value, const Piece& piece) const {
    const bool named = i < program_.names.size() && !program_.names[i].empty();
    return uses_[value] == 1 && !named && piece.text.size() <= kLongest;
  }

  Piece expression(const Instruction& step) const {
    const Piece &a = pieces_[step.a], &b = pieces_[step.b];
    // A left operand of the same kind needs no brackets, a right one does: a + b + c is (a + b) + c.
    switch (step.op) {
      case Op::add:
      case Op::subtract: {
        const bool all = syntax_.brackets();
        const std::string left = all && a.binding == Binding::product ? cat("(", a.text, ")") : a.text;
        return {cat(left, step.op == Op::add ? " + " : " - ", in_brackets(b, all ? Binding::atom : Binding::product)), Binding::sum};
      }
      case Op::divide: return {cat(in_brackets(a, Binding::product), " / ", in_brackets(b, Binding::atom)), Binding::product};
      default: return {cat(in_brackets(a, Binding::product), " * ", in_brackets(b, Binding::atom)), Binding::product};
    }
  }

  std::string unused_name(std::size_t i) {
    std::string wanted = i < program_.names.size() ? to_string(program_.names[i]) : std::string{};
    if (wanted.empty()) wanted = cat("t", ++temporaries_);
    std::string name = wanted;
    for (int k = 2; !taken_.insert(name).second; ++k) name = cat(wanted, "_", k);
    return name;
  }

  const Program& program_;
  const Syntax& syntax_;
  std::vector<int> uses_;
  std::vector<std::uint32_t> angles_;    // values whose sine or cosine is taken
  std::vector<std::uint32_t> angle_of_;  // of a value: its place among them, or kNoValue
  std::vector<bool> for_angles_;         // of an instruction: an angle needs it
  std::vector<Piece> pieces_;
  std::set<std::string> taken_;
  int temporaries_ = 0;
  Written out_;
};

}  // namespace

std::string Syntax::number(double value) const { return literal(value, real_); }
std::string Syntax::element(const std::string& signal, std::size_t index) const { return cat(signal, "[", index, "]"); }

Written write_out(const Program& program, const Syntax& syntax) { return Writer(program, syntax).run(); }

}  // namespace ulna::internal
