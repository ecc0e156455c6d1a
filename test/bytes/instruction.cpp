#include "bytes/instruction.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "text/message.hpp"

namespace ulna::test {

namespace {

struct Zydis {
  Zydis() {
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
  }
  bool decode(std::span<const std::uint8_t> code) { return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(), &instruction, operands)); }

  ZydisDecoder decoder;
  ZydisFormatter formatter;
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/// What best_instruction_set() asks the processor for. Code with AVX has no instructions of SSE, which would be slow beside them.
bool is_in(InstructionSet set, std::string_view isa) {
  if (isa == "I86" || isa == "I386" || isa == "LONGMODE") return true;
  if (set == InstructionSet::sse2) return isa == "SSE" || isa == "SSE2";
  if (isa == "AVX" || isa == "AVX2" || isa == "FMA") return true;
  return set == InstructionSet::avx512 && (isa.starts_with("AVX512F_") || isa.starts_with("AVX512DQ_"));
}

MachineOperand operand_of(const Zydis& zydis, const ZydisDecodedOperand& from, std::size_t end) {
  MachineOperand to;
  to.bytes = from.size / 8;
  to.element = from.element_size / 8;
  const auto number_of = [](ZydisRegister r) { return static_cast<int>(ZydisRegisterGetId(r)); };
  const auto is_general = [](ZydisRegister r) { return ZydisRegisterGetClass(r) == ZYDIS_REGCLASS_GPR64; };
  switch (from.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
      to.index = number_of(from.reg.value);
      switch (ZydisRegisterGetClass(from.reg.value)) {
        case ZYDIS_REGCLASS_GPR32:
        case ZYDIS_REGCLASS_GPR64: to.kind = MachineOperand::general; return to;
        case ZYDIS_REGCLASS_XMM:
        case ZYDIS_REGCLASS_YMM:
        case ZYDIS_REGCLASS_ZMM: to.kind = MachineOperand::vector; return to;
        case ZYDIS_REGCLASS_MASK: to.kind = MachineOperand::mask; return to;
        default: throw std::runtime_error("a register that the interpreter does not know");
      }
    case ZYDIS_OPERAND_TYPE_MEMORY:
      if (!is_general(from.mem.base) || from.mem.index != ZYDIS_REGISTER_NONE) throw std::runtime_error("an address that the interpreter does not know");
      to.kind = MachineOperand::memory;
      to.index = number_of(from.mem.base);
      to.value = from.mem.disp.value;
      to.broadcast = zydis.instruction.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID && zydis.instruction.avx.broadcast.is_static == 0;
      return to;
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      to.kind = from.imm.is_relative != 0 ? MachineOperand::target : MachineOperand::number;
      to.value = from.imm.value.s + (from.imm.is_relative != 0 ? static_cast<std::int64_t>(end) : 0);
      return to;
    default: throw std::runtime_error("an operand that the interpreter does not know");
  }
}

MachineInstruction instruction_of(const Zydis& zydis, std::size_t at, InstructionSet set) {
  const ZydisDecodedInstruction& from = zydis.instruction;
  MachineInstruction to;
  to.name = ZydisMnemonicGetString(from.mnemonic);
  to.at = at;
  to.length = from.length;
  const std::string_view isa = ZydisISASetGetString(from.meta.isa_set);
  if (!is_in(set, isa)) throw std::runtime_error(cat("it is in ", isa, ", which processors with ", to_string(set), " need not have"));
  if (from.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY) {
    to.encoding = from.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? MachineInstruction::evex : MachineInstruction::vex;
    to.name.erase(0, 1);
    to.vector_bytes = from.avx.vector_length / 8;
  }
  constexpr ZydisInstructionAttributes kStrange = ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_SEGMENT_FS |
                                                  ZYDIS_ATTRIB_HAS_SEGMENT_GS | ZYDIS_ATTRIB_HAS_ADDRESSSIZE;
  if ((from.attributes & kStrange) != 0) throw std::runtime_error("a prefix that the interpreter does not know");
  if (from.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID || from.avx.has_sae != 0) throw std::runtime_error("a rounding that the interpreter does not know");
  if (from.avx.mask.mode == ZYDIS_MASK_MODE_MERGING || from.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING || from.avx.mask.mode == ZYDIS_MASK_MODE_CONTROL)
    to.mask = ZydisRegisterGetId(from.avx.mask.reg);
  to.zeroing = from.avx.mask.mode == ZYDIS_MASK_MODE_ZEROING;
  to.opcode_at = at + from.length - 1;
  if ((from.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0) to.opcode_at = at + from.raw.modrm.offset - 1u;
  // The mask stands among the operands of EVEX instructions, but is none.
  for (int k = 0; k < from.operand_count_visible; ++k)
    if (zydis.operands[k].encoding != ZYDIS_OPERAND_ENCODING_MASK) to.operands.push_back(operand_of(zydis, zydis.operands[k], at + from.length));
  to.operation = find_operation(to.name);
  if (to.operation == nullptr) throw std::runtime_error("an instruction that the interpreter does not know");
  return to;
}

}  // namespace

bool MachineInstruction::reads_or_writes_vectors() const {
  return std::any_of(operands.begin(), operands.end(), [](const MachineOperand& operand) { return operand.kind == MachineOperand::vector; });
}

std::string text_of(std::span<const std::uint8_t> code, std::size_t at) {
  Zydis zydis;
  std::string out = cat("byte ", at, ":");
  const bool good = zydis.decode(code.subspan(at));
  for (std::size_t k = at; k < std::min(code.size(), at + (good ? zydis.instruction.length : std::size_t{15})); ++k) {
    char hex[4];
    std::snprintf(hex, sizeof hex, " %02x", static_cast<unsigned>(code[k]));
    out += hex;
  }
  char text[256] = "no instruction";
  if (good)
    ZydisFormatterFormatInstruction(&zydis.formatter, &zydis.instruction, zydis.operands, zydis.instruction.operand_count_visible, text, sizeof text,
                                    ZYDIS_RUNTIME_ADDRESS_NONE, nullptr);
  return out + " " + text;
}

std::vector<MachineInstruction> decode(std::span<const std::uint8_t> code, InstructionSet set) {
  Zydis zydis;
  std::vector<MachineInstruction> all;
  for (std::size_t at = 0; at < code.size(); at += all.back().length) try {
      if (!zydis.decode(code.subspan(at))) throw std::runtime_error("bytes that Zydis cannot decode");
      all.push_back(instruction_of(zydis, at, set));
    } catch (const std::runtime_error& fault) {
      throw std::runtime_error(cat(text_of(code, at), ": ", fault.what()));
    }
  return all;
}

}  // namespace ulna::test
