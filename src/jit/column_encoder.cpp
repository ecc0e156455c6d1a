#include "jit/column_encoder.hpp"

#include <algorithm>
#include <cstddef>

namespace ulna::internal::jit {

using namespace Xbyak::util;
using Xbyak::Zmm;

ColumnEncoder::Registers8 ColumnEncoder::registers() {
  Registers8 x;
  for (int k = 0; k < static_cast<int>(kStates); ++k) x[static_cast<std::size_t>(k)] = kRegisters + k;
  return x;
}

/// Fewer than eight numbers are read and written under a mask.
Xbyak::Opmask ColumnEncoder::set_mask(std::vector<Emit>& all, std::size_t count) {
  if (count == 8) return k0;
  all.emplace_back([this, count] { mov(r12d, (1u << count) - 1); });
  all.emplace_back([this] { kmovb(k2, r12d); });
  return k2;
}

/// a and b become what stands in both at even places, and what stands at odd ones: single numbers, or quarters of a register.
void ColumnEncoder::cross(std::vector<Emit>& all, int& a, int& b, bool quarters) {
  const Zmm x(a), y(b), even(free_);
  all.emplace_back([=, this] { quarters ? vshuff64x2(even, x, y, 0x88) : vunpcklpd(even, x, y); });
  all.emplace_back([=, this] { quarters ? vshuff64x2(y, x, y, 0xdd) : vunpckhpd(y, x, y); });
  std::swap(a, free_);
}

/// Eight rows become eight columns: 24 instructions.
void ColumnEncoder::transpose(std::vector<Emit>& all, Registers8& x) {
  for (std::size_t k = 0; k < 8; k += 2) cross(all, x[k], x[k + 1], false);
  for (std::size_t odd = 0; odd < 2; ++odd) {
    cross(all, x[odd], x[odd + 2], true);
    cross(all, x[odd + 4], x[odd + 6], true);
    cross(all, x[odd], x[odd + 4], true);
    cross(all, x[odd + 2], x[odd + 6], true);
  }
}

std::vector<ColumnEncoder::Emit> ColumnEncoder::read_columns(const std::vector<Signal>& inputs, const Xbyak::Reg64& to) {
  std::vector<Emit> all;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < inputs.size(); begin += inputs[k++].size)
    for (std::size_t first = 0; first < inputs[k].size; first += 8) {
      const std::size_t count = std::min<std::size_t>(8, inputs[k].size - first);
      const Xbyak::Opmask mask = set_mask(all, count);
      Registers8 x = registers();
      free_ = kRegisters + static_cast<int>(kStates);
      all.emplace_back([this, k] { mov(r12, ptr[r15 + (offsetof(Columns, in) + 8 * k)]); });
      for (std::size_t s = 0; s < kStates; ++s) {
        all.emplace_back([this, first, mask, d = Zmm(x[s])] { vmovupd(mask.getIdx() == 0 ? d : d | mask | T_z, ptr[r12 + 8 * first]); });
        if (s + 1 < kStates) all.emplace_back([this, k] { add(r12, ptr[r15 + (offsetof(Columns, stride) + 8 * k)]); });
      }
      transpose(all, x);
      for (std::size_t i = 0; i < count; ++i)
        all.emplace_back([this, to, at = (begin + first + i) * kRowBytes, row = Zmm(x[i])] { vmovupd(ptr[to + at], row); });
    }
  return all;
}

std::vector<ColumnEncoder::Emit> ColumnEncoder::write_columns(const Rows& rows) {
  std::vector<Emit> all;
  for (const Rows::Piece& piece : rows.pieces[0]) {
    const std::uint32_t* of = rows.of.data() + piece.at;
    const bool few = !piece.same && piece.count <= 2;  // go one by one
    const Xbyak::Opmask mask = few ? k0 : set_mask(all, piece.count);
    Registers8 x = registers();
    free_ = kRegisters + static_cast<int>(kStates);
    if (!piece.same && !few) {
      for (std::size_t k = 0; k < kStates; ++k)
        all.emplace_back([this, at = of[k < piece.count ? k : 0] * kRowBytes, d = Zmm(x[k])] { vmovupd(d, ptr[rdx + at]); });
      transpose(all, x);
    }
    all.emplace_back([this, at = piece.at * std::size_t{8}] { lea(r12, ptr[r14 + at]); });
    for (std::size_t s = 0; s < kStates; ++s) {
      if (piece.same) all.emplace_back([this, at = of[0] * kRowBytes + 8 * s, d = Zmm(x[s])] { vbroadcastsd(d, ptr[rdx + at]); });
      if (!few) all.emplace_back([this, mask, column = Zmm(x[s])] { vmovupd(mask.getIdx() == 0 ? ptr[r12] : ptr[r12] | mask, column); });
      for (std::size_t i = 0; few && i < piece.count; ++i) {
        const Xmm one(x[(2 * s + i) % kStates]);
        all.emplace_back([this, one, at = of[i] * kRowBytes + 8 * s] { vmovsd(one, ptr[rdx + at]); });
        all.emplace_back([this, one, i] { vmovsd(ptr[r12 + 8 * i], one); });
      }
      if (s + 1 < kStates) all.emplace_back([this] { add(r12, ptr[r15 + offsetof(Columns, out_stride)]); });
    }
  }
  return all;
}

void ColumnEncoder::next_inputs(std::size_t signals) {
  for (std::size_t k = 0; k < signals; ++k) {
    mov(r12, ptr[r15 + (offsetof(Columns, step) + 8 * k)]);
    add(ptr[r15 + (offsetof(Columns, in) + 8 * k)], r12);
    instructions_ += 2;
  }
}

void ColumnEncoder::inputs_before(std::size_t signals) {
  for (std::size_t k = 0; k < signals; ++k) {
    mov(r12, ptr[r15 + (offsetof(Columns, step) + 8 * k)]);
    sub(ptr[r15 + (offsetof(Columns, in) + 8 * k)], r12);
    instructions_ += 2;
  }
}

void ColumnEncoder::interleave(const std::vector<Emit>& instructions, std::size_t others) {
  interleaved_ = &instructions;
  done_ = 0;
  due_ = 0;
  pace_ = static_cast<double>(instructions.size()) / static_cast<double>(std::max<std::size_t>(others, 1));
  instructions_ += instructions.size();
}

void ColumnEncoder::in_between() {
  if (interleaved_ == nullptr || paused_) return;
  for (due_ += pace_; due_ >= 1 && done_ < interleaved_->size(); due_ -= 1) (*interleaved_)[done_++]();
}

void ColumnEncoder::finish() {
  while (done_ < interleaved_->size()) (*interleaved_)[done_++]();
  interleaved_ = nullptr;
}

}  // namespace ulna::internal::jit
