// What runs the proofs: each derivation on numbers that know their rounding errors, and on expressions.
#pragma once

#include <ulna/expr/expr.hpp>
#include <ulna/verify/verify.hpp>

#include "formulation/frames.hpp"
#include "scalar/rounded.hpp"
#include "verify/derivation.hpp"

namespace ulna::internal::proof {

template <class T>
using Lines = std::vector<Line<T>> (*)(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a,
                                       std::string_view spoiled);

struct Row : Proof {
  Lines<Rounded<double>> numbers;
  Lines<Expr> expressions;
};
Row turney_row();
Row hollerbach_row();
Row kane_row();
Row lin_row();
Row nasser_row();

/// prove() with the sign of the last term of one equation changed: `spoiled` is its number. For tests.
ProofReport prove_spoiled(std::string_view proof, const Model& model, const ProofOptions& options, std::string_view spoiled);

}  // namespace ulna::internal::proof
