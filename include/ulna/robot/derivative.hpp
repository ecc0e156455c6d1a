// Derivatives of any quantity, by differentiating its expressions: for quantities without a derivative kernel of their own.
//
//   const ulna::Derivative d(ulna::load("panda"), {.of = ulna::Quantity::gravity, .by = "q"});            // ∂gravity/∂q
//   const ulna::Derivative jx(model, {.of = ulna::Quantity::jacobian, .by = "q", .product = ulna::Product::times, .link = hand});   // x = v: dJ/dt
//   d({q}, {}, result);
//
// By an input of the quantity ("q", "v", "a", "tau"; q in the tangents of its coordinates, of a free base a rotation and a translation in its own axes,
// of loops along closed motions: a column for each number of v, dependent positions move by G(q)); by "masses" of
// the moving bodies, their mass centres and their inertias about these kept; or by a "payload" on a link: its mass and its mass centre in the link's frame, a
// point. Coulomb friction acts with the sign of the state's rates, sign(0) = 0, and this sign is constant: accelerations depend on it, and so do their
// derivatives. By v, it has no derivative where a rate is zero, and counts as none there.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/jit/instruction_set.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/scalar/scalar.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// With J the matrix of derivatives, a row for each number of the quantity, a column for each that it is differentiated by.
enum class Product {
  matrix,   // J, column by column
  times,    // J x, without J: about three operations for each of the quantity
  weights,  // yᵀ J, likewise
  second    // ∂(yᵀ J)/∂ · x: of a sum of numbers of the quantity, weighted by y, the Hessian times x
};

struct DerivativeOptions {
  Quantity of = Quantity::inverse;               // What is differentiated.
  std::string by = "q";                          // What it is differentiated by.
  Product product = Product::matrix;             // The matrix, or its product with a vector.
  std::size_t link = kNone;                      // of quantities that are of a link, and of a payload
  Effects effects{};                             // wrenches and the motion of the base as they are now; rotors, friction
  double snap = kSnap;                           // Angles this near to a quarter turn are exact [rad].
  InstructionSet most = InstructionSet::avx512;  // The widest instruction set to use.
};

/// One per thread: it keeps what it is called with. With friction in loops by dual numbers through the templates; else as machine code, which is compared with
/// dual numbers through the templates when it is made; where there is none, or it differs, these compute, a column at a time.
class Derivative {
 public:
  /// Throws std::invalid_argument for what the quantity does not take, a link that there is not, a prescribed motion of a free base, or a free base where
  /// second derivatives by q are requested. Wrenches are copied.
  Derivative(const Model& model, const DerivativeOptions& options);
  ~Derivative();
  Derivative(Derivative&&) noexcept;
  Derivative& operator=(Derivative&&) noexcept;

  const DerivativeOptions& options() const;              // What it computes.
  std::size_t rows() const;                              // of J: numbers of the quantity
  std::size_t columns() const;                           // of J
  const std::vector<std::string>& column_names() const;  // "joint1", "mass.link1", "payload.mass", "payload.x"
  std::size_t size() const;                              // of the result
  const OperationCounts& counts() const;                 // of the equations
  bool compiled() const;                                 // Whether machine code computes it.
  const std::optional<RefusedKernel>& refused() const;   // Why not, where the machine code differs from the templates.

  /// `x` has columns() numbers, `y` rows(), where the product takes them, and else none; `payload` mass and mass centre, four numbers, or none for a mass of
  /// zero at the link's origin. Throws std::invalid_argument with both numbers where a size is wrong; allocates nothing.
  struct Vectors {
    std::span<const double> x{}, y{}, payload{};
  };
  void operator()(const InputsOf<double>& in, const Vectors& vectors, VectorView<double> out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ULNA_API
