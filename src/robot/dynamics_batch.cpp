// Many states in one call.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "dynamics/joint-inl.hpp"

#include "robot/call.hpp"
#include "robot/checks.hpp"
#include "robot/mass_form.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// States per task: large enough that scheduling costs little, small enough that all threads end together.
constexpr std::size_t kStatesPerPiece = 512;

/// Blocks that a kernel is called with: enough that calls cost little, few enough that waiting for memory and computing overlap.
constexpr std::size_t kBlocksInOneGo = 4;

/// M of one state, of which some entries are kept.
template <class T, class State>
void mass_in_form(const State& state, const InputsOf<T>& in, MassForm form, T* out) noexcept {
  const std::size_t n = state.plan.sizes().nv;
  const auto keep = [&](T* M) {
    robot::call<T>(state, Quantity::mass, in, M);
    for (const auto& [row, column] : state.mass->entries[form == MassForm::packed ? 0 : 1]) *out++ = M[row + column * n];
  };
  if (n * n * sizeof(T) <= kStackScratch) {
    T M[kStackScratch / sizeof(T)];
    return keep(M);
  }
  const std::unique_ptr<T[]> M(new (std::nothrow) T[n * n]);
  if (M != nullptr) return keep(M.get());
  std::fill_n(out, state.mass->entries[form == MassForm::packed ? 0 : 1].size(), std::numeric_limits<T>::quiet_NaN());
}

/// A wrench of a batch, and the kernels that make torques of it; null where there is none.
template <class T>
struct BatchWrench {
  std::size_t link = 0;
  Axes axes = Axes::link;
  const T* data = nullptr;
  std::size_t stride = 0;  // 0 for the same in all states
  const jit::Kernel *pose = nullptr, *jacobian = nullptr;
};

/// torques += Jᵀ w in lanes side by side. `X` is the link's pose where w is in its axes, else null. A wrench that is not finite makes all of its state NaN.
template <class T>
void add_wrench(const T* J, const T* X, const T* wrench, std::size_t n, std::size_t width, T* torques) {
  for (std::size_t l = 0; l < width; ++l) {
    T w[6], bad = 0;  // moment, then force, in the world's axes, as the rows of J
    for (std::size_t i = 0; i < 6; ++i) bad += T(0) * wrench[i * width + l];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto along = [&](std::size_t first) {
        const auto entry = [&](std::size_t j) { return wrench[(first + j) * width + l]; };
        if (X == nullptr) return entry(i);
        const auto R = [&](std::size_t j) { return X[(3 * i + j) * width + l]; };
        return R(0) * entry(0) + R(1) * entry(1) + R(2) * entry(2);
      };
      w[i] = along(3);
      w[3 + i] = along(0);
    }
    for (std::size_t k = 0; k < n; ++k) {
      T sum = bad;
      for (std::size_t i = 0; i < 6; ++i) sum += J[(6 * k + i) * width + l] * w[i];
      torques[k * width + l] += sum;
    }
  }
}

/// One batch: where its states lie, and what is done with them.
template <class T, class State>
struct Batch {
  struct Input {
    const T* data = nullptr;
    std::size_t stride = 0;
    std::size_t size = 0;  // numbers per state
  };
  const State& state;
  Quantity quantity;
  std::size_t link;
  std::array<Input, 3> in;
  std::size_t inputs;  // how many of them
  T* out;
  std::size_t out_stride;
  std::size_t out_size;             // numbers per state
  std::size_t count;                // states
  const jit::Rows* form = nullptr;  // of the inertia matrix; null for the full one
  const MassForm mass_form = MassForm::full;
  std::span<const BatchWrench<T>> wrenches{};
  mutable std::atomic<std::size_t> no_unit = kNone;  // the first state whose quaternion is off unit length

  std::size_t n() const { return state.plan.sizes().nv; }
  bool templates_rub() const { return has_friction() && (state.plan.closed() || state.plan.loaded); }
  bool has_friction() const { return state.friction && row_of(quantity).influences.friction; }

  void run() const {
    const std::size_t pieces = (count + kStatesPerPiece - 1) / kStatesPerPiece;
    const auto job = [](void* context, std::size_t k) noexcept {
      const Batch& batch = *static_cast<const Batch*>(context);
      batch.piece(k * kStatesPerPiece, std::min((k + 1) * kStatesPerPiece, batch.count));
    };
    state.pool->run(pieces, job, const_cast<Batch*>(this));
    if (no_unit != kNone)
      require_unit(state.model, state.plan.quaternions, in[0].data + no_unit * in[0].stride, cat("state ", no_unit + 1, " of ", count, ": "));
  }

  /// Runs while the states are being prefetched.
  void check_quaternions(std::size_t from, std::size_t to) const noexcept {
    bool suspect = false;  // by squares, in T, with room for its rounding
    for (const std::size_t at : state.plan.quaternions)
      for (std::size_t k = from; k < to; ++k) {
        const T* q = in[0].data + k * in[0].stride + at;
        suspect |= std::fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - T(1)) > T(1.5 * kUnitQuaternion);
      }
    std::size_t s = suspect ? from : to;
    const auto off = [this](const T* q) {
      return std::any_of(state.plan.quaternions.begin(), state.plan.quaternions.end(), [q](std::size_t at) { return is_no_unit(quaternion_length(q + at)); });
    };
    while (s < to && !off(in[0].data + s * in[0].stride)) ++s;
    if (s == to) return;
    for (std::size_t first = no_unit; s < first && !no_unit.compare_exchange_weak(first, s);) {
    }
  }

  void piece(std::size_t from, std::size_t to) const noexcept {
    check_quaternions(from, to);
    if (!wrenches.empty()) return has_wrench_kernels() ? with_wrenches(from, to) : with_wrenches_by_templates(from, to);
    const std::size_t width = state.width;
    const jit::Kernel& kernel = state.kernel(quantity, link);
    std::size_t taken = 0;  // numbers per state
    for (std::size_t k = 0; k < inputs; ++k) taken += in[k].size;
    const jit::Rows* rows = form != nullptr ? form : has_friction() ? nullptr : kernel.rows;
    const jit::KernelFunction function = rows != nullptr && kernel.once != nullptr ? kernel.once : kernel.lanes;
    const std::size_t written = rows != nullptr ? rows->count : out_size;  // numbers per state
    const std::size_t block = (taken + written) * width * sizeof(T);
    if (kernel.lanes == nullptr || templates_rub()) return sequentially(from, to);
    if (kernel.columns != nullptr && form == nullptr && !has_friction()) {
      from = whole_blocks(kernel, from, to);
      if (from == to) return;
    }
    // Blocks that exceed the stack's share are allocated, once for all states of the task, but not on one thread, where batches serve control loops, too:
    // there, and where allocation fails, states are computed sequentially.
    std::unique_ptr<T[]> more;
    const std::size_t blocks = std::clamp(kStackScratch / std::max(block, std::size_t{1}), std::size_t{1}, kBlocksInOneGo);
    T* results = nullptr;  // behind the inputs
    if (block <= jit::kMostFrameBytes) {
      results = static_cast<T*>(jit::touched(__builtin_alloca_with_align(blocks * block, jit::kScratchBits), blocks * block));
    } else {
      if (state.pool->threads() > 1) more.reset(new (std::nothrow) T[block / sizeof(T)]);
      if (more == nullptr) return sequentially(from, to);
      results = more.get();
    }
    T* lanes[3] = {nullptr, nullptr, nullptr};
    for (std::size_t k = 0; k < inputs; ++k) lanes[k] = results, results += blocks * in[k].size * width;
    const jit::Scatter<T> scatter = out_size == n() ? state.transpose.scatter : jit::transpose_for<T>(state.set(), out_size).scatter;
    const jit::ScatterRows<T> scatter_rows = jit::scatter_rows_for<T>(state.set());
    for (std::size_t s = from; s < to; s += blocks * width) {
      const std::size_t states = std::min(blocks * width, to - s), used = (states + width - 1) / width;
      for (std::size_t k = 0; k < inputs; ++k)
        (k == 0 ? state.transpose_q : state.transpose).gather(in[k].data + s * in[k].stride, in[k].stride, in[k].size, states, lanes[k]);
      const auto friction = [&](T sign, T* torques) {
        for (std::size_t b = 0; b < used; ++b) kernel::add_friction(state.plan, lanes[1] + b * n() * width, sign, torques + b * n() * width, width);
      };
      const QuantityRow& row = row_of(quantity);
      if (has_friction() && row.takes("tau")) friction(-1, lanes[2]);
      function(lanes[0], lanes[1], lanes[2], results, kernel.lanes_constants, used);
      if (rows != nullptr) {
        scatter_rows(results, *rows, states, out + s * out_stride, out_stride);
        continue;
      }
      if (has_friction() && !row.parts.empty())
        for (std::size_t b = 0; b < used; ++b)
          kernel::add_friction_derivatives(state.plan, quantity, lanes[1] + b * n() * width, results + b * out_size * width, width);
      else if (has_friction() && !row.takes("tau"))
        friction(1, results);
      scatter(results, out_size, states, out + s * out_stride, out_stride);
    }
  }

  /// Numbers of a block with wrenches: inputs, generalised forces, the result, a Jacobian, a pose and a wrench.
  std::size_t wrench_block() const {
    std::size_t numbers = n() + out_size + 6 * n() + 12 + 6;
    for (std::size_t k = 0; k < inputs; ++k) numbers += in[k].size;
    return numbers * state.width;
  }

  bool has_wrench_kernels() const {
    const auto runs = [](const jit::Kernel* kernel) { return kernel != nullptr && kernel->lanes != nullptr; };
    for (const BatchWrench<T>& wrench : wrenches)
      if (!runs(wrench.jacobian) || (wrench.axes == Axes::link && !runs(wrench.pose))) return false;
    // Derivatives contain those of the Jacobian; friction of dependent joints needs the templates, too.
    return row_of(quantity).parts.empty() && runs(&state.kernel(quantity)) && !templates_rub() && wrench_block() * sizeof(T) <= kStackScratch;
  }

  /// tau = inverse(q, v, a) - Jᵀ w, and so the bias; a = forward(q, v, tau + Jᵀ w).
  void with_wrenches(std::size_t from, std::size_t to) const noexcept {
    alignas(64) std::byte buffer[kStackScratch];
    const std::size_t width = state.width;
    const QuantityRow& row = row_of(quantity);
    const jit::Kernel& kernel = state.kernel(quantity);
    T* lanes[3] = {nullptr, nullptr, nullptr};
    T* next = reinterpret_cast<T*>(buffer);
    const auto room = [&](std::size_t numbers) { return std::exchange(next, next + numbers * width); };
    for (std::size_t k = 0; k < inputs; ++k) lanes[k] = room(in[k].size);
    T *results = room(out_size), *forces = room(n()), *J = room(6 * n()), *X = room(12), *w = room(6);
    const auto gather_six = jit::transpose_for<T>(state.set(), 6).gather;
    for (std::size_t s = from; s < to; s += width) {
      const std::size_t states = std::min(width, to - s);
      for (std::size_t k = 0; k < inputs; ++k)
        (k == 0 ? state.transpose_q : state.transpose).gather(in[k].data + s * in[k].stride, in[k].stride, in[k].size, states, lanes[k]);
      std::fill_n(forces, n() * width, T(0));
      for (const BatchWrench<T>& wrench : wrenches) {
        if (wrench.stride == 0)
          for (std::size_t i = 0; i < 6; ++i) std::fill_n(w + i * width, width, wrench.data[i]);
        else
          gather_six(wrench.data + s * wrench.stride, wrench.stride, 6, states, w);
        wrench.jacobian->lanes(lanes[0], nullptr, nullptr, J, wrench.jacobian->lanes_constants, 1);
        const bool in_link = wrench.axes == Axes::link;
        if (in_link) wrench.pose->lanes(lanes[0], nullptr, nullptr, X, wrench.pose->lanes_constants, 1);
        add_wrench(J, in_link ? X : nullptr, w, n(), width, forces);
      }
      const bool forward = row.takes("tau");
      if (forward)
        for (std::size_t k = 0; k < n() * width; ++k) lanes[2][k] += forces[k];
      if (forward && has_friction()) kernel::add_friction(state.plan, lanes[1], T(-1), lanes[2], width);
      kernel.lanes(lanes[0], lanes[1], lanes[2], results, kernel.lanes_constants, 1);
      if (!forward && has_friction()) kernel::add_friction(state.plan, lanes[1], T(1), results, width);
      if (!forward)
        for (std::size_t k = 0; k < n() * width; ++k) results[k] -= forces[k];
      state.transpose.scatter(results, out_size, states, out + s * out_stride, out_stride);
    }
  }

  void with_wrenches_by_templates(std::size_t from, std::size_t to) const noexcept {
    constexpr std::size_t kFew = 16;
    WrenchOf<T> few[kFew];
    const std::unique_ptr<WrenchOf<T>[]> many(wrenches.size() > kFew ? new (std::nothrow) WrenchOf<T>[wrenches.size()] : nullptr);
    WrenchOf<T>* acting = wrenches.size() > kFew ? many.get() : few;
    EffectsOf<T> effects = robot::effects_of<T>(state.options);
    for (std::size_t s = from; s < to; ++s) {
      const auto input = [&](std::size_t k) { return k < inputs ? in[k].data + s * in[k].stride : nullptr; };
      if (acting == nullptr) {
        std::fill_n(out + s * out_stride, out_size, std::numeric_limits<T>::quiet_NaN());
        continue;
      }
      for (std::size_t k = 0; k < wrenches.size(); ++k) {
        const T* x = wrenches[k].data + s * wrenches[k].stride;
        acting[k] = {wrenches[k].link, wrenches[k].axes, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      }
      effects.wrenches = {acting, wrenches.size()};
      robot::by_templates<T>(state.plan, effects, quantity, {input(0), input(1), input(2)}, out + s * out_stride);
    }
  }

  /// By the kernel that takes columns; the first state that is left.
  std::size_t whole_blocks(const jit::Kernel& kernel, std::size_t from, std::size_t to) const noexcept {
    const std::size_t blocks = (to - from) / state.width;
    if (blocks == 0) return from;
    jit::Columns call;
    for (std::size_t k = 0; k < inputs; ++k) call.set_input(k, in[k].data + from * in[k].stride, in[k].stride * sizeof(T), state.width);
    call.set_output(out + from * out_stride, out_stride * sizeof(T), state.width);
    kernel.columns(&call, nullptr, nullptr, nullptr, kernel.lanes_constants, blocks);
    return from + blocks * state.width;
  }

  /// By the templates; or, where there is no room for a block of states, by the kernel for one of them.
  void sequentially(std::size_t from, std::size_t to) const noexcept {
    const jit::Kernel& kernel = state.kernel(quantity, link);
    for (std::size_t s = from; s < to; ++s) {
      const auto input = [&](std::size_t k) { return k < inputs ? in[k].data + s * in[k].stride : nullptr; };
      T* to_state = out + s * out_stride;
      if (mass_form != MassForm::full)
        mass_in_form(state, {input(0)}, mass_form, to_state);
      else if (kernel.one == nullptr || has_friction())
        robot::by_templates<T>(state.plan, robot::effects_of<T>(state.options), quantity, {input(0), input(1), input(2), link}, to_state);
      else
        kernel.one(input(0), input(1), input(2), to_state, kernel.one_constants, 1);
    }
  }
};

}  // namespace

template <class T>
void DynamicsOf<T>::compute_batch(Quantity quantity, std::span<const States> inputs, Results out, std::size_t link) const {
  const QuantityRow& row = row_of(quantity);
  const robot::Checks check(*state_);
  if (row.of_link) check.link(link);
  check.batch<T>(row, inputs, out);
  Batch<T, State> batch{*state_, quantity, row.of_link ? link : kNone, {}, 0, out.data(), out.stride(), out.rows(), out.cols()};
  for (const States& in : inputs) batch.in[batch.inputs++] = {in.data(), in.stride(), in.rows()};
  batch.run();
}

template <class T>
void DynamicsOf<T>::compute_batch(Quantity quantity, std::span<const States> inputs, Results out, std::span<const WrenchStatesOf<T>> wrenches) const {
  const QuantityRow& row = row_of(quantity);
  const robot::Checks check(*state_);
  check.wrenches<T>(row, wrenches, out.cols(), out);
  if (wrenches.empty() || out.cols() == 0) return compute_batch(quantity, inputs, out);
  check.batch<T>(row, inputs, out);
  std::vector<BatchWrench<T>> acting;
  for (const WrenchStatesOf<T>& wrench : wrenches) {
    const auto& kernels = state_->kernels_for_wrench(wrench.link);
    const auto kernel = [&](Quantity of_link) { return &kernels[static_cast<std::size_t>(of_link)]; };
    acting.push_back({wrench.link, wrench.axes, wrench.numbers.data(), wrench.numbers.cols() == 1 ? 0 : wrench.numbers.stride(), kernel(Quantity::pose),
                      kernel(Quantity::jacobian)});
  }
  Batch<T, State> batch{.state = *state_,
                        .quantity = quantity,
                        .link = kNone,
                        .in = {},
                        .inputs = 0,
                        .out = out.data(),
                        .out_stride = out.stride(),
                        .out_size = out.rows(),
                        .count = out.cols(),
                        .wrenches = acting};
  for (const States& in : inputs) batch.in[batch.inputs++] = {in.data(), in.stride(), in.rows()};
  batch.run();
}

template <class T>
void DynamicsOf<T>::compute_lanes(Quantity quantity, const InputsOf<T>& given, T* out, std::size_t blocks) const noexcept {
  const State& state = *state_;
  const QuantityRow& row = row_of(quantity);
  const std::size_t width = state.width, n = state.plan.sizes().nv, out_size = row.size(state.plan.sizes());
  const T* in[3] = {given.q, given.v, given.last};
  const std::size_t inputs = row.inputs.size();
  const bool friction = state.friction && row.influences.friction;
  const jit::Kernel kernel = friction && (state.plan.closed() || state.plan.loaded) ? jit::Kernel{} : state.kernel(quantity, given.link);
  alignas(64) std::byte buffer[kStackScratch];
  T* scratch = reinterpret_cast<T*>(buffer);
  const auto add_derivatives = [&](std::size_t b) {
    kernel::add_friction_derivatives(state.plan, quantity, in[1] + b * n * width, out + b * out_size * width, width);
  };
  if (kernel.lanes != nullptr && blocks > 0 && (!friction || !row.takes("tau"))) {
    kernel.lanes(in[0], in[1], in[2], out, kernel.lanes_constants, blocks);
    for (std::size_t b = 0; friction && b < blocks; ++b)
      if (row.parts.empty())
        kernel::add_friction(state.plan, in[1] + b * n * width, T(1), out + b * out_size * width, width);
      else
        add_derivatives(b);
    return;
  }
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto size = [&](std::size_t k) { return row.input_size(k, state.plan.sizes()); };
    const auto input = [&](std::size_t k) { return k < inputs ? in[k] + b * size(k) * width : nullptr; };
    T* result = out + b * out_size * width;
    if (kernel.lanes != nullptr && n * width * sizeof(T) <= kStackScratch) {
      for (std::size_t k = 0; k < n * width; ++k) scratch[k] = input(2)[k];
      kernel::add_friction(state.plan, input(1), T(-1), scratch, width);
      kernel.lanes(input(0), input(1), scratch, result, kernel.lanes_constants, 1);
      if (!row.parts.empty()) add_derivatives(b);
      continue;
    }
    // The templates compute states sequentially.
    std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer);
    std::size_t starts[4] = {0, 0, 0, 0};  // of the inputs, then of the result
    for (std::size_t k = 0; k < inputs; ++k) std::fill(starts + k + 1, starts + 4, starts[k] + size(k));
    std::pmr::vector<T> numbers(starts[3] + out_size, &memory);
    for (std::size_t l = 0; l < width; ++l) {
      for (std::size_t k = 0; k < inputs; ++k)
        for (std::size_t i = 0; i < size(k); ++i) numbers[starts[k] + i] = input(k)[i * width + l];
      T* at = numbers.data();
      robot::by_templates<T>(state.plan, robot::effects_of<T>(state.options), quantity, {at, at + starts[1], at + starts[2], given.link}, at + starts[3]);
      for (std::size_t i = 0; i < out_size; ++i) result[i * width + l] = numbers[starts[3] + i];
    }
  }
}

template <class T>
std::vector<std::pair<std::size_t, std::size_t>> DynamicsOf<T>::mass_entries(MassForm form) const {
  return robot::mass_entries(state_->plan.mass_parents(), form);
}

template <class T>
void DynamicsOf<T>::mass(In q, MassForm form, Out M) const {
  mass_batch({q.data(), q.size(), 1}, form, {M.data(), M.size(), 1});
}

template <class T>
void DynamicsOf<T>::mass_batch(States q, MassForm form, Results M) const {
  if (form == MassForm::full) return mass_batch(q, M);
  const robot::Checks check(*state_);
  const std::size_t which = form == MassForm::packed ? 0 : 1;
  check.batch<T>(row_of(Quantity::mass), {&q, 1}, M, state_->mass->entries[which].size());
  Batch<T, State> batch{*state_, Quantity::mass, kNone, {}, 1, M.data(), M.stride(), M.rows(), M.cols(), &state_->mass->rows[which], form};
  batch.in[0] = {q.data(), q.stride(), q.rows()};
  if (M.cols() != 1) return batch.run();
  check.unit(q.data());
  batch.sequentially(0, 1);
}

#define ULNA_INSTANTIATE(T)                                                                                                         \
  template std::vector<std::pair<std::size_t, std::size_t>> DynamicsOf<T>::mass_entries(MassForm) const;                            \
  template void DynamicsOf<T>::mass(In, MassForm, Out) const;                                                                       \
  template void DynamicsOf<T>::mass_batch(States, MassForm, Results) const;                                                         \
  template void DynamicsOf<T>::compute_batch(Quantity, std::span<const States>, Results, std::size_t) const;                        \
  template void DynamicsOf<T>::compute_batch(Quantity, std::span<const States>, Results, std::span<const WrenchStatesOf<T>>) const; \
  template void DynamicsOf<T>::compute_lanes(Quantity, const InputsOf<T>&, T*, std::size_t) const noexcept;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)
#undef ULNA_INSTANTIATE

}  // namespace ULNA_API
