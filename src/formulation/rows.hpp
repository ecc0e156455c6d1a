// The list of the formulations: one function for each, defined in the .cpp of the same name, in the order of the papers; the production path last.
#pragma once

#include <ulna/formulation/formulation.hpp>

#include "formulation/evaluator.hpp"

namespace ulna::internal {

Formulation uicker_kahn_row();
Formulation waters_row();
Formulation hollerbach_4x4_row();
Formulation hollerbach_3x3_row();
Formulation newton_euler_base_row();
Formulation newton_euler_link_row();
Formulation newton_euler_row();
Formulation lagrange_row();
Formulation modified_newton_euler_row();
Formulation albus_row();
Formulation raibert_row();
Formulation horn_raibert_row();
Formulation kane_row();
Formulation kane_stanford_row();
Formulation strobing_row();
Formulation walker_orin_row();
Formulation renaud_row();
Formulation fijany_bejczy_row();
Formulation lin_row();
Formulation nasser_row();
Formulation composite_ldl_row();
Formulation ulna_row();

using MakeRow = Formulation (*)();
inline constexpr MakeRow kRows[] = {
    &uicker_kahn_row,
    &waters_row,
    &hollerbach_4x4_row,
    &hollerbach_3x3_row,
    &newton_euler_base_row,
    &newton_euler_link_row,
    &newton_euler_row,
    &lagrange_row,
    &modified_newton_euler_row,
    &albus_row,
    &raibert_row,
    &horn_raibert_row,
    &kane_row,
    &kane_stanford_row,
    &strobing_row,
    &walker_orin_row,
    &renaud_row,
    &fijany_bejczy_row,
    &lin_row,
    &nasser_row,
    &composite_ldl_row,
    &ulna_row,
};

/// A row that code refers to, and not a user: `row_of(&lin_row)`.
const Formulation& row_of(MakeRow make);

}  // namespace ulna::internal
