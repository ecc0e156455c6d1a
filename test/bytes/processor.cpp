#include "bytes/processor.hpp"

#include <stdexcept>

#include "jit/kernel.hpp"
#include "text/message.hpp"

namespace ulna::test {

namespace {

constexpr std::size_t kStackBytes = jit::kMostFrameBytes + 4096;
constexpr std::uint64_t kPage = 4096;

/// rbx, rsp, rbp, r12 to r15 belong to the caller.
constexpr int kCallersOwn[] = {3, 4, 5, 12, 13, 14, 15};

}  // namespace

// Whatever is read before it is written is NaN, as floats and as doubles.
Processor::Processor() {
  for (Vector512& vector : vectors) vector.bytes.fill(0xff);
  for (std::size_t k = 0; k < general.size(); ++k) general[k] = 0xdeadbeef00000000 + k;
  masks.fill(0x5555555555555555);
  general[rsp] = add_memory("stack", std::vector<std::uint8_t>(kStackBytes, 0xff), 16, true) + kStackBytes;
}

std::uint64_t Processor::add_memory(std::string name, std::vector<std::uint8_t> bytes, std::size_t offset, bool writable) {
  constexpr std::uint64_t kApart = std::uint64_t{1} << 32;
  regions_.push_back({std::move(name), (regions_.size() + 1) * kApart + offset, std::move(bytes), writable});
  return regions_.back().begin;
}

const std::vector<std::uint8_t>& Processor::memory(const std::string& name) const {
  for (const Region& region : regions_)
    if (region.name == name) return region.bytes;
  throw std::logic_error("there is no memory " + name);
}

std::uint8_t* Processor::reach(std::uint64_t address, std::size_t bytes, bool write) {
  for (Region& region : regions_) {
    if (address < region.begin || address >= region.begin + region.bytes.size()) continue;
    const std::size_t at = address - region.begin;
    if (bytes > region.bytes.size() - at)
      throw std::runtime_error(cat("reaches beyond the end of ", region.name, " by ", at + bytes - region.bytes.size(), " byte(s)"));
    if (write && !region.writable) throw std::runtime_error(cat("writes to ", region.name));
    if (region.name == "stack" && address < general[rsp]) throw std::runtime_error("reaches below the stack pointer");
    return region.bytes.data() + at;
  }
  throw std::runtime_error(cat("reaches address ", address, ", where nothing is"));
}

void Processor::push(std::uint64_t value) {
  general[rsp] -= 8;
  std::memcpy(reach(general[rsp], 8, true), &value, 8);
}

std::uint64_t Processor::pop() {
  std::uint64_t value;
  std::memcpy(&value, reach(general[rsp], 8, false), 8);
  general[rsp] += 8;
  return value;
}

Vector512 Processor::read(const MachineInstruction& instruction, const MachineOperand& operand) {
  if (operand.kind == MachineOperand::vector) return vectors[static_cast<std::size_t>(operand.index)];
  if (operand.kind != MachineOperand::memory) throw std::runtime_error("an operand that the interpreter does not know");
  const std::uint64_t from = address(operand);
  const auto bytes = static_cast<std::size_t>(operand.broadcast ? operand.element : operand.bytes);
  // Instructions without VEX take whole registers from 16-byte boundaries only, unless they say otherwise.
  const bool aligned = instruction.name == "movaps" || instruction.name == "movapd" ||
                       (instruction.encoding == MachineInstruction::legacy && bytes == 16 && !instruction.name.starts_with("movu"));
  if (aligned && from % bytes != 0) throw std::runtime_error(cat("reads ", bytes, " bytes across a boundary of as many"));
  Vector512 value;
  const std::uint8_t* memory = reach(from, bytes, false);
  for (std::size_t at = 0; at < (operand.broadcast ? value.bytes.size() : bytes); at += bytes) std::memcpy(value.bytes.data() + at, memory, bytes);
  return value;
}

void Processor::write(const MachineInstruction& instruction, const Vector512& result) {
  const MachineOperand& to = instruction.operands.front();
  if (to.kind != MachineOperand::vector) throw std::runtime_error("a result that the interpreter does not know");
  Vector512& old = vectors[static_cast<std::size_t>(to.index)];
  const auto width = static_cast<std::size_t>(instruction.vector_bytes), element = static_cast<std::size_t>(to.element);
  for (std::size_t at = 0; at < old.bytes.size(); ++at) {
    if (at >= width) {
      if (instruction.encoding != MachineInstruction::legacy) old.bytes[at] = 0;
    } else if (instruction.mask == 0 || (masks[static_cast<std::size_t>(instruction.mask)] >> at / element & 1) != 0) {
      old.bytes[at] = result.bytes[at];
    } else if (instruction.zeroing) {
      old.bytes[at] = 0;
    }
  }
  upper_in_use_ = upper_in_use_ || (width > 16 && to.index < 16);
}

std::uint64_t Processor::read_general(const MachineOperand& operand) {
  if (operand.kind == MachineOperand::memory && operand.bytes == 8) {
    std::uint64_t value;
    std::memcpy(&value, reach(address(operand), sizeof value, false), sizeof value);
    return value;
  }
  if (operand.kind == MachineOperand::number) return static_cast<std::uint64_t>(operand.value);
  if (operand.kind != MachineOperand::general || operand.bytes != 8) throw std::runtime_error("an operand that the interpreter does not know");
  return general[static_cast<std::size_t>(operand.index)];
}

void Processor::write_general(const MachineOperand& operand, std::uint64_t value) {
  if (operand.kind == MachineOperand::memory && operand.bytes == 8) {
    std::memcpy(reach(address(operand), sizeof value, true), &value, sizeof value);
    return;
  }
  if (operand.kind != MachineOperand::general) throw std::runtime_error("a result that the interpreter does not know");
  const auto to = static_cast<std::size_t>(operand.index);
  // A guard page lies below the stack, and is noticed only when it is touched.
  if (to == rsp && value < general[rsp] && general[rsp] - value > kPage) throw std::runtime_error("moves the stack by more than a page");
  general[to] = operand.bytes == 4 ? static_cast<std::uint32_t>(value) : value;
}

void Processor::write_memory(const MachineOperand& operand, const Vector512& value, int bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(reach(address(operand), size, true), value.bytes.data(), size);
}

void Processor::zero_upper() {
  for (std::size_t r = 0; r < 16; ++r) std::memset(vectors[r].bytes.data() + 16, 0, 48);
  upper_in_use_ = false;
}

void Processor::step(const MachineInstruction& instruction) {
  if (upper_in_use_ && instruction.encoding == MachineInstruction::legacy && instruction.reads_or_writes_vectors())
    throw std::runtime_error("an instruction of SSE while upper halves of registers are in use");
  next = instruction.at + instruction.length;
  (*instruction.operation)(*this, instruction);
  if (next != kReturned) return;
  if (upper_in_use_) throw std::runtime_error("returns with the upper halves of registers in use");
}

void Processor::call(std::span<const std::uint8_t> code, const std::vector<MachineInstruction>& instructions, std::span<const std::uint64_t> arguments) {
  constexpr std::size_t kArguments[] = {7, 6, 2, 1, 8, 9};  // rdi, rsi, rdx, rcx, r8, r9
  for (std::size_t k = 0; k < arguments.size(); ++k) general[kArguments[k]] = arguments[k];
  const std::array<std::uint64_t, 16> before = general;
  push(kCaller);
  std::vector<const MachineInstruction*> starts(code.size() + 1, nullptr);
  for (const MachineInstruction& instruction : instructions) starts[instruction.at] = &instruction;
  const std::size_t most = 1000 * (instructions.size() + 1);
  std::size_t done = 0;
  for (next = 0; next != kReturned;) {
    const MachineInstruction* instruction = next < code.size() ? starts[next] : nullptr;
    if (instruction == nullptr) throw std::runtime_error(cat("goes to byte ", next, ", where no instruction begins"));
    try {
      if (++done > most) throw std::runtime_error("does not come to an end");
      step(*instruction);
    } catch (const std::runtime_error& fault) {
      throw std::runtime_error(cat(text_of(code, instruction->at), ": ", fault.what()));
    }
  }
  for (const int own : kCallersOwn)
    if (general[static_cast<std::size_t>(own)] != before[static_cast<std::size_t>(own)])
      throw std::runtime_error(cat("returns with register ", own, " changed"));
}

}  // namespace ulna::test
