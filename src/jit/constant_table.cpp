#include <bit>
#include <cstring>
#include <limits>

#include "jit/kernel.hpp"
#include "jit/layout.hpp"
#include "jit/sincos.hpp"

namespace ulna::internal::jit {

namespace {

/// Bits of the entry, for the type that sine and cosine are computed in.
template <class T, class Bits>
Bits sincos_constant(int k, const T* P) {
  using N = SinCosNumbers<T>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto bits = [](T x) { return std::bit_cast<Bits>(x); };
  if (k >= C1) return bits(N::C[k - C1]);
  if (k >= S1) return bits(N::S[k - S1]);
  switch (k) {
    case abs_mask: return static_cast<Bits>(~kSign);
    case sign_mask: return kSign;
    case one_bit: return 1;
    case largest: return bits(static_cast<T>(kLargestAngle));
    case not_a_number: return bits(std::numeric_limits<T>::quiet_NaN());
    case two_over_pi: return bits(N::two_over_pi);
    case magic: return bits(N::magic);
    case one: return bits(T(1));
    case minus_half: return bits(T(-0.5));
    default: return bits(P[k - P1]);
  }
}

}  // namespace

ConstantTable::ConstantTable(const Program& program, const Form& form, std::span<const double> parameters, std::span<const ConstantPair> pairs) {
  const Evaluation evaluation(program, parameters);
  blocks_.resize((pairs_begin(form, evaluation.fixed().size()) + pairs.size() * kPairBytes) / sizeof(Block) + 1);
  const bool doubles = !form.single || form.set == InstructionSet::sse2;  // without fused multiplication, floats are reduced as doubles
  for (int k = 0; k < sincos_constants; ++k) {
    const std::size_t size = sincos_stride(form), at = static_cast<std::size_t>(k) * size;
    if (doubles)
      fill(at, size, sincos_constant<double, std::uint64_t>(k, form.has_fma() ? SinCosNumbers<double>::P : SinCosNumbers<double>::short_P));
    else
      fill(at, size, sincos_constant<float, std::uint32_t>(k, SinCosNumbers<float>::P));
  }
  set(form, evaluation.fixed(), constant_places(program), pairs);
}

template <class T>
void ConstantTable::fill(std::size_t at, std::size_t size, T x) {
  for (std::size_t k = 0; k < size; k += sizeof x) std::memcpy(blocks_.front().bytes + at + k, &x, sizeof x);
}

void ConstantTable::set(const Form& form, std::span<const double> fixed, std::span<const std::uint32_t> places, std::span<const ConstantPair> pairs) {
  const std::size_t stride = constant_stride(form);
  for (std::size_t k = 0; k < fixed.size(); ++k) {
    if (places[k] == kNoValue) continue;
    const std::size_t at = constants_begin(form) + places[k] * stride;
    if (form.single)
      fill(at, stride, static_cast<float>(fixed[k]));
    else
      fill(at, stride, fixed[k]);
  }
  std::byte* to = blocks_.front().bytes + pairs_begin(form, fixed.size());
  for (const ConstantPair& pair : pairs) {
    const double first = fixed[pair.first], second = pair.negative ? -fixed[pair.second] : fixed[pair.second];
    const double pair_of_doubles[] = {first, second};
    const float pair_of_floats[] = {static_cast<float>(first), static_cast<float>(second), 0, 0};
    std::memcpy(to, form.single ? static_cast<const void*>(pair_of_floats) : pair_of_doubles, kPairBytes);
    to += kPairBytes;
  }
}

void ConstantTable::set_lane(const Program& program, const Form& form, std::size_t lane, std::span<const double> parameters) {
  const Evaluation evaluation(program, parameters);
  const std::span<const double> fixed = evaluation.fixed();
  const std::vector<std::uint32_t> places = constant_places(program);
  std::byte* bytes = blocks_.front().bytes + constants_begin(form) + lane * form.real_bytes();
  for (std::size_t k = 0; k < fixed.size(); ++k) {
    if (places[k] == kNoValue) continue;
    const float single = static_cast<float>(fixed[k]);
    std::byte* at = bytes + places[k] * constant_stride(form);
    form.single ? std::memcpy(at, &single, sizeof single) : std::memcpy(at, &fixed[k], sizeof fixed[k]);
  }
}

}  // namespace ulna::internal::jit
