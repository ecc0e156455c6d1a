// The loops of TreeSolve for one instruction set: included once for each, with ULNA_TARGET and a namespace of its own. Every function must have the target.

/// As many numbers as a register has, at any address.
template <class T, std::size_t W>
struct Register {
  typedef T Type __attribute__((vector_size(W * sizeof(T)), aligned(sizeof(T)), may_alias));
};
template <class T, std::size_t W>
using RegisterOf = typename Register<T, W>::Type;

template <class V, class T>
ULNA_TARGET inline __attribute__((always_inline)) V& at(T* numbers) {
  return *reinterpret_cast<V*>(numbers);
}

/// Number k of the matrix: one for all columns, or, with kLanes, one for each lane. In a register: else it is read from memory for each column.
template <class V, bool kLanes, class T>
ULNA_TARGET inline __attribute__((always_inline)) V term(const T* numbers, std::size_t k) {
  V number;
  if constexpr (kLanes)
    number = at<const V>(numbers + k * (sizeof(V) / sizeof(T)));
  else
    number = numbers[k] - V{};
  ULNA_KEEP(number);
  return number;
}

/// Of a tile of M rows, C registers of columns at a time: solves its own triangle, and takes what follows off the rows before it.
template <class T, std::size_t W, bool kLanes, std::size_t C, std::size_t M>
ULNA_TARGET inline __attribute__((always_inline)) void down(const std::uint16_t* code, const T* numbers, T* const (&b)[C], std::size_t step) {
  using V = RegisterOf<T, W>;
  const T* terms = numbers + code[2] * (kLanes ? W : 1);
  const std::size_t count = code[3];
  V y[M][C];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < M; ++r)
#pragma GCC unroll 3
    for (std::size_t k = 0; k < C; ++k) y[r][k] = at<const V>(b[k] + (code[0] + r) * step);
  if constexpr (M > 1) {
#pragma GCC unroll 8
    for (std::size_t r = 1; r < M; ++r)
#pragma GCC unroll 8
      for (std::size_t below = 0; below < r; ++below) {  // row M - r - 1 less those beyond it, the last one first
        const std::size_t s = M - r - 1, from = M - 1 - below;
        const V number = term<V, kLanes>(terms, M * count + s * M - s * (s + 1) / 2 + from - s - 1);
#pragma GCC unroll 3
        for (std::size_t k = 0; k < C; ++k) y[s][k] -= number * y[from][k];
      }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < M; ++r)
#pragma GCC unroll 3
      for (std::size_t k = 0; k < C; ++k) at<V>(b[k] + (code[0] + r) * step) = y[r][k];
  }
  for (std::size_t i = 0; i < count; ++i) {
    V sum[C];
#pragma GCC unroll 3
    for (std::size_t k = 0; k < C; ++k) sum[k] = at<const V>(b[k] + code[4 + i] * step);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < M; ++r) {
      const V number = term<V, kLanes>(terms, i * M + r);
#pragma GCC unroll 3
      for (std::size_t k = 0; k < C; ++k) sum[k] -= number * y[r][k];
    }
#pragma GCC unroll 3
    for (std::size_t k = 0; k < C; ++k) at<V>(b[k] + code[4 + i] * step) = sum[k];
  }
}

template <class T, std::size_t W, bool kLanes, std::size_t C, std::size_t M>
ULNA_TARGET inline __attribute__((always_inline)) void up(const std::uint16_t* code, const T* numbers, const T* zero, const T* const (&b)[C], std::size_t step,
                                                          T* const (&x)[C], std::size_t first) {
  using V = RegisterOf<T, W>;
  const T* terms = numbers + code[3] * (kLanes ? W : 1);
  const std::size_t count = code[4];
  V sum[M][C];
  if (code[0] == 0) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < M; ++r)
#pragma GCC unroll 3
      for (std::size_t k = 0; k < C; ++k) sum[r][k] = term<V, kLanes>(zero, 0);
  } else {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < M; ++r) {
      const V pivot = term<V, kLanes>(numbers, code[2] + r);
#pragma GCC unroll 3
      for (std::size_t k = 0; k < C; ++k) sum[r][k] = pivot * at<const V>(b[k] + (code[0] - 1 + r) * step);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    V before[C];
#pragma GCC unroll 3
    for (std::size_t k = 0; k < C; ++k) before[k] = at<const V>(x[k] + code[5 + i] * W);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < M; ++r) {
      const V number = term<V, kLanes>(terms, i * M + r);
#pragma GCC unroll 3
      for (std::size_t k = 0; k < C; ++k) sum[r][k] -= number * before[k];
    }
  }
  if (M > 1 && code[0] != 0) {
#pragma GCC unroll 8
    for (std::size_t s = 0; s < M; ++s)
#pragma GCC unroll 8
      for (std::size_t r = s + 1; r < M; ++r) {
        const V number = term<V, kLanes>(terms, M * count + s * M - s * (s + 1) / 2 + r - s - 1);
#pragma GCC unroll 3
        for (std::size_t k = 0; k < C; ++k) sum[r][k] -= number * sum[s][k];
      }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < M; ++r)
#pragma GCC unroll 3
    for (std::size_t k = 0; k < C; ++k) at<V>(x[k] + (first + r) * W) = sum[r][k];
}

#define ULNA_EACH_ROWS(of)                 \
  switch (code[1]) {                       \
    case 1: of(1); break;                  \
    case 2: of(2); break;                  \
    case 3: of(3); break;                  \
    case 4: of(4); break;                  \
    default:                               \
      if constexpr (W * sizeof(T) == 64) { \
        if (code[1] == 5) of(5);           \
        if (code[1] == 6) of(6);           \
        if (code[1] == 7) of(7);           \
        if (code[1] == 8) of(8);           \
      }                                    \
  }

/// Right-hand sides lie `step` apart, row by row, and are overwritten; solutions stand row by row in x.
template <class T, std::size_t W, bool kLanes, std::size_t C>
ULNA_TARGET inline __attribute__((noinline)) void solve_columns(const TreeSolve& solve, const TreeSolve::Class& c, bool inverse, const T* numbers,
                                                                T* const (&b)[C], std::size_t step, T* const (&x)[C]) {
  const std::uint16_t* code = c.down.data() + (inverse ? c.inverse : 0);
  for (const std::uint16_t* tips = c.down.data() + c.down.size(); code != tips; code += 4 + code[3]) {
#define ULNA_DOWN(M) down<T, W, kLanes, C, M>(code, numbers, b, step)
    ULNA_EACH_ROWS(ULNA_DOWN)
#undef ULNA_DOWN
  }
  const T* zero = numbers + (solve.given() - 1 - solve.first_number()) * (kLanes ? W : 1);
  code = c.up.data();
  const T* const(&from)[C] = reinterpret_cast<const T* const(&)[C]>(b);
  const std::uint16_t* const end = code + (inverse ? c.inverse_end : c.up.size());
  for (std::size_t row = 0; code != end; row += code[1], code += 5 + code[4]) {
#define ULNA_UP(M) up<T, W, kLanes, C, M>(code, numbers, zero, from, step, x, row)
    ULNA_EACH_ROWS(ULNA_UP)
#undef ULNA_UP
  }
}
#undef ULNA_EACH_ROWS

// ---- a block of states, one in each lane

template <class T, std::size_t W, std::size_t C>
ULNA_TARGET inline __attribute__((always_inline)) void solve_lanes(const TreeSolve& solve, const TreeSolve::Class& c, T* given, T* out, std::size_t column) {
  const std::size_t n = solve.n(), width = solve.width(), m = c.joints.size();
  T *b[C], *x[C];
  for (std::size_t k = 0; k < C; ++k) {
    const std::size_t l = column + k;
    b[k] = given + (c.first + l / width * c.rows * width + l % width) * W;
    x[k] = out + (c.joints[l % m] + (l < m ? 0 : n)) * n * W;
  }
  solve_columns<T, W, true, C>(solve, c, false, given + solve.first_number() * W, b, width * W, x);
}

/// Of M⁻¹, by right-hand sides -1.
template <class T, std::size_t W, std::size_t C>
ULNA_TARGET inline __attribute__((always_inline)) void invert_lanes(const TreeSolve& solve, const TreeSolve::Class& c, T* given, T* out, std::size_t column) {
  using V = RegisterOf<T, W>;
  const std::size_t n = solve.n();
  T *b[C], *x[C];
  for (std::size_t k = 0; k < C; ++k) {
    b[k] = given + k * c.rows * W;  // where ∂tau of the first classes was
    x[k] = out + (c.joints[column + k] + 2 * n) * n * W;
    for (std::size_t row = 0; row < c.rows; ++row) at<V>(b[k] + row * W) = V{};
    at<V>(b[k] + c.place[c.joints[column + k]] * W) = V{} - T(1);
  }
  solve_columns<T, W, true, C>(solve, c, true, given + solve.first_number() * W, b, W, x);
}

template <class T, std::size_t W>
ULNA_TARGET void lanes(const TreeSolve& solve, T* given, T* out) {
  for (const TreeSolve::Class& c : solve.classes()) {
    const std::size_t columns = 2 * c.joints.size();
    std::size_t k = 0;
    for (; k + 3 <= columns; k += 3) solve_lanes<T, W, 3>(solve, c, given, out, k);
    for (; k < columns; ++k) solve_lanes<T, W, 1>(solve, c, given, out, k);
  }
  for (const TreeSolve::Class& c : solve.classes()) {
    const std::size_t columns = c.joints.size();
    std::size_t k = 0;
    for (; k + 3 <= columns; k += 3) invert_lanes<T, W, 3>(solve, c, given, out, k);
    for (; k < columns; ++k) invert_lanes<T, W, 1>(solve, c, given, out, k);
  }
  const std::size_t n = solve.n();
  for (const TreeSolve::Class& c : solve.classes())
    for (const std::size_t j : c.joints)
      for (std::size_t i = c.inverse_rows; i < n; ++i)
        at<RegisterOf<T, W>>(out + (i + (2 * n + j) * n) * W) = at<const RegisterOf<T, W>>(out + (j + (2 * n + i) * n) * W);
}

// ---- one state, whose columns lie side by side

/// Rows of columns that lie side by side become columns, one after the other at `to`.
template <class T, std::size_t W>
ULNA_TARGET inline __attribute__((always_inline)) void write_columns(const T* x, std::size_t n, T* const* to, std::size_t columns) {
  if constexpr (sizeof(T) == 8) {
    if (n >= W) {
      for (std::size_t i = 0;; i = i + 2 * W <= n ? i + W : n - W) {
        write_square(x + i * W, to, i, columns);
        if (i + W == n) return;
      }
    }
  }
  for (std::size_t k = 0; k < columns; ++k)
    for (std::size_t i = 0; i < n; ++i) to[k][i] = x[i * W + k];
}

template <class T, std::size_t W, std::size_t C>
ULNA_TARGET inline __attribute__((always_inline)) void solve_chunks(const TreeSolve& solve, const TreeSolve::Class& c, const T* numbers, T* first, T* x, T* out,
                                                                    std::size_t column, std::size_t columns, std::size_t parts) {
  const std::size_t n = solve.n(), m = c.joints.size();
  T *b[C], *xs[C];
  for (std::size_t k = 0; k < C; ++k) b[k] = first + k * c.rows * W, xs[k] = x + k * n * W;
  solve_columns<T, W, false, C>(solve, c, parts == 2, numbers, b, W, xs);
  for (std::size_t k = 0; k < C; ++k, column += W) {
    T* to[W] = {};
    const std::size_t count = columns - column < W ? columns - column : W;
    for (std::size_t l = 0; l < count; ++l) to[l] = out + (c.joints[(column + l) % m] + (column + l < m ? parts : parts + 1) * n) * n;
    write_columns<T, W>(xs[k], parts == 2 ? c.inverse_rows : n, to, count);
  }
}

template <class T, std::size_t W>
ULNA_TARGET void one(const TreeSolve& solve, T* given, T* out) {
  using V = RegisterOf<T, W>;
  const T* numbers = given + solve.first_number();
  T* x = given + (solve.given() + W - 1) / W * W;
  for (const TreeSolve::Class& c : solve.classes()) {
    const std::size_t columns = 2 * c.joints.size(), chunks = (columns + W - 1) / W;
    std::size_t k = 0;
    T* first = given + c.first;
    for (; k + 2 <= chunks; k += 2, first += 2 * c.rows * W) solve_chunks<T, W, 2>(solve, c, numbers, first, x, out, k * W, columns, 0);
    if (k < chunks) solve_chunks<T, W, 1>(solve, c, numbers, first, x, out, k * W, columns, 0);
  }
  for (const TreeSolve::Class& c : solve.classes()) {
    const std::size_t columns = c.joints.size();
    for (std::size_t k = 0; k < columns; k += W) {
      for (std::size_t row = 0; row < c.rows; ++row) at<V>(given + row * W) = V{};
      for (std::size_t l = 0; l < W && k + l < columns; ++l) given[c.place[c.joints[k + l]] * W + l] = T(-1);
      solve_chunks<T, W, 1>(solve, c, numbers, given, x, out, k, columns, 2);
    }
  }
  const std::size_t n = solve.n();
  for (const TreeSolve::Class& c : solve.classes())
    for (const std::size_t j : c.joints)
      for (std::size_t i = c.inverse_rows; i < n; ++i) out[i + (2 * n + j) * n] = out[j + (2 * n + i) * n];
}
