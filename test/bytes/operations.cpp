// What each instruction does, by its name. A new instruction is a line here.
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

#include "bytes/processor.hpp"

namespace ulna::test {

namespace {

using I = MachineInstruction;
using V = Vector512;

[[noreturn]] void unknown_form() { throw std::runtime_error("a form of this instruction that the interpreter does not know"); }

/// The three operands of an instruction: the old value of the destination, and two sources. In the short form the destination is also the first source.
struct Three {
  Three(Processor& p, const I& i) {
    if (i.operands.size() < 2 || i.operands.size() > 3) unknown_form();
    d = p.read(i, i.operands[0]);
    a = i.operands.size() == 3 ? p.read(i, i.operands[1]) : d;
    b = p.read(i, i.operands.back());
  }
  V d, a, b;
};

class Table {
 public:
  Table() {
    // d: the destination before, a and b: the sources.
    arithmetic("add", [](auto, auto a, auto b) { return a + b; });
    arithmetic("sub", [](auto, auto a, auto b) { return a - b; });
    arithmetic("mul", [](auto, auto a, auto b) { return a * b; });
    arithmetic("div", [](auto, auto a, auto b) { return a / b; });
    arithmetic("fmadd132", [](auto d, auto a, auto b) { return std::fma(d, b, a); });
    arithmetic("fmadd213", [](auto d, auto a, auto b) { return std::fma(a, d, b); });
    arithmetic("fmadd231", [](auto d, auto a, auto b) { return std::fma(a, b, d); });
    arithmetic("fmsub132", [](auto d, auto a, auto b) { return std::fma(d, b, -a); });
    arithmetic("fmsub213", [](auto d, auto a, auto b) { return std::fma(a, d, -b); });
    arithmetic("fmsub231", [](auto d, auto a, auto b) { return std::fma(a, b, -d); });
    arithmetic("fnmadd132", [](auto d, auto a, auto b) { return std::fma(-d, b, a); });
    arithmetic("fnmadd213", [](auto d, auto a, auto b) { return std::fma(-a, d, b); });
    arithmetic("fnmadd231", [](auto d, auto a, auto b) { return std::fma(-a, b, d); });

    for (const char* type : {"ps", "pd"}) {
      bits(std::string("and") + type, [](auto a, auto b) { return a & b; });
      bits(std::string("or") + type, [](auto a, auto b) { return a | b; });
      bits(std::string("xor") + type, [](auto a, auto b) { return a ^ b; });
    }
    bits("pand", [](auto a, auto b) { return a & b; });
    bits("pxor", [](auto a, auto b) { return a ^ b; });

    moves();
    comparisons<float, std::uint32_t>("ps", "d", 31);
    comparisons<double, std::uint64_t>("pd", "q", 63);
    shuffles();
    conversions();
    general();
  }

  const Operation* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }

 private:
  template <class T, class F>
  void elements(const std::string& name, bool scalar, F f) {
    // What a scalar instruction leaves alone comes from the first source; fused ones have three sources, and leave the destination alone.
    const bool fused = name.starts_with("f");
    all_[name] = [=](Processor& p, const I& i) {
      const Three x(p, i);
      V r = fused ? x.d : x.a;
      for (int k = 0; k < (scalar ? 1 : i.vector_bytes / static_cast<int>(sizeof(T))); ++k)
        r.set<T>(k, f(x.d.template get<T>(k), x.a.template get<T>(k), x.b.template get<T>(k)));
      p.write(i, r);
    };
  }
  template <class F>
  void arithmetic(const std::string& name, F f) {
    elements<double>(name + "pd", false, f), elements<double>(name + "sd", true, f);
    elements<float>(name + "ps", false, f), elements<float>(name + "ss", true, f);
  }
  template <class F>
  void bits(const std::string& name, F f) {
    elements<std::uint64_t>(name, false, [f](auto, auto a, auto b) { return f(a, b); });
  }

  void moves() {
    const auto whole = [](Processor& p, const I& i) {
      if (i.operands.size() != 2) unknown_form();
      if (i.mask != 0) return some_numbers(p, i);
      const V value = p.read(i, i.operands[1]);
      i.operands[0].kind == MachineOperand::memory ? p.write_memory(i.operands[0], value, i.vector_bytes) : p.write(i, value);
    };
    for (const char* name : {"movups", "movupd", "movaps"}) all_[name] = whole;
    // One number: to memory alone, or with zeros above it to a register.
    const auto one = [](Processor& p, const I& i) {
      if (i.operands.size() != 2 || i.mask != 0) unknown_form();
      const bool stores = i.operands[0].kind == MachineOperand::memory;
      if (!stores && i.operands[1].kind != MachineOperand::memory) unknown_form();
      stores ? p.write_memory(i.operands[0], p.read(i, i.operands[1]), i.operands[0].bytes) : p.write(i, p.read(i, i.operands[1]));
    };
    for (const char* name : {"movss", "movsd"}) all_[name] = one;
    all_["movlps"] = [](Processor& p, const I& i) {
      if (i.operands[0].kind != MachineOperand::memory) unknown_form();
      p.write_memory(i.operands[0], p.read(i, i.operands[1]), 8);
    };
    halves("movhpd", [](const V& a, const V& b) { return std::pair(a.get<double>(0), b.get<double>(0)); });
    all_["movhpd"] = [to_register = all_["movhpd"]](Processor& p, const I& i) {
      if (i.operands[0].kind != MachineOperand::memory) return to_register(p, i);
      V high;
      high.set(0, p.read(i, i.operands[1]).get<double>(1));
      p.write_memory(i.operands[0], high, 8);
    };
    halves("movlhps", [](const V& a, const V& b) { return std::pair(a.get<double>(0), b.get<double>(0)); });
    halves("movhlps", [](const V& a, const V& b) { return std::pair(b.get<double>(1), a.get<double>(1)); });
    broadcast<float>("broadcastss");
    broadcast<double>("broadcastsd");
    insert("insertf128", 16), insert("insertf64x2", 16), insert("insertf64x4", 32);
    all_["zeroupper"] = [](Processor& p, const I&) { p.zero_upper(); };
  }

  /// Doubles under a mask: memory is not touched where it says no.
  static void some_numbers(Processor& p, const I& i) {
    const bool stores = i.operands[0].kind == MachineOperand::memory;
    if (i.name != "movupd" || stores == i.zeroing || i.operands[stores ? 1 : 0].kind != MachineOperand::vector) unknown_form();
    V r = stores ? p.read(i, i.operands[1]) : V();
    for (int k = 0; k < i.vector_bytes / 8; ++k) {
      if ((p.masks[static_cast<std::size_t>(i.mask)] >> k & 1) == 0) continue;
      std::uint8_t* at = p.reach(p.address(i.operands[stores ? 0 : 1]) + 8 * static_cast<std::uint64_t>(k), 8, stores);
      std::uint8_t* own = r.bytes.data() + 8 * k;
      stores ? std::memcpy(at, own, 8) : std::memcpy(own, at, 8);
    }
    if (!stores) p.write(i, r);
  }

  /// Lower and upper half of a register of 16 bytes.
  template <class F>
  void halves(const std::string& name, F f) {
    all_[name] = [f](Processor& p, const I& i) {
      if (i.operands[0].kind != MachineOperand::vector || i.vector_bytes != 16) unknown_form();
      const Three x(p, i);
      const auto [low, high] = f(x.a, x.b);
      V r;
      r.set(0, low), r.set(1, high);
      p.write(i, r);
    };
  }
  template <class T>
  void broadcast(const std::string& name) {
    all_[name] = [](Processor& p, const I& i) {
      const V one = p.read(i, i.operands[1]);
      V r;
      for (int k = 0; k < i.vector_bytes / static_cast<int>(sizeof(T)); ++k) r.set(k, one.get<T>(0));
      p.write(i, r);
    };
  }
  void insert(const std::string& name, int part) {
    all_[name] = [part](Processor& p, const I& i) {
      if (i.operands.size() != 4) unknown_form();
      V r = p.read(i, i.operands[1]);
      const V b = p.read(i, i.operands[2]);
      const auto size = static_cast<std::size_t>(part), parts = static_cast<std::size_t>(i.vector_bytes / part);
      std::memcpy(r.bytes.data() + static_cast<std::size_t>(i.operands[3].value) % parts * size, b.bytes.data(), size);
      p.write(i, r);
    };
  }

  template <class T, class Bits>
  void comparisons(const std::string& type, const std::string& letter, int top) {
    const auto lanes = [](const I& i) { return i.vector_bytes / static_cast<int>(sizeof(T)); };
    const auto negative = [top](const V& x, int k) { return (x.get<Bits>(k) >> top & 1) != 0; };
    // Into all ones or zeros of each element, or into a mask.
    all_["cmp" + type] = [=](Processor& p, const I& i) {
      const MachineOperand& predicate = i.operands.back();
      constexpr std::int64_t kNotLessEqual = 6, kQuiet = 0x10;
      if ((predicate.value & ~kQuiet) != kNotLessEqual || i.mask != 0) unknown_form();
      const V a = p.read(i, i.operands[i.operands.size() == 4 ? 1 : 0]), b = p.read(i, i.operands[i.operands.size() - 2]);
      V r;
      std::uint64_t mask = 0;
      for (int k = 0; k < lanes(i); ++k) {
        const bool yes = !(a.get<T>(k) <= b.get<T>(k));
        r.set<Bits>(k, yes ? static_cast<Bits>(-1) : Bits{0});
        mask |= std::uint64_t{yes} << k;
      }
      if (i.operands[0].kind == MachineOperand::mask)
        p.masks[static_cast<std::size_t>(i.operands[0].index)] = mask;
      else
        p.write(i, r);
    };
    all_["blendv" + type] = [=](Processor& p, const I& i) {
      if (i.operands.size() != 4) unknown_form();
      V r = p.read(i, i.operands[1]);
      const V b = p.read(i, i.operands[2]), which = p.read(i, i.operands[3]);
      for (int k = 0; k < lanes(i); ++k)
        if (negative(which, k)) r.set(k, b.get<Bits>(k));
      p.write(i, r);
    };
    // The mask chooses between the sources: nothing of the destination stays.
    all_["blendm" + type] = [=](Processor& p, const I& i) {
      if (i.mask == 0 || i.zeroing) unknown_form();
      const Three x(p, i);
      V r = x.a;
      for (int k = 0; k < lanes(i); ++k)
        if ((p.masks[static_cast<std::size_t>(i.mask)] >> k & 1) != 0) r.set(k, x.b.get<Bits>(k));
      I all = i;
      all.mask = 0;
      p.write(all, r);
    };
    all_["pmov" + letter + "2m"] = [=](Processor& p, const I& i) {
      const V x = p.read(i, i.operands[1]);
      std::uint64_t mask = 0;
      for (int k = 0; k < lanes(i); ++k) mask |= std::uint64_t{negative(x, k)} << k;
      p.masks[static_cast<std::size_t>(i.operands[0].index)] = mask;
    };
    all_["psll" + letter] = [=](Processor& p, const I& i) {
      const MachineOperand& by = i.operands.back();
      if (by.kind != MachineOperand::number) unknown_form();
      V r = p.read(i, i.operands[i.operands.size() - 2]);
      for (int k = 0; k < lanes(i); ++k) r.set<Bits>(k, by.value > top ? Bits{0} : static_cast<Bits>(r.get<Bits>(k) << by.value));
      p.write(i, r);
    };
  }

  void shuffles() {
    all_["unpcklps"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 16) unknown_form();
      const Three x(p, i);
      V r;
      for (int k = 0; k < 2; ++k) r.set(2 * k, x.a.get<float>(k)), r.set(2 * k + 1, x.b.get<float>(k));
      p.write(i, r);
    };
    for (const int upper : {0, 1})
      all_[upper == 0 ? "unpcklpd" : "unpckhpd"] = [upper](Processor& p, const I& i) {
        const Three x(p, i);
        V r;
        for (int k = 0; k < i.vector_bytes / 8; k += 2) r.set(k, x.a.get<double>(k + upper)), r.set(k + 1, x.b.get<double>(k + upper));
        p.write(i, r);
      };
    // Quarters of a register: two of the first source, then two of the second.
    all_["shuff64x2"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 64 || i.operands.size() != 4 || i.mask != 0) unknown_form();
      const V a = p.read(i, i.operands[1]), b = p.read(i, i.operands[2]);
      V r;
      for (int k = 0; k < 4; ++k)
        for (int half = 0; half < 2; ++half) r.set(2 * k + half, (k < 2 ? a : b).get<double>(2 * static_cast<int>(i.operands[3].value >> 2 * k & 3) + half));
      p.write(i, r);
    };
    all_["movshdup"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 16) unknown_form();
      const V x = p.read(i, i.operands[1]);
      V r;
      for (int k = 0; k < 4; ++k) r.set(k, x.get<float>(k | 1));
      p.write(i, r);
    };
    // One number of memory to the second place; the second of a register to memory.
    all_["insertps"] = [](Processor& p, const I& i) {
      if (i.operands.size() != 4 || i.operands[2].kind != MachineOperand::memory || i.operands[3].value != 0x10) unknown_form();
      V r = p.read(i, i.operands[1]);
      r.set(1, p.read(i, i.operands[2]).get<float>(0));
      p.write(i, r);
    };
    all_["extractps"] = [](Processor& p, const I& i) {
      if (i.operands[0].kind != MachineOperand::memory || i.operands[2].value != 1) unknown_form();
      V one;
      one.set(0, p.read(i, i.operands[1]).get<float>(1));
      p.write_memory(i.operands[0], one, 4);
    };
    halves("movddup", [](const V&, const V& b) { return std::pair(b.get<double>(0), b.get<double>(0)); });
    all_["pshufd"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 16) unknown_form();
      const V x = p.read(i, i.operands[1]);
      V r;
      for (int k = 0; k < 4; ++k) r.set(k, x.get<std::uint32_t>(static_cast<int>(i.operands[2].value >> 2 * k & 3)));
      p.write(i, r);
    };
    elements<std::uint32_t>("pcmpeqd", false, [](auto, auto a, auto b) { return a == b ? ~std::uint32_t{0} : 0; });
  }

  void conversions() {
    all_["cvtps2pd"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 16) unknown_form();
      const V x = p.read(i, i.operands[1]);
      V r;
      for (int k = 0; k < 2; ++k) r.set(k, static_cast<double>(x.get<float>(k)));
      p.write(i, r);
    };
    all_["cvtpd2ps"] = [](Processor& p, const I& i) {
      if (i.vector_bytes != 16) unknown_form();
      const V x = p.read(i, i.operands[1]);
      V r;
      for (int k = 0; k < 2; ++k) r.set(k, static_cast<float>(x.get<double>(k)));
      p.write(i, r);
    };
  }

  // ---- addresses and counts

  template <class F>
  void whole_numbers(const std::string& name, F f) {
    all_[name] = [f](Processor& p, const I& i) {
      const std::uint64_t r = f(p.read_general(i.operands[0]), p.read_general(i.operands.back()));
      p.zero = r == 0;
      p.write_general(i.operands[0], r);
    };
  }

  void general() {
    whole_numbers("add", [](std::uint64_t a, std::uint64_t b) { return a + b; });
    whole_numbers("sub", [](std::uint64_t a, std::uint64_t b) { return a - b; });
    whole_numbers("and", [](std::uint64_t a, std::uint64_t b) { return a & b; });
    whole_numbers("dec", [](std::uint64_t a, std::uint64_t) { return a - 1; });
    all_["mov"] = [](Processor& p, const I& i) { p.write_general(i.operands[0], p.read_general(i.operands[1])); };
    all_["lea"] = [](Processor& p, const I& i) { p.write_general(i.operands[0], p.address(i.operands[1])); };
    // With 0: nothing but a touch of the page.
    all_["or"] = [](Processor& p, const I& i) {
      if (i.operands[0].kind != MachineOperand::memory || i.operands[0].bytes != 8 || i.operands[1].value != 0) unknown_form();
      std::uint64_t value;
      std::memcpy(&value, p.reach(p.address(i.operands[0]), sizeof value, true), sizeof value);
      p.zero = value == 0;
    };
    all_["xchg"] = [](Processor& p, const I& i) {
      const std::uint64_t a = p.read_general(i.operands[0]), b = p.read_general(i.operands[1]);
      p.write_general(i.operands[0], b), p.write_general(i.operands[1], a);
    };
    all_["cmp"] = [](Processor& p, const I& i) { p.zero = p.read_general(i.operands[0]) == p.read_general(i.operands[1]); };
    all_["xor"] = [](Processor& p, const I& i) {  // with itself: zero
      if (i.operands[0].kind != MachineOperand::general || i.operands[0].index != i.operands[1].index) unknown_form();
      p.write_general(i.operands[0], 0);
    };
    all_["movb"] = [](Processor& p, const I& i) {  // kmovb
      if (i.operands[0].kind != MachineOperand::mask || i.operands[1].kind != MachineOperand::general) unknown_form();
      p.masks[static_cast<std::size_t>(i.operands[0].index)] = p.general[static_cast<std::size_t>(i.operands[1].index)] & 0xff;
    };
    all_["push"] = [](Processor& p, const I& i) { p.push(p.read_general(i.operands[0])); };
    all_["pop"] = [](Processor& p, const I& i) { p.write_general(i.operands[0], p.pop()); };
    all_["jnz"] = [](Processor& p, const I& i) {
      if (!p.zero) p.next = static_cast<std::size_t>(i.operands[0].value);
    };
    all_["ret"] = [](Processor& p, const I& i) {
      if (!i.operands.empty()) unknown_form();
      if (p.pop() != Processor::kCaller) throw std::runtime_error("returns to where it was not called from");
      p.next = Processor::kReturned;
    };
  }

  std::map<std::string, Operation> all_;
};

}  // namespace

const Operation* find_operation(const std::string& name) {
  static const Table table;
  return table.find(name);
}

}  // namespace ulna::test
