// Views are made from anything contiguous and from nothing else; the refusals are compile-time facts.
#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Dense>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/views.hpp>

#include "support/cases.hpp"

namespace ulna::test {
namespace {

using In = VectorView<const double>;
using Out = VectorView<double>;
using Matrix = MatrixView<double>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<2>>;
using AnyStride = Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>>;
using RowOfColumnMajor = decltype(std::declval<Eigen::MatrixXd&>().row(0));
using ColumnOfColumnMajor = decltype(std::declval<Eigen::MatrixXd&>().col(0));

// Contiguous numbers of the right type.
static_assert(std::is_convertible_v<std::vector<double>&, Out> && std::is_convertible_v<const std::vector<double>&, In>);
static_assert(std::is_convertible_v<std::array<double, 3>&, Out> && std::is_convertible_v<const std::array<double, 3>&, In>);
static_assert(std::is_convertible_v<std::span<double>, Out> && std::is_convertible_v<std::span<const double>, In>);
static_assert(std::is_convertible_v<Eigen::VectorXd&, Out> && std::is_convertible_v<const Eigen::VectorXd&, In>);
static_assert(std::is_convertible_v<Eigen::Vector3d&, Out> && std::is_convertible_v<Eigen::RowVectorXd&, Out>);
static_assert(std::is_convertible_v<Eigen::Map<Eigen::VectorXd>&, Out> && std::is_convertible_v<Eigen::Map<const Eigen::VectorXd>&, In>);
static_assert(std::is_convertible_v<Eigen::Ref<Eigen::VectorXd>&, Out> && std::is_convertible_v<ColumnOfColumnMajor, Out>);
static_assert(std::is_convertible_v<Eigen::MatrixXd&, Matrix> && std::is_convertible_v<Eigen::Matrix3d&, Matrix>);
static_assert(std::is_convertible_v<Eigen::Map<Eigen::MatrixXd>&, Matrix> && std::is_convertible_v<Eigen::Ref<Eigen::MatrixXd>&, Matrix>);
static_assert(std::is_convertible_v<decltype(std::declval<Eigen::MatrixXd&>().block(0, 0, 2, 2)), Matrix>);

// Strided memory.
static_assert(!std::is_convertible_v<Strided&, Out> && !std::is_constructible_v<Out, Strided&>);
static_assert(!std::is_convertible_v<AnyStride&, Out> && !std::is_constructible_v<Out, AnyStride&>);
static_assert(!std::is_constructible_v<Out, RowOfColumnMajor> && !std::is_constructible_v<In, RowOfColumnMajor>);
// The wrong shape or order.
static_assert(!std::is_constructible_v<Out, Eigen::MatrixXd&> && !std::is_constructible_v<In, const Eigen::MatrixXd&>);
static_assert(!std::is_constructible_v<Matrix, RowMajor&>);
static_assert(!std::is_constructible_v<Matrix, std::vector<double>&>);
// The wrong number type, or reading turned into writing.
static_assert(!std::is_constructible_v<In, std::vector<float>&> && !std::is_constructible_v<Out, std::vector<int>&>);
static_assert(!std::is_constructible_v<Out, const std::vector<double>&> && !std::is_constructible_v<Out, const Eigen::VectorXd&>);
static_assert(!std::is_constructible_v<Matrix, const Eigen::MatrixXd&> && !std::is_constructible_v<MatrixView<float>, Eigen::MatrixXd&>);
// Results in an object that is gone after the call. Views of another object may be temporaries themselves, and inputs may.
static_assert(!std::is_constructible_v<Out, std::vector<double>> && !std::is_constructible_v<Out, std::array<double, 3>>);
static_assert(!std::is_constructible_v<Out, Eigen::VectorXd> && !std::is_constructible_v<Out, Eigen::Vector3d>);
static_assert(!std::is_constructible_v<Matrix, Eigen::MatrixXd> && !std::is_constructible_v<Matrix, Eigen::Matrix3d>);
static_assert(std::is_convertible_v<Eigen::Map<Eigen::VectorXd>, Out> && std::is_convertible_v<Eigen::Ref<Eigen::VectorXd>, Out>);
static_assert(std::is_convertible_v<Eigen::Map<Eigen::MatrixXd>, Matrix> && std::is_convertible_v<Eigen::Ref<Eigen::MatrixXd>, Matrix>);
static_assert(std::is_convertible_v<std::vector<double>, In> && std::is_convertible_v<Eigen::VectorXd, In>);
static_assert(std::is_convertible_v<Eigen::MatrixXd, MatrixView<const double>>);

// Wrenches are kept by the caller while effects with them are used.
using Wrenches = decltype(Effects::wrenches);
template <class E>
concept TakesBraces = requires(Wrench wrench) {
  E{.wrenches = {wrench}};
};
static_assert(std::is_convertible_v<std::vector<Wrench>&, Wrenches> && std::is_convertible_v<const std::array<Wrench, 2>&, Wrenches>);
static_assert(std::is_convertible_v<std::span<const Wrench>, Wrenches> && std::is_convertible_v<std::span<Wrench>, Wrenches>);
static_assert(!std::is_constructible_v<Wrenches, std::vector<Wrench>> && !std::is_constructible_v<Wrenches, std::array<Wrench, 2>>);
static_assert(!std::is_constructible_v<Wrenches, std::initializer_list<Wrench>> && !TakesBraces<Effects>);

TEST(Views, EveryContainerGivesTheSameNumbers) {
  const Model model = random_model(5, {.fewest = 4, .most = 4});
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  Random random(5);
  const State s = random_state(model, random);
  const std::vector<double> wanted = inverse_of(plan, s);
  const Eigen::Map<const Eigen::Vector4d> q(s.q.data()), v(s.v.data()), a(s.a.data());

  std::array<double, 4> q_array{}, tau_array{};
  std::copy(s.q.begin(), s.q.end(), q_array.begin());
  inverse_dynamics(plan, ws, q_array, s.v, s.a, tau_array);
  EXPECT_EQ(std::vector<double>(tau_array.begin(), tau_array.end()), wanted);

  const Eigen::VectorXd q_eigen = q, v_eigen = v;
  Eigen::VectorXd tau_eigen(4);
  inverse_dynamics(plan, ws, q_eigen, v_eigen, a, tau_eigen);
  EXPECT_EQ(std::vector<double>(tau_eigen.begin(), tau_eigen.end()), wanted);

  Eigen::MatrixXd columns(4, 3);
  columns << q, v, a;
  Eigen::MatrixXd results = Eigen::MatrixXd::Zero(4, 2);
  inverse_dynamics(plan, ws, columns.col(0), columns.col(1), columns.col(2), results.col(1));
  EXPECT_EQ(std::vector<double>(results.col(1).begin(), results.col(1).end()), wanted);
  EXPECT_EQ(results.col(0), Eigen::Vector4d::Zero());

  std::vector<double> tau(4);
  inverse_dynamics(plan, ws, std::span<const double>(s.q), std::span<const double>(s.v), std::span<const double>(s.a), std::span<double>(tau));
  EXPECT_EQ(tau, wanted);
}

TEST(Views, MatricesKeepTheirStride) {
  Eigen::MatrixXd big = Eigen::MatrixXd::Zero(5, 5);
  auto block = big.block(1, 2, 2, 3);
  const MatrixView<double> view(block);
  EXPECT_EQ(view.rows(), 2u);
  EXPECT_EQ(view.cols(), 3u);
  EXPECT_EQ(view.stride(), 5u);
  view(1, 2) = 7;
  EXPECT_EQ(big(2, 4), 7);
}

}  // namespace
}  // namespace ulna::test
