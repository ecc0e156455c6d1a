// Size checks of Dynamics: once per call, both numbers in the message.
#pragma once

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include <ulna/views.hpp>

#include "robot/state.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna::jit {

class Checks {
 public:
  template <class State>
  explicit Checks(const State& state) : robot_(state.model.name()), n_(state.plan.nv), links_(state.plan.links.size()) {}

  template <class V>
  struct Named {
    const char* name;
    V view;
  };

  void size(const char* name, std::size_t got) const {
    if (got != n_) throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(robot_), " has ", n_, " joints that move"));
  }

  void link(std::size_t link) const {
    if (link >= links_)
      throw std::invalid_argument(cat("link index ", link, " is out of range: robot ", in_quotes(robot_), " has ", links_, " links"));
  }

  template <class T>
  void vectors(std::initializer_list<Named<VectorView<const T>>> inputs, const char* name, VectorView<T> out) const {
    size(name, out.size());
    for (const auto& in : inputs) {
      size(in.name, in.view.size());
      apart(in.name, in.view.data(), in.view.size(), name, out.data(), out.size());
    }
  }

  /// rows x nv.
  template <class T>
  void matrix(VectorView<const T> q, const char* name, MatrixView<T> M, std::size_t rows) const {
    size("q", q.size());
    if (M.rows() != rows || M.cols() != n_)
      throw std::invalid_argument(cat(name, " is ", M.rows(), " x ", M.cols(), ", but must be ", rows, " x ", n_, " for robot ", in_quotes(robot_)));
    if (M.stride() != rows)
      throw std::invalid_argument(cat(name, " has ", M.stride(), " numbers from column to column; its columns of ", rows, " must follow one another"));
    apart("q", q.data(), q.size(), name, M.data(), M.rows() * M.cols());
  }

  /// Batches: every matrix has as many columns as the first.
  template <class T>
  void batch(std::initializer_list<Named<MatrixView<const T>>> inputs, const char* name, MatrixView<T> out, std::size_t rows) const {
    const auto& first = *inputs.begin();
    const auto shape = [&](const char* what, const auto& view, std::size_t wanted) {
      if (view.rows() != wanted)
        throw std::invalid_argument(
            cat(what, " has ", view.rows(), " rows, but must have ", wanted, " for robot ", in_quotes(robot_), ", one state per column"));
      if (view.cols() != first.view.cols())
        throw std::invalid_argument(cat(what, " has ", view.cols(), " columns, but ", first.name, " has ", first.view.cols(), ": one per state"));
      if (view.stride() < view.rows())
        throw std::invalid_argument(cat(what, " has ", view.stride(), " numbers from column to column, but ", view.rows(), " rows"));
    };
    const auto extent = [](const auto& view) { return view.cols() == 0 ? 0 : (view.cols() - 1) * view.stride() + view.rows(); };
    shape(name, out, rows);
    for (const auto& in : inputs) {
      shape(in.name, in.view, n_);
      apart(in.name, in.view.data(), extent(in.view), name, out.data(), extent(out));
    }
  }

 private:
  /// Results are written while inputs are still read.
  template <class T>
  static void apart(const char* in_name, const T* in, std::size_t in_size, const char* out_name, const T* out, std::size_t out_size) {
    const std::less<const T*> before;
    if (before(in, out + out_size) && before(out, in + in_size))
      throw std::invalid_argument(cat(out_name, " and ", in_name, " share memory; results need memory of their own"));
  }

  const std::string& robot_;
  std::size_t n_;
  std::size_t links_;
};

}  // namespace ulna::jit
