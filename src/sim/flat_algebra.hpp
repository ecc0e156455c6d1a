// Odeint's arithmetic on std::vector<double>, as plain loops that a compiler can turn into vector instructions. Its own goes by iterators, which keeps gcc from
// doing so. Number by number the operations are the same.
#pragma once

#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::sim {

struct FlatAlgebra {
  // `op` works on one number of each. The results may be one of the operands, number by number, which is all that "ivdep" has to know.
#if defined(__clang__)
#define ULNA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define ULNA_INDEPENDENT _Pragma("GCC ivdep")
#endif
  template <class A, class B, class Op>
  static void for_each2(A& a, B& b, Op op) {
    run(a.size(), op, a.data(), b.data());
  }
  template <class A, class B, class C, class Op>
  static void for_each3(A& a, B& b, C& c, Op op) {
    run(a.size(), op, a.data(), b.data(), c.data());
  }
  template <class A, class B, class C, class D, class Op>
  static void for_each4(A& a, B& b, C& c, D& d, Op op) {
    run(a.size(), op, a.data(), b.data(), c.data(), d.data());
  }
  template <class A, class B, class C, class D, class E, class Op>
  static void for_each5(A& a, B& b, C& c, D& d, E& e, Op op) {
    run(a.size(), op, a.data(), b.data(), c.data(), d.data(), e.data());
  }
  template <class A, class B, class C, class D, class E, class F, class Op>
  static void for_each6(A& a, B& b, C& c, D& d, E& e, F& f, Op op) {
    run(a.size(), op, a.data(), b.data(), c.data(), d.data(), e.data(), f.data());
  }

 private:
  template <class Op, class... Numbers>
  static void run(std::size_t size, Op op, Numbers*... x) {
    ULNA_INDEPENDENT
    for (std::size_t i = 0; i < size; ++i) op(x[i]...);
  }
#undef ULNA_INDEPENDENT
};

}  // namespace ulna::internal::sim
