// Checks of Dynamics, once per call: sizes, both numbers in the message, and the lengths of quaternions.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/views.hpp>

#include "model/unit_quaternion.hpp"
#include "robot/state.hpp"
#include "text/message.hpp"

namespace ulna::internal::robot {

class Checks {
 public:
  template <class State>
  explicit Checks(const State& state)
      : model_(state.model),
        robot_(state.model.name()),
        quaternions_(state.plan.quaternions),
        sizes_(state.plan.sizes()),
        links_(state.plan.links.size()),
        free_(state.plan.free),
        closed_(state.plan.closed()) {}

  void size(std::string_view name, std::size_t got, std::size_t wanted) const {
    if (got == wanted) return;
    if (closed_)
      throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(robot_), ", which has loops, has nq = ", sizes_.nq,
                                      " and nv = ", sizes_.nv, ", its degrees of freedom"));
    if (quaternions_.empty())
      throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(robot_), " has ", wanted, " joints that move"));
    throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(robot_),
                                    free() ? ", whose base is free," : ", which has ball joints,", " has nq = ", sizes_.nq, " and nv = ", sizes_.nv));
  }

  template <class T>
  void configuration(VectorView<const T> q) const {
    size("q", q.size(), sizes_.nq);
    unit(q.data());
  }
  void rates(std::size_t got) const { size("v", got, sizes_.nv); }

  /// Quaternions.
  template <class T>
  void unit(const T* q) const {
    require_unit(model_, quaternions_, q);
  }

  /// A free base moves as the state says.
  template <class T>
  void no_prescribed_base(const EffectsOf<T>& effects) const {
    if (!free()) return;
    const BaseMotionOf<T>& base = effects.base;
    for (const Vec3<T>* x : {&base.angular_velocity, &base.linear_velocity, &base.angular_acceleration, &base.linear_acceleration})
      if (!(*x == Vec3<T>{}))
        throw std::invalid_argument(cat("robot ", in_quotes(robot_), " has a free base, whose motion is in q, v and a; the effects prescribe another one"));
  }

  void link(std::size_t link) const {
    if (link >= links_) throw std::invalid_argument(cat("link index ", link, " is out of range: robot ", in_quotes(robot_), " has ", links_, " links"));
  }

  /// The inputs of a quantity, in the order of its row, and its result: numbers one after the other, or a matrix whose columns follow one another.
  template <class T>
  InputsOf<T> state(const QuantityRow& row, std::initializer_list<VectorView<const T>> inputs, VectorView<T> out) const {
    const std::size_t wanted = row.size(sizes_);
    if (wanted == sizes_.nv) size(row.symbol, out.size(), wanted);
    if (out.size() != wanted)
      throw std::invalid_argument(cat(row.symbol, " has ", out.size(), " numbers, but must have ", wanted, " for robot ", in_quotes(robot_)));
    return apart(row, inputs, out.data(), out.size());
  }
  template <class T>
  InputsOf<T> state(const QuantityRow& row, std::initializer_list<VectorView<const T>> inputs, MatrixView<T> out) const {
    const std::size_t rows = row.rows.of(sizes_), columns = row.columns.of(sizes_);
    if (out.rows() != rows || out.cols() != columns)
      throw std::invalid_argument(
          cat(row.symbol, " is ", out.rows(), " x ", out.cols(), ", but must be ", rows, " x ", columns, " for robot ", in_quotes(robot_)));
    if (out.stride() != rows)
      throw std::invalid_argument(cat(row.symbol, " has ", out.stride(), " numbers from column to column; its columns of ", rows, " must follow one another"));
    return apart(row, inputs, out.data(), rows * columns);
  }

  /// Batches: every matrix has as many columns as the first. `numbers` of a result, where it has not the row's shape.
  template <class T>
  void batch(const QuantityRow& row, std::span<const MatrixView<const T>> inputs, MatrixView<T> out, std::size_t numbers = 0) const {
    if (inputs.size() != row.inputs.size())
      throw std::invalid_argument(cat(row.id, " takes ", row.inputs.size(), " inputs, but ", inputs.size(), " are given"));
    const auto& first = inputs.front();
    const auto shape = [&](std::string_view what, const auto& view, std::size_t wanted) {
      if (view.rows() != wanted)
        throw std::invalid_argument(
            cat(what, " has ", view.rows(), " rows, but must have ", wanted, " for robot ", in_quotes(robot_), ", one state per column"));
      if (view.cols() != first.cols())
        throw std::invalid_argument(cat(what, " has ", view.cols(), " columns, but ", row.inputs[0], " has ", first.cols(), ": one per state"));
      if (view.stride() < view.rows())
        throw std::invalid_argument(cat(what, " has ", view.stride(), " numbers from column to column, but ", view.rows(), " rows"));
    };
    shape(row.symbol, out, numbers > 0 ? numbers : row.size(sizes_));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      shape(row.inputs[k], inputs[k], row.input_size(k, sizes_));
      apart(row.inputs[k], inputs[k].data(), extent(inputs[k]), row.symbol, out.data(), extent(out));
    }
  }

  /// Of a batch of `count` states.
  template <class T>
  void wrenches(const QuantityRow& row, std::span<const WrenchStatesOf<T>> wrenches, std::size_t count, MatrixView<T> out) const {
    if (!row.influences.wrenches && !wrenches.empty()) throw std::invalid_argument(cat(row.id, " does not depend on wrenches"));
    for (const WrenchStatesOf<T>& wrench : wrenches) {
      link(wrench.link);
      const MatrixView<const T>& W = wrench.numbers;
      if (W.rows() != 6) throw std::invalid_argument(cat("a wrench has ", W.rows(), " rows, but must have 6: force and moment, one state per column"));
      if (W.cols() != 1 && W.cols() != count)
        throw std::invalid_argument(cat("a wrench has ", W.cols(), " columns, but ", row.inputs[0], " has ", count, ": one per state, or one for all"));
      if (W.stride() < W.rows()) throw std::invalid_argument(cat("a wrench has ", W.stride(), " numbers from column to column, but ", W.rows(), " rows"));
      apart("a wrench", W.data(), extent(W), row.symbol, out.data(), extent(out));
    }
  }

 private:
  bool free() const { return free_; }

  /// Numbers from the first to the last.
  static std::size_t extent(const auto& view) { return view.cols() == 0 ? 0 : (view.cols() - 1) * view.stride() + view.rows(); }

  /// Refuses results that overlap inputs: results are written while inputs are still read.
  template <class T>
  static void apart(std::string_view in_name, const T* in, std::size_t in_size, std::string_view out_name, const T* out, std::size_t out_size) {
    const std::less<const T*> before;
    if (before(in, out + out_size) && before(out, in + in_size))
      throw std::invalid_argument(cat(out_name, " and ", in_name, " share memory; results need memory of their own"));
  }

  template <class T>
  InputsOf<T> apart(const QuantityRow& row, std::initializer_list<VectorView<const T>> inputs, const T* out, std::size_t out_size) const {
    if (inputs.size() != row.inputs.size())
      throw std::invalid_argument(cat(row.id, " takes ", row.inputs.size(), " inputs, but ", inputs.size(), " are given"));
    const T* data[3] = {};
    std::size_t k = 0;
    for (const VectorView<const T>& input : inputs) {
      size(row.inputs[k], input.size(), row.input_size(k, sizes_));
      apart(row.inputs[k], input.data(), input.size(), row.symbol, out, out_size);
      data[k++] = input.data();
    }
    unit(data[0]);
    return {data[0], data[1], data[2]};
  }

  const Model& model_;
  const std::string& robot_;
  const std::vector<std::size_t>& quaternions_;
  Sizes sizes_;
  std::size_t links_;
  bool free_, closed_;
};

}  // namespace ulna::internal::robot
