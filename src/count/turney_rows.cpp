#include "count/turney_rows.hpp"

#include <algorithm>

#include "formulation/mat4.hpp"
#include "formulation/modified_newton_euler.hpp"

#include "formulation/counting.hpp"

namespace ulna::internal {

namespace {

using Vector = Vec3<Counted>;
using Matrix = Mat3<Counted>;

/// Rows in the order of their first line.
class Ledger {
 public:
  /// Runs one line of a row.
  template <class Line>
  auto operator()(std::string_view row, Line line) {
    decltype(line()) result{};
    const OperationCounts counts = operations_of([&] { result = line(); });
    auto at = std::find_if(rows_.begin(), rows_.end(), [&](const CountedRow& r) { return r.name == row; });
    if (at == rows_.end()) at = rows_.insert(rows_.end(), {row, {}});
    at->counts = sum(at->counts, counts);
    return result;
  }
  /// So that a row without operations is there, too.
  void declare(std::string_view row) { rows_.push_back({row, {}}); }
  std::vector<CountedRow> rows() const { return rows_; }

 private:
  std::vector<CountedRow> rows_;
};

Counted some() { return Counted::variable(0.3); }
Vector some_vector() { return {some(), some(), some()}; }
Matrix some_matrix() { return {some(), some(), some(), some(), some(), some(), some(), some(), some()}; }
Mat4<Counted> some_matrix4() {
  Mat4<Counted> m;
  for (auto& row : m.e) row.fill(some());
  return m;
}

/// What both Newton-Euler tables begin with. In frame i-1 the axis of joint i is (0, 0, 1).
Matrix motion_rows(Ledger& ledger) {
  const Matrix R = some_matrix();
  const Vector before = some_vector(), alpha_before = some_vector();
  const Counted v = some(), acceleration = some();
  const Vector omega = ledger("omega", [&] { return tmul(R, Vector{before.x, before.y, before.z + v}); });
  const Vector alpha = ledger("alpha", [&] {
    return tmul(R, Vector{alpha_before.x + before.y * v, alpha_before.y - before.x * v, alpha_before.z + acceleration});
  });
  return ledger("A", [&] { return turney::acceleration_operator(omega, alpha); });
}

/// What both end with, for one link: r x R f, R n, the sum of moments that begins with `moment`, and tau.
void moment_rows(Ledger& ledger, bool last, const Vector& moment, const Vector& lever) {
  const Matrix R = some_matrix();
  const Vector z{Counted(0), some(), some()}, nothing{Counted(0), Counted(0), Counted(0)};
  Vector r_x_f = nothing, R_n = nothing;
  if (!last) {
    r_x_f = ledger("r x R f", [&] { return cross(some_vector(), some_vector()); });
    R_n = ledger("R n", [&] { return R * some_vector(); });
  }
  const Vector n = ledger("add n", [&] { return moment + lever + r_x_f + R_n; });
  ledger("tau", [&] { return dot(z, n); });
}

}  // namespace

std::vector<CountedRow> lagrange_rows(std::size_t n) {
  Ledger ledger;
  for (const std::string_view row : {"T", "dT", "d2T", "kinetic", "trace", "gravity"}) ledger.declare(row);
  const auto product = [] { return some_matrix4() * some_matrix4(); };
  const auto trace_product = [] {  // the diagonal of X Yᵗ
    Counted sum(0);
    const Mat4<Counted> X = some_matrix4(), Y = some_matrix4();
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c) sum = sum + X(r, c) * Y(r, c);
    return sum;
  };
  for (std::size_t length = 2; length <= n; ++length)
    for (std::size_t r = 0; r + length <= n; ++r) ledger("T", product);
  for (std::size_t q = 1; q <= n; ++q)
    for (std::size_t j = 2; j <= q; ++j) ledger("dT", product);  // a factor Q costs nothing, and j = 1 has no other
  for (std::size_t q = 1; q <= n; ++q)
    for (std::size_t k = 1; k <= q; ++k)
      for (std::size_t j = 2; j <= k; ++j) ledger("d2T", product);
  for (std::size_t q = 1; q <= n; ++q)
    ledger("kinetic", [&] {
      Mat4<Counted> S = Mat4<Counted>::zero();
      for (std::size_t j = 1; j <= q; ++j) S = S + some() * some_matrix4();
      for (std::size_t k = 1; k <= q; ++k)
        for (std::size_t j = 1; j <= k; ++j) S = S + (some() * some()) * some_matrix4();  // doubling a mixed pair is not counted
      return S * some_matrix4();
    });
  for (std::size_t i = 1; i <= n; ++i) {
    Counted kinetic(0), weight(0);
    for (std::size_t q = i; q <= n; ++q) {
      kinetic = ledger("trace", [&] { return kinetic + trace_product(); });
      weight = ledger("gravity", [&] { return weight + dot(Vec4<Counted>{some_matrix4().e[2]}, Vec4<Counted>{some_matrix4().e[0]}); });
    }
  }
  return ledger.rows();
}

std::vector<CountedRow> newton_euler_rows(std::size_t n) {
  Ledger ledger;
  for (const std::string_view row :
       {"omega", "alpha", "A", "a", "abar", "f", "I alpha", "omega x I omega", "m (r + rbar) x abar", "r x R f", "R n", "add n", "tau"})
    ledger.declare(row);
  for (std::size_t i = 1; i <= n; ++i) {
    const bool last = i == n;
    const Matrix R = some_matrix(), A = motion_rows(ledger);
    const Sym3<Counted> I{some(), some(), some(), some(), some(), some()};
    const Vector a = ledger("a", [&] { return A * some_vector() + tmul(R, some_vector()); });
    const Vector abar = ledger("abar", [&] { return A * some_vector() + a; });
    const Vector m_abar = ledger("f", [&] { return some() * abar; });
    if (!last) ledger("f", [&] { return m_abar + R * some_vector(); });
    const Vector I_alpha = ledger("I alpha", [&] { return I * some_vector(); });
    const Vector gyroscopic = ledger("omega x I omega", [&] { return cross(some_vector(), I * some_vector()); });
    const Vector lever = ledger("m (r + rbar) x abar", [&] { return cross(some_vector(), m_abar); });
    const Vector moment = ledger("add n", [&] { return I_alpha + gyroscopic; });
    moment_rows(ledger, last, moment, lever);
  }
  return ledger.rows();
}

std::vector<CountedRow> modified_newton_euler_rows(std::size_t n) {
  Ledger ledger;
  for (const std::string_view row : {"omega", "alpha", "A", "a", "m abar", "f", "Tr A K sigma", "m (r + rbar) x abar", "r x R f", "R n", "add n", "tau"})
    ledger.declare(row);
  for (std::size_t i = 1; i <= n; ++i) {
    const bool last = i == n;
    const Matrix R = some_matrix(), A = motion_rows(ledger);
    const Sym3<Counted> K{some(), some(), some(), Counted(0), Counted(0), Counted(0)};  // principal axes
    const Vector Ra = ledger("a", [&] { return tmul(R, some_vector()); });
    ledger("a", [&] { return A * some_vector() + Ra; });
    const Vector m_abar = ledger("m abar", [&] { return some() * (A * some_vector() + Ra); });
    if (!last) ledger("f", [&] { return m_abar + R * some_vector(); });
    const Vector moment = ledger("Tr A K sigma", [&] { return turney::moment(A, K); });
    const Vector lever = ledger("m (r + rbar) x abar", [&] { return cross(some_vector(), m_abar); });
    moment_rows(ledger, last, moment, lever);
  }
  return ledger.rows();
}

}  // namespace ulna::internal
